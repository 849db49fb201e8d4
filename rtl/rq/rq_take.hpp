// SPDX-License-Identifier: Apache-2.0
// Second half of a clock of the bench: what is handed over.
#pragma once

#include "rtl/rq/rq_bench.hpp"

namespace rq {

template <typename Req>
void Bench::take_key(Keys& keys, const Req& req) {
  auto get = [&](auto field) { return port::get(req, field); };
  CHECK(get(layout::key_req::len) != 0);
  ++lookups;
  const std::uint64_t va = get(layout::key_req::va);
  const Region* r = check(get(layout::key_req::key), va, get(layout::key_req::len),
                          get(layout::key_req::pd), get(layout::key_req::access));
  keys.push_back({dut.cycle() + 3, {r != nullptr, r ? r->addr + va - r->iova : 0}});
}

template <typename Port>
void Bench::packet_out(const Port& desc, bool by_ack) {
  auto get = [&](auto field) { return port::get(desc, field); };
  Response a{get(layout::tx_desc::qpn),
             get(layout::tx_desc::opcode),
             get(layout::tx_desc::psn),
             0,
             0,
             {},
             0,
             by_ack,
             false,
             dut.cycle()};
  const unsigned ext_len = get(layout::tx_desc::ext_len);
  const unsigned atomic_ack = layout::aeth::kBytes + layout::atomic_ack_eth::kBytes;
  CHECK(get(layout::tx_desc::ack_req) == 0);
  CHECK(ext_len == (a.opcode == kRcReadRespMiddle ? 0
                    : a.opcode == kRcAtomicAck    ? atomic_ack
                                                  : layout::aeth::kBytes));
  const auto ext = layout::tx_desc::ext;
  if (ext_len >= layout::aeth::kBytes) {
    a.has_aeth = true;
    a.syndrome = port::get(desc, ext, layout::aeth::syndrome);
    a.msn = port::get(desc, ext, layout::aeth::msn);
  }
  if (ext_len == atomic_ack)
    a.original = port::get(desc, ext, layout::atomic_ack_eth::original, layout::aeth::kBits);
  a.payload.resize(get(layout::tx_desc::payload_len));
  if (a.opcode == kRcAck &&
      a.syndrome == kAckNoCredits) {  // the ACK implies that the payload is in memory
    const auto first = tickets.find({a.qpn, a.psn});
    if (first != tickets.end()) CHECK(wr_done >= first->second);
  }
  if (by_ack) CHECK(a.payload.empty());
  if (!a.payload.empty()) need_payload.push_back(responses.size());
  responses.push_back(std::move(a));
  if (!by_ack) {
    in_tx.push_back(dut.cycle() + 5 + (random_stalls ? random() % 40 : 0));
    sent_faults.push_back({get(layout::tx_desc::qpn), get(layout::tx_desc::psn), false});
  }
}

inline void Bench::take() {
  const std::uint64_t now = dut.cycle();
  Vroci_rq& d = *dut;
  auto get = [](const auto& p, auto field) { return port::get(p, field); };
  if (d.rq_doorbell_valid_i && d.rq_doorbell_ready_o) doorbells.pop_front();
  if (d.srq_doorbell_valid_i && d.srq_doorbell_ready_o) srq_doorbells.pop_front();
  if (d.qp_event_valid_i && d.qp_event_ready_o) qp_events.pop_front();
  if (d.key_op_req_valid_o && d.key_op_req_ready_i) {
    const std::uint32_t key = get(d.key_op_req_o, layout::key_op_req::key);
    const unsigned pd = get(d.key_op_req_o, layout::key_op_req::pd);
    CHECK(layout::KeyOp{get(d.key_op_req_o, layout::key_op_req::op)} == layout::KeyOp::kInvalidate);
    const auto r = std::find_if(regions.begin(), regions.end(),
                                [&](const Region& x) { return x.key == key && x.pd == pd; });
    key_ops.push_back({now + 4, r != regions.end()});
    if (r != regions.end()) regions.erase(r);
    ++invalidations;
  }
  if (d.fault_valid_i && d.fault_ready_o) {
    arrivals.pop_front();
    ++wr_done;
  }
  if (d.fault_valid_o) faulted.insert(d.fault_qpn_o);
  drained += d.drained_o;
  if (d.req_meta_valid_i && d.req_meta_ready_o) {
    requests.pop_front();
    meta_offered = false;
    ++requests_taken;
  }
  if (d.walk_key_req_valid_o && d.walk_key_req_ready_i) take_key(walk_keys, d.walk_key_req_o);
  if (d.rkey_req_valid_o && d.rkey_req_ready_i) take_key(rkeys, d.rkey_req_o);
  if (d.req_seg_valid_o && d.req_seg_ready_i) {
    auto a =
        std::find_if(arrivals.begin(), arrivals.end(), [](const Arrival& x) { return !x.placed; });
    REQUIRE(a != arrivals.end());
    a->segments.push_back({get(d.req_seg_o, layout::seg::addr), get(d.req_seg_o, layout::seg::len),
                           get(d.req_seg_o, layout::seg::drop)});
    if (!get(d.req_seg_o, layout::seg::drop)) CHECK(get(d.req_seg_o, layout::seg::pasid) == kPasid);
    if (get(d.req_seg_o, layout::seg::last)) {
      std::uint64_t sum = 0;
      for (auto& segment : a->segments) sum += segment.len;
      CHECK(sum == a->payload.size());
      a->placed = true;
      a->ready = now + write_delay + (random_stalls ? random() % 50 : 0);
    }
  }
  if (d.br_fetch_rsp_valid_i && d.br_fetch_rsp_ready_o && fetch_beats.taken()) {
    fetches.pop_front();
  }
  if (d.br_fetch_req_valid_o && d.br_fetch_req_ready_i)
    for (unsigned i = 0; i < port::get(d.br_fetch_req_o, layout::block_read_req::count); ++i)
      fetches.push_back(
          {port::get(d.br_fetch_req_o, layout::block_read_req::addr) + layout::kBlockBytes * i,
           now + read_delay});
  if (d.br_atomic_rsp_valid_i && d.br_atomic_rsp_ready_o && atomic_beats.taken()) {
    atomics.pop_front();
  }
  if (d.br_atomic_req_valid_o && d.br_atomic_req_ready_i) {
    CHECK(port::get(d.br_atomic_req_o, layout::block_read_req::count) == 1);
    CHECK(port::get(d.br_atomic_req_o, layout::block_read_req::addr) % layout::kBlockBytes == 0);
    atomics.push_back(
        {port::get(d.br_atomic_req_o, layout::block_read_req::addr), now + read_delay});
  }
  if (d.bw_atomic_req_valid_o && d.bw_atomic_req_ready_i) {
    CHECK(port::get(d.bw_atomic_req_o, layout::block_write_req::bytes) == 8);
    stores.push_back(now + write_delay);
    store_data.push_back({port::get(d.bw_atomic_req_o, layout::block_write_req::addr),
                          port::get(d.bw_atomic_req_o, 0, 64)});
  }
  if (d.store_job_valid_i && d.store_job_ready_o) --store_jobs;
  if (d.seg_valid_o && d.seg_ready_i) {
    Response& a = responses[need_payload.front()];
    const std::uint64_t addr = port::get(d.seg_o, layout::seg::addr);
    CHECK(get(d.seg_o, layout::seg::last) == 1);
    CHECK(get(d.seg_o, layout::seg::drop) == 0);
    REQUIRE(get(d.seg_o, layout::seg::len) == a.payload.size());
    std::copy_n(memory.begin() + addr, a.payload.size(), a.payload.begin());
    if (bad_pages.count(addr / 4096) != 0)
      for (auto& packet : sent_faults)
        if (packet.qpn == a.qpn && packet.psn == a.psn) packet.poisoned = true;
    need_payload.pop_front();
  }
  if (d.desc_valid_o && d.desc_ready_i) packet_out(d.desc_o, false);
  if (d.ack_valid_o && d.ack_ready_i) packet_out(d.ack_o, true);
  if (d.cqe_valid_o && d.cqe_ready_i) {
    auto cqe = [&](auto field) { return port::get(d.cqe_o, field); };
    const Completion c{cqe(layout::cqe_req::cqn),          cqe(layout::cqe_req::qpn),
                       cqe(layout::cqe_req::wqe_index),    Status{cqe(layout::cqe_req::status)},
                       WcOp{cqe(layout::cqe_req::opcode)}, cqe(layout::cqe_req::byte_len),
                       cqe(layout::cqe_req::imm),          cqe(layout::cqe_req::with_imm),
                       cqe(layout::cqe_req::solicited),    cqe(layout::cqe_req::with_inv),
                       cqe(layout::cqe_req::with_grh),     cqe(layout::cqe_req::src_qp)};
    cqes.push_back({c, cqe(layout::cqe_req::wait_data) ? cqe(layout::cqe_req::ticket) : -1});
  }
  // Completions are written in order, when their payload is in memory.
  while (!cqes.empty() && (cqes.front().second < 0 ||
                           static_cast<std::int16_t>(wr_done - cqes.front().second) >= 0)) {
    completions.push_back(cqes.front().first);
    if (faulted.count(completions.back().qpn) != 0 && completions.back().status == Status::kSuccess)
      completions.back().status = Status::kFatalErr;
    cqes.pop_front();
  }
  if (d.fail_valid_o && d.fail_ready_i) {
    const unsigned qpn = get(d.fail_o, layout::event_req::number);
    fails.push_back({EventKind{get(d.fail_o, layout::event_req::kind)}, qpn});
    if (control) failed.push_back(qpn);
  }
  if (d.event_valid_o && d.event_ready_i)
    events.push_back({EventKind{get(d.event_o, layout::event_req::kind)},
                      get(d.event_o, layout::event_req::number)});
  if (d.count_valid_o && d.count_ready_i) {
    auto& c = counters[get(d.count_o, layout::count::qpn)];
    const QpCounter which{get(d.count_o, layout::count::counter)};
    ++c[which];
    // Bytes are counted with their packets.
    if (which == QpCounter::kTxPackets)
      c[QpCounter::kTxBytes] += get(d.count_o, layout::count::bytes);
    if (which == QpCounter::kRxPackets)
      c[QpCounter::kRxBytes] += get(d.count_o, layout::count::bytes);
  }
  for (unsigned i = 0; i < kCauses; ++i) drops[i] += d.drop_o >> i & 1;
  discards += d.drop_o >> kCauses & 1;
}

inline void Bench::finish_clock() {
  take();
  dut.tick();
  if (row_of_fail) {
    dut->row_write_valid_i = 0;
    qp_events.push_back({failed.front(), QpEvent::kFlush});
    failed.pop_front();
  }
}

inline void Bench::clock() {
  clock_settled();
  finish_clock();
}

}  // namespace rq
