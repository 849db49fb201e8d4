// SPDX-License-Identifier: Apache-2.0
// A foreign adapter under test: its agent does what the driver asks, and the test is the peer at
// the other end of its wire.
#pragma once

#include <memory>
#include <string>

#include "testbench/ports/port.hpp"
#include "testbench/verify/conform/adapter.hpp"
#include "testbench/verify/conform/target/agent.hpp"
#include "testbench/verify/conform/target/way.hpp"

namespace roci::conform {

/// Throws TargetLost.
std::unique_ptr<Adapter> make_target(std::unique_ptr<Agent> agent, std::unique_ptr<Way> way,
                                     const Timing& timing);

/// An adapter at a real wire. `agent`: HOST:PORT. `port` leads to the adapter and outlives it.
/// Throws TargetLost.
std::unique_ptr<Adapter> make_target(const std::string& agent,
                                     testbench::ports::ExternalPort& port);

}  // namespace roci::conform
