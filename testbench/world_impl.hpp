// SPDX-License-Identifier: Apache-2.0
// Implementation of a World. Stepping is in stepper.cpp, the rest in world.cpp.
#pragma once

#include <exception>

#include "testbench/lockstep/link_log.hpp"
#include "testbench/node_module.hpp"

namespace roci::testbench {

inline constexpr std::uint64_t kWatchdogNs = 1'000'000;

/// SystemC keeps one simulation; this replaces it by a new one.
struct Simulation {
  Simulation();
};

/// Notes that a frame of node 0 entered the link, for programs that wait for one.
struct FrameSent final : FrameTap {
  void frame(const FrameEvent&) override { seen = true; }
  bool seen = false;
};

struct World::Impl {
  explicit Impl(Config c);

  void run(const std::vector<Task>& tasks);
  /// Does the same on all nodes.
  void on_each(void (NodeModule::*step)());
  void perform(const std::vector<Task>& tasks);

  void violate(const std::string& text);
  /// Reports a difference of lock-step with the data for its diagnosis, and ends the run.
  void diverge(const std::string& text);
  /// Writes waveforms of the time before the divergence, or returns how to get them.
  std::string waveforms(const std::string& path, const std::string& text);
  void fail(const std::string& text);
  /// Whether no frame is on the link or about to be sent.
  bool links_empty() const;
  /// Checks I13 when there were frames since the last check and the link becomes empty soon.
  void check_counters();

  /// Runs clocks until a thread has work at the time reached, and runs that thread.
  void stepper();
  /// Evaluates edges before `limit` until one wakes a thread; returns the time reached.
  std::uint64_t advance(std::uint64_t limit);
  /// Evaluates an edge of one adapter; notes the threads that it wakes.
  void evaluate(NodeModule& node);
  /// Advances towards `next` as far as real time permits, at most to the next frame.
  void leap(ports::PortBridge& bridge, std::uint64_t next);
  void watch();
  void watch_progress();
  std::string describe_stall() const;
  /// The management processor of a node.
  void firmware(NodeModule& node);

  Simulation simulation;
  Config config;
  FrameSent frame_sent;
  std::unique_ptr<LinkDirection> links[2];
  std::vector<std::unique_ptr<NodeModule>> nodes;
  std::unique_ptr<ports::PortBridge> bridge;  ///< connection to an external port
  std::unique_ptr<EgressMonitor> egress;
  std::unique_ptr<LinkLog> link_log;
  std::vector<std::string> violations;

  std::uint64_t now = 0;  ///< next edge
  std::uint64_t clocks = 0, skipped = 0;
  std::uint64_t counter_checks = 0, frames_checked = 0;
  std::uint64_t next_watch = kWatchdogNs;
  std::uint64_t tick_clocks = kNever, next_tick = kNever;
  std::function<void(std::uint64_t)> tick;
  std::vector<sc_core::sc_event*> woken;
  unsigned number = 0;  ///< number of worlds in lock-step
  unsigned running = 0;
  bool stop = false;
  bool broken = false;  ///< programs were interrupted
  bool opened = false;
  double seconds = 0;
  std::exception_ptr failure;
};

}  // namespace roci::testbench
