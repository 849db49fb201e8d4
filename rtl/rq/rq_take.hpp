// SPDX-License-Identifier: Apache-2.0
// Second half of a clock of the bench: what is handed over.
#pragma once

#include "rtl/rq/rq_bench.hpp"

namespace rq {

template <typename Req>
void Bench::take_key(Keys& keys, const Req& req) {
  auto get = [&](const char* n) { return port::get(req, place_of(kKeyReq, n)); };
  CHECK(get("len") != 0);
  ++lookups;
  const Region* r = check(static_cast<std::uint32_t>(get("key")), get("va"), get("len"),
                          static_cast<unsigned>(get("pd")), static_cast<unsigned>(get("access")));
  keys.push_back({dut.cycle() + 3, {r != nullptr, r ? r->addr + get("va") - r->iova : 0}});
}

template <typename Port>
void Bench::packet_out(const Port& desc, bool by_ack) {
  auto get = [&](const char* n) {
    return static_cast<unsigned>(port::get(desc, place_of(kTxDesc, n)));
  };
  const unsigned top = place_of(kTxDesc, "ext").offset + 224;
  Answer a{get("qpn"), get("opcode"), get("psn"), 0, 0, {}, 0, by_ack, false, dut.cycle()};
  const unsigned ext_len = get("ext_len");
  CHECK(get("ack_req") == 0);
  CHECK(ext_len == (a.opcode == kReadMiddle ? 0 : a.opcode == kAtomicAck ? 12 : 4));
  if (ext_len >= 4) {
    a.has_aeth = true;
    a.syndrome = static_cast<unsigned>(port::get(desc, top - 8, 8));
    a.msn = static_cast<unsigned>(port::get(desc, top - 32, 24));
  }
  if (ext_len == 12) a.original = port::get(desc, top - 96, 64);
  a.payload.resize(get("payload_len"));
  if (a.opcode == kAck && a.syndrome == 0x1F) {  // an ACK only stands for what is in memory
    const auto first = tickets.find({a.qpn, a.psn});
    if (first != tickets.end()) CHECK(wr_done >= first->second);
  }
  if (by_ack) CHECK(a.payload.empty());
  if (!a.payload.empty()) need_payload.push_back(answers.size());
  answers.push_back(std::move(a));
  if (!by_ack) {
    in_tx.push_back(dut.cycle() + 5 + (random_stalls ? random() % 40 : 0));
    sent_faults.push_back({get("qpn"), get("psn"), 0});
  }
}

inline void Bench::take() {
  const std::uint64_t now = dut.cycle();
  Vroci_rq& d = *dut;
  auto field = [](const auto& p, const auto& table, const char* n) {
    return static_cast<unsigned>(port::get(p, place_of(table, n)));
  };
  if (d.rq_doorbell_valid_i && d.rq_doorbell_ready_o) doorbells.pop_front();
  if (d.srq_doorbell_valid_i && d.srq_doorbell_ready_o) srq_doorbells.pop_front();
  if (d.qp_event_valid_i && d.qp_event_ready_o) qp_events.pop_front();
  if (d.key_op_req_valid_o && d.key_op_req_ready_i) {
    const std::uint32_t key = field(d.key_op_req_o, kKeyOpReq, "key");
    const unsigned pd = field(d.key_op_req_o, kKeyOpReq, "pd");
    CHECK(field(d.key_op_req_o, kKeyOpReq, "op") == 0);
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
    a->pieces.push_back({port::get(d.req_seg_o, place_of(kSeg, "addr")),
                         field(d.req_seg_o, kSeg, "len"), field(d.req_seg_o, kSeg, "drop")});
    if (!field(d.req_seg_o, kSeg, "drop")) CHECK(field(d.req_seg_o, kSeg, "pasid") == kPasid);
    if (field(d.req_seg_o, kSeg, "last")) {
      std::uint64_t sum = 0;
      for (auto& piece : a->pieces) sum += piece[1];
      CHECK(sum == a->payload.size());
      a->placed = true;
      a->ready = now + write_delay + (random_stalls ? random() % 50 : 0);
    }
  }
  if (d.br_fetch_rsp_valid_i && d.br_fetch_rsp_ready_o) fetches.pop_front();
  if (d.br_fetch_req_valid_o && d.br_fetch_req_ready_i)
    for (unsigned i = 0; i < port::get(d.br_fetch_req_o, bus::kReadCount); ++i)
      fetches.push_back({port::get(d.br_fetch_req_o, bus::kReadAddr) + 64 * i, now + read_delay});
  if (d.br_atomic_rsp_valid_i && d.br_atomic_rsp_ready_o) atomics.pop_front();
  if (d.br_atomic_req_valid_o && d.br_atomic_req_ready_i) {
    CHECK(port::get(d.br_atomic_req_o, bus::kReadCount) == 1);
    CHECK(port::get(d.br_atomic_req_o, bus::kReadAddr) % 64 == 0);
    atomics.push_back({port::get(d.br_atomic_req_o, bus::kReadAddr), now + read_delay});
  }
  if (d.bw_atomic_req_valid_o && d.bw_atomic_req_ready_i) {
    CHECK(port::get(d.bw_atomic_req_o, bus::kWriteBytes) == 8);
    stores.push_back(now + write_delay);
    store_data.push_back(
        {port::get(d.bw_atomic_req_o, bus::kWriteAddr), port::get(d.bw_atomic_req_o, 0, 64)});
  }
  if (d.store_job_valid_i && d.store_job_ready_o) --store_jobs;
  if (d.seg_valid_o && d.seg_ready_i) {
    Answer& a = answers[need_payload.front()];
    const std::uint64_t addr = port::get(d.seg_o, place_of(kSeg, "addr"));
    CHECK(field(d.seg_o, kSeg, "last") == 1);
    CHECK(field(d.seg_o, kSeg, "drop") == 0);
    REQUIRE(field(d.seg_o, kSeg, "len") == a.payload.size());
    std::copy_n(memory.begin() + addr, a.payload.size(), a.payload.begin());
    if (bad_pages.count(addr / 4096) != 0)
      for (auto& packet : sent_faults)
        if (packet[0] == a.qpn && packet[1] == a.psn) packet[2] = 1;
    need_payload.pop_front();
  }
  if (d.desc_valid_o && d.desc_ready_i) packet_out(d.desc_o, false);
  if (d.ack_valid_o && d.ack_ready_i) packet_out(d.ack_o, true);
  if (d.cqe_valid_o && d.cqe_ready_i) {
    auto get = [&](const char* n) { return field(d.cqe_o, kCqeReq, n); };
    cqes.push_back(
        {{get("cqn"), get("qpn"), get("wqe_index"), get("status"), get("opcode"), get("byte_len"),
          get("imm"), get("with_imm") != 0, get("solicited") != 0, get("with_inv") != 0},
         get("wait_data") ? static_cast<int>(get("ticket")) : -1});
  }
  // As the completion block does: in order, when the payload is in memory.
  while (!cqes.empty() && (cqes.front().second < 0 ||
                           static_cast<std::int16_t>(wr_done - cqes.front().second) >= 0)) {
    completions.push_back(cqes.front().first);
    if (faulted.count(completions.back().qpn) != 0 && completions.back().status == 0)
      completions.back().status = 17;
    cqes.pop_front();
  }
  if (d.fail_valid_o && d.fail_ready_i) {
    const unsigned qpn = field(d.fail_o, kEventReq, "number");
    fails.push_back({field(d.fail_o, kEventReq, "kind"), qpn});
    if (control) failed.push_back(qpn);
  }
  if (d.event_valid_o && d.event_ready_i)
    events.push_back({field(d.event_o, kEventReq, "kind"), field(d.event_o, kEventReq, "number")});
  if (d.count_valid_o && d.count_ready_i) {
    auto& c = counters[field(d.count_o, kCount, "qpn")];
    const unsigned n = field(d.count_o, kCount, "counter");
    ++c[n];
    if (n == 0 || n == 2) c[n + 1] += field(d.count_o, kCount, "bytes");
  }
  for (unsigned i = 0; i < 10; ++i) drops[i] += d.drop_o >> i & 1;
}

inline void Bench::finish_clock() {
  take();
  dut.tick();
  if (row_of_fail) {
    dut->row_write_valid_i = 0;
    qp_events.push_back({failed.front(), 2});
    failed.pop_front();
  }
}

inline void Bench::clock() {
  clock_settled();
  finish_clock();
}

}  // namespace rq
