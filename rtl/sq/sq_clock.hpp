// SPDX-License-Identifier: Apache-2.0
// One clock of the bench: the inputs, which depend on its queues only, and what is handed over.
#pragma once

#include <cstdio>
#include <cstring>
#include <utility>

#include "rtl/sq/sq_bench.hpp"

namespace sq_bench {

template <typename Port>
Bench::Key Bench::look_up(const Port& request) {
  auto get = [&](auto field) { return port::get(request, field); };
  const std::uint64_t va = get(layout::key_req::va), len = get(layout::key_req::len);
  const unsigned key = get(layout::key_req::key), access = get(layout::key_req::access);
  bool ok = get(layout::key_req::pd) == kPd && va >= kDataBase && va + len <= kQueueBase &&
            va + len >= va;
  if (key == kBadKey || (key != kGoodKey && key != kReadOnlyKey && key != kFastKey)) ok = false;
  if (key == kFastKey && !registered) ok = false;
  if (key == kReadOnlyKey && (access & layout::access::kLocalWrite)) ok = false;
  return {dut.cycle() + 3, ok, va};
}

inline void Bench::drive() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  d.post_word_valid_i = !written_.empty() && !written_.front().bell;
  d.sq_doorbell_valid_i = !written_.empty() && written_.front().bell;
  if (d.post_word_valid_i) {
    port::put(d.post_word_i, layout::post_word::qpn, written_.front().qp);
    port::put(d.post_word_i, layout::post_word::place, written_.front().place);
    port::put(d.post_word_i, layout::post_word::data, written_.front().data);
  }
  if (d.sq_doorbell_valid_i) {
    port::put(d.sq_doorbell_i, layout::doorbell::qpn, written_.front().qp);
    port::put(d.sq_doorbell_i, layout::doorbell::index, written_.front().data);
  }
  d.posted_read_i = std::exchange(posted_read_, false);
  d.qp_event_valid_i = !events_.empty();
  if (!events_.empty()) {
    port::put(d.qp_event_i, layout::qp_event::qpn, events_.front().first);
    port::put(d.qp_event_i, layout::qp_event::kind, events_.front().second);
  }
  d.timer_event_valid_i = !expired_.empty();
  if (!expired_.empty()) {
    port::put(d.timer_event_i, layout::timer_event::qpn, expired_.front().first);
    port::put(d.timer_event_i, layout::timer_event::rnr, expired_.front().second);
  }
  const bool response = !responses.empty() && responses.front().at <= now;
  d.rsp_meta_valid_i = response;
  if (response) {
    const Packet& p = responses.front();
    auto put = [&](auto field, auto v) { port::put(d.rsp_meta_i, field, v); };
    put(layout::rx_meta::qpn, p.qpn);
    put(layout::rx_meta::opcode, p.opcode);
    put(layout::rx_meta::psn, p.psn);
    put(layout::rx_meta::payload_len, p.payload_len);
    put(layout::rx_meta::ticket, (ticket_ + (p.payload_len != 0)) & 0xFFFF);
    for (unsigned i = 0; i < std::size(p.ext); ++i)
      port::put_byte(d.rsp_meta_i, layout::rx_meta::ext, i, p.ext[i]);
  }
  d.br_fetch_req_ready_i = fetch_.size() < 512;
  d.br_again_req_ready_i = 1;
  auto data = [&](std::deque<Read>& queue, unsigned beat, auto& rsp, auto& valid) {
    valid = !queue.empty() && queue.front().at <= now;
    if (!valid) return;
    const Read& front = queue.front();
    bus::put_beat(rsp, front.own.empty() ? &memory[front.addr] : front.own.data(), beat,
                  front.error, front.addr / layout::kBlockBytes % bus::kBlockBeats);
  };
  data(fetch_, fetch_beats_.now(), d.br_fetch_rsp_i, d.br_fetch_rsp_valid_i);
  data(again_, again_beats_.now(), d.br_again_rsp_i, d.br_again_rsp_valid_i);
  auto key = [&](std::deque<Key>& queue, auto& rsp, auto& valid) {
    valid = !queue.empty() && queue.front().at <= now;
    if (!valid) return;
    port::put(rsp, layout::key_rsp::ok, queue.front().ok);
    port::put(rsp, layout::key_rsp::addr, queue.front().addr);
    port::put(rsp, layout::key_rsp::pasid, kPasid);
    queue.pop_front();
  };
  key(key_segment_, d.key_segment_rsp_i, d.key_segment_rsp_valid_i);
  key(key_place_, d.key_place_rsp_i, d.key_place_rsp_valid_i);
  d.key_op_rsp_valid_i = operating_ && operation_.at <= now;
  if (d.key_op_rsp_valid_i) {
    port::put(d.key_op_rsp_i, layout::key_op_rsp::ok, !reject);
    operation_.sent = sent.size();
    operations.push_back(operation_);
    operating_ = false;
    if (!reject && operation_.key == kFastKey) registered = operation_.op == KeyOp::kRegister;
  }
  d.key_op_req_ready_i = now % 3 == 0;
  d.drained_i = !drains_.empty() && drains_.front() <= now;
  if (d.drained_i) drains_.pop_front();
  d.key_segment_req_ready_i = 1;
  d.key_place_req_ready_i = 1;
  d.sent_valid_i = !left_.empty();
  if (!left_.empty()) {
    port::put(d.sent_i, layout::sent::qpn, left_.front().first);
    port::put(d.sent_i, layout::sent::psn, left_.front().second);
    left_.pop_front();
  }
  d.desc_ready_i = now % desc_every == 0 && tx_.size() < 64;
  d.seg_ready_i = 1;
  d.inline_done_valid_i = !inline_done_.empty();
  if (d.inline_done_valid_i) {
    d.inline_done_block_i = inline_done_.front();
    inline_done_.pop_front();
  }
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
  if (d.post_word_valid_i || (d.sq_doorbell_valid_i && d.sq_doorbell_ready_o)) written_.pop_front();
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
    auto get = [&](auto field) { return port::get(d.rsp_seg_o, field); };
    const std::uint64_t addr = get(layout::seg::addr), len = get(layout::seg::len);
    Bytes& bytes = scatter_.front();
    if (get(layout::seg::drop)) {
      ++dropped_segs;
    } else if (addr < kDataBase || addr + len > kQueueBase || get(layout::seg::pasid) != kPasid ||
               scattered_ + len > bytes.size()) {
      ++wrong_places;
    } else {
      std::copy_n(bytes.begin() + long(scattered_), len, memory.begin() + long(addr));
    }
    scattered_ += len;
    if (get(layout::seg::last)) {
      if (scattered_ != bytes.size()) ++wrong_places;
      scatter_.pop_front();
      scattered_ = 0;
    }
  }
  auto read = [&](std::deque<Read>& queue, std::uint64_t addr, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      queue.push_back({now + latency, addr + layout::kBlockBytes * i, read_error, {}});
  };
  if (d.br_fetch_rsp_valid_i && d.br_fetch_rsp_ready_o && fetch_beats_.taken()) {
    const Bytes& own = fetch_.front().own;
    std::copy_n(own.empty() ? memory.begin() + long(fetch_.front().addr) : own.begin(),
                layout::kBlockBytes,
                kept_.begin() + long(kept_blocks_++ % kKept * layout::kBlockBytes));
    fetch_.pop_front();
  }
  if (d.br_again_rsp_valid_i && d.br_again_rsp_ready_o && again_beats_.taken()) {
    again_.pop_front();
  }
  const auto request = [](const auto& record) {
    return std::pair<std::uint64_t, unsigned>{port::get(record, layout::block_read_req::addr),
                                              port::get(record, layout::block_read_req::count)};
  };
  if (d.br_fetch_req_valid_o && d.br_fetch_req_ready_i) {
    const auto [addr, count] = request(d.br_fetch_req_o);
    const std::uint64_t end = addr + std::uint64_t{layout::kBlockBytes} * count;
    if (addr / 4096 != (end - 1) / 4096 || count == 0 || count > 16) ++wrong_places;
    if (d.br_fetch_posted_o) {
      if (count > 2) ++wrong_places;
      for (unsigned i = 0; i < count; ++i) {
        Bytes own;
        for (unsigned k = 0; k < layout::kBlockBytes; ++k)
          own.push_back(port::get(d.posted_blocks_o, 8 * (layout::kBlockBytes * i + k), 8));
        fetch_.push_back({now + 2, addr + layout::kBlockBytes * i, false, std::move(own)});
      }
      posted_read_ = true;
      ++posted;
    } else {
      read(fetch_, addr, count);
      fetched += count;
    }
  }
  if (d.br_again_req_valid_o && d.br_again_req_ready_i) {
    const auto [addr, count] = request(d.br_again_req_o);
    read(again_, addr, count);
  }
  if (d.key_segment_req_valid_o) key_segment_.push_back(look_up(d.key_segment_req_o));
  if (d.key_place_req_valid_o) key_place_.push_back(look_up(d.key_place_req_o));
  if (d.key_op_req_valid_o && d.key_op_req_ready_i) {
    auto get = [&](auto field) { return port::get(d.key_op_req_o, field); };
    if (operating_) ++wrong_places;  // one at a time
    operating_ = true;
    operation_ = {KeyOp{get(layout::key_op_req::op)},
                  get(layout::key_op_req::key),
                  get(layout::key_op_req::qpn),
                  get(layout::key_op_req::pd),
                  get(layout::key_op_req::region),
                  get(layout::key_op_req::access),
                  get(layout::key_op_req::va),
                  get(layout::key_op_req::length),
                  get(layout::key_op_req::addr),
                  now + operation_time,
                  0};
  }
  if (d.drain_o) drains_.push_back(now + drain_time);
}

inline void Bench::take_results() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  if (d.atomic_job_valid_o) {
    auto get = [&](auto field) { return port::get(d.atomic_job_o, field); };
    const std::uint64_t v = get(layout::atomic_job::operand), addr = get(layout::atomic_job::addr);
    if (addr >= kDataBase && addr + 8 <= kQueueBase &&
        layout::AtomicOp{get(layout::atomic_job::op)} == layout::AtomicOp::kStore) {
      std::memcpy(&memory[addr], &v, 8);
    } else {
      ++wrong_places;
    }
    d.store_done_i = std::uint8_t(d.store_done_i + 1);
  }
  if (d.cqe_valid_o) {
    auto get = [&](auto field) { return port::get(d.cqe_o, field); };
    const Completion c{get(layout::cqe_req::qpn),
                       get(layout::cqe_req::wqe_index),
                       Status{get(layout::cqe_req::status)},
                       WcOp{get(layout::cqe_req::opcode)},
                       get(layout::cqe_req::byte_len),
                       VendorErr{get(layout::cqe_req::vendor_err)},
                       now};
    done.push_back(c);
    if (log)
      std::printf("%8lu  cqe qp %u index %u status %u\n", now, c.qpn, c.index,
                  layout::number(c.status));
  }
  if (d.count_valid_o) ++counters[QpCounter{port::get(d.count_o, layout::count::counter)}];
  if (d.timer_cmd_valid_o && d.timer_cmd_ready_i) {
    auto get = [&](auto field) { return port::get(d.timer_cmd_o, field); };
    const bool runs = get(layout::timer_cmd::code) != 0;
    Timer& t = timers_[get(layout::timer_cmd::qpn)];
    switch (TimerOp{get(layout::timer_cmd::op)}) {
      case TimerOp::kStop:
        t.deadline = kNever;
        break;
      case TimerOp::kStart:
        if (t.deadline == kNever) t = {runs ? now + transport_time : kNever, false};
        break;
      case TimerOp::kRestart:
        t = {runs ? now + transport_time : kNever, false};
        break;
      case TimerOp::kRnr:
        t = {now + rnr_time, true};
        break;
    }
  }
  for (unsigned qp = 0; qp < kQps; ++qp) {
    if (timers_[qp].deadline <= now) {
      timers_[qp].deadline = kNever;
      expired_.push_back({qp, timers_[qp].rnr});
    }
  }
}

inline void Bench::tick() {
  drive();
  dut.settle();
  take();
  take_packets();
  take_results();
  const bool failed = dut->fail_valid_o;
  const unsigned failed_qp = failed ? port::get(dut->fail_o, layout::event_req::number) : 0;
  dut.tick();
  if (failed) {
    ++fails;
    if (state[failed_qp] == QpState::kRts || state[failed_qp] == QpState::kSqd) {
      set_state(failed_qp, QpState::kErr);
      event(failed_qp, QpEvent::kFlush);
    }
  }
}

}  // namespace sq_bench
