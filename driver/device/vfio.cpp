// SPDX-License-Identifier: Apache-2.0
// docs.kernel.org/driver-api/vfio.html has the order of the calls.
#include "driver/device/vfio.hpp"

#include <fcntl.h>
#include <linux/vfio.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace roci::driver {
namespace {

constexpr std::size_t kPage = 4096, kHuge = 2 << 20;
// Addresses that every IOMMU has: 39 bits; the lowest are left to interrupts and firmware.
constexpr std::uint64_t kFirst = std::uint64_t{1} << 32, kEnd = std::uint64_t{1} << 39;
constexpr unsigned kCommandAt = 4;  // register of the configuration space
constexpr std::uint16_t kMemorySpace = 1 << 1, kBusMaster = 1 << 2;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::string why_not() { return std::strerror(errno); }

}  // namespace

VfioDevice::VfioDevice(const std::string& address, Kernel& kernel)
    : HardwareDevice(address, kernel) {
  open_group();
  open_function();
  enable_interrupt();
}

VfioDevice::~VfioDevice() {
  while (!maps_.empty()) release({nullptr, maps_.begin()->first, 0});
}

void VfioDevice::open_group() {
  const std::string link = kernel_.link("/sys/bus/pci/devices/" + name_ + "/iommu_group");
  if (link.empty()) fail("it has no IOMMU group: there is no such function, or no IOMMU is on");
  const std::string path = "/dev/vfio/" + link.substr(link.rfind('/') + 1);
  container_ = std::make_unique<KernelFile>(kernel_, kernel_.open("/dev/vfio/vfio", O_RDWR));
  if (!*container_) fail("cannot open /dev/vfio/vfio: " + why_not() + "; is vfio-pci loaded?");
  if (kernel_.ioctl(container_->number(), VFIO_GET_API_VERSION, nullptr) != VFIO_API_VERSION) {
    fail("the kernel has another version of VFIO");
  }
  void* const type = reinterpret_cast<void*>(std::uintptr_t{VFIO_TYPE1v2_IOMMU});
  if (kernel_.ioctl(container_->number(), VFIO_CHECK_EXTENSION, type) != 1) {
    fail("the kernel has no IOMMU of type 1");
  }
  group_ = std::make_unique<KernelFile>(kernel_, kernel_.open(path, O_RDWR));
  if (!*group_) fail("cannot open " + path + ": " + why_not() + "; bind the function to vfio-pci");
  vfio_group_status status{};
  status.argsz = sizeof status;
  if (kernel_.ioctl(group_->number(), VFIO_GROUP_GET_STATUS, &status) != 0 ||
      (status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0) {
    fail(path + " is not viable: every function of the group must be bound to vfio-pci");
  }
  int container = container_->number();
  if (kernel_.ioctl(group_->number(), VFIO_GROUP_SET_CONTAINER, &container) != 0) {
    fail(path + " is in use: " + why_not());
  }
  if (kernel_.ioctl(container, VFIO_SET_IOMMU, type) != 0) {
    fail("the IOMMU cannot be used: " + why_not());
  }
}

void VfioDevice::open_function() {
  std::string name = name_;
  function_ = std::make_unique<KernelFile>(
      kernel_, kernel_.ioctl(group_->number(), VFIO_GROUP_GET_DEVICE_FD, name.data()));
  if (!*function_) fail("it cannot be opened: " + why_not());
  vfio_region_info bar{};
  bar.argsz = sizeof bar;
  bar.index = VFIO_PCI_BAR0_REGION_INDEX;
  if (kernel_.ioctl(function_->number(), VFIO_DEVICE_GET_REGION_INFO, &bar) != 0) {
    fail("BAR 0 cannot be asked for: " + why_not());
  }
  if (bar.size < kRegisterBytes) {
    fail("BAR 0 has " + std::to_string(bar.size) + " bytes, the registers need " +
         std::to_string(kRegisterBytes));
  }
  if ((bar.flags & VFIO_REGION_INFO_FLAG_MMAP) == 0) fail("BAR 0 cannot be mapped");
  vfio_region_info space{};
  space.argsz = sizeof space;
  space.index = VFIO_PCI_CONFIG_REGION_INDEX;
  std::uint16_t command = 0;
  if (kernel_.ioctl(function_->number(), VFIO_DEVICE_GET_REGION_INFO, &space) != 0 ||
      !kernel_.pread(function_->number(), &command, sizeof command, space.offset + kCommandAt)) {
    fail("its configuration space cannot be read");
  }
  command |= kMemorySpace | kBusMaster;
  if (!kernel_.pwrite(function_->number(), &command, sizeof command, space.offset + kCommandAt)) {
    fail("its configuration space cannot be written");
  }
  take_registers(std::make_unique<KernelMap>(kernel_, mapped(bar.size), MAP_SHARED,
                                             function_->number(), bar.offset));
}

void VfioDevice::enable_interrupt() {
  vfio_irq_info info{};
  info.argsz = sizeof info;
  info.index = VFIO_PCI_MSIX_IRQ_INDEX;
  if (kernel_.ioctl(function_->number(), VFIO_DEVICE_GET_IRQ_INFO, &info) != 0 || info.count == 0) {
    fail("it has no MSI-X interrupt");
  }
  event_ = std::make_unique<KernelFile>(kernel_, kernel_.eventfd());
  if (!*event_) fail("no file for the interrupt: " + why_not());
  alignas(vfio_irq_set) std::uint8_t bytes[sizeof(vfio_irq_set) + sizeof(std::int32_t)] = {};
  auto* set = reinterpret_cast<vfio_irq_set*>(bytes);
  set->argsz = sizeof bytes;
  set->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
  set->index = VFIO_PCI_MSIX_IRQ_INDEX;
  set->count = 1;
  const std::int32_t file = event_->number();
  std::memcpy(set->data, &file, sizeof file);
  if (kernel_.ioctl(function_->number(), VFIO_DEVICE_SET_IRQS, bytes) != 0) {
    fail("its interrupt cannot be enabled: " + why_not());
  }
}

void VfioDevice::take_interrupt() {
  std::uint64_t count = 0;
  kernel_.read(event_->number(), &count, sizeof count);
}

std::uint64_t VfioDevice::find_room(std::size_t bytes) const {
  std::uint64_t at = kFirst;
  for (const auto& [address, map] : maps_) {
    if (address - at >= bytes) break;
    at = round_up(address + map->bytes(), kHuge);
  }
  return at + bytes <= kEnd ? at : 0;
}

DmaMemory VfioDevice::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0 || bytes > kEnd - kFirst || alignment > kHuge) throw std::bad_alloc();
  const std::lock_guard<std::mutex> lock(memory_);
  std::unique_ptr<KernelMap> map;
  constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
  if (bytes >= kHuge) {
    map = std::make_unique<KernelMap>(kernel_, round_up(bytes, kHuge), kOwn | MAP_HUGETLB, -1, 0);
  }
  if (!map || map->host() == nullptr) {
    map = std::make_unique<KernelMap>(kernel_, round_up(bytes, kPage), kOwn, -1, 0);
  }
  const std::uint64_t at = find_room(map->bytes());
  if (map->host() == nullptr || at == 0) throw std::bad_alloc();
  vfio_iommu_type1_dma_map request{};
  request.argsz = sizeof request;
  request.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
  request.vaddr = reinterpret_cast<std::uintptr_t>(map->host());
  request.iova = at;
  request.size = map->bytes();
  // ENOMEM: more than the limit of locked memory (ulimit -l).
  if (kernel_.ioctl(container_->number(), VFIO_IOMMU_MAP_DMA, &request) != 0) {
    throw std::bad_alloc();
  }
  std::uint8_t* const host = map->host();
  maps_.emplace(at, std::move(map));
  return {host, at, bytes};
}

void VfioDevice::release(const DmaMemory& memory) {
  const std::lock_guard<std::mutex> lock(memory_);
  const auto found = maps_.find(memory.dma);
  if (found == maps_.end()) return;
  vfio_iommu_type1_dma_unmap request{};
  request.argsz = sizeof request;
  request.iova = memory.dma;
  request.size = found->second->bytes();
  kernel_.ioctl(container_->number(), VFIO_IOMMU_UNMAP_DMA, &request);
  maps_.erase(found);
}

}  // namespace roci::driver
