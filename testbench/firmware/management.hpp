// SPDX-License-Identifier: Apache-2.0
// The management processor of a node: the firmware on the adapter's bus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace roci::testbench {

/// Where the firmware of an adapter runs.
enum class FirmwareOn {
  kHost,  ///< compiled for the host: only its register accesses take time
  kRv32,  ///< machine code on a verilated RISC-V processor (firmware/rv32)
};

/// What the processor of an adapter is given, and connected to. The functions are called in the
/// SystemC thread that runs it.
struct ManagementPlace {
  std::uint64_t mac = 0;
  unsigned port_mtu = 4200;
  /// Reads (write false) or writes a register; returns what was read.
  std::function<std::uint32_t(bool write, std::uint32_t offset, std::uint32_t value)> access;
  std::function<bool()> attention;          ///< the adapter has work for firmware
  std::function<std::uint64_t()> now_ns;    ///< simulated time
  std::function<void(std::uint64_t)> pass;  ///< lets simulated time pass, in ns
  /// The processor has stopped, and why; it does not run again.
  std::function<void(const std::string&)> stopped;
};

class Management {
 public:
  virtual ~Management() = default;
  /// Runs until the firmware is idle. Returns the time at which it must run even if the adapter's
  /// attention line stays low, all ones: never.
  virtual std::uint64_t run() = 0;
  /// Whether the last run() found nothing to do: if the attention line is high, a command waits for
  /// an address.
  virtual bool idle() const = 0;
};

/// Throws std::runtime_error, with a remedy, when this build has no such processor.
std::unique_ptr<Management> make_management(FirmwareOn where, ManagementPlace place);

}  // namespace roci::testbench
