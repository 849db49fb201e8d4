// SPDX-License-Identifier: Apache-2.0
// Messages that fill a completion queue.
#pragma once

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

/// Sends `count` SENDs of 8 bytes to `c`, from its `at`th expected PSN on.
inline void deliver(Connection& c, unsigned count, std::uint32_t& at, bool solicited = false) {
  for (unsigned i = 0; i < count; ++i) {
    c.receive(8);
    c.feed(c.send_request(packet::kRcSendOnly, c.rq(at), payload_of(8)).solicited(solicited));
    c.expect_acked(c.rq(at++));
  }
}

}  // namespace roci::conform
