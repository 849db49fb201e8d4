// SPDX-License-Identifier: Apache-2.0
// An adapter that is a PCI function bound to vfio-pci: registers in BAR 0, interrupts by MSI-X,
// memory through the IOMMU.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "driver/device/hardware.hpp"

namespace roci::driver {

class VfioDevice final : public HardwareDevice {
 public:
  /// `address` is that of the function, such as 0000:01:00.0. Throws HardwareError.
  explicit VfioDevice(const std::string& address, Kernel& kernel = linux_kernel());
  ~VfioDevice() override;

  /// Memory from 2 MiB on is made of huge pages when the system has some.
  DmaMemory allocate(std::size_t bytes, std::size_t alignment) override;
  void release(const DmaMemory& memory) override;

 protected:
  int interrupt() const override { return event_->number(); }
  void take_interrupt() override;

 private:
  void open_group();
  void open_function();
  void enable_interrupt();
  /// A free range of addresses of the adapter; 0: none.
  std::uint64_t find_room(std::size_t bytes) const;

  std::unique_ptr<KernelFile> container_, group_, function_, event_;
  std::mutex memory_;
  std::map<std::uint64_t, std::unique_ptr<KernelMap>> maps_;  ///< by address of the adapter
};

}  // namespace roci::driver
