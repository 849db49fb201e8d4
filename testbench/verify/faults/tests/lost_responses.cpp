// SPDX-License-Identifier: Apache-2.0
// ACKs and NAKs of SENDs and WRITEs lost, repeated or late.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

const std::vector<Opcode> kAcked = {Opcode::kSend, Opcode::kSendImm, Opcode::kWrite,
                                    Opcode::kWriteImm};

FaultRule duplicate(FaultRule rule, unsigned copies, std::uint64_t delay_ns = 0) {
  rule.kind = FaultKind::kDuplicate;
  rule.copies = copies;
  rule.delay_ns = delay_ns;
  return rule;
}

}  // namespace

SCHEDULE("F-06 F-27", "the ACK of a message of one packet or six is lost",
         "timeout, the duplicate is acknowledged, one delivery") {
  ScheduleRunner runner;
  each(kAcked, [&](SchedulePlan plan) {
    for (const std::uint32_t bytes : {1500u, 100u}) {
      plan.messages[0].bytes = bytes;
      // Drop every ACK of the first transmission.
      FaultRule first = drop_opcode(packet::kRcAck, 1, 0);
      bool again = false;
      first.when = [&runner, &again, &plan](const packet::Parsed&, std::uint64_t) {
        return !again;
      };
      FaultRule mark = drop_opcode(packet::kRcAck, 1, 0);
      plan.faults = {{Way::kResponses, first}};
      plan.during = [&again](ActiveSchedule& run) {
        run.self().node.sleep(60'000);  // less than T
        again = true;
      };
      plan.path = Path::kTimer;
      runner.play(plan);
    }
  });
}

SCHEDULE("F-07 F-27", "all ACKs of six messages but the last are lost",
         "all complete, nothing is retransmitted") {
  ScheduleRunner runner;
  each(kAcked, [&](SchedulePlan plan) {
    plan.messages.assign(6, {plan.messages[0].op, 100});
    FaultRule rule = drop_opcode(packet::kRcAck, 1, 0);
    const std::uint32_t last = (plan.psn + 5) & 0xFFFFFF;
    rule.when = [last](const packet::Parsed& p, std::uint64_t) { return p.bth().psn() != last; };
    plan.faults = {{Way::kResponses, rule}};
    plan.path = Path::kNone;
    runner.play(plan);
  });
}

SCHEDULE("F-08 F-27", "every ACK is lost",
         "the data is applied once, then RETRY_EXC_ERR and flushes") {
  ScheduleRunner runner;
  each(kAcked, [&](SchedulePlan plan) {
    plan.connect.retry_cnt = 2;
    plan.messages.push_back({Opcode::kWrite, 64});
    plan.faults = {{Way::kResponses, drop_opcode(packet::kRcAck, 1, 0)}};
    plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
    plan.after = [](ActiveSchedule& run) {
      INFO("sent three times");
      CHECK(run.seen().requests == 3 * 7);
      const Message& m = run.plan().messages[0];
      CHECK(first_wrong(run.peer().data(run.reference().target(0)),
                        m.send() || !m.read() ? m.bytes : 0,
                        run.reference().pattern_of(0)) == m.bytes);
    };
    runner.play(plan);
  });
}

SCHEDULE("F-09 F-27", "a packet is lost and the NAK of its gap",
         "timeout, and no second NAK for that gap (I12)") {
  ScheduleRunner runner;
  each(kAcked, [&](SchedulePlan plan) {
    plan.faults = {{Way::kRequests, drop_psn(plan.psn + 2), 1},
                   {Way::kResponses, drop_syndrome(kNakSequence), 1}};
    plan.path = Path::kTimer;
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().sequence_naks == 1); };
    runner.play(plan);
  });
}

SCHEDULE("F-10 F-27", "a NAK comes ten times, or once more after a round trip or more",
         "one return to its PSN, one retry, no timeout") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kWrite}, [&](SchedulePlan plan) {
    for (const std::uint64_t late_ns : {0u, 2000u, 20000u}) {
      plan.messages[0].bytes = 8000;
      plan.connect.retry_cnt = 1;
      plan.faults = {{Way::kRequests, drop_psn(plan.psn + 2), 1},
                     {Way::kResponses,
                      duplicate(drop_syndrome(kNakSequence), late_ns == 0 ? 10 : 1, late_ns), 1}};
      plan.path = Path::kNak;
      plan.after = [](ActiveSchedule& run) {
        run.sleep(50'000);
        CHECK(run.counters().retries == 1);
        CHECK(run.seen().requests <= 2 * 32);
      };
      runner.play(plan);
    }
  });
}
