// SPDX-License-Identifier: Apache-2.0
// Accepts the packets of a message without a check of their contents.
#pragma once

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

/// Accepts the next `count` packets; only their PSNs are checked.
inline void take_packets(Connection& c, unsigned count, unsigned first = 0) {
  for (unsigned i = 0; i < count; ++i) {
    const auto frame = c.next();
    require(frame.has_value(), "packet " + std::to_string(first + i), "silence");
    same("PSN", frame->parsed().bth().psn(), c.sq(first + i));
  }
}

/// Sends two WRITEs of two packets each; the first is acknowledged and complete.
inline void two_writes_one_acknowledged(Connection& c) {
  c.write(300);
  take_packets(c, 2);
  c.ack(c.sq(1));
  c.sent();
  c.write(300);
  take_packets(c, 2, 2);
}

}  // namespace roci::conform
