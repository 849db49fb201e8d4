// SPDX-License-Identifier: Apache-2.0
// DMA to the memory of processes, by their virtual addresses.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "driver/device/protocol.hpp"
#include "model/packet/bytes.hpp"
#include "sim/faults/memory_access.hpp"
#include "sim/server/payload_run.hpp"
#include "sim/server/shared_memory.hpp"
#include "testbench/host/memory.hpp"

namespace roci::sim {

/// Address spaces by PASID. A system call takes microseconds for any length, so a read fetches the
/// whole page, or several in a row; sim/server/README.md states how long they are valid.
class ClientMemory final : public testbench::AddressSpaces {
 public:
  static constexpr std::size_t kEntryBytes = 64;  ///< up to this, a write may be a queue entry

  /// Sets the source of simulated time; to be called before the first access.
  void follow(const std::uint64_t& now_ns) { now_ns_ = &now_ns; }

  /// Asked of each access what faults do to it. Empty: nothing.
  using Decide = std::function<faults::MemoryEffect(const faults::MemoryAccess& access)>;
  void set_decide(Decide decide) {
    settle();
    decide_ = std::move(decide);
  }

  /// Called after each write to the memory of a process.
  void set_on_write(std::function<void(pid_t pid)> call) { on_write_ = std::move(call); }

  void add(std::uint32_t pasid, pid_t pid, driver::protocol::Page* page, unsigned node = 0);
  /// The process has exited: reads fail, writes are discarded.
  void retire(std::uint32_t pasid);
  /// A process of the node has exited and its objects still exist.
  bool dying(unsigned node) const;
  /// Removes the address space; no access with the PASID may follow.
  void remove(std::uint32_t pasid) { spaces_.erase(pasid); }

  static constexpr std::uint64_t kMostSharedBytes = 1u << 30;  ///< one process

  /// From now on `block` is the memory of the process from `address` on. False: it overlaps another
  /// block, or there are too many.
  bool share(std::uint32_t pasid, std::uint64_t address, SharedBlock block);
  /// Ends that; false: no block begins there.
  bool end_sharing(std::uint32_t pasid, std::uint64_t address);

  /// Drops the fetched pages, so that earlier writes of processes are seen.
  void forget_pages() { ++epoch_; }
  /// Writes the payload that waits for the rest of its message. To be called before a process is
  /// notified of anything.
  void settle();
  /// Settles, and wakes the threads of processes that wait for DMA.
  void wake_waiting();

  /// Copies `bytes` from or to `address` of a process; 0 or an errno value.
  static int move(bool write, pid_t pid, std::uint64_t address, void* data, std::size_t bytes);

  bool holds(std::uint32_t pasid) const override { return spaces_.count(pasid) != 0; }
  bool read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* data,
            std::size_t bytes) override;
  bool write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* data,
             std::size_t bytes, bool goes_on = false) override;

  /// Writes what faults have kept of a write.
  void write_held(std::uint32_t pasid, std::uint64_t address, const packet::Bytes& bytes);

  struct Counts {
    std::uint64_t reads = 0, calls_to_read = 0, writes = 0, calls_to_write = 0, failures = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kPage = 4096;
  struct CachedPage {
    std::uint64_t address = 1;  ///< no page starts there
    std::uint64_t epoch = 0;
    std::uint64_t read_ns = 0;
    std::array<std::uint8_t, kPage> bytes;
  };
  /// What was read ahead of a transfer that reads address after address.
  struct Ahead {
    std::uint64_t next = 0;  ///< address after the last read
    std::uint64_t address = 0;
    std::uint64_t epoch = 0;
    std::uint64_t read_ns = 0;
    std::size_t bytes = 0;
    std::size_t wanted = 0;  ///< by the last call; grows while the transfer goes on
    std::vector<std::uint8_t> data;
    // A run is a number of reads, address after address.
    std::uint64_t begin = 0, run = 0;      ///< first address and bytes of the present one
    std::uint64_t length = 0, before = 1;  ///< bytes of the last run and of the one before it

    std::size_t expect(std::uint64_t address, std::size_t count);
  };
  struct Space {
    pid_t pid = 0;  ///< 0: retired
    unsigned node = 0;
    bool gone = false;
    driver::protocol::Page* page = nullptr;
    bool wrote = false;
    unsigned oldest = 0;
    std::array<CachedPage, 4> pages;
    Ahead ahead;
    PayloadRun run;
    std::map<std::uint64_t, SharedBlock> shared;  ///< by first address
    std::uint64_t shared_bytes = 0;

    /// Where the range is mapped here; nullptr: it is not, or not in one block.
    std::uint8_t* mapped(std::uint64_t address, std::size_t bytes) const;
    /// Drops what was fetched.
    void forget();
  };
  bool put(Space& space, std::uint64_t address, const std::uint8_t* data, std::size_t bytes);
  bool hold_back(Space& space, std::uint64_t address, const std::uint8_t* data, std::size_t bytes);
  void settle(Space& space);
  int write_end(Space& space, const std::uint8_t* data, std::size_t bytes);
  bool fetch(Space& space, std::uint64_t address, void* data, std::size_t bytes);
  const CachedPage* held(const Space& space, std::uint64_t address) const;
  const CachedPage* cached(Space& space, std::uint64_t address);
  bool valid(std::uint64_t epoch, std::uint64_t read_ns, std::uint64_t most_ns) const;
  bool read_ahead(Space& space, std::uint64_t address, std::uint8_t* data, std::size_t bytes);

  const std::uint64_t* now_ns_ = nullptr;
  Decide decide_;
  std::function<void(pid_t)> on_write_;
  std::uint64_t epoch_ = 1;
  bool wrote_ = false;
  bool holds_back_ = false;  ///< payload of some process
  std::unordered_map<std::uint32_t, Space> spaces_;
  std::size_t blocks_ = 0;  ///< shared, of all processes
  Counts counts_;
};

}  // namespace roci::sim
