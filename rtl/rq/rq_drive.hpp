// SPDX-License-Identifier: Apache-2.0
// First half of a clock of the bench: what it drives, from its queues.
#pragma once

#include "rtl/rq/rq_bench.hpp"

namespace rq {

template <typename Rsp>
void Bench::drive_key(Keys& keys, Rsp& rsp, std::uint8_t& valid) {
  valid = !keys.empty() && keys.front().first <= dut.cycle();
  if (!valid) return;
  port::put(rsp, place_of(kKeyRsp, "ok"), keys.front().second.first);
  port::put(rsp, place_of(kKeyRsp, "addr"), keys.front().second.second);
  port::put(rsp, place_of(kKeyRsp, "pasid"), kPasid);
  keys.pop_front();
}

template <typename Port>
void Bench::offer(Port& meta, const Request& q) {
  if (!q.payload.empty()) {
    if (random_stalls && random() % 8 == 0) {  // a response to the send side came before
      arrivals.push_back({Bytes(1), false, true, dut.cycle() + write_delay, {}});
      ++ticket;
    }
    arrivals.push_back({q.payload, true, false, 0, {}, q.qpn, q.psn});
    ++ticket;
    tickets.insert({{q.qpn, q.psn}, ticket});
  }
  port::clear(meta);
  auto set = [&](const char* n, std::uint64_t v) { port::put(meta, place_of(kRxMeta, n), v); };
  set("qpn", q.qpn);
  set("opcode", q.opcode);
  set("psn", q.psn);
  set("solicited", q.solicited);
  set("ack_req", q.ack_req);
  set("payload_len", q.payload.size());
  set("ticket", ticket);
  unsigned top = place_of(kRxMeta, "ext").offset + 224;
  auto ext = [&](std::uint64_t v, unsigned bits) { port::put(meta, top -= bits, bits, v); };
  const bool reth = q.opcode == kWriteFirst || q.opcode == kWriteOnly ||
                    q.opcode == kWriteOnlyImm || q.opcode == kReadRequest;
  if (reth || q.opcode == kCmpSwap || q.opcode == kFetchAdd) {
    ext(q.va, 64);
    ext(q.rkey, 32);
  }
  if (reth) ext(q.length, 32);
  if (q.opcode == kCmpSwap || q.opcode == kFetchAdd) {
    ext(q.swap_add, 64);
    ext(q.compare, 64);
  }
  if (q.opcode != kCmpSwap && q.opcode != kFetchAdd) ext(q.imm, 32);
}

template <typename Port>
void Bench::block_out(Port& port, std::uint64_t addr) {
  for (unsigned i = 0; i < 64; ++i) port::put_byte(port, i, memory[addr + i]);
}
inline void Bench::drive() {
  const std::uint64_t now = dut.cycle();
  Vroci_rq& d = *dut;
  d.rq_doorbell_valid_i = !doorbells.empty();
  if (!doorbells.empty()) {
    port::put(d.rq_doorbell_i, place_of(kDoorbell, "qpn"), doorbells.front().first);
    port::put(d.rq_doorbell_i, place_of(kDoorbell, "index"), doorbells.front().second);
  }
  d.srq_doorbell_valid_i = !srq_doorbells.empty();
  if (!srq_doorbells.empty()) {
    port::put(d.srq_doorbell_i, place_of(kDoorbell, "qpn"), srq_doorbells.front().first);
    port::put(d.srq_doorbell_i, place_of(kDoorbell, "index"), srq_doorbells.front().second);
  }
  d.key_op_req_ready_i = !pause();
  if (row_of_op) d.row_write_valid_i = row_of_op = false;
  if (!key_ops.empty() && key_ops.front().first == now + 1 && key_ops.front().second) {
    if (d.row_write_valid_i) {  // the bus is busy
      ++key_ops.front().first;
    } else {
      d.row_write_valid_i = row_of_op = true;
      port::put(d.row_write_i, bus::kRowTable, 3);
    }
  }
  d.key_op_rsp_valid_i = !key_ops.empty() && key_ops.front().first <= now;
  if (d.key_op_rsp_valid_i) {
    port::put(d.key_op_rsp_i, place_of(kKeyOpRsp, "ok"), key_ops.front().second);
    key_ops.pop_front();
  }
  d.qp_event_valid_i = !qp_events.empty();
  if (!qp_events.empty()) {
    port::put(d.qp_event_i, place_of(kQpEvent, "qpn"), qp_events.front().first);
    port::put(d.qp_event_i, place_of(kQpEvent, "kind"), qp_events.front().second);
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
    Arrival& a = arrivals.front();  // segments wait for their data
    std::size_t at = 0;
    bool bad = false;
    for (auto [addr, len, drop] : a.pieces) {
      const bool fails = !drop && bad_pages.count(addr / 4096) != 0;
      if (!drop && !fails) std::copy_n(a.payload.begin() + at, len, memory.begin() + addr);
      bad = bad || fails;
      at += len;
    }
    if (bad) {
      d.fault_valid_i = 1;
      port::put(d.fault_i, place_of(kFault, "qpn"), a.qpn);
      port::put(d.fault_i, place_of(kFault, "psn"), a.psn);
      port::put(d.fault_i, place_of(kFault, "response"), 0);
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
  port::put(d.br_fetch_rsp_i, bus::kReadError, read_errors);
  if (d.br_fetch_rsp_valid_i) block_out(d.br_fetch_rsp_i, fetches.front().addr);
  d.br_atomic_req_ready_i = !pause();
  d.br_atomic_rsp_valid_i = !atomics.empty() && atomics.front().cycle <= now;
  port::put(d.br_atomic_rsp_i, bus::kReadError, read_errors);
  if (d.br_atomic_rsp_valid_i) block_out(d.br_atomic_rsp_i, atomics.front().addr);
  d.bw_atomic_req_ready_i = !pause();
  d.bw_atomic_rsp_valid_i = !stores.empty() && stores.front() <= now;
  if (d.bw_atomic_rsp_valid_i) {
    port::put(d.bw_atomic_rsp_i, bus::kWriteError,
              bad_pages.count(store_data.front().first / 4096) != 0);
    for (unsigned i = 0; i < 8 && !port::get(d.bw_atomic_rsp_i, bus::kWriteError); ++i)
      memory[store_data.front().first + i] =
          static_cast<std::uint8_t>(store_data.front().second >> 8 * i);
    stores.pop_front();
    store_data.pop_front();
  }
  d.store_job_valid_i = store_jobs != 0;
  if (store_jobs != 0) {
    port::clear(d.store_job_i);
    port::put(d.store_job_i, place_of(kAtomicJob, "qpn"), 7);
    port::put(d.store_job_i, place_of(kAtomicJob, "addr"), 0x1F0000 + 24 * (store_jobs % 64) + 3);
    port::put(d.store_job_i, place_of(kAtomicJob, "operand"), store_jobs);
    port::put(d.store_job_i, place_of(kAtomicJob, "ticket"), wr_done & 0xFFFF);
  }
  d.sent_valid_i = !in_tx.empty() && in_tx.front() <= now;
  if (d.sent_valid_i) {
    in_tx.pop_front();
    port::put(d.sent_i, bus::kSentQpn, sent_faults.front()[0]);
    port::put(d.sent_i, bus::kSentPsn, sent_faults.front()[1]);
    port::put(d.sent_i, bus::kSentError, sent_faults.front()[2]);
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
    port::put(dut->row_write_i, bus::kRowTable, 2);
    port::put(dut->row_write_i, bus::kRowIndex, failed.front());
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, 0, 3, kErr);
  }
  drive();
  dut.settle();
}

}  // namespace rq
