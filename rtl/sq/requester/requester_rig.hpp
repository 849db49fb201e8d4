// SPDX-License-Identifier: Apache-2.0
// Drives the requester by plans, responses, timers and commands, and keeps what it gives out.
#pragma once

#include <Vroci_requester.h>
#include <doctest/doctest.h>

#include <deque>
#include <set>
#include <vector>

#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace requester_rig {

using namespace roci::spec;

inline constexpr unsigned kRow = 2, kRts = 3, kErr = 6;
inline constexpr unsigned kSend = 0, kWrite = 2, kRead = 4, kFetchAdd = 6, kBindMw = 9;
inline constexpr unsigned kSuccess = 0, kLocProtErr = 4, kWrFlushErr = 5, kMwBindErr = 6,
                          kRemAccessErr = 10, kRetryExcErr = 12;
inline constexpr unsigned kAck = 0x11, kStop = 2, kRestart = 1, kRnr = 3;

struct Plan {
  unsigned index = 0, opcode = kWrite, len = 64, epoch = 1, status = 0, offset = 0, msg_len = 0;
  bool first = true, last = true, signaled = true, fence = false, pieces = true;
};
struct Packet {
  unsigned opcode, psn, len;
  bool ack;
};
struct Completion {
  unsigned index, status, opcode, len, vendor;
  bool wait_data, wait_store;
  unsigned ticket;
};
struct Pointer {
  unsigned index, offset, epoch;
  bool ready;
};

class Rig {
 public:
  Dut<Vroci_requester> dut;
  std::vector<Packet> packets;
  std::vector<Completion> done;
  std::vector<Pointer> pointers;
  std::vector<std::pair<unsigned, unsigned>> timers;  // operation, code
  std::vector<unsigned> counts = std::vector<unsigned>(8);
  unsigned ghosts = 0, fails = 0, dropped = 0, placed = 0, jobs = 0, pieces = 0, operations = 0;
  unsigned ticket = 0;  // of the next response
  bool tx_ready = true, op_ok = true;
  bool leaving = true;        // what tx took leaves
  bool drains = true;         // accesses of before end
  std::set<unsigned> broken;  // PSNs whose payload cannot be read

  explicit Rig(unsigned retry = 7, unsigned max_rd = 4, unsigned rnr_retry = 7) {
    bus::clear_data(dut->row_write_i);
    run(40);
    auto put = [&](const char* n, std::uint64_t v) {
      port::put(dut->row_write_i, place_of(kQpAttr, n), v);
    };
    put("pmtu", 1);
    put("retry_cnt", retry);
    put("rnr_retry", rnr_retry);
    put("timeout", 14);
    put("max_rd_atomic", max_rd);
    put("sq_psn", 0xFFFFFE);
    put("sq_log", 8);
    row(0);
    state(kRts);
    control(false, 0);
    run(20);
    pointers.clear();
    timers.clear();
  }
  void row(unsigned table) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, kRow);
    tick();
    dut->row_write_valid_i = 0;
  }
  void state(unsigned s) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, 0, 3, s);
    row(2);
  }
  template <typename Ready>
  void offer(CData& valid, Ready ready) {
    valid = 1;
    unsigned clocks = 0;
    for (bool taken = false; !taken;) {
      REQUIRE(++clocks < 5000);
      dut.settle();
      taken = ready();
      tick();
    }
    valid = 0;
  }
  void control(bool flush, unsigned index) {
    auto put = [&](const char* n, unsigned v) {
      port::put(dut->control_i, place_of(kSqControl, n), v);
    };
    put("qpn", kRow);
    put("flush", flush);
    put("index", index);
    offer(dut->control_valid_i, [&] { return dut->control_ready_o != 0; });
  }
  void plan(const Plan& p) {
    auto put = [&](const char* n, std::uint64_t v) {
      port::put(dut->plan_i, place_of(kPlan, n), v);
    };
    put("qpn", kRow);
    put("epoch", p.epoch);
    put("wqe_index", p.index);
    put("opcode", p.opcode);
    put("first", p.first);
    put("last", p.last);
    put("signaled", p.signaled);
    put("fence", p.fence);
    const bool has = p.pieces && p.len && p.status == 0 && (p.opcode <= 3 || p.opcode == 7);
    put("has_segs", has);
    put("status", p.status);
    put("offset", p.offset);
    put("len", p.len);
    put("msg_len", p.msg_len ? p.msg_len : p.len);
    put("num_sge", 1);
    put("sge0_addr", 0x5000);
    put("sge0_length", 4096);
    if (has) pieces_.push_back(p.len);
    offer(dut->plan_valid_i, [&] { return dut->plan_ready_o != 0; });
  }
  void respond(unsigned opcode, unsigned psn, unsigned syndrome, unsigned len = 0) {
    auto put = [&](const char* n, std::uint64_t v) {
      port::put(dut->rsp_meta_i, place_of(kRxMeta, n), v);
    };
    put("qpn", kRow);
    put("opcode", opcode);
    put("psn", psn & 0xFFFFFF);
    put("payload_len", len);
    put("ticket", ticket);
    port::put(dut->rsp_meta_i, place_of(kRxMeta, "ext").offset + 216, 8, syndrome);
    offer(dut->rsp_meta_valid_i, [&] { return dut->rsp_meta_ready_o != 0; });
    run(30);
  }
  void expire(bool rnr) {
    port::put(dut->timer_event_i, place_of(kTimerEvent, "qpn"), kRow);
    port::put(dut->timer_event_i, place_of(kTimerEvent, "rnr"), rnr);
    offer(dut->timer_event_valid_i, [&] { return dut->timer_event_ready_o != 0; });
    run(10);
  }
  unsigned live(const char* name) {
    dut->live_qpn_i = kRow;
    dut->live_valid_i = 1;
    for (dut.settle(); !dut->live_ready_o; dut.settle()) tick();
    const unsigned value = unsigned(port::get(dut->live_o, place_of(kQpLive, name)));
    tick();
    dut->live_valid_i = 0;
    return value;
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) tick();
  }
  std::vector<unsigned> psns() const {
    std::vector<unsigned> v;
    for (const Packet& p : packets) v.push_back(p.psn);
    return v;
  }

  void tick() {
    auto& d = *dut;
    d.plan_seg_valid_i = !pieces_.empty();
    if (!pieces_.empty()) {
      port::put(d.plan_seg_i, place_of(kSeg, "len"), pieces_.front());
      port::put(d.plan_seg_i, place_of(kSeg, "last"), 1);
    }
    d.desc_ready_i = tx_ready;
    d.sent_valid_i = leaving && !flying_.empty();
    if (d.sent_valid_i) {
      port::put(d.sent_i, bus::kSentQpn, kRow);
      port::put(d.sent_i, bus::kSentPsn, flying_.front());
      port::put(d.sent_i, bus::kSentError, broken.count(flying_.front()) != 0);
      flying_.pop_front();
    }
    d.seg_ready_i = 1;
    d.rsp_seg_ready_i = 1;
    d.ptr_ready_i = 1;
    d.cqe_ready_i = 1;
    d.fail_ready_i = 1;
    d.timer_cmd_ready_i = 1;
    d.count_ready_i = 1;
    d.atomic_job_ready_i = 1;
    d.br_req_ready_i = 1;
    d.key_req_ready_i = 1;
    d.key_rsp_valid_i = key_asked_;
    port::put(d.key_rsp_i, place_of(kKeyRsp, "ok"), 1);
    d.key_op_req_ready_i = 1;
    d.drained_i = drains_ != 0 && drains;
    drains_ -= d.drained_i;
    d.key_op_rsp_valid_i = op_asked_;
    port::put(d.key_op_rsp_i, place_of(kKeyOpRsp, "ok"), op_ok);
    dut.settle();
    key_asked_ = d.key_req_valid_o;
    op_asked_ = d.key_op_req_valid_o;
    operations += d.key_op_req_valid_o;
    drains_ += d.drain_o;
    ghosts += d.drop_ghost_o;
    fails += d.fail_valid_o;
    jobs += d.atomic_job_valid_o;
    if (d.atomic_job_valid_o) d.store_done_i = std::uint8_t(d.store_done_i + 1);
    if (d.plan_seg_valid_i && d.plan_seg_ready_o) {
      pieces += d.seg_valid_o;
      pieces_.pop_front();
    }
    if (d.rsp_seg_valid_o) {
      (port::get(d.rsp_seg_o, place_of(kSeg, "drop")) ? dropped : placed) += 1;
    }
    if (d.desc_valid_o && d.desc_ready_i) {
      auto get = [&](const char* n) { return unsigned(port::get(d.desc_o, place_of(kTxDesc, n))); };
      packets.push_back({get("opcode"), get("psn"), get("payload_len"), get("ack_req") != 0});
      flying_.push_back(get("psn"));
    }
    if (d.cqe_valid_o) {
      auto get = [&](const char* n) { return unsigned(port::get(d.cqe_o, place_of(kCqeReq, n))); };
      done.push_back({get("wqe_index"), get("status"), get("opcode"), get("byte_len"),
                      get("vendor_err"), get("wait_data") != 0, get("wait_store") != 0,
                      get("ticket")});
    }
    if (d.ptr_valid_o) {
      auto get = [&](const char* n) {
        return unsigned(port::get(d.ptr_o, place_of(kFetchPtr, n)));
      };
      pointers.push_back({get("wqe_index"), get("offset"), get("epoch"), get("ready") != 0});
    }
    if (d.timer_cmd_valid_o) {
      auto get = [&](const char* n) {
        return unsigned(port::get(d.timer_cmd_o, place_of(kTimerCmd, n)));
      };
      timers.emplace_back(get("op"), get("code"));
    }
    if (d.count_valid_o) ++counts[port::get(d.count_o, place_of(kCount, "counter"))];
    dut.tick();
  }

 private:
  std::deque<unsigned> pieces_, flying_;
  bool key_asked_ = false, op_asked_ = false;
  unsigned drains_ = 0;
};

using List = std::vector<unsigned>;

}  // namespace requester_rig
