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

SCHEDULE("F-11 F-27", "a READ request is lost", "timeout, the same request repeated") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.faults = {{Way::kRequests, drop_psn(plan.psn), 1}};
    plan.path = Path::kTimer;
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().requests == 2); };
    runner.play(plan);
  });
}

SCHEDULE("F-12 F-27", "a READ response is lost: first, each middle, last, only",
         "requested anew from that PSN, after the gap if packets follow, else by the timer") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    for (unsigned k = 0; k < 6; ++k) {
      plan.faults = {{Way::kResponses, drop_psn(plan.psn + k), 1}};
      plan.path = k == 5 ? Path::kTimer : Path::kReread;
      plan.after = [k](ActiveSchedule& run) {
        INFO("the responses before the gap come once");
        CHECK(run.seen().responses <= 6 + 6 - k);
      };
      runner.play(plan);
    }
    plan.messages[0].bytes = 200;
    plan.faults = {{Way::kResponses, drop_psn(plan.psn), 1}};
    plan.path = Path::kTimer;
    plan.after = {};
    runner.play(plan);
  });
}

SCHEDULE("F-13 F-27", "a READ response is lost with three READs outstanding",
         "all data correct, in order, never more outstanding than allowed (I12)") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.messages.assign(3, {Opcode::kRead, 1500});
    plan.connect.max_rd_atomic = plan.connect.max_dest_rd_atomic = 3;
    for (const unsigned k : {2u, 5u, 8u, 13u}) {
      plan.faults = {{Way::kResponses, drop_psn(plan.psn + k), 1}};
      // The reference does not repeat responses that are still queued, so that the timer may be
      // needed.
      plan.path = runner.rtl(1 - plan.from) ? Path::kReread : Path::kAny;
      plan.after = [](ActiveSchedule& run) { CHECK(run.seen().rereads >= 1); };
      runner.play(plan);
    }
    plan.after = {};
    plan.faults = {{Way::kResponses, drop_psn(plan.psn + 17), 1}};
    plan.path = Path::kTimer;
    runner.play(plan);
  });
}

SCHEDULE("F-14 F-27", "each response is lost retry_cnt times, and one without end",
         "progress restores the retries: eight in all, and success; without it RETRY_EXC_ERR") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.connect.retry_cnt = 2;
    // The next response in order, one of four, is lost until its third transmission.
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
    plan.faults = {{Way::kResponses, rule, 8}};
    plan.rounds = 4;
    plan.after = [](ActiveSchedule& run) { CHECK(run.counters().retries == 8); };
    runner.play(plan);

    plan.faults = {{Way::kResponses, drop_psn(plan.psn + 2, 0), 3}};
    plan.statuses = {Status::kRetryExcErr};
    plan.after = {};
    runner.play(plan);
  });
}

SCHEDULE("F-15 F-27", "the request for the rest of a READ is lost as well",
         "timeout, data correct although old and new responses interleave") {
  ScheduleRunner runner;
  each_read([&](SchedulePlan plan) {
    plan.messages.assign(3, {Opcode::kRead, 1500});
    FaultRule again = drop_psn(plan.psn + 2);
    again.opcode = packet::kRcReadRequest;
    plan.faults = {{Way::kResponses, drop_psn(plan.psn + 2), 1}, {Way::kRequests, again, 1}};
    plan.path = Path::kAny;
    plan.after = [](ActiveSchedule& run) {
      CHECK(run.counters().timeouts >= 1);
      CHECK(run.seen().rereads >= 2);
    };
    runner.play(plan);
  });
}
