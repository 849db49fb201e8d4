// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/mirror.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "testbench/verify/conform/target/link.hpp"

namespace roci::conform {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kChunk = kAgentChunk;

/// Fewer equal bytes than this between two that changed are written with them. More are left alone:
/// the device may just be writing them.
constexpr std::size_t kGap = 4;

std::uint8_t* zeroed(std::size_t bytes) {
  void* at = std::calloc(bytes, 1);
  if (at == nullptr) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(at);
}

std::size_t pages_of(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

Mirror::Mirror(std::uint64_t address, std::size_t bytes, std::uint8_t* host)
    : address_(address),
      bytes_(bytes),
      shared_(host != nullptr),
      here_(shared_ ? host : zeroed(bytes), shared_ ? [](void*) {} : std::free),
      agreed_(shared_ ? nullptr : zeroed(bytes), std::free),
      free_{{0, bytes}} {}

std::size_t Mirror::offset_of(std::uint64_t address, std::size_t bytes) const {
  const std::uint64_t offset = address - address_;
  if (offset > bytes_ || bytes > bytes_ - offset) {
    throw TargetLost(
        "the agent names memory that it does not have: is it of this version of roci?");
  }
  return offset;
}

std::uint8_t* Mirror::host(std::uint64_t address) { return here_.get() + offset_of(address, 1); }

driver::DmaMemory Mirror::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = pages_of(std::max<std::size_t>(bytes, 1));
  for (const auto& [offset, room] : free_) {
    const std::uint64_t at = (address_ + offset + alignment - 1) / alignment * alignment - address_;
    if (at - offset > room || whole > room - (at - offset)) continue;
    const std::size_t first = offset, after = offset + room - at - whole;
    free_.erase(first);
    if (at != first) free_[first] = at - first;
    if (after != 0) free_[at + whole] = after;
    std::memset(here_.get() + at, 0, whole);
    return {here_.get() + at, address_ + at, bytes};
  }
  throw std::bad_alloc();
}

void Mirror::release(const driver::DmaMemory& memory) {
  std::size_t first = offset_of(memory.dma, memory.bytes);
  std::size_t bytes = pages_of(std::max<std::size_t>(memory.bytes, 1));
  const auto next = free_.find(first + bytes);
  if (next != free_.end()) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(first);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == first) {
      first = before->first;
      bytes += before->second;
    }
  }
  free_[first] = bytes;
}

void Mirror::unwatch(std::uint64_t address, std::size_t bytes) {
  const auto found = watched_.find({address, bytes});
  if (found != watched_.end() && --found->second == 0) watched_.erase(found);
}

void Mirror::push(const Write& write) {
  if (shared_) return;
  std::uint8_t* here = here_.get();
  std::uint8_t* agreed = agreed_.get();
  for (const auto& [range, users] : watched_) {
    const std::size_t first = offset_of(range.first, range.second), end = first + range.second;
    for (std::size_t at = first; at < end;) {
      const std::size_t most = std::min(kChunk, end - at);
      if (std::memcmp(here + at, agreed + at, most) == 0) {
        at += most;
        continue;
      }
      while (here[at] == agreed[at]) ++at;
      std::size_t last = at + 1;  // after the last byte that changed
      for (std::size_t i = last; i < end && i - last < kGap && i - at < kAgentMostBytes; ++i) {
        if (here[i] != agreed[i]) last = i + 1;
      }
      write(address_ + at, here + at, last - at);
      std::memcpy(agreed + at, here + at, last - at);
      at = last;
    }
  }
}

void Mirror::pull(std::uint64_t address, const std::uint8_t* data, std::size_t count) {
  const std::size_t at = offset_of(address, count);
  if (shared_) return;
  std::memcpy(here_.get() + at, data, count);
  std::memcpy(agreed_.get() + at, data, count);
}

}  // namespace roci::conform
