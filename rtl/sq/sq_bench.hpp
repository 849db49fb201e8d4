// Bench of the send side: host memory, key table, timers, and a peer that answers by the rules of
// the specification over a wire that may lose packets.
#pragma once

#include <Vroci_sq.h>

#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "common/dut.hpp"
#include "spec/codes.hpp"
#include "spec/context.hpp"
#include "spec/queues.hpp"
#include "spec/records.hpp"

namespace sq_bench {

using namespace roci::spec;
using Bytes = std::vector<std::uint8_t>;

constexpr unsigned kQps = 64;
constexpr unsigned kQueueBase = 0x800000;  // send queues, 64 KiB each
constexpr unsigned kDataBase = 0x100000;   // registered region: [kDataBase, kQueueBase)
constexpr unsigned kGoodKey = 0x111, kReadOnlyKey = 0x122, kBadKey = 0x133;

constexpr unsigned kFastKey = 0x200;  // good while it is registered

enum Op : unsigned {
  kSend,
  kSendImm,
  kWrite,
  kWriteImm,
  kRead,
  kCmpSwap,
  kFetchAdd,
  kSendInv,
  kLocalInv,
  kBindMw,
  kRegMr
};
enum Status : unsigned {
  kSuccess = 0,
  kLocLenErr = 1,
  kLocQpOpErr = 2,
  kLocProtErr = 4,
  kWrFlushErr = 5,
  kMwBindErr = 6,
  kBadRespErr = 7,
  kRemInvReqErr = 9,
  kRemAccessErr = 10,
  kRemOpErr = 11,
  kRetryExcErr = 12,
  kRnrRetryExcErr = 13,
  kFatalErr = 19,
};

struct Sge {
  std::uint64_t addr;
  std::uint32_t length;
  std::uint32_t key = kGoodKey;
};

struct Work {
  unsigned op = kWrite;
  std::vector<Sge> list;
  std::uint64_t remote = 0;
  bool signaled = true, solicited = false, fence = false, inlined = false;
  std::uint32_t imm = 0;
  std::uint64_t swap_add = 0, compare = 0;
  Bytes inline_data;
  long length = -1;  // when not the sum of the list
  std::uint32_t rkey = 0x77777777;
  std::uint32_t region = 0;  // of a bind
};

/// A key operation that was executed, or refused.
struct KeyOperation {
  unsigned op, key, qpn, pd, region, access;
  std::uint64_t va, length, addr;
  std::uint64_t at;  // clock of the answer
  std::size_t sent;  // packets that had left by then
};

struct Packet {
  unsigned qpn = 0, opcode = 0, psn = 0, payload_len = 0, ext_len = 0;
  bool se = false, ack = false;
  std::uint8_t ext[28] = {};
  Bytes payload;
  std::uint64_t at = 0;  // clock

  std::uint64_t ext_number(unsigned byte, unsigned bytes) const {
    std::uint64_t v = 0;
    for (unsigned i = 0; i < bytes; ++i) v = v << 8 | ext[byte + i];
    return v;
  }
  void set_ext(unsigned byte, unsigned bytes, std::uint64_t v) {
    for (unsigned i = 0; i < bytes; ++i) ext[byte + i] = std::uint8_t(v >> 8 * (bytes - 1 - i));
  }
};

struct Completion {
  unsigned qpn, index, status, opcode, byte_len, vendor;
  std::uint64_t at;
};

/// The other end of one queue pair.
struct Peer {
  unsigned epsn = 0, msn = 0;
  bool nak_sent = false;
  Bytes memory = Bytes(1 << 18);
  std::vector<Bytes> sends;
  Bytes partial;
  std::uint64_t write_at = 0;
  std::map<unsigned, std::uint64_t> atomics;  // PSN -> original
  int rnr = 0;                                // refuse so many SENDs
  bool mute = false;
};

struct Attr {
  unsigned pmtu = 3, retry = 7, rnr_retry = 7, timeout = 14, max_rd = 16, sq_log = 5, stride = 0;
  unsigned psn = 0;
};

class Bench {
 public:
  Dut<Vroci_sq> dut;
  Bytes memory = Bytes(kQueueBase + kQps * 0x10000);
  std::vector<Peer> peers = std::vector<Peer>(kQps);
  std::vector<Attr> attr = std::vector<Attr>(kQps);
  std::vector<unsigned> produced = std::vector<unsigned>(kQps);
  std::vector<unsigned> state = std::vector<unsigned>(kQps);
  std::vector<Packet> sent;  // every request that left
  std::vector<Completion> done;
  std::deque<Packet> responses;  // on their way to the adapter
  std::map<unsigned, unsigned> counters;
  std::vector<KeyOperation> operations;
  unsigned operation_time = 5;
  unsigned drain_time = 30;  // what accesses of before take when a key ends
  bool refuse = false, registered = false;  // key operations; kFastKey
  unsigned latency = 60, wire = 20, transport_time = 3000, rnr_time = 1000;
  unsigned ghosts = 0, fails = 0, dropped_segs = 0, wrong_places = 0;
  unsigned fetched = 0;  // blocks of work requests read
  double loss = 0;
  unsigned desc_every = 1;
  bool auto_peer = true, log = false, read_error = false;
  std::mt19937_64 random{1};
  std::function<bool(const Packet&)> lose_request, lose_response;

  Bench() {
    for (unsigned i = 0; i < memory.size(); ++i) memory[i] = std::uint8_t(i * 7 + (i >> 8) * 13);
    port::clear(dut->row_data_i);
    run(kQps + 40);
  }

  void row(unsigned table, unsigned index) {
    dut->row_valid_i = 1;
    dut->row_table_i = table;
    dut->row_index_i = index;
    tick();
    dut->row_valid_i = 0;
  }
  void set_state(unsigned qp, unsigned s) {
    port::clear(dut->row_data_i);
    port::put(dut->row_data_i, 0, 3, s);
    row(2, qp);
    state[qp] = s;
  }
  void event(unsigned qp, unsigned kind) { events_.push_back({qp, kind}); }

  void connect(unsigned qp, Attr a = {}) {
    attr[qp] = a;
    port::clear(dut->row_data_i);
    auto put = [&](const char* name, std::uint64_t v) {
      port::put(dut->row_data_i, place_of(kQpAttr, name), v);
    };
    put("pd", 7);
    put("pasid", 5);
    put("pmtu", a.pmtu);
    put("retry_cnt", a.retry);
    put("rnr_retry", a.rnr_retry);
    put("timeout", a.timeout);
    put("max_rd_atomic", a.max_rd);
    put("send_cqn", 3);
    put("sq_base", kQueueBase + qp * 0x10000);
    put("sq_log", a.sq_log);
    put("sq_stride_log", a.stride);
    put("sq_psn", a.psn);
    row(0, qp);
    set_state(qp, 0);
    set_state(qp, 1);
    set_state(qp, 2);
    set_state(qp, 3);
    event(qp, 0);
    peers[qp] = Peer();
    peers[qp].epsn = a.psn;
    produced[qp] = 0;
    run(30);
  }

  /// Writes a work request; ring() tells the adapter.
  unsigned post(unsigned qp, const Work& w) {
    const unsigned blocks = 1u << attr[qp].stride;
    const unsigned entry = produced[qp] & ((1u << attr[qp].sq_log) - 1);
    std::uint8_t* p = &memory[kQueueBase + qp * 0x10000 + entry * blocks * 64];
    std::memset(p, 0, blocks * 64);
    std::uint64_t sum = w.inline_data.size();
    for (const Sge& s : w.list) sum += s.length;
    auto put = [&](const char* name, std::uint64_t v) { put_memory(p, place_of(kWqe, name), v); };
    put("opcode", w.op);
    put("signaled", w.signaled);
    put("solicited", w.solicited);
    put("fence", w.fence);
    put("inline_data", w.inlined);
    put("num_sge", w.list.size());
    put("imm", w.imm);
    put("length", w.length >= 0 ? std::uint64_t(w.length) : sum);
    put("rkey", w.rkey);
    put("remote_addr", w.remote);
    put("swap_add", w.swap_add);
    put("compare", w.compare);
    if (w.region) put("sge0_lkey", w.region);
    for (unsigned i = 0; i < w.list.size(); ++i) {
      std::uint8_t* s = i == 0 ? p + 48 : p + 64 + 16 * (i - 1);
      put_memory(s, place_of(kSge, "addr"), w.list[i].addr);
      put_memory(s, place_of(kSge, "length"), w.list[i].length);
      put_memory(s, place_of(kSge, "lkey"), w.list[i].key);
    }
    for (unsigned i = 0; i < w.inline_data.size(); ++i) p[64 + i] = w.inline_data[i];
    return produced[qp]++;
  }
  void ring(unsigned qp) { doorbells_.push_back({qp, produced[qp] & 0xFFFF}); }
  void ring(unsigned qp, unsigned index) { doorbells_.push_back({qp, index & 0xFFFF}); }

  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) tick();
  }
  /// Until `count` completions are there; false after `limit` clocks.
  bool until(std::size_t count, unsigned limit = 100000) {
    for (unsigned i = 0; i < limit; ++i) {
      if (done.size() >= count) return true;
      tick();
    }
    return done.size() >= count;
  }

  void respond(unsigned qp, unsigned opcode, unsigned psn, unsigned syndrome, Bytes payload = {},
               std::uint64_t original = 0) {
    Packet p;
    p.qpn = qp;
    p.opcode = opcode;
    p.psn = psn & 0xFFFFFF;
    p.set_ext(0, 1, syndrome);
    p.set_ext(1, 3, peers[qp].msn);
    p.set_ext(4, 8, original);
    p.payload = std::move(payload);
    p.payload_len = unsigned(p.payload.size());
    p.at = dut.cycle() + wire;
    if (loss > 0 && std::uniform_real_distribution<>(0, 1)(random) < loss) return;
    if (lose_response && lose_response(p)) return;
    responses.push_back(std::move(p));
  }

  unsigned mtu(unsigned qp) const { return 128u << attr[qp].pmtu; }

  struct Live {
    unsigned psn, una, completed;
    bool idle;
  };
  Live live(unsigned qp) {
    dut->live_qpn_i = qp;
    dut->live_valid_i = 1;
    for (;;) {
      dut.settle();
      if (dut->live_ready_o) break;
      tick();
    }
    auto get = [&](const char* name) {
      return unsigned(port::get(dut->live_o, place_of(kQpLive, name)));
    };
    const Live l{get("sq_psn"), get("sq_una_psn"), get("sq_completed"), get("sq_idle") != 0};
    tick();
    dut->live_valid_i = 0;
    return l;
  }

  void tick();

 private:
  struct Read {
    std::uint64_t at;
    std::uint64_t addr;
    bool error;
  };
  struct Key {
    std::uint64_t at;
    bool ok;
    std::uint64_t addr;
  };
  void serve(Packet p);
  void read_back(unsigned qp, unsigned psn, std::uint64_t va, unsigned len);
  template <typename Port>
  Key look_up(const Port& request);

  std::deque<std::pair<unsigned, unsigned>> events_, doorbells_;
  std::deque<Read> fetch_, again_;
  std::deque<Key> key_cut_, key_place_;
  bool operating_ = false;
  std::deque<std::uint64_t> drains_;  // when they have ended
  KeyOperation operation_{};
  struct Piece {
    std::uint64_t addr, len;
    bool last;
  };
  std::deque<Packet> tx_;  // described, pieces still to come
  std::deque<Piece> segs_;
  std::deque<std::pair<unsigned, unsigned>> left_;  // QPN and PSN of packets that left
  std::deque<Packet> wire_;    // to the peer
  std::deque<Bytes> scatter_;  // payload of responses taken by the adapter
  std::size_t scattered_ = 0;
  struct Timer {
    std::uint64_t deadline = ~std::uint64_t{0};
    bool rnr = false;
  };
  std::vector<Timer> timers_ = std::vector<Timer>(kQps);
  std::deque<std::pair<unsigned, bool>> expired_;
  unsigned ticket_ = 0;
};

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

inline void Bench::read_back(unsigned qp, unsigned psn, std::uint64_t va, unsigned len) {
  const unsigned m = mtu(qp);
  const unsigned n = len == 0 ? 1 : (len + m - 1) / m;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned size = i + 1 == n ? len - i * m : m;
    Bytes data(peers[qp].memory.begin() + long(va + i * m),
               peers[qp].memory.begin() + long(va + i * m + size));
    const unsigned op = n == 1 ? 0x10 : i == 0 ? 0x0D : i + 1 == n ? 0x0F : 0x0E;
    respond(qp, op, psn + i, 0x1F, data);
  }
}

/// A responder: 9.7.4, 9.7.5.
inline void Bench::serve(Packet p) {
  Peer& peer = peers[p.qpn];
  if (peer.mute) return;
  const bool is_read = p.opcode == 0x0C, is_atomic = p.opcode == 0x13 || p.opcode == 0x14;
  const unsigned ahead = (p.psn - peer.epsn) & 0xFFFFFF;
  if (ahead >= 0x800000) {  // duplicate
    if (is_read) {
      read_back(p.qpn, p.psn, p.ext_number(0, 8), unsigned(p.ext_number(12, 4)));
    } else if (is_atomic) {
      if (peer.atomics.count(p.psn)) respond(p.qpn, 0x12, p.psn, 0x1F, {}, peer.atomics[p.psn]);
    } else {
      respond(p.qpn, 0x11, peer.epsn - 1, 0x1F);
    }
    return;
  }
  if (ahead != 0) {
    if (!peer.nak_sent) respond(p.qpn, 0x11, peer.epsn, 0x60);
    peer.nak_sent = true;
    return;
  }
  if ((p.opcode == 0 || p.opcode == 4 || p.opcode == 5 || p.opcode == 0x17) && peer.rnr > 0) {
    --peer.rnr;
    respond(p.qpn, 0x11, peer.epsn, 0x20 | 1);
    peer.nak_sent = true;  // no sequence NAK behind it
    return;
  }
  peer.nak_sent = false;
  if (is_read) {
    const unsigned len = unsigned(p.ext_number(12, 4));
    peer.msn++;
    peer.epsn = (peer.epsn + (len == 0 ? 1 : (len + mtu(p.qpn) - 1) / mtu(p.qpn))) & 0xFFFFFF;
    read_back(p.qpn, p.psn, p.ext_number(0, 8), len);
    return;
  }
  peer.epsn = (peer.epsn + 1) & 0xFFFFFF;
  if (is_atomic) {
    std::uint64_t old = 0;
    const std::uint64_t va = p.ext_number(0, 8);
    std::memcpy(&old, &peer.memory[va], 8);
    const std::uint64_t swap_add = p.ext_number(12, 8), compare = p.ext_number(20, 8);
    std::uint64_t now = p.opcode == 0x14 ? old + swap_add : old == compare ? swap_add : old;
    std::memcpy(&peer.memory[va], &now, 8);
    peer.atomics[p.psn] = old;
    peer.msn++;
    respond(p.qpn, 0x12, p.psn, 0x1F, {}, old);
    return;
  }
  const bool write = p.opcode >= 0x06 && p.opcode < 0x16;
  if (write) {
    if (p.opcode == 0x06 || p.opcode >= 0x0A) peer.write_at = p.ext_number(0, 8);
    std::copy(p.payload.begin(), p.payload.end(), peer.memory.begin() + long(peer.write_at));
    peer.write_at += p.payload.size();
  } else {
    peer.partial.insert(peer.partial.end(), p.payload.begin(), p.payload.end());
  }
  const bool last = p.opcode != 0x00 && p.opcode != 0x01 && p.opcode != 0x06 && p.opcode != 0x07;
  if (last) {
    peer.msn++;
    if (!write) peer.sends.push_back(std::move(peer.partial));
    if (!write) peer.partial.clear();
  }
  if (p.ack) respond(p.qpn, 0x11, p.psn, 0x1F);
}

inline void Bench::tick() {
  const std::uint64_t now = dut.cycle();
  auto& d = *dut;
  // Inputs that depend on queues only
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
  d.br_fetch_ready_i = fetch_.size() < 512;
  d.br_again_ready_i = 1;
  auto data = [&](std::deque<Read>& queue, auto& port_data, auto& valid, auto& error) {
    valid = !queue.empty() && queue.front().at <= now;
    if (!valid) return;
    for (unsigned i = 0; i < 16; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &memory[queue.front().addr + 4 * i], 4);
      port_data[i] = word;
    }
    error = queue.front().error;
  };
  data(fetch_, d.br_fetch_data_i, d.br_fetch_data_valid_i, d.br_fetch_error_i);
  data(again_, d.br_again_data_i, d.br_again_data_valid_i, d.br_again_error_i);
  auto key = [&](std::deque<Key>& queue, auto& rsp, auto& valid) {
    valid = !queue.empty() && queue.front().at <= now;
    if (!valid) return;
    port::put(rsp, place_of(kKeyRsp, "ok"), queue.front().ok);
    port::put(rsp, place_of(kKeyRsp, "addr"), queue.front().addr);
    port::put(rsp, place_of(kKeyRsp, "pasid"), 5);
    queue.pop_front();
  };
  key(key_cut_, d.key_cut_rsp_i, d.key_cut_rsp_valid_i);
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
  d.key_cut_req_ready_i = 1;
  d.key_place_req_ready_i = 1;
  d.sent_i = !left_.empty();
  if (!left_.empty()) {
    d.sent_qpn_i = left_.front().first;
    d.sent_psn_i = left_.front().second;
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
  dut.settle();

  // Handshakes of this clock
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
  if (d.br_fetch_data_valid_i && d.br_fetch_data_ready_o) fetch_.pop_front();
  if (d.br_again_data_valid_i && d.br_again_data_ready_o) again_.pop_front();
  if (d.br_fetch_valid_o && d.br_fetch_ready_i) {
    if (d.br_fetch_addr_o / 4096 != (d.br_fetch_addr_o + 64 * d.br_fetch_count_o - 1) / 4096 ||
        d.br_fetch_count_o == 0 || d.br_fetch_count_o > 16) {
      ++wrong_places;
    }
    ask(fetch_, d.br_fetch_addr_o, d.br_fetch_count_o);
    fetched += d.br_fetch_count_o;
  }
  if (d.br_again_valid_o && d.br_again_ready_i) ask(again_, d.br_again_addr_o, d.br_again_count_o);
  if (d.key_cut_req_valid_o) key_cut_.push_back(look_up(d.key_cut_req_o));
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
  if (d.desc_valid_o && d.desc_ready_i) {
    auto get = [&](const char* name) {
      return unsigned(port::get(d.desc_o, place_of(kTxDesc, name)));
    };
    Packet p;
    p.qpn = get("qpn");
    p.opcode = get("opcode");
    p.psn = get("psn");
    p.se = get("solicited");
    p.ack = get("ack_req");
    p.payload_len = get("payload_len");
    p.ext_len = get("ext_len");
    const unsigned base = place_of(kTxDesc, "ext").offset;
    for (unsigned i = 0; i < 28; ++i) {
      p.ext[i] = std::uint8_t(port::get(d.desc_o, base + 8 * (27 - i), 8));
    }
    tx_.push_back(p);
  }
  if (d.seg_valid_o && d.seg_ready_i) {
    auto get = [&](const char* name) { return port::get(d.seg_o, place_of(kSeg, name)); };
    segs_.push_back({get("addr"), get("len"), get("last") != 0});
  }
  // Pieces may come before their packet; they are those of the packets in order.
  for (Packet& p : tx_) {
    while (p.payload.size() < p.payload_len && !segs_.empty()) {
      const Piece piece = segs_.front();
      segs_.pop_front();
      if (piece.addr + piece.len > memory.size() || p.payload.size() + piece.len > p.payload_len) {
        ++wrong_places;
        break;
      }
      p.payload.insert(p.payload.end(), memory.begin() + long(piece.addr),
                       memory.begin() + long(piece.addr + piece.len));
      if ((p.payload.size() == p.payload_len) != piece.last) ++wrong_places;
    }
    if (p.payload.size() < p.payload_len) break;
  }
  while (!tx_.empty() && tx_.front().payload.size() == tx_.front().payload_len) {
    Packet p = std::move(tx_.front());
    tx_.pop_front();
    p.at = now + wire;
    if (log)
      std::printf("%8lu  tx qp %u op %02x psn %06x len %u\n", now, p.qpn, p.opcode, p.psn,
                  p.payload_len);
    sent.push_back(p);
    left_.emplace_back(p.qpn, p.psn);
    const bool lost = (loss > 0 && std::uniform_real_distribution<>(0, 1)(random) < loss) ||
                      (lose_request && lose_request(p));
    if (!lost && auto_peer) wire_.push_back(std::move(p));
  }
  while (!wire_.empty() && wire_.front().at <= now) {
    Packet p = std::move(wire_.front());
    wire_.pop_front();
    serve(std::move(p));
  }
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
  bool failed = false;
  unsigned failed_qp = 0;
  if (d.fail_valid_o) {
    failed = true;
    failed_qp = unsigned(port::get(d.fail_o, place_of(kEventReq, "number")));
  }
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
