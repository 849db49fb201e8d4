// SPDX-License-Identifier: Apache-2.0
// The requests that one queue pair sends to another, as a capture shows them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/packet/parser.hpp"
#include "testbench/verify/judge/finding.hpp"

namespace roci::judge {

/// A PSN without its wrap: PSNs of one connection are numbered on beyond 2^24.
using Place = std::int64_t;

/// A request packet as it was sent first.
struct Request {
  std::uint8_t opcode = 0;
  bool solicited = false;
  std::size_t digest = 0;         ///< extension headers, payload and pad
  std::int64_t ended_before = 0;  ///< messages of the stream that ended before this packet
  bool ends = false;              ///< its message ends with it
  // A READ:
  std::uint32_t count = 1;  ///< PSNs that it takes
  std::uint64_t va = 0;
  std::uint32_t rkey = 0;
  std::uint32_t length = 0;
  std::set<Place> starts;  ///< places at which it was requested
};

/// Judges requests: order, segmentation, retransmission (RQ-01 to RQ-06, RQ-20, RQ-21, RQ-35,
/// RQ-42, WIRE-41). Only packets with a right ICRC may be given to it.
class RequestStream {
 public:
  /// `connected_once`: the queue pairs are connected once, so that a first packet with other
  /// contents at a known PSN is a finding, and not a new connection.
  explicit RequestStream(bool connected_once) : connected_once_(connected_once) {}

  void take(std::size_t frame, const packet::Parsed& packet, Report& report);

  bool begun() const { return begun_; }
  /// Changes when the PSNs of the stream begin anew.
  unsigned generation() const { return generation_; }
  /// Whether no packet is missing, so that messages can be counted.
  bool complete() const { return complete_; }

  /// The place nearest to the next packet that has this PSN.
  Place place_of(transport::Psn psn) const;
  Place next() const { return next_; }
  /// Whether `next` is known: a READ takes as many PSNs as the path MTU says.
  bool next_is_known() const { return !open_read_; }
  using Sent = std::map<Place, Request>;
  /// The request that the place belongs to, with the place of its first PSN. nullptr: not seen.
  const Sent::value_type* find(Place place) const;
  /// Messages that ended so far.
  std::int64_t ended() const { return ended_; }

  /// The path MTU; none: more than one is possible.
  std::optional<std::uint32_t> mtu() const;
  /// A full packet of that payload was seen. Returns false when it contradicts what is known.
  bool learn_mtu(std::size_t payload);
  /// The peer rejected the packet at the place by a sequence NAK.
  void reject(Place place) { rejected_ = place; }
  /// The peer executed all up to the place.
  void acknowledge(Place place) { acknowledged_ = std::max(acknowledged_, place); }

 private:
  enum class Position { kUnknown, kBetweenMessages, kInMessage };

  void begin(transport::Psn psn);
  void settle_read(const packet::Parsed& packet);
  void take_new(std::size_t frame, const packet::Parsed& packet, Place place, Report& report);
  void take_again(std::size_t frame, const packet::Parsed& packet, Place place, Report& report);
  void check_retry(std::size_t frame, Place place, Report& report);
  void check_order(std::size_t frame, const packet::Parsed& packet, Report& report) const;
  void check_size(std::size_t frame, const packet::Parsed& packet, Report& report);
  void check_length(std::size_t frame, const packet::Parsed& packet, Report& report);
  std::string difference_of(const Request& known, const packet::Parsed& packet,
                            Place skipped) const;

  bool connected_once_;
  bool begun_ = false;
  unsigned generation_ = 0;
  bool complete_ = true;
  Place next_ = 0;
  Sent sent_;
  std::optional<Place> open_read_;  ///< the newest packet, a READ whose PSNs are not counted yet
  std::vector<std::uint32_t> mtus_;
  std::int64_t ended_ = 0;

  Position position_ = Position::kUnknown;
  std::uint8_t kind_ = 0;              ///< the message in progress
  std::optional<std::uint64_t> left_;  ///< bytes of a WRITE in progress that are still to come

  std::optional<Place> rejected_;
  Place acknowledged_ = 0;
  Place after_ = 0;  ///< place that follows the packet taken last
};

}  // namespace roci::judge
