// SPDX-License-Identifier: Apache-2.0
// DMA reads: pages and transfers, fetched whole.
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/server/client_memory.hpp"

namespace roci::sim {
namespace {

constexpr std::uint64_t kPageValidNs = 1000, kAheadValidNs = 16'000;
constexpr std::size_t kAheadBytes = 16384, kMostAheadBytes = 65536;

}  // namespace

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
  if (space.run.overlaps(address, bytes)) settle(space);
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

}  // namespace roci::sim
