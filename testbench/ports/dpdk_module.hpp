// SPDX-License-Identifier: Apache-2.0
// The one function of the module that holds DPDK.
#pragma once

#include "testbench/ports/port.hpp"

namespace roci::testbench::ports {

using MakeDpdkPort = ExternalPort* (*)(const char* arguments, const char* eal);
inline constexpr const char* kMakeDpdkPort = "roci_make_dpdk_port";

}  // namespace roci::testbench::ports
