// SPDX-License-Identifier: Apache-2.0
// Checks that the counters of an adapter's port agree with one another and with the link (I13).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/spec/registers.hpp"
#include "testbench/link/link_direction.hpp"

namespace roci::testbench {

inline constexpr unsigned kPortCounterCount = 16;
static_assert(spec::kDropCauses[std::size(spec::kDropCauses) - 1].value < kPortCounterCount);

/// Values by PortCounter.
using PortCounterValues = std::array<std::uint64_t, kPortCounterCount>;

/// Returns an error text; empty: no error. `out` and `in` are the two directions of the link, which
/// is empty. Every frame received is accepted by the transport, handed to the Ethernet path, or in
/// one the drop causes of the receive path. The causes after them concern accepted packets; a
/// packet whose queue pair failed after it was accepted counts as UnknownQp too.
std::vector<std::string> check_port_counters(const PortCounterValues& counters,
                                             const LinkDirection::Counts& out,
                                             const LinkDirection::Counts& in);

}  // namespace roci::testbench
