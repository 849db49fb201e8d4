// SPDX-License-Identifier: Apache-2.0
// A queue pair without faults, which must not be affected by those of others (I10).
#pragma once

#include "testbench/verify/cases/pair.hpp"

namespace roci::testbench::faults {

/// WRITEs one way and READs and atomics the other, one at a time, until stop().
class Witness {
 public:
  explicit Witness(World& world) : world_(world) {}
  /// The program of its thread.
  void run(std::uint64_t pause_ns);
  void stop() {
    stop_ = true;
    world_.node(0).device().wake();
  }
  unsigned rounds() const { return rounds_; }

 private:
  void round(Endpoint& a, Endpoint& b);
  World& world_;
  bool stop_ = false;
  unsigned rounds_ = 0;
};

}  // namespace roci::testbench::faults
