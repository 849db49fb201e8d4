// SPDX-License-Identifier: Apache-2.0
// Drives the segmenter by grants over a send queue in memory, and keeps what it gives out.
#pragma once

#include <Vroci_sq_segment.h>
#include <doctest/doctest.h>

#include <deque>
#include <vector>

#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace sq_segment_rig {

using namespace roci::spec;

inline constexpr unsigned kBase = 0x10000, kGood = 0x111, kBad = 0x133;
inline constexpr unsigned kSend = 0, kWrite = 2, kRead = 4, kFetchAdd = 6, kSendInv = 7,
                          kLocalInv = 8, kRegMr = 10;
inline constexpr unsigned kSuccess = 0, kLocLenErr = 1, kLocQpOpErr = 2, kLocProtErr = 4,
                          kFatalErr = 19;

struct Plan {
  unsigned index, opcode, status, offset, len, epoch;
  bool first, last, pieces;
};
struct Piece {
  std::uint64_t addr;
  unsigned len;
  bool last;
};
struct Pointer {
  unsigned index, offset, epoch;
  bool ready;
};
struct Entry {
  std::uint64_t addr;
  unsigned length, key = kGood;
};
struct Work {
  unsigned opcode = kWrite;
  std::vector<Entry> list;
  long length = -1;
  bool inlined = false;
};

class Rig {
 public:
  Dut<Vroci_sq_segment> dut;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(0x40000);
  std::vector<Plan> plans;
  std::vector<Piece> pieces;
  std::vector<Pointer> pointers;
  unsigned blocks_read = 0, keys_asked = 0, latency = 40, stride = 0;
  bool read_error = false, plan_ready = true;

  explicit Rig(unsigned pmtu = 3, unsigned stride_log = 0, unsigned sq_log = 5)
      : stride(stride_log), sq_log_(sq_log) {
    bus::clear_data(dut->row_write_i);
    auto put = [&](const char* n, std::uint64_t v) {
      port::put(dut->row_write_i, place_of(kQpAttr, n), v);
    };
    put("pd", 7);
    put("pasid", 5);
    put("pmtu", pmtu);
    put("sq_base", kBase);
    put("sq_log", sq_log);
    put("sq_stride_log", stride_log);
    run(30);
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, 0);
    port::put(dut->row_write_i, bus::kRowIndex, 2);
    tick();
    dut->row_write_valid_i = 0;
  }

  void post(unsigned index, const Work& w) {
    std::uint8_t* p = &memory[kBase + ((index & ((1u << sq_log_) - 1)) << (6 + stride))];
    std::memset(p, 0, 64u << stride);
    std::uint64_t sum = 0;
    for (const Entry& e : w.list) sum += e.length;
    auto put = [&](const char* n, std::uint64_t v) { put_memory(p, place_of(kWqe, n), v); };
    put("opcode", w.opcode);
    put("inline_data", w.inlined);
    put("num_sge", w.list.size());
    put("length", w.length >= 0 ? std::uint64_t(w.length) : sum);
    for (unsigned i = 0; i < w.list.size(); ++i) {
      std::uint8_t* s = i == 0 ? p + 48 : p + 64 + 16 * (i - 1);
      put_memory(s, place_of(kSge, "addr"), w.list[i].addr);
      put_memory(s, place_of(kSge, "length"), w.list[i].length);
      put_memory(s, place_of(kSge, "lkey"), w.list[i].key);
    }
  }
  void grant(unsigned index, unsigned count, unsigned offset = 0, unsigned epoch = 1) {
    auto put = [&](const char* n, unsigned v) { port::put(dut->grant_i, place_of(kGrant, n), v); };
    put("qpn", 2);
    put("epoch", epoch);
    put("wqe_index", index);
    put("count", count);
    put("offset", offset);
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
  void reset_state() {
    bus::clear_data(dut->row_write_i);
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, 2);
    port::put(dut->row_write_i, bus::kRowIndex, 2);
    tick();
    dut->row_write_valid_i = 0;
  }

  void tick() {
    const std::uint64_t now = dut.cycle();
    auto& d = *dut;
    d.br_req_ready_i = 1;
    d.br_rsp_valid_i = !blocks_.empty() && blocks_.front().first <= now;
    if (d.br_rsp_valid_i) {
      for (unsigned i = 0; i < 16; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, &memory[blocks_.front().second + 4 * i], 4);
        d.br_rsp_i[i] = word;
      }
      port::put(d.br_rsp_i, bus::kReadError, read_error);
      blocks_.pop_front();
    }
    d.key_req_ready_i = now % 3 != 0;
    d.key_rsp_valid_i = !keys_.empty() && keys_.front().at <= now;
    if (d.key_rsp_valid_i) {
      port::put(d.key_rsp_i, place_of(kKeyRsp, "ok"), keys_.front().ok);
      port::put(d.key_rsp_i, place_of(kKeyRsp, "addr"), keys_.front().addr);
      port::put(d.key_rsp_i, place_of(kKeyRsp, "pasid"), 5);
      keys_.pop_front();
    }
    d.plan_ready_i = plan_ready;
    d.seg_ready_i = 1;
    d.ptr_ready_i = 1;
    dut.settle();
    if (d.br_req_valid_o) {
      CHECK(port::get(d.br_req_o, bus::kReadAddr) / 4096 ==
            (port::get(d.br_req_o, bus::kReadAddr) + 64 * port::get(d.br_req_o, bus::kReadCount) -
             1) /
                4096);
      CHECK(port::get(d.br_req_o, bus::kReadAddr) + 64 * port::get(d.br_req_o, bus::kReadCount) <=
            kBase + (std::uint64_t{64} << (sq_log_ + stride)));
      for (unsigned i = 0; i < port::get(d.br_req_o, bus::kReadCount); ++i) {
        blocks_.push_back({now + latency, port::get(d.br_req_o, bus::kReadAddr) + 64 * i});
      }
      blocks_read += port::get(d.br_req_o, bus::kReadCount);
    }
    if (d.key_req_valid_o && d.key_req_ready_i) {
      auto get = [&](const char* n) { return port::get(d.key_req_o, place_of(kKeyReq, n)); };
      ++keys_asked;
      CHECK(get("pd") == 7);
      CHECK(get("len") != 0);
      keys_.push_back({now + 3, get("key") == kGood, get("va")});
    }
    if (d.plan_valid_o && d.plan_ready_i) {
      auto get = [&](const char* n) { return unsigned(port::get(d.plan_o, place_of(kPlan, n))); };
      plans.push_back({get("wqe_index"), get("opcode"), get("status"), get("offset"), get("len"),
                       get("epoch"), get("first") != 0, get("last") != 0, get("has_segs") != 0});
    }
    if (d.seg_valid_o) {
      auto get = [&](const char* n) { return port::get(d.seg_o, place_of(kSeg, n)); };
      pieces.push_back({get("addr"), unsigned(get("len")), get("last") != 0});
    }
    if (d.ptr_valid_o) {
      auto get = [&](const char* n) {
        return unsigned(port::get(d.ptr_o, place_of(kFetchPtr, n)));
      };
      pointers.push_back({get("wqe_index"), get("offset"), get("epoch"), get("ready") != 0});
    }
    dut.tick();
  }

 private:
  struct Key {
    std::uint64_t at;
    bool ok;
    std::uint64_t addr;
  };
  std::deque<std::pair<std::uint64_t, std::uint64_t>> blocks_;
  std::deque<Key> keys_;
  unsigned sq_log_;
};

}  // namespace sq_segment_rig
