// SPDX-License-Identifier: Apache-2.0
// Resolution of addresses: a cache of neighbours, and the requests that fill it.
#pragma once

#include "firmware/hal/port.hpp"
#include "firmware/net/frames.hpp"
#include "firmware/net/gid.hpp"

namespace roci::fw {

constexpr uint32_t kMaxNeighbours = 32;

/// Times of the requests: the wait doubles with each try.
struct ResolveConfig {
  uint64_t first_wait_ns = 1000000;
  uint32_t tries = 5;
};

enum class Resolution { kDone, kWaiting, kFailed };

class Neighbours {
 public:
  Neighbours(Port* port, const GidTable* gids, const ResolveConfig& config)
      : port_(port), gids_(gids), config_(config) {}

  void set_mac(Mac mac) { mac_ = mac; }
  Mac mac() const { return mac_; }

  /// Gives the MAC address of `target` for own entry `own`. Sends a request when it is unknown;
  /// call again until the result is not kWaiting. kFailed is returned once; the next call begins
  /// anew.
  Resolution resolve(const GidEntry& own, const Gid& target, Mac* mac);

  /// Handles a received frame: replies to requests, learns from replies.
  void receive(const uint8_t* frame, size_t bytes);

  /// Repeats requests, or gives up, when their time has come.
  void tick(uint64_t now);
  /// Whether the last `resolve` that returned kWaiting still waits for its reply.
  bool waiting() const;
  /// Time of the next work of `tick`; all ones: none.
  uint64_t deadline() const;

 private:
  enum class State : uint8_t { kFree, kWaiting, kKnown, kFailed };
  struct Entry {
    State state = State::kFree;
    Gid gid{};
    GidEntry own{};  ///< own address that resolves, and its segment
    Mac mac = 0;
    uint32_t used = 0;  ///< time stamp of the last use, for replacement
    uint32_t tries = 0;
    uint64_t wait = 0;
    uint64_t next = 0;
  };

  Entry* find(const Gid& gid, const Lan& lan);
  Entry* replace();
  void send_request(Entry* entry, uint64_t now);
  void learn(const NeighbourMessage& message, bool for_us);

  Port* port_;
  const GidTable* gids_;
  ResolveConfig config_;
  Mac mac_ = 0;
  uint32_t clock_ = 0;
  const Entry* awaited_ = nullptr;
  Entry entry_[kMaxNeighbours];
};

}  // namespace roci::fw
