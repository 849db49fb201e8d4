// SPDX-License-Identifier: Apache-2.0
// Two connected endpoints for test programs; both are in one process and accessible to each
// program.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/connection/connection.hpp"
#include "testbench/connection/pattern.hpp"
#include "testbench/verify/cases/engines.hpp"
#include "testbench/world.hpp"

namespace roci::testbench {

/// Runs a program on each of two connected sides.
class Pair {
 public:
  using Program = std::function<void(Endpoint& self, Endpoint& peer)>;

  explicit Pair(const Config& config, const ConnectionOptions& options = {})
      : world(with_engines(config)), options_(options) {
    MESSAGE("seed ", config.seed);
  }

  /// Connects, runs both, and destroys everything when both are done.
  void run(
      const Program& on_0, const Program& on_1 = [](Endpoint&, Endpoint&) {}) {
    steps_ = {};
    world.run([&](Node& node) {
      const unsigned me = node.index();
      Endpoint side(node, options_);
      sides_[me] = &side;
      meet(me);
      Endpoint& peer = *sides_[1 - me];
      for (unsigned i = 0; i < options_.queue_pairs; ++i) {
        connect({side.node, side.qp(i), options_.first_psn},
                {peer.node, peer.qp(i), options_.first_psn}, options_.connect);
      }
      meet(me);
      (me == 0 ? on_0 : on_1)(side, peer);
      meet(me);  // neither side destroys objects that the other still uses
    });
    for (const std::string& violation : world.violations()) FAIL_CHECK(violation);
  }

  /// Waits until the other side calls this function as well.
  void meet(unsigned me) {
    ++steps_[me];
    world.node(1 - me).device().wake();
    world.node(me).device().wait([&] { return steps_[1 - me] >= steps_[me]; },
                                 driver::Device::kForever);
  }

  World world;

 private:
  ConnectionOptions options_;
  std::array<Endpoint*, 2> sides_{};
  std::array<unsigned, 2> steps_{};
};

}  // namespace roci::testbench
