// SPDX-License-Identifier: Apache-2.0
// Forged responses. Tests of conform, which act as the peer, have most of them; here are cases that
// need a long schedule, or a real peer whose packets are changed on the link.
#include <random>

#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

/// Loses all requests, so that the test sends the responses.
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

SCHEDULE(
    "F-67", "a packet never arrives, and each one after it is NAKed",
    "RETRY_EXC_ERR after retry_cnt retransmissions, flushes, no timeout needed while NAKs come") {
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
        run.inject(Way::kResponses,
                   run.response_frame(packet::kRcAck, run.psn(2)).aeth(kNakSequence, 0));
        ++naks;
        run.sleep(15'000);  // the responses have left
      }
      CHECK(naks < kMost);
    };
    plan.after = [](ActiveSchedule& run) {
      INFO("copies of a NAK count once (F-10); the timer ends the sequence");
      CHECK(run.counters().retries == run.plan().connect.retry_cnt);
    };
    runner.play(plan);
  }
}

SCHEDULE("F-68", "NAK of a PSN and ACK of the one before it, in turn, without end",
         "no progress, therefore an error") {
  ScheduleRunner runner;
  for (const unsigned from : {0u, 1u}) {
    SchedulePlan plan = unheard(from);
    plan.during = [](ActiveSchedule& run) {
      constexpr unsigned kMost = 200;
      unsigned injected = 0;
      while (run.qp().query().state == driver::QpState::kRts && injected < kMost) {
        const bool nak = injected++ % 2 == 0;
        run.inject(Way::kResponses, run.response_frame(packet::kRcAck, run.psn(nak ? 3 : 2))
                                        .aeth(nak ? kNakSequence : kAck, 0));
        run.sleep(10'000);
      }
      CHECK(injected < kMost);
    };
    runner.play(plan);
  }
}

SCHEDULE("F-69", "one packet arrives for each timeout", "success, slowly") {
  ScheduleRunner runner;
  SchedulePlan plan;
  const unsigned packets = thorough() ? 1000 : 30;
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

SCHEDULE("F-71", "RNR NAKs to a WRITE, a READ and an atomic", "waits, retransmits, succeeds") {
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
             run.inject(Way::kResponses,
                        run.response_frame(packet::kRcAck, run.psn(0)).aeth(kRnrNak | 5, 0));
             run.sleep(110'000);  // 60 us, and the packet was retransmitted
           }
           CHECK(run.seen().repeats >= 3);
           deaf = false;
           run.inject(Way::kResponses,
                      run.response_frame(packet::kRcAck, run.psn(0)).aeth(kRnrNak | 5, 0));
         };
         plan.after = [](ActiveSchedule& run) {
           CHECK(run.counters().timeouts == 0);
           CHECK(run.counters().naks_received >= 4);
         };
         runner.play(plan);
       });
}

SCHEDULE("F-53 F-52",
         "one header field of one packet of a valid session is changed, with a correct ICRC",
         "every work request completes; no byte outside a region, the witness unaffected, the "
         "next generation works") {
  ScheduleRunner runner;
  const unsigned sessions = thorough() ? 600 : 30;
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
    const Way way = random() % 2 == 0 ? Way::kRequests : Way::kResponses;
    rule.first = 1 + static_cast<unsigned>(random() % (way == Way::kRequests ? 9 : 4));
    rule.replace = [&random](const packet::Parsed& p) {
      packet::Bytes frame = p.frame.copy();
      // The changed fields are those of the BTH, except for PSNs of neighbouring packets, and of
      // the\n    // extension headers: 12 bytes and more.
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
      // An RNR NAK may request a delay of 655 ms; here it is 10 us.
      const bool syndrome = p.has(packet::Ext::kAeth) && at == p.bth_at + packet::Bth::kBytes;
      if (syndrome && transport::aeth_kind(frame[at]) == layout::AethKind::kRnr) {
        frame[at] = kRnrNak | 1;
      }
      packet::seal(&frame);
      return frame;
    };
    plan.faults = {{way, rule, 1}};
    CAPTURE(i);
    runner.play(plan);
  }
}
