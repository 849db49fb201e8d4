// SPDX-License-Identifier: Apache-2.0
// Receivers that are not ready.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

const std::vector<Opcode> kReceiving = {Opcode::kSend, Opcode::kSendImm, Opcode::kWriteImm};

/// Four messages for which no receive is posted yet.
SchedulePlan four(SchedulePlan plan) {
  plan.messages.assign(4, plan.messages[0]);
  plan.receives = false;
  plan.rounds = 2;
  plan.during = [](ActiveSchedule& run) {
    run.sleep(100'000);
    CHECK(run.seen().rnr_naks >= 1);
    CHECK_FALSE(run.self().send_cq.poll());
    run.post_receives();
  };
  return plan;
}

/// Returns the same plan with one message.
SchedulePlan one(SchedulePlan plan) {
  plan = four(std::move(plan));
  plan.messages = {{plan.messages[0].op, 100}};
  plan.rounds = 4;
  return plan;
}

void no_sequence_nak(ActiveSchedule& run) {
  INFO("no sequence NAK after an RNR NAK");
  CHECK(run.seen().sequence_naks == 0);
}

}  // namespace

SCHEDULE("F-29 F-27", "four messages before their receives are posted",
         "RNR NAK, wait, success; no sequence NAK, no timeout") {
  ScheduleRunner runner;
  each(kReceiving, [&](SchedulePlan plan) {
    plan = four(plan);
    plan.path = Path::kRnr;
    plan.after = no_sequence_nak;
    runner.play(plan);
  });
}

SCHEDULE("F-29 F-27", "the packet retransmitted after the RNR wait is lost",
         "success after the receive is posted; timeout and RNR are counted apart") {
  ScheduleRunner runner;
  each(kReceiving, [&](SchedulePlan plan) {
    plan = one(plan);
    plan.connect.retry_cnt = 1;
    FaultRule lost = drop_psn(plan.psn);
    lost.first = 2;
    plan.faults = {{Way::kRequests, lost, 1}};
    plan.after = [](ActiveSchedule& run) {
      no_sequence_nak(run);
      CHECK(run.counters().timeouts == 1);
    };
    plan.during = [](ActiveSchedule& run) {
      run.sleep(20'000);
      CHECK(run.seen().rnr_naks >= 1);
      run.sleep(600'000);
      run.post_receives();
    };
    plan.connect.rnr_retry = 7;
    runner.play(plan);
  });
}

SCHEDULE("F-29 F-27", "the RNR NAK is lost",
         "timeout, another RNR NAK, success when the receive is posted") {
  ScheduleRunner runner;
  each(kReceiving, [&](SchedulePlan plan) {
    plan = one(plan);
    plan.faults = {{Way::kResponses, drop_syndrome(kRnrNak), 1}};
    plan.during = [](ActiveSchedule& run) {
      run.sleep(1'200'000);
      CHECK(run.counters().timeouts >= 1);
      CHECK(run.seen().rnr_naks >= 2);
      run.post_receives();
    };
    runner.play(plan);
  });
}

SCHEDULE("F-29 F-27", "a packet after one without a receive is lost", "RNR NAK, wait, good") {
  ScheduleRunner runner;
  each(kReceiving, [&](SchedulePlan plan) {
    plan = four(plan);
    plan.faults = {{Way::kRequests, drop_psn(plan.psn + 7), 1}};
    runner.play(plan);
  });
}

SCHEDULE("F-29 F-27", "no receive for the third of four messages",
         "two complete, RNR NAK in the middle, then the rest") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kSendImm}, [&](SchedulePlan plan) {
    plan = four(plan);
    plan.during = [](ActiveSchedule& run) {
      for (unsigned i = 0; i < 2; ++i) run.peer().qp().receive(run.reference().receive(i));
      run.sleep(100'000);
      CHECK(run.seen().rnr_naks >= 1);
      for (unsigned i = 2; i < 4; ++i) run.peer().qp().receive(run.reference().receive(i));
      for (unsigned k = 0; k < 2; ++k) run.peer().qp().receive(run.reference().spare(k));
    };
    plan.after = no_sequence_nak;
    runner.play(plan);
  });
}

SCHEDULE("F-30 F-27", "no receive at all, rnr_retry 0, 2 and 6",
         "rnr_retry + 1 times sent, RNR_RETRY_EXC_ERR, the rest flushes") {
  ScheduleRunner runner;
  each(kReceiving, [&](SchedulePlan plan) {
    for (const std::uint8_t retries : {0, 2, 6}) {
      plan.messages.assign(3, {plan.messages[0].op, 100});
      plan.receives = false;
      plan.connect.rnr_retry = retries;
      plan.statuses = {Status::kRnrRetryExcErr, Status::kWrFlushErr};
      plan.after = [retries](ActiveSchedule& run) {
        CHECK(run.seen().rnr_naks == retries + 1u);
        CHECK(run.counters().timeouts == 0);
      };
      runner.play(plan);
    }
  });
}
