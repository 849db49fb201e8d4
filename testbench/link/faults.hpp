// SPDX-License-Identifier: Apache-2.0
// Effects of a link on the frames of one direction, in this order: pause, drop, corrupt,
// duplicate, delay and reorder, rate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/packet/parser.hpp"

namespace roci::testbench {

enum class FaultKind { kDrop, kCorrupt, kDuplicate, kDelay, kReplace };

/// A fault for chosen frames. A frame is chosen when it is RoCE and matches all conditions that are
/// set.
struct FaultRule {
  FaultKind kind = FaultKind::kDrop;
  std::optional<std::uint8_t> opcode;
  std::optional<std::uint32_t> psn;
  std::optional<std::uint32_t> qpn;  ///< destination in the BTH
  std::function<bool(const packet::Parsed&, std::uint64_t now_ns)> when;
  unsigned first = 1;          ///< number of the first matching frame that is hit, from 1
  unsigned count = 1;          ///< number of frames from there on; 0: all
  std::uint64_t delay_ns = 0;  ///< kDelay: the delay; kDuplicate: the delay of the copies
  unsigned copies = 1;         ///< kDuplicate: number of copies
  /// kReplace: returns the frame to send on, with a repaired ICRC if it changes a header.
  std::function<packet::Bytes(const packet::Parsed&)> replace;

  unsigned seen = 0, hits = 0;  ///< maintained by the link
};

/// Span of simulated time, `from` included, `to` not.
struct Span {
  std::uint64_t from_ns, to_ns;
  bool holds(std::uint64_t ns) const { return ns >= from_ns && ns < to_ns; }
};

/// Probabilities are per frame, 0 to 1. They apply to RoCE frames only, unless `all_frames`.
struct Faults {
  double loss = 0;
  double mean_burst = 1;  ///< frames lost in a row on average (Gilbert); 1: independent
  double corrupt = 0;     ///< one bit anywhere after the Ethernet header
  double duplicate = 0;
  std::uint64_t duplicate_delay_ns = 0;
  double reorder = 0;  ///< the frame comes 1 to `reorder_depth` of its own lengths later
  unsigned reorder_depth = 8;
  std::uint64_t jitter_ns = 0;  ///< uniform extra delay
  bool all_frames = false;
  std::vector<std::uint32_t> spared;  ///< queue pairs exempt from random faults
  std::vector<FaultRule> rules;       ///< applied before random faults, in order
  std::vector<Span> pauses;           ///< the MAC accepts no beat: PFC pause
  std::vector<Span> blackouts;        ///< every frame is lost

  /// Whether nothing can happen to a frame that enters the link.
  bool spare_all() const {
    return loss <= 0 && corrupt <= 0 && duplicate <= 0 && reorder <= 0 && jitter_ns == 0 &&
           rules.empty() && blackouts.empty();
  }
};

/// One fault that a link applied.
struct FaultRecord {
  std::uint64_t time_ns;
  unsigned node;  ///< sender of the frame
  FaultKind kind;
  std::uint8_t opcode;
  std::uint32_t psn, qpn;
  std::string text;
};

}  // namespace roci::testbench
