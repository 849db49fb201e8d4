// SPDX-License-Identifier: Apache-2.0
// Implementations of an adapter in the test bench.
#pragma once

namespace roci::testbench {

enum class Engine {
  kRtl,    ///< roci_nic, verilated
  kModel,  ///< the reference adapter of model/nic: no clocks, no bus
};

}  // namespace roci::testbench
