// SPDX-License-Identifier: Apache-2.0
// Host memory on the AXI master of roci_dma, for its tests: latency, stalls, read data out of
// order and interleaved between ids, responses of writes out of order between ids, failing pages.
// Written data become visible only with their response, so that an early "done" is seen.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "rtl/common/test/dut.hpp"

class HostModel {
 public:
  static constexpr unsigned kBeat = DATA_WIDTH / 8;
  static constexpr std::uint64_t kBase = 0x00A5'1234'5670'0000;  // first address
  static constexpr std::size_t kSize = 1 << 20;
  static constexpr unsigned kSlaveError = 2;  // AXI response
  static constexpr unsigned kIncrement = 1;   // AXI burst

  /// Address space of an address: the same for 64 KiB, as segments keep to that.
  static std::uint32_t pasid(std::uint64_t addr) { return (addr >> 16 ^ 0x5A5A5) & 0xFFFFF; }

  unsigned latency = 20;  // clocks
  unsigned jitter = 0;    // clocks more, at random
  unsigned stall = 0;     // percent of clocks in which a channel is not ready or not valid
  bool shuffle = false;   // read beats of any id, in any order
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kSize);
  std::set<std::uint64_t> bad_pages;  // address / 4096: reads and writes fail

  std::uint64_t reads = 0, writes = 0;  // bursts taken
  std::uint64_t stalled = 0;            // clocks in which no read data were taken
  std::uint64_t first_w_cycle = 0;      // cycle of the first write beat since it was cleared
  std::uint64_t first_ar_cycle = 0;

  explicit HostModel(std::uint32_t seed) : random_(seed) {}

  std::uint8_t& at(std::uint64_t addr) { return memory.at(addr - kBase); }
  bool quiet() const {
    return reads_.empty() && writes_.empty() && beats_.empty() && responses_.empty();
  }

  bool touches_bad(std::uint64_t addr, unsigned len) const {
    return bad_pages.count(addr >> 12) != 0 || bad_pages.count((addr + len - 1) >> 12) != 0;
  }

  /// Sets the inputs of the model for this clock.
  template <typename Model>
  void drive(Model& m, std::uint64_t now) {
    m.m_axi_arready_i = go();
    m.m_axi_awready_i = go();
    m.m_axi_wready_i = go();
    m.m_axi_rvalid_i = 0;
    if (read_taken_) current_ = pick(now);
    if (current_ >= 0) {
      const Read& read = reads_[static_cast<unsigned>(current_)];
      const std::uint64_t addr = read.addr + std::uint64_t{kBeat} * read.given;
      for (unsigned i = 0; i < kBeat; ++i) port::put_byte(m.m_axi_rdata_i, i, at(addr + i));
      m.m_axi_rid_i = read.id;
      m.m_axi_rlast_i = read.given + 1 == read.beats;
      m.m_axi_rresp_i = bad_pages.count(addr >> 12) ? kSlaveError : 0;
      m.m_axi_rvalid_i = 1;
    }
    m.m_axi_bvalid_i = 0;
    if (!responses_.empty() && go()) {
      std::size_t pick_b = shuffle ? random_() % responses_.size() : 0;
      for (std::size_t i = 0; i < pick_b; ++i) {  // the oldest of its id
        if (responses_[i].id == responses_[pick_b].id) pick_b = i;
      }
      if (responses_[pick_b].ready <= now) {
        m.m_axi_bresp_i = 0;
        for (const auto& [addr, value] : responses_[pick_b].bytes) {
          if (bad_pages.count(addr >> 12) != 0)
            m.m_axi_bresp_i = kSlaveError;
          else
            at(addr) = value;
        }
        m.m_axi_bid_i = responses_[pick_b].id;
        m.m_axi_bvalid_i = 1;
        responses_.erase(responses_.begin() + static_cast<std::ptrdiff_t>(pick_b));
      }
    }
  }

  /// Looks at the settled outputs before the clock edge.
  template <typename Model>
  void sample(Model& m, std::uint64_t now) {
    REQUIRE(m.m_axi_bready_o == 1);
    stalled += !m.m_axi_rready_o;
    read_taken_ = current_ < 0 || m.m_axi_rready_o;
    if (current_ >= 0 && read_taken_) {
      Read& read = reads_[static_cast<unsigned>(current_)];
      if (++read.given == read.beats) reads_.erase(reads_.begin() + current_);
    }
    held(ar_, m.m_axi_arvalid_o, m.m_axi_arready_i, m.m_axi_araddr_o, m.m_axi_arid_o);
    held(aw_, m.m_axi_awvalid_o, m.m_axi_awready_i, m.m_axi_awaddr_o, m.m_axi_awid_o);
    held(w_, m.m_axi_wvalid_o, m.m_axi_wready_i, port::get(m.m_axi_wdata_o, 0, 64),
         m.m_axi_wlast_o);
    if (m.m_axi_arvalid_o && m.m_axi_arready_i) {
      const unsigned beats = m.m_axi_arlen_o + 1u;
      burst(m.m_axi_araddr_o, beats, m.m_axi_arsize_o, m.m_axi_arburst_o, m.m_axi_aruser_o);
      for (const Read& read : reads_) REQUIRE(read.id != m.m_axi_arid_o);
      reads_.push_back({m.m_axi_arid_o, m.m_axi_araddr_o, beats, 0, now + delay()});
      if (first_ar_cycle == 0) first_ar_cycle = now;
      ++reads;
    }
    if (m.m_axi_awvalid_o && m.m_axi_awready_i) {
      const unsigned beats = m.m_axi_awlen_o + 1u;
      burst(m.m_axi_awaddr_o, beats, m.m_axi_awsize_o, m.m_axi_awburst_o, m.m_axi_awuser_o);
      writes_.push_back({m.m_axi_awid_o, m.m_axi_awaddr_o, beats, 0, {}});
      ++writes;
    }
    if (m.m_axi_wvalid_o && m.m_axi_wready_i) {
      if (first_w_cycle == 0) first_w_cycle = now;
      Beat beat{m.m_axi_wlast_o != 0, {}};
      for (unsigned i = 0; i < kBeat; ++i) {
        if (port::get(m.m_axi_wstrb_o, i, 1))
          beat.bytes.emplace_back(i, port::byte(m.m_axi_wdata_o, i));
      }
      beats_.push_back(std::move(beat));
    }
    while (!beats_.empty() && !writes_.empty()) {  // data may be taken before their address
      Write& write = writes_.front();
      for (const auto& [i, value] : beats_.front().bytes) {
        write.bytes.emplace_back(write.addr + std::uint64_t{kBeat} * write.given + i, value);
      }
      REQUIRE(beats_.front().last == (++write.given == write.beats));
      beats_.pop_front();
      if (write.given == write.beats) {
        responses_.push_back({write.id, now + delay(), std::move(write.bytes)});
        writes_.pop_front();
      }
    }
  }

 private:
  using Bytes = std::vector<std::pair<std::uint64_t, std::uint8_t>>;
  struct Read {
    unsigned id;
    std::uint64_t addr;
    unsigned beats, given;
    std::uint64_t ready;
  };
  struct Write {
    unsigned id;
    std::uint64_t addr;
    unsigned beats, given;
    Bytes bytes;
  };
  struct Beat {
    bool last;
    Bytes bytes;
  };
  struct Response {
    unsigned id;
    std::uint64_t ready;
    Bytes bytes;
  };
  struct Stalled {
    bool valid;
    std::uint64_t a, b;
  };

  bool go() { return stall == 0 || random_() % 100 >= stall; }
  std::uint64_t delay() { return latency + (jitter ? random_() % jitter : 0); }

  int pick(std::uint64_t now) {
    if (reads_.empty() || !go()) return -1;
    const std::size_t from = shuffle ? random_() % reads_.size() : 0;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const std::size_t at = (from + i) % reads_.size();
      if (reads_[at].ready <= now) return static_cast<int>(at);
      if (!shuffle) break;
    }
    return -1;
  }

  static void held(Stalled& was, bool valid, bool ready, std::uint64_t a, std::uint64_t b) {
    if (was.valid) {
      REQUIRE(valid);
      REQUIRE(was.a == a);
      REQUIRE(was.b == b);
    }
    was = {valid && !ready, a, b};
  }

  void burst(std::uint64_t addr, unsigned beats, unsigned size, unsigned kind, unsigned user) {
    REQUIRE(addr % kBeat == 0);
    REQUIRE(addr % 4096 + beats * kBeat <= 4096);
    REQUIRE((1u << size) == kBeat);
    REQUIRE(kind == kIncrement);
    REQUIRE(user == pasid(addr));
  }

  std::mt19937 random_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  std::deque<Beat> beats_;
  std::deque<Response> responses_;
  Stalled ar_{}, aw_{}, w_{};
  int current_ = -1;
  bool read_taken_ = true;  // in the clock before
};
