// SPDX-License-Identifier: Apache-2.0
// An observer of adapters: of both their sides, host and link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/host/bus_access.hpp"
#include "testbench/link/frame.hpp"
#include "testbench/nic/engine_work.hpp"

namespace roci::testbench {

/// Adapters have the numbers that FrameEvent::node has. Calls must not touch the simulation.
class AdapterTap : public FrameTap {
 public:
  /// A simulation begins at 0 ns; the calls that follow are of its adapters. `rate_gbps`: that of
  /// their links, with preamble (8 bytes), FCS (4) and gap (12).
  virtual void begin(const std::vector<std::string>& adapters, double rate_gbps) = 0;
  /// An access to host memory; those of the model take no time.
  virtual void bus_access(unsigned adapter, const BusAccess& access) = 0;
  /// The host or the firmware wrote a register.
  virtual void register_written(unsigned adapter, std::uint64_t time_ns, std::uint32_t offset,
                                std::uint32_t value) = 0;
  /// A block of an engine has work from now on, or no more; the model does not report it.
  virtual void block_works(unsigned adapter, EngineBlock block, std::uint64_t time_ns,
                           bool works) = 0;
  /// A block of an engine handed something on.
  virtual void record_taken(unsigned adapter, const EngineRecord& record) = 0;
};

}  // namespace roci::testbench
