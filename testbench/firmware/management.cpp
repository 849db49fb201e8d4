// SPDX-License-Identifier: Apache-2.0
#include "testbench/firmware/management.hpp"

#include <stdexcept>
#include <utility>

#include "testbench/firmware/host_management.hpp"
#include "testbench/firmware/rv32/processor_module.hpp"
#include "testbench/nic/module_file.hpp"

namespace roci::testbench {
namespace {

/// Loads the module of the processor once.
const ProcessorModule& processor_module() {
  static const ModuleFile file("roci-firmware-rv32", kProcessorModule, "or use --firmware host");
  if (file.symbol() == nullptr) throw std::runtime_error(file.why());
  const auto* module = static_cast<const ProcessorModule*>(file.symbol());
  if (!module->fits()) throw std::runtime_error(file.other_build());
  return *module;
}

}  // namespace

std::unique_ptr<Management> make_management(FirmwareOn where, ManagementPlace place) {
  if (where == FirmwareOn::kRv32) return processor_module().make(std::move(place));
  return std::make_unique<HostManagement>(place.mac, place.port_mtu, std::move(place.access));
}

}  // namespace roci::testbench
