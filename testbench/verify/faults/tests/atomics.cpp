// SPDX-License-Identifier: Apache-2.0
// Atomics, which must be executed once for any loss.
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

const std::vector<Opcode> kAtomics = {Opcode::kFetchAdd, Opcode::kCmpSwap};

}  // namespace

SCHEDULE("F-16 F-27", "an atomic request is lost", "timeout, executed once") {
  ScheduleRunner runner;
  each(kAtomics, [&](SchedulePlan plan) {
    plan.faults = {{Way::kRequests, drop_psn(plan.psn), 1}};
    plan.path = Path::kTimer;
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().replays == 0); };
    runner.play(plan);
  });
}

SCHEDULE("F-17 F-27", "the response of an atomic is lost up to retry_cnt times, and once more",
         "timeout, the saved response repeated, memory changed once; RETRY_EXC_ERR once more") {
  ScheduleRunner runner;
  each(kAtomics, [&](SchedulePlan plan) {
    for (unsigned lost = 1; lost <= plan.connect.retry_cnt + 1u; ++lost) {
      plan.faults = {{Way::kResponses, drop_psn(plan.psn, lost), lost}};
      if (lost > plan.connect.retry_cnt) {
        plan.statuses = {Status::kRetryExcErr};
      }
      plan.path = Path::kTimer;
      plan.after = [lost](ActiveSchedule& run) {
        CHECK(run.seen().replays == std::min<unsigned>(lost, run.plan().connect.retry_cnt));
      };
      runner.play(plan);
    }
  });
}

SCHEDULE("F-18 F-27", "of four outstanding atomics, the first and third response are lost",
         "each executed once, each original value correct") {
  ScheduleRunner runner;
  each(kAtomics, [&](SchedulePlan plan) {
    plan.messages.assign(4, plan.messages[0]);
    plan.faults = {{Way::kResponses, drop_psn(plan.psn), 1},
                   {Way::kResponses, drop_psn(plan.psn + 2), 1}};
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().replays >= 1); };
    runner.play(plan);
  });
}

SCHEDULE("F-19", "another queue pair changes the memory of an atomic before its retry",
         "the first original value repeated, the memory as the other left it") {
  ScheduleRunner runner;
  each(kAtomics, [&](SchedulePlan plan) {
    plan.others = 1;
    plan.faults = {{Way::kResponses, drop_psn(plan.psn), 1}};
    plan.path = Path::kTimer;
    plan.during = [](ActiveSchedule& run) {
      run.sleep(40'000);  // executed, and its response is lost
      const std::size_t word = run.reference().atomic_at();
      std::uint64_t before = 0, after = 0;
      std::memcpy(&after, run.peer().data(word), 8);
      // The value that the second queue pair writes would match a second comparison.
      Endpoint& self = run.self();
      const std::size_t from = run.reference().order_at();
      std::memcpy(&before, self.data(from), 8);
      self.qp(1).send(request(Opcode::kWrite, self, from, 8, run.peer(), word));
      const auto other = self.send_cq.wait(1'000'000);
      CHECK((other && other->ok()));
      run.reference().atomic_word(before);
    };
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().replays == 1); };
    runner.play(plan);
  });
}

SCHEDULE("F-20", "two atomics at a time at replay depth two, 10 % lost each way",
         "the sum is exact after thousands of atomics, replays on the link") {
  ScheduleRunner runner;
  SchedulePlan plan;
  const char* count = std::getenv("ROCI_FAULTS_ATOMICS");
  plan.messages.assign(count != nullptr ? static_cast<unsigned>(std::atoi(count))
                       : thorough()     ? 10'000u
                                        : 600u,
                       {Opcode::kFetchAdd, 8});
  plan.connect.max_rd_atomic = plan.connect.max_dest_rd_atomic = 2;
  plan.connect.timeout = 4;
  plan.connect.retry_cnt = 7;
  plan.psn = 0xFFFF80;
  std::mt19937_64 random(20);
  for (const Way way : {Way::kRequests, Way::kResponses}) {
    FaultRule rule;
    rule.count = 0;
    rule.when = [&random](const packet::Parsed&, std::uint64_t) { return random() % 10 == 0; };
    plan.faults.push_back({way, rule});
  }
  plan.after = [](ActiveSchedule& run) { CHECK(run.seen().replays >= 10); };
  runner.play(plan);
}
