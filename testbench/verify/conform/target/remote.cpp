// SPDX-License-Identifier: Apache-2.0
// A foreign adapter at a real wire, with its agent at the end of a TCP connection.
#include "testbench/verify/conform/target/link.hpp"
#include "testbench/verify/conform/target/make.hpp"
#include "testbench/verify/conform/target/port_way.hpp"

namespace roci::conform {
namespace {

Timing real_time() {
  Timing timing;
  timing.patience_ns = 1'500'000'000;
  timing.quiet_ns = 40'000'000;
  timing.jitter_ns = 60'000'000;  // scheduling of this host and of a guest
  timing.look_ns = timing.settle_ns = 1'000'000;
  // A transport timer that a peer in real time does not let expire unwillingly is longer than this
  // code, 134 ms; where a test leaves the default, its peer gets 4 s.
  timing.least_timeout = 15;
  timing.calm_timeout = 20;
  return timing;
}

}  // namespace

std::unique_ptr<Adapter> make_target(const std::string& agent,
                                     testbench::ports::ExternalPort& port) {
  return make_target(std::make_unique<AgentLink>(agent), std::make_unique<PortWay>(port),
                     real_time());
}

}  // namespace roci::conform
