// SPDX-License-Identifier: Apache-2.0
// READ requests and responses lost.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

template <typename Body>
void each_read(const Body& body) {
  for (const unsigned from : {0u, 1u}) {
    for (const std::uint32_t psn : {kMiddle, 0xFFFFFEu}) {
      if (!thorough() && (from == 1) != (psn == kMiddle)) continue;
      SchedulePlan plan;
      plan.messages = {{Opcode::kRead, 1500}};
      plan.from = from;
      plan.psn = psn;
      body(plan);
    }
  }
}

}  // namespace

SCHEDULE("F-11 F-27", "a READ request is lost", "timeout, the same request again") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.faults = {{Way::kRequests, drop_psn(plan.psn), 1}};
    plan.path = Path::kTimer;
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().requests == 2); };
    runner.play(plan);
  });
}

SCHEDULE("F-12 F-27", "a READ response is lost: first, each middle, last, only",
         "requested again from that PSN; by the gap where something follows, else by the timer") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    for (unsigned k = 0; k < 6; ++k) {
      plan.faults = {{Way::kAnswers, drop_psn(plan.psn + k), 1}};
      plan.path = k == 5 ? Path::kTimer : Path::kReread;
      plan.after = [k](ActiveSchedule& run) {
        INFO("the responses before the gap come once");
        CHECK(run.seen().responses <= 6 + 6 - k);
      };
      runner.play(plan);
    }
    plan.messages[0].bytes = 200;
    plan.faults = {{Way::kAnswers, drop_psn(plan.psn), 1}};
    plan.path = Path::kTimer;
    plan.after = {};
    runner.play(plan);
  });
}

SCHEDULE("F-13 F-27", "a READ response is lost with three READs out",
         "all data right, in order, never more out than allowed (I12)") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.messages.assign(3, {Opcode::kRead, 1500});
    plan.connect.max_rd_atomic = plan.connect.max_dest_rd_atomic = 3;
    for (const unsigned k : {2u, 5u, 8u, 13u}) {
      plan.faults = {{Way::kAnswers, drop_psn(plan.psn + k), 1}};
      // The reference answers what is still on its way out once and in its old place, so that the
      // timer may be needed.
      plan.path = runner.rtl(1 - plan.from) ? Path::kReread : Path::kAny;
      plan.after = [](ActiveSchedule& run) { CHECK(run.seen().rereads >= 1); };
      runner.play(plan);
    }
    plan.after = {};
    plan.faults = {{Way::kAnswers, drop_psn(plan.psn + 17), 1}};
    plan.path = Path::kTimer;
    runner.play(plan);
  });
}

SCHEDULE("F-14 F-27", "each response is lost retry_cnt times, and one for ever",
         "progress gives the retries back: eight in all, and good; without it RETRY_EXC_ERR") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.connect.retry_cnt = 2;
    // The response that is next in order, one of four, does not get through until its third time.
    FaultRule rule;
    rule.count = 0;
    rule.when = [first = plan.psn, next = 0u, lost = 0u](const packet::Parsed& p,
                                                         std::uint64_t) mutable {
      if (p.psn() != transport::Psn(first) + next) return false;
      if (next >= 1 && next <= 4 && lost < 2) return ++lost != 0;
      ++next;
      lost = 0;
      return false;
    };
    plan.faults = {{Way::kAnswers, rule, 8}};
    plan.rounds = 4;
    plan.after = [](ActiveSchedule& run) { CHECK(run.counters().retries == 8); };
    runner.play(plan);

    plan.faults = {{Way::kAnswers, drop_psn(plan.psn + 2, 0), 3}};
    plan.statuses = {Status::kRetryExcErr};
    plan.after = {};
    runner.play(plan);
  });
}

SCHEDULE("F-15 F-27", "the request for the rest of a READ is lost as well",
         "timeout, data right although old and new responses interleave") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.messages.assign(3, {Opcode::kRead, 1500});
    FaultRule again = drop_psn(plan.psn + 2);
    again.opcode = packet::kRcReadRequest;
    plan.faults = {{Way::kAnswers, drop_psn(plan.psn + 2), 1}, {Way::kRequests, again, 1}};
    plan.path = Path::kAny;
    plan.after = [](ActiveSchedule& run) {
      CHECK(run.counters().timeouts >= 1);
      CHECK(run.seen().rereads >= 2);
    };
    runner.play(plan);
  });
}
