// SPDX-License-Identifier: Apache-2.0
// A peer that lies. Most of it is shown by tests of conform, which play the peer alone; here is
// cases that need a long schedule, or a real peer whose packets are changed on the way.
#include <random>

#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

/// No request gets through: the test sends the responses.
Fault alone() {
  FaultRule rule;
  rule.count = 0;
  return {Way::kRequests, rule, 0};
}

/// A message of several packets and one more; they must end in an error.
SchedulePlan unheard(unsigned from) {
  SchedulePlan plan;
  plan.from = from;
  plan.messages = {{Opcode::kWrite, 1500}, {Opcode::kWrite, 64}};
  plan.faults = {alone()};
  plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
  return plan;
}

}  // namespace

SCHEDULE("F-67", "a packet never arrives, and each one after it is NAKed",
         "RETRY_EXC_ERR after retry_cnt go-backs, flushes, no timeout needed while NAKs come") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kWrite}, [&](SchedulePlan plan) {
    plan.messages.push_back({Opcode::kWrite, 64});
    plan.faults = {{Way::kRequests, drop_psn(plan.psn + 2, 0)}};
    plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
    plan.after = [](ActiveSchedule& run) {
      CHECK(run.counters().retries == run.plan().connect.retry_cnt);
      CHECK(run.seen().sequence_naks >= 1);
    };
    runner.play(plan);
  });
}

SCHEDULE("F-67", "sequence NAKs of the same PSN without end", "RETRY_EXC_ERR after retry_cnt") {
  ScheduleRunner runner;
  for (const unsigned from : {0u, 1u}) {
    SchedulePlan plan = unheard(from);
    plan.during = [](ActiveSchedule& run) {
      constexpr unsigned kMost = 100;
      unsigned naks = 0;
      while (run.qp().query().state == driver::QpState::kRts && naks < kMost) {
        run.inject(Way::kAnswers,
                   run.answer_frame(packet::kRcAck, run.psn(2)).aeth(kNakSequence, 0));
        ++naks;
        run.sleep(15'000);  // the responses have left
      }
      CHECK(naks < kMost);
    };
    plan.after = [](ActiveSchedule& run) {
      INFO("copies of a NAK count once (F-10); the timer ends it");
      CHECK(run.counters().retries == run.plan().connect.retry_cnt);
    };
    runner.play(plan);
  }
}

SCHEDULE("F-68", "NAK of a PSN and ACK of the one before it, in turn, without end",
         "no progress, so an error and no endless loop") {
  ScheduleRunner runner;
  for (const unsigned from : {0u, 1u}) {
    SchedulePlan plan = unheard(from);
    plan.during = [](ActiveSchedule& run) {
      constexpr unsigned kMost = 200;
      unsigned told = 0;
      while (run.qp().query().state == driver::QpState::kRts && told < kMost) {
        const bool nak = told++ % 2 == 0;
        run.inject(Way::kAnswers, run.answer_frame(packet::kRcAck, run.psn(nak ? 3 : 2))
                                      .aeth(nak ? kNakSequence : kAck, 0));
        run.sleep(10'000);
      }
      CHECK(told < kMost);
    };
    runner.play(plan);
  }
}

SCHEDULE("F-69", "one packet gets through for each timeout", "good, slowly") {
  ScheduleRunner runner;
  SchedulePlan plan;
  const unsigned packets = thorough() ? 1000 : 60;
  plan.messages.assign(packets, {Opcode::kWrite, 100});  // each requests an ACK
  plan.connect.timeout = 3;
  plan.connect.retry_cnt = 1;
  plan.rounds = packets;
  FaultRule rule;
  rule.count = 0;
  rule.when = [next = plan.psn, last_ns = std::uint64_t{0}](const packet::Parsed& p,
                                                            std::uint64_t now) mutable {
    constexpr std::uint64_t kRoundNs = 20'000;  // T is 33 us
    if (p.psn() != transport::Psn(next) || (last_ns != 0 && now < last_ns + kRoundNs)) return true;
    next = (p.psn() + 1).value();
    last_ns = now;
    return false;
  };
  plan.faults = {{Way::kRequests, rule}};
  plan.after = [packets](ActiveSchedule& run) { CHECK(run.counters().timeouts >= packets - 1); };
  runner.play(plan);
}

SCHEDULE("F-71", "RNR NAKs to a WRITE, a READ and an atomic", "waits, retransmits, good") {
  ScheduleRunner runner;
  each({Opcode::kWrite, Opcode::kRead, Opcode::kFetchAdd, Opcode::kCmpSwap},
       [&](SchedulePlan plan) {
         bool deaf = true;
         FaultRule rule;
         rule.count = 0;
         rule.when = [&deaf](const packet::Parsed&, std::uint64_t) { return deaf; };
         plan.faults = {{Way::kRequests, rule}};
         plan.connect.timeout = 10;
         plan.during = [&deaf](ActiveSchedule& run) {
           run.sleep(20'000);
           for (unsigned i = 0; i < 3; ++i) {
             run.inject(Way::kAnswers,
                        run.answer_frame(packet::kRcAck, run.psn(0)).aeth(kRnrNak | 5, 0));
             run.sleep(110'000);  // 60 us, and it came again
           }
           CHECK(run.seen().repeats >= 3);
           deaf = false;
           run.inject(Way::kAnswers,
                      run.answer_frame(packet::kRcAck, run.psn(0)).aeth(kRnrNak | 5, 0));
         };
         plan.after = [](ActiveSchedule& run) {
           CHECK(run.counters().timeouts == 0);
           CHECK(run.counters().naks_received >= 4);
         };
         runner.play(plan);
       });
}

SCHEDULE(
    "F-53 F-52", "one header field of one packet of a good session is changed, its ICRC right",
    "every work request completes, good or not; no byte outside a region, the witness good, the "
    "next generation clean") {
  ScheduleRunner runner;
  const unsigned sessions = thorough() ? 600 : 60;
  std::mt19937_64 random(53);
  for (unsigned i = 0; i < sessions; ++i) {
    SchedulePlan plan;
    plan.messages = {{Opcode::kSend, 600},
                     {Opcode::kWrite, 600},
                     {Opcode::kRead, 600},
                     {Opcode::kFetchAdd, 8},
                     {Opcode::kWriteImm, 300}};
    plan.connect.retry_cnt = 2;
    plan.connect.timeout = 4;
    plan.connect.rnr_retry = 2;
    plan.psn = 0xFFFFFC;
    plan.hostile = true;
    FaultRule rule;
    rule.kind = FaultKind::kReplace;
    const Way way = random() % 2 == 0 ? Way::kRequests : Way::kAnswers;
    rule.first = 1 + static_cast<unsigned>(random() % (way == Way::kRequests ? 9 : 4));
    rule.replace = [&random](const packet::Parsed& p) {
      packet::Bytes frame = p.frame.copy();
      // BTH except for PSN's neighbours in other packets, and extension headers: 12 bytes and more.
      const std::size_t end = p.icrc_at - p.payload.size - p.pad.size;
      const std::size_t at = p.bth_at + random() % (end - p.bth_at);
      static constexpr std::uint8_t kEdges[] = {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
      const std::uint8_t old = frame[at];
      switch (random() % 4) {
        case 0:
          frame[at] = kEdges[random() % std::size(kEdges)];
          break;
        case 1:
          frame[at] = static_cast<std::uint8_t>(old + 1);
          break;
        case 2:
          frame[at] = static_cast<std::uint8_t>(old - 1);
          break;
        default:
          frame[at] = static_cast<std::uint8_t>(old ^ 1u << random() % 8);
      }
      // An RNR NAK may request 655 ms of silence, and gets it: 10 us here.
      const bool syndrome = p.has(packet::Ext::kAeth) && at == p.bth_at + packet::Bth::kBytes;
      if (syndrome && (frame[at] & 0xE0) == kRnrNak) frame[at] = kRnrNak | 1;
      packet::seal(&frame);
      return frame;
    };
    plan.faults = {{way, rule, 1}};
    CAPTURE(i);
    runner.play(plan);
  }
}
