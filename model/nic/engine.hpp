// SPDX-License-Identifier: Apache-2.0
// State that all queue pairs of an adapter share.
#pragma once

#include <array>
#include <deque>
#include <functional>

#include "model/nic/completions.hpp"
#include "model/nic/frames.hpp"
#include "model/nic/srq.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::nic {

/// Outputs of the adapter. A function called here must not call the adapter.
struct Outputs {
  /// A frame for the MAC, without FCS and not padded.
  std::function<void(packet::Bytes&& frame)> transmit;
  /// A frame for the host's ordinary network interface.
  std::function<void(packet::ByteView frame)> ethernet;
  /// For observers: a queue pair has had its turn, as responder or as requester. The frame that it
  /// sent, if any, was the last one transmitted.
  std::function<void(std::uint32_t qpn, bool responder)> stepped{};
};

struct Sizes {
  unsigned log_qps = 8, log_keys = 10, log_cqs = 8, log_srqs = 6, log_ahs = 10;
  unsigned log_attachments = 8;
};

inline constexpr std::size_t kPortCounters = layout::number(layout::PortCounter::kDiscards) + 1;
inline constexpr std::size_t kMostGids = 64;  ///< entries of the GID table

/// Address handle, with the headers of its packets.
struct AddressHandle {
  Ah ah;
  FrameMaker frames;
};

struct Engine {
  Engine(const Sizes& sizes, HostMemory& host, Outputs ways_out)
      : memory(host),
        outputs(std::move(ways_out)),
        keys(std::size_t{1} << sizes.log_keys),
        events(host),
        cqs(std::size_t{1} << sizes.log_cqs, host, events, timers),
        srqs(std::size_t{1} << sizes.log_srqs, host, events),
        ahs(std::size_t{1} << sizes.log_ahs),
        attachments(std::size_t{1} << sizes.log_attachments) {}

  HostMemory& memory;
  Outputs outputs;
  KeyTable keys;
  EventQueue events;
  Timers timers;
  CompletionQueues cqs;
  SharedReceiveQueues srqs;
  std::vector<AddressHandle> ahs;
  std::array<OwnGid, kMostGids> gids;
  std::vector<Attachment> attachments;
  /// Multicast datagrams sent, for the attached queue pairs of this adapter (10.5.2.2).
  std::deque<packet::Bytes> looped;
  std::array<std::uint64_t, kPortCounters> port{};
  std::uint16_t identification = 0;  ///< identification of the next IPv4 packet

  /// A UC or UD packet is not delivered, and no response is sent (9.8.2, 9.8.3).
  void discard() { count_port(layout::number(layout::PortCounter::kDiscards)); }
  void drop(DropCause cause) { ++port[static_cast<std::size_t>(cause)]; }
  void count_port(std::size_t counter, std::uint64_t by = 1) { port[counter] += by; }
  /// The queue pairs that are attached to a group. The search begins at the row that the exclusive
  /// or of the group's bytes names.
  std::vector<std::uint32_t> members(const packet::Gid& group) const {
    std::size_t row = 0;
    for (const std::uint8_t byte : group) row ^= byte;
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < attachments.size(); ++i, ++row) {
      const Attachment& one = attachments[row % attachments.size()];
      if (one.valid && one.group == group) found.push_back(one.qpn);
      if (!one.more) break;
    }
    return found;
  }
  /// Sends a frame.
  void transmit(packet::Bytes&& frame) {
    constexpr unsigned kFrames = layout::number(layout::PortCounter::kTxFrames);
    constexpr unsigned kBytes = layout::number(layout::PortCounter::kTxBytes);
    count_port(kFrames);
    count_port(kBytes, frame.size());
    outputs.transmit(std::move(frame));
  }
};

}  // namespace roci::nic
