// SPDX-License-Identifier: Apache-2.0
// One clock of the bench: the inputs, which depend on its queues only, and what is handed over.
#pragma once

#include <cstdio>
#include <cstring>

#include "rtl/sq/sq_bench.hpp"

namespace sq_bench {

template <typename Port>
Bench::Key Bench::look_up(const Port& request) {
  auto get = [&](const char* name) { return port::get(request, place_of(kKeyReq, name)); };
  const std::uint64_t va = get("va"), len = get("len");
  const unsigned key = unsigned(get("key")), access = unsigned(get("access"));
  bool ok = get("pd") == 7 && va >= kDataBase && va + len <= kQueueBase && va + len >= va;
  if (key == kBadKey || (key != kGoodKey && key != kReadOnlyKey && key != kFastKey)) ok = false;
  if (key == kFastKey && !registered) ok = false;
  if (key == kReadOnlyKey && (access & 1)) ok = false;
  return {dut.cycle() + 3, ok, va};
}

inline void Bench::drive() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  d.sq_doorbell_valid_i = !doorbells_.empty();
  if (!doorbells_.empty()) {
    port::put(d.sq_doorbell_i, place_of(kDoorbell, "qpn"), doorbells_.front().first);
    port::put(d.sq_doorbell_i, place_of(kDoorbell, "index"), doorbells_.front().second);
  }
  d.qp_event_valid_i = !events_.empty();
  if (!events_.empty()) {
    port::put(d.qp_event_i, place_of(kQpEvent, "qpn"), events_.front().first);
    port::put(d.qp_event_i, place_of(kQpEvent, "kind"), events_.front().second);
  }
  d.timer_event_valid_i = !expired_.empty();
  if (!expired_.empty()) {
    port::put(d.timer_event_i, place_of(kTimerEvent, "qpn"), expired_.front().first);
    port::put(d.timer_event_i, place_of(kTimerEvent, "rnr"), expired_.front().second);
  }
  const bool response = !responses.empty() && responses.front().at <= now;
  d.rsp_meta_valid_i = response;
  if (response) {
    const Packet& p = responses.front();
    auto put = [&](const char* name, std::uint64_t v) {
      port::put(d.rsp_meta_i, place_of(kRxMeta, name), v);
    };
    put("qpn", p.qpn);
    put("opcode", p.opcode);
    put("psn", p.psn);
    put("payload_len", p.payload_len);
    put("ticket", (ticket_ + (p.payload_len != 0)) & 0xFFFF);
    const unsigned base = place_of(kRxMeta, "ext").offset;
    for (unsigned i = 0; i < 28; ++i) port::put(d.rsp_meta_i, base + 8 * (27 - i), 8, p.ext[i]);
  }
  d.br_fetch_req_ready_i = fetch_.size() < 512;
  d.br_again_req_ready_i = 1;
  auto data = [&](std::deque<Read>& queue, auto& rsp, auto& valid) {
    valid = !queue.empty() && queue.front().at <= now;
    if (!valid) return;
    for (unsigned i = 0; i < 16; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &memory[queue.front().addr + 4 * i], 4);
      rsp[i] = word;
    }
    port::put(rsp, bus::kReadError, queue.front().error);
  };
  data(fetch_, d.br_fetch_rsp_i, d.br_fetch_rsp_valid_i);
  data(again_, d.br_again_rsp_i, d.br_again_rsp_valid_i);
  auto key = [&](std::deque<Key>& queue, auto& rsp, auto& valid) {
    valid = !queue.empty() && queue.front().at <= now;
    if (!valid) return;
    port::put(rsp, place_of(kKeyRsp, "ok"), queue.front().ok);
    port::put(rsp, place_of(kKeyRsp, "addr"), queue.front().addr);
    port::put(rsp, place_of(kKeyRsp, "pasid"), 5);
    queue.pop_front();
  };
  key(key_segment_, d.key_segment_rsp_i, d.key_segment_rsp_valid_i);
  key(key_place_, d.key_place_rsp_i, d.key_place_rsp_valid_i);
  d.key_op_rsp_valid_i = operating_ && operation_.at <= now;
  if (d.key_op_rsp_valid_i) {
    port::put(d.key_op_rsp_i, place_of(kKeyOpRsp, "ok"), !refuse);
    operation_.sent = sent.size();
    operations.push_back(operation_);
    operating_ = false;
    if (!refuse && operation_.key == kFastKey) registered = operation_.op == 2;
  }
  d.key_op_req_ready_i = now % 3 == 0;
  d.drained_i = !drains_.empty() && drains_.front() <= now;
  if (d.drained_i) drains_.pop_front();
  d.key_segment_req_ready_i = 1;
  d.key_place_req_ready_i = 1;
  d.sent_valid_i = !left_.empty();
  if (!left_.empty()) {
    port::put(d.sent_i, bus::kSentQpn, left_.front().first);
    port::put(d.sent_i, bus::kSentPsn, left_.front().second);
    left_.pop_front();
  }
  d.desc_ready_i = now % desc_every == 0 && tx_.size() < 64;
  d.seg_ready_i = 1;
  d.rsp_seg_ready_i = !scatter_.empty();
  d.atomic_job_ready_i = 1;
  d.cqe_ready_i = 1;
  d.fail_ready_i = 1;
  d.timer_cmd_ready_i = now % 4 == 0;
  d.count_ready_i = 1;
}

inline void Bench::take() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  if (d.sq_doorbell_valid_i && d.sq_doorbell_ready_o) doorbells_.pop_front();
  if (d.qp_event_valid_i && d.qp_event_ready_o) events_.pop_front();
  if (d.timer_event_valid_i && d.timer_event_ready_o) expired_.pop_front();
  if (d.drop_ghost_o) ++ghosts;
  if (d.rsp_meta_valid_i && d.rsp_meta_ready_o) {
    if (responses.front().payload_len) {
      ++ticket_;
      scatter_.push_back(responses.front().payload);
    }
    responses.pop_front();
  }
  if (d.rsp_seg_valid_o && d.rsp_seg_ready_i) {
    auto get = [&](const char* name) { return port::get(d.rsp_seg_o, place_of(kSeg, name)); };
    const std::uint64_t addr = get("addr"), len = get("len");
    Bytes& bytes = scatter_.front();
    if (get("drop")) {
      ++dropped_segs;
    } else if (addr < kDataBase || addr + len > kQueueBase || get("pasid") != 5 ||
               scattered_ + len > bytes.size()) {
      ++wrong_places;
    } else {
      std::copy_n(bytes.begin() + long(scattered_), len, memory.begin() + long(addr));
    }
    scattered_ += len;
    if (get("last")) {
      if (scattered_ != bytes.size()) ++wrong_places;
      scatter_.pop_front();
      scattered_ = 0;
    }
  }
  auto ask = [&](std::deque<Read>& queue, std::uint64_t addr, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      queue.push_back({now + latency, addr + 64 * i, read_error});
  };
  if (d.br_fetch_rsp_valid_i && d.br_fetch_rsp_ready_o) fetch_.pop_front();
  if (d.br_again_rsp_valid_i && d.br_again_rsp_ready_o) again_.pop_front();
  if (d.br_fetch_req_valid_o && d.br_fetch_req_ready_i) {
    if (port::get(d.br_fetch_req_o, bus::kReadAddr) / 4096 !=
            (port::get(d.br_fetch_req_o, bus::kReadAddr) +
             64 * port::get(d.br_fetch_req_o, bus::kReadCount) - 1) /
                4096 ||
        port::get(d.br_fetch_req_o, bus::kReadCount) == 0 ||
        port::get(d.br_fetch_req_o, bus::kReadCount) > 16) {
      ++wrong_places;
    }
    ask(fetch_, port::get(d.br_fetch_req_o, bus::kReadAddr),
        port::get(d.br_fetch_req_o, bus::kReadCount));
    fetched += port::get(d.br_fetch_req_o, bus::kReadCount);
  }
  if (d.br_again_req_valid_o && d.br_again_req_ready_i)
    ask(again_, port::get(d.br_again_req_o, bus::kReadAddr),
        port::get(d.br_again_req_o, bus::kReadCount));
  if (d.key_segment_req_valid_o) key_segment_.push_back(look_up(d.key_segment_req_o));
  if (d.key_place_req_valid_o) key_place_.push_back(look_up(d.key_place_req_o));
  if (d.key_op_req_valid_o && d.key_op_req_ready_i) {
    auto get = [&](const char* name) {
      return port::get(d.key_op_req_o, place_of(kKeyOpReq, name));
    };
    if (operating_) ++wrong_places;  // one at a time
    operating_ = true;
    operation_ = {unsigned(get("op")),
                  unsigned(get("key")),
                  unsigned(get("qpn")),
                  unsigned(get("pd")),
                  unsigned(get("region")),
                  unsigned(get("access")),
                  get("va"),
                  get("length"),
                  get("addr"),
                  now + operation_time,
                  0};
  }
  if (d.drain_o) drains_.push_back(now + drain_time);
}

inline void Bench::take_answers() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  if (d.atomic_job_valid_o) {
    auto get = [&](const char* name) {
      return port::get(d.atomic_job_o, place_of(kAtomicJob, name));
    };
    const std::uint64_t v = get("operand"), addr = get("addr");
    if (addr >= kDataBase && addr + 8 <= kQueueBase && get("op") == 0) {
      std::memcpy(&memory[addr], &v, 8);
    } else {
      ++wrong_places;
    }
    d.store_done_i = std::uint8_t(d.store_done_i + 1);
  }
  if (d.cqe_valid_o) {
    auto get = [&](const char* name) {
      return unsigned(port::get(d.cqe_o, place_of(kCqeReq, name)));
    };
    done.push_back({get("qpn"), get("wqe_index"), get("status"), get("opcode"), get("byte_len"),
                    get("vendor_err"), now});
    if (log)
      std::printf("%8lu  cqe qp %u index %u status %u\n", now, get("qpn"), get("wqe_index"),
                  get("status"));
  }
  if (d.count_valid_o) ++counters[unsigned(port::get(d.count_o, place_of(kCount, "counter")))];
  if (d.timer_cmd_valid_o && d.timer_cmd_ready_i) {
    const unsigned qp = unsigned(port::get(d.timer_cmd_o, place_of(kTimerCmd, "qpn")));
    const unsigned op = unsigned(port::get(d.timer_cmd_o, place_of(kTimerCmd, "op")));
    const unsigned code = unsigned(port::get(d.timer_cmd_o, place_of(kTimerCmd, "code")));
    Timer& t = timers_[qp];
    if (op == 2) t.deadline = ~std::uint64_t{0};
    if (op == 1 || (op == 0 && t.deadline == ~std::uint64_t{0})) {
      t = {code == 0 ? ~std::uint64_t{0} : now + transport_time, false};
    }
    if (op == 3) t = {now + rnr_time, true};
  }
  for (unsigned qp = 0; qp < kQps; ++qp) {
    if (timers_[qp].deadline <= now) {
      timers_[qp].deadline = ~std::uint64_t{0};
      expired_.push_back({qp, timers_[qp].rnr});
    }
  }
}

inline void Bench::tick() {
  drive();
  dut.settle();
  take();
  take_packets();
  take_answers();
  const bool failed = dut->fail_valid_o;
  const unsigned failed_qp =
      failed ? unsigned(port::get(dut->fail_o, place_of(kEventReq, "number"))) : 0;
  dut.tick();
  if (failed) {
    ++fails;
    if (state[failed_qp] == 3 || state[failed_qp] == 4) {
      set_state(failed_qp, 6);
      event(failed_qp, 2);
    }
  }
}

}  // namespace sq_bench
