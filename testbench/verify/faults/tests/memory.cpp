// SPDX-License-Identifier: Apache-2.0
// Host memory that is slow, or fails.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/sweep_fixture.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

constexpr std::uint64_t kBoundNs = 2'000'000;

Config hard(std::uint64_t memory_ns) {
  Config config;
  config.memory_ns = memory_ns;
  config.out_of_order = true;
  config.stall = 0.03;
  config.seed = 83;
  return config;
}

/// Excludes a region whose memory fails from later comparisons.
struct Broken {
  Broken(SweepFixture& a, Endpoint& side, std::size_t at, std::size_t bytes)
      : region(side.pd, 8192, driver::access::kAll) {
    fill(region.data(), region.size(), 80);
    side.node.poison(region.address() + at, bytes);
    static_cast<void>(a);
  }
  driver::MemoryRegion region;
};

}  // namespace

SCHEDULE("F-83", "losses while memory is 10 us away, stalls and responses out of order",
         "success, order kept (I14)") {
  ScheduleRunner runner(hard(10'000));
  const std::vector<Opcode> some = {Opcode::kSend, Opcode::kRead, Opcode::kCmpSwap};
  each(thorough() ? every_operation() : some, [&](SchedulePlan plan) {
    plan.connect.timeout = 10;
    plan.messages.push_back({Opcode::kSend, 700});
    plan.messages.push_back({Opcode::kRead, 300});
    plan.faults = {{Way::kRequests, drop_psn(plan.psn), 1}};
    runner.play(plan);
  });
}

SCHEDULE("F-83", "ranges that lie across 64-byte and 4-KiB borders, memory out of order",
         "success, no byte beside them (I6)") {
  ScheduleRunner runner(hard(1000));
  SchedulePlan plan;
  for (const std::uint32_t bytes : {1u, 63u, 64u, 65u, 255u, 257u, 4095u, 4097u, 8191u}) {
    plan.messages.push_back({Opcode::kWrite, bytes});
    plan.messages.push_back({Opcode::kRead, bytes});
    plan.messages.push_back({Opcode::kSend, bytes});
  }
  plan.connect.timeout = 12;
  plan.path = Path::kAny;
  FaultRule some;
  some.count = 0;
  some.when = [n = 0u](const packet::Parsed&, std::uint64_t) mutable { return ++n % 50 == 0; };
  plan.faults = {{Way::kRequests, some}};
  runner.play(plan);
}

SCHEDULE("F-80", "payload of a SEND or WRITE cannot be read: first, middle or last packet",
         "LOC_PROT_ERR at once, flushes, ERR; no byte of a packet that failed is delivered") {
  for (const Opcode op : {Opcode::kWrite, Opcode::kSend}) {
    for (const std::size_t bad : {0u, 256u, 512u}) {
      CAPTURE(bad);
      sweep(Sweep::once(), [&](SweepFixture& a, unsigned) {
        a.begin(0);
        a.peer.qp().receive({0, {a.peer.region.sge(SweepFixture::kSend, 1000)}});
        Broken source(a, a.self, bad, 64);
        a.watch_nothing();
        driver::SendRequest r = request(op, a.self, 0, 600, a.peer, SweepFixture::kWrite);
        r.sges = {source.region.sge(0, 600)};
        a.self.qp().send(r);
        a.self.qp().send(request(Opcode::kWrite, a.self, 0, 10, a.peer, SweepFixture::kRead));
        const driver::Completion done = a.self.sent();
        INFO("status ", std::string(driver::name_of(done.status)));
        CHECK(done.status == Status::kLocProtErr);
        CHECK(a.self.sent().status == Status::kWrFlushErr);
        CHECK(a.self.qp().query().state == driver::QpState::kErr);
        a.self.node.sleep(10'000);
        INFO("no byte from the failing packet on is at the peer");
        const std::uint8_t* at =
            a.peer.data(op == Opcode::kSend ? SweepFixture::kSend : SweepFixture::kWrite);
        CHECK(first_wrong(at, 600, 80) <= bad);
        CHECK_FALSE(a.peer.receive_cq.poll());
        a.end();
      });
    }
  }
}

SCHEDULE("F-81", "the data of a READ cannot be read: first, middle or last packet",
         "NAK operational: REM_OP_ERR, ERR at the responder; no false success (I8)") {
  for (const std::size_t bad : {0u, 256u, 512u}) {
    CAPTURE(bad);
    sweep(Sweep::once(), [&](SweepFixture& a, unsigned) {
      a.begin();
      Broken source(a, a.peer, bad, 64);
      a.watch_nothing();
      driver::SendRequest r = request(Opcode::kRead, a.self, 0, 600, a.peer, 0);
      r.remote_address = source.region.address();
      r.remote_key = source.region.key();
      a.self.qp().send(r);
      CHECK(a.self.sent().status == Status::kRemOpErr);
      CHECK(a.peer.qp().query().state == driver::QpState::kErr);
      CHECK(first_wrong(a.self.data(0), 600, 80) <= bad);
      a.end();
    });
  }
}

SCHEDULE("F-82", "payload that arrives cannot be written: WRITE, SEND, READ data, atomic",
         "NAK operational, or FATAL_ERR for READ data; never a successful completion") {
  for (const Opcode op : {Opcode::kWrite, Opcode::kSend, Opcode::kRead, Opcode::kFetchAdd}) {
    CAPTURE(static_cast<int>(op));
    sweep(Sweep::once(), [&](SweepFixture& a, unsigned) {
      a.begin(0);
      const bool landing = op == Opcode::kRead;
      Broken target(a, landing ? a.self : a.peer, 0, 1024);
      a.watch_nothing();
      driver::SendRequest r = request(op, a.self, 0, op == Opcode::kFetchAdd ? 8 : 600, a.peer, 0);
      r.remote_address = landing ? a.peer.region.address() : target.region.address();
      r.remote_key = landing ? a.peer.region.key() : target.region.key();
      if (landing) r.sges = {target.region.sge(0, 600)};
      a.peer.qp().receive({0, {target.region.sge(0, 1024)}});
      a.self.qp().send(r);
      const driver::Completion done = a.self.sent();
      INFO("status ", std::string(driver::name_of(done.status)));
      CHECK(done.status == (landing ? Status::kFatalErr : Status::kRemOpErr));
      if (!landing) CHECK(a.peer.qp().query().state == driver::QpState::kErr);
      const auto got = a.peer.receive_cq.poll();
      if (got) CHECK_FALSE(got->ok());
      a.end();
    });
  }
}

SCHEDULE("F-82", "a completion cannot be written",
         "CQ_ERR, the queue pair fails, others continue") {
  sweep(Sweep::once(), [](SweepFixture& a, unsigned) {
    a.begin();
    auto broken = std::make_unique<driver::CompletionQueue>(a.self.node.context(), 16);
    auto qp = std::make_unique<driver::QueuePair>(a.self.pd, *broken, *broken);
    driver::QueuePair other(a.peer.pd, a.peer.send_cq, a.peer.receive_cq);
    a.connect(*qp, other);
    driver::EventQueue& events = a.self.node.context().events();
    while (events.poll()) {
    }
    a.self.node.poison(broken->memory().dma, broken->memory().bytes);
    qp->send(request(Opcode::kWrite, a.self, 0, 16, a.peer, 0));
    bool reported = false;
    while (const auto event = events.wait(100'000)) {
      reported |= event->kind == driver::EventKind::kCqError && event->number == broken->number();
    }
    CHECK(reported);
    CHECK(qp->query().state == driver::QpState::kErr);
    CHECK_FALSE(broken->poll());
    qp.reset();
    a.end();
  });
}
