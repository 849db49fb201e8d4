// SPDX-License-Identifier: Apache-2.0
// Queues that are full, shared, flushed or of an earlier generation.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/schedule_runner.hpp"
#include "testbench/verify/faults/sweep_fixture.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

constexpr std::uint64_t kBoundNs = 5'000'000;
constexpr unsigned kPairs = 8, kEach = 6, kReady = 4, kBytes = 200;  // sizes of F-89

}  // namespace

SCHEDULE("F-89", "eight queue pairs send into a shared receive queue that runs empty repeatedly",
         "RNR NAKs, every message once, one event at the limit") {
  sweep(Sweep::once(), [](SweepFixture& a, unsigned) {
    a.begin();
    driver::SrqOptions options;
    options.entries = 16;
    driver::SharedReceiveQueue srq(a.peer.pd, options);
    driver::EventQueue& events = a.peer.node.context().events();
    while (events.poll()) {
    }
    std::vector<std::unique_ptr<driver::QueuePair>> senders, receivers;
    driver::QpOptions shared;
    shared.srq = &srq;
    for (unsigned i = 0; i < kPairs; ++i) {
      senders.push_back(
          std::make_unique<driver::QueuePair>(a.self.pd, a.self.send_cq, a.self.receive_cq));
      receivers.push_back(std::make_unique<driver::QueuePair>(a.peer.pd, a.peer.send_cq,
                                                              a.peer.receive_cq, shared));
      a.connect(*senders.back(), *receivers.back());
    }
    driver::MemoryRegion place(a.peer.pd, 16 * 256, driver::access::kAll);
    driver::MemoryRegion source(a.self.pd, kPairs * kEach * 256, driver::access::kAll);
    for (unsigned i = 0; i < kReady; ++i) srq.receive({i, {place.sge(256 * i, kBytes)}});
    srq.arm_limit(2);
    for (unsigned m = 0; m < kEach; ++m) {
      for (unsigned i = 0; i < kPairs; ++i) {
        const unsigned message = i * kEach + m;
        fill(source.data() + 256 * message, kBytes, 1000 + message);
        driver::SendRequest r = request(driver::Opcode::kSendImm, a.self, 0, kBytes, a.peer, 0);
        r.sges = {source.sge(256 * message, kBytes)};
        r.imm = message;
        r.id = message;
        senders[i]->send(r);
      }
    }
    std::vector<unsigned> next(kPairs, 0);
    for (unsigned n = 0; n < kPairs * kEach; ++n) {
      const auto got = a.peer.receive_cq.wait(kBoundNs);
      REQUIRE((got && got->ok()));
      const unsigned i = got->imm / kEach;
      REQUIRE(i < kPairs);
      INFO("I2, I4: queue pair ", i);
      CHECK(got->imm % kEach == next[i]++);
      CHECK(first_wrong(place.data() + 256 * got->id, kBytes, 1000 + got->imm) == kBytes);
      a.peer.node.sleep(3'000);  // slower than the senders
      srq.receive({got->id, {place.sge(256 * got->id, kBytes)}});
    }
    for (unsigned n = 0; n < kPairs * kEach; ++n) {
      const auto done = a.self.send_cq.wait(kBoundNs);
      CHECK((done && done->ok()));
    }
    unsigned limits = 0, naks = 0;
    while (const auto event = events.poll()) limits += event->kind == driver::EventKind::kSrqLimit;
    CHECK(limits == 1);
    for (auto& qp : receivers) naks += static_cast<unsigned>(qp->counters().naks_sent);
    INFO("the queue never ran empty");
    CHECK(naks >= 1);
    senders.clear();
    receivers.clear();
    a.end();
  });
}

SCHEDULE("F-92", "two threads post to one full queue",
         "every request once, rejected ones not at all") {
  constexpr unsigned kAll = 60;
  ScheduleRunner runner;
  std::unique_ptr<Endpoint> sides[2];
  unsigned posted = 0, rejected = 0, left = 2;
  const auto post = [&](Node& node) {
    node.device().wait([&] { return sides[1] != nullptr; }, driver::Device::kForever);
    for (unsigned i = 0; i < kAll;) {
      driver::SendRequest r =
          request(driver::Opcode::kWrite, *sides[0], 0, 100, *sides[1], 128 * (posted % 16));
      r.id = posted;
      const driver::PostResult result = sides[0]->qp().post_send(&r, 1);
      if (result) {
        ++posted;
        ++i;
      } else {
        CHECK(result.error == driver::PostError::kQueueFull);
        ++rejected;
        node.sleep(400);
      }
    }
    --left;
  };
  runner.run(
      {{0,
        [&](Node& node) {
          ConnectionOptions options;
          options.qp.send_entries = 4;
          options.region_bytes = 4096;
          auto here = std::make_unique<Endpoint>(node, options);
          auto there = std::make_unique<Endpoint>(runner.world().node(1), options);
          connect_both({there->node, there->qp(), 7}, {here->node, here->qp(), 7}, options.connect);
          sides[0] = std::move(here);
          sides[1] = std::move(there);
          node.device().wake();
          for (unsigned i = 0; i < 2 * kAll; ++i) {
            const auto done = sides[0]->send_cq.wait(kBoundNs);
            REQUIRE((done && done->ok()));
            CHECK(done->id == i);
          }
          node.sleep(10'000);
          CHECK(left == 0);
          CHECK_FALSE(sides[0]->send_cq.poll());
          sides[0].reset();
          sides[1].reset();
        }},
       {0, post},
       {0, post}});
  CHECK(rejected >= 10);
}

SCHEDULE("F-92", "posting continues while the queue pair goes to ERR, at each clock",
         "each request completes once, in order") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.self.qp().to_error();
    driver::SendRequest late = request(driver::Opcode::kWrite, a.self, 0, 16, a.peer, 0);
    late.id = 77;
    a.self.qp().send(late);
    a.finish({Status::kWrFlushErr});
    const driver::Completion done = a.self.sent();
    CHECK(done.id == 77);
    CHECK(done.status == Status::kWrFlushErr);
    a.self.node.sleep(8'000);
    a.receives(false);
    a.end();
  });
}

SCHEDULE("F-93",
         "both sides reset and connect again while packets of the old generation are 10 ms late",
         "the old packets are dropped: the new generation and its markers do not change") {
  constexpr std::uint64_t kLateNs = 10'000'000;
  sweep(Sweep::once(), [](SweepFixture& a, unsigned) {
    for (const unsigned node : {0u, 1u}) {
      a.begin();
      FaultRule late;
      late.kind = FaultKind::kDelay;
      late.delay_ns = kLateNs;
      late.count = 8;
      late.qpn = node == 0 ? a.peer.qp().number() : a.self.qp().number();
      a.world.link(node).faults().rules = {late};
      a.post();
      a.self.node.sleep(8'000);
      a.end();
      CHECK(a.world.link(node).faults().rules[0].hits >= 3);
      a.world.link(node).faults().rules.clear();
      a.begin();
      a.post();
      CHECK(a.finish({}) == SweepFixture::kMessages);
      CHECK(a.receives(false) == 1);
      a.mark(a.peer.data(0), SweepFixture::kRead);
      a.mark(a.peer.data(SweepFixture::kWord), 64);
      a.mark(a.self.data(SweepFixture::kRead), SweepFixture::kReadBytes);
      a.self.node.sleep(kLateNs);
      a.marks_hold();
      a.no_completion();
      CHECK(a.self.qp().query().state == driver::QpState::kRts);
      CHECK(a.peer.qp().query().state == driver::QpState::kRts);
      a.end();
    }
  });
}
