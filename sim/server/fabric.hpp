// SPDX-License-Identifier: Apache-2.0
// The simulation of a server: the adapters of all nodes and a switch, run until the server stops
// it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/server/node.hpp"
#include "sim/server/node_names.hpp"
#include "sim/server/switch.hpp"

namespace roci::sim {

struct FabricConfig {
  Nodes nodes;
  testbench::Engine engine = testbench::Engine::kRtl;
  testbench::FirmwareOn firmware = testbench::FirmwareOn::kHost;
  unsigned width = 512;      ///< bits of the engines
  unsigned rate_gbps = 100;  ///< rate of the links
  testbench::Faults faults;
  std::uint64_t delay_ns = 100;   ///< delay from a node to the switch
  std::uint64_t memory_ns = 400;  ///< latency of host memory, one way
  std::uint64_t seed = 1;
  unsigned first_host = 1;  ///< last byte of the addresses of n0; the others follow
  /// Ports of each adapter; no port and no TAP: none.
  std::vector<testbench::ports::NodePorts> ports;
  testbench::FrameScript* script = nullptr;  ///< faults on frames that enter the switch
  testbench::AdapterTap* tap = nullptr;      ///< observes the adapters; nullptr: nobody does
  std::string trace;                         ///< "x": waveforms x.n0.fst, ...; empty: none
};

/// The driver of the fabric, called from its loop.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Called every few clocks while frames or DMA are in flight.
  virtual void look(std::uint64_t now_ns) = 0;
  /// Called when the simulation has no event from `now_ns` until `until_ns` (all ones: for ever),
  /// unless the surroundings submit work or a frame arrives from outside. Returns the simulated
  /// time at which to continue, at most `until_ns`.
  virtual std::uint64_t rest(std::uint64_t now_ns, std::uint64_t until_ns) = 0;
  /// Gaps up to this are passed over without rest().
  std::uint64_t near_ns = 0;
  /// look() is also called at the first edge from this time on.
  std::uint64_t look_at_ns = testbench::kNever;
};

/// At most one exists in a process at a time.
class Fabric {
 public:
  Fabric(const FabricConfig& config, testbench::AddressSpaces& processes,
         const FabricAdapter::OnFault& on_fault);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  const Nodes& names() const { return names_; }
  unsigned adapters() const { return names_.adapters(); }
  FabricAdapter& adapter(unsigned index) { return *adapters_[index]; }
  Switch& middle() { return *switch_; }
  /// Bridges to external ports, by adapter; nullptr: none.
  const std::vector<std::unique_ptr<testbench::ports::PortBridge>>& lines() const { return lines_; }
  const std::uint64_t& now_ns() const { return now_; }
  std::uint64_t clocks() const { return clocks_; }

  /// Initializes the adapters. Throws driver::Error.
  void open();
  /// Runs until stop().
  void run(Surroundings& surroundings);
  void stop() { stop_ = true; }
  bool stopping() const { return stop_; }
  /// Whether a submitted job or a call of stop() is pending.
  bool has_work() const { return stop_ || !woken_.empty(); }

  /// Submits a job to an adapter; called by the surroundings or a job.
  void submit(unsigned adapter, FabricAdapter::Job job);

 private:
  void connect(unsigned adapter, const testbench::ports::NodePorts& ports);
  void pump();
  void step();
  std::uint64_t advance(std::uint64_t limit);

  std::uint64_t now_ = 0;  ///< next edge
  std::uint64_t clocks_ = 0;
  Nodes names_;
  std::unique_ptr<Switch> switch_;
  std::vector<std::unique_ptr<FabricAdapter>> adapters_;
  std::vector<std::unique_ptr<testbench::ports::PortBridge>> lines_;
  std::vector<sc_core::sc_event*> woken_;
  Surroundings* surroundings_ = nullptr;  ///< nullptr: while the adapters are initialized
  unsigned until_look_ = 1;
  bool stop_ = false;
};

}  // namespace roci::sim
