// SPDX-License-Identifier: Apache-2.0
// Frames to and from a foreign adapter, and the time there.
#pragma once

#include <cstdint>

#include "model/packet/bytes.hpp"

namespace roci::conform {

class Way {
 public:
  virtual ~Way() = default;
  virtual std::uint64_t now_ns() const = 0;
  /// Waits for a frame for at most this long.
  virtual void wait(std::uint64_t ns) = 0;
  /// False: the receiver is busy; try again soon.
  virtual bool send(const packet::Bytes& frame) = 0;
  /// Takes the next frame that has arrived.
  virtual bool receive(packet::Bytes& frame) = 0;
  /// MAC address of the adapter; 0: by address resolution.
  virtual std::uint64_t mac() const { return 0; }
};

/// What tests, which state times of an adapter in the bench, get instead.
struct Timing {
  std::uint64_t patience_ns = 0;  ///< a wait for something expected lasts this long at least
  std::uint64_t quiet_ns = 0;     ///< likewise for what must not come
  std::uint64_t jitter_ns = 0;    ///< error of a time between two frames
  std::uint64_t look_ns = 0;      ///< how often a wait asks the agent for news
  std::uint64_t settle_ns = 0;    ///< time that a doorbell takes to reach the device
  /// Least code of a transport timer, and that of tests which leave the default, 0: as they are.
  std::uint8_t least_timeout = 0, calm_timeout = 0;
};

}  // namespace roci::conform
