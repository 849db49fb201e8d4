// SPDX-License-Identifier: Apache-2.0
// Memory of rings: mapped by the simulator too, so that its accesses take no system call.
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "driver/device/remote.hpp"

namespace roci::driver {

using namespace protocol;

namespace {

constexpr std::uintptr_t kPage = kShareUnit;

}  // namespace

/// Replaces the reserved range by memory that the simulator maps too. False: it has none.
bool RemoteDevice::share(std::uintptr_t first, std::size_t bytes) {
  Share message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kShare);
  message.address = first;
  message.bytes = bytes;
  Done reply{};
  int file = -1;
  request(&message, sizeof message, &reply, sizeof reply, -1, &file);
  if (file < 0) return false;
  void* at = mmap(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED, file, 0);
  ::close(file);
  if (at == MAP_FAILED) end_sharing(first);
  return at != MAP_FAILED;
}

void RemoteDevice::end_sharing(std::uintptr_t first) {
  EndSharing message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kEndSharing);
  message.address = first;
  Done reply{};
  request(&message, sizeof message, &reply, sizeof reply, -1, nullptr);
}

DmaMemory RemoteDevice::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  const std::size_t extra = alignment > kPage ? alignment : 0;
  void* at = mmap(nullptr, whole + extra, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  auto first = reinterpret_cast<std::uintptr_t>(at);
  if (extra != 0) {
    const std::uintptr_t aligned = (first + alignment - 1) / alignment * alignment;
    if (aligned != first) munmap(at, aligned - first);
    if (aligned + whole != first + whole + extra) {
      munmap(reinterpret_cast<void*>(aligned + whole), first + extra - aligned);
    }
    first = aligned;
  }
  bool shared = false;
  try {
    shared = share(first, whole);
  } catch (const Error&) {
    munmap(reinterpret_cast<void*>(first), whole);
    throw;
  }
  if (!shared && mprotect(reinterpret_cast<void*>(first), whole, PROT_READ | PROT_WRITE) != 0) {
    munmap(reinterpret_cast<void*>(first), whole);
    throw std::bad_alloc();
  }
  const std::lock_guard<std::mutex> lock(sharing_);
  if (shared) shared_.insert(first);
  return {reinterpret_cast<std::uint8_t*>(first), first, bytes};
}

void RemoteDevice::release(const DmaMemory& memory) {
  bool shared = false;
  {
    const std::lock_guard<std::mutex> lock(sharing_);
    shared = shared_.erase(memory.dma) != 0;
  }
  try {
    if (shared) end_sharing(memory.dma);
  } catch (const Error&) {  // without a simulator, or in a child: nothing there accesses the memory
  }
  munmap(memory.host, (memory.bytes + kPage - 1) / kPage * kPage);
}

}  // namespace roci::driver
