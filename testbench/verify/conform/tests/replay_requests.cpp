// SPDX-License-Identifier: Apache-2.0
// Replays captured requests, valid and invalid, of a test peer to Linux Soft-RoCE. The outcome must
// be equal to Soft-RoCE's, except for the exchanges of `kOtherwise`, where it follows the
// statements instead.
#include "testbench/verify/conform/tests/replay_results.hpp"

namespace roci::conform {
using namespace packet;

namespace {

namespace access = driver::access;

/// Regions of the captures: first address, rights, and the key of either recording session.
constexpr std::uint64_t kMain = 0x7F72A30AA000, kEarlier = 0x7F0350032000, kLocal = 0x7F72A3088000,
                        kNoWrite = 0x7F72A3099000;
constexpr std::size_t kRegionBytes = 65536;

/// The outcome required in place of Soft-RoCE's.
enum class Must {
  kNakInvalid,      ///< NAK invalid request for the last packet, ERR, no successful receive
  kNotExecute,      ///< silence or NAK invalid request; nothing executed
  kAckNewest,       ///< an ACK of the PSN before the expected one
  kServeOrNak,      ///< as Soft-RoCE, or NAK invalid request
  kServeTail,       ///< as Soft-RoCE, or with ONLY where a READ of one packet got LAST
  kEitherNak,       ///< NAK as Soft-RoCE or invalid request: two rules are violated
  kFailTheReceive,  ///< the NAK as Soft-RoCE; the first receive LocAccessErr or flushed
};
struct Otherwise {
  const char* name;
  Must must;
};
constexpr Otherwise kOtherwise[] = {
    {"len_only_over_mtu", Must::kNakInvalid},
    {"len_only_over_mtu_1", Must::kNakInvalid},
    {"len_first_short", Must::kNakInvalid},
    {"len_first_long", Must::kNakInvalid},
    {"len_first_zero", Must::kNakInvalid},
    {"len_middle_short", Must::kNakInvalid},
    {"len_last_over", Must::kNakInvalid},
    {"pad_on_first", Must::kNakInvalid},
    {"pad_unaligned", Must::kNotExecute},
    {"extra_readreq", Must::kNotExecute},
    {"op_reserved_15", Must::kNotExecute},
    {"op_reserved_18", Must::kNotExecute},
    {"op_reserved_1b", Must::kNotExecute},
    {"op_reserved_1f", Must::kNotExecute},
    {"psn_minus1", Must::kAckNewest},
    {"read_over_depth", Must::kServeOrNak},
    {"read_dup_tail", Must::kServeTail},
    {"write_dmalen_2g1", Must::kEitherNak},
    {"atomic_past", Must::kEitherNak},  // not aligned as well
    {"write_imm_bad_key", Must::kFailTheReceive},
};
const Otherwise* find_otherwise(const std::string& name) {
  for (const Otherwise& one : kOtherwise) {
    if (name == one.name) return &one;
  }
  return nullptr;
}

/// Memory of a capture's region under its own addresses.
struct Region {
  Region(Fixture& dut, std::uint64_t address, std::uint32_t rights)
      : device(dut.context().device()), memory(device.allocate(kRegionBytes, 4096)) {
    region = std::make_unique<driver::MemoryRegion>(dut.pd(), memory, rights, address);
  }
  ~Region() {
    region.reset();
    device.release(memory);
  }
  driver::Device& device;
  driver::DmaMemory memory;
  std::unique_ptr<driver::MemoryRegion> region;
};

void prepare(const std::string& name, Options& o) {
  o.path_mtu = 3;
  o.rq_psn = name == "psn_wrap" ? 0xFFFFFF : 0x1000;
  o.max_dest_rd_atomic = name == "atomic_depth0" ? 0 : 2;
  if (name == "atomic_qp_no_perm") o.access = access::kAll & ~access::kRemoteAtomic;
  if (name == "state_reset") o.up_to = QpState::kReset;
  if (name == "state_init") o.up_to = QpState::kInit;
  if (name == "state_rtr") o.up_to = QpState::kRtr;
  const bool ipv6 = name == "good_send_ipv6";
  o.sgid_index = ipv6 ? 1 : 0;
  o.peer_gid = driver::gid_of_ipv4(0x0A000009);
  if (ipv6) {
    o.peer_gid = driver::Gid{};
    (*o.peer_gid)[0] = 0xFD;
    (*o.peer_gid)[15] = 9;
  }
}

/// Whether Soft-RoCE had posted receives: it completed some, or could have.
bool has_receives(const Exchange& e) {
  if (e.receives != "none") return true;
  return e.state == "RTS" && e.name.find("no_recv") == std::string::npos && e.name != "rnr";
}

void play(Fixture& dut, const Exchange& e) {
  Region main(dut, kMain, access::kAll), earlier(dut, kEarlier, access::kAll);
  Region local(dut, kLocal, access::kLocalWrite);
  Region no_write(dut, kNoWrite, access::kLocalWrite | access::kRemoteRead | access::kRemoteAtomic);
  const std::map<std::uint32_t, std::uint32_t> keys = {{0x2AF, main.region->key()},
                                                       {0x23B, earlier.region->key()},
                                                       {0x485, local.region->key()},
                                                       {0x32C, no_write.region->key()}};
  Connection c(dut, [&](Options& o) { prepare(e.name, o); });
  if (has_receives(e)) {
    for (std::uint64_t id = 100; id <= 101; ++id) {
      driver::ReceiveRequest r;
      r.id = id;
      r.sges = {main.region->sge(0, 8192)};
      c.qp().receive(r);
    }
  }
  if (e.name == "state_err") c.qp().to_error();
  for (const Exchange::Step& step : e.steps) {
    if (!step.from_peer) continue;
    replay(dut, step.frame, c.number(), keys);
    dut.sleep(5_us);
  }
  dut.sleep(20_us);

  const Responses seen = responses_of(c), soft = responses_of(e.responses);
  const std::string receives = receives_of(c);
  const QpState state = c.qp().query().state;
  const auto untouched = [](const Region& region) {
    return std::all_of(region.memory.host, region.memory.host + kRegionBytes,
                       [](std::uint8_t byte) { return byte == 0; });
  };
  const Otherwise* otherwise = find_otherwise(e.name);
  const bool naked = seen.others.size() == 1 && seen.others[0].find(":61") != std::string::npos;
  if (otherwise == nullptr || (otherwise->must == Must::kServeOrNak && !naked) ||
      (otherwise->must == Must::kEitherNak && !naked) || otherwise->must == Must::kServeTail ||
      otherwise->must == Must::kFailTheReceive) {
    // An ACK of executed requests is permitted where Soft-RoCE sent none.
    Responses allowed = soft;
    if (soft.newest_ack.empty() && e.name == "ackreq_0") allowed.newest_ack = seen.newest_ack;
    // Packets before a NAK may have been acknowledged, or not.
    if (e.state == "ERR") allowed.newest_ack = seen.newest_ack;
    if (otherwise != nullptr && otherwise->must == Must::kServeTail && !seen.others.empty()) {
      std::string& last = allowed.others.back();
      const std::string only = "RC_READ_RESP_ONLY" + last.substr(last.find('@'));
      if (seen.others.back() == only) last = only;
    }
    require(seen == allowed, e.name + ": responses " + allowed.text(), seen.text());
    if (otherwise == nullptr) {
      require(receives == receives_of(e.receives), e.name + ": receives " + receives_of(e.receives),
              receives);
    }
    require((state == QpState::kErr) == (e.state == "ERR"), e.name + ": state " + e.state,
            "another");
    if (e.state == "RTS") same(e.name + ": expected PSN", c.qp().query().rq_psn, e.expected_psn);
    if (e.memory_untouched) {
      require(untouched(main) && untouched(earlier), e.name + ": memory untouched", "written");
    }
  }
  require(untouched(local) && untouched(no_write), e.name + ": other regions untouched", "written");
  if (otherwise == nullptr) return;
  switch (otherwise->must) {
    case Must::kNakInvalid:
      require(naked && state == QpState::kErr, e.name + ": NAK invalid request and ERR",
              seen.text());
      require(receives.find("Success") == std::string::npos, e.name + ": no successful receive",
              receives);
      break;
    case Must::kNotExecute:
      require(seen.text().empty() || naked, e.name + ": silence or NAK invalid request",
              seen.text());
      require(
          receives.find("Success") == std::string::npos && untouched(main) && untouched(earlier),
          e.name + ": nothing executed", receives);
      break;
    case Must::kAckNewest:
      require(seen.others.empty() && seen.newest_ack == "fff", e.name + ": an ACK of 0xfff",
              seen.text());
      break;
    case Must::kServeTail:
      break;
    case Must::kEitherNak:
    case Must::kServeOrNak:
      if (naked) require(state == QpState::kErr, e.name + ": ERR", "another state");
      break;
    case Must::kFailTheReceive:
      require(receives == "100 LocAccessErr; 101 WrFlushErr; " ||
                  receives == "100 WrFlushErr; 101 WrFlushErr; ",
              e.name + ": LocAccessErr or a flush, then a flush", receives);
      break;
  }
}

void play_all(Fixture& dut, const char* capture) {
  for (const Exchange& e : exchanges_of(capture)) play(dut, e);
}

}  // namespace

TEST_THAT_NEEDS(
    mixed(),
    "WIRE-05 WIRE-12 WIRE-15 WIRE-16 WIRE-18 WIRE-20 WIRE-21 WIRE-22 WIRE-23 WIRE-25 WIRE-26 "
    "WIRE-27 WIRE-28 WIRE-37 WIRE-40 WIRE-45 WIRE-46 RSP-10",
    "replay of raw_framing: valid and invalid frames of Linux captures") {
  std::vector<Exchange> all = exchanges_of("raw_framing");
  // The capture lacks the frame that was sent to port 4790.
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Exchange& e) { return e.name == "dport_4790"; }),
            all.end());
  for (const Exchange& e : all) play(dut, e);
}
TEST_THAT_NEEDS(mixed(), "WIRE-33 WIRE-35 RSP-10", "replay of raw_trunc: packets truncated") {
  play_all(dut, "raw_trunc");
}
TEST_THAT_NEEDS(mixed(), "WIRE-32 WIRE-34 RSP-25",
                "replay of raw_length: SEND packets of wrong lengths") {
  play_all(dut, "raw_length");
}
TEST_THAT_NEEDS(mixed(), "RSP-03 RSP-04 RSP-07 RSP-09 RSP-45",
                "replay of raw_psn: gaps, duplicates, the wrap") {
  play_all(dut, "raw_psn");
}
TEST_THAT_NEEDS(mixed(), "RSP-22 RSP-51", "replay of raw_sequence: opcodes out of order") {
  play_all(dut, "raw_sequence");
}
TEST_THAT_NEEDS(mixed(), "RSP-26 RSP-28 RSP-29 RSP-30 RSP-31 RSP-16 WC-08",
                "replay of raw_write: WRITEs of all kinds") {
  play_all(dut, "raw_write");
}
TEST_THAT_NEEDS(mixed(), "RSP-29 RSP-31 RSP-34 RSP-35 RSP-38",
                "replay of raw_read: READs and their duplicates") {
  play_all(dut, "raw_read");
}
TEST_THAT_NEEDS(mixed(with(layout::Option::kAtomics)), "RSP-37 RSP-39 RSP-41 RSP-42 RSP-43",
                "replay of raw_atomic: atomics and their duplicates") {
  play_all(dut, "raw_atomic");
}
TEST_THAT_NEEDS(mixed(), "WIRE-47 RSP-16 RQ-53",
                "replay of raw_state_rnr_cnp: states, RNR, a CNP") {
  play_all(dut, "raw_state_rnr_cnp");
}

}  // namespace roci::conform
