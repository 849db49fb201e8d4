// SPDX-License-Identifier: Apache-2.0
// Records of frames in, records for the engines out: who may come in, and in which order.
#pragma once

#include <doctest/doctest.h>

#include <deque>

#include "Vroci_rx_admit.h"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"

namespace rx_admit_bench {

using namespace roci::spec;
using roce::Fields;
using roce::kEveryOpcode;
using roce::kShapes;
using roce::shape;

inline constexpr unsigned kBytes = DATA_WIDTH / 8;
inline constexpr unsigned kSeed = 2024;
inline constexpr unsigned kQps = 64;  // NumQps
inline constexpr unsigned kUnknownQp = 3, kAddress = 4, kPkey = 5;
inline constexpr int kGood = -1;
inline constexpr unsigned kRtr = 2, kRts = 3, kSqd = 4;

inline unsigned rows_of(const Fields& f) {
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
      CHECK((port::get(dut->pay_hdr_o, roci::spec::place_of(roci::spec::kPayHdr, "src")) != 0) ==
            roce::is_response(f.opcode));
      CHECK(port::get(dut->pay_hdr_o, roci::spec::place_of(roci::spec::kPayHdr, "offset")) ==
            f.payload_at() % kBytes);
      CHECK(port::get(dut->pay_hdr_o, roci::spec::place_of(roci::spec::kPayHdr, "len")) ==
            f.payload.size());
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

inline Fields with_payload(std::size_t size = 100) {
  Fields f = shape(0);
  f.payload.resize(size);
  return f;
}

}  // namespace rx_admit_bench
