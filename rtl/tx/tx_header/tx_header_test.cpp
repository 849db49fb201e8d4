// SPDX-License-Identifier: Apache-2.0
// Descriptors in, headers out, compared byte by byte with those of Soft-RoCE and with frames built
// from the layouts.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_tx_header.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"
#include "rtl/common/test/row_bus.hpp"

namespace {

using roce::Bytes;
using roce::Fields;
using roce::kEveryOpcode;
using roce::kShapes;
using roce::packet;

constexpr unsigned kBytes = DATA_WIDTH / 8;
namespace opcode = layout::opcode;
/// The longest headers: a tagged atomic over IPv6.
constexpr unsigned kHeaderBytes = layout::ethernet::kBytes + layout::vlan::kBytes +
                                  layout::ipv6::kBytes + layout::udp::kBytes + layout::bth::kBytes +
                                  layout::atomic_eth::kBytes;
static_assert(kHeaderBytes == 106);
constexpr unsigned kSeed = 802;
constexpr unsigned kAckDepth = RTL_Compact ? 1 : 4, kDescDepth = RTL_Compact ? 1 : 8;

struct Bench : roce::RowBus<Bench> {
  struct Job {
    unsigned row;
    Fields fields;
    unsigned number = 0;
    unsigned handle = 0;
  };
  Dut<Vroci_tx_header> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  bool hold_desc = false, hold_ack = false;
  std::deque<Job> desc, ack;  // to hand in
  std::deque<Job> want_desc, want_ack, want_start;
  std::deque<std::uint16_t> desc_ids, ack_ids;
  std::uint16_t id = 0;
  unsigned given_desc = 0, given_ack = 0;
  std::uint64_t taken = 0, start_at = 0, header_at = 0;

  void connect(unsigned row, const Fields& f) { address(row, f, roce::Way::kOut); }
  void connect_shapes() {
    for (unsigned which = 0; which < kShapes; ++which) connect(16 + which, roce::own_shape(which));
  }
  void send(unsigned row, const Fields& f, unsigned handle_number = 0) {
    (f.opcode == opcode::kRcAck ? ack : desc).push_back({row, f, ++number_, handle_number});
  }
  void finish() {
    for (unsigned i = 0; i < 20000 && !(desc.empty() && ack.empty() && dut->idle_o); ++i) clock();
    CHECK(desc.empty());
    CHECK(ack.empty());
    CHECK(dut->idle_o);
    CHECK(want_desc.empty());
    CHECK(want_ack.empty());
    CHECK(want_start.empty());
  }

  void clock() {
    auto go = [&](unsigned percent) { return percent == 0 || random() % 100 >= percent; };
    desc_held_ = !desc.empty() && (desc_held_ || go(gaps)) && !dut->row_write_valid_i;
    ack_held_ = !ack.empty() && (ack_held_ || go(gaps)) && !dut->row_write_valid_i;
    dut->desc_valid_i = desc_held_;
    dut->ack_valid_i = ack_held_;
    if (desc_held_) {
      roce::put_desc(dut->desc_i, desc.front().row, desc.front().fields, desc.front().handle);
    }
    if (ack_held_) roce::put_desc(dut->ack_i, ack.front().row, ack.front().fields);
    dut->gather_start_ready_i = go(stalls);
    // Payload, for which a header waits, comes after its gather_start.
    dut->desc_header_ready_i = !hold_desc && go(stalls) &&
                               (want_desc.empty() || want_start.empty() ||
                                want_desc.front().number != want_start.front().number);
    dut->ack_header_ready_i = !hold_ack && go(stalls);
    dut.settle();
    // One header is shown: of the queue whose turn it is, or of the only one with a taker.
    const bool desc_goes = dut->desc_header_valid_o && dut->desc_header_ready_i;
    const bool ack_goes = dut->ack_header_valid_o && dut->ack_header_ready_i;
    dut->header_ack_i = desc_goes && ack_goes ? dut.cycle() & 1 : ack_goes;
    (dut->header_ack_i ? dut->desc_header_ready_i : dut->ack_header_ready_i) = false;
    dut.settle();
    CHECK(!(dut->desc_valid_i && dut->desc_ready_o && dut->ack_valid_i && dut->ack_ready_o));
    if (dut->desc_valid_i && dut->desc_ready_o) {
      if (taken == 0) taken = dut.cycle();
      want_desc.push_back(desc.front());
      if (!desc.front().fields.payload.empty()) want_start.push_back(desc.front());
      desc_ids.push_back(++id);
      desc.pop_front();
      desc_held_ = false;
    }
    if (dut->ack_valid_i && dut->ack_ready_o) {
      want_ack.push_back(ack.front());
      ack_ids.push_back(++id);
      ack.pop_front();
      ack_held_ = false;
    }
    if (dut->gather_start_valid_o && start_at == 0) start_at = dut.cycle();
    if (dut->gather_start_valid_o && dut->gather_start_ready_i) {
      REQUIRE(!want_start.empty());
      const Fields& f = want_start.front().fields;
      CHECK(dut->gather_pos_o == f.payload_at() % kBytes);
      CHECK(dut->gather_len_o == f.payload.size());
      want_start.pop_front();
    }
    if (dut->desc_header_valid_o && header_at == 0) header_at = dut.cycle();
    if (dut->desc_header_valid_o && dut->desc_header_ready_i) {
      REQUIRE(!want_desc.empty());
      const Fields& f = want_desc.front().fields;
      CHECK(bool(dut->desc_payload_o) == !f.payload.empty());
      CHECK(dut->header_len_o == f.payload_at());
      check(f, desc_ids.front());
      want_desc.pop_front();
      desc_ids.pop_front();
      ++given_desc;
    }
    if (dut->ack_header_valid_o && dut->ack_header_ready_i) {
      REQUIRE(!want_ack.empty());
      check(want_ack.front().fields, ack_ids.front());
      want_ack.pop_front();
      ack_ids.pop_front();
      ++given_ack;
    }
    dut.tick();
  }

 private:
  /// The header that is shown, and what goes with it.
  void check(Fields f, std::uint16_t want_id) {
    f.id = want_id;
    const Bytes frame = roce::build(f);
    CHECK(dut->frame_len_o == frame.size() - roce::kIcrcBytes);
    CHECK(bool(dut->short_o) == (frame.size() - roce::kIcrcBytes <= kBytes));
    CHECK(dut->ipv6_o == f.ipv6);
    CHECK(dut->roce_v1_o == f.v1);
    CHECK(dut->vlan_o == f.vlan);
    Bytes want(frame.begin(), frame.begin() + static_cast<long>(f.payload_at()));
    want.resize(kHeaderBytes, 0);
    Bytes got;
    for (unsigned i = 0; i < kHeaderBytes; ++i) got.push_back(port::byte(dut->header_o, i));
    CHECK(got == want);
  }
  bool desc_held_ = false, ack_held_ = false;
  unsigned number_ = 0;
};

}  // namespace

TEST_CASE(
    "tx_header: each opcode, shape and length (WIRE-01..04, 07..13, 16, 17, 19..22, 29..32)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned which = 0; which < kShapes; ++which) {
    for (const std::uint8_t each : kEveryOpcode) {
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 61u, 255u, 256u, 4096u}) {
        bench.send(16 + which, packet(bench.random, which, each, size));
        if (!roce::has_payload(each)) break;
      }
    }
  }
  bench.finish();
}

TEST_CASE("tx_header: given the fields of Soft-RoCE, the headers that Soft-RoCE sent") {
  // Except for MigReq, which Soft-RoCE sends 0, and the identification.
  Bench bench;
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    const std::string name = path.filename().string();
    if (name.rfind("raw", 0) == 0 || name.rfind("hop_", 0) == 0 || name.rfind("ecn_", 0) == 0)
      continue;  // made by hand, or rewritten on the way
    for (const Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::captured_good(frame, f) || f.congestion || f.resv7) continue;
      const Bytes again = roce::build(f);
      REQUIRE(
          std::equal(again.begin(), again.end(), frame.begin()));  // the fields describe the frame
      f.mig_req = true;
      bench.sender(1, 2, f);
      bench.send(1, f, 2);
      bench.finish();
      ++count;
    }
  }
  CHECK(count > 2500);
}

TEST_CASE("tx_header: a datagram has its address from its handle (UD-13, WIRE-23)") {
  constexpr unsigned kHandle = 40, kQp = 5;  // rows of queue pairs of these numbers are connected
  Bench bench;
  bench.connect_shapes();
  for (unsigned which = 0; which < kShapes; ++which) {
    bench.connect(kHandle + which, roce::shape(5 - which));
    bench.handle(kHandle + which, roce::own_shape(which));
    bench.handle(16 + which, roce::shape(5 - which));
  }
  for (unsigned n = 0; n < 600; ++n) {
    const unsigned which = bench.random() % kShapes;
    if (n % 50 == 0) {  // a queue pair of UD has a partition, and no address
      bus::clear_data(bench.dut->row_write_i);
      port::put(bench.dut->row_write_i, layout::av::pkey, 0x8000 + n);
      bench.finish();
      bench.row(layout::Table::kAv, kQp);
    }
    if (n % 3 == 0) {
      bench.send(16 + which, packet(bench.random, which, opcode::kRcSendOnly, 40));
      continue;
    }
    Fields f = packet(bench.random, which, n % 2 == 0 ? 0x64 : 0x65, bench.random() % 4097);
    f.pkey = static_cast<std::uint16_t>(0x8000 + n / 50 * 50);
    f.qpn = bench.random() & 0xFFFFFF;
    bench.send(kQp, f, kHandle + which);
  }
  bench.finish();
}

TEST_CASE("tx_header: the IPv4 checksum is right for every identification (WIRE-04)") {
  // Thus every carry of the sum occurs.
  Bench bench;
  bench.connect_shapes();
  const Fields f = packet(bench.random, 0, opcode::kRcAck, 0);
  for (unsigned n = 0; n < 65536; ++n) {
    bench.send(16, f);
    while (!bench.ack.empty()) bench.clock();
  }
  bench.finish();
  CHECK(bench.given_ack == 65536);
}

TEST_CASE("tx_header: the priority of an address vector goes into requests and ACKs (WIRE-03)") {
  Bench bench;
  Fields f = roce::own_shape(1);
  f.tci = 3u << 13 | 100;
  bench.connect(3, f);
  f.opcode = opcode::kRcAck;
  f.ext.assign(layout::aeth::kBytes, layout::syndrome::kAckNoCredits);
  bench.send(3, f);
  f.opcode = opcode::kRcSendOnly;
  f.ext.clear();
  bench.send(3, f);
  bench.finish();
}

TEST_CASE("tx_header: acknowledgements pass packets that wait, up to the depth of their queue") {
  Bench bench;
  bench.connect_shapes();
  bench.hold_desc = true;
  for (unsigned n = 0; n < 20; ++n)
    bench.send(16, packet(bench.random, 0, opcode::kRcSendOnly, 64));
  for (unsigned n = 0; n < 20; ++n) bench.send(16, packet(bench.random, 0, opcode::kRcAck, 0));
  for (unsigned i = 0; i < 200; ++i) bench.clock();
  CHECK(bench.given_ack == 20);
  CHECK(bench.desc.size() == 20 - kDescDepth);
  bench.hold_ack = true;
  for (unsigned n = 0; n < 20; ++n) bench.send(16, packet(bench.random, 0, opcode::kRcAck, 0));
  for (unsigned i = 0; i < 200; ++i) bench.clock();
  CHECK(bench.ack.size() == 20 - kAckDepth);
  bench.hold_desc = bench.hold_ack = false;
  bench.finish();
}

TEST_CASE("tx_header: random traffic with random stalls") {
  for (const unsigned stalls : {0u, 40u, 80u}) {
    Bench bench;
    bench.connect_shapes();
    bench.stalls = stalls;
    bench.gaps = 80 - stalls;
    for (unsigned n = 0; n < 1500; ++n) {
      const unsigned which = bench.random() % kShapes;
      const std::uint8_t any = kEveryOpcode[bench.random() % std::size(kEveryOpcode)];
      bench.send(16 + which, packet(bench.random, which, any, bench.random() % 300));
    }
    bench.finish();
  }
}

TEST_CASE("tx_header: one packet a clock; header after three clocks, gather_start after two") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned n = 0; n < 50; ++n) {
    bench.send(16, packet(bench.random, 0, opcode::kRcSendOnly, 64));
    bench.send(17, packet(bench.random, 1, opcode::kRcAck, 0));
  }
  const std::uint64_t begin = bench.dut.cycle();
  while (!bench.desc.empty() || !bench.ack.empty()) bench.clock();
  // Compact: the place of a descriptor's header is free five clocks after it was taken.
  CHECK(bench.dut.cycle() - begin == (RTL_Compact ? 247 : 100));
  bench.finish();
  CHECK(bench.start_at - bench.taken == 2);
  CHECK(bench.header_at - bench.taken == 3);
}
