// SPDX-License-Identifier: Apache-2.0
// A verilated engine is a module, libroci-nic-<width>.so, that is loaded when an adapter of that
// kind is created, so that only the needed widths must be built.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "testbench/nic/nic.hpp"

namespace roci::testbench {

/// Interface that a module exports under the name kEngineModule.
struct EngineModule {
  std::size_t nic_bytes = sizeof(RtlNic), config_bytes = sizeof(NicConfig);
  std::unique_ptr<Nic> (*make)(const char* name, const NicConfig& config, LinkDirection& egress,
                               LinkDirection& ingress, NicListener& listener);

  /// False: module and program were built from different sources.
  bool fits() const { return nic_bytes == sizeof(RtlNic) && config_bytes == sizeof(NicConfig); }
};
inline constexpr const char* kEngineModule = "roci_engine_module";

/// Loads the module of an engine once. Returns nullptr when it is not built or does not fit; `why`
/// is then one line with the remedy.
const EngineModule* load_engine(unsigned width, bool traced, std::string& why);

}  // namespace roci::testbench
