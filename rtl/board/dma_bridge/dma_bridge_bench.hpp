// SPDX-License-Identifier: Apache-2.0
// The bridge between a master of AXI4 and a DMA engine.
#pragma once

#include "rtl/board/dma_bridge/dma_bridge_engine.hpp"

namespace dma_bridge {

struct Bench {
  Dut<Vroci_dma_bridge> dut;
  std::mt19937 random;
  Engine engine{*dut, random};
  unsigned stalls = 0;  ///< percent of clocks in which the master does nothing
  std::deque<Burst> reads, writes;

  explicit Bench(unsigned seed) : random(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  void add_read(unsigned beats) { reads.push_back(burst_of(beats)); }
  /// A write of `bytes` bytes from the byte `from` of its beats on.
  void add_write(unsigned beats, unsigned from, unsigned bytes) {
    Burst burst = burst_of(beats);
    burst.from = from;
    burst.bytes = bytes;
    for (unsigned i = 0; i < beats * kBeat; ++i) {
      burst.data.push_back(static_cast<std::uint8_t>(below(256)));
    }
    writes.push_back(std::move(burst));
  }
  /// Until all is done. Returns the clocks.
  std::uint64_t run() {
    const std::uint64_t start = dut.cycle();
    while ((r_ != reads.size() || b_ != writes.size()) && dut.cycle() - start < 1'000'000) clock();
    REQUIRE(r_ == reads.size());
    REQUIRE(b_ == writes.size());
    const std::uint64_t clocks = dut.cycle() - start;
    for (int i = 0; i < 20; ++i) clock();
    CHECK(engine.idle());
    return clocks;
  }

 private:
  bool acts() { return below(100) >= stalls; }
  Burst burst_of(unsigned beats) {
    const std::uint64_t page = std::uint64_t{random()} << 12;
    return {below(256), below(1u << 20), beats, page + below(4096 / kBeat - beats + 1) * kBeat};
  }
  void clock() {
    drive_requests();
    drive_data();
    engine.drive();
    dut.settle();
    sample_reads();
    sample_writes();
    engine.sample(reads, writes);
    dut.tick();
  }

  // What is shown stays until it is taken.
  void drive_requests() {
    ar_shown_ = ar_shown_ || (ar_ < reads.size() && acts());
    dut->s_axi_arvalid_i = ar_shown_;
    if (ar_shown_) {
      dut->s_axi_arid_i = static_cast<std::uint8_t>(reads[ar_].id);
      dut->s_axi_araddr_i = reads[ar_].address;
      dut->s_axi_arlen_i = static_cast<std::uint8_t>(reads[ar_].beats - 1);
      dut->s_axi_aruser_i = reads[ar_].asid;
    }
    aw_shown_ = aw_shown_ || (aw_ < writes.size() && acts());
    dut->s_axi_awvalid_i = aw_shown_;
    if (aw_shown_) {
      dut->s_axi_awid_i = static_cast<std::uint8_t>(writes[aw_].id);
      dut->s_axi_awaddr_i = writes[aw_].address;
      dut->s_axi_awuser_i = writes[aw_].asid;
    }
  }
  void drive_data() {
    w_shown_ = w_shown_ || (w_ < aw_ + aw_shown_ && acts());
    dut->s_axi_wvalid_i = w_shown_;
    if (w_shown_) {
      const Burst& burst = writes[w_];
      dut->s_axi_wlast_i = w_beat_ + 1 == burst.beats;
      for (unsigned i = 0; i < kBeat; ++i) {
        const unsigned at = w_beat_ * kBeat + i;
        port::put_byte(dut->s_axi_wdata_i, i, burst.data[at]);
        port::put(dut->s_axi_wstrb_i, i, 1, at >= burst.from && at < burst.from + burst.bytes);
      }
    }
    dut->s_axi_rready_i = acts();
    dut->s_axi_bready_i = acts();
  }

  void sample_reads() {
    if (dut->s_axi_arvalid_i && dut->s_axi_arready_o) {
      ++ar_;
      ar_shown_ = false;
    }
    if (!dut->s_axi_rvalid_o || !dut->s_axi_rready_i) return;
    REQUIRE(r_ < engine.reads_described());
    const Burst& burst = reads[r_];
    CHECK(dut->s_axi_rid_o == burst.id);
    CHECK(dut->s_axi_rresp_o == (burst.bad ? 2 : 0));
    CHECK(dut->s_axi_rlast_o == (r_beat_ + 1 == burst.beats));
    for (unsigned i = 0; i < kBeat && !burst.bad; ++i) {
      REQUIRE(port::byte(dut->s_axi_rdata_o, i) ==
              host_byte(burst.address + r_beat_ * kBeat + i, burst.asid));
    }
    if (++r_beat_ == burst.beats) {
      r_beat_ = 0;
      ++r_;
    }
  }
  void sample_writes() {
    if (dut->s_axi_awvalid_i && dut->s_axi_awready_o) {
      ++aw_;
      aw_shown_ = false;
    }
    if (dut->s_axi_wvalid_i && dut->s_axi_wready_o) {
      w_shown_ = false;
      if (++w_beat_ == writes[w_].beats) {
        w_beat_ = 0;
        ++w_;
      }
    }
    if (!dut->s_axi_bvalid_o || !dut->s_axi_bready_i) return;
    REQUIRE(b_ < w_);
    CHECK(dut->s_axi_bid_o == writes[b_].id);
    CHECK(dut->s_axi_bresp_o == (writes[b_].bad ? 2 : 0));
    if (writes[b_].bytes != 0) CHECK(b_ < engine.writes_described());
    ++b_;
  }

  std::size_t ar_ = 0, r_ = 0, aw_ = 0, w_ = 0, b_ = 0;  // next of each channel
  unsigned w_beat_ = 0, r_beat_ = 0;
  bool ar_shown_ = false, aw_shown_ = false, w_shown_ = false;
};

}  // namespace dma_bridge
