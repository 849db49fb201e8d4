// SPDX-License-Identifier: Apache-2.0
// State that all connections of a round share.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/shared_receive_queue.hpp"
#include "testbench/verify/soak/link_ledger.hpp"
#include "testbench/verify/soak/round_plan.hpp"

namespace roci::soak {

/// A violation that a program detected.
class Broken : public std::runtime_error {
 public:
  Broken(unsigned connection, const std::string& text)
      : std::runtime_error(text), connection_(connection) {}
  unsigned connection() const { return connection_; }

 private:
  unsigned connection_;
};

/// Buffers after the shared receive queue of a node.
struct Pool {
  Pool(driver::ProtectionDomain& pd, const RoundPlan& plan);
  /// Posts as many receives as fit and have a buffer.
  void refill();
  std::uint8_t* at(std::size_t buffer) { return region.data() + buffer * stride; }

  std::size_t stride;
  driver::SharedReceiveQueue queue;
  driver::MemoryRegion region;
  std::vector<std::size_t> free;
  std::uint32_t bytes;
};

/// The objects of a node.
struct NodeResources {
  NodeResources(testbench::Node& node, const RoundPlan& plan);

  testbench::Node& node;
  driver::ProtectionDomain pd;
  std::unique_ptr<Pool> pool;    ///< receives are shared
  driver::MemoryRegion commons;  ///< a sum that all connections add to
};

struct Tally {
  std::uint64_t posted = 0, good = 0, bad = 0, flushed = 0, in_doubt = 0;
  std::uint64_t bytes = 0, receives = 0, atomics = 0;
  std::uint64_t generations = 0;
  std::array<std::uint64_t, kEndings> endings{};
  std::array<std::uint64_t, kKinds> kinds{};
  std::uint64_t retry_exceeded = 0, rnr_exceeded = 0, access_errors = 0;
  std::uint64_t invalidations = 0;
  /// Amounts in the common sums: certain, and possible in addition.
  std::array<std::uint64_t, 2> added{}, doubtful{};

  void add(const Tally& other);
};

struct RoundContext {
  testbench::World& world;
  const RoundPlan& plan;
  LinkLedger& ledger;
  Tally& tally;
  std::array<std::unique_ptr<NodeResources>, 2> resources;  ///< by node
  bool finish = false;                                      ///< no new work is posted

  testbench::Node& node(unsigned n) { return resources[n]->node; }
};

}  // namespace roci::soak
