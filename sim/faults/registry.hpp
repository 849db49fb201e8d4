// SPDX-License-Identifier: Apache-2.0
// Processes of a simulator and their queue pairs, as faults name them (decision 0010).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/device/command_port.hpp"
#include "model/packet/bytes.hpp"
#include "model/spec/layout/codes.hpp"
#include "sim/faults/rule.hpp"

namespace roci::sim::faults {

struct Process {
  pid_t pid = 0;
  std::uint64_t started =
      0;  ///< its start time distinguishes it from an earlier process of the same pid
  std::vector<std::string> names;  ///< its file, its name, its first word
  unsigned made = 0;               ///< queue pairs so far
};

struct QueuePair {
  std::uint32_t number = 0;
  std::uint32_t pasid = 0;
  pid_t pid = 0;
  unsigned nth = 0;  ///< among those of its process, from 1
  std::uint32_t peer = 0;
  packet::Gid peer_gid{};
  std::uint32_t sq_psn = 0, rq_psn = 0;  ///< first PSNs
  unsigned mtu = 1024;
  std::uint64_t sends = 0, receives = 0;  ///< generations: numbers of the times that PSNs were set
};

class Registry {
 public:
  /// A connection of a process with an address space of its own.
  void joined(std::uint32_t pasid, pid_t pid);
  /// The connection ended; the queue pairs of it that exist end with it.
  void left(std::uint32_t pasid);
  /// A command of a process that the adapter has executed.
  void done(unsigned adapter, std::uint32_t pasid, layout::AdminOp opcode, const driver::Body& body,
            const driver::Body& reply);

  const QueuePair* queue_pair(unsigned adapter, std::uint32_t number) const;
  std::vector<QueuePair> queue_pairs(unsigned adapter) const;
  /// The queue pair of the adapter that is connected to `number` at `gid`.
  const QueuePair* connected(unsigned adapter, const packet::Gid& gid, std::uint32_t number) const;
  /// nullptr: none has the address space.
  const Process* process(std::uint32_t pasid) const;
  const Process* process_of(const QueuePair& pair) const;
  /// What lies at an address of a process.
  Area area(std::uint32_t pasid, std::uint64_t address) const;
  /// The completion queue of an adapter that has an entry at an address of a process.
  std::optional<std::uint32_t> completion_queue(unsigned adapter, std::uint32_t pasid,
                                                std::uint64_t address) const;
  bool has(const std::vector<unsigned>& adapters, std::uint32_t number) const;

 private:
  struct Ring {
    std::uint32_t pasid;
    Area area;
    std::uint64_t base, bytes;
  };
  enum class Kind { kSend, kReceive, kShared, kCompletion };
  using RingName = std::tuple<unsigned, Kind, std::uint32_t>;

  void created(unsigned adapter, std::uint32_t pasid, const driver::Body& body,
               std::uint32_t number);
  void modified(QueuePair& pair, const driver::Body& body);

  std::uint64_t generation_ = 0;

  std::map<pid_t, Process> processes_;
  std::map<std::uint32_t, pid_t> pids_;                            ///< by PASID
  std::map<std::pair<unsigned, std::uint32_t>, QueuePair> pairs_;  ///< by adapter and number
  std::map<RingName, Ring> rings_;
};

}  // namespace roci::sim::faults
