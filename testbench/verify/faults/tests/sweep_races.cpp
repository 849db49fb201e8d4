// SPDX-License-Identifier: Apache-2.0
// Two concurrent events: a receive and its RNR NAK, room in a queue and a completion, an arm and a
// completion; each at each clock.
#include <string_view>

#include "model/spec/layout/queues.hpp"
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/sweep_fixture.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

Sweep races(unsigned clocks) {
  Sweep plan;
  plan.clocks = clocks;
  return plan;
}

constexpr std::uint64_t kRaceBoundNs = 2'000'000;

}  // namespace

SCHEDULE(
    "F-31",
    "a receive is posted while the request arrives and its RNR NAK is generated, at each clock",
    "one delivery, one completion each, in either order") {
  unsigned early = 0, late = 0;
  sweep(races(700), [&](SweepFixture& a, unsigned clock) {
    a.begin(0);
    a.post_sends(1);
    a.until(clock);
    a.receive(0);
    const auto done = a.self.send_cq.wait(kRaceBoundNs);
    CHECK((done && done->ok()));
    CHECK(a.receives(false) == 1);
    ++(a.seen().rnr_naks == 0 ? early : late);
    CHECK(a.seen().rnr_naks <= 1);
    CHECK(a.seen().sequence_naks == 0);
    a.self.node.sleep(12'000);
    a.no_completion();
    a.end();
  });
  INFO("in time ", early, ", with an RNR NAK ", late);
  CHECK(early >= 2);
  CHECK(late >= 2);
}

SCHEDULE(
    "F-87", "a completion queue is polled at each clock while it overflows",
    "room in time: all arrive; else CQ_ERR, the queue pair fails, unread entries stay intact") {
  unsigned kept = 0, lost = 0;
  sweep(races(1500), [&](SweepFixture& a, unsigned clock) {
    a.begin();
    driver::CompletionQueue small(a.self.node.context(), 4);
    const auto slots = static_cast<unsigned>(small.memory().bytes / 32);
    driver::QueuePair qp(a.self.pd, small, small);
    driver::QueuePair other(a.peer.pd, a.peer.send_cq, a.peer.receive_cq);
    a.connect(qp, other);
    driver::EventQueue& events = a.self.node.context().events();
    while (events.poll()) {
    }
    std::vector<driver::SendRequest> list;
    const unsigned count = slots + 1;
    for (unsigned i = 0; i < count; ++i) {
      list.push_back(request(driver::Opcode::kWrite, a.self, 0, 16, a.peer, 16 * i));
      list.back().id = i;
    }
    // The last one comes later, so that there is a time when the ring is full and nothing is lost.
    constexpr std::uint64_t kLaterNs = 1000;
    CHECK(qp.post_send(list.data(), slots));
    a.self.node.sleep(kLaterNs);
    CHECK(qp.post_send(&list[slots], 1));
    a.self.node.sleep(4 * clock);
    unsigned next = 0;
    const auto take = [&] {
      const auto done = small.poll();
      if (!done) return false;
      CHECK(done->ok());
      CHECK(done->id == next);
      ++next;
      return true;
    };
    // Half the ring must be read before the adapter is notified.
    for (unsigned i = 0; i < slots; ++i) take();
    a.self.node.sleep(60'000);
    bool overflow = false;
    while (const auto event = events.poll()) {
      overflow |= event->kind == driver::EventKind::kCqError && event->number == small.number();
    }
    while (take()) {
    }
    CHECK(next >= slots);
    CHECK((next == count) == !overflow);
    CHECK((qp.query().state == driver::QpState::kErr) == overflow);
    ++(overflow ? lost : kept);
    a.end();
  });
  INFO("room in time ", kept, ", too late ", lost);
  CHECK(kept >= 1);
  CHECK(lost >= 1);
}

SCHEDULE("F-88", "a completion queue is armed at each clock around a completion",
         "a program that finds it empty after the arm is woken, once") {
  unsigned found = 0, woken = 0;
  sweep(races(900), [&](SweepFixture& a, unsigned clock) {
    a.begin();
    driver::EventQueue& events = a.peer.node.context().events();
    while (events.poll()) {
    }
    a.post_sends(1);
    a.until(clock);
    a.peer.receive_cq.arm();
    auto got = a.peer.receive_cq.poll();
    unsigned wakes = 0;
    if (got) {
      ++found;
    } else {
      const auto event = events.wait(kRaceBoundNs);
      CHECK((event && event->kind == driver::EventKind::kCompletion &&
             event->number == a.peer.receive_cq.number()));
      got = a.peer.receive_cq.poll();
      ++wakes;
      ++woken;
    }
    CHECK((got && got->ok()));
    CHECK(a.self.sent().ok());
    a.peer.node.sleep(5'000);
    while (events.poll()) ++wakes;
    CHECK(wakes <= 1);
    a.end();
  });
  INFO("found at once ", found, ", woken ", woken);
  CHECK(found >= 2);
  CHECK(woken >= 2);
}

SCHEDULE("F-86", "the entry of a posted WRITE changes at each clock after its doorbell",
         "the old one, the new one or an error; no byte outside their ranges (I6)") {
  sweep(races(500), [&](SweepFixture& a, unsigned clock) {
    a.begin();
    driver::QueuePair qp(a.self.pd, a.self.send_cq, a.self.receive_cq);
    driver::QueuePair other(a.peer.pd, a.peer.send_cq, a.peer.receive_cq);
    a.connect(qp, other);
    struct Change {
      layout::Place field;
      std::uint64_t value;
    };
    const Change changes[] = {
        {layout::wqe::sge0_addr, a.self.region.address() + (1u << 20)},
        {layout::wqe::sge0_lkey, 0x12345678},
        {layout::wqe::sge0_length, 0xFFFFFFFF},
        {layout::wqe::length, 0x7FFFFFFF},
        {layout::wqe::length, 3},
        {layout::wqe::num_sge, 255},
        {layout::wqe::rkey, 0x12345678},
        {layout::wqe::remote_addr, a.peer.region.address() + SweepFixture::kBytes - 10}};
    const Change& change = changes[a.generation % std::size(changes)];
    fill(a.self.data(0), 600, 3);
    qp.send(request(driver::Opcode::kWrite, a.self, 0, 600, a.peer, 0));
    a.self.node.sleep(4 * clock);
    std::uint8_t* wqe = qp.send_memory().host;
    layout::put_memory(wqe, change.field, change.value);
    const auto done = a.self.send_cq.wait(kRaceBoundNs);
    CHECK(done);
    if (done && done->ok() && change.field.offset != layout::wqe::length.offset) {
      CHECK(first_wrong(a.peer.data(0), 600, 3) == 600);
    }
    a.self.node.sleep(5'000);
    CHECK_FALSE(a.self.send_cq.poll());
    a.end();
  });
}
