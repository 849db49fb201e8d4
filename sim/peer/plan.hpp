// SPDX-License-Identifier: Apache-2.0
// The plan of a run, from which both sides compute every message;
// `testbench/verify/interop/peer.c` is the other side on libibverbs and computes the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/types.hpp"

namespace roci::sim {

enum class PeerFault {
  kNone,
  kBadRkey,       ///< the requester uses a key that does not exist
  kOutOfBounds,   ///< the requester uses an address after the region
  kNoPermission,  ///< the responder's region has no remote rights
  kNoReceive,     ///< the responder posts no receive
  kLateReceive,   ///< the responder posts receives after some RNR NAKs, or some time
  kKilled,        ///< the other side exits during the run
};

struct PeerPlan {
  bool requester = true;
  driver::Opcode op = driver::Opcode::kWrite;
  std::vector<std::uint32_t> sizes = {4096};  ///< bytes of the messages, one after the other
  unsigned count = 1;                         ///< messages of each size, per queue pair
  unsigned depth = 8;                         ///< outstanding, per queue pair
  unsigned queue_pairs = 1;
  unsigned mtu = 1024;
  bool ipv6 = false;
  std::uint32_t psn = 0;  ///< first PSN that this side sends
  std::uint8_t timeout = 18, retry = 7, rnr_retry = 7, rnr_timer = 12;
  PeerFault fault = PeerFault::kNone;
  /// A file instead of the pattern: its bytes at the requester; only their number at the responder.
  bool carries_file = false;
  const std::vector<std::uint8_t>* file = nullptr;
  unsigned expect = 0;  ///< status of the first failed completion; 0: none fails

  static constexpr std::size_t kGuard = 13;  ///< bytes after each message that stay 0
  static constexpr std::size_t kWord = 8;

  bool atomic() const { return op == driver::Opcode::kFetchAdd || op == driver::Opcode::kCmpSwap; }
  bool with_imm() const {
    return op == driver::Opcode::kSendImm || op == driver::Opcode::kWriteImm;
  }
  bool receives() const { return op == driver::Opcode::kSend || with_imm(); }
  bool writes() const { return op == driver::Opcode::kWrite || op == driver::Opcode::kWriteImm; }

  unsigned messages() const {
    return atomic() ? count : count * static_cast<unsigned>(sizes.size());
  }
  std::uint32_t size_of(unsigned m) const { return atomic() ? kWord : sizes[m / count]; }
  std::uint32_t largest() const {
    std::uint32_t most = 0;
    for (unsigned m = 0; m < messages(); ++m) most = std::max(most, size_of(m));
    return most;
  }
  /// Offset of message `m` in the part of the region that belongs to its queue pair.
  std::size_t offset_of(unsigned m) const {
    std::size_t offset = 0;
    for (unsigned i = 0; i < m && !atomic(); ++i) offset += size_of(i) + kGuard;
    return offset;
  }
  std::size_t span() const { return atomic() ? kWord : offset_of(messages()); }

  /// Divides `bytes` into messages of at most `most` bytes.
  void divide(std::size_t bytes, std::uint32_t most) {
    carries_file = true;
    sizes.clear();
    do {
      sizes.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(bytes, most)));
      bytes -= sizes.back();
    } while (bytes > 0);
  }

  std::uint8_t byte_of(unsigned q, unsigned m, std::size_t i) const {
    return file != nullptr ? (*file)[m * std::size_t{sizes[0]} + i] : pattern(q, m, i);
  }
  static std::uint8_t pattern(unsigned q, unsigned m, std::size_t i) {
    return static_cast<std::uint8_t>(i * 31 + (i >> 8) * 17 + (i >> 16) * 29 + m * 101 + q * 53 +
                                     7);
  }
  /// Value of a queue pair's word before its atomic `m`: FETCH_ADD adds m + 1; CMP_SWAP counts up,
  /// and the compare value of each third one does not match.
  static bool hits(unsigned m) { return m % 3 != 2; }
  std::uint64_t before(unsigned m) const {
    if (op == driver::Opcode::kFetchAdd) return std::uint64_t{m} * (m + 1) / 2;
    return std::uint64_t{m / 3} * 2 + m % 3;
  }
};

}  // namespace roci::sim
