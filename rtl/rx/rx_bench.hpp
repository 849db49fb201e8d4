// SPDX-License-Identifier: Apache-2.0
// The whole receive path between a MAC and its consumers.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "Vroci_rx.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"
#include "rtl/common/test/row_bus.hpp"

namespace roce {

using layout::DropCause;
using layout::QpState;
using layout::Table;

constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kSeed = 20240611;
constexpr unsigned kCauses = layout::number(DropCause::kOutOfSequence) + 1;

/// A packet as an engine sees it, or an Ethernet frame (bytes only).
struct Packet {
  bool response = false;
  std::uint32_t qpn = 0, psn = 0;
  std::uint8_t opcode = 0;
  bool solicited = false, ack_req = false;
  std::uint16_t ticket = 0;
  unsigned payload_len = 0;
  Bytes ext;
  bool operator==(const Packet& o) const {
    return response == o.response && qpn == o.qpn && psn == o.psn && opcode == o.opcode &&
           solicited == o.solicited && ack_req == o.ack_req && ticket == o.ticket &&
           payload_len == o.payload_len && ext == o.ext;
  }
};

/// The block with a MAC before and its consumers after it, all with random pauses on request.
class Bench : public RowBus<Bench> {
 public:
  Bench() {
    dut->enable_i = 1;
    while (!dut->idle_o) clock();
  }

  /// Connects a queue pair so that a frame with these fields is for it.
  void connect(unsigned qpn, const Fields& f, QpState state = QpState::kRts) {
    address(qpn, f, Way::kIn);
    set_state(qpn, state);
  }

  void send(Bytes frame) { wire.push_back(std::move(frame)); }

  /// Notes what a good packet must give.
  void expect(const Fields& f) {
    Packet p;
    p.response = is_response(f.opcode);
    p.qpn = f.qpn;
    p.psn = f.psn;
    p.opcode = f.opcode;
    p.solicited = f.solicited;
    p.ack_req = f.ack_req;
    Bytes payload = f.payload;
    p.ext = f.ext;
    if (is_datagram(f.opcode)) {
      payload = grh_of(build(f), f);
      payload.insert(payload.end(), f.payload.begin(), f.payload.end());
      // Sender and immediate, the immediate first.
      p.ext.assign(f.ext.begin() + 8, f.ext.end());
      p.ext.resize(4, 0);
      p.ext.insert(p.ext.end(), f.ext.begin() + 4, f.ext.begin() + 8);
      p.ext[4] = 0;
    }
    p.payload_len = static_cast<unsigned>(payload.size());
    if (p.payload_len) ++ticket;
    p.ticket = ticket;
    (p.response ? want_rsp : want_req).push_back(p);
    if (p.payload_len) {
      want_pay.push_back(payload);
      want_src.push_back(p.response);
    }
  }
  void send_good(const Fields& f) {
    send(build(f));
    expect(f);
  }
  void send_ethernet(const Bytes& frame) {
    send(frame);
    want_eth.push_back(frame);
  }
  void send_bad(const Bytes& frame, DropCause cause) {
    send(frame);
    ++dropped_for(want_drop, cause);
  }

  using Drops = std::array<unsigned, kCauses>;
  static unsigned& dropped_for(Drops& drops, DropCause cause) {
    return drops[layout::number(cause)];
  }

  /// Runs until everything has left and a little longer; then all must be as expected.
  void finish() {
    drain();
    check();
  }
  void drain() {
    unsigned quiet = 0;
    for (unsigned i = 0; i < 400000 && quiet < 20; ++i) {
      clock();
      quiet = wire.empty() && at_ == 0 && sent.empty() && dut->idle_o ? quiet + 1 : 0;
    }
    CHECK(quiet == 20);
  }
  void check() {
    CHECK(got_req.size() == want_req.size());
    CHECK(got_rsp.size() == want_rsp.size());
    CHECK(got_req == want_req);
    CHECK(got_rsp == want_rsp);
    CHECK(got_pay.size() == want_pay.size());
    CHECK(got_pay == want_pay);
    CHECK(got_src == want_src);
    CHECK(got_eth.size() == want_eth.size());
    CHECK(got_eth == want_eth);
    for (unsigned i = 0; i < kCauses; ++i) {
      CAPTURE(i);
      CHECK(drops[i] == want_drop[i]);
    }
    CHECK(ok + again == got_req.size() + got_rsp.size() + violations);
    CHECK(violations_counted == violations);
    CHECK(eth_pulses == got_eth.size());
  }

  void clock() {
    // MAC
    const bool gap = gaps && random() % 100 < gaps;
    dut->s_axis_tvalid_i = !wire.empty() && !gap;
    if (dut->s_axis_tvalid_i) {
      const Bytes& frame = wire.front();
      const std::size_t left = frame.size() - at_;
      for (unsigned i = 0; i < kBytes; ++i)
        port::put_byte(dut->s_axis_tdata_i, i,
                       i < left ? frame[at_ + i] : static_cast<std::uint8_t>(random()));
      dut->s_axis_tlast_i = left <= kBytes;
      port::put(dut->s_axis_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
    }
    dut->sent_beat_i = !sent.empty() && random() % 100 >= gaps;
    if (dut->sent_beat_i) {
      const Bytes& frame = sent.front();
      const std::size_t left = frame.size() - sent_at_;
      for (unsigned i = 0; i < kBytes; ++i)
        port::put_byte(dut->sent_tdata_i, i, i < left ? frame[sent_at_ + i] : 0);
      dut->sent_tlast_i = left <= kBytes;
      port::put(dut->sent_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
      dut->sent_roce_i = 1;
    }
    auto ready = [&](bool hold) { return !hold && (!stalls || random() % 100 >= stalls); };
    dut->req_meta_ready_i = ready(hold_meta);
    dut->rsp_meta_ready_i = ready(hold_meta);
    dut->pay_tready_i = ready(hold_pay) && !headers_.empty() &&
                        (decides == 0 || dut.cycle() >= taken_.front() + decides);
    dut->pay_hdr_ready_i = ready(hold_pay);
    dut->m_axis_eth_tready_i = ready(hold_eth);
    dut.settle();
    CHECK(dut->s_axis_tready_o);
    sample();
    if (dut->s_axis_tvalid_i) {
      at_ += kBytes;
      if (dut->s_axis_tlast_i) {
        bytes_in += wire.front().size();
        wire.pop_front();
        at_ = 0;
        last_in = dut.cycle();
      }
    }
    if (dut->sent_beat_i) {
      sent_at_ += kBytes;
      if (dut->sent_tlast_i) {
        sent.pop_front();
        sent_at_ = 0;
      }
    }
    dut.tick();
  }

  Dut<Vroci_rx> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  unsigned decides = 0;           // clocks from a request to the place of its payload
  bool hold_meta = false, hold_pay = false, hold_eth = false;
  std::deque<Bytes> wire, sent;
  std::vector<Packet> want_req, want_rsp, got_req, got_rsp;
  std::vector<Bytes> want_pay, got_pay, want_eth, got_eth;
  std::vector<bool> want_src, got_src;
  Drops want_drop{}, drops{};
  std::size_t ok = 0, eth_pulses = 0;
  std::size_t violations = 0, violations_counted = 0;  // datagrams with a wrong Q_Key
  std::size_t again = 0;                               // copies of a datagram after the first
  std::uint16_t ticket = 0;
  std::uint64_t bytes_in = 0, bytes_counted = 0, frames_counted = 0;
  std::uint64_t last_in = 0, first_meta = 0, last_meta = 0, first_pay = 0;

 private:
  template <typename Port>
  Packet read_meta(const Port& meta, bool response) {
    Packet p;
    auto get = [&](auto field) { return port::get(meta, field); };
    p.response = response;
    p.qpn = get(layout::rx_meta::qpn);
    p.psn = get(layout::rx_meta::psn);
    p.opcode =
        static_cast<std::uint8_t>(get(layout::rx_meta::ud) << 6 | get(layout::rx_meta::uc) << 5 |
                                  get(layout::rx_meta::opcode));
    p.solicited = get(layout::rx_meta::solicited);
    p.ack_req = get(layout::rx_meta::ack_req);
    p.ticket = get(layout::rx_meta::ticket);
    p.payload_len = get(layout::rx_meta::payload_len);
    const int ext = is_datagram(p.opcode) ? 8 : std::max(0, ext_bytes(p.opcode));
    for (int i = 0; i < ext; ++i)
      p.ext.push_back(port::get_byte(meta, layout::rx_meta::ext, static_cast<unsigned>(i)));
    if (p.opcode == 0x64) std::fill_n(p.ext.begin(), 4, 0);  // no immediate
    if (p.payload_len != 0) taken_.push_back(dut.cycle());
    if (first_meta == 0) first_meta = dut.cycle();
    last_meta = dut.cycle();
    return p;
  }

  void sample() {
    if (dut->req_meta_valid_o && dut->req_meta_ready_i)
      got_req.push_back(read_meta(dut->req_meta_o, false));
    if (dut->rsp_meta_valid_o && dut->rsp_meta_ready_i)
      got_rsp.push_back(read_meta(dut->rsp_meta_o, true));
    if (dut->pay_tvalid_o) CHECK((!headers_.empty() || dut->pay_hdr_valid_o));
    if (dut->pay_tvalid_o && dut->pay_tready_i) {
      if (first_pay == 0) first_pay = dut.cycle();
      REQUIRE(!headers_.empty());
      const Header h = headers_.front();
      const unsigned from = pay_.empty() && !pay_open_ ? h.offset : 0;
      for (unsigned i = from; i < kBytes && pay_.size() < h.len; ++i)
        pay_.push_back(port::byte(dut->pay_tdata_o, i));
      pay_open_ = true;
      CHECK(dut->pay_tlast_o == (pay_.size() == h.len));
      if (dut->pay_tlast_o) {
        got_pay.push_back(pay_);
        got_src.push_back(h.src);
        pay_.clear();
        pay_open_ = false;
        headers_.pop_front();
        if (!taken_.empty()) taken_.pop_front();
      }
    }
    if (dut->pay_hdr_valid_o && dut->pay_hdr_ready_i)
      headers_.push_back({port::get(dut->pay_hdr_o, layout::pay_hdr::src),
                          port::get(dut->pay_hdr_o, layout::pay_hdr::offset),
                          port::get(dut->pay_hdr_o, layout::pay_hdr::len)});
    if (dut->m_axis_eth_tvalid_o && dut->m_axis_eth_tready_i) {
      for (unsigned i = 0; i < kBytes; ++i)
        if (static_cast<std::uint64_t>(dut->m_axis_eth_tkeep_o) >> i & 1)
          eth_.push_back(port::byte(dut->m_axis_eth_tdata_o, i));
      if (dut->m_axis_eth_tlast_o) {
        got_eth.push_back(eth_);
        eth_.clear();
      }
    }
    for (unsigned i = 0; i < kCauses; ++i) drops[i] += dut->drop_o >> i & 1;
    violations_counted += dut->drop_o >> kCauses & 1;
    ok += dut->rx_ok_o;
    eth_pulses += dut->rx_eth_o;
    if (dut->rx_frame_o) {
      ++frames_counted;
      bytes_counted += dut->rx_bytes_o;
    }
  }

  struct Header {
    bool src;
    unsigned offset, len;
  };
  std::deque<Header> headers_;
  std::deque<std::uint64_t> taken_;  // clocks in which records with payload were taken
  std::size_t at_ = 0, sent_at_ = 0;
  Bytes pay_, eth_;
  bool pay_open_ = false;
};

/// Makes queue pairs from 16 on, one of each shape.
inline void connect_shapes(Bench& bench) {
  for (unsigned which = 0; which < kShapes; ++which) bench.connect(16 + which, shape(which));
}

}  // namespace roce
