// SPDX-License-Identifier: Apache-2.0
// The queue pair of either side ends, or stops, at each clock of a transfer.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/sweep_fixture.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

/// Memory of the requester for READ data and original values.
void mark_landing(SweepFixture& a) {
  a.mark(a.self.data(SweepFixture::kRead), SweepFixture::kReadBytes);
  a.mark(a.self.data(SweepFixture::kWord), 8);
}
void mark_targets(SweepFixture& a) {
  a.mark(a.peer.data(SweepFixture::kWrite), SweepFixture::kWriteBytes);
  a.mark(a.peer.data(SweepFixture::kSend), SweepFixture::kSendBytes);
  a.mark(a.peer.data(SweepFixture::kWord), 8);
}

}  // namespace

SCHEDULE("F-91", "the requester goes to ERR at each clock",
         "successes, then flushes, each once and in order; the peer's memory has whole packets") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.self.qp().to_error();
    a.finish({Status::kWrFlushErr});
    a.self.node.sleep(8'000);  // packets on the link arrive
    a.targets_whole(a.peer.data());
    CHECK(a.receives(false) <= 1);
    a.end();
  });
}

SCHEDULE("F-91", "the requester drains (SQD) at each clock and continues",
         "all succeed, none twice") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    driver::QpAttributes attributes;
    attributes.state = driver::QpState::kSqd;
    a.self.qp().modify(attributes, driver::mask::kState);
    constexpr unsigned kMost = 200;
    unsigned looks = 0;
    while (a.self.qp().query().sq_draining && ++looks < kMost) a.self.node.sleep(1000);
    CHECK(looks < kMost);
    attributes.state = driver::QpState::kRts;
    a.self.qp().modify(attributes, driver::mask::kState);
    CHECK(a.finish({}) == SweepFixture::kMessages);
    CHECK(a.receives(false) == 1);
    a.targets_whole(a.peer.data());
    a.end();
  });
}

SCHEDULE("F-91", "the requester is reset at each clock",
         "no completion and no write afterwards, and the next generation works") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.self.qp().to_reset();
    mark_landing(a);
    a.marks_hold();
    CHECK_FALSE(a.self.send_cq.poll());
    a.targets_whole(a.peer.data());
    a.end();
  });
}

SCHEDULE("F-91", "the requester is destroyed at each clock",
         "nothing is written after the call returned, its memory is not read (I6)") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.self.qps[0].reset();
    mark_landing(a);
    a.self.qps[0] =
        std::make_unique<driver::QueuePair>(a.self.pd, a.self.send_cq, a.self.receive_cq);
    a.marks_hold();
    CHECK_FALSE(a.self.send_cq.poll());
    a.targets_whole(a.peer.data());
    a.end();
  });
}

SCHEDULE("F-55 F-91", "the responder goes to ERR at each clock",
         "each request executed whole or not at all; RETRY_EXC_ERR and flushes; receives flush") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.peer.qp().to_error();
    const unsigned good = a.finish({Status::kRetryExcErr});
    const unsigned taken = a.receives(true);
    CHECK(taken >= (good == SweepFixture::kMessages ? 1u : 0u));
    CHECK(taken <= 1);
    if (taken == 0) a.targets_whole(a.peer.data());
    a.end();
  });
}

SCHEDULE("F-55 F-91", "the responder is reset at each clock",
         "each request executed whole or not at all; nothing written afterwards") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.peer.qp().to_reset();
    a.targets_whole(a.peer.data());
    mark_targets(a);
    a.finish({Status::kRetryExcErr});
    a.marks_hold();
    CHECK_FALSE(a.peer.receive_cq.poll());
    a.end();
  });
}

SCHEDULE("F-55 F-91", "the responder is destroyed at each clock",
         "each request executed whole or not at all; nothing written after the call returned") {
  sweep({}, [](SweepFixture& a, unsigned clock) {
    a.begin();
    a.post();
    a.until(clock);
    a.peer.qps[0].reset();
    a.targets_whole(a.peer.data());
    mark_targets(a);
    a.peer.qps[0] =
        std::make_unique<driver::QueuePair>(a.peer.pd, a.peer.send_cq, a.peer.receive_cq);
    a.finish({Status::kRetryExcErr});
    a.marks_hold();
    CHECK_FALSE(a.peer.receive_cq.poll());
    a.end();
  });
}

SCHEDULE("F-94", "all objects of two programs are destroyed at each clock of their traffic",
         "no access afterwards (I6), the adapter works for the witness and for later programs") {
  Sweep plan;
  plan.quick = 20;
  sweep(plan, [](SweepFixture& a, unsigned clock) {
    a.begin();
    {
      ConnectionOptions options;
      options.region_bytes = 8192;
      Endpoint here(a.self.node, options), there(a.peer.node, options);
      a.connect(here.qp(), there.qp());
      for (Endpoint* side : {&here, &there}) {
        Endpoint& other = side == &here ? there : here;
        for (unsigned i = 0; i < 2; ++i) {
          side->qp().send(request(driver::Opcode::kWrite, *side, 0, 2000, other, 4096));
          side->qp().send(request(driver::Opcode::kRead, *side, 2048, 2000, other, 6144));
        }
      }
      a.self.node.sleep(4 * clock);
    }
    a.end();
  });
}
