// SPDX-License-Identifier: Apache-2.0
// ARP (RFC 826) and IPv6 neighbour discovery (RFC 4861) as bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/net/gid.hpp"

namespace roci::fw {

/// Room for every frame that is read or made here: a neighbour message with a VLAN tag and options.
constexpr size_t kFrameRoom = 160;

/// What an ARP or neighbour discovery frame says.
struct NeighbourMessage {
  bool request;  ///< ARP request or neighbour solicitation; else reply or advertisement
  Lan lan;
  Gid sender;        ///< zero: not known yet (probe)
  Gid target;        ///< asked for, or announced
  Mac sender_mac;    ///< of the sender, 0: not given
  Mac ethernet_src;  ///< of the frame
  bool solicited;    ///< advertisement: answers a solicitation
};

/// Reads a frame; false when it is no valid ARP or neighbour discovery frame.
bool read_neighbour_frame(const uint8_t* frame, size_t bytes, NeighbourMessage* message);

/// Asks who has `target`. Returns the bytes written.
size_t make_request(uint8_t* frame, const GidEntry& own, Mac own_mac, const Gid& target);
/// Answers `message`, a request for one of our addresses.
size_t make_reply(uint8_t* frame, Mac own_mac, const NeighbourMessage& message);

}  // namespace roci::fw
