// SPDX-License-Identifier: Apache-2.0
// Bench of the send side: host memory, key table, timers, and a peer that responds by the rules of
// the specification over a wire that may lose packets.
//
//  sq_records.hpp   what passes          sq_peer.hpp    packets out, and the peer
//  sq_clock.hpp     a clock: what the bench drives, and what it takes
#pragma once

#include <Vroci_sq.h>

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/sq/sq_records.hpp"

namespace sq_bench {

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
  unsigned drain_time = 30;                 // what accesses of before take when a key ends
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
    bus::clear_data(dut->row_write_i);
    run(kQps + 40);
  }

  void row(unsigned table, unsigned index) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, index);
    tick();
    dut->row_write_valid_i = 0;
  }
  void set_state(unsigned qp, unsigned s) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, 0, 3, s);
    row(2, qp);
    state[qp] = s;
  }
  void event(unsigned qp, unsigned kind) { events_.push_back({qp, kind}); }

  void connect(unsigned qp, Attr a = {}) {
    attr[qp] = a;
    bus::clear_data(dut->row_write_i);
    auto put = [&](const char* name, std::uint64_t v) {
      port::put(dut->row_write_i, place_of(kQpAttr, name), v);
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

  /// Writes a work request; ring() notifies the adapter.
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
  void drive();         // the inputs of this clock
  void take();          // what is handed over in it: memory, keys, responses
  void take_packets();  // packets and their segments, and the wire to the peer
  void take_answers();  // stores, completions, counts, timers
  void serve(Packet p);
  void read_back(unsigned qp, unsigned psn, std::uint64_t va, unsigned len);
  template <typename Port>
  Key look_up(const Port& request);

  std::deque<std::pair<unsigned, unsigned>> events_, doorbells_;
  std::deque<Read> fetch_, again_;
  std::deque<Key> key_segment_, key_place_;
  bool operating_ = false;
  std::deque<std::uint64_t> drains_;  // when they have ended
  KeyOperation operation_{};
  struct Piece {
    std::uint64_t addr, len;
    bool last;
  };
  std::deque<Packet> tx_;  // described, segments still to come
  std::deque<Piece> segs_;
  std::deque<std::pair<unsigned, unsigned>> left_;  // QPN and PSN of packets that left
  std::deque<Packet> wire_;                         // to the peer
  std::deque<Bytes> scatter_;                       // payload of responses taken by the adapter
  std::size_t scattered_ = 0;
  struct Timer {
    std::uint64_t deadline = ~std::uint64_t{0};
    bool rnr = false;
  };
  std::vector<Timer> timers_ = std::vector<Timer>(kQps);
  std::deque<std::pair<unsigned, bool>> expired_;
  unsigned ticket_ = 0;
};

}  // namespace sq_bench

#include "rtl/sq/sq_clock.hpp"
#include "rtl/sq/sq_peer.hpp"
