// SPDX-License-Identifier: Apache-2.0
// The verilated processor of the firmware is a module, libroci-firmware-rv32.so, loaded by programs
// that are asked for it. Its text, roci-firmware-rv32.hex, lies beside it.
#pragma once

#include <cstddef>
#include <memory>

#include "testbench/firmware/management.hpp"

namespace roci::testbench {

/// Interface that the module exports under the name kProcessorModule.
struct ProcessorModule {
  std::size_t place_bytes = sizeof(ManagementPlace);
  std::unique_ptr<Management> (*make)(ManagementPlace place);

  /// False: module and program were built from different sources.
  bool fits() const { return place_bytes == sizeof(ManagementPlace); }
};
inline constexpr const char* kProcessorModule = "roci_processor_module";

}  // namespace roci::testbench
