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

constexpr std::uint64_t kPageValidNs = 1000, kAheadValidNs = 16'000;
constexpr std::size_t kAheadBytes = 16384, kMostAheadBytes = 65536;
constexpr std::size_t kEntryBytes = 64;    // up to this, a write may be a queue entry
constexpr std::size_t kLastWordBytes = 4;  // with the owner bit
// The kernel permits 65,530 mappings of the simulator.
constexpr std::size_t kMostBlocks = 32768, kMostBlocksOfProcess = 4096;

/// Writes memory that a process polls: the last word of a queue entry last.
void store(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  const bool entry = bytes <= kEntryBytes && bytes > kLastWordBytes &&
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
}

std::uint8_t* ClientMemory::Space::mapped(std::uint64_t address, std::size_t bytes) const {
  const auto after = shared.upper_bound(address);
  if (after == shared.begin()) return nullptr;
  const auto& [first, block] = *std::prev(after);
  const std::uint64_t offset = address - first;
  if (offset >= block.bytes() || bytes > block.bytes() - offset) return nullptr;
  return block.at() + offset;
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

void ClientMemory::wake_waiting() {
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

bool ClientMemory::fetch(Space& space, std::uint64_t address, void* data, std::size_t bytes) {
  ++counts_.calls_to_read;
  const int error = move(false, space.pid, address, data, bytes);
  if (error == ESRCH) space.gone = true;
  return error == 0;
}

bool ClientMemory::valid(std::uint64_t epoch, std::uint64_t read_ns, std::uint64_t most_ns) const {
  return epoch == epoch_ && *now_ns_ - read_ns < most_ns;
}

/// Notes a read of payload. Returns how many bytes from `address` on are likely to be read: the
/// rest of a run as long as the last two, and 0 otherwise.
std::size_t ClientMemory::Ahead::expect(std::uint64_t address, std::size_t count) {
  if (std::exchange(next, address + count) != address) {
    before = std::exchange(length, run);
    begin = address;
  }
  run = address + count - begin;
  const std::uint64_t done = address - begin;
  return before == length && length > done ? length - done : 0;
}

/// Reads payload from what was fetched with the payload before it, or fetches more than it needs
/// when it follows the last read or more is expected. False: neither.
bool ClientMemory::read_ahead(Space& space, std::uint64_t address, std::uint8_t* data,
                              std::size_t bytes) {
  Ahead& ahead = space.ahead;
  const bool follows = ahead.next == address;
  const std::size_t expected = ahead.expect(address, bytes);
  const auto holds = [&] {
    return ahead.bytes != 0 && address >= ahead.address &&
           address - ahead.address + bytes <= ahead.bytes;
  };
  if (!holds() || !valid(ahead.epoch, ahead.read_ns, kAheadValidNs)) {
    const bool known = expected > bytes;
    if (bytes >= kAheadBytes || !(known || (follows && expected == 0))) return false;
    const bool goes_on = address == ahead.address + ahead.bytes;
    ahead.wanted = known     ? std::min(expected, kMostAheadBytes)
                   : goes_on ? std::min(2 * ahead.wanted, kMostAheadBytes)
                             : kAheadBytes;
    if (ahead.data.size() < ahead.wanted) ahead.data.resize(ahead.wanted);
    const iovec local{ahead.data.data(), ahead.wanted};
    const iovec remote{reinterpret_cast<void*>(address), ahead.wanted};
    ++counts_.calls_to_read;
    const ssize_t moved = process_vm_readv(space.pid, &local, 1, &remote, 1, 0);
    ahead.address = address;
    ahead.epoch = epoch_;
    ahead.read_ns = *now_ns_;
    ahead.bytes = moved > 0 ? static_cast<std::size_t>(moved) : 0;
    if (!holds()) return false;
  }
  std::memcpy(data, ahead.data.data() + (address - ahead.address), bytes);
  return true;
}

const ClientMemory::CachedPage* ClientMemory::held(const Space& space,
                                                   std::uint64_t address) const {
  for (const CachedPage& page : space.pages) {
    if (page.address == address && valid(page.epoch, page.read_ns, kPageValidNs)) return &page;
  }
  return nullptr;
}

const ClientMemory::CachedPage* ClientMemory::cached(Space& space, std::uint64_t address) {
  if (const CachedPage* page = held(space, address)) return page;
  CachedPage& page = space.pages[space.oldest];
  space.oldest = (space.oldest + 1) % space.pages.size();
  if (!fetch(space, address, page.bytes.data(), kPage)) {
    page.address = 1;
    return nullptr;
  }
  page.address = address;
  page.epoch = epoch_;
  page.read_ns = *now_ns_;
  return &page;
}

bool ClientMemory::read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
                        std::size_t bytes) {
  const auto found = spaces_.find(pasid);
  if (found == spaces_.end() || found->second.pid == 0) return false;
  ++counts_.reads;
  if (decide_ && decide_({found->second.node, pasid, address, bytes, nullptr}).fails) {
    ++counts_.failures;
    return false;
  }
  Space& space = found->second;
  if (const std::uint8_t* here = space.mapped(address, bytes)) {
    std::memcpy(data, here, bytes);
    return true;
  }
  const std::uint64_t offset = address % kPage;
  const bool in_page = offset + bytes <= kPage && bytes < kPage;
  const CachedPage* page = in_page ? held(space, address - offset) : nullptr;
  // What a page holds already is not read ahead; the next page of a transfer is.
  if (page != nullptr) {
    if (bytes > kEntryBytes) space.ahead.expect(address, bytes);
  } else if (bytes > kEntryBytes && read_ahead(space, address, data, bytes)) {
    return true;
  } else if (in_page) {
    page = cached(space, address - offset);
  }
  const bool done = in_page ? page != nullptr : fetch(space, address, data, bytes);
  if (page != nullptr) std::memcpy(data, page->bytes.data() + offset, bytes);
  counts_.failures += !done;
  return done;
}

bool ClientMemory::write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* data,
                         std::size_t bytes) {
  const auto found = spaces_.find(pasid);
  if (found == spaces_.end()) return false;
  Space& space = found->second;
  ++counts_.writes;
  if (space.pid == 0) return true;
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

void ClientMemory::write_held(std::uint32_t pasid, std::uint64_t address,
                              const packet::Bytes& bytes) {
  const auto found = spaces_.find(pasid);
  if (found == spaces_.end() || found->second.pid == 0) return;
  put(found->second, address, bytes.data(), bytes.size());
}

bool ClientMemory::put(Space& space, std::uint64_t address, const std::uint8_t* data,
                       std::size_t bytes) {
  if (std::uint8_t* here = space.mapped(address, bytes)) {
    store(here, data, bytes);
  } else {
    for (CachedPage& page : space.pages) page.address = 1;
    space.ahead.bytes = 0;
    // move() does not change what it writes from.
    const int error = move(true, space.pid, address, const_cast<std::uint8_t*>(data), bytes);
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
