// SPDX-License-Identifier: Apache-2.0
// Drives the segmentation by grants over a send queue in memory, and keeps its results.
#pragma once

#include <Vroci_sq_segment.h>
#include <doctest/doctest.h>

#include <deque>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/wqe.hpp"

namespace sq_segment_rig {

using layout::Status;
using layout::Table;
using layout::WrOp;

inline constexpr unsigned kBase = 0x10000, kGood = 0x111, kBad = 0x133;
inline constexpr unsigned kRow = 2, kPd = 7, kPasid = 5;  // the queue pair

struct Plan {
  unsigned index;
  WrOp opcode;
  Status status;
  unsigned offset, len, epoch;
  bool first, last, segments;
};
struct Segment {
  std::uint64_t addr;  // fetched: among all blocks that ever came
  unsigned len;
  bool last, fetched;
};
struct Pointer {
  unsigned index, offset, epoch;
  bool ready;
  unsigned less;
};
struct Entry {
  std::uint64_t addr;
  unsigned length, key = kGood;
};
struct Work {
  WrOp opcode = WrOp::kWrite;
  std::vector<Entry> list;
  long length = -1;
  bool inlined = false;
};

class Rig {
 public:
  Dut<Vroci_sq_segment> dut;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(0x40000);
  std::vector<Plan> plans;
  std::vector<Segment> segments;
  std::vector<Pointer> pointers;
  std::vector<unsigned> reads;  // blocks of each
  unsigned blocks_read = 0, lookups = 0, latency = 40, stride = 0;
  unsigned gap = 0;  // clocks between the blocks of a work request, beyond those of their beats
  bool read_error = false, plan_ready = true;
  bool read_inline = true;   // inline data are read, or dropped, some clocks after their segment
  unsigned drop_inline = 0;  // every n-th is dropped

  explicit Rig(unsigned pmtu = 3, unsigned stride_log = 0, unsigned sq_log = 5)
      : stride(stride_log), sq_log_(sq_log) {
    bus::clear_data(dut->row_write_i);
    auto put = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
    put(layout::qp_attr::pd, kPd);
    put(layout::qp_attr::pasid, kPasid);
    put(layout::qp_attr::pmtu, pmtu);
    put(layout::qp_attr::sq_base, kBase);
    put(layout::qp_attr::sq_log, sq_log);
    put(layout::qp_attr::sq_stride_log, stride_log);
    run(30);
    row(Table::kQpAttr);
  }

  void post(unsigned index, const Work& w) {
    std::uint8_t* p = &memory[kBase + ((index & ((1u << sq_log_) - 1)) << (6 + stride))];
    std::memset(p, 0, layout::kBlockBytes << stride);
    std::uint64_t sum = 0;
    for (const Entry& e : w.list) sum += e.length;
    auto put = [&](auto field, auto v) { layout::put(p, field, v); };
    put(layout::wqe::opcode, w.opcode);
    put(layout::wqe::inline_data, w.inlined);
    put(layout::wqe::length, w.length >= 0 ? std::uint64_t(w.length) : sum);
    wqe::put_list(p, w.list);
    for (unsigned i = 0; w.inlined && i < (layout::kBlockBytes << stride) - layout::kBlockBytes;
         ++i)
      p[layout::kBlockBytes + i] = inline_byte(index, i);
  }
  static std::uint8_t inline_byte(unsigned index, unsigned i) {
    return std::uint8_t(37 * index + 11 * i + (i >> 6));
  }
  void grant(unsigned index, unsigned count, unsigned offset = 0, unsigned epoch = 1) {
    auto put = [&](auto field, auto v) { port::put(dut->grant_i, field, v); };
    put(layout::grant::qpn, kRow);
    put(layout::grant::epoch, epoch);
    put(layout::grant::wqe_index, index);
    put(layout::grant::count, count);
    put(layout::grant::offset, offset);
    dut->grant_valid_i = 1;
    unsigned clocks = 0;
    for (bool taken = false; !taken;) {
      REQUIRE(++clocks < 5000);
      dut.settle();
      taken = dut->grant_ready_o;
      tick();
    }
    dut->grant_valid_i = 0;
  }
  /// The bytes of a segment that came with a work request, as dma keeps them.
  std::vector<std::uint8_t> kept(const Segment& segment) const {
    const auto from = kept_.begin() + long(segment.addr);
    return {from, from + segment.len};
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) tick();
  }
  /// Until the grant ended and everything left.
  void settle() {
    for (unsigned i = 0; i < 4000; ++i) {
      tick();
      dut.settle();
      if (dut->idle_o) return;
    }
    FAIL("not idle");
  }
  void row(Table table) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, kRow);
    tick();
    dut->row_write_valid_i = 0;
  }
  void reset_state() {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, layout::QpState::kReset);
    row(Table::kQpState);
  }

  void tick() {
    const std::uint64_t now = dut.cycle();
    auto& d = *dut;
    d.br_req_ready_i = now % 4 != 0;
    d.br_rsp_valid_i = !blocks_.empty() && blocks_.front().first <= now;
    if (d.br_rsp_valid_i) {
      bus::put_beat(d.br_rsp_i, &memory[blocks_.front().second], beats_.now(), read_error,
                    blocks_.front().second / layout::kBlockBytes % bus::kBlockBeats);
      if (beats_.taken()) {
        const auto from = memory.begin() + long(blocks_.front().second);
        kept_.insert(kept_.end(), from, from + layout::kBlockBytes);
        blocks_.pop_front();
      }
    }
    d.inline_dropped_i = 0;
    d.inline_done_valid_i = 0;
    if (read_inline && !held_.empty() && held_.front().first <= now) {
      const std::uint64_t block = held_.front().second;
      CHECK(blocks_read - block <= kBlocks);  // no block was read that takes its place
      if (drop_inline != 0 && ++inline_ % drop_inline == 0) {
        d.inline_dropped_i = 1;
      } else {
        d.inline_done_valid_i = 1;
        d.inline_done_block_i = block % kBlocks;
      }
      held_.pop_front();
    }
    d.key_req_ready_i = now % 3 != 0;
    d.key_rsp_valid_i = !keys_.empty() && keys_.front().at <= now;
    if (d.key_rsp_valid_i) {
      port::put(d.key_rsp_i, layout::key_rsp::ok, keys_.front().ok);
      port::put(d.key_rsp_i, layout::key_rsp::addr, keys_.front().addr);
      port::put(d.key_rsp_i, layout::key_rsp::pasid, kPasid);
      keys_.pop_front();
    }
    d.plan_ready_i = plan_ready;
    d.seg_ready_i = 1;
    d.ptr_ready_i = 1;
    dut.settle();
    if (d.br_req_valid_o && d.br_req_ready_i) {
      const std::uint64_t addr = port::get(d.br_req_o, layout::block_read_req::addr);
      const unsigned count = port::get(d.br_req_o, layout::block_read_req::count);
      const std::uint64_t end = addr + std::uint64_t{layout::kBlockBytes} * count;
      CHECK(addr / 4096 == (end - 1) / 4096);
      CHECK(end <= kBase + (std::uint64_t{layout::kBlockBytes} << (sq_log_ + stride)));
      for (unsigned i = 0; i < count; ++i)
        blocks_.push_back(
            {now + latency + gap * (i & ((1u << stride) - 1)), addr + layout::kBlockBytes * i});
      blocks_read += count;
      reads.push_back(count);
    }
    if (d.key_req_valid_o && d.key_req_ready_i) {
      auto get = [&](auto field) { return port::get(d.key_req_o, field); };
      ++lookups;
      CHECK(get(layout::key_req::pd) == kPd);
      CHECK(get(layout::key_req::len) != 0);
      keys_.push_back({now + 3, get(layout::key_req::key) == kGood, get(layout::key_req::va)});
    }
    if (d.plan_valid_o && d.plan_ready_i) {
      auto get = [&](auto field) { return port::get(d.plan_o, field); };
      plans.push_back({get(layout::plan::wqe_index), WrOp{get(layout::plan::opcode)},
                       Status{get(layout::plan::status)}, get(layout::plan::offset),
                       get(layout::plan::len), get(layout::plan::epoch), get(layout::plan::first),
                       get(layout::plan::last), get(layout::plan::has_segs)});
    }
    if (d.seg_valid_o) {
      auto get = [&](auto field) { return port::get(d.seg_o, field); };
      segments.push_back({get(layout::seg::addr), get(layout::seg::len), get(layout::seg::last),
                          get(layout::seg::fetched) != 0});
      if (segments.back().fetched) keep(segments.back(), now);
    }
    if (d.ptr_valid_o) {
      auto get = [&](auto field) { return port::get(d.ptr_o, field); };
      pointers.push_back({get(layout::fetch_ptr::wqe_index), get(layout::fetch_ptr::offset),
                          get(layout::fetch_ptr::epoch), get(layout::fetch_ptr::ready),
                          get(layout::fetch_ptr::less)});
    }
    dut.tick();
  }

 private:
  static constexpr unsigned kBlocks = RTL_Blocks;
  /// Finds which block a segment means: the newest one of that number, modulo those that are kept.
  void keep(Segment& segment, std::uint64_t now) {
    const std::uint64_t arrived = kept_.size() / layout::kBlockBytes;
    std::uint64_t block = arrived / kBlocks * kBlocks + segment.addr / layout::kBlockBytes;
    if (block >= arrived) block -= kBlocks;
    REQUIRE(block < arrived);
    segment.addr = block * layout::kBlockBytes + segment.addr % layout::kBlockBytes;
    const std::uint64_t last = (segment.addr + segment.len - 1) / layout::kBlockBytes;
    REQUIRE(last < arrived);
    held_.emplace_back(now + 30, last);
  }

  struct Key {
    std::uint64_t at;
    bool ok;
    std::uint64_t addr;
  };
  std::deque<std::pair<std::uint64_t, std::uint64_t>> blocks_;
  bus::BlockBeats beats_;
  std::vector<std::uint8_t> kept_;                            // each block that came
  std::deque<std::pair<std::uint64_t, std::uint64_t>> held_;  // inline data, and their last block
  unsigned inline_ = 0;
  std::deque<Key> keys_;
  unsigned sq_log_;
};

}  // namespace sq_segment_rig
