// SPDX-License-Identifier: Apache-2.0
// Timeouts, RNR waits, restarts, and commands at random.
#include "rtl/sq/timer/timer_rig.hpp"

using namespace timer_rig;

TEST_CASE("timer: RQ-31: fires after T and before T and the slack, for each code") {
  Bench bench;
  for (unsigned code = 1; code < 32; ++code) {
    const std::uint64_t t = std::uint64_t{4096} << code, from = bench.now;
    bench.command(code, code % 2 ? Op::kStart : Op::kRestart, code);
    const std::uint64_t after = bench.wait(from, code, false);
    CHECK(after >= t);
    CHECK(after <= t + kSlack);
  }
}

TEST_CASE("timer: RQ-31: code 0 never fires") {
  Bench bench;
  for (Op op : {Op::kStart, Op::kRestart}) {
    bench.command(1, op, 0);
    bench.settle();
    CHECK(bench.dut->next_deadline_o == kNever);
  }
  bench.command(1, Op::kStart, 5);
  bench.command(1, Op::kRestart, 0);  // switches the timer off
  bench.settle();
  CHECK(bench.dut->next_deadline_o == kNever);
}

TEST_CASE("timer: RQ-27: RNR waits of 9.7.5.2.8") {
  const double ms[32] = {655.36, 0.01,  0.02,  0.03,   0.04,   0.06,   0.08,   0.12,
                         0.16,   0.24,  0.32,  0.48,   0.64,   0.96,   1.28,   1.92,
                         2.56,   3.84,  5.12,  7.68,   10.24,  15.36,  20.48,  30.72,
                         40.96,  61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
  Bench bench;
  for (unsigned code = 0; code < 32; ++code) {
    const std::uint64_t from = bench.now;
    const auto t = static_cast<std::uint64_t>(ms[code] * 1e6 + 0.5);
    bench.command(code, Op::kRnr, code);
    const std::uint64_t after = bench.wait(from, code, true);
    CHECK(after >= t);
    CHECK(after <= t + kSlack);
  }
}

TEST_CASE("timer: RQ-26: an RNR wait takes the place of the timeout") {
  Bench bench;
  bench.command(3, Op::kStart, 1);  // 8 us
  const std::uint64_t from = bench.now;
  bench.command(3, Op::kRnr, 12);  // 640 us
  CHECK(bench.wait(from, 3, true) >= 640'000);
}

TEST_CASE("timer: RQ-32: a timer that is restarted in time never fires") {
  Bench bench;
  const std::uint64_t t = 4096 << 2;
  bench.command(0, Op::kStart, 2);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t until = bench.now + t / 2;
    while (bench.now < until) bench.tick();
    bench.command(0, Op::kRestart, 2);
  }
  CHECK(bench.events.empty());
  const std::uint64_t from = bench.now - kClock;
  const std::uint64_t after = bench.wait(from, 0, false);
  CHECK(after >= t);
  CHECK(after <= t + kSlack);
}

TEST_CASE("timer: a Start leaves a running timer alone") {
  Bench bench;
  const std::uint64_t from = bench.now;
  bench.command(7, Op::kStart, 3);
  while (bench.now < from + (4096 << 2)) bench.tick();
  bench.command(7, Op::kStart, 3);
  CHECK(bench.wait(from, 7, false) <= (4096 << 3) + kSlack);
}

TEST_CASE("timer: a stopped timer is no deadline") {
  Bench bench;
  for (unsigned qpn = 0; qpn < kQps; ++qpn) bench.command(qpn, Op::kStart, 1 + qpn % 20);
  for (unsigned qpn = 0; qpn < kQps; ++qpn) bench.command(qpn, Op::kStop);
  bench.settle();
  CHECK(bench.dut->next_deadline_o == kNever);
  CHECK(bench.events.empty());
}

TEST_CASE("timer: a reset in operation leaves no deadline, and none comes back") {
  Bench bench;
  for (unsigned qpn = 0; qpn < kQps; ++qpn) bench.command(qpn, Op::kStart, 1 + qpn % 20);
  bench.settle();
  bench.dut->rst_ni = 0;
  bench.tick();
  bench.dut->rst_ni = 1;
  bench.settle();
  CHECK(bench.dut->next_deadline_o == kNever);
  for (unsigned qpn = 0; qpn < kQps; ++qpn) {
    const std::uint64_t from = bench.now;
    bench.command(qpn, Op::kStart, 10);
    CHECK(bench.wait(from, qpn, false) >= 4096 << 10);
  }
}

TEST_CASE("timer: after an expiry a Start is remembered and turns a Stop into a Restart") {
  Bench bench;
  bench.command(5, Op::kStart, 1);
  bench.wait(0, 5, false);
  bench.command(5, Op::kStart, 2);
  bench.settle();
  CHECK(bench.dut->next_deadline_o == kNever);
  bench.now += 1'000'000;
  const std::uint64_t from = bench.now;
  bench.command(5, Op::kStop);
  const std::uint64_t after = bench.wait(from, 5, false);
  CHECK(after >= 4096 << 2);
  CHECK(after <= (4096 << 2) + kSlack);
  bench.command(5, Op::kStop);  // no Start since
  bench.command(5, Op::kStart, 1);
  bench.wait(0, 5, false);
  bench.command(5, Op::kStart, 1);
  bench.command(5, Op::kRestart, 3);  // forgets the Start
  bench.command(5, Op::kStop);
  bench.settle();
  CHECK(bench.dut->next_deadline_o == kNever);
}

TEST_CASE("timer: a restart takes two clocks, whatever else runs") {
  Bench bench;
  for (unsigned qpn = 0; qpn < kQps; ++qpn) bench.command(qpn, Op::kStart, 10);
  bench.settle();
  const auto begin = bench.dut.cycle();
  for (unsigned i = 0; i < 1000; ++i) bench.command(i % kQps, Op::kRestart, 10);
  bench.settle();
  CHECK(bench.dut.cycle() - begin <= 2010);
}

TEST_CASE("timer: all timers expire at once, and an event that is not taken waits") {
  Bench bench;
  for (unsigned qpn = 0; qpn < kQps; ++qpn) bench.command(qpn, Op::kStart, 4);
  bench.settle();
  bench.take_events = false;
  bench.now = bench.dut->next_deadline_o + 1'000'000;
  for (int i = 0; i < 100; ++i) bench.tick();
  CHECK(bench.dut->timer_event_valid_o);
  CHECK_FALSE(bench.dut->idle_o);
  bench.take_events = true;
  bench.settle();
  CHECK(bench.events.size() == kQps);
  std::vector<bool> seen(kQps);
  for (const Event& event : bench.events) seen[event.qpn] = true;
  for (bool one : seen) CHECK(one);
}

TEST_CASE("timer: any commands on any queue pair, with jumps of time") {
  struct State {
    bool running = false, rnr = false, expired = false, again = false;
    unsigned code = 0;
    std::uint64_t early = 0, late = 0;  // bounds of the deadline
  };
  Bench bench;
  std::mt19937 random(3);
  std::map<unsigned, State> qps;
  const auto rnr_time = [](unsigned code) { return code == 1 ? 10'000 : 20'000; };
  std::size_t fired = 0;
  const auto check_events = [&] {
    for (const Event& event : bench.events) {
      State& qp = qps[event.qpn];
      REQUIRE(qp.running);
      CHECK(qp.rnr == event.rnr);
      CHECK(event.time >= qp.early);
      CHECK(event.time <= qp.late + 20 * kSlack);
      qp.running = false;
      qp.expired = true;
      qp.again = false;
      ++fired;
    }
    bench.events.clear();
  };
  for (int step = 0; step < 60000; ++step) {
    check_events();
    const unsigned qpn = random() % (step % 2000 < 1000 ? 4 : kQps);
    State& qp = qps[qpn];
    const std::uint64_t late = bench.now + 20 * kSlack;
    if (random() % 4 == 0) {
      if (bench.dut->idle_o && random() % 2) {
        std::uint64_t to = std::min<std::uint64_t>(bench.dut->next_deadline_o, bench.now + 50'000);
        bench.now = std::max(bench.now, to);
      }
      bench.tick();
      continue;
    }
    // Near a deadline the order of command and event is open.
    if (qp.running && late >= qp.early) {
      bench.tick();
      continue;
    }
    const Op op = static_cast<Op>(random() % 4);
    const unsigned code = op == Op::kRnr ? 1 + random() % 2 : random() % 5;
    const std::uint64_t from = bench.now;
    bench.command(qpn, op, code);
    const auto arm = [&](bool rnr, unsigned with) {
      const std::uint64_t t = rnr ? rnr_time(with) : std::uint64_t{4096} << with;
      qp.running = rnr || with != 0;
      qp.rnr = rnr;
      qp.expired = qp.again = false;
      qp.early = from + t;
      qp.late = bench.now + 20 * kSlack + t;
    };
    switch (op) {
      case Op::kStart:
        if (qp.expired) {
          qp.again = true;
          qp.code = code;
        } else if (!qp.running && code) {
          arm(false, code);
        }
        break;
      case Op::kRestart:
        arm(false, code);
        break;
      case Op::kRnr:
        arm(true, code);
        break;
      case Op::kStop:
        if (qp.expired && qp.again) {
          arm(false, qp.code);
        } else {
          qp.running = qp.expired = qp.again = false;
        }
    }
  }
  for (int i = 0; i < 1000 && bench.dut->next_deadline_o != kNever; ++i) {
    bench.skip();
    check_events();
  }
  for (const auto& [qpn, qp] : qps) CHECK_FALSE(qp.running);
  CHECK(fired > 300);
}
