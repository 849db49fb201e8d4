// SPDX-License-Identifier: Apache-2.0
// What control and software do: rows, states, receives, live state.
#pragma once

#include "rtl/rq/rq_bench.hpp"

namespace rq {

/// Writes the row whose data is set.
inline void Bench::row(Table table, unsigned index) {
  dut->row_write_valid_i = 1;
  port::put(dut->row_write_i, layout::row_write::table_id, table);
  port::put(dut->row_write_i, layout::row_write::index, index);
  clock();
  dut->row_write_valid_i = 0;
}

inline void Bench::attributes(unsigned qpn, const Attr& attr) {
  bus::clear_data(dut->row_write_i);
  auto set = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
  set(layout::qp_attr::pd, attr.pd);
  set(layout::qp_attr::pasid, kPasid);
  set(layout::qp_attr::access, attr.access);
  set(layout::qp_attr::pmtu, attr.pmtu);
  set(layout::qp_attr::min_rnr_timer, attr.rnr_timer);
  set(layout::qp_attr::max_dest_rd_atomic, attr.max_dest);
  set(layout::qp_attr::recv_cqn, kFirstCq + qpn);
  set(layout::qp_attr::rq_base, ring(qpn));
  set(layout::qp_attr::rq_log, attr.rq_log);
  set(layout::qp_attr::rq_stride_log, attr.stride);
  set(layout::qp_attr::rq_psn, attr.rq_psn);
  set(layout::qp_attr::srq, attr.srq);
  set(layout::qp_attr::srqn, attr.srqn);
  set(layout::qp_attr::credits, attr.credits);
  row(Table::kQpAttr, qpn);
}

inline void Bench::set_state(unsigned qpn, QpState state) {
  bus::clear_data(dut->row_write_i);
  port::put(dut->row_write_i, layout::qp_state::state, state);
  row(Table::kQpState, qpn);
}

inline void Bench::srq_row(unsigned srqn, const Srq& srq) {
  bus::clear_data(dut->row_write_i);
  auto set = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
  set(layout::srq::valid, srq.valid);
  set(layout::srq::pd, srq.pd);
  set(layout::srq::pasid, kPasid);
  set(layout::srq::base, srq_ring(srqn));
  set(layout::srq::log, srq.log);
  set(layout::srq::stride_log, srq.stride);
  set(layout::srq::limit, srq.limit);
  row(Table::kSrq, srqn);
  srqs[srqn] = srq;
}

inline void Bench::key_row() {
  bus::clear_data(dut->row_write_i);
  row(Table::kKey, 0);
}

inline void Bench::drain() {
  dut->drain_i = 1;
  clock();
  dut->drain_i = 0;
}

inline void Bench::create(unsigned qpn, const Attr& attr) {
  set_state(qpn, QpState::kReset);
  attributes(qpn, attr);
  set_state(qpn, QpState::kInit);
  attrs[qpn] = attr;
  posted[qpn] = 0;
}

inline void Bench::ready(unsigned qpn, QpState state) {
  set_state(qpn, state);
  event(qpn, QpEvent::kInitResponder);
  run();
}

inline std::size_t Bench::accesses() const {
  std::size_t n = need_payload.size() + atomics.size() + store_data.size();
  for (const Arrival& a : arrivals)
    n += a.ours && std::any_of(a.segments.begin(), a.segments.end(),
                               [](const Segment& segment) { return !segment.drop; });
  std::size_t left = in_tx.size();  // the newest packets by desc have not left
  for (std::size_t i = responses.size(); left != 0 && i-- != 0;) {
    if (responses[i].by_ack) continue;
    n += !responses[i].payload.empty();
    --left;
  }
  return n;
}

inline void Bench::post(unsigned qpn, const std::vector<Sge>& list, bool ring_it) {
  const Attr& attr = attrs[qpn];
  const unsigned index = posted[qpn]++ & ((1u << attr.rq_log) - 1);
  put_entry(&memory[ring(qpn) + (index << attr.stride) * layout::kBlockBytes], attr.stride, list);
  if (ring_it) doorbell(qpn, posted[qpn]);
}

inline void Bench::post_srq(unsigned srqn, const std::vector<Sge>& list, unsigned tag,
                            bool ring_it) {
  const Srq& srq = srqs[srqn];
  const unsigned index = srq_posted[srqn]++ & ((1u << srq.log) - 1);
  std::uint8_t* entry = &memory[srq_ring(srqn) + (index << srq.stride) * layout::kBlockBytes];
  put_entry(entry, srq.stride, list);
  layout::put(entry, layout::wqe::imm, tag);
  if (ring_it) srq_doorbell(srqn, srq_posted[srqn]);
}

inline Bench::Live Bench::live(unsigned qpn) {
  dut->live_qpn_i = qpn;
  dut->live_valid_i = 1;
  do clock();
  while (!dut->live_ready_o);
  const Live result{port::get(dut->live_o, layout::qp_live::rq_psn),
                    port::get(dut->live_o, layout::qp_live::msn)};
  dut->live_valid_i = 0;
  clock();
  return result;
}

inline Bench::SrqLive Bench::srq_live(unsigned srqn) {
  dut->live_qpn_i = srqn;
  dut->live_srq_valid_i = 1;
  for (clock_settled(); !dut->live_srq_ready_o; clock_settled()) finish_clock();
  auto get = [&](auto field) { return port::get(dut->live_srq_o, field); };
  const SrqLive result{get(layout::srq_live::producer), get(layout::srq_live::consumer),
                       get(layout::srq_live::limit)};
  finish_clock();
  dut->live_srq_valid_i = 0;
  return result;
}

}  // namespace rq
