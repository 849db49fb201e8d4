// SPDX-License-Identifier: Apache-2.0
// Drives the requester by plans, responses, timers and commands, and keeps what it gives out.
#pragma once

#include <Vroci_requester.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/sq/requester/requester_records.hpp"

namespace requester_rig {

using Places = std::vector<std::uint64_t>;

class Rig {
 public:
  Dut<Vroci_requester> dut;
  std::vector<Packet> packets;
  std::vector<Completion> done;
  std::vector<Pointer> pointers;
  std::vector<std::pair<TimerOp, unsigned>> timers;  // operation, code
  std::map<QpCounter, unsigned> counts;
  unsigned ghosts = 0, fails = 0, dropped = 0, jobs = 0, segments = 0, operations = 0;
  unsigned dropped_bytes = 0;
  unsigned qp = kRow;    // queue pair of rows, commands and plans
  unsigned ticket = 0;   // ticket of the next response
  unsigned failure = 0;  // kind of the last failure
  Places places;         // addresses of placed payload
  unsigned lookups = 0;  // key lookups, whose results come three clocks later
  unsigned clocks = 0;
  bool key_ok = true;
  std::minstd_rand* key_delays = nullptr;  // lookups wait for half of the clocks
  bool cqe_ready = true;
  bool tx_ready = true, op_ok = true;
  bool leaving = true;        // packets that tx has taken leave
  bool drains = true;         // accesses end that began before an invalidation
  std::set<unsigned> broken;  // PSNs whose payload cannot be read

  explicit Rig(unsigned retry = 7, unsigned max_rd = 4, unsigned rnr_retry = 7,
               Service service = Service::kRc) {
    run(40);
    begin(retry, max_rd, rnr_retry, service);
    pointers.clear();
    timers.clear();
  }
  /// Makes queue pair `qp` ready to send.
  void begin(unsigned retry, unsigned max_rd, unsigned rnr_retry, Service service) {
    bus::clear_data(dut->row_write_i);
    auto put = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
    put(layout::qp_attr::pmtu, 1);
    put(layout::qp_attr::retry_cnt, retry);
    put(layout::qp_attr::rnr_retry, rnr_retry);
    put(layout::qp_attr::timeout, 14);
    put(layout::qp_attr::max_rd_atomic, max_rd);
    put(layout::qp_attr::sq_psn, kFirst);
    put(layout::qp_attr::sq_log, 8);
    row(Table::kQpAttr);
    bus::clear_data(dut->row_write_i);
    put(layout::qp_service::service, service);
    put(layout::qp_service::qkey, kOwnQkey);
    row(Table::kQpService);
    state(QpState::kRts);
    control(false, 0);
    run(20);
  }
  void row(Table table) { row(table, qp); }
  void row(Table table, unsigned index) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, index);
    tick();
    dut->row_write_valid_i = 0;
  }
  void state(QpState s) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, s);
    row(Table::kQpState);
  }
  template <typename Ready>
  void offer(CData& valid, Ready ready) {
    valid = 1;
    unsigned waited = 0;
    for (bool taken = false; !taken;) {
      REQUIRE(++waited < 5000);
      dut.settle();
      taken = ready();
      tick();
    }
    valid = 0;
  }
  void control(bool flush, unsigned index, bool resume = false) {
    auto put = [&](auto field, auto v) { port::put(dut->control_i, field, v); };
    put(layout::sq_control::qpn, qp);
    put(layout::sq_control::flush, flush);
    put(layout::sq_control::resume, resume);
    put(layout::sq_control::index, index);
    offer(dut->control_valid_i, [&] { return dut->control_ready_o != 0; });
  }
  void plan(const Plan& p) {
    auto put = [&](auto field, auto v) { port::put(dut->plan_i, field, v); };
    put(layout::plan::qpn, qp);
    put(layout::plan::epoch, p.epoch);
    put(layout::plan::wqe_index, p.index);
    put(layout::plan::opcode, p.opcode);
    put(layout::plan::first, p.first);
    put(layout::plan::last, p.last);
    put(layout::plan::signaled, p.signaled);
    put(layout::plan::fence, p.fence);
    const bool data = p.opcode <= WrOp::kWriteImm || p.opcode == WrOp::kSendInv;
    const bool has = p.segments && p.len && p.status == Status::kSuccess && data;
    put(layout::plan::has_segs, has);
    put(layout::plan::status, p.status);
    put(layout::plan::offset, p.offset);
    put(layout::plan::len, p.len);
    put(layout::plan::msg_len, p.msg_len ? p.msg_len : p.len);
    put(layout::plan::imm, p.imm);
    put(layout::plan::rkey, p.qkey);
    put(layout::plan::remote_addr, std::uint64_t{p.ah} << 32 | p.dest_qpn);
    put(layout::plan::num_sge, 1);
    put(layout::plan::sge0_addr, kBuffer);
    put(layout::plan::sge0_length, 4096);
    if (has) segments_.push_back(p.len);
    offer(dut->plan_valid_i, [&] { return dut->plan_ready_o != 0; });
  }
  /// The response without data: an ACK or a NAK.
  void acknowledge(unsigned psn, unsigned syndrome = kAckNoCredits) {
    respond(kRcAck, psn, 0, syndrome);
  }
  void respond(unsigned opcode, unsigned psn, unsigned len = 0, unsigned syndrome = kAckNoCredits) {
    begin_response(opcode, psn, len, syndrome);
    run(30);
  }
  /// The same without what follows from it.
  void begin_response(unsigned opcode, unsigned psn, unsigned len,
                      unsigned syndrome = kAckNoCredits) {
    put_response(opcode, psn, len, syndrome);
    offer(dut->rsp_meta_valid_i, [&] { return dut->rsp_meta_ready_o != 0; });
  }
  /// Its fields alone.
  void put_response(unsigned opcode, unsigned psn, unsigned len,
                    unsigned syndrome = kAckNoCredits) {
    auto put = [&](auto field, auto v) { port::put(dut->rsp_meta_i, field, v); };
    put(layout::rx_meta::qpn, qp);
    put(layout::rx_meta::opcode, opcode);
    put(layout::rx_meta::psn, psn & kPsnMask);
    put(layout::rx_meta::payload_len, len);
    put(layout::rx_meta::ticket, ticket);
    port::put(dut->rsp_meta_i, layout::rx_meta::ext, layout::aeth::syndrome, syndrome);
  }
  void expire(bool rnr) {
    port::put(dut->timer_event_i, layout::timer_event::qpn, kRow);
    port::put(dut->timer_event_i, layout::timer_event::rnr, rnr);
    offer(dut->timer_event_valid_i, [&] { return dut->timer_event_ready_o != 0; });
    run(10);
  }
  template <typename Field>
  unsigned live(Field field) {
    dut->live_qpn_i = kRow;
    dut->live_valid_i = 1;
    for (dut.settle(); !dut->live_ready_o; dut.settle()) tick();
    const unsigned value = port::get(dut->live_o, field);
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
    d.plan_seg_valid_i = !segments_.empty();
    if (!segments_.empty()) {
      port::put(d.plan_seg_i, layout::seg::len, segments_.front());
      port::put(d.plan_seg_i, layout::seg::last, 1);
    }
    d.desc_ready_i = tx_ready;
    d.sent_valid_i = leaving && !flying_.empty();
    if (d.sent_valid_i) {
      const auto [qpn, psn] = flying_.front();
      port::put(d.sent_i, layout::sent::qpn, qpn);
      port::put(d.sent_i, layout::sent::psn, psn);
      port::put(d.sent_i, layout::sent::error, broken.count(psn) != 0);
      flying_.pop_front();
    }
    d.seg_ready_i = 1;
    d.rsp_seg_ready_i = 1;
    d.ptr_ready_i = 1;
    d.cqe_ready_i = cqe_ready;
    d.fail_ready_i = 1;
    d.timer_cmd_ready_i = 1;
    d.count_ready_i = 1;
    d.atomic_job_ready_i = 1;
    d.br_req_ready_i = 1;
    d.key_op_req_ready_i = 1;
    d.drained_i = drains_ != 0 && drains;
    drains_ -= d.drained_i;
    d.key_op_rsp_valid_i = op_asked_;
    port::put(d.key_op_rsp_i, layout::key_op_rsp::ok, op_ok);
    dut.settle();
    const bool asked = d.key_req_valid_o && d.key_req_ready_i;
    lookups += asked;
    std::rotate(key_asked_.begin(), key_asked_.end() - 1, key_asked_.end());
    key_asked_[0].reset();
    if (asked) key_asked_[0] = port::get(d.key_req_o, layout::key_req::va);
    op_asked_ = d.key_op_req_valid_o;
    operations += d.key_op_req_valid_o;
    drains_ += d.drain_o;
    ghosts += d.drop_ghost_o;
    if (d.fail_valid_o) {
      fails += 1;
      failure = port::get(d.fail_o, layout::event_req::kind);
    }
    jobs += d.atomic_job_valid_o;
    if (d.atomic_job_valid_o) d.store_done_i = std::uint8_t(d.store_done_i + 1);
    if (d.plan_seg_valid_i && d.plan_seg_ready_o) {
      segments += d.seg_valid_o;
      segments_.pop_front();
    }
    if (d.rsp_seg_valid_o) {
      if (port::get(d.rsp_seg_o, layout::seg::drop)) {
        dropped += 1;
        dropped_bytes += port::get(d.rsp_seg_o, layout::seg::len);
      } else {
        places.push_back(port::get(d.rsp_seg_o, layout::seg::addr));
      }
    }
    if (d.desc_valid_o && d.desc_ready_i) {
      auto get = [&](auto field) { return port::get(d.desc_o, field); };
      auto ext = [&](auto field) {
        return static_cast<unsigned>(
            port::get(d.desc_o, layout::tx_desc::ext.offset + field.offset, field.bits));
      };
      packets.push_back({get(layout::tx_desc::opcode), get(layout::tx_desc::psn),
                         get(layout::tx_desc::payload_len), get(layout::tx_desc::ack_req),
                         get(layout::tx_desc::ext_len), ext(layout::ext_deth::qkey),
                         ext(layout::ext_deth::src_qp), ext(layout::ext_deth::immediate),
                         ext(layout::ext_deth::dest_qpn), ext(layout::ext_deth::ah)});
      flying_.emplace_back(get(layout::tx_desc::qpn), get(layout::tx_desc::psn));
    }
    if (d.cqe_valid_o && d.cqe_ready_i) {
      auto get = [&](auto field) { return port::get(d.cqe_o, field); };
      done.push_back({get(layout::cqe_req::wqe_index), Status{get(layout::cqe_req::status)},
                      WcOp{get(layout::cqe_req::opcode)}, get(layout::cqe_req::byte_len),
                      VendorErr{get(layout::cqe_req::vendor_err)}, get(layout::cqe_req::wait_data),
                      get(layout::cqe_req::wait_store), get(layout::cqe_req::ticket)});
    }
    if (d.ptr_valid_o) {
      auto get = [&](auto field) { return port::get(d.ptr_o, field); };
      pointers.push_back({get(layout::fetch_ptr::wqe_index), get(layout::fetch_ptr::offset),
                          get(layout::fetch_ptr::epoch), get(layout::fetch_ptr::ready)});
    }
    if (d.timer_cmd_valid_o) {
      auto get = [&](auto field) { return port::get(d.timer_cmd_o, field); };
      timers.emplace_back(TimerOp{get(layout::timer_cmd::op)}, get(layout::timer_cmd::code));
    }
    if (d.count_valid_o) ++counts[QpCounter{port::get(d.count_o, layout::count::counter)}];
    ++clocks;
    dut.tick();
    // A result ends an event, so what is ready follows from it.
    d.key_req_ready_i = key_delays == nullptr || (*key_delays)() % 2 == 0;
    d.key_rsp_valid_i = key_asked_[2].has_value();
    port::put(d.key_rsp_i, layout::key_rsp::ok, key_ok);
    port::put(d.key_rsp_i, layout::key_rsp::addr, key_asked_[2].value_or(0));
  }

 private:
  std::deque<unsigned> segments_;
  std::deque<std::pair<unsigned, unsigned>> flying_;       // queue pair, PSN
  std::array<std::optional<std::uint64_t>, 3> key_asked_;  // addresses, the newest first
  bool op_asked_ = false;
  unsigned drains_ = 0;
};

using List = std::vector<unsigned>;

}  // namespace requester_rig
