// SPDX-License-Identifier: Apache-2.0
// Records of frames in, records for the engines out: who may come in, and in which order.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_rx_admit.h"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"

namespace {

using namespace roci::spec;
using roce::Fields;
using roce::kEveryOpcode;
using roce::kShapes;
using roce::shape;

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 2024;
constexpr unsigned kQps = 64;  // NumQps
constexpr unsigned kUnknownQp = 3, kAddress = 4, kPkey = 5;
constexpr int kGood = -1;
constexpr unsigned kRtr = 2, kRts = 3, kSqd = 4;

unsigned rows_of(const Fields& f) {
  const auto from = static_cast<unsigned>(f.payload_at()) % kBytes;
  return f.payload.empty() ? 0
                           : (from + static_cast<unsigned>(f.payload.size()) + kBytes - 1) / kBytes;
}

struct Bench {
  struct Record {
    Fields fields;
    int cause;         // kGood: admitted
    bool bad = false;  // found by the parser
  };
  struct Meta {
    Fields fields;
    std::uint16_t ticket;
  };
  Dut<Vroci_rx_admit> dut;
  std::mt19937 random{kSeed};
  unsigned stalls = 0;  // percent
  std::deque<Record> in;
  std::deque<Meta> req, rsp, hdr;
  std::deque<std::pair<unsigned, bool>> commands;  // rows, drop
  std::array<unsigned, 10> drops{}, want_drops{};
  std::uint16_t ticket = 0;
  unsigned ok = 0, want_ok = 0;
  std::uint64_t taken = 0, given = 0;

  Bench() {
    while (!dut->ready_o) dut.tick();
  }

  void row(unsigned table, unsigned index) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, index);
    clock();
    dut->row_write_valid_i = 0;
  }
  void connect(unsigned qpn, const Fields& f, unsigned state = kRts) {
    roce::put_av(dut->row_write_i, f, roce::Way::kIn);
    row(1, qpn);
    set_state(qpn, state);
  }
  void set_state(unsigned qpn, unsigned state) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, 0, 3, state);
    row(2, qpn);
  }
  void connect_shapes() {
    for (unsigned which = 0; which < kShapes; ++which) connect(16 + which, shape(which));
  }

  /// Hands in a record; what must come of it is `cause`, or kGood.
  void send(const Fields& f, int cause = kGood, bool bad = false) {
    in.push_back({f, cause, bad});
    if (rows_of(f)) commands.push_back({rows_of(f), cause != kGood});
    if (cause != kGood) {
      ++want_drops[static_cast<unsigned>(cause)];
      return;
    }
    if (rows_of(f)) ++ticket;
    (roce::is_response(f.opcode) ? rsp : req).push_back({f, ticket});
    if (rows_of(f)) hdr.push_back({f, ticket});
    ++want_ok;
  }

  void finish() {
    for (unsigned i = 0; i < 5000 && !(in.empty() && dut->idle_o); ++i) clock();
    for (unsigned i = 0; i < 5; ++i) clock();
    CHECK(in.empty());
    CHECK(dut->idle_o);
    CHECK(req.empty());
    CHECK(rsp.empty());
    CHECK(hdr.empty());
    CHECK(commands.empty());
    CHECK(ok == want_ok);
    CHECK(drops == want_drops);
  }

  void clock() {
    auto go = [&] { return random() % 100 >= stalls; };
    dut->frame_valid_i = !in.empty() && dut->row_write_valid_i == 0;
    if (dut->frame_valid_i) fill(in.front());
    dut->command_ready_i = go();
    dut->req_meta_ready_i = go();
    dut->rsp_meta_ready_i = go();
    dut->pay_hdr_ready_i = go();
    dut.settle();
    if (dut->frame_valid_i && dut->frame_ready_o) {
      if (taken == 0) taken = dut.cycle();
      in.pop_front();
    }
    if (dut->command_valid_o && dut->command_ready_i) {
      REQUIRE(!commands.empty());
      CHECK(dut->command_rows_o == commands.front().first);
      CHECK(bool(dut->command_drop_o) == commands.front().second);
      commands.pop_front();
    }
    if (dut->req_meta_valid_o && given == 0) given = dut.cycle();
    if (dut->req_meta_valid_o && dut->req_meta_ready_i) meta(dut->req_meta_o, req);
    if (dut->rsp_meta_valid_o && dut->rsp_meta_ready_i) meta(dut->rsp_meta_o, rsp);
    if (dut->pay_hdr_valid_o && dut->pay_hdr_ready_i) {
      REQUIRE(!hdr.empty());
      const Fields& f = hdr.front().fields;
      CHECK(bool(dut->pay_src_o) == roce::is_response(f.opcode));
      CHECK(dut->pay_offset_o == f.payload_at() % kBytes);
      CHECK(dut->pay_len_o == f.payload.size());
      hdr.pop_front();
    }
    for (unsigned i = 0; i < 10; ++i) drops[i] += dut->drop_o >> i & 1;
    ok += dut->rx_ok_o;
    dut.tick();
  }

 private:
  void fill(const Record& r) {
    const Fields& f = r.fields;
    port::clear(dut->frame_i);
    auto set = [&](const char* name, std::uint64_t value) {
      port::put(dut->frame_i, place_of(kRxFrame, name), value);
    };
    auto set_ip = [&](const char* name, const std::array<std::uint8_t, 16>& ip) {
      const Place place = place_of(kRxFrame, name);
      for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i)
        port::put(dut->frame_i, place.offset + 8 * (15 - i), 8, ip[i]);
    };
    set("roce", 1);
    set("bad", r.bad);
    set("cause", r.bad ? static_cast<unsigned>(r.cause) : random() % 7);
    set_ip("src_ip", f.src_ip);
    set_ip("dst_ip", f.dst_ip);
    set("ipv6", f.ipv6);
    set("roce_v1", f.v1);
    set("vlan", f.vlan);
    set("vid", f.vlan ? f.tci & 0xFFFu : random() & 0xFFFu);
    set("pkey", f.pkey);
    set("qpn", f.qpn);
    set("opcode", f.opcode);
    set("psn", f.psn);
    set("solicited", f.solicited);
    set("ack_req", f.ack_req);
    set("payload_offset", f.payload_at());
    set("payload_len", f.payload.size());
    const Place ext = place_of(kRxFrame, "ext");
    for (unsigned i = 0; i < f.ext.size(); ++i)
      port::put(dut->frame_i, ext.offset + ext.bits - 8 - 8 * i, 8, f.ext[i]);
    dut->frame_rows_i = rows_of(f);
  }

  template <typename Port>
  void meta(const Port& port_of, std::deque<Meta>& expected) {
    REQUIRE(!expected.empty());
    const Fields& f = expected.front().fields;
    auto field = [&](const char* name) { return port::get(port_of, place_of(kRxMeta, name)); };
    CHECK(field("qpn") == f.qpn);
    CHECK(field("opcode") == f.opcode);
    CHECK(field("psn") == f.psn);
    CHECK(field("solicited") == f.solicited);
    CHECK(field("ack_req") == f.ack_req);
    CHECK(field("payload_len") == f.payload.size());
    CHECK(field("ticket") == expected.front().ticket);
    const Place ext = place_of(kRxMeta, "ext");
    for (unsigned i = 0; i < f.ext.size(); ++i)
      CHECK(port::get(port_of, ext.offset + ext.bits - 8 - 8 * i, 8) == f.ext[i]);
    expected.pop_front();
  }
};

Fields with_payload(std::size_t size = 100) {
  Fields f = shape(0);
  f.payload.resize(size);
  return f;
}

}  // namespace

TEST_CASE("rx_admit: RTR takes requests, RTS and SQD both, other states nothing (WIRE-47)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned state = 0; state < 8; ++state) {
    bench.set_state(16, state);
    for (const std::uint8_t opcode : kEveryOpcode) {
      Fields f = shape(0);
      f.opcode = opcode;
      f.ext.assign(static_cast<std::size_t>(roce::ext_bytes(opcode)), opcode);
      if (roce::has_payload(opcode)) f.payload.resize(opcode);
      const bool both = state == kRts || state == kSqd;
      bench.send(f, both || (state == kRtr && !roce::is_response(opcode)) ? kGood : kUnknownQp);
    }
    bench.finish();
  }
}

TEST_CASE("rx_admit: numbers that are no queue pair (WIRE-25, 26)") {
  Bench bench;
  bench.connect_shapes();
  for (const std::uint32_t qpn : {0u, 1u, 15u, 16 + kShapes, kQps - 1, kQps, kQps + 16, 0x800010u,
                                  0x100010u, 0xABCDEFu, 0xFFFFFFu}) {
    Fields f = with_payload();
    f.qpn = qpn;
    bench.send(f, kUnknownQp);
  }
  bench.send(with_payload());
  bench.finish();
}

TEST_CASE("rx_admit: addresses, VLAN and RoCE version are the connection's (WIRE-01, 02, 27)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned which = 0; which < kShapes; ++which) {
    CAPTURE(which);
    const Fields good = shape(which);
    for (unsigned bit = good.ipv6 ? 0 : 96; bit < 128; ++bit) {
      Fields f = good;
      f.src_ip[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      bench.send(f, kAddress);
      f = good;
      f.dst_ip[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      bench.send(f, kAddress);
    }
    Fields f = good;
    f.vlan = !f.vlan;
    bench.send(f, kAddress);
    for (unsigned bit = 0; bit < 16 && good.vlan; ++bit) {
      f = good;
      f.tci ^= static_cast<std::uint16_t>(1u << bit);
      bench.send(f, bit < 12 ? static_cast<int>(kAddress) : kGood);  // any priority
    }
    f = good;
    f.v1 = !f.v1;
    if (good.ipv6) bench.send(f, kAddress);
    f = good;
    f.ipv6 = !f.ipv6;
    bench.send(f, kAddress);
    bench.send(good);
    bench.finish();
  }
}

TEST_CASE("rx_admit: the P_Key matches with one full member at least (WIRE-23, 24)") {
  Bench bench;
  const struct {
    std::uint16_t own, sent;
    bool good;
  } cases[] = {{0xFFFF, 0xFFFF, true},  {0xFFFF, 0x7FFF, true},  {0xFFFF, 0x8001, false},
               {0xFFFF, 0x0000, false}, {0xFFFF, 0x8000, false}, {0x7FFF, 0x7FFF, false},
               {0x7FFF, 0xFFFF, true},  {0x8000, 0x8000, false}, {0x8123, 0x0123, true},
               {0x0123, 0x0123, false}, {0x8123, 0x0122, false}};
  for (const auto& one : cases) {
    Fields f = shape(2);
    f.pkey = one.own;
    bench.connect(5, f);
    f.qpn = 5;
    f.pkey = one.sent;
    bench.send(f, one.good ? kGood : static_cast<int>(kPkey));
    bench.finish();
  }
}

TEST_CASE("rx_admit: the first cause counts") {
  Bench bench;
  bench.connect_shapes();
  for (const unsigned cause : {0u, 1u, 6u}) {  // found before: ICRC, malformed, opcode
    Fields f = with_payload();
    f.qpn = 40;
    f.pkey = 1;
    bench.send(f, static_cast<int>(cause), true);
  }
  Fields f = with_payload();
  f.pkey = 1;
  f.src_ip[15] ^= 1;
  bench.send(f, kAddress);
  f.qpn = 40;
  bench.send(f, kUnknownQp);
  bench.finish();
}

TEST_CASE("rx_admit: captured packets reach the engine they are for") {
  Bench bench;
  std::size_t count = 0;
  Fields last;
  for (const auto& path : roce::captures()) {
    for (const roce::Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::captured_good(frame, f)) continue;
      f.qpn %= kQps;
      bench.connect(f.qpn, f);
      bench.send(f);
      while (!bench.in.empty()) bench.clock();
      bench.clock();
      ++count;
    }
  }
  bench.finish();
  CHECK(count > 3000);
}

TEST_CASE("rx_admit: nothing is lost or made when anything may wait, and order is kept") {
  for (const unsigned stalls : {0u, 30u, 70u}) {
    Bench bench;
    bench.connect_shapes();
    bench.stalls = stalls;
    for (unsigned n = 0; n < 2000; ++n) {
      Fields f = roce::random_good(bench.random);
      int cause = kGood;
      bool bad = false;
      switch (bench.random() % 6) {
        case 0:
          f.qpn = 30, cause = kUnknownQp;
          break;
        case 1:
          f.src_ip[14] ^= 4, cause = kAddress;
          break;
        case 2:
          f.pkey = 0x1234, cause = kPkey;
          break;
        case 3:
          bad = bench.random() & 1, cause = bad ? 0 : kGood;
          break;
        default:
          break;
      }
      bench.send(f, cause, bad);
      while (bench.in.size() > 3) bench.clock();
    }
    bench.finish();
  }
}

TEST_CASE("rx_admit: pause holds records back, and they meet the tables of later") {
  Bench bench;
  bench.connect_shapes();
  bench.dut->pause_i = 1;
  bench.send(with_payload(), kUnknownQp);
  for (unsigned i = 0; i < 50; ++i) bench.clock();
  CHECK(bench.in.size() == 1);
  CHECK(bench.dut->idle_o);
  bench.set_state(16, 6);
  bench.dut->pause_i = 0;
  bench.finish();
}

TEST_CASE("rx_admit: two clocks, and one packet a clock") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned n = 0; n < 100; ++n) bench.send(with_payload(n));
  const std::uint64_t begin = bench.dut.cycle();
  while (!bench.in.empty()) bench.clock();
  CHECK(bench.dut.cycle() - begin == 100);
  bench.finish();
  CHECK(bench.given - bench.taken == 2);
}
