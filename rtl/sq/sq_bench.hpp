// SPDX-License-Identifier: Apache-2.0
// Bench of the send side: host memory, key table, timers, and a peer that responds by the rules of
// the specification over a wire that may lose packets.
//
//  sq_records.hpp   work requests, packets   sq_peer.hpp    packets out, and the peer
//  sq_clock.hpp     a clock: what the bench drives, and what it takes
#pragma once

#include <Vroci_sq.h>

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/wqe.hpp"
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
  std::map<unsigned, std::uint64_t> atomics;  // original value by PSN
  int rnr = 0;                                // so many SENDs get an RNR NAK
  bool mute = false;
};

/// What the memory of each bench holds first. Made once for a program: most benches run for less
/// time than this takes.
inline const Bytes& first_memory() {
  static const Bytes memory = [] {
    Bytes bytes(kQueueBase + kQps * kRingBytes);
    for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = std::uint8_t(i * 7 + (i >> 8) * 13);
    return bytes;
  }();
  return memory;
}

class Bench {
 public:
  Dut<Vroci_sq> dut;
  Bytes memory = first_memory();
  std::vector<Peer> peers = std::vector<Peer>(kQps);
  std::vector<Attr> attr = std::vector<Attr>(kQps);
  std::vector<unsigned> produced = std::vector<unsigned>(kQps);
  std::vector<QpState> state = std::vector<QpState>(kQps);
  std::vector<Packet> sent;  // every request that left
  std::vector<Completion> done;
  std::deque<Packet> responses;  // on their way to the adapter
  std::map<QpCounter, unsigned> counters;
  std::vector<KeyOperation> operations;
  unsigned operation_time = 5;
  unsigned drain_time = 30;                 // clocks until earlier accesses through a key end
  bool reject = false, registered = false;  // key operations; kFastKey
  unsigned latency = 60, wire = 20, transport_time = 3000, rnr_time = 1000;
  unsigned ghosts = 0, fails = 0, dropped_segs = 0, wrong_places = 0;
  unsigned fetched = 0;  // blocks of work requests read
  unsigned posted = 0;   // work requests taken from their doorbell
  double loss = 0;
  unsigned desc_every = 1;
  bool auto_peer = true, log = false, read_error = false;
  std::mt19937_64 random{1};
  std::function<bool(const Packet&)> lose_request, lose_response;

  Bench() {
    bus::clear_data(dut->row_write_i);
    run(kQps + 40);
  }

  void row(Table table, unsigned index) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, index);
    tick();
    dut->row_write_valid_i = 0;
  }
  void set_state(unsigned qp, QpState s) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, s);
    row(Table::kQpState, qp);
    state[qp] = s;
  }
  void event(unsigned qp, QpEvent kind) { events_.push_back({qp, kind}); }

  void connect(unsigned qp, Attr a = {}) {
    attr[qp] = a;
    bus::clear_data(dut->row_write_i);
    auto put = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
    put(layout::qp_attr::pd, kPd);
    put(layout::qp_attr::pasid, kPasid);
    put(layout::qp_attr::pmtu, a.pmtu);
    put(layout::qp_attr::retry_cnt, a.retry);
    put(layout::qp_attr::rnr_retry, a.rnr_retry);
    put(layout::qp_attr::timeout, a.timeout);
    put(layout::qp_attr::max_rd_atomic, a.max_rd);
    put(layout::qp_attr::send_cqn, kCqn);
    put(layout::qp_attr::sq_base, kQueueBase + qp * kRingBytes);
    put(layout::qp_attr::sq_log, a.sq_log);
    put(layout::qp_attr::sq_stride_log, a.stride);
    put(layout::qp_attr::sq_psn, a.psn);
    row(Table::kQpAttr, qp);
    for (QpState s : {QpState::kReset, QpState::kInit, QpState::kRtr, QpState::kRts})
      set_state(qp, s);
    event(qp, QpEvent::kInitRequester);
    peers[qp] = Peer();
    peers[qp].epsn = a.psn;
    produced[qp] = 0;
    run(30);
  }

  /// Writes a work request; ring() notifies the adapter.
  unsigned post(unsigned qp, const Work& w) {
    const unsigned blocks = 1u << attr[qp].stride;
    const unsigned entry = produced[qp] & ((1u << attr[qp].sq_log) - 1);
    std::uint8_t* p = &memory[kQueueBase + qp * kRingBytes + entry * blocks * layout::kBlockBytes];
    std::memset(p, 0, blocks * layout::kBlockBytes);
    std::uint64_t sum = w.inline_data.size();
    for (const Sge& s : w.list) sum += s.length;
    auto put = [&](auto field, auto v) { layout::put(p, field, v); };
    put(layout::wqe::opcode, w.op);
    put(layout::wqe::signaled, w.signaled);
    put(layout::wqe::solicited, w.solicited);
    put(layout::wqe::fence, w.fence);
    put(layout::wqe::inline_data, w.inlined);
    put(layout::wqe::imm, w.imm);
    put(layout::wqe::length, w.length >= 0 ? std::uint64_t(w.length) : sum);
    put(layout::wqe::rkey, w.rkey);
    put(layout::wqe::remote_addr, w.remote);
    put(layout::wqe::swap_add, w.swap_add);
    put(layout::wqe::compare, w.compare);
    wqe::put_list(p, w.list);
    if (w.region) put(layout::wqe::sge0_lkey, w.region);
    for (unsigned i = 0; i < w.inline_data.size(); ++i)
      p[layout::kBlockBytes + i] = w.inline_data[i];
    return produced[qp]++;
  }
  void ring(unsigned qp) { ring(qp, produced[qp]); }
  /// Writes a work request and posts it with its doorbell, too: all blocks of it, or so many.
  void post_and_ring(unsigned qp, const Work& w, unsigned blocks = 0) {
    const unsigned entry = post(qp, w) & ((1u << attr[qp].sq_log) - 1);
    const unsigned bytes = layout::kBlockBytes << attr[qp].stride;
    const std::uint64_t from = kQueueBase + qp * kRingBytes + entry * bytes;
    const unsigned words = (blocks != 0 ? blocks * layout::kBlockBytes : bytes) / 4;
    for (unsigned place = 0; place < words; ++place) {
      std::uint32_t word;
      std::memcpy(&word, &memory[from + 4 * place], 4);
      written_.push_back({false, qp, place, word});
    }
    ring(qp);
  }
  void ring(unsigned qp, unsigned index) { written_.push_back({true, qp, 0, index & 0xFFFF}); }

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
    p.psn = psn & kPsnMask;
    p.set_header(layout::aeth::syndrome, syndrome);
    p.set_header(layout::aeth::msn, peers[qp].msn);
    p.set_header(layout::atomic_ack_eth::original, original, layout::aeth::kBytes);
    p.payload = std::move(payload);
    p.payload_len = unsigned(p.payload.size());
    p.at = dut.cycle() + wire;
    if (loss > 0 && std::uniform_real_distribution<>(0, 1)(random) < loss) return;
    if (lose_response && lose_response(p)) return;
    responses.push_back(std::move(p));
  }

  /// The response without data: an ACK or a NAK.
  void acknowledge(unsigned qp, unsigned psn, unsigned syndrome = kAckNoCredits) {
    respond(qp, kRcAck, psn, syndrome);
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
    auto get = [&](auto field) { return port::get(dut->live_o, field); };
    const Live l{get(layout::qp_live::sq_psn), get(layout::qp_live::sq_una_psn),
                 get(layout::qp_live::sq_completed), get(layout::qp_live::sq_idle)};
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
    Bytes own;  // the block, when it came with a doorbell
  };
  /// A doorbell with its index, or a word of a work request: the device gives them out in the order
  /// in which they were written.
  struct Write {
    bool bell;
    unsigned qp, place;
    std::uint32_t data;
  };
  std::deque<Write> written_;
  bool posted_read_ = false;
  struct Key {
    std::uint64_t at;
    bool ok;
    std::uint64_t addr;
  };
  void drive();         // the inputs of this clock
  void take();          // what is handed over in it: memory, keys, responses
  void take_packets();  // packets and their segments, and the wire to the peer
  void take_results();  // stores, completions, counts, timers
  void serve(Packet p);
  void read_responses(unsigned qp, unsigned psn, std::uint64_t va, unsigned len);
  template <typename Port>
  Key look_up(const Port& request);

  std::deque<std::pair<unsigned, QpEvent>> events_;
  std::deque<Read> fetch_, again_;
  bus::BlockBeats fetch_beats_, again_beats_;
  std::deque<Key> key_segment_, key_place_;
  bool operating_ = false;
  std::deque<std::uint64_t> drains_;  // clocks of their ends
  KeyOperation operation_{};
  struct Segment {
    std::uint64_t addr, len;
    bool last, fetched;
  };
  static constexpr unsigned kKept = RTL_FetchBlocks;  // blocks
  Bytes kept_ = Bytes(kKept * layout::kBlockBytes);   // dma's copy of the newest blocks fetched
  std::uint64_t kept_blocks_ = 0;
  std::deque<unsigned> inline_done_;
  std::deque<Packet> tx_;  // described, segments still to come
  std::deque<Segment> segs_;
  std::deque<std::pair<unsigned, unsigned>> left_;  // QPN and PSN of packets that left
  std::deque<Packet> wire_;                         // to the peer
  std::deque<Bytes> scatter_;                       // payload of responses taken by the adapter
  std::size_t scattered_ = 0;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  struct Timer {
    std::uint64_t deadline = kNever;
    bool rnr = false;
  };
  std::vector<Timer> timers_ = std::vector<Timer>(kQps);
  std::deque<std::pair<unsigned, bool>> expired_;
  unsigned ticket_ = 0;
};

}  // namespace sq_bench

#include "rtl/sq/sq_clock.hpp"
#include "rtl/sq/sq_peer.hpp"
