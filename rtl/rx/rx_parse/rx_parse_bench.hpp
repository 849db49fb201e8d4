// SPDX-License-Identifier: Apache-2.0
// Frames into the parser, and its records compared with the fields of the frames.
#pragma once

#include <doctest/doctest.h>

#include <deque>

#include "Vroci_rx_parse.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/roce_bench.hpp"

namespace rx_parse_bench {

using layout::DropCause;
using roce::Bytes;
using roce::Fields;
using roce::kEveryOpcode;
using roce::kShapes;
using roce::random_bytes;
using roce::shape;

inline constexpr unsigned kBytes = DATA_WIDTH / 8;
inline constexpr unsigned kSeed = 1492;
enum class Is { kGood, kMalformed, kOpcode, kEthernet };

struct Bench {
  struct Sent {
    Bytes bytes;
    Is is;
    Fields fields;
  };
  Dut<Vroci_rx_parse> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0;  // percent
  std::deque<Sent> beats_of, icrc_of, sums_of;
  std::deque<bool> malformed;  // by the record
  Bytes bytes, payload, icrc;
  unsigned rows = 0;
  bool all_eth = true;
  std::uint64_t last_in = 0, last_out = 0, last_sums = 0;

  Bench() { dut->enable_i = 1; }

  void send(const Bytes& frame, Is is, const Fields& fields = {}) {
    const Sent sent{frame, is, fields};
    beats_of.push_back(sent);
    icrc_of.push_back(sent);
    sums_of.push_back(sent);
    for (std::size_t at = 0; at < frame.size(); at += kBytes) {
      while (gaps && random() % 100 < gaps) clock();
      const std::size_t left = frame.size() - at;
      for (unsigned i = 0; i < kBytes; ++i)
        port::put_byte(dut->s_axis_tdata_i, i,
                       i < left ? frame[at + i] : static_cast<std::uint8_t>(random()));
      port::put(dut->s_axis_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
      dut->s_axis_tlast_i = left <= kBytes;
      dut->s_axis_tvalid_i = 1;
      if (dut->s_axis_tlast_i) last_in = dut.cycle();
      clock();
      dut->s_axis_tvalid_i = 0;
    }
  }
  void send_good(const Fields& f) { send(roce::build(f), Is::kGood, f); }

  void finish() {
    for (unsigned i = 0; i < 20; ++i) clock();
    CHECK(beats_of.empty());
    CHECK(icrc_of.empty());
    CHECK(sums_of.empty());
    CHECK(dut->idle_o);
  }

  void clock() {
    dut.settle();
    if (dut->beat_valid_o) {
      const unsigned count = dut->beat_last_o ? dut->beat_end_o + 1u : kBytes;
      for (unsigned i = 0; i < count; ++i) bytes.push_back(port::byte(dut->beat_data_o, i));
      all_eth &= dut->eth_o;
      if (dut->pay_o) {
        CHECK(dut->pay_row_o == rows++);
        for (unsigned i = 0; i < kBytes; ++i) payload.push_back(port::byte(dut->beat_data_o, i));
      }
      if (dut->beat_last_o) end_of_frame();
    }
    if (dut->icrc_valid_o) {
      for (unsigned i = 0; i < kBytes; ++i)
        if (port::get(dut->icrc_keep_o, i, 1)) icrc.push_back(port::byte(dut->beat_data_o, i));
      if (dut->icrc_last_o) {
        REQUIRE(!icrc_of.empty());
        const Sent& sent = icrc_of.front();
        if (sent.is == Is::kGood) {
          CHECK(icrc == Bytes(sent.bytes.begin(), sent.bytes.begin() + size_of(sent.fields)));
          CHECK(bool(dut->icrc_ipv6_o) == sent.fields.ipv6);
          CHECK(bool(dut->icrc_roce_v1_o) == sent.fields.v1);
          CHECK(bool(dut->icrc_vlan_o) == sent.fields.vlan);
        }
        icrc.clear();
        icrc_of.pop_front();
      }
    }
    if (dut->sums_valid_o) {
      last_sums = dut.cycle();
      REQUIRE(!sums_of.empty());
      if (sums_of.front().is == Is::kGood) CHECK(dut->sums_ok_o);
      // A malformed frame is reported by the record, by the sums, or by both.
      if (sums_of.front().is == Is::kMalformed) CHECK((malformed.front() || !dut->sums_ok_o));
      malformed.pop_front();
      sums_of.pop_front();
    }
    dut.tick();
  }

 private:
  static long size_of(const Fields& f) {
    return static_cast<long>(f.payload_at() + f.payload.size() + (4 - f.payload.size() % 4) % 4 +
                             4);
  }
  template <typename Field>
  auto get(Field field) {
    return port::get(dut->frame_o, field);
  }
  DropCause cause() { return DropCause{get(layout::rx_frame::cause)}; }
  template <typename Field>
  std::array<std::uint8_t, 16> address(Field field) {
    std::array<std::uint8_t, 16> ip{};
    for (unsigned i = 0; i < ip.size(); ++i) ip[i] = port::get_byte(dut->frame_o, field, i);
    return ip;
  }

  void end_of_frame() {
    last_out = dut.cycle();
    REQUIRE(!beats_of.empty());
    const Sent& sent = beats_of.front();
    CHECK(bytes == sent.bytes);
    CHECK(dut->frame_bytes_o == sent.bytes.size());
    CHECK(get(layout::rx_frame::roce) == (sent.is != Is::kEthernet));
    if (sent.is == Is::kEthernet) {
      CHECK(all_eth);
      CHECK(payload.empty());
    }
    if (sent.is == Is::kOpcode) {
      CHECK(get(layout::rx_frame::bad));
      CHECK(cause() == DropCause::kOpcode);
      CHECK(payload.empty());
    }
    if (sent.is == Is::kGood) good(sent.fields);
    malformed.push_back(get(layout::rx_frame::bad) && cause() == DropCause::kMalformed);
    bytes.clear();
    payload.clear();
    rows = 0;
    all_eth = true;
    beats_of.pop_front();
  }

  void good(const Fields& f) {
    CHECK(!get(layout::rx_frame::bad));
    CHECK(get(layout::rx_frame::ipv6) == f.ipv6);
    CHECK(get(layout::rx_frame::roce_v1) == f.v1);
    CHECK(get(layout::rx_frame::vlan) == f.vlan);
    if (f.vlan) CHECK(get(layout::rx_frame::vid) == (f.tci & 0xFFF));
    CHECK(get(layout::rx_frame::ecn) == (f.tc & 3u));
    CHECK(get(layout::rx_frame::pkey) == f.pkey);
    CHECK(get(layout::rx_frame::qpn) == f.qpn);
    CHECK(get(layout::rx_frame::opcode) == f.opcode);
    CHECK(get(layout::rx_frame::psn) == f.psn);
    CHECK(get(layout::rx_frame::solicited) == f.solicited);
    CHECK(get(layout::rx_frame::ack_req) == f.ack_req);
    CHECK(get(layout::rx_frame::payload_len) == f.payload.size());
    auto ip = [&](std::array<std::uint8_t, 16> bytes_of) {
      if (!f.ipv6) std::fill(bytes_of.begin(), bytes_of.begin() + 12, 0);
      return bytes_of;
    };
    CHECK(address(layout::rx_frame::src_ip) == ip(f.src_ip));
    CHECK(address(layout::rx_frame::dst_ip) == ip(f.dst_ip));
    for (unsigned i = 0; i < f.ext.size(); ++i)
      CHECK(port::get_byte(dut->frame_o, layout::rx_frame::ext, i) == f.ext[i]);
    for (unsigned i = 0; i < 12; ++i)
      CHECK(port::get_byte(dut->frame_o, layout::rx_frame::ip_head, i) == bytes[f.ip_at() + i]);
    const std::size_t from = f.payload_at() % kBytes;
    if (!f.payload.empty()) {
      CHECK(get(layout::rx_frame::payload_offset) == f.payload_at());
      REQUIRE(payload.size() >= from + f.payload.size());
      CHECK(std::equal(f.payload.begin(), f.payload.end(), payload.begin() + long(from)));
    }
    const std::size_t want =
        f.payload.empty() ? 0 : (from + f.payload.size() + kBytes - 1) / kBytes;
    CHECK(rows == want);
    CHECK(dut->frame_rows_o == want);
  }
};

}  // namespace rx_parse_bench
