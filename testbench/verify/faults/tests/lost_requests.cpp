// SPDX-License-Identifier: Apache-2.0
// Packets of SENDs and WRITEs lost on the link.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci::testbench;
using namespace roci::testbench::faults;

SCHEDULE("F-01 F-27", "the first packet of a message is lost",
         "NAK at its PSN, retransmitted at once, no timeout") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kSendImm, Opcode::kWrite, Opcode::kWriteImm},
       [&](SchedulePlan plan) {
         plan.faults = {{Way::kRequests, drop_psn(plan.psn), 1}};
         plan.path = Path::kNak;
         runner.play(plan);
       });
}

SCHEDULE("F-02 F-27", "a packet in the middle is lost",
         "NAK at its PSN, retransmission from it and no earlier PSN, no timeout") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kWrite, Opcode::kWriteImm}, [&](SchedulePlan plan) {
    for (unsigned k = 1; k <= (thorough() ? 4u : 2u); ++k) {
      plan.faults = {{Way::kRequests, drop_psn(plan.psn + k), 1}};
      plan.path = Path::kNak;
      plan.after = [k](ActiveSchedule& run) {
        INFO("only the packets from the lost one on are retransmitted");
        CHECK(run.seen().repeats <= 6 - k);
      };
      runner.play(plan);
    }
  });
}

SCHEDULE("F-03 F-27", "the last packet is lost and nothing follows",
         "timeout between T and 4 T, retransmitted") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    if (plan.messages[0].read() || plan.messages[0].atomic()) return;
    plan.faults = {{Way::kRequests, drop_psn(plan.psn + 5), 1}};
    plan.path = Path::kTimer;
    runner.play(plan);
  });
}

SCHEDULE("F-04 F-27", "the last packet is lost and another message follows", "NAK, no timeout") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kWrite, Opcode::kWriteImm}, [&](SchedulePlan plan) {
    plan.messages.push_back({Opcode::kWrite, 100});
    plan.faults = {{Way::kRequests, drop_psn(plan.psn + 5), 1}};
    plan.path = Path::kNak;
    runner.play(plan);
  });
}

SCHEDULE("F-05 F-27", "the same packet is lost until the retries are exhausted, and once more",
         "success after retry_cnt losses, RETRY_EXC_ERR and flushes after one more") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    plan.messages.push_back({Opcode::kWrite, 100});
    plan.connect.retry_cnt = 2;
    const std::uint32_t at = plan.messages[0].packets() > 1 && !plan.messages[0].read() ? 3 : 0;
    for (const unsigned lost : {1u, 2u, 3u}) {
      if (lost == 1 && !thorough()) continue;
      plan.faults = {{Way::kRequests, drop_psn(plan.psn + at, lost), lost}};
      if (lost > plan.connect.retry_cnt) {
        plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
      }
      plan.after = [lost](ActiveSchedule& run) {
        CHECK(run.counters().retries == std::min<unsigned>(lost, run.plan().connect.retry_cnt));
      };
      runner.play(plan);
    }
  });
}

SCHEDULE("F-05", "retry_cnt 0, 1, 3 and 7, met and exceeded",
         "exactly retry_cnt + 1 times sent, then RETRY_EXC_ERR") {
  ScheduleRunner runner;
  for (const std::uint8_t retries : {0, 1, 3, 7}) {
    for (const bool exceeded : {false, true}) {
      if (retries == 0 && !exceeded) continue;
      SchedulePlan plan;
      plan.messages = {{Opcode::kSend, 100}};
      plan.connect.retry_cnt = retries;
      const unsigned lost = retries + (exceeded ? 1u : 0u);
      plan.faults = {{Way::kRequests, drop_psn(plan.psn, lost), lost}};
      if (exceeded) plan.statuses = {Status::kRetryExcErr};
      plan.after = [retries, exceeded](ActiveSchedule& run) {
        CHECK(run.seen().requests == retries + 1u);
        CHECK(run.counters().timeouts >= retries);
      };
      runner.play(plan);
    }
  }
}
