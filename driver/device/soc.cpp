// SPDX-License-Identifier: Apache-2.0
// docs.kernel.org/driver-api/uio-howto.html has the meaning of the files of UIO.
#include "driver/device/soc.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace roci::driver {
namespace {

constexpr const char* kMemory = "/dev/mem";
constexpr std::uint64_t kPage = 4096, kLeastAlignment = 64;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::string why_not() { return std::strerror(errno); }

}  // namespace

SocDevice::SocDevice(const SocPlace& place, Kernel& kernel)
    : HardwareDevice(place.registers, kernel), base_(place.memory) {
  if (place.memory % kPage != 0 || place.memory_bytes == 0 || place.memory_bytes % kPage != 0) {
    fail("its memory is not a range of whole pages");
  }
  memory_file_ = std::make_unique<KernelFile>(kernel_, kernel_.open(kMemory, O_RDWR | O_SYNC));
  if (!*memory_file_) fail("cannot open /dev/mem: " + why_not());
  if (place.registers.rfind("/dev/", 0) == 0) {
    open_uio(place.registers);
  } else {
    open_physical(place.registers);
  }
  memory_ = std::make_unique<KernelMap>(kernel_, place.memory_bytes, MAP_SHARED,
                                        memory_file_->number(), place.memory);
  if (memory_->host() == nullptr) fail("its memory cannot be mapped: " + why_not());
}

void SocDevice::open_uio(const std::string& path) {
  const std::string size =
      kernel_.line("/sys/class/uio/" + path.substr(path.rfind('/') + 1) + "/maps/map0/size");
  if (size.empty()) fail("it is no device of UIO with registers");
  const std::uint64_t bytes = std::strtoull(size.c_str(), nullptr, 0);
  if (bytes < kRegisterBytes) {
    fail("it has " + std::to_string(bytes) + " bytes of registers, the adapter needs " +
         std::to_string(kRegisterBytes));
  }
  uio_ = std::make_unique<KernelFile>(kernel_, kernel_.open(path, O_RDWR));
  if (!*uio_) fail("cannot open it: " + why_not());
  take_registers(
      std::make_unique<KernelMap>(kernel_, mapped(bytes), MAP_SHARED, uio_->number(), 0));
  take_interrupt();  // it is enabled now
}

void SocDevice::open_physical(const std::string& address) {
  char* end = nullptr;
  const std::uint64_t at = std::strtoull(address.c_str(), &end, 0);
  if (address.empty() || *end != '\0' || at % kPage != 0) {
    fail("this is neither a device of UIO nor the address of a page");
  }
  take_registers(
      std::make_unique<KernelMap>(kernel_, kRegisterBytes, MAP_SHARED, memory_file_->number(), at));
}

void SocDevice::take_interrupt() {
  std::uint32_t count = 0;
  const std::uint32_t enable = 1;
  if (kernel_.poll(uio_->number(), 0)) kernel_.read(uio_->number(), &count, sizeof count);
  kernel_.write(uio_->number(), &enable, sizeof enable);
}

DmaMemory SocDevice::allocate(std::size_t bytes, std::size_t alignment) {
  const std::uint64_t unit = std::max<std::uint64_t>(alignment, kLeastAlignment);
  if (bytes == 0 || bytes > memory_->bytes()) throw std::bad_alloc();
  const std::lock_guard<std::mutex> lock(lock_);
  std::uint64_t at = round_up(base_, unit) - base_;
  for (const auto& [offset, used] : used_) {
    if (offset >= at && offset - at >= bytes) break;
    at = std::max(at, round_up(base_ + offset + used, unit) - base_);
  }
  if (at + bytes > memory_->bytes()) throw std::bad_alloc();
  used_.emplace(at, bytes);
  std::memset(memory_->host() + at, 0, bytes);
  return {memory_->host() + at, base_ + at, bytes};
}

void SocDevice::release(const DmaMemory& memory) {
  const std::lock_guard<std::mutex> lock(lock_);
  used_.erase(memory.dma - base_);
}

}  // namespace roci::driver
