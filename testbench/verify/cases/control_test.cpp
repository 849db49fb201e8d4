// SPDX-License-Identifier: Apache-2.0
// Commands and events during traffic: overflow, resize, draining.
#include "testbench/verify/cases/control.hpp"

#include <set>

using namespace roci;
using namespace roci::testbench;
using driver::EventKind;
using driver::Opcode;
using driver::QpState;
using driver::Status;

TEST_CASE("control: CQ-13 a resize keeps the entries not polled; a smaller size is rejected") {
  Pair pair(narrow());
  constexpr unsigned kMessages = 60;
  pair.run(
      [&](Endpoint& self, Endpoint& peer) {
        pair.meet(0);
        for (unsigned i = 0; i < kMessages; ++i) {
          self.qp().send(message(i, Opcode::kSend, self, 64, peer));
          CHECK(self.sent().status == Status::kSuccess);
          if (i == 4) pair.meet(0);
        }
        pair.meet(0);
      },
      [&](Endpoint& self, Endpoint&) {
        for (unsigned i = 0; i < kMessages; ++i) self.qp().receive(place(i, self, 64 * i, 64));
        pair.meet(1);
        pair.meet(1);
        // Five entries wait in the ring.
        CHECK_THROWS_AS(self.receive_cq.resize(1), driver::Error);
        unsigned next = 0;
        for (const unsigned entries : {24u, 512u, 6u, 100u}) {
          if (next != 0) self.node.sleep(3000);  // some more wait
          try {
            self.receive_cq.resize(entries);
          } catch (const driver::Error& error) {
            CHECK(entries < 64);  // more entries are waiting
            CHECK(error.status() == driver::AdminStatus::kBadParameter);
          }
          for (unsigned i = 0; i < 5; ++i) {
            const driver::Completion one = self.received();
            CHECK(one.status == Status::kSuccess);
            CHECK(one.id == next++);
          }
        }
        while (next < kMessages) CHECK(self.received().id == next++);
        pair.meet(1);
        CHECK_FALSE(self.receive_cq.poll());
      });
}

TEST_CASE("control: CQ-07 an overflow keeps the entries and fails every queue pair of the queue") {
  Config config = narrow();
  config.strict = false;  // completions must be lost
  Pair pair(config);
  std::array<std::array<driver::QueuePair*, 2>, 2> qps{};
  std::array<Endpoint*, 2> sides{};
  pair.world.run([&](Node& node) {
    const unsigned me = node.index();
    Endpoint self(node, {});
    driver::CompletionQueue small(node.context(), 1);  // a ring of two entries
    driver::QueuePair first(self.pd, self.send_cq, small), second(self.pd, small, self.receive_cq);
    qps[me] = {&first, &second};
    sides[me] = &self;
    pair.meet(me);
    for (unsigned i = 0; i < 2; ++i) {
      connect({node, *qps[me][i], 7}, {sides[1 - me]->node, *qps[1 - me][i], 7}, {});
    }
    if (me == 1) {
      for (unsigned i = 0; i < 4; ++i) first.receive(place(i, self, 64 * i, 64));
    }
    pair.meet(me);
    if (me == 0) {
      for (unsigned i = 0; i < 3; ++i) first.send(message(i, Opcode::kSend, self, 64, *sides[1]));
      for (unsigned i = 0; i < 2; ++i) CHECK(self.sent().status == Status::kSuccess);
    } else {
      std::set<std::uint32_t> failed;
      unsigned errors = 0;
      while (failed.size() < 2 || errors == 0) {
        const auto event = node.context().events().wait();
        REQUIRE(event);
        if (event->kind == EventKind::kCqError) {
          ++errors;
          CHECK(event->number == small.number());
        } else if (event->kind == EventKind::kQpFatal) {
          CHECK(failed.insert(event->number).second);
        }
      }
      CHECK(failed == std::set<std::uint32_t>{first.number(), second.number()});
      CHECK(errors == 1);
      CHECK(first.query().state == QpState::kErr);
      CHECK(second.query().state == QpState::kErr);
      for (unsigned i = 0; i < 2; ++i) {
        const auto kept = small.poll();
        REQUIRE(kept);
        CHECK(kept->id == i);
        CHECK(kept->status == Status::kSuccess);
      }
      CHECK_FALSE(small.poll());
    }
    pair.meet(me);
  });
}

TEST_CASE("control: QP-12, QP-13 SQD finishes what was begun, signals it, and continues") {
  Pair pair(narrow());
  pair.run(
      [&](Endpoint& self, Endpoint& peer) {
        self.qp().send(message(1, Opcode::kSend, self, 100, peer));  // no receive is posted
        self.node.sleep(20'000);
        modify(self.qp(), QpState::kSqd, driver::mask::kEnSqdAsyncNotify, true);
        self.qp().send(message(2, Opcode::kWrite, self, 100, peer));
        CHECK(self.qp().query().sq_draining);
        try {
          modify(self.qp(), QpState::kRts);
          FAIL_CHECK("left SQD before it had drained");
        } catch (const driver::Error& error) {
          CHECK(error.status() == driver::AdminStatus::kBadState);
        }
        CHECK_FALSE(self.send_cq.poll());
        pair.meet(0);
        const auto events = events_until(self, EventKind::kSqDrained);
        CHECK(events.back().number == self.qp().number());
        const auto first = self.send_cq.poll();  // its completion came before the event
        REQUIRE(first);
        CHECK(first->id == 1);
        CHECK(first->status == Status::kSuccess);
        CHECK(self.qp().query().state == QpState::kSqd);
        CHECK_FALSE(self.qp().query().sq_draining);
        self.node.sleep(100'000);
        CHECK_FALSE(self.send_cq.poll());  // later requests wait
        modify(self.qp(), QpState::kRts);
        const driver::Completion second = self.sent();
        CHECK(second.id == 2);
        CHECK(second.status == Status::kSuccess);
        CHECK_FALSE(self.node.context().events().poll());
      },
      [&](Endpoint& self, Endpoint&) {
        pair.meet(1);
        self.qp().receive(place(7, self, 0, 100));
        CHECK(self.received().status == Status::kSuccess);
      });
}
