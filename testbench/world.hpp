// SPDX-License-Identifier: Apache-2.0
// Two adapters, a link between them, and a host with firmware and driver for each.
//
//   Config config;
//   config.faults[0].loss = 0.01;
//   World world(config);
//   world.run([](Node& node) { ... node.context() ... });   // on both nodes at once
//
// Time is simulated: it passes in Device::wait and in register accesses, and jumps over what is
// idle. A run is reproduced by its Config.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/context.hpp"
#include "testbench/adapter_tap.hpp"
#include "testbench/firmware/management.hpp"
#include "testbench/link/link_direction.hpp"
#include "testbench/lockstep/shadow.hpp"
#include "testbench/nic/engine.hpp"
#include "testbench/nic/moments.hpp"
#include "testbench/ports/port_bridge.hpp"
#include "testbench/scoreboard/egress.hpp"

namespace roci::testbench {

inline constexpr std::uint64_t kNodeMac =
    0x525400000001;  ///< address of host 1; locally administered

struct Config {
  std::array<Engine, 2> engines = {Engine::kRtl, Engine::kRtl};  ///< engines of node 0 and node 1
  FirmwareOn firmware = FirmwareOn::kHost;  ///< where the firmware of both nodes runs
  unsigned width = 512;                     ///< bits of the adapters' data path, of kWidths
  std::uint64_t seed = 1;                   ///< seed of everything that is random
  double rate_gbps = 0;                     ///< rate of the link; 0: that of the width
  std::uint64_t delay_ns = 500;             ///< delay of the link, one way
  std::array<Faults, 2> faults;             ///< faults of the frames that node 0 and node 1 send
  std::uint64_t memory_ns = 400;            ///< from adapter to host memory, and back
  std::uint64_t register_ns = 400;          ///< from a host's processor to the adapter, and back
  bool out_of_order = false;                ///< read data of different ids in any order
  double stall = 0;                   ///< chance per clock that a bus channel stalls for a while
  bool ipv6 = false;                  ///< family of the GID at index 0; the other is at 1
  std::optional<std::uint16_t> vlan;  ///< VLAN of both GIDs
  std::string trace;                  ///< "x": waveforms x.n0.fst and x.n1.fst; empty: none
  std::uint64_t trace_from_ns = 0, trace_to_ns = ~std::uint64_t{0};
  std::uint64_t time_limit_ns = 60'000'000'000;  ///< limit of simulated time
  bool strict = true;                            ///< a violated invariant makes run() throw
  bool lockstep = false;  ///< RTL is compared with the reference adapter; divergence ends the run
  unsigned port_mtu = 4200;     ///< bytes that an Ethernet frame may carry, passed to the firmware
  bool alone = false;           ///< no node 1: the program acts at that end of the link
  unsigned first_host = 1;      ///< last byte of node 0's addresses; node 1 has the next
  AdapterTap* tap = nullptr;    ///< observes the adapters; nullptr: nobody does
  ports::NodePorts node_ports;  ///< with `alone`: the connections to the outside, if any
};

/// A violated invariant (I1 to I13), or a simulation in which no event is left.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One host with its adapter. Methods are for programs under World::run.
class Node {
 public:
  virtual ~Node() = default;
  virtual unsigned index() const = 0;
  virtual driver::Device& device() = 0;
  virtual driver::Context& context() = 0;  ///< opened, GIDs set
  virtual driver::Gid gid() const = 0;     ///< at index 0
  virtual std::uint64_t mac() const = 0;
  std::uint64_t now_ns() { return device().now_ns(); }
  /// Lets time pass.
  void sleep(std::uint64_t ns) {
    device().wait([] { return false; }, ns);
  }

  /// Functions of the ordinary Ethernet path.
  virtual void send_ethernet(const packet::Bytes& frame) = 0;
  virtual const std::vector<packet::Bytes>& received_ethernet() const = 0;
  /// Makes DMA to these bytes fail from here on.
  virtual void poison(std::uint64_t dma_address, std::size_t bytes) = 0;
  virtual bool interrupt() const = 0;

  struct Counts {
    std::uint64_t clocks;  ///< edges evaluated
    std::uint64_t dma_reads, dma_read_bytes, dma_writes, dma_write_bytes;
    unsigned most_reads, most_writes;  ///< most accesses outstanding at once
    std::uint64_t completions;
  };
  virtual Counts counts() const = 0;
  virtual Moments moments() const = 0;
};

/// At most one exists in a process at a time.
class World {
 public:
  using Program = std::function<void(Node&)>;
  struct Task {
    unsigned node;
    Program program;
  };

  explicit World(const Config& config);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Runs each program in a thread of its own and returns when all have. Throws what the first
  /// program to fail threw, or Violation. Programs are interrupted only then.
  void run(const std::vector<Task>& tasks);
  void run(const Program& on_both) { run({{0, on_both}, {1, on_both}}); }
  void run(const Program& on_0, const Program& on_1) { run({{0, on_0}, {1, on_1}}); }

  const Config& config() const;
  Node& node(unsigned index);
  /// The direction of the link for frames that `from` sends; its faults may change at any time.
  LinkDirection& link(unsigned from);
  EgressMonitor& egress();
  WorkMonitor& work(unsigned node);
  std::uint64_t now_ns() const;
  /// Number of runs that ended with an empty link and compared the ports' counters (I13).
  std::uint64_t counter_checks() const;

  /// Adds an observer of every frame, in the order in which they enter the link.
  void add_tap(FrameTap* tap);
  /// Called every `clocks` evaluated clocks, for progress displays. Must not touch the world.
  void on_tick(std::uint64_t clocks, std::function<void(std::uint64_t now_ns)> tick);

  /// Comparisons of lock-step so far; all 0 without it.
  Shadow::Counts lockstep() const;
  /// Violated invariants so far; run() checks the guard bytes before it returns.
  const std::vector<std::string>& violations() const;

  struct Speed {
    std::uint64_t clocks;      ///< clocks in which at least one adapter was evaluated
    std::uint64_t skipped_ns;  ///< time jumped over
    double seconds;            ///< processor time under run()
  };
  Speed speed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace roci::testbench
