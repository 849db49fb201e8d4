// SPDX-License-Identifier: Apache-2.0
#include "firmware/board/program.hpp"

namespace roci::fw::board {

bool Program::poll() {
  const size_t bytes = platform_.receive(platform_.context, frame_, kFrameBytes);
  if (bytes == 0) return false;
  Datagram datagram = {};
  switch (read_frame(frame_, bytes, address_, &datagram)) {
    case Kind::kEcho:
      ++counters_[kPings];
      platform_.send(platform_.context, frame_, make_echo_reply(frame_, mac_));
      break;
    case Kind::kDatagram:
      if (datagram.to_port == kPort) handle(datagram);
      break;
    case Kind::kMalformed:
      ++counters_[kFramesWrong];
      break;
    case Kind::kFragment:
    case Kind::kOther:
      break;
  }
  return true;
}

void Program::handle(const Datagram& datagram) {
  ++counters_[kRequests];
  counters_[kConnections] = exchange_.connections();
  platform_.count(platform_.context, counters_);
  const size_t length =
      exchange_.handle(datagram.bytes, datagram.length, {datagram.address, datagram.mac},
                       platform_.now(platform_.context), counters_, datagram_bytes(reply_));
  if (length == 0) return;
  platform_.send(platform_.context, reply_,
                 make_datagram(reply_, mac_, address_, datagram, length));
}

}  // namespace roci::fw::board
