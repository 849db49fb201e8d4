// SPDX-License-Identifier: Apache-2.0
// The simulated world behind a server: nodes and a switch, for as long as somebody wants it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/server/node.hpp"
#include "sim/server/switch.hpp"

namespace roci::sim {

struct FabricConfig {
  unsigned nodes = 2;
  testbench::Engine engine = testbench::Engine::kRtl;
  unsigned width = 512;  ///< bits of the engines; of the model: rate of the wire
  testbench::Faults faults;
  std::uint64_t delay_ns = 100;   ///< of a node's way to the switch
  std::uint64_t memory_ns = 400;  ///< of host memory, one way
  std::uint64_t seed = 1;
  unsigned first_host = 1;  ///< last byte of the addresses of n0; the others follow
  std::vector<testbench::ports::NodePorts>
      ports;          ///< of each node, with neither port nor TAP: none
  std::string trace;  ///< "x": waveforms x.n0.fst, ...; empty: none
};

/// Who drives the fabric, asked from its loop.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Every few clocks while something moves.
  virtual void look(std::uint64_t now_ns) = 0;
  /// Nothing happens from `now_ns` until `until_ns` (all ones: ever), unless the surroundings do
  /// something or a frame comes from outside. Returns the simulated time at which to go on,
  /// `until_ns` at most.
  virtual std::uint64_t rest(std::uint64_t now_ns, std::uint64_t until_ns) = 0;
};

/// One at a time in a process.
class Fabric {
 public:
  Fabric(const FabricConfig& config, testbench::AddressSpaces& processes,
         FabricNode::OnFault on_fault);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  FabricNode& node(unsigned index) { return *nodes_[index]; }
  Switch& middle() { return *switch_; }
  /// To what is outside, by node; nullptr: none.
  const std::vector<std::unique_ptr<testbench::ports::PortBridge>>& lines() const { return lines_; }
  const std::uint64_t& now_ns() const { return now_; }
  std::uint64_t clocks() const { return clocks_; }

  /// Brings the nodes up. Throws driver::Error.
  void open();
  /// Runs until stop().
  void run(Surroundings& surroundings);
  void stop() { stop_ = true; }
  /// A job was submitted, or stop() was called, and not acted on yet.
  bool has_work() const { return stop_ || !woken_.empty(); }

  /// From the surroundings or a job: gives a node a job.
  void submit(unsigned node, FabricNode::Job job);

 private:
  void connect(unsigned node, const testbench::ports::NodePorts& ports);
  void pump();
  void step();
  std::uint64_t advance(std::uint64_t limit);

  std::uint64_t now_ = 0;  ///< next edge
  std::uint64_t clocks_ = 0;
  std::unique_ptr<Switch> switch_;
  std::vector<std::unique_ptr<FabricNode>> nodes_;
  std::vector<std::unique_ptr<testbench::ports::PortBridge>> lines_;
  std::vector<sc_core::sc_event*> woken_;
  Surroundings* surroundings_ = nullptr;  ///< nullptr: bringing up
  unsigned until_look_ = 1;
  bool stop_ = false;
};

}  // namespace roci::sim
