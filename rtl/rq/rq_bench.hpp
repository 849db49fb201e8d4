// SPDX-License-Identifier: Apache-2.0
// The receive side between a peer, host memory, a key table and a control block, all of them
// models. A clock of it stands in rq_drive.hpp and rq_take.hpp.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "Vroci_rq.h"
#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/rq/rq_records.hpp"

namespace rq {

class Bench {
 public:
  Dut<Vroci_rq> dut;
  Bytes memory = Bytes(kMemorySize);
  std::vector<Region> regions;
  std::deque<Request> requests;
  std::vector<Answer> answers;
  std::vector<Completion> completions;
  std::vector<std::pair<unsigned, unsigned>> fails, events;  // kind, qpn
  std::map<unsigned, std::array<std::uint64_t, 8>> counters;
  std::array<unsigned, 10> drops{};
  bool control = true;  // fail leads to ERR and Flush, as in the control block
  bool random_stalls = false, read_errors = false;
  std::set<std::uint64_t> bad_pages;  // a write to one fails, a payload read too
  std::set<unsigned> faulted;         // no good completion of these passes any more
  unsigned invalidations = 0, lookups = 0;
  std::map<unsigned, unsigned> srq_posted;
  std::map<unsigned, Srq> srqs;
  unsigned read_delay = 20, write_delay = 20;
  std::mt19937 random{20240611};
  unsigned store_jobs = 0;  // stores of the send side to offer
  std::uint64_t requests_taken = 0;

  Bench() {
    for (auto& byte : memory) byte = static_cast<std::uint8_t>(random());
    while (!dut->idle_o) clock();
  }

  // Control.
  void row(unsigned table, unsigned index, const Attr* attr, unsigned state = 0) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, index);
    bus::clear_data(dut->row_write_i);
    if (attr) {
      auto set = [&](const char* n, std::uint64_t v) {
        port::put(dut->row_write_i, place_of(kQpAttr, n), v);
      };
      set("pd", attr->pd);
      set("pasid", kPasid);
      set("access", attr->access);
      set("pmtu", attr->pmtu);
      set("min_rnr_timer", attr->rnr_timer);
      set("max_dest_rd_atomic", attr->max_dest);
      set("recv_cqn", 100 + index);
      set("rq_base", ring(index));
      set("rq_log", attr->rq_log);
      set("rq_stride_log", attr->stride);
      set("rq_psn", attr->rq_psn);
      set("srq", attr->srq);
      set("srqn", attr->srqn);
      set("credits", attr->credits);
    } else {
      port::put(dut->row_write_i, 0, 3, state);
    }
    clock();
    dut->row_write_valid_i = 0;
  }
  void srq_row(unsigned srqn, const Srq& srq) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, 7);
    port::put(dut->row_write_i, bus::kRowIndex, srqn);
    bus::clear_data(dut->row_write_i);
    auto set = [&](const char* n, std::uint64_t v) {
      port::put(dut->row_write_i, place_of(kSrq, n), v);
    };
    set("valid", srq.valid);
    set("pd", srq.pd);
    set("pasid", kPasid);
    set("base", kSrqBase + 0x10000ull * srqn);
    set("log", srq.log);
    set("stride_log", srq.stride);
    set("limit", srq.limit);
    clock();
    dut->row_write_valid_i = 0;
    srqs[srqn] = srq;
  }
  /// Tells that a row of the key table changed; `regions` is the table.
  void key_row() {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, 3);
    bus::clear_data(dut->row_write_i);
    clock();
    dut->row_write_valid_i = 0;
  }
  /// The send side has invalidated a key; `drained` counts the results.
  void drain() {
    dut->drain_i = 1;
    clock();
    dut->drain_i = 0;
  }
  unsigned drained = 0;
  /// Accesses to memory that have begun and not ended: READ data, atomics, payload.
  std::size_t accesses() const {
    std::size_t n = need_payload.size() + atomics.size() + store_data.size();
    for (const Arrival& a : arrivals)
      n += a.ours && std::any_of(a.pieces.begin(), a.pieces.end(), [](auto& p) { return !p[2]; });
    std::size_t left = in_tx.size();  // the newest packets by desc have not left
    for (std::size_t i = answers.size(); left != 0 && i-- != 0;) {
      if (answers[i].by_ack) continue;
      n += !answers[i].payload.empty();
      --left;
    }
    return n;
  }
  void set_state(unsigned qpn, unsigned state) { row(2, qpn, nullptr, state); }
  void event(unsigned qpn, unsigned kind) { qp_events.push_back({qpn, kind}); }
  /// RESET to INIT.
  void create(unsigned qpn, const Attr& attr = {}) {
    set_state(qpn, kReset);
    row(0, qpn, &attr);
    set_state(qpn, kInit);
    attrs[qpn] = attr;
    posted[qpn] = 0;
  }
  /// INIT to RTR.
  void ready(unsigned qpn, unsigned state = kRtr) {
    set_state(qpn, state);
    event(qpn, 1);
    run();
  }
  void connect(unsigned qpn, const Attr& attr = {}) {
    create(qpn, attr);
    ready(qpn);
  }

  static std::uint64_t ring(unsigned qpn) { return kRingBase + 0x10000ull * qpn; }
  struct Sge {
    std::uint64_t addr;
    std::uint32_t length, key;
  };
  static void put_entry(std::uint8_t* wqe, unsigned stride, const std::vector<Sge>& list) {
    std::fill_n(wqe, 64u << stride, std::uint8_t{0});
    put_memory(wqe, place_of(kWqe, "num_sge"), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::uint8_t* sge = wqe + (i == 0 ? 48 : 64 + 16 * (i - 1));
      put_memory(sge, place_of(kSge, "addr"), list[i].addr);
      put_memory(sge, place_of(kSge, "length"), list[i].length);
      put_memory(sge, place_of(kSge, "lkey"), list[i].key);
    }
  }
  void post(unsigned qpn, const std::vector<Sge>& list, bool ring_it = true) {
    const Attr& attr = attrs[qpn];
    const unsigned index = posted[qpn]++ & ((1u << attr.rq_log) - 1);
    put_entry(&memory[ring(qpn) + (index << attr.stride) * 64], attr.stride, list);
    if (ring_it) doorbell(qpn, posted[qpn]);
  }
  /// A receive in an SRQ.
  void post_srq(unsigned srqn, const std::vector<Sge>& list, unsigned tag, bool ring_it = true) {
    const Srq& srq = srqs[srqn];
    const unsigned index = srq_posted[srqn]++ & ((1u << srq.log) - 1);
    std::uint8_t* wqe = &memory[kSrqBase + 0x10000ull * srqn + (index << srq.stride) * 64];
    put_entry(wqe, srq.stride, list);
    put_memory(wqe, place_of(kWqe, "imm"), tag);
    if (ring_it) srq_doorbell(srqn, srq_posted[srqn]);
  }
  void srq_doorbell(unsigned srqn, unsigned index) {
    srq_doorbells.push_back({srqn, index & 0xFFFF});
  }
  void doorbell(unsigned qpn, unsigned index) { doorbells.push_back({qpn, index & 0xFFFF}); }

  void send(Request request) { requests.push_back(std::move(request)); }
  std::uint64_t word(std::uint64_t addr) const { return get_memory(&memory[addr], Place{0, 64}); }

  /// Clocks until nothing is left to do.
  void run(unsigned limit = 200000) {
    unsigned calm = 0;
    while (calm < 4) {
      clock();
      calm = dut->idle_o && requests.empty() && qp_events.empty() && doorbells.empty() &&
                     srq_doorbells.empty() && arrivals.empty() && cqes.empty() && in_tx.empty() &&
                     store_jobs == 0
                 ? calm + 1
                 : 0;
      REQUIRE(limit-- != 0);
    }
  }

  std::pair<unsigned, unsigned> live(unsigned qpn) {
    dut->live_qpn_i = qpn;
    dut->live_valid_i = 1;
    do clock();
    while (!dut->live_ready_o);
    const auto result =
        std::make_pair(static_cast<unsigned>(port::get(dut->live_o, place_of(kQpLive, "rq_psn"))),
                       static_cast<unsigned>(port::get(dut->live_o, place_of(kQpLive, "msn"))));
    dut->live_valid_i = 0;
    clock();
    return result;
  }

  struct SrqLive {
    unsigned producer, consumer, limit;
  };
  SrqLive srq_live(unsigned srqn) {
    dut->live_qpn_i = srqn;
    dut->live_srq_valid_i = 1;
    for (clock_settled(); !dut->live_srq_ready_o; clock_settled()) finish_clock();
    auto get = [&](const char* n) {
      return static_cast<unsigned>(port::get(dut->live_srq_o, place_of(kSrqLive, n)));
    };
    const SrqLive result{get("producer"), get("consumer"), get("limit")};
    finish_clock();
    dut->live_srq_valid_i = 0;
    return result;
  }

  void clock();
  void clock_settled();  // the first half of a clock
  void finish_clock();
  bool payload_missing(std::size_t answer) const {
    return !need_payload.empty() && need_payload.front() <= answer;
  }

 private:
  struct Arrival {  // a packet with payload that rx gave to an engine
    Bytes payload;
    bool ours, placed = false;
    std::uint64_t ready = 0;
    std::vector<std::array<std::uint64_t, 3>> pieces;  // address, length, drop
    unsigned qpn = 0;
    std::uint32_t psn = 0;
  };
  struct Read {
    std::uint64_t addr, cycle;
  };

  bool pause() { return random_stalls && random() % 4 == 0; }
  const Region* check(std::uint32_t key, std::uint64_t va, std::uint64_t len, unsigned pd,
                      unsigned access) const {
    for (const Region& r : regions)
      if (r.key == key && r.pd == pd && (r.access & access) == access && va >= r.iova &&
          len <= r.length && va - r.iova <= r.length - len)
        return &r;
    return nullptr;
  }
  using Keys = std::deque<std::pair<std::uint64_t, std::pair<bool, std::uint64_t>>>;
  template <typename Rsp>
  void drive_key(Keys& keys, Rsp& rsp, std::uint8_t& valid);
  template <typename Req>
  void take_key(Keys& keys, const Req& req);
  template <typename Port>
  void offer(Port& meta, const Request& request);
  template <typename Port>
  void packet_out(const Port& desc, bool by_ack);
  template <typename Port>
  void block_out(Port& port, std::uint64_t addr);
  void drive();
  void take();

  std::map<unsigned, Attr> attrs;
  std::deque<unsigned> failed;
  std::deque<std::pair<Completion, int>> cqes;  // and the ticket they wait for
  std::map<unsigned, unsigned> posted;
  std::deque<std::pair<unsigned, unsigned>> srq_doorbells;
  std::deque<std::pair<std::uint64_t, bool>> key_ops;    // results: when, good
  std::deque<std::array<std::uint64_t, 3>> sent_faults;  // packets in tx: qpn, psn, poisoned
  bool row_of_fail = false, row_of_op = false;
  std::deque<std::pair<unsigned, unsigned>> qp_events, doorbells;
  std::deque<Arrival> arrivals;
  unsigned ticket = 0, wr_done = 0;
  std::map<std::pair<unsigned, std::uint32_t>, unsigned> tickets;  // of the first copy of a packet
  std::deque<Read> fetches, atomics;
  std::deque<std::uint64_t> stores;  // cycles of write responses
  std::deque<std::uint64_t> in_tx;   // cycles at which desc packets have left
  Keys walk_keys, rkeys;
  std::deque<std::size_t> need_payload;  // responses whose segments have not come
  std::deque<std::pair<std::uint64_t, std::uint64_t>> store_data;
  bool meta_offered = false;
};

}  // namespace rq

#include "rtl/rq/rq_drive.hpp"
#include "rtl/rq/rq_take.hpp"
