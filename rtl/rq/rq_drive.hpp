// SPDX-License-Identifier: Apache-2.0
// First half of a clock of the bench: what it drives, from its queues.
#pragma once

#include "rtl/rq/rq_bench.hpp"

namespace rq {

template <typename Rsp>
void Bench::drive_key(Keys& keys, Rsp& rsp, std::uint8_t& valid) {
  valid = !keys.empty() && keys.front().first <= dut.cycle();
  if (!valid) return;
  port::put(rsp, layout::key_rsp::ok, keys.front().second.first);
  port::put(rsp, layout::key_rsp::addr, keys.front().second.second);
  port::put(rsp, layout::key_rsp::pasid, kPasid);
  keys.pop_front();
}

template <typename Port>
void Bench::offer(Port& meta, const Request& q) {
  if (!q.payload.empty()) {
    if (random_stalls && random() % 8 == 0) {  // a response for the send side comes first
      arrivals.push_back({Bytes(1), false, true, dut.cycle() + write_delay, {}});
      ++ticket;
    }
    arrivals.push_back({q.payload, true, false, 0, {}, q.qpn, q.psn});
    ++ticket;
    tickets.insert({{q.qpn, q.psn}, ticket});
  }
  port::clear(meta);
  auto set = [&](auto field, auto v) { port::put(meta, field, v); };
  set(layout::rx_meta::qpn, q.qpn);
  set(layout::rx_meta::uc, q.uc || q.ud);
  set(layout::rx_meta::ud, q.ud);
  set(layout::rx_meta::opcode, q.opcode);
  set(layout::rx_meta::psn, q.psn);
  set(layout::rx_meta::solicited, q.solicited);
  set(layout::rx_meta::ack_req, q.ack_req);
  set(layout::rx_meta::payload_len, q.payload.size());
  set(layout::rx_meta::ticket, ticket);
  auto header = [&](auto field, auto v, unsigned skip = 0) {
    port::put(meta, layout::rx_meta::ext, field, v, skip);
  };
  if (is_atomic(q.opcode)) {
    header(layout::atomic_eth::va, q.va);
    header(layout::atomic_eth::rkey, q.rkey);
    header(layout::atomic_eth::swap_add, q.swap_add);
    header(layout::atomic_eth::compare, q.compare);
    return;
  }
  if (has_reth(q.opcode)) {
    header(layout::reth::va, q.va);
    header(layout::reth::rkey, q.rkey);
    header(layout::reth::dma_length, q.length);
  }
  if (q.ud) {
    port::put(meta, layout::rx_meta::ext.offset + layout::ext_datagram::src_qp.offset, 24,
              q.src_qp);
  }
  header(layout::imm_dt::immediate, q.imm, has_reth(q.opcode) ? layout::reth::kBits : 0);
}

template <typename Port>
void Bench::block_out(Port& port, std::uint64_t addr, unsigned beat) {
  bus::put_beat(port, &memory[addr], beat, read_errors,
                addr / layout::kBlockBytes % bus::kBlockBeats);
}

inline void Bench::drive() {
  const std::uint64_t now = dut.cycle();
  Vroci_rq& d = *dut;
  d.rq_doorbell_valid_i = !doorbells.empty();
  if (!doorbells.empty()) {
    port::put(d.rq_doorbell_i, layout::doorbell::qpn, doorbells.front().first);
    port::put(d.rq_doorbell_i, layout::doorbell::index, doorbells.front().second);
  }
  d.srq_doorbell_valid_i = !srq_doorbells.empty();
  if (!srq_doorbells.empty()) {
    port::put(d.srq_doorbell_i, layout::doorbell::qpn, srq_doorbells.front().first);
    port::put(d.srq_doorbell_i, layout::doorbell::index, srq_doorbells.front().second);
  }
  d.key_op_req_ready_i = !pause();
  if (row_of_op) d.row_write_valid_i = row_of_op = false;
  if (!key_ops.empty() && key_ops.front().first == now + 1 && key_ops.front().second) {
    if (d.row_write_valid_i) {  // the bus is busy
      ++key_ops.front().first;
    } else {
      d.row_write_valid_i = row_of_op = true;
      port::put(d.row_write_i, layout::row_write::table_id, Table::kKey);
    }
  }
  d.key_op_rsp_valid_i = !key_ops.empty() && key_ops.front().first <= now;
  if (d.key_op_rsp_valid_i) {
    port::put(d.key_op_rsp_i, layout::key_op_rsp::ok, key_ops.front().second);
    key_ops.pop_front();
  }
  d.qp_event_valid_i = !qp_events.empty();
  if (!qp_events.empty()) {
    port::put(d.qp_event_i, layout::qp_event::qpn, qp_events.front().first);
    port::put(d.qp_event_i, layout::qp_event::kind, qp_events.front().second);
  }
  if (!meta_offered && !requests.empty() && !pause()) {
    offer(d.req_meta_i, requests.front());
    meta_offered = true;
  }
  d.req_meta_valid_i = meta_offered;
  drive_key(walk_keys, d.walk_key_rsp_i, d.walk_key_rsp_valid_i);
  drive_key(rkeys, d.rkey_rsp_i, d.rkey_rsp_valid_i);
  d.walk_key_req_ready_i = !pause();
  d.rkey_req_ready_i = !pause();

  d.fault_valid_i = 0;
  if (!arrivals.empty() && arrivals.front().placed && arrivals.front().ready <= now) {
    Arrival& a = arrivals.front();
    std::size_t at = 0;
    bool bad = false;
    for (auto [addr, len, drop] : a.segments) {
      const bool fails = !drop && bad_pages.count(addr / 4096) != 0;
      if (!drop && !fails) std::copy_n(a.payload.begin() + at, len, memory.begin() + addr);
      bad = bad || fails;
      at += len;
    }
    if (bad) {
      d.fault_valid_i = 1;
      port::put(d.fault_i, layout::fault::qpn, a.qpn);
      port::put(d.fault_i, layout::fault::psn, a.psn);
      port::put(d.fault_i, layout::fault::response, 0);
    } else {
      arrivals.pop_front();
      ++wr_done;
    }
  }
  d.wr_done_i = wr_done & 0xFFFF;
  d.req_seg_ready_i =
      std::any_of(arrivals.begin(), arrivals.end(), [](const Arrival& a) { return !a.placed; }) &&
      !pause();

  d.br_fetch_req_ready_i = !pause();
  d.br_fetch_rsp_valid_i = !fetches.empty() && fetches.front().cycle <= now;
  if (d.br_fetch_rsp_valid_i) {
    block_out(d.br_fetch_rsp_i, fetches.front().addr, fetch_beats.now());
  }
  d.br_atomic_req_ready_i = !pause();
  d.br_atomic_rsp_valid_i = !atomics.empty() && atomics.front().cycle <= now;
  if (d.br_atomic_rsp_valid_i) {
    block_out(d.br_atomic_rsp_i, atomics.front().addr, atomic_beats.now());
  }
  d.bw_atomic_req_ready_i = !pause();
  d.bw_atomic_rsp_valid_i = !stores.empty() && stores.front() <= now;
  if (d.bw_atomic_rsp_valid_i) {
    port::put(d.bw_atomic_rsp_i, layout::block_write_rsp::error,
              bad_pages.count(store_data.front().first / 4096) != 0);
    const bool bad = port::get(d.bw_atomic_rsp_i, layout::block_write_rsp::error);
    for (unsigned i = 0; i < 8 && !bad; ++i)
      memory[store_data.front().first + i] =
          static_cast<std::uint8_t>(store_data.front().second >> 8 * i);
    stores.pop_front();
    store_data.pop_front();
  }
  d.store_job_valid_i = store_jobs != 0;
  if (store_jobs != 0) {
    port::clear(d.store_job_i);
    port::put(d.store_job_i, layout::atomic_job::qpn, kStoreQp);
    port::put(d.store_job_i, layout::atomic_job::addr, store_address(store_jobs));
    port::put(d.store_job_i, layout::atomic_job::operand, store_jobs);
    port::put(d.store_job_i, layout::atomic_job::ticket, wr_done & 0xFFFF);
  }
  d.sent_valid_i = !in_tx.empty() && in_tx.front() <= now;
  if (d.sent_valid_i) {
    in_tx.pop_front();
    port::put(d.sent_i, layout::sent::qpn, sent_faults.front().qpn);
    port::put(d.sent_i, layout::sent::psn, sent_faults.front().psn);
    port::put(d.sent_i, layout::sent::error, sent_faults.front().poisoned);
    sent_faults.pop_front();
  }
  d.desc_ready_i = !pause();
  d.seg_ready_i = !need_payload.empty() && !pause();
  d.ack_ready_i = !pause();
  d.cqe_ready_i = !pause();
  d.fail_ready_i = !pause();
  d.event_ready_i = !pause();
  d.count_ready_i = !pause();
}

inline void Bench::clock_settled() {
  row_of_fail = !failed.empty() && !dut->row_write_valid_i;
  if (row_of_fail) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, Table::kQpState);
    port::put(dut->row_write_i, layout::row_write::index, failed.front());
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, QpState::kErr);
  }
  drive();
  dut.settle();
}

}  // namespace rq
