// SPDX-License-Identifier: Apache-2.0
// A kernel with one adapter: the files of VFIO, UIO and /dev/mem as far as the driver uses them.
// It checks the order of the calls of VFIO and counts what is open, mapped and locked.
#pragma once

#include <fcntl.h>
#include <linux/vfio.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/device/hardware.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver::test {

class MockKernel final : public Kernel {
 public:
  static constexpr const char* kFunction = "0000:01:00.0";
  static constexpr std::uint64_t kBarOffset = 0, kSpaceOffset = 7ull << 40;
  static constexpr std::uint64_t kPhysical = 0xA0000000, kReserved = 0x70000000;

  MockKernel() : registers(HardwareDevice::kBytesWithPosts / 4), reserved(1 << 20) {
    registers[layout::reg::kId / 4] = layout::reg::kIdReset;
    registers[layout::reg::kVersion / 4] = layout::reg::kVersionReset;
  }

  // What a test can break.
  bool grouped = true, viable = true, msix = true, huge = true, mappable = true, locked = true;
  std::uint64_t bar_bytes = HardwareDevice::kRegisterBytes;
  std::string uio_size = "0x200000";
  std::set<std::string> absent;  ///< files that cannot be opened

  // What a test can look at.
  std::vector<std::uint32_t> registers;
  std::vector<std::uint8_t> reserved;
  std::map<int, std::string> files;
  std::map<std::uint64_t, vfio_iommu_type1_dma_map> dma;
  std::set<void*> own;  ///< anonymous mappings
  unsigned huge_maps = 0, mapped_registers = 0, interrupts = 0, enabled = 0, polls = 0;
  int event = -1;
  std::uint16_t command = 0;
  bool container_set = false, iommu_set = false;

  int open(const std::string& path, int) override {
    const std::set<std::string> known = {"/dev/vfio/vfio", "/dev/vfio/9", "/dev/uio0", "/dev/mem"};
    if (known.count(path) == 0 || absent.count(path) != 0) return fails(ENOENT);
    return add(path);
  }
  void close(int file) override { files.erase(file); }

  int ioctl(int file, unsigned long request, void* argument) override {
    const std::string path = files.count(file) != 0 ? files[file] : "";
    if (path == "/dev/vfio/vfio") return container(request, argument);
    if (path == "/dev/vfio/9") return group(request, argument);
    if (path == kFunction) return function(request, argument);
    return fails(ENOTTY);
  }

  void* map(std::size_t bytes, int flags, int file, std::uint64_t offset) override {
    if ((flags & MAP_ANONYMOUS) != 0) return map_own(bytes, flags);
    const std::string path = files[file];
    const bool bar = path == kFunction && offset == kBarOffset;
    if (bar || (path == "/dev/uio0" && offset == 0) ||
        (path == "/dev/mem" && offset == kPhysical)) {
      ++mapped_registers;
      return registers.data();
    }
    if (path == "/dev/mem" && offset == kReserved && bytes <= reserved.size()) {
      ++mapped_registers;
      return reserved.data();
    }
    errno = EPERM;
    return MAP_FAILED;
  }
  void unmap(void* address, std::size_t bytes) override {
    if (own.erase(address) != 0) {
      ::munmap(address, bytes);
    } else {
      --mapped_registers;
    }
  }

  bool pread(int, void* to, std::size_t bytes, std::uint64_t offset) override {
    if (offset != kSpaceOffset + 4 || bytes != sizeof command) return false;
    std::memcpy(to, &command, bytes);
    return true;
  }
  bool pwrite(int, const void* from, std::size_t bytes, std::uint64_t offset) override {
    if (offset != kSpaceOffset + 4 || bytes != sizeof command) return false;
    std::memcpy(&command, from, bytes);
    return true;
  }
  bool read(int, void* to, std::size_t bytes) override {
    std::memset(to, 0, bytes);
    std::memcpy(to, &interrupts, sizeof interrupts);
    interrupts = 0;
    return true;
  }
  bool write(int file, const void*, std::size_t) override {
    enabled += files[file] == "/dev/uio0";
    return true;
  }
  int eventfd() override { return event = add("event"); }
  bool poll(int, std::uint64_t) override {
    ++polls;
    return interrupts != 0;
  }
  std::string link(const std::string& path) override {
    const bool known = path == std::string("/sys/bus/pci/devices/") + kFunction + "/iommu_group";
    return known && grouped ? "../../../../kernel/iommu_groups/9" : "";
  }
  std::string line(const std::string& path) override {
    return path == "/sys/class/uio/uio0/maps/map0/size" ? uio_size : "";
  }
  /// Nothing is left of a device.
  bool clean() const {
    return files.empty() && dma.empty() && own.empty() && mapped_registers == 0;
  }

 private:
  int fails(int why) {
    errno = why;
    return -1;
  }
  int add(const std::string& name) {
    files[++last_] = name;
    return last_;
  }
  void* map_own(std::size_t bytes, int flags) {
    if ((flags & MAP_HUGETLB) != 0) {
      if (!huge || bytes % (2 << 20) != 0) {
        errno = ENOMEM;
        return MAP_FAILED;
      }
      ++huge_maps;
    }
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own.insert(at);
    return at;
  }

  int container(unsigned long request, void* argument) {
    if (request == VFIO_GET_API_VERSION) return VFIO_API_VERSION;
    if (request == VFIO_CHECK_EXTENSION) {
      return reinterpret_cast<std::uintptr_t>(argument) == VFIO_TYPE1v2_IOMMU;
    }
    if (request == VFIO_SET_IOMMU) {
      if (!container_set) return fails(EINVAL);  // a container without a group has no IOMMU
      iommu_set = true;
      return 0;
    }
    if (!iommu_set) return fails(EINVAL);
    if (request == VFIO_IOMMU_MAP_DMA) {
      const auto& map = *static_cast<vfio_iommu_type1_dma_map*>(argument);
      if (!locked) return fails(ENOMEM);
      if (map.argsz != sizeof map || map.iova % 4096 != 0 || map.size % 4096 != 0) {
        return fails(EINVAL);
      }
      for (const auto& [at, other] : dma) {
        if (map.iova < at + other.size && at < map.iova + map.size) return fails(EEXIST);
      }
      dma[map.iova] = map;
      return 0;
    }
    if (request == VFIO_IOMMU_UNMAP_DMA) {
      const auto& map = *static_cast<vfio_iommu_type1_dma_unmap*>(argument);
      if (dma.count(map.iova) == 0 || dma[map.iova].size != map.size) return fails(EINVAL);
      dma.erase(map.iova);
      return 0;
    }
    return fails(ENOTTY);
  }

  int group(unsigned long request, void* argument) {
    if (request == VFIO_GROUP_GET_STATUS) {
      static_cast<vfio_group_status*>(argument)->flags = viable ? VFIO_GROUP_FLAGS_VIABLE : 0;
      return 0;
    }
    if (request == VFIO_GROUP_SET_CONTAINER) {
      if (!viable || files[*static_cast<int*>(argument)] != "/dev/vfio/vfio") return fails(EINVAL);
      container_set = true;
      return 0;
    }
    if (request == VFIO_GROUP_GET_DEVICE_FD) {
      const bool known = iommu_set && std::strcmp(static_cast<char*>(argument), kFunction) == 0;
      return known ? add(kFunction) : fails(ENODEV);
    }
    return fails(ENOTTY);
  }

  int function(unsigned long request, void* argument) {
    if (request == VFIO_DEVICE_GET_REGION_INFO) {
      auto& info = *static_cast<vfio_region_info*>(argument);
      if (info.argsz < sizeof info) return fails(EINVAL);
      if (info.index == VFIO_PCI_BAR0_REGION_INDEX) {
        info.size = bar_bytes;
        info.offset = kBarOffset;
        info.flags = mappable ? VFIO_REGION_INFO_FLAG_MMAP : 0;
      } else {
        info.size = 256;
        info.offset = kSpaceOffset;
      }
      return 0;
    }
    if (request == VFIO_DEVICE_GET_IRQ_INFO) {
      auto& info = *static_cast<vfio_irq_info*>(argument);
      info.count = info.index == VFIO_PCI_MSIX_IRQ_INDEX && msix ? 4 : 0;
      return 0;
    }
    if (request == VFIO_DEVICE_SET_IRQS) {
      const auto& set = *static_cast<vfio_irq_set*>(argument);
      std::int32_t file = -1;
      if (set.argsz != sizeof set + sizeof file || set.count != 1) return fails(EINVAL);
      std::memcpy(&file, set.data, sizeof file);
      return file == event ? 0 : fails(EBADF);
    }
    return fails(ENOTTY);
  }

  int last_ = 2;
};

}  // namespace roci::driver::test
