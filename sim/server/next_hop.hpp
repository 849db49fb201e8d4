// SPDX-License-Identifier: Apache-2.0
// Next hops of queue pairs when the host's IP stack resolves addresses instead of the firmware.
#pragma once

#include <string>

#include "driver/context.hpp"
#include "model/spec/layout/codes.hpp"
#include "sim/server/node.hpp"

namespace roci::sim {

/// Sets the next hop of a ModifyQp that has an address without one, resolved by the host on
/// `interface`; other commands are not changed. Simulated time passes. False: not resolved.
bool fill_next_hop(driver::Context& context, const FabricAdapter& node,
                   const std::string& interface, layout::AdminOp opcode, driver::Body& body);

/// One attempt to find the next hop to `gid`, by the firmware or by the host's IP stack on
/// `interface`: its MAC address, 0 when there is no reply. Simulated time passes.
std::uint64_t ask_next_hop(driver::Context& context, const FabricAdapter& node,
                           const std::string& interface, unsigned gid_index,
                           const driver::Gid& gid);

}  // namespace roci::sim
