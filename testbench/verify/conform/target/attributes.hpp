// SPDX-License-Identifier: Apache-2.0
// Attributes of a queue pair in the protocol of the agent, and those of the driver.
#pragma once

#include "driver/types.hpp"
#include "testbench/verify/conform/agent/protocol.h"

namespace roci::conform {

/// Takes the low bits where a field of the driver is narrower. `sqd_notify`, which means something
/// else in a query, and the MAC address of the peer are left as they are.
driver::QpAttributes attributes_of(const agent_attributes& is);

}  // namespace roci::conform
