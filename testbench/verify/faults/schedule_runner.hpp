// SPDX-License-Identifier: Apache-2.0
// Runs a plan between two adapters and applies every invariant to it.
#pragma once

#include <memory>
#include <utility>

#include "model/packet/builder.hpp"
#include "testbench/verify/faults/link_watch.hpp"
#include "testbench/verify/faults/reference_regions.hpp"
#include "testbench/verify/faults/witness.hpp"

namespace roci::testbench::faults {

/// Two adapters on which plans run one after the other, each with queue pairs, regions and
/// completion queues of its own.
class ScheduleRunner {
 public:
  explicit ScheduleRunner(Config config = {});
  ~ScheduleRunner();
  /// Fails the test case when the faults did not fire, the recovery was another one, a status is
  /// not as planned, or an invariant is broken.
  void play(const SchedulePlan& plan);
  /// Calls World::run. An exception of a program or invariant fails the test case, and the runner
  /// is unusable. It must not be destroyed while that exception unwinds: SystemC unwinds its own
  /// then.
  bool run(const std::vector<World::Task>& tasks);
  World& world() { return *world_; }
  LinkWatch& watch() { return watch_; }
  /// Whether node `n` is the RTL.
  bool rtl(unsigned n) const { return world_->config().engines[n] == Engine::kRtl; }

 private:
  std::unique_ptr<World> world_;
  LinkWatch watch_;
  bool broken_ = false;
};

/// A running plan, for its hooks.
class ActiveSchedule {
 public:
  ActiveSchedule(ScheduleRunner& runner, SchedulePlan plan)
      : runner_(runner), plan_(std::move(plan)) {}

  void requester();
  void responder();

  Endpoint& self() { return *self_; }
  Endpoint& peer() { return *peer_; }
  driver::QueuePair& qp() { return self_->qp(); }
  ReferenceRegions& reference() { return *reference_; }
  const SchedulePlan& plan() const { return plan_; }
  World& world() { return runner_.world(); }
  LinkDirection& way(Way way) {
    return runner_.world().link(way == Way::kRequests ? plan_.from : 1 - plan_.from);
  }
  const Seen& seen() { return runner_.watch().seen(plan_.from, peer_->qp().number()); }
  driver::QpCounters counters() { return self_->qp().counters(); }
  /// Returns the PSN of the `n`th packet of the requester.
  std::uint32_t psn(std::int64_t n) const {
    return static_cast<std::uint32_t>(plan_.psn + n) & 0xFFFFFF;
  }
  void sleep(std::uint64_t ns) { self_->node.sleep(ns); }
  /// Builds a frame as one side would send it to the other's queue pair.
  packet::Builder request_frame(std::uint8_t opcode, std::uint32_t psn);
  packet::Builder response_frame(std::uint8_t opcode, std::uint32_t psn);
  void inject(Way way, const packet::Builder& builder);
  void post_receives();
  bool completed() const { return completed_ == plan_.messages.size(); }

 private:
  void build();
  void connect();
  void arm();
  void post();
  void complete();
  void settle();
  void check_path();
  void check_order();
  void second_generation();
  Status status_of(unsigned i) const;
  std::uint64_t bound_ns() const;
  unsigned receives() const;

  ScheduleRunner& runner_;
  SchedulePlan plan_;
  std::unique_ptr<Connection> connection_;
  Endpoint* self_ = nullptr;
  Endpoint* peer_ = nullptr;
  std::unique_ptr<ReferenceRegions> reference_;
  unsigned posted_ = 0, completed_ = 0, good_ = 0, received_ = 0;
  bool failed_ = false, started_ = false, over_ = false, left_ = false;
  bool watching_ = false;  ///< the responder's thread polls the receives
  unsigned generation_ = 1;
};

/// Returns the nodes to use as requester: 0, 1, or both where it is cheap.
std::vector<unsigned> both_ways();
/// Whether ROCI_FAULTS=long is set: every combination; else a part of each schedule.
bool thorough();

}  // namespace roci::testbench::faults
