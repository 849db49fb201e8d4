// SPDX-License-Identifier: Apache-2.0
// Frames of IPv4 that the board's program handles: echo requests of ICMP (RFC 792) and datagrams of
// UDP (RFC 768).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/net/gid.hpp"

namespace roci::fw::board {

/// Bytes of the longest frame that is read or sent: an MTU of 1500 and the Ethernet header.
constexpr size_t kFrameBytes = 1514;
constexpr size_t kShortestFrame = 60;
constexpr size_t kHeaders = 42;  ///< bytes of Ethernet, IPv4 and UDP before a datagram

/// What a frame is.
enum class Kind : uint8_t {
  kEcho,       ///< an echo request for our address
  kDatagram,   ///< a datagram for our address
  kOther,      ///< another protocol or address
  kFragment,   ///< part of a longer packet; they are not put together
  kMalformed,  ///< lengths or a checksum are wrong
};

/// A datagram in a frame.
struct Datagram {
  Mac mac;  ///< where the frame came from
  uint32_t address;
  uint16_t port;     ///< the sender's
  uint16_t to_port;  ///< here
  const uint8_t* bytes;
  size_t length;
};

/// Reads a frame for the address `own`; fills `datagram` when it holds one.
Kind read_frame(const uint8_t* frame, size_t bytes, uint32_t own, Datagram* datagram);

/// Makes the reply to the echo request in `frame`, in place. Returns its bytes.
size_t make_echo_reply(uint8_t* frame, Mac own);

/// Writes the headers of a datagram of `length` bytes, which stand from `datagram_bytes` on, back
/// to where `to` came from. Returns the bytes of the frame.
size_t make_datagram(uint8_t* frame, Mac own_mac, uint32_t own, const Datagram& to, size_t length);
/// Where the bytes of a datagram to be sent are put.
uint8_t* datagram_bytes(uint8_t* frame);

}  // namespace roci::fw::board
