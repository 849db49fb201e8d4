// SPDX-License-Identifier: Apache-2.0
// A program that rings arbitrary doorbells and writes arbitrary entries.
#include <string_view>

#include "driver/ring.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/schedule_runner.hpp"
#include "testbench/verify/faults/sweep_fixture.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

/// Frames of node 0 to a queue pair of node 1.
struct Count : FrameTap {
  void frame(const FrameEvent& event) override {
    frames += event.node == 0 && event.parsed.has_bth && event.parsed.bth().dest_qp() == to;
  }
  std::uint32_t to = 0;
  unsigned frames = 0;
};

std::uint32_t doorbell(std::uint32_t qpn, std::uint32_t offset) {
  return layout::sq_doorbell_offset(qpn) + offset;
}

}  // namespace

SCHEDULE("F-84",
         "doorbells of queue pairs that do not exist, in RESET or ERR, repeated, decreasing",
         "no access outside a ring (I6), no effect except on the named queue pair") {
  sweep(Sweep::once(), [](SweepFixture& a, unsigned) {
    a.begin();
    driver::Device& device = a.self.node.device();
    driver::QueuePair idle(a.self.pd, a.self.send_cq, a.self.receive_cq);  // in RESET
    constexpr std::uint32_t kNone = 200;
    for (const std::uint32_t qpn : {0u, 1u, kNone, idle.number()}) {
      for (const std::uint32_t offset :
           {layout::doorbell_word::kSq, layout::doorbell_word::kRq, layout::doorbell_word::kSrq}) {
        for (const std::uint32_t value : {0u, 1u, 3u, 0xFFFFu, 0xFFFFFFFFu}) {
          if (offset == layout::doorbell_word::kSrq && qpn <= 1) continue;  // may be a queue in use
          device.write32(doorbell(qpn, offset), value);
        }
      }
    }
    a.self.node.sleep(20'000);
    CHECK(idle.query().state == driver::QpState::kReset);
    // Words of a work request for a queue pair that does not exist, with the low bits of this one.
    const std::uint32_t parameters = device.read32(layout::reg::kParameters);
    const std::uint32_t other =
        a.self.qp().number() + (1u << layout::get(parameters, layout::reg::parameters::log_qps));
    const std::vector<std::uint8_t> noise(layout::kPostBytes, 0xEE);
    CHECK(device.write_words(layout::post_offset(other), noise.data(), noise.size()));
    // The same index twice, and a lower one.
    a.post();
    device.write32(doorbell(a.self.qp().number(), layout::doorbell_word::kSq), 4);
    device.write32(doorbell(a.self.qp().number(), layout::doorbell_word::kSq), 4);
    CHECK(a.finish({}) == SweepFixture::kMessages);
    CHECK(a.receives(false) == 1);
    device.write32(doorbell(a.self.qp().number(), layout::doorbell_word::kSq), 4);
    a.self.node.sleep(20'000);
    a.no_completion();
    CHECK(a.self.qp().query().state == driver::QpState::kRts);
    // The queue pair is in ERR.
    a.self.qp().to_error();
    device.write32(doorbell(a.self.qp().number(), layout::doorbell_word::kSq), 4);
    a.self.node.sleep(20'000);
    a.no_completion();
    a.end();
  });
}

SCHEDULE("F-84", "a doorbell beyond the size of the ring, and one before its entry is written",
         "no access outside the ring (I6); at most this queue pair fails") {
  for (const unsigned ahead : {1u, 5u, 17u, 0x7FFFu, 0x8000u, 0xFFFFu}) {
    CAPTURE(ahead);
    sweep(Sweep::once(), [&](SweepFixture& a, unsigned) {
      a.begin();
      driver::CompletionQueue cq(a.self.node.context(), 64);
      auto qp = std::make_unique<driver::QueuePair>(a.self.pd, cq, cq, driver::QpOptions{16, 16});
      driver::QueuePair other(a.peer.pd, a.peer.send_cq, a.peer.receive_cq);
      a.connect(*qp, other);
      // The scoreboard must know the count of the doorbell.
      const unsigned claimed = std::min(ahead, 64u);
      for (unsigned i = 0; i < claimed; ++i) {
        driver::SendRequest nothing;
        nothing.signaled = false;
        a.self.node.context().observer().send_posted(qp->number(), static_cast<std::uint16_t>(i),
                                                     nothing);
      }
      a.self.node.device().write32(doorbell(qp->number(), layout::doorbell_word::kSq), ahead);
      a.self.node.sleep(300'000);
      const driver::QpState state = qp->query().state;
      CHECK((state == driver::QpState::kErr || state == driver::QpState::kRts));
      a.post();
      CHECK(a.finish({}) == SweepFixture::kMessages);
      CHECK(a.receives(false) == 1);
      qp.reset();
      a.end();
    });
  }
}

SCHEDULE("F-85", "malformed entries of a send queue",
         "LOC_QP_OP_ERR, LOC_LEN_ERR or LOC_PROT_ERR, flushes after it, and no packet") {
  struct Change {
    Opcode op;
    layout::Place field;
    std::uint64_t value;
  };
  const Change changes[] = {{Opcode::kWrite, layout::wqe::opcode, 0x7F},
                            {Opcode::kWrite, layout::wqe::opcode, 0xFF},
                            {Opcode::kWrite, layout::wqe::num_sge, 200},
                            {Opcode::kWrite, layout::wqe::num_sge, 14},
                            {Opcode::kWrite, layout::wqe::length, 0x80000001},
                            {Opcode::kWrite, layout::wqe::length, 0xFFFFFFFF},
                            {Opcode::kWrite, layout::wqe::sge0_lkey, 0xDEAD00},
                            {Opcode::kWrite, layout::wqe::sge0_length, 99},
                            {Opcode::kWrite, layout::wqe::sge0_addr, ~std::uint64_t{0} - 10},
                            {Opcode::kRead, layout::wqe::inline_data, 1},
                            {Opcode::kFetchAdd, layout::wqe::length, 4},
                            {Opcode::kFetchAdd, layout::wqe::length, 16},
                            {Opcode::kCmpSwap, layout::wqe::sge0_length, 0},
                            {Opcode::kSend, layout::wqe::num_sge, 0},
                            {Opcode::kSend, layout::wqe::sge0_length, 3}};
  ScheduleRunner runner;
  Count count;
  runner.world().add_tap(&count);
  for (const Change& change : changes) {
    CAPTURE(change.field.offset);
    CAPTURE(change.value);
    sweep_on(runner, Sweep::once(), [&](SweepFixture& a, unsigned) {
      a.begin();
      a.watch_nothing();
      count.to = a.peer.qp().number();
      count.frames = 0;
      const std::uint32_t bytes =
          change.op == Opcode::kFetchAdd || change.op == Opcode::kCmpSwap ? 8 : 100;
      a.self.qp().send(request(change.op, a.self, 0, bytes, a.peer, 0));
      // The doorbell has not arrived yet; the entry is read when it has arrived.
      layout::put_memory(a.self.qp().send_memory().host, change.field, change.value);
      a.self.qp().send(request(Opcode::kWrite, a.self, 0, 100, a.peer, 0));
      const driver::Completion done = a.self.sent();
      INFO("status ", std::string(driver::name_of(done.status)));
      CHECK((done.status == Status::kLocQpOpErr || done.status == Status::kLocLenErr ||
             done.status == Status::kLocProtErr));
      CHECK(a.self.sent().status == Status::kWrFlushErr);
      CHECK(a.self.qp().query().state == driver::QpState::kErr);
      a.self.node.sleep(10'000);
      CHECK(count.frames == 0);
      a.end();
    });
  }
}
