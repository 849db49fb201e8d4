// SPDX-License-Identifier: Apache-2.0
// Records of frames in, records for the engines out: which packets are admitted, in which order.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <optional>

#include "Vroci_rx_admit.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"
#include "rtl/common/test/row_bus.hpp"

namespace rx_admit_bench {

using layout::DropCause;
using layout::QpState;
using layout::Service;
using layout::Table;
using roce::Fields;
using roce::kEveryOpcode;
using roce::kShapes;
using roce::shape;

inline constexpr unsigned kBytes = DATA_WIDTH / 8;
inline constexpr unsigned kSeed = 2024;
inline constexpr unsigned kQps = 64;  // NumQps
inline constexpr unsigned kCauses = layout::number(DropCause::kOutOfSequence) + 1;
inline constexpr unsigned kQkeyBit = kCauses;  // bit of drop_o: a wrong Q_Key
inline constexpr std::uint32_t kQkey = 0x11223344;
inline constexpr unsigned kGrh = 40;

inline unsigned rows_of(const Fields& f) {
  const auto from = static_cast<unsigned>(f.payload_at()) % kBytes;
  return f.payload.empty() ? 0
                           : (from + static_cast<unsigned>(f.payload.size()) + kBytes - 1) / kBytes;
}

struct Bench : roce::RowBus<Bench> {
  struct Record {
    Fields fields;
    std::optional<DropCause> cause;  // none: it is admitted
    bool bad = false;                // found by the parser
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
  std::deque<Fields> grh;
  std::deque<std::pair<unsigned, bool>> commands;  // number of rows; they are dropped
  std::array<unsigned, kCauses> drops{}, want_drops{};
  std::uint16_t ticket = 0;
  unsigned ok = 0, want_ok = 0, violations = 0, want_violations = 0;
  std::uint64_t taken = 0, given = 0;

  Bench() {
    while (!dut->ready_o) dut.tick();
  }

  void connect(unsigned qpn, const Fields& f, QpState state = QpState::kRts) {
    address(qpn, f, roce::Way::kIn);
    set_state(qpn, state);
  }
  void connect_shapes() {
    for (unsigned which = 0; which < kShapes; ++which) connect(16 + which, shape(which));
  }

  /// Hands in a record. It must be dropped for `cause`, or be admitted when there is none.
  void send(const Fields& f, std::optional<DropCause> cause = {}, bool bad = false) {
    in.push_back({f, cause, bad});
    if (rows_of(f)) commands.push_back({rows_of(f), cause.has_value()});
    if (cause) {
      ++want_drops[layout::number(*cause)];
      return;
    }
    const bool datagram = roce::is_datagram(f.opcode);
    if (rows_of(f) || datagram) ++ticket;
    (roce::is_response(f.opcode) ? rsp : req).push_back({f, ticket});
    if (rows_of(f) || datagram) hdr.push_back({f, ticket});
    if (datagram) grh.push_back(f);
    ++want_ok;
  }
  /// Hands in a datagram with a wrong Q_Key: it is not delivered, and not a drop.
  void send_violation(const Fields& f) {
    in.push_back({f, std::nullopt, false});
    if (rows_of(f)) commands.push_back({rows_of(f), true});
    ++want_ok;
    ++want_violations;
  }

  void finish() {
    for (unsigned i = 0; i < 5000 && !(in.empty() && dut->idle_o); ++i) clock();
    for (unsigned i = 0; i < 5; ++i) clock();
    CHECK(in.empty());
    CHECK(dut->idle_o);
    CHECK(req.empty());
    CHECK(rsp.empty());
    CHECK(hdr.empty());
    CHECK(grh.empty());
    CHECK(commands.empty());
    CHECK(ok == want_ok);
    CHECK(violations == want_violations);
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
    dut->grh_ready_i = go();
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
      CHECK(port::get(dut->pay_hdr_o, layout::pay_hdr::src) == roce::is_response(f.opcode));
      const unsigned before = roce::is_datagram(f.opcode) ? kGrh : 0;
      CHECK(port::get(dut->pay_hdr_o, layout::pay_hdr::offset) ==
            (f.payload_at() - before) % kBytes);
      CHECK(port::get(dut->pay_hdr_o, layout::pay_hdr::len) == f.payload.size() + before);
      hdr.pop_front();
    }
    if (dut->grh_valid_o && dut->grh_ready_i) check_grh();
    for (unsigned i = 0; i < kCauses; ++i) drops[i] += dut->drop_o >> i & 1;
    violations += dut->drop_o >> kQkeyBit & 1;
    ok += dut->rx_ok_o;
    dut.tick();
  }

 private:
  void fill(const Record& r) {
    const Fields& f = r.fields;
    port::clear(dut->frame_i);
    auto set = [&](auto field, auto value) { port::put(dut->frame_i, field, value); };
    auto set_ip = [&](auto field, const std::array<std::uint8_t, 16>& ip) {
      for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) port::put_byte(dut->frame_i, field, i, ip[i]);
    };
    set(layout::rx_frame::roce, 1);
    set(layout::rx_frame::bad, r.bad);
    set(layout::rx_frame::cause, r.bad ? layout::number(*r.cause) : random() % 7);
    set_ip(layout::rx_frame::src_ip, f.src_ip);
    set_ip(layout::rx_frame::dst_ip, f.dst_ip);
    set(layout::rx_frame::ipv6, f.ipv6);
    set(layout::rx_frame::roce_v1, f.v1);
    set(layout::rx_frame::vlan, f.vlan);
    set(layout::rx_frame::vid, f.vlan ? f.tci & 0xFFFu : random() & 0xFFFu);
    set(layout::rx_frame::pkey, f.pkey);
    set(layout::rx_frame::qpn, f.qpn);
    set(layout::rx_frame::opcode, f.opcode);
    set(layout::rx_frame::psn, f.psn);
    set(layout::rx_frame::solicited, f.solicited);
    set(layout::rx_frame::ack_req, f.ack_req);
    set(layout::rx_frame::payload_offset, f.payload_at());
    set(layout::rx_frame::payload_len, f.payload.size());
    for (unsigned i = 0; i < f.ext.size(); ++i)
      port::put_byte(dut->frame_i, layout::rx_frame::ext, i, f.ext[i]);
    for (unsigned i = 0; i < 12; ++i)
      port::put_byte(dut->frame_i, layout::rx_frame::ip_head, i, head_byte(f, i));
    dut->frame_rows_i = rows_of(f);
  }

  /// A byte that the IP header of the frame begins with, for the test alone.
  static std::uint8_t head_byte(const Fields& f, unsigned at) {
    return static_cast<std::uint8_t>(f.psn * 7 + at * 31 + 1);
  }
  void check_grh() {
    REQUIRE(!grh.empty());
    const Fields& f = grh.front();
    auto get = [&](auto field) { return port::get(dut->grh_o, field); };
    CHECK(get(layout::grh::ipv6) == f.ipv6);
    CHECK(get(layout::grh::offset) == f.payload_at());
    CHECK(get(layout::grh::empty) == f.payload.empty());
    for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) {
      CHECK(port::get_byte(dut->grh_o, layout::grh::src_ip, i) == f.src_ip[i]);
      CHECK(port::get_byte(dut->grh_o, layout::grh::dst_ip, i) == f.dst_ip[i]);
    }
    for (unsigned i = 0; i < 12; ++i)
      CHECK(port::get_byte(dut->grh_o, layout::grh::ip_head, i) == head_byte(f, i));
    grh.pop_front();
  }

  template <typename Port>
  void meta(const Port& port_of, std::deque<Meta>& expected) {
    REQUIRE(!expected.empty());
    const Fields& f = expected.front().fields;
    auto get = [&](auto field) { return port::get(port_of, field); };
    CHECK(get(layout::rx_meta::qpn) == f.qpn);
    const bool datagram = roce::is_datagram(f.opcode);
    CHECK(get(layout::rx_meta::uc) == (f.opcode >= 0x20));
    CHECK(get(layout::rx_meta::ud) == datagram);
    CHECK(get(layout::rx_meta::opcode) == f.opcode % 32);
    CHECK(get(layout::rx_meta::psn) == f.psn);
    CHECK(get(layout::rx_meta::solicited) == f.solicited);
    CHECK(get(layout::rx_meta::ack_req) == f.ack_req);
    CHECK(get(layout::rx_meta::payload_len) == f.payload.size() + (datagram ? kGrh : 0));
    CHECK(get(layout::rx_meta::ticket) == expected.front().ticket);
    // The `ext` of a datagram has ImmDt, then the source queue pair of the DETH.
    for (unsigned i = 0; datagram && i < 3; ++i)
      CHECK(port::get_byte(port_of, layout::rx_meta::ext, 5 + i) == f.ext[5 + i]);
    for (unsigned i = datagram ? 8 : 0; i < f.ext.size(); ++i)
      CHECK(port::get_byte(port_of, layout::rx_meta::ext, datagram ? i - 8 : i) == f.ext[i]);
    expected.pop_front();
  }
};

/// A datagram of any size to the queue pair of a shape.
inline Fields datagram(std::mt19937& random, unsigned which, std::uint32_t qkey = kQkey) {
  Fields f = shape(which);
  f.opcode = random() % 2 == 0 ? 0x64 : 0x65;
  f.psn = random() & 0xFFFFFF;
  f.solicited = random() & 1;
  roce::put(f.ext, qkey, 4);
  roce::put(f.ext, random() & 0xFFFFFF, 4);
  if (f.opcode == 0x65) roce::put(f.ext, random(), 4);
  f.payload.resize(random() % 3 == 0 ? 0 : random() % 4097);
  return f;
}

inline Fields with_payload(std::size_t size = 100) {
  Fields f = shape(0);
  f.payload.resize(size);
  return f;
}

}  // namespace rx_admit_bench
