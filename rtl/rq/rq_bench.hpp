// The receive side between a peer, host memory, a key table and a control block, all of them
// models.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "Vroci_rq.h"
#include "common/dut.hpp"
#include "spec/codes.hpp"
#include "spec/context.hpp"
#include "spec/queues.hpp"
#include "spec/records.hpp"

namespace rq {

using namespace roci::spec;
using Bytes = std::vector<std::uint8_t>;

// Opcodes of IBTA table 35 (RC).
enum Op : unsigned {
  kSendFirst,
  kSendMiddle,
  kSendLast,
  kSendLastImm,
  kSendOnly,
  kSendOnlyImm,
  kWriteFirst,
  kWriteMiddle,
  kWriteLast,
  kWriteLastImm,
  kWriteOnly,
  kWriteOnlyImm,
  kReadRequest,
  kReadFirst,
  kReadMiddle,
  kReadLast,
  kReadOnly,
  kAck,
  kAtomicAck,
  kCmpSwap,
  kFetchAdd,
  kReserved,
  kSendLastInv,
  kSendOnlyInv,
};
enum State : unsigned { kReset, kInit, kRtr, kRts, kSqd, kErr = 6 };
enum Access : unsigned { kLocalWrite = 1, kRemoteWrite = 2, kRemoteRead = 4, kRemoteAtomic = 8 };

struct Request {
  unsigned qpn = 0, opcode = 0;
  std::uint32_t psn = 0;
  Bytes payload;
  bool ack_req = true, solicited = false;
  std::uint64_t va = 0, swap_add = 0, compare = 0;
  std::uint32_t rkey = 0, length = 0, imm = 0;
};

struct Answer {
  unsigned qpn, opcode, psn, syndrome, msn;
  Bytes payload;
  std::uint64_t original;
  bool by_ack, has_aeth;
  std::uint64_t cycle;
};

struct Completion {
  unsigned cqn, qpn, index, status, opcode, byte_len, imm;
  bool with_imm, solicited, with_inv;
};

struct Region {
  std::uint32_t key;
  unsigned pd, access;
  std::uint64_t iova, length, addr;
};

struct Attr {
  unsigned pd = 7, access = 15, pmtu = 1, max_dest = 4, rnr_timer = 12, rq_log = 4, stride = 0;
  std::uint32_t rq_psn = 0x1000;
  bool srq = false, credits = false;
  unsigned srqn = 0;
};

struct Srq {
  unsigned pd = 9, log = 4, stride = 0, limit = 0;
  bool valid = true;
};

constexpr unsigned kPasid = 0x54321;
constexpr std::uint64_t kRingBase = 0x10000;  // receive rings, 64 KiB each
constexpr std::uint64_t kSrqBase = 0x200000;  // rings of SRQs, 64 KiB each
constexpr std::uint64_t kMemorySize = 0x280000;

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

  // ---------------------------------------------------------------- control
  void row(unsigned table, unsigned index, const Attr* attr, unsigned state = 0) {
    dut->row_valid_i = 1;
    dut->row_table_i = table;
    dut->row_index_i = index;
    port::clear(dut->row_data_i);
    if (attr) {
      auto set = [&](const char* n, std::uint64_t v) {
        port::put(dut->row_data_i, place_of(kQpAttr, n), v);
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
      port::put(dut->row_data_i, 0, 3, state);
    }
    clock();
    dut->row_valid_i = 0;
  }
  void srq_row(unsigned srqn, const Srq& srq) {
    dut->row_valid_i = 1;
    dut->row_table_i = 7;
    dut->row_index_i = srqn;
    port::clear(dut->row_data_i);
    auto set = [&](const char* n, std::uint64_t v) {
      port::put(dut->row_data_i, place_of(kSrq, n), v);
    };
    set("valid", srq.valid);
    set("pd", srq.pd);
    set("pasid", kPasid);
    set("base", kSrqBase + 0x10000ull * srqn);
    set("log", srq.log);
    set("stride_log", srq.stride);
    set("limit", srq.limit);
    clock();
    dut->row_valid_i = 0;
    srqs[srqn] = srq;
  }
  /// Tells that a row of the key table changed; `regions` is the table.
  void key_row() {
    dut->row_valid_i = 1;
    dut->row_table_i = 3;
    port::clear(dut->row_data_i);
    clock();
    dut->row_valid_i = 0;
  }
  /// The send side has invalidated a key; `drained` counts the answers.
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
                     srq_doorbells.empty() && arrivals.empty() && cqes.empty() && in_tx.empty() && store_jobs == 0
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
  std::deque<std::pair<std::uint64_t, bool>> key_ops;  // answers: when, good
  std::deque<std::array<std::uint64_t, 3>> sent_faults;  // packets in tx: qpn, psn, spoiled
  bool row_of_fail = false, row_of_op = false;
  std::deque<std::pair<unsigned, unsigned>> qp_events, doorbells;
  std::deque<Arrival> arrivals;
  unsigned ticket = 0, wr_done = 0;
  std::map<std::pair<unsigned, std::uint32_t>, unsigned> tickets;  // of the first copy of a packet
  std::deque<Read> fetches, atomics;
  std::deque<std::uint64_t> stores;  // cycles of write responses
  std::deque<std::uint64_t> in_tx;   // cycles at which desc packets have left
  Keys walk_keys, rkeys;
  std::deque<std::size_t> need_payload;  // answers whose pieces have not come
  std::deque<std::pair<std::uint64_t, std::uint64_t>> store_data;
  bool meta_offered = false;
};

template <typename Rsp>
void Bench::drive_key(Keys& keys, Rsp& rsp, std::uint8_t& valid) {
  valid = !keys.empty() && keys.front().first <= dut.cycle();
  if (!valid) return;
  port::put(rsp, place_of(kKeyRsp, "ok"), keys.front().second.first);
  port::put(rsp, place_of(kKeyRsp, "addr"), keys.front().second.second);
  port::put(rsp, place_of(kKeyRsp, "pasid"), kPasid);
  keys.pop_front();
}

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
  if (row_of_op) d.row_valid_i = row_of_op = false;
  if (!key_ops.empty() && key_ops.front().first == now + 1 && key_ops.front().second) {
    if (d.row_valid_i) {  // the bus is busy
      ++key_ops.front().first;
    } else {
      d.row_valid_i = row_of_op = true;
      d.row_table_i = 3;
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
    Arrival& a = arrivals.front();  // pieces wait for their data
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

  d.br_fetch_ready_i = !pause();
  d.br_fetch_data_valid_i = !fetches.empty() && fetches.front().cycle <= now;
  d.br_fetch_error_i = read_errors;
  if (d.br_fetch_data_valid_i) block_out(d.br_fetch_data_i, fetches.front().addr);
  d.br_atomic_ready_i = !pause();
  d.br_atomic_data_valid_i = !atomics.empty() && atomics.front().cycle <= now;
  d.br_atomic_error_i = read_errors;
  if (d.br_atomic_data_valid_i) block_out(d.br_atomic_data_i, atomics.front().addr);
  d.bw_atomic_ready_i = !pause();
  d.bw_atomic_done_i = !stores.empty() && stores.front() <= now;
  if (d.bw_atomic_done_i) {
    d.bw_atomic_error_i = bad_pages.count(store_data.front().first / 4096) != 0;
    for (unsigned i = 0; i < 8 && !d.bw_atomic_error_i; ++i)
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
  d.sent_i = !in_tx.empty() && in_tx.front() <= now;
  if (d.sent_i) {
    in_tx.pop_front();
    d.sent_qpn_i = sent_faults.front()[0];
    d.sent_psn_i = sent_faults.front()[1];
    d.sent_error_i = sent_faults.front()[2];
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
  if (d.br_fetch_data_valid_i && d.br_fetch_data_ready_o) fetches.pop_front();
  if (d.br_fetch_valid_o && d.br_fetch_ready_i)
    for (unsigned i = 0; i < d.br_fetch_count_o; ++i)
      fetches.push_back({d.br_fetch_addr_o + 64 * i, now + read_delay});
  if (d.br_atomic_data_valid_i && d.br_atomic_data_ready_o) atomics.pop_front();
  if (d.br_atomic_valid_o && d.br_atomic_ready_i) {
    CHECK(d.br_atomic_count_o == 1);
    CHECK(d.br_atomic_addr_o % 64 == 0);
    atomics.push_back({d.br_atomic_addr_o, now + read_delay});
  }
  if (d.bw_atomic_valid_o && d.bw_atomic_ready_i) {
    CHECK(d.bw_atomic_bytes_o == 8);
    stores.push_back(now + write_delay);
    store_data.push_back({d.bw_atomic_addr_o, port::get(d.bw_atomic_data_o, 0, 64)});
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
    cqes.push_back({{get("cqn"), get("qpn"), get("wqe_index"), get("status"), get("opcode"),
                     get("byte_len"), get("imm"), get("with_imm") != 0, get("solicited") != 0,
                     get("with_inv") != 0},
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

inline void Bench::clock_settled() {
  row_of_fail = !failed.empty() && !dut->row_valid_i;
  if (row_of_fail) {
    dut->row_valid_i = 1;
    dut->row_table_i = 2;
    dut->row_index_i = failed.front();
    port::clear(dut->row_data_i);
    port::put(dut->row_data_i, 0, 3, kErr);
  }
  drive();
  dut.settle();
}

inline void Bench::finish_clock() {
  take();
  dut.tick();
  if (row_of_fail) {
    dut->row_valid_i = 0;
    qp_events.push_back({failed.front(), 2});
    failed.pop_front();
  }
}

inline void Bench::clock() {
  clock_settled();
  finish_clock();
}

}  // namespace rq
