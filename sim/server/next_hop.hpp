// SPDX-License-Identifier: Apache-2.0
// Next hops of queue pairs where the host's own IP stack resolves addresses, and not the firmware.
#pragma once

#include <string>

#include "driver/context.hpp"
#include "model/spec/layout/codes.hpp"
#include "sim/server/node.hpp"

namespace roci::sim {

/// Fills in the next hop of a ModifyQp that gives an address without one, as the host behind
/// `interface` finds it; other commands stay as they are. Lets time pass. False: it is not found.
bool fill_next_hop(driver::Context& context, const FabricNode& node, const std::string& interface,
                   layout::AdminOp opcode, driver::Body& body);

}  // namespace roci::sim
