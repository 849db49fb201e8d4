// SPDX-License-Identifier: Apache-2.0
// The receive side between models of a peer, of host memory, of the key table and of control.
//
//  rq_records.hpp   requests, responses, tables    rq_control.hpp   rows, states, receives,
//  doorbells rq_drive.hpp     the inputs of a clock          rq_take.hpp      what is handed over
//  in it
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "Vroci_rq.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/wqe.hpp"
#include "rtl/rq/rq_records.hpp"

namespace rq {

/// Clocks in which a receive comes from memory.
inline constexpr double kBlock = bus::kBlockBeats;
/// Clocks that a SEND takes at most: its receive, or with Compact all that is looked up for it.
inline constexpr double kSend = RTL_Compact ? 11.2 : std::max(3.5, kBlock + 0.5);

/// Random bytes for the memory of each bench, and the generator after them. Made once for a
/// program: most benches run for less time than this takes.
struct RandomMemory {
  Bytes bytes = Bytes(kMemorySize);
  std::mt19937 random{20240611};

  RandomMemory() {
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }
  static const RandomMemory& get() {
    static const RandomMemory memory;
    return memory;
  }
};

class Bench {
 public:
  /// A failure or event with the number of its queue.
  using Event = std::pair<EventKind, unsigned>;
  using Counters = std::map<QpCounter, std::uint64_t>;

  Dut<Vroci_rq> dut;
  Bytes memory = RandomMemory::get().bytes;
  std::vector<Region> regions;
  std::deque<Request> requests;
  std::vector<Response> responses;
  std::vector<Completion> completions;
  std::vector<Event> fails, events;
  std::map<unsigned, Counters> counters;  // by queue pair
  std::array<unsigned, kCauses> drops{};
  unsigned discards = 0;  // packets of UC that were not delivered
  bool control = true;    // a failure leads to ERR and Flush, as in the control block
  bool random_stalls = false, read_errors = false;
  std::set<std::uint64_t> bad_pages;  // writes to them and reads of payload fail
  std::set<unsigned> faulted;         // queue pairs whose later completions fail
  unsigned invalidations = 0, lookups = 0;
  std::map<unsigned, unsigned> srq_posted;
  std::map<unsigned, Srq> srqs;
  unsigned read_delay = 20, write_delay = 20;
  std::mt19937 random = RandomMemory::get().random;
  unsigned store_jobs = 0;  // stores of the send side to offer
  std::uint64_t requests_taken = 0;
  unsigned drained = 0;  // results of drain()

  Bench() {
    while (!dut->idle_o) clock();
  }

  // Control.
  void row(Table table, unsigned index);
  void attributes(unsigned qpn, const Attr& attr);
  void set_state(unsigned qpn, QpState state);
  void event(unsigned qpn, QpEvent kind) { qp_events.push_back({qpn, kind}); }
  void srq_row(unsigned srqn, const Srq& srq);
  /// Reports that a row of the key table changed; `regions` is the table.
  void key_row();
  /// Reports that the send side has invalidated a key; `drained` counts the results.
  void drain();
  /// RESET to INIT.
  void create(unsigned qpn, const Attr& attr = {});
  /// INIT to RTR.
  void ready(unsigned qpn, QpState state = QpState::kRtr);
  void connect(unsigned qpn, const Attr& attr = {}) {
    create(qpn, attr);
    ready(qpn);
  }
  unsigned drop(DropCause cause) const { return drops[layout::number(cause)]; }
  /// Accesses to memory that have begun and not ended: READ data, atomics, payload.
  std::size_t accesses() const;

  // Receives.
  struct Sge {
    std::uint64_t addr;
    std::uint32_t length, key;
  };
  static std::uint64_t ring(unsigned qpn) { return kRingBase + kRingBytes * qpn; }
  static std::uint64_t srq_ring(unsigned srqn) { return kSrqBase + kRingBytes * srqn; }
  void post(unsigned qpn, const std::vector<Sge>& list, bool ring_it = true);
  void post_srq(unsigned srqn, const std::vector<Sge>& list, unsigned tag, bool ring_it = true);
  void doorbell(unsigned qpn, unsigned index) { doorbells.push_back({qpn, index & 0xFFFF}); }
  void srq_doorbell(unsigned srqn, unsigned index) {
    srq_doorbells.push_back({srqn, index & 0xFFFF});
  }

  struct Live {
    unsigned psn, msn;
    bool operator==(const Live& o) const { return psn == o.psn && msn == o.msn; }
  };
  Live live(unsigned qpn);
  struct SrqLive {
    unsigned producer, consumer, limit;
  };
  SrqLive srq_live(unsigned srqn);

  void send(Request request) { requests.push_back(std::move(request)); }
  std::uint64_t word(std::uint64_t addr) const {
    std::uint64_t value = 0;
    std::memcpy(&value, &memory[addr], sizeof value);
    return value;
  }
  void put_word(std::uint64_t addr, std::uint64_t value) {
    std::memcpy(&memory[addr], &value, sizeof value);
  }
  /// Stores of the send side are for this queue pair, number n of them to this address.
  static constexpr unsigned kStoreQp = 7;
  static std::uint64_t store_address(unsigned n) { return 0x1F0000 + 24 * (n % 64) + 3; }

  /// Clocks until nothing is left to do.
  void run(unsigned limit = 200000) {
    unsigned calm = 0;
    while (calm < 4) {
      clock();
      const bool quiet = dut->idle_o && requests.empty() && qp_events.empty() &&
                         doorbells.empty() && srq_doorbells.empty() && arrivals.empty() &&
                         cqes.empty() && in_tx.empty() && store_jobs == 0;
      calm = quiet ? calm + 1 : 0;
      REQUIRE(limit-- != 0);
    }
  }

  void clock();
  void clock_settled();  // the first half of a clock
  void finish_clock();
  bool payload_missing(std::size_t response) const {
    return !need_payload.empty() && need_payload.front() <= response;
  }

 private:
  struct Segment {
    std::uint64_t addr;
    unsigned len;
    bool drop;
  };
  /// A packet with payload that rx gave to an engine.
  struct Arrival {
    Bytes payload;
    bool ours, placed = false;
    std::uint64_t ready = 0;
    std::vector<Segment> segments;
    unsigned qpn = 0;
    std::uint32_t psn = 0;
  };
  struct Read {
    std::uint64_t addr, cycle;
  };
  /// A packet in tx.
  struct InTx {
    unsigned qpn, psn;
    bool poisoned;
  };

  bool pause() { return random_stalls && random() % 4 == 0; }
  const Region* check(std::uint32_t key, std::uint64_t va, std::uint64_t len, unsigned pd,
                      unsigned rights) const {
    for (const Region& r : regions)
      if (r.key == key && r.pd == pd && (r.access & rights) == rights && va >= r.iova &&
          len <= r.length && va - r.iova <= r.length - len)
        return &r;
    return nullptr;
  }
  static void put_entry(std::uint8_t* entry, unsigned stride, const std::vector<Sge>& list) {
    std::fill_n(entry, layout::kBlockBytes << stride, std::uint8_t{0});
    wqe::put_list(entry, list);
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
  void block_out(Port& port, std::uint64_t addr, unsigned beat);
  void drive();
  void take();

  std::map<unsigned, Attr> attrs;
  std::deque<unsigned> failed;
  std::deque<std::pair<Completion, int>> cqes;  // with the ticket that they wait for
  std::map<unsigned, unsigned> posted;
  std::deque<std::pair<std::uint64_t, bool>> key_ops;  // results of key operations: cycle, success
  std::deque<InTx> sent_faults;
  bool row_of_fail = false, row_of_op = false;
  std::deque<std::pair<unsigned, QpEvent>> qp_events;
  std::deque<std::pair<unsigned, unsigned>> doorbells, srq_doorbells;
  std::deque<Arrival> arrivals;
  unsigned ticket = 0, wr_done = 0;
  // Ticket of the first copy of a packet, by queue pair and PSN.
  std::map<std::pair<unsigned, std::uint32_t>, unsigned> tickets;
  std::deque<Read> fetches, atomics;
  bus::BlockBeats fetch_beats, atomic_beats;
  std::deque<std::uint64_t> stores;  // cycles of write responses
  std::deque<std::uint64_t> in_tx;   // cycles at which desc packets have left
  Keys walk_keys, rkeys;
  std::deque<std::size_t> need_payload;  // responses whose segments have not come
  std::deque<std::pair<std::uint64_t, std::uint64_t>> store_data;
  bool meta_offered = false;
};

}  // namespace rq

#include "rtl/rq/rq_control.hpp"  // IWYU pragma: keep
#include "rtl/rq/rq_drive.hpp"    // IWYU pragma: keep
#include "rtl/rq/rq_take.hpp"     // IWYU pragma: keep
