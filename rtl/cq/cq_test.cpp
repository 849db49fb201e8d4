// Completion queues against what software sees: order, ownership, overflow, events, moderation.
#include <Vroci_cq.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string_view>
#include <vector>

#include "common/dut.hpp"
#include "spec/context.hpp"
#include "spec/queues.hpp"
#include "spec/records.hpp"

namespace spec = roci::spec;
using spec::place_of;

namespace {

constexpr unsigned kCqs = 8;  // as in block.cmake
constexpr unsigned kCompletion = 1, kCqError = 2, kQpFatal = 3;
constexpr unsigned kEntryBytes = spec::total_bits(spec::kCqe) / 8;
constexpr unsigned kFatalErr = 17;  // status
constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Cqe {
  unsigned cqn = 0, qpn = 0, wqe_index = 0, status = 0;
  bool solicited = false;
  bool wait_data = false, wait_store = false;
  unsigned ticket = 0, store_ticket = 0;
};
struct Doorbell {
  unsigned cqn, index;
  bool arm, solicited;
};
struct Write {
  std::uint64_t address, cycle, due;
  unsigned cqn, wqe_index, qpn, status;
  bool owner, solicited;
};
struct Event {
  unsigned kind, number;
  std::uint64_t cycle;
};

struct Bench {
  Dut<Vroci_cq> dut;
  std::mt19937 random;
  std::deque<Cqe> in[2];
  std::deque<Doorbell> bells;
  std::deque<Write> flying;    // taken, response to come
  std::vector<Write> visible;  // response is in
  std::vector<Write> taken;
  std::vector<Event> events;
  std::vector<unsigned> fails;
  unsigned latency = 20;
  unsigned percent_ready = 100;
  unsigned percent_source = 100;
  std::uint64_t ns_per_clock = 4;
  unsigned log_of[kCqs] = {};
  unsigned bad_index = ~0u;  ///< the entry with this wqe_index does not reach memory

  explicit Bench(std::uint32_t seed = 1) : random(seed) {
    for (int i = 0; i < 20; ++i) step();
  }
  static std::uint64_t base(unsigned cqn) { return 0x100000000ull + cqn * 0x1000000ull; }
  bool chance(unsigned percent) { return random() % 100 < percent; }

  template <typename Port>
  static void put_cqe(Port& to, const Cqe& c) {
    port::clear(to);
    port::put(to, place_of(spec::kCqeReq, "cqn"), c.cqn);
    port::put(to, place_of(spec::kCqeReq, "qpn"), c.qpn);
    port::put(to, place_of(spec::kCqeReq, "wqe_index"), c.wqe_index);
    port::put(to, place_of(spec::kCqeReq, "status"), c.status);
    port::put(to, place_of(spec::kCqeReq, "opcode"), 0x80);
    port::put(to, place_of(spec::kCqeReq, "byte_len"), 0x10000 + c.wqe_index);
    port::put(to, place_of(spec::kCqeReq, "imm"), ~c.wqe_index);
    port::put(to, place_of(spec::kCqeReq, "with_imm"), c.wqe_index & 1);
    port::put(to, place_of(spec::kCqeReq, "vendor_err"), c.status ? 0x5A : 0);
    port::put(to, place_of(spec::kCqeReq, "solicited"), c.solicited);
    port::put(to, place_of(spec::kCqeReq, "wait_data"), c.wait_data);
    port::put(to, place_of(spec::kCqeReq, "ticket"), c.ticket);
    port::put(to, place_of(spec::kCqeReq, "wait_store"), c.wait_store);
    port::put(to, place_of(spec::kCqeReq, "store_ticket"), c.store_ticket);
  }

  void step() {
    // a source that shows an entry keeps showing it
    dut->cqe_sq_valid_i = !in[0].empty() && (dut->cqe_sq_valid_i || chance(percent_source));
    dut->cqe_rq_valid_i = !in[1].empty() && (dut->cqe_rq_valid_i || chance(percent_source));
    if (dut->cqe_sq_valid_i) put_cqe(dut->cqe_sq_i, in[0].front());
    if (dut->cqe_rq_valid_i) put_cqe(dut->cqe_rq_i, in[1].front());
    dut->doorbell_valid_i = !bells.empty();
    if (!bells.empty()) {
      dut->doorbell_cqn_i = bells.front().cqn;
      dut->doorbell_arm_i = bells.front().arm;
      dut->doorbell_solicited_i = bells.front().solicited;
      dut->doorbell_index_i = bells.front().index;
    }
    dut->bw_ready_i = chance(percent_ready);
    dut->event_ready_i = chance(percent_ready);
    dut->fail_ready_i = chance(percent_ready);
    dut->bw_done_i = !flying.empty() && flying.front().due <= dut.cycle();
    dut->bw_error_i = dut->bw_done_i && flying.front().wqe_index == bad_index;
    dut.settle();
    if (dut->bw_done_i) {
      visible.push_back(flying.front());
      flying.pop_front();
    }
    if (dut->cqe_sq_valid_i && dut->cqe_sq_ready_o) {
      in[0].pop_front();
      sq_taken = true;
    } else {
      sq_taken = false;
    }
    const bool rq_taken = dut->cqe_rq_valid_i && dut->cqe_rq_ready_o;
    if (rq_taken) in[1].pop_front();
    if (dut->doorbell_valid_i && dut->doorbell_ready_o) bells.pop_front();
    if (dut->bw_valid_o && dut->bw_ready_i) {
      Write w{};
      w.address = dut->bw_addr_o;
      w.cqn = static_cast<unsigned>((w.address - base(0)) / 0x1000000);
      w.cycle = dut.cycle();
      w.due = dut.cycle() + latency;
      const auto get = [this](std::string_view name) {
        return static_cast<unsigned>(port::get(dut->bw_data_o, place_of(spec::kCqe, name)));
      };
      w.wqe_index = get("wqe_index");
      w.qpn = get("qpn");
      w.status = get("status");
      w.owner = get("owner") != 0;
      w.solicited = get("solicited") != 0;
      CHECK(dut->bw_bytes_o == kEntryBytes);
      CHECK(dut->bw_pasid_o == 7);
      CHECK(get("byte_len") == 0x10000 + w.wqe_index);
      CHECK(get("imm") == ~w.wqe_index);
      CHECK(get("with_imm") == (w.wqe_index & 1));
      CHECK(get("opcode") == 0x80);
      CHECK(get("vendor_err") == (w.status && w.status != kFatalErr ? 0x5Au : 0));
      flying.push_back(w);
      taken.push_back(w);
    }
    if (dut->event_valid_o && dut->event_ready_i) {
      events.push_back(
          {static_cast<unsigned>(port::get(dut->event_o, place_of(spec::kEventReq, "kind"))),
           static_cast<unsigned>(port::get(dut->event_o, place_of(spec::kEventReq, "number"))),
           dut.cycle()});
    }
    if (dut->fail_valid_o && dut->fail_ready_i) {
      CHECK(port::get(dut->fail_o, place_of(spec::kEventReq, "kind")) == kQpFatal);
      fails.push_back(
          static_cast<unsigned>(port::get(dut->fail_o, place_of(spec::kEventReq, "number"))));
    }
    dut.tick();
    if (sq_taken) dut->cqe_sq_valid_i = 0;
    if (rq_taken) dut->cqe_rq_valid_i = 0;
    dut->now_i += ns_per_clock;
  }
  void run(unsigned clocks) {
    for (unsigned i = 0; i < clocks; ++i) step();
  }
  void drain() {
    do run(4);
    while (!in[0].empty() || !in[1].empty() || !bells.empty() || !dut->idle_o ||
           !dut->bells_idle_o);
  }

  void make(unsigned cqn, unsigned log, unsigned count = 0, unsigned period = 0,
            bool valid = true, std::uint64_t moved = 0) {
    port::clear(dut->row_data_i);
    port::put(dut->row_data_i, place_of(spec::kCq, "resize"), moved != 0);
    port::put(dut->row_data_i, place_of(spec::kCq, "valid"), valid);
    port::put(dut->row_data_i, place_of(spec::kCq, "pasid"), 7);
    port::put(dut->row_data_i, place_of(spec::kCq, "base"), base(cqn) + moved);
    port::put(dut->row_data_i, place_of(spec::kCq, "log"), log);
    port::put(dut->row_data_i, place_of(spec::kCq, "moderation_count"), count);
    port::put(dut->row_data_i, place_of(spec::kCq, "moderation_period"), period);
    dut->row_index_i = cqn;
    dut->row_valid_i = 1;
    dut.settle();
    while (!dut->row_ready_o) step();
    step();
    dut->row_valid_i = 0;
    log_of[cqn] = log;
  }
  /// Moves the ring of a queue.
  void resize(unsigned cqn, unsigned log, std::uint64_t moved) {
    make(cqn, log, 0, 0, true, moved);
  }
  struct Live {
    unsigned producer, consumer;
    bool overflowed;
  };
  Live live(unsigned cqn) {
    dut->row_index_i = cqn;
    dut->live_valid_i = 1;
    dut.settle();
    for (int i = 0; !dut->live_ready_o; ++i) {
      REQUIRE(i < 100);
      step();
      dut.settle();
    }
    const auto get = [this](std::string_view name) {
      return static_cast<unsigned>(port::get(dut->live_o, place_of(spec::kCqLive, name)));
    };
    const Live live{get("producer"), get("consumer"), get("overflowed") != 0};
    step();
    dut->live_valid_i = 0;
    return live;
  }
  void complete(unsigned cqn, unsigned index, bool solicited = false, unsigned status = 0,
                int source = 0) {
    Cqe c;
    c.cqn = cqn;
    c.qpn = 0x1000 + cqn;
    c.wqe_index = index & 0xFFFF;
    c.solicited = solicited;
    c.status = status;
    in[source].push_back(c);
  }
  void consume(unsigned cqn, unsigned index) {
    bells.push_back({cqn, index & 0xFFFF, false, false});
  }
  void arm(unsigned cqn, unsigned index, bool solicited = false) {
    bells.push_back({cqn, index & 0xFFFF, true, solicited});
  }

 private:
  bool sq_taken = false;
};

}  // namespace

TEST_CASE("cq: CQ-14 entries fill the ring in order with the owner bit of their pass") {
  Bench bench;
  bench.make(2, 3);
  for (unsigned i = 0; i < 8000; ++i) {
    bench.complete(2, i);
    if (i % 4 == 3) {
      bench.drain();
      bench.consume(2, i + 1);
    }
  }
  bench.drain();
  REQUIRE(bench.taken.size() == 8000);
  for (unsigned i = 0; i < 8000; ++i) {
    const Write& w = bench.taken[i];
    CHECK(w.address == Bench::base(2) + i % 8 * kEntryBytes);
    CHECK(w.owner == (i / 8 % 2 == 0));
    CHECK(w.wqe_index == i);
    CHECK(w.qpn == 0x1002);
  }
  CHECK(bench.events.empty());
  CHECK(bench.fails.empty());
}

TEST_CASE("cq: an entry of one queue takes one clock, with many writes under way") {
  Bench bench;
  bench.make(0, 12);
  bench.make(1, 12);
  for (unsigned i = 0; i < 500; ++i) {
    bench.complete(0, i, false, 0, 0);
    bench.complete(1, i, false, 0, 1);
  }
  const std::uint64_t start = bench.dut.cycle();
  bench.latency = 6;
  bench.drain();
  REQUIRE(bench.taken.size() == 1000);
  const double each = static_cast<double>(bench.taken.back().cycle - start) / 1000;
  MESSAGE("clocks per entry: " << each << ", first entry after "
                               << bench.taken.front().cycle - start << " clocks");
  CHECK(each < 2);
  CHECK(bench.taken.front().cycle - start <= 5);
}

TEST_CASE("cq: a memory latency of 400 clocks keeps to 8 clocks per entry") {
  Bench bench;
  bench.latency = 400;
  bench.make(0, 12);
  for (unsigned i = 0; i < 500; ++i) bench.complete(0, i);
  const std::uint64_t start = bench.dut.cycle();
  bench.drain();
  CHECK(bench.taken.size() == 500);
  CHECK(bench.taken.back().cycle - start < 8 * 500);
}

TEST_CASE("cq: CQ-02 the order of each source holds; tickets hold back their source only") {
  Bench bench(7);
  bench.make(0, 10);
  std::uint16_t done = 0xFFF0;  // the counts wrap on the way
  std::uint8_t stores = 0xF8;
  bench.dut->wr_done_i = done;
  bench.dut->store_done_i = stores;
  std::map<unsigned, std::pair<unsigned, unsigned>> needs;  // by qpn << 16 | index
  unsigned ticket = 0, store = 0;
  for (unsigned i = 0; i < 200; ++i) {
    for (int source = 0; source < 2; ++source) {
      Cqe c;
      c.qpn = source;
      c.wqe_index = i;
      c.wait_data = bench.random() % 2;
      c.wait_store = bench.random() % 4 == 0;
      if (c.wait_data) ticket += bench.random() % 3;
      if (c.wait_store) ++store;
      c.ticket = (done + ticket) & 0xFFFF;
      c.store_ticket = (stores + store) & 0xFF;
      needs[source << 16 | i] = {c.wait_data ? ticket : 0, c.wait_store ? store : 0};
      bench.in[source].push_back(c);
    }
  }
  unsigned have = 0, have_stores = 0;
  std::size_t checked = 0;
  while (bench.taken.size() < 400) {
    bench.percent_source = 50;
    bench.step();
    for (; checked < bench.taken.size(); ++checked) {
      const auto& need = needs[bench.taken[checked].qpn << 16 | bench.taken[checked].wqe_index];
      CHECK(need.first <= have);
      CHECK(need.second <= have_stores);
    }
    if (bench.random() % 4 == 0 && have < ticket) bench.dut->wr_done_i = ++have + done;
    if (bench.random() % 8 == 0 && have_stores < store)
      bench.dut->store_done_i = ++have_stores + stores;
    REQUIRE(bench.dut.cycle() < 100000);
  }
  unsigned next[2] = {};
  for (const Write& w : bench.taken) CHECK(w.wqe_index == next[w.qpn]++);
}

TEST_CASE("cq: a source that waits does not block the other") {
  Bench bench;
  bench.make(0, 8);
  Cqe c;
  c.wait_data = true;
  c.ticket = 1;
  bench.in[0].push_back(c);
  for (unsigned i = 0; i < 20; ++i) bench.complete(0, i, false, 0, 1);
  bench.run(100);
  CHECK(bench.taken.size() == 20);
  CHECK(bench.dut->idle_o == 0);
  bench.dut->wr_done_i = 1;
  bench.drain();
  CHECK(bench.taken.size() == 21);
}

TEST_CASE("cq: CQ-07 a full ring keeps its entries, errs once and fails the queue pairs") {
  for (unsigned log : {1u, 2u, 4u}) {
    Bench bench;
    bench.percent_ready = 50;
    const unsigned size = 1u << log;
    bench.make(5, log);
    for (unsigned i = 0; i < size + 9; ++i) bench.complete(5, i, false, 0, i % 2);
    bench.drain();
    CHECK(bench.taken.size() == size);
    CHECK(bench.fails == std::vector<unsigned>(9, 0x1005));
    REQUIRE(bench.events.size() == 1);
    CHECK(bench.events[0].kind == kCqError);
    CHECK(bench.events[0].number == 5);
    // Broken for good: room does not help, only a new life.
    bench.consume(5, size);
    bench.complete(5, 99);
    bench.drain();
    CHECK(bench.taken.size() == size);
    CHECK(bench.events.size() == 1);
    bench.make(5, log, 0, 0, false);
    bench.make(5, log);
    for (unsigned i = 0; i < size + 1; ++i) bench.complete(5, i);
    bench.drain();
    CHECK(bench.taken.size() == 2 * size);
    CHECK(bench.taken[size].address == Bench::base(5));
    CHECK(bench.taken[size].owner);
    CHECK(bench.events.size() == 2);
  }
}

TEST_CASE("cq: a queue that is not there swallows its entries") {
  Bench bench;
  bench.make(1, 4, 0, 0, false);
  bench.complete(1, 0);
  bench.complete(2, 0);
  bench.complete(kCqs + 1, 0);
  bench.arm(2, 0);
  bench.arm(kCqs + 2, 0);
  bench.drain();
  CHECK(bench.taken.empty());
  CHECK(bench.events.empty());
}

TEST_CASE("cq: the largest ring holds 2^16 - 1 entries") {
  Bench bench;
  bench.latency = 2;
  bench.make(3, 16);
  for (unsigned i = 0; i < 0x10000; ++i) bench.complete(3, i);
  bench.drain();
  CHECK(bench.taken.size() == 0xFFFF);
  CHECK(bench.taken.back().address == Bench::base(3) + 0xFFFEull * kEntryBytes);
  CHECK(bench.fails.size() == 1);
}

TEST_CASE("cq: CQ-08 an entry that software has seen, taken or not, raises no event and stays") {
  Bench bench;
  bench.make(1, 2);
  for (unsigned i = 0; i < 3; ++i) bench.complete(1, i);
  bench.drain();
  for (const bool solicited : {false, true}) {
    bench.arm(1, 3, solicited);  // sees all three, has taken none
    bench.drain();
    CHECK(bench.events.empty());
  }
  bench.complete(1, 3);
  bench.drain();
  CHECK(bench.events.size() == 1);
  bench.complete(1, 4);  // the ring of four is full: seeing is not taking
  bench.drain();
  CHECK(bench.fails.size() == 1);
}

TEST_CASE("cq: CQ-08 CQ-10 an armed queue raises one event, for an entry not taken at once") {
  Bench bench;
  bench.make(1, 6);
  bench.complete(1, 0);
  bench.complete(1, 1);
  bench.drain();
  CHECK(bench.events.empty());
  bench.arm(1, 2);  // both taken
  bench.drain();
  CHECK(bench.events.empty());
  bench.complete(1, 2);
  bench.complete(1, 3);
  bench.drain();
  REQUIRE(bench.events.size() == 1);
  CHECK(bench.events[0].kind == kCompletion);
  CHECK(bench.events[0].number == 1);
  bench.arm(1, 3);  // entry 3 was not taken: no sleep
  bench.drain();
  CHECK(bench.events.size() == 2);
  bench.arm(1, 4);
  bench.arm(1, 4);
  bench.drain();
  bench.complete(1, 4);
  bench.complete(1, 5);
  bench.drain();
  CHECK(bench.events.size() == 3);
}

TEST_CASE("cq: an event follows the response of its entry's write") {
  Bench bench;
  bench.latency = 200;
  bench.make(1, 6);
  bench.arm(1, 0);
  bench.complete(1, 0);
  bench.run(100);
  CHECK(bench.taken.size() == 1);
  CHECK(bench.events.empty());
  bench.drain();
  REQUIRE(bench.events.size() == 1);
  CHECK(bench.events[0].cycle >= bench.taken[0].due);
  // Armed while the entry is on its way: the event waits as well.
  bench.arm(1, 1);
  bench.drain();
  bench.complete(1, 1);
  bench.drain();
  bench.complete(1, 2);
  bench.run(10);
  bench.arm(1, 2);
  bench.run(100);
  CHECK(bench.events.size() == 2);
  bench.drain();
  REQUIRE(bench.events.size() == 3);
  CHECK(bench.events[2].cycle >= bench.taken[2].due);
}

TEST_CASE("cq: CQ-09 CQ-11 solicited arming") {
  Bench bench;
  bench.make(1, 6);
  unsigned n = 0;
  const auto entry = [&](bool solicited, unsigned status) {
    bench.complete(1, n++, solicited, status);
    bench.drain();
    return bench.events.size();
  };
  bench.arm(1, n, true);
  CHECK(entry(false, 0) == 0);
  CHECK(entry(true, 0) == 1);
  CHECK(entry(true, 0) == 1);
  bench.arm(1, n, true);
  CHECK(entry(false, 5) == 2);  // an error
  bench.arm(1, n, true);
  bench.arm(1, n, false);  // any overrides
  bench.drain();
  CHECK(entry(false, 0) == 3);
  bench.arm(1, n, false);
  bench.arm(1, n, true);  // and is not weakened
  bench.drain();
  CHECK(entry(false, 0) == 4);
  // An entry not taken counts for a solicited arm only when it is one.
  bench.arm(1, n - 1, true);
  bench.drain();
  CHECK(bench.events.size() == 4);
  CHECK(entry(false, 0) == 4);
  CHECK(entry(true, 0) == 5);
  CHECK(entry(false, 0) == 5);
  bench.arm(1, n - 2, true);  // the solicited one before the last
  bench.drain();
  CHECK(bench.events.size() == 6);
  bench.arm(1, n - 1, true);
  bench.drain();
  CHECK(bench.events.size() == 6);
}

TEST_CASE("cq: CQ-10 arm, poll, sleep never sleeps through a completion") {
  const std::uint32_t seed = 20261120;
  MESSAGE("seed " << seed);
  for (unsigned round = 0; round < 3; ++round) {
    Bench bench(seed + round);
    bench.latency = 1 + round * 15;
    bench.percent_ready = round == 2 ? 40 : 100;
    bench.percent_source = 30;
    constexpr unsigned kQueues = 3;
    unsigned consumed[kQueues] = {}, written[kQueues] = {}, arms[kQueues] = {}, polls[kQueues] = {};
    unsigned events_seen[kQueues] = {};
    std::uint64_t wake[kQueues] = {};  // cycle at which software looks; kNever: it sleeps
    std::size_t event_at = 0, visible_at = 0;
    std::deque<unsigned> seen[kQueues];
    for (unsigned q = 0; q < kQueues; ++q) bench.make(q, 6);
    const unsigned total = 4000;
    for (unsigned i = 0; i < total; ++i) {
      const unsigned q = bench.random() % kQueues;
      bench.complete(q, written[q]++, false, 0, bench.random() % 2);
    }
    // Software takes some, arms with all that it sees, takes the rest, and sleeps till the event.
    for (unsigned idle = 0; idle < 3000; ++idle) {
      bench.step();
      for (; visible_at < bench.visible.size(); ++visible_at) {
        seen[bench.visible[visible_at].cqn].push_back(0);
        idle = 0;
      }
      for (; event_at < bench.events.size(); ++event_at) {
        const unsigned q = bench.events[event_at].number;
        REQUIRE(bench.events[event_at].kind == kCompletion);
        CHECK(++events_seen[q] <= arms[q]);
        CHECK_FALSE(seen[q].empty());  // an event means something to take
        wake[q] = bench.dut.cycle() + bench.random() % 20;
      }
      for (unsigned q = 0; q < kQueues; ++q) {
        if (wake[q] > bench.dut.cycle() || !bench.bells.empty()) continue;
        const unsigned there = static_cast<unsigned>(seen[q].size());
        const unsigned before = bench.random() % (there + 1);
        bench.consume(q, consumed[q] + before);
        bench.arm(q, consumed[q] + there);
        consumed[q] += there;
        seen[q].clear();
        ++polls[q];
        ++arms[q];
        wake[q] = kNever;
      }
    }
    for (unsigned q = 0; q < kQueues; ++q) CHECK(consumed[q] == written[q]);
    CHECK(bench.fails.empty());
    CHECK(bench.taken.size() == total);
  }
}

TEST_CASE("cq: moderation holds events back for a count or a period") {
  Bench bench;
  const unsigned count = 4, period = 3;  // us
  bench.make(1, 8, count, period);
  unsigned n = 0;
  const auto entries = [&](unsigned k) {
    for (unsigned i = 0; i < k; ++i) bench.complete(1, n++);
    bench.run(30 + 4 * k);
    return bench.events.size();
  };
  CHECK(bench.dut->next_deadline_o == kNever);
  bench.arm(1, 0);
  CHECK(entries(3) == 0);
  CHECK(bench.dut->next_deadline_o != kNever);
  CHECK(bench.dut->idle_o == 1);
  CHECK(entries(1) == 1);
  CHECK(bench.dut->next_deadline_o == kNever);
  CHECK(entries(6) == 1);  // not armed
  bench.arm(1, n);
  const std::uint64_t before = bench.dut->now_i;
  CHECK(entries(1) == 1);
  const std::uint64_t deadline = bench.dut->next_deadline_o;
  CHECK(deadline > before + 1000 * period);
  CHECK(deadline < before + 1000 * period + 4 * 20);
  while (bench.dut->now_i < deadline) bench.step();
  CHECK(bench.events.size() == 1);
  bench.run(20);
  CHECK(bench.events.size() == 2);
  CHECK(bench.dut->next_deadline_o == kNever);
  // Entries not taken at arm time count as well.
  bench.arm(1, n - count);
  bench.run(20);
  CHECK(bench.events.size() == 3);
  bench.arm(1, n - 2);
  bench.run(20);
  CHECK(bench.events.size() == 3);
  CHECK(entries(1) == 3);
  CHECK(entries(1) == 4);
  // The clock leaps over the rest of a period.
  bench.arm(1, n);
  CHECK(entries(1) == 4);
  bench.dut->now_i = bench.dut->next_deadline_o;
  bench.run(12);
  CHECK(bench.events.size() == 5);
  // A new life forgets the period; the same ring with other moderation goes on.
  bench.arm(1, n);
  CHECK(entries(1) == 5);
  bench.make(1, 8, 2, 1000);
  CHECK(entries(1) == 6);
  CHECK(bench.taken.back().address == Bench::base(1) + (n - 1) * kEntryBytes);
  bench.arm(1, n);
  CHECK(entries(1) == 6);
  bench.make(1, 8, 0, 0, false);
  bench.run(4);
  CHECK(bench.dut->next_deadline_o == kNever);
}

TEST_CASE("cq: more queues than periods raise their events at once") {
  Bench bench;
  for (unsigned q = 0; q < 6; ++q) {
    bench.make(q, 4, 10, 50);
    bench.arm(q, 0);
  }
  for (unsigned q = 0; q < 6; ++q) bench.complete(q, 0);
  bench.run(100);
  CHECK(bench.events.size() == 2);
  while (bench.dut->now_i < bench.dut->next_deadline_o) {
    REQUIRE(bench.events.size() == 2);
    bench.dut->now_i += 1000;
  }
  bench.run(100);
  CHECK(bench.events.size() == 6);
}

TEST_CASE("cq: doorbells are taken one a clock, entries keep their share") {
  Bench bench;
  bench.make(0, 12);
  for (unsigned i = 0; i < 300; ++i) bench.consume(0, 0);
  for (unsigned i = 0; i < 50; ++i) bench.complete(0, i);
  bench.latency = 4;
  const std::uint64_t start = bench.dut.cycle();
  while (!bench.bells.empty()) bench.step();
  CHECK(bench.dut.cycle() - start < 300 + 70);
  CHECK(bench.taken.size() == 50);
}

TEST_CASE("cq: CQ-13 a ring that moves keeps its indices and arming, at every index") {
  for (unsigned first = 0; first < 20; ++first) {
    Bench bench;
    bench.make(2, 2);
    for (unsigned i = 0; i < first; ++i) {
      bench.complete(2, i);
      bench.consume(2, i);
      bench.drain();
    }
    bench.consume(2, first);
    bench.arm(2, first);
    bench.drain();
    CHECK(bench.events.empty());
    bench.resize(2, 4, 0x800000);
    bench.drain();
    const Bench::Live live = bench.live(2);
    CHECK(live.producer == first);
    CHECK(live.consumer == first);
    CHECK_FALSE(live.overflowed);
    for (unsigned i = 0; i < 16; ++i) bench.complete(2, first + i);
    bench.drain();
    REQUIRE(bench.taken.size() == first + 16);
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned index = first + i;
      const Write& w = bench.taken[index];
      CHECK(w.address == Bench::base(2) + 0x800000 + index % 16 * kEntryBytes);
      CHECK(w.owner == (index / 16 % 2 == 0));
    }
    CHECK(bench.events.size() == 1);  // the arm of before
    CHECK(bench.fails.empty());
    bench.complete(2, first + 16);  // the new size holds
    bench.drain();
    CHECK(bench.fails.size() == 1);
    CHECK(bench.live(2).overflowed);
  }
}

TEST_CASE("cq: entries on both sides of a move are each in one ring") {
  Bench bench(7);
  bench.percent_ready = 50;
  bench.make(1, 5);
  std::uint64_t moved = 0;
  unsigned index = 0;
  for (unsigned round = 0; round < 40; ++round) {
    for (unsigned i = 0; i < 8; ++i) bench.complete(1, index++);
    bench.run(bench.random() % 12);
    moved += 0x1000;
    bench.resize(1, 5, moved);
    bench.drain();
    bench.consume(1, index);
    bench.drain();
  }
  REQUIRE(bench.taken.size() == index);
  std::uint64_t ring = 0;
  for (unsigned i = 0; i < index; ++i) {
    const std::uint64_t at = bench.taken[i].address - Bench::base(1);
    CHECK(bench.taken[i].wqe_index == i);
    CHECK(at % 0x1000 == i % 32 * kEntryBytes);
    CHECK(at / 0x1000 >= ring);
    ring = at / 0x1000;
  }
  CHECK(ring > 30);
}

TEST_CASE("cq: F-82 a queue pair with a fault gets no good completion that waited for data") {
  Bench bench;
  bench.make(3, 6);
  const auto complete = [&](unsigned qpn, unsigned index, bool waits, unsigned status = 0) {
    Cqe c;
    c.cqn = 3;
    c.qpn = qpn;
    c.wqe_index = index;
    c.wait_data = waits;
    c.status = status;
    bench.in[index % 2].push_back(c);
    bench.drain();
  };
  complete(5, 0, true);
  bench.dut->fault_qpn_i = 5;
  bench.dut->fault_valid_i = 1;
  bench.step();
  bench.dut->fault_valid_i = 0;
  complete(5, 1, true);
  complete(5, 2, false);
  complete(5, 3, true, 5);
  complete(4, 4, true);
  complete(5, 5, true);
  bench.dut->reset_qpn_i = 5;
  bench.dut->reset_valid_i = 1;
  bench.step();
  bench.dut->reset_valid_i = 0;
  complete(5, 6, true);
  const unsigned expected[] = {0, kFatalErr, 0, 5, 0, kFatalErr, 0};
  REQUIRE(bench.taken.size() == 7);
  for (unsigned i = 0; i < 7; ++i) CHECK(bench.taken[i].status == expected[i]);
}

TEST_CASE("cq: F-82 an entry that does not reach memory raises CqError and breaks the ring") {
  Bench bench;
  bench.make(3, 6);
  bench.make(4, 6);
  bench.arm(3, 0);
  bench.bad_index = 2;
  for (unsigned i = 0; i < 4; ++i) bench.complete(3, i);
  for (unsigned i = 10; i < 14; ++i) bench.complete(4, i);
  bench.drain();
  REQUIRE(bench.events.size() == 2);
  CHECK(bench.events[0].kind == kCompletion);
  CHECK(bench.events[1].kind == kCqError);
  CHECK(bench.events[1].number == 3);
  CHECK(bench.live(3).overflowed);
  CHECK_FALSE(bench.live(4).overflowed);
  bench.complete(3, 5);
  bench.complete(4, 14);
  bench.drain();
  CHECK(bench.fails == std::vector<unsigned>{0x1003});
  CHECK(bench.taken.back().cqn == 4);
}
