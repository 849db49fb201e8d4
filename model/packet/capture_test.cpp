// SPDX-License-Identifier: Apache-2.0
// Compares the codec with the manifest of the Soft-RoCE captures, frame by frame.
#include "model/packet/capture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "model/packet/builder.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/lint.hpp"
#include "model/packet/parser.hpp"

using namespace roci::packet;

namespace {

/// A row of the manifest: the numbers of its table.
struct Entry {
  std::vector<unsigned> numbers;
  bool injected;  ///< tests, frames, good, bad, short; else frames, RoCE, good
};

std::map<std::string, Entry> read_manifest() {
  std::map<std::string, Entry> entries;
  std::ifstream file(CAPTURES "/manifest.md");
  std::string line;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    if (cells.size() < 6 || cells[1].find(".pcap") == std::string::npos) continue;
    const std::string name = cells[1].substr(1, cells[1].size() - 2);
    Entry entry{{}, name.rfind("raw", 0) == 0};
    for (std::size_t i = entry.injected ? 2 : 3; i < cells.size() && entry.numbers.size() < 5;
         ++i) {
      if (cells[i].find_first_not_of(" 0123456789") != std::string::npos) break;
      if (cells[i].find_first_of("0123456789") == std::string::npos) break;
      entry.numbers.push_back(static_cast<unsigned>(std::stoul(cells[i])));
    }
    entries[name] = entry;
  }
  return entries;
}

std::vector<CapturedFrame> frames_of(const std::string& name) {
  return read_capture(std::string(CAPTURES "/") + name);
}

/// Builds the parsed frame from its fields alone.
Bytes rebuild(const Parsed& p) {
  const Bth bth = p.bth();
  Builder builder;
  builder.ethernet(p.ethernet().dst_mac(), p.ethernet().src_mac());
  if (p.vlan) builder.vlan(p.vlan_tag().vid(), p.vlan_tag().pcp(), p.vlan_tag().dei());
  builder.gids(p.src(), p.dst()).traffic_class(p.traffic_class()).hop_limit(p.hop_limit());
  if (p.ipv6) {
    builder.flow_label(p.ipv6_header().flow_label());
  } else {
    builder.identification(p.ipv4_header().identification());
  }
  builder.src_port(p.udp().src_port());
  builder.bth(bth.opcode(), bth.dest_qp(), p.psn())
      .solicited(bth.solicited())
      .ack_req(bth.ack_req())
      .mig_req(bth.mig_req())
      .pkey(bth.pkey())
      .congestion(bth.fecn(), bth.becn());
  if (p.has(Ext::kReth)) builder.reth(p.reth().va(), p.reth().rkey(), p.reth().dma_length());
  if (p.has(Ext::kAtomicEth)) {
    const AtomicEth atomic = p.atomic_eth();
    builder.atomic_eth(atomic.va(), atomic.rkey(), atomic.swap_add(), atomic.compare());
  }
  if (p.has(Ext::kAeth)) builder.aeth(p.aeth().syndrome(), p.aeth().msn());
  if (p.has(Ext::kAtomicAckEth)) builder.atomic_ack_eth(p.atomic_ack_eth().original());
  if (p.has(Ext::kImmDt)) builder.imm_dt(p.imm_dt().immediate());
  if (p.has(Ext::kIeth)) builder.ieth(p.ieth().rkey());
  if (p.has(Ext::kDeth)) builder.deth(p.deth().qkey(), p.deth().src_qp());
  return builder.payload(p.payload).build();
}

}  // namespace

TEST_CASE("captures: the codec counts what the manifest counts (WIRE-36)") {
  const std::map<std::string, Entry> manifest = read_manifest();
  unsigned genuine = 0;
  unsigned injected = 0;
  for (const auto& row : manifest) {
    const std::string& name = row.first;
    const Entry& entry = row.second;
    CAPTURE(name);
    unsigned roce = 0;
    unsigned good = 0;
    unsigned bad = 0;
    unsigned too_short = 0;
    const std::vector<CapturedFrame> frames = frames_of(name);
    for (const CapturedFrame& frame : frames) {
      const Parsed p = parse(frame.bytes);
      if (p.error == Error::kNotRoce) continue;
      ++roce;
      if (!p.has_bth) {
        ++too_short;
      } else {
        ++(p.icrc_ok ? good : bad);
      }
    }
    if (entry.injected) {
      REQUIRE(entry.numbers.size() == 5);
      // The column of correct ICRCs in these rows counts some frames more than once (good, bad and
      // short exceed the frames), so the number of correct ones is computed from the other columns.
      CHECK(frames.size() == entry.numbers[1]);
      CHECK(roce == entry.numbers[1]);
      CHECK(bad == entry.numbers[3]);
      CHECK(too_short == entry.numbers[4]);
      CHECK(good == entry.numbers[1] - bad - too_short);
      injected += roce;
    } else {
      REQUIRE(entry.numbers.size() == 3);
      CHECK(frames.size() == entry.numbers[0]);
      CHECK(roce == entry.numbers[1]);
      CHECK(good == entry.numbers[2]);
      CHECK(bad + too_short == 0);
      genuine += roce;
    }
  }
  CHECK(manifest.size() > 100);
  MESSAGE(manifest.size() << " captures, " << genuine << " genuine and " << injected
                          << " injected RoCE frames");
}

TEST_CASE("captures: genuine packets are accepted, legal, and rebuilt bit for bit") {
  for (const auto& row : read_manifest()) {
    const std::string& name = row.first;
    if (row.second.injected) continue;
    unsigned number = 0;
    for (const CapturedFrame& frame : frames_of(name)) {
      ++number;
      const Parsed p = parse(frame.bytes);
      if (p.error == Error::kNotRoce) continue;
      INFO(name << " frame " << number << ": " << describe(frame.bytes));
      CHECK(p.error == Error::kNone);
      const std::vector<std::string> faults = lint(frame.bytes);
      CHECK_MESSAGE(faults.empty(), (faults.empty() ? "" : faults.front()));
      const Bytes rebuilt = rebuild(p);
      REQUIRE(rebuilt.size() <= frame.bytes.size());  // the capture may hold Ethernet padding
      CHECK(std::equal(rebuilt.begin(), rebuilt.end(), frame.bytes.begin()));
    }
  }
}

TEST_CASE("captures: injected frames are rejected for the intended reason") {
  // Frame numbers of raw_index.json.
  const struct {
    const char* file;
    std::size_t frame;
    Error error;
  } cases[] = {
      {"raw_framing.pcap", 1, Error::kIcrc},          // icrc_bad
      {"raw_framing.pcap", 2, Error::kIcrc},          // icrc_zero
      {"raw_framing.pcap", 3, Error::kIcrc},          // icrc_swapped
      {"raw_framing.pcap", 4, Error::kNone},          // good_send
      {"raw_framing.pcap", 6, Error::kNone},          // good_send_ipv6
      {"raw_framing.pcap", 8, Error::kVersion},       // tver_1
      {"raw_framing.pcap", 9, Error::kNone},          // migreq_1
      {"raw_framing.pcap", 11, Error::kNone},         // resv7_set
      {"raw_framing.pcap", 13, Error::kNone},         // fecn_becn_resv6
      {"raw_framing.pcap", 26, Error::kOpcode},       // op_reserved_15
      {"raw_framing.pcap", 29, Error::kOpcode},       // op_reserved_1f
      {"raw_framing.pcap", 35, Error::kOpcode},       // op_other_ff
      {"raw_framing.pcap", 37, Error::kNone},         // udp_ck_good
      {"raw_framing.pcap", 39, Error::kUdpChecksum},  // udp_ck_bad
      {"raw_framing.pcap", 40, Error::kNone},         // sport_low
      {"raw_framing.pcap", 45, Error::kNone},         // trailing_bytes
      {"raw_framing.pcap", 49, Error::kFragment},     // ip_frag
      {"raw_trunc.pcap", 1, Error::kTruncated},       // trunc_bth
      {"raw_trunc.pcap", 2, Error::kNone},            // trunc_bth_only
      {"raw_trunc.pcap", 4, Error::kTruncated},       // trunc_icrc
      {"raw_trunc.pcap", 5, Error::kExtension},       // trunc_reth
      {"raw_trunc.pcap", 6, Error::kExtension},       // trunc_reth_0
      {"raw_trunc.pcap", 7, Error::kExtension},       // trunc_imm
      {"raw_trunc.pcap", 8, Error::kExtension},       // trunc_aeth
      {"raw_trunc.pcap", 9, Error::kExtension},       // trunc_readreq
      {"raw_trunc.pcap", 10, Error::kExtraBytes},     // extra_readreq
      {"raw_length.pcap", 23, Error::kNone},          // pad_nonzero
      {"raw_length.pcap", 25, Error::kAlignment},     // pad_unaligned
  };
  for (const auto& one : cases) {
    const std::vector<CapturedFrame> frames = frames_of(one.file);
    REQUIRE(frames.size() >= one.frame);
    const Bytes& bytes = frames[one.frame - 1].bytes;
    INFO(one.file << " frame " << one.frame << ": " << describe(bytes));
    CHECK(to_string(parse(bytes).error) == to_string(one.error));
  }
}

TEST_CASE("captures: lint reports what reception must accept") {
  const std::vector<CapturedFrame> framing = frames_of("raw_framing.pcap");
  CHECK_FALSE(lint(framing[10].bytes).empty());  // resv7_set
  CHECK_FALSE(lint(framing[12].bytes).empty());  // fecn_becn_resv6
  CHECK_FALSE(lint(framing[39].bytes).empty());  // sport_low
  const std::vector<CapturedFrame> length = frames_of("raw_length.pcap");
  CHECK_FALSE(lint(length[4].bytes).empty());   // len_first_short
  CHECK_FALSE(lint(length[8].bytes).empty());   // len_first_zero
  CHECK_FALSE(lint(length[18].bytes).empty());  // pad_on_first
  CHECK_FALSE(lint(length[22].bytes).empty());  // pad_nonzero
}

TEST_CASE("captures: a frame truncated anywhere is never read past its end") {
  const std::vector<CapturedFrame> frames = frames_of("rc_vlan100.pcap");
  for (const CapturedFrame& frame : frames) {
    for (std::size_t size = 0; size < frame.bytes.size(); ++size) {
      const Bytes truncated(frame.bytes.begin(),
                            frame.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK_FALSE(parse(truncated).ok());
      lint(truncated);
      describe(truncated);
    }
  }
}

TEST_CASE("captures: an unreadable file gives an error of one line") {
  CHECK_THROWS_WITH_AS(read_capture("/nowhere/x.pcap"),
                       doctest::Contains("cannot read /nowhere/x.pcap"), std::runtime_error);
  CHECK_THROWS_AS(read_capture(CAPTURES "/manifest.md"), std::runtime_error);
}
