// SPDX-License-Identifier: Apache-2.0
// The counters of the ports as files of sysfs: `counters` and `hw_counters` below a port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/server/descriptor.hpp"
#include "sim/server/fabric.hpp"
#include "sim/server/simulated_time.hpp"

namespace roci::sim {

/// The files of one port. Programs may keep them open: they are written in place, and no value
/// becomes shorter.
class PortCounterFiles {
 public:
  using Values = std::vector<std::pair<std::string, std::uint64_t>>;  ///< by path below the port

  /// Makes the files anew, all values 0. Throws std::system_error.
  explicit PortCounterFiles(const std::string& port);
  void write(const Values& values);

  /// What the adapter counted, under the names of the kernel where it has one.
  static Values values_of(const driver::PortCounters& counters, std::uint64_t link_downed);

 private:
  struct File {
    Descriptor descriptor;
    std::uint64_t value;
  };
  std::vector<File> files_;  ///< in the order of values_of
};

/// Reads the counters of adapters whose links had traffic, and writes the files. The files are
/// current at most `lifespan` ms after the traffic, later when reading takes long; an adapter
/// without traffic is not read.
class CounterService {
 public:
  static constexpr unsigned kLifespanMs = 20;

  /// The lifespan is in simulated time when that is on.
  CounterService(Fabric& fabric, const SimulatedTime& time);
  /// `port`: the folder of the port in the tree of its node.
  void follow(unsigned adapter, const std::string& port);
  void count_link_down(unsigned adapter) { ++ports_[adapter].link_downed; }

  /// Submits what is due at `now`, in ns of CLOCK_MONOTONIC or of simulated time.
  void refresh(std::uint64_t now);
  /// When refresh() has something to do, by that clock; all ones: after further traffic.
  std::uint64_t deadline() const;

 private:
  struct Port {
    std::unique_ptr<PortCounterFiles> files;  ///< null: not followed
    std::uint64_t link_downed = 0;
    std::uint64_t seen = 0;    ///< traffic() when the counters were read
    std::uint64_t due_ns = 0;  ///< not read before
    bool reading = false;
  };
  /// A number that differs when a counter of the adapter may differ.
  std::uint64_t traffic(unsigned adapter) const;
  bool has_news(unsigned adapter) const;
  void read(unsigned adapter, driver::Context& context);
  Fabric& fabric_;
  const SimulatedTime& time_;
  std::vector<Port> ports_;
};

}  // namespace roci::sim
