// SPDX-License-Identifier: Apache-2.0
// Arming of completion queues, and the event queue.
#include <set>

#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/tests/deliver.hpp"

namespace roci::conform {
using namespace packet;

TEST("CQ-08", "armed, the next completion raises one event") {
  Connection c(dut);
  std::uint32_t at = 0;
  const std::uint32_t cqn = c.receive_cq().number();
  c.receive_cq().arm();
  deliver(c, 1, at);
  dut.expect_event(EventKind::kCompletion, cqn);
  deliver(c, 3, at);
  dut.expect_no_event(cqn);
}

TEST("CQ-08", "an entry present when the queue is armed raises no event") {
  Connection c(dut);
  std::uint32_t at = 0;
  const std::uint32_t cqn = c.receive_cq().number();
  deliver(c, 1, at);
  dut.sleep(5_us);
  c.receive_cq().arm();
  dut.expect_no_event(cqn);
  deliver(c, 1, at);
  dut.expect_event(EventKind::kCompletion, cqn);
  dut.expect_no_event(cqn);
}

TEST("CQ-09", "armed for solicited, only a solicited or failed completion raises an event") {
  Connection c(dut);
  std::uint32_t at = 0;
  const std::uint32_t cqn = c.receive_cq().number();
  c.receive_cq().arm(true);
  deliver(c, 2, at);
  dut.expect_no_event(cqn);
  deliver(c, 1, at, true);
  dut.expect_event(EventKind::kCompletion, cqn);
  while (c.receive_cq().poll()) {
  }
  c.receive_cq().arm(true);
  c.receive(8);
  c.qp().to_error();
  dut.expect_event(EventKind::kCompletion, cqn);
}

TEST("CQ-10", "arm, poll, sleep misses no completion, and each arm gives one event") {
  Connection c(dut);
  const std::uint32_t cqn = c.receive_cq().number();
  auto& random = dut.random();
  unsigned fed = 0, polled = 0, arms = 0, events = 0;
  constexpr unsigned kAll = 300;
  const auto feed_some = [&] {
    for (unsigned k = random() % 3; k > 0 && fed < kAll; --k) {
      c.receive(8);
      c.feed(c.send_request(kRcSendOnly, c.rq(fed++), payload_of(8)));
    }
  };
  while (polled < kAll) {
    feed_some();
    dut.sleep(random() % 1500);
    c.receive_cq().arm();
    ++arms;
    if (random() % 2 != 0) dut.sleep(random() % 1500);
    bool any = false;
    while (c.receive_cq().poll()) {
      ++polled;
      any = true;
    }
    if (any) continue;  // programs arm and poll once more
    if (fed == polled) {
      c.receive(8);
      if (fed == kAll) break;
      c.feed(c.send_request(kRcSendOnly, c.rq(fed++), payload_of(8)));
    }
    require(dut.event(cqn, 100_us).has_value(), "a wake-up after arm and an empty poll", "none");
    ++events;
  }
  while (dut.event(cqn, 5_us)) ++events;
  require(events <= arms, "at most one event for each arm",
          std::to_string(events) + " events of " + std::to_string(arms) + " arms");
}

TEST("CQ-11", "arming for any overrides solicited-only, and is not weakened by it") {
  Connection c(dut);
  std::uint32_t at = 0;
  const std::uint32_t cqn = c.receive_cq().number();
  c.receive_cq().arm(true);
  c.receive_cq().arm(false);
  deliver(c, 1, at);
  dut.expect_event(EventKind::kCompletion, cqn);
  while (c.receive_cq().poll()) {
  }
  c.receive_cq().arm(false);
  c.receive_cq().arm(true);
  deliver(c, 1, at);
  dut.expect_event(EventKind::kCompletion, cqn);
}

TEST_THAT_NEEDS(
    in_bench("the agent takes events at once: their queue does not overflow"), "CQ-12",
    "a full event queue reports it, keeps unread events in order, and still wakes all waiters") {
  // Each completion queue is armed once and then gets one entry: its number shows the order.
  driver::CompletionQueue a(dut.context(), 1024), b(dut.context(), 1024);
  Connection ca(dut, [&](Options& o) { o.receive_cq = &a; });
  Connection cb(dut, [&](Options& o) { o.receive_cq = &b; });
  driver::EventQueue& events = dut.context().events();
  while (events.poll()) {
  }
  events.overflowed();
  std::vector<std::uint32_t> order;
  std::uint32_t at_a = 0, at_b = 0;
  for (unsigned i = 0; i < 300; ++i) {
    const bool first = dut.random()() % 2 == 0;
    driver::CompletionQueue& cq = first ? a : b;
    while (cq.poll()) {
    }
    cq.arm();
    if (first) {
      deliver(ca, 1, at_a);
    } else {
      deliver(cb, 1, at_b);
    }
    dut.wait([] { return false; }, 1_us);
    order.push_back(cq.number());
  }
  require(events.overflowed(), "the overflow reported", "not");
  // Events that fitted come unchanged; then each queue whose event did not fit has one (F-88).
  std::vector<std::uint32_t> seen;
  auto gather = [&] {
    while (const auto event = events.poll()) seen.push_back(event->number);
    return false;
  };
  dut.wait(gather, 100_us);
  const std::size_t fits = std::size_t{1} << driver::ContextOptions{}.event_log;
  require(seen.size() > fits && seen.size() < order.size(),
          "more events than fit, fewer than raised", std::to_string(seen.size()));
  for (std::size_t i = 0; i < fits; ++i) same("event " + std::to_string(i), seen[i], order[i]);
  const std::set<std::uint32_t> lost(order.begin() + static_cast<std::ptrdiff_t>(fits),
                                     order.end());
  const std::set<std::uint32_t> late(seen.begin() + static_cast<std::ptrdiff_t>(fits), seen.end());
  require(late == lost, "an event of each queue whose event found no room",
          std::to_string(late.size()));
  same("late events", seen.size() - fits, lost.size());
}
}  // namespace roci::conform
