// SPDX-License-Identifier: Apache-2.0
// Who has which address: a cache, and the asking.
#pragma once

#include "firmware/hal/port.hpp"
#include "firmware/net/frames.hpp"
#include "firmware/net/gid.hpp"

namespace roci::fw {

constexpr uint32_t kMaxNeighbours = 32;

/// How long to ask: the first wait doubles with each try.
struct ResolveConfig {
  uint64_t first_wait_ns = 1000000;
  uint32_t tries = 5;
};

enum class Resolution { kDone, kAsking, kFailed };

class Neighbours {
 public:
  Neighbours(Port* port, const GidTable* gids, const ResolveConfig& config)
      : port_(port), gids_(gids), config_(config) {}

  void set_mac(Mac mac) { mac_ = mac; }
  Mac mac() const { return mac_; }

  /// MAC address of `target` as seen from own entry `own`. Asks when it is not known; call again
  /// until the result is not kAsking. kFailed is told once, then it is asked anew.
  Resolution resolve(const GidEntry& own, const Gid& target, Mac* mac);

  /// Takes a received frame: answers requests, learns from replies.
  void receive(const uint8_t* frame, size_t bytes);

  /// Asks again, or gives up, where it is time.
  void tick(uint64_t now);
  /// Whether an answer to the last question of `resolve` that said kAsking is still open.
  bool asking() const;
  /// When `tick` has something to do; all ones: never.
  uint64_t deadline() const;

 private:
  enum class State : uint8_t { kFree, kAsking, kKnown, kFailed };
  struct Entry {
    State state = State::kFree;
    Gid gid{};
    GidEntry own{};  ///< who asks, and the segment
    Mac mac = 0;
    uint32_t used = 0;  ///< time stamp of the last use, for replacement
    uint32_t tries = 0;
    uint64_t wait = 0;
    uint64_t next = 0;
  };

  Entry* find(const Gid& gid, const Lan& lan);
  Entry* replace();
  void ask(Entry* entry, uint64_t now);
  void learn(const NeighbourMessage& message, bool for_us);

  Port* port_;
  const GidTable* gids_;
  ResolveConfig config_;
  Mac mac_ = 0;
  uint32_t clock_ = 0;
  const Entry* asked_ = nullptr;
  Entry entry_[kMaxNeighbours];
};

}  // namespace roci::fw
