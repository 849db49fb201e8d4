// SPDX-License-Identifier: Apache-2.0
// The whole transmit path between the engines, gather and a MAC.
#pragma once

#include <doctest/doctest.h>

#include <deque>

#include "Vroci_tx.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"
#include "rtl/common/test/row_bus.hpp"

namespace roce {

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 19770525;
// Local experimental EtherTypes mark the frames of the two other sources.
constexpr std::uint16_t kHostType = 0x88B5, kFirmwareType = 0x88B6;

struct Sent {
  Bytes bytes;
  std::uint64_t first = 0, last = 0;  // clocks of its first and last beat
};

/// The block between the engines, gather and a MAC.
class Bench : public RowBus<Bench> {
 public:
  Bench() { dut->m_axis_tready_i = 1; }

  static constexpr unsigned kHandle = 7;  // handle of all datagrams
  void connect(unsigned row, const Fields& f) { sender(row, kHandle, f); }

  struct Job {
    unsigned row;
    Fields fields;
    bool poison = false;  ///< its payload cannot be read
  };
  void desc(unsigned row, const Fields& f, bool poison = false) {
    descs.push_back({row, f, poison});
    want_desc.push_back({row, f, poison});
    if (!f.payload.empty()) starts_.push_back({row, f, poison});
  }
  void ack(unsigned row, const Fields& f) {
    acks.push_back({row, f});
    want_ack.push_back({row, f});
  }

  void drain() {
    unsigned quiet = 0;
    for (unsigned i = 0; i < 200000 && quiet < 10; ++i) {
      clock();
      quiet =
          dut->idle_o && descs.empty() && acks.empty() && eth.empty() && fw.empty() ? quiet + 1 : 0;
    }
    CHECK(quiet == 10);
  }

  /// The frames that left must be those requested, source by source, in order.
  void finish() {
    drain();
    check();
  }
  void check() {
    std::size_t d = 0, a = 0, e = 0, w = 0;
    std::uint16_t id = 0;
    std::uint64_t bytes = 0;
    for (const Sent& frame : out) {
      bytes += frame.bytes.size();
      const Bytes& got = frame.bytes;
      const std::uint16_t type = layout::get(got.data(), layout::ethernet::ethertype);
      if (type == kHostType) {
        REQUIRE(e < want_eth.size());
        CHECK(got == want_eth[e++]);
        continue;
      }
      if (type == kFirmwareType) {
        REQUIRE(w < want_fw.size());
        CHECK(got == want_fw[w++]);
        continue;
      }
      Fields f;
      REQUIRE(dissect(got, f));
      const bool is_ack = f.opcode == opcode::kRcAck;
      REQUIRE((is_ack ? a < want_ack.size() : d < want_desc.size()));
      const Job& job = is_ack ? want_ack[a++] : want_desc[d++];
      Fields want = job.fields;
      want.id = f.id;
      if (!f.ipv6) {
        CHECK((id == 0 || static_cast<std::uint16_t>(f.id - id) < 64 ||
               static_cast<std::uint16_t>(id - f.id) < 64));
        CHECK(!ids[f.id]);
        ids[f.id] = true;
        id = f.id;
      }
      Bytes expected = build(want);
      if (job.poison) {
        CHECK(got != expected);
        for (std::size_t i = expected.size() - kIcrcBytes; i < expected.size(); ++i)
          expected[i] = got.at(i);
      }
      CHECK(got == expected);
    }
    CHECK(d == want_desc.size());
    CHECK(a == want_ack.size());
    CHECK(e == want_eth.size());
    CHECK(w == want_fw.size());
    std::size_t sent_want = want_desc.size();
    CHECK(sent == sent_want);
    CHECK(frames_counted == out.size());
    CHECK(bytes_counted == bytes);
  }

  void send_eth(Bytes frame) {
    layout::put(frame.data(), layout::ethernet::ethertype, kHostType);
    want_eth.push_back(frame);
    eth.push_back(frame);
  }
  void send_fw(Bytes frame) {
    layout::put(frame.data(), layout::ethernet::ethertype, kFirmwareType);
    want_fw.push_back(frame);
    fw.push_back(frame);
  }

  void clock() {
    auto chance = [&](unsigned percent) { return percent != 0 && random() % 100 < percent; };
    if (!desc_held_) desc_held_ = !descs.empty() && !chance(gaps);
    dut->desc_valid_i = desc_held_;
    if (desc_held_) put_desc(dut->desc_i, descs.front().row, descs.front().fields, kHandle);
    if (!ack_held_) ack_held_ = !acks.empty() && !chance(gaps);
    dut->ack_valid_i = ack_held_;
    if (ack_held_) put_desc(dut->ack_i, acks.front().row, acks.front().fields);
    stream(eth, eth_at_, eth_held_, chance(gaps), dut->s_axis_eth_tdata_i, dut->s_axis_eth_tkeep_i,
           dut->s_axis_eth_tlast_i, dut->s_axis_eth_tvalid_i);
    stream(fw, fw_at_, fw_held_, chance(gaps), dut->s_axis_fw_tdata_i, dut->s_axis_fw_tkeep_i,
           dut->s_axis_fw_tlast_i, dut->s_axis_fw_tvalid_i);
    dut->gather_start_ready_i = !chance(gaps);
    // Gather gives its beats some clocks after the start.
    if (!pay_held_)
      pay_held_ =
          !beats_.empty() && beats_.front().when <= dut.cycle() && !hold_payload && !chance(gaps);
    dut->pay_tvalid_i = pay_held_;
    if (pay_held_) {
      const Beat& beat = beats_.front();
      for (unsigned i = 0; i < kBytes; ++i) port::put_byte(dut->pay_tdata_i, i, beat.bytes[i]);
      dut->pay_tlast_i = beat.last;
      dut->pay_terror_i = beat.last && beat.error;
    }
    dut->m_axis_tready_i = !chance(stalls);
    dut.settle();

    if (dut->desc_valid_i && dut->desc_ready_o) {
      if (first_desc == 0) first_desc = dut.cycle();
      descs.pop_front(), desc_held_ = false;
    }
    if (dut->ack_valid_i && dut->ack_ready_o) acks.pop_front(), ack_held_ = false;
    taken(eth, eth_at_, eth_held_, dut->s_axis_eth_tvalid_i && dut->s_axis_eth_tready_o);
    taken(fw, fw_at_, fw_held_, dut->s_axis_fw_tvalid_i && dut->s_axis_fw_tready_o);
    if (dut->pay_tvalid_i && dut->pay_tready_o) beats_.pop_front(), pay_held_ = false;
    if (dut->gather_start_valid_o && dut->gather_start_ready_i) start();
    sent += dut->sent_o;
    if (port::get(dut->tx_stat_o, layout::frame_stat::ended)) {
      ++frames_counted;
      bytes_counted += port::get(dut->tx_stat_o, layout::frame_stat::bytes);
    }
    if (dut->m_axis_tvalid_o && dut->m_axis_tready_i) {
      if (!open_) out.push_back({{}, dut.cycle(), 0});
      open_ = !dut->m_axis_tlast_o;
      unsigned count = 0;
      for (unsigned i = 0; i < kBytes; ++i) {
        if (!(static_cast<std::uint64_t>(dut->m_axis_tkeep_o) >> i & 1)) continue;
        CHECK(count++ == i);
        out.back().bytes.push_back(port::byte(dut->m_axis_tdata_o, i));
      }
      CHECK((dut->m_axis_tlast_o || count == kBytes));
      out.back().last = dut.cycle();
    }
    dut.tick();
  }

  Dut<Vroci_tx> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  unsigned gather_latency = 2;
  bool hold_payload = false;
  std::deque<Job> descs, acks;
  std::deque<Bytes> eth, fw;
  std::vector<Job> want_desc, want_ack;
  std::vector<Bytes> want_eth, want_fw;
  std::vector<Sent> out;
  std::array<bool, 65536> ids{};
  std::size_t sent = 0, frames_counted = 0;
  std::uint64_t bytes_counted = 0, first_desc = 0;

 private:
  struct Beat {
    std::array<std::uint8_t, kBytes> bytes{};
    bool last = false, error = false;
    std::uint64_t when = 0;
  };

  template <typename Data, typename Keep, typename Bit>
  void stream(const std::deque<Bytes>& frames, std::size_t at, bool& held, bool gap, Data& data,
              Keep& keep, Bit& last, Bit& valid) {
    if (!held) held = !frames.empty() && !gap;
    valid = held;
    if (!held) return;
    const std::size_t left = frames.front().size() - at;
    for (unsigned i = 0; i < kBytes && i < left; ++i)
      port::put_byte(data, i, frames.front()[at + i]);
    port::put(keep, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
    last = left <= kBytes;
  }
  static void taken(std::deque<Bytes>& frames, std::size_t& at, bool& held, bool taken) {
    if (!taken) return;
    held = false;
    at += kBytes;
    if (at < frames.front().size()) return;
    frames.pop_front();
    at = 0;
  }

  void start() {
    REQUIRE(!starts_.empty());
    const Job job = starts_.front();
    starts_.pop_front();
    CHECK(dut->gather_len_o == job.fields.payload.size());
    CHECK(dut->gather_pos_o == job.fields.payload_at() % kBytes);
    unsigned at = dut->gather_pos_o;
    for (std::size_t i = 0; i < job.fields.payload.size();) {
      Beat beat;
      for (; at < kBytes && i < job.fields.payload.size(); ++at)
        beat.bytes[at] = job.fields.payload[i++];
      at = 0;
      beat.last = i == job.fields.payload.size();
      beat.error = job.poison;
      beat.when = dut.cycle() + gather_latency;
      beats_.push_back(beat);
    }
  }

  bool desc_held_ = false, ack_held_ = false, eth_held_ = false, fw_held_ = false,
       pay_held_ = false, open_ = false;
  std::size_t eth_at_ = 0, fw_at_ = 0;
  std::deque<Job> starts_;
  std::deque<Beat> beats_;
};

/// Makes queue pairs from 16 on, one of each shape.
inline void connect_shapes(Bench& bench) {
  for (unsigned which = 0; which < kShapes; ++which) bench.connect(16 + which, own_shape(which));
}

}  // namespace roce
