// SPDX-License-Identifier: Apache-2.0
// An adapter beside the processor in one chip: registers and interrupt by UIO, or registers by
// /dev/mem; memory from a range that the system leaves alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "driver/device/hardware.hpp"

namespace roci::driver {

/// Where the parts of a SoC are.
struct SocPlace {
  /// A device of UIO, such as /dev/uio0, or the physical address of the registers, such as
  /// 0xa0000000, for /dev/mem, which has no interrupt.
  std::string registers;
  /// Range of physical memory that is reserved for the adapter: in the device tree, or by memmap=.
  std::uint64_t memory = 0, memory_bytes = 0;
};

/// Without an IOMMU the adapter reaches all of memory: release() does not end its access.
class SocDevice final : public HardwareDevice {
 public:
  /// Throws HardwareError.
  explicit SocDevice(const SocPlace& place, Kernel& kernel = linux_kernel());

  DmaMemory allocate(std::size_t bytes, std::size_t alignment) override;
  void release(const DmaMemory& memory) override;

 protected:
  int interrupt() const override { return uio_ ? uio_->number() : -1; }
  void take_interrupt() override;

 private:
  void open_uio(const std::string& path);
  void open_physical(const std::string& address);

  std::unique_ptr<KernelFile> uio_, memory_file_;
  std::unique_ptr<KernelMap> memory_;
  std::uint64_t base_ = 0;
  std::mutex lock_;
  std::map<std::uint64_t, std::uint64_t> used_;  ///< offset in the range -> bytes
};

}  // namespace roci::driver
