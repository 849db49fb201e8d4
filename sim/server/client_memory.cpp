// SPDX-License-Identifier: Apache-2.0
#include "sim/server/client_memory.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <utility>

namespace roci::sim {
namespace {

constexpr std::size_t kLastWordBytes = 4;  // the owner bit of a queue entry is there
// The kernel permits 65,530 mappings of the simulator.
constexpr std::size_t kMostBlocks = 32768, kMostBlocksOfProcess = 4096;

/// Writes memory that a process polls: the last word of a queue entry last.
void store(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  const bool entry = bytes <= ClientMemory::kEntryBytes && bytes > kLastWordBytes &&
                     reinterpret_cast<std::uintptr_t>(to + bytes) % kLastWordBytes == 0;
  const std::size_t first = entry ? bytes - kLastWordBytes : bytes;
  std::memcpy(to, from, first);
  if (!entry) return;
  std::uint32_t last = 0;
  std::memcpy(&last, from + first, sizeof last);
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(to + first), last, __ATOMIC_RELEASE);
}

void wake(driver::protocol::Page& page) {
  page.written.fetch_add(1);
  if (page.waiting.load() != 0) {
    syscall(SYS_futex, &page.written, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

}  // namespace

void ClientMemory::add(std::uint32_t pasid, pid_t pid, driver::protocol::Page* page,
                       unsigned node) {
  Space& space = spaces_[pasid];
  space.pid = pid;
  space.node = node;
  space.page = page;
}

void ClientMemory::retire(std::uint32_t pasid) {
  Space& space = spaces_.at(pasid);
  space.pid = 0;
  space.gone = true;
  space.page = nullptr;
  blocks_ -= space.shared.size();
  space.shared.clear();
  space.run.clear();
}

std::uint8_t* ClientMemory::Space::mapped(std::uint64_t address, std::size_t bytes) const {
  const auto after = shared.upper_bound(address);
  if (after == shared.begin()) return nullptr;
  const auto& [first, block] = *std::prev(after);
  const std::uint64_t offset = address - first;
  if (offset >= block.bytes() || bytes > block.bytes() - offset) return nullptr;
  return block.at() + offset;
}

void ClientMemory::Space::forget() {
  for (CachedPage& page : pages) page.address = 1;
  ahead.bytes = 0;
}

bool ClientMemory::share(std::uint32_t pasid, std::uint64_t address, SharedBlock block) {
  Space& space = spaces_.at(pasid);
  const std::uint64_t end = address + block.bytes();
  const auto after = space.shared.lower_bound(address);
  const bool free = end > address && (after == space.shared.end() || after->first >= end) &&
                    (after == space.shared.begin() ||
                     address - std::prev(after)->first >= std::prev(after)->second.bytes());
  if (!free || blocks_ >= kMostBlocks || space.shared.size() >= kMostBlocksOfProcess ||
      block.bytes() > kMostSharedBytes - space.shared_bytes) {
    return false;
  }
  settle(space);
  space.shared_bytes += block.bytes();
  space.shared.emplace_hint(after, address, std::move(block));
  ++blocks_;
  return true;
}

bool ClientMemory::end_sharing(std::uint32_t pasid, std::uint64_t address) {
  Space& space = spaces_.at(pasid);
  const auto found = space.shared.find(address);
  if (found == space.shared.end()) return false;
  space.shared_bytes -= found->second.bytes();
  space.shared.erase(found);
  --blocks_;
  return true;
}

bool ClientMemory::dying(unsigned node) const {
  return std::any_of(spaces_.begin(), spaces_.end(), [&](const auto& entry) {
    return entry.second.gone && entry.second.node == node;
  });
}

void ClientMemory::settle() {
  if (!std::exchange(holds_back_, false)) return;
  for (auto& [pasid, space] : spaces_) settle(space);
}

void ClientMemory::wake_waiting() {
  settle();
  if (!wrote_) return;
  wrote_ = false;
  for (auto& [pasid, space] : spaces_) {
    if (space.wrote && space.page != nullptr) wake(*space.page);
    space.wrote = false;
  }
}

int ClientMemory::move(bool write, pid_t pid, std::uint64_t address, void* data,
                       std::size_t bytes) {
  // Two parts, so that the owner bit of a queue entry is written last.
  const std::size_t tail =
      write && bytes <= kEntryBytes && bytes > kLastWordBytes ? kLastWordBytes : 0;
  auto* here = static_cast<std::uint8_t*>(data);
  auto* there = reinterpret_cast<std::uint8_t*>(address);
  const iovec local[2] = {{here, bytes - tail}, {here + bytes - tail, tail}};
  const iovec remote[2] = {{there, bytes - tail}, {there + bytes - tail, tail}};
  const unsigned long ranges = tail == 0 ? 1 : 2;
  const ssize_t moved = write ? process_vm_writev(pid, local, ranges, remote, ranges, 0)
                              : process_vm_readv(pid, local, ranges, remote, ranges, 0);
  if (moved == static_cast<ssize_t>(bytes)) return 0;
  return moved < 0 ? errno : EFAULT;
}

bool ClientMemory::write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* data,
                         std::size_t bytes, bool goes_on) {
  const auto found = spaces_.find(pasid);
  if (found == spaces_.end()) return false;
  Space& space = found->second;
  ++counts_.writes;
  if (space.pid == 0) return true;
  // Faults and simulated time see each write when it is made.
  const bool can_wait = bytes > kEntryBytes && bytes <= PayloadRun::kMost;
  if (goes_on && can_wait && !decide_ && !on_write_ && !space.mapped(address, bytes)) {
    return hold_back(space, address, data, bytes);
  }
  std::size_t held = 0;
  if (decide_) {
    const faults::MemoryEffect effect = decide_({space.node, pasid, address, bytes, data});
    if (effect.fails) {
      ++counts_.failures;
      return false;
    }
    held = effect.held;
  }
  return held == bytes || put(space, address, data, bytes - held);
}

/// Keeps payload until the rest of its message comes. False: what comes before it was lost.
bool ClientMemory::hold_back(Space& space, std::uint64_t address, const std::uint8_t* data,
                             std::size_t bytes) {
  if (!space.run.continues(address, bytes)) settle(space);
  if (space.run.lost_before(address)) return false;
  space.run.renew(address, bytes);
  holds_back_ = true;
  space.run.take(address, data, bytes);
  return true;
}

/// Writes what is held back.
void ClientMemory::settle(Space& space) {
  if (space.run.empty()) return;
  space.forget();
  ++counts_.calls_to_write;
  const int error = move(true, space.pid, space.run.begin(), space.run.data(), space.run.bytes());
  if (error == 0 || error == ESRCH) {
    space.run.clear();
  } else {
    ++counts_.failures;
    space.run.lose();
  }
  space.wrote = wrote_ = true;
}

/// Writes what is held back and the bytes that follow; 0 or an errno value.
int ClientMemory::write_end(Space& space, const std::uint8_t* data, std::size_t bytes) {
  const iovec local[2] = {{space.run.data(), space.run.bytes()},
                          {const_cast<std::uint8_t*>(data), bytes}};
  const iovec remote{reinterpret_cast<void*>(space.run.begin()), space.run.bytes() + bytes};
  const ssize_t moved = process_vm_writev(space.pid, local, 2, &remote, 1, 0);
  space.run.clear();
  if (moved == static_cast<ssize_t>(remote.iov_len)) return 0;
  return moved < 0 ? errno : EFAULT;
}

void ClientMemory::write_held(std::uint32_t pasid, std::uint64_t address,
                              const packet::Bytes& bytes) {
  const auto found = spaces_.find(pasid);
  if (found == spaces_.end() || found->second.pid == 0) return;
  put(found->second, address, bytes.data(), bytes.size());
}

bool ClientMemory::put(Space& space, std::uint64_t address, const std::uint8_t* data,
                       std::size_t bytes) {
  // The end of a message is written with what was held back of it.
  std::uint8_t* here = space.mapped(address, bytes);
  const bool ends = here == nullptr && bytes > kEntryBytes && space.run.goes_on_at(address);
  if (!ends) settle(space);
  if (space.run.lost_before(address)) return false;
  space.run.renew(address, bytes);
  if (here != nullptr) {
    store(here, data, bytes);
  } else {
    space.forget();
    ++counts_.calls_to_write;
    const int error = ends ? write_end(space, data, bytes)
                           // move() does not change what it writes from.
                           : move(true, space.pid, address, const_cast<std::uint8_t*>(data), bytes);
    // Writes to a process that has just exited succeed, as writes to pinned pages would.
    if (error == ESRCH) return true;
    if (error != 0) {
      ++counts_.failures;
      return false;
    }
  }
  if (on_write_) on_write_(space.pid);
  if (bytes <= kEntryBytes) {
    wake(*space.page);
  } else {
    space.wrote = wrote_ = true;
  }
  return true;
}

}  // namespace roci::sim
