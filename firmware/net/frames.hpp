// SPDX-License-Identifier: Apache-2.0
// Frames of ARP (RFC 826) and IPv6 neighbour discovery (RFC 4861).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/net/gid.hpp"

namespace roci::fw {

/// Bytes of the longest frame read or built here: a neighbour message with a VLAN tag and options.
constexpr size_t kFrameRoom = 160;

/// The fields of an ARP or neighbour discovery frame.
struct NeighbourMessage {
  bool request;  ///< ARP request or neighbour solicitation; else reply or advertisement
  Lan lan;
  Gid sender;        ///< zero: not known yet (probe)
  Gid target;        ///< address that is requested or advertised
  Mac sender_mac;    ///< MAC address of the sender, 0: not given
  Mac ethernet_src;  ///< source of the Ethernet frame
  bool solicited;    ///< advertisement: the reply to a solicitation
};

/// Reads a frame; false for anything else than a valid ARP or neighbour discovery frame.
bool read_neighbour_frame(const uint8_t* frame, size_t bytes, NeighbourMessage* message);

/// Builds a request for the address `target`. Returns the bytes written.
size_t make_request(uint8_t* frame, const GidEntry& own, Mac own_mac, const Gid& target);
/// Builds the reply to `message`, a request for one of our addresses.
size_t make_reply(uint8_t* frame, Mac own_mac, const NeighbourMessage& message);

}  // namespace roci::fw
