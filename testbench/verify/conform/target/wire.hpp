// SPDX-License-Identifier: Apache-2.0
// The wire to a foreign adapter: its RoCE frames, and the peer's replies to address resolution.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/net/gid.hpp"
#include "testbench/verify/conform/adapter.hpp"
#include "testbench/verify/conform/target/way.hpp"

namespace roci::conform {

class Wire {
 public:
  /// `way` outlives the wire. Frames that wait there are discarded.
  explicit Wire(Way& way);

  std::uint64_t now_ns() const { return way_.now_ns(); }

  /// Takes all frames that have arrived.
  void pump();
  /// Waits for a frame for at most this long.
  void wait(std::uint64_t ns) { way_.wait(ns); }
  void send(const packet::Bytes& frame);
  const std::vector<Frame>& sent() const { return sent_; }

  /// MAC address of the adapter with this GID, by address resolution. Throws TargetLost when it
  /// does not reply.
  std::uint64_t find(const driver::Gid& gid);
  /// The adapter's own address: the peer does not reply for it.
  void own(const driver::Gid& gid);

 private:
  void take(const packet::Bytes& frame);

  Way& way_;
  std::vector<Frame> sent_;
  std::vector<fw::Gid> own_;
  fw::Gid sought_{};
  std::uint64_t found_ = 0;  ///< MAC address of `sought_`
};

}  // namespace roci::conform
