// SPDX-License-Identifier: Apache-2.0
// Datagrams of QP1 as RoCE v2 frames, and back (13.4: UD SEND ONLY to QP1 with its Q_Key).
#pragma once

#include "driver/cm/connection/manager.hpp"
#include "model/packet/bytes.hpp"
#include "model/packet/headers.hpp"

namespace roci::sim {

/// A frame with this datagram between two ports.
packet::Bytes frame_of(const cm::Outgoing& datagram, packet::Mac to, packet::Mac from);

/// A datagram that came; `bytes` lies in the frame.
struct Incoming {
  cm::Gid local, remote;
  packet::Mac from = 0;
  packet::ByteView bytes;
};

enum class FrameKind : std::uint8_t {
  kOther,     ///< not for QP1
  kDatagram,  ///< for QP1
  kForeign,   ///< for QP1, but without its Q_Key: to be dropped
};

/// Separates datagrams for QP1, and sets `datagram`, from all other frames. A frame with a wrong
/// ICRC is another frame.
FrameKind datagram_in(const packet::Bytes& frame, Incoming& datagram);

}  // namespace roci::sim
