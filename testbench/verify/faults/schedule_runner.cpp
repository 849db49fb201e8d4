// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/schedule_runner.hpp"

#include <algorithm>

#include "testbench/verify/faults/apart.hpp"

namespace roci::testbench::faults {
namespace {

Config with_width(Config config) {
  config.width = 64;
  // Short delays, unless a schedule requests others: most of a run is the creation of its queue
  // pairs.
  const Config usual;
  if (config.delay_ns == usual.delay_ns) config.delay_ns = 300;
  if (config.memory_ns == usual.memory_ns) config.memory_ns = 200;
  if (config.register_ns == usual.register_ns) config.register_ns = 40;
  config = with_engines(config);
  config.lockstep = config.lockstep && !is_apart(doctest::getContextOptions()->currentTest->m_name);
  return config;
}

}  // namespace

bool thorough() {
  const char* text = std::getenv("ROCI_FAULTS");
  return text != nullptr && std::string(text) == "long";
}
std::vector<unsigned> both_ways() { return {0, 1}; }

ScheduleRunner::ScheduleRunner(Config config)
    : world_(std::make_unique<World>(with_width(std::move(config)))) {
  world_->add_tap(&watch_);
  world_->egress().set_payload_check(
      [this](const FrameEvent& event) { return watch_.payload_is_right(event); });
}
ScheduleRunner::~ScheduleRunner() = default;

bool ScheduleRunner::run(const std::vector<World::Task>& tasks) {
  if (broken_) return false;
  try {
    world_->run(tasks);
  } catch (const std::exception& error) {
    broken_ = true;
    FAIL_CHECK(std::string(error.what()));
  } catch (...) {  // an assertion has reported the reason
    broken_ = true;
  }
  return !broken_;
}

void ScheduleRunner::play(const SchedulePlan& plan) {
  INFO("requester on node ", plan.from, ", first PSN ", plan.psn, ", first message ",
       std::string(name_of(plan.messages.at(0).op)), " of ", plan.messages[0].bytes,
       " bytes, messages ", plan.messages.size());
  const std::uint64_t checks = world_->counter_checks();
  ActiveSchedule schedule(*this, plan);
  Witness witness(*world_);
  const std::uint64_t pause_ns =
      std::max<std::uint64_t>(20'000, transport::timeout_ns(plan.connect.timeout) / 2);
  if (!run({{plan.from,
             [&](Node&) {
               schedule.requester();
               witness.stop();
             }},
            {1 - plan.from, [&](Node&) { schedule.responder(); }},
            {0, [&](Node&) { witness.run(pause_ns); }}})) {
    return;
  }
  for (unsigned i = 0; i < 2; ++i) {
    world_->link(i).faults().rules.clear();
    world_->link(i).faults().blackouts.clear();
    world_->link(i).faults().pauses.clear();
  }
  watch_.forget();
  CHECK(witness.rounds() >= 2);
  INFO("I13: counters compared when the link was empty");
  CHECK(world_->counter_checks() == checks + 1);
}

}  // namespace roci::testbench::faults
