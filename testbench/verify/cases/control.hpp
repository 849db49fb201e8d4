// SPDX-License-Identifier: Apache-2.0
// Helpers of the control cases.
#pragma once

#include <vector>

#include "testbench/verify/cases/pair.hpp"

namespace roci::testbench {

inline Config narrow() {
  Config config;
  config.width = 64;
  return config;
}

inline driver::SendRequest message(std::uint64_t id, driver::Opcode opcode, Endpoint& self,
                                   std::uint32_t bytes, Endpoint& peer, std::size_t at = 0) {
  driver::SendRequest r = request(opcode, self, at, bytes, peer, at);
  r.id = id;
  return r;
}

inline driver::ReceiveRequest place(std::uint64_t id, Endpoint& self, std::size_t at,
                                    std::uint32_t bytes) {
  return {id, {self.region.sge(at, bytes)}};
}

inline void modify(driver::QueuePair& qp, driver::QpState state, std::uint32_t more = 0,
                   bool notify = false) {
  driver::QpAttributes a;
  a.state = state;
  a.sqd_notify = notify;
  qp.modify(a, driver::mask::kState | more);
}

/// Returns all events up to one of `last`, which must come.
inline std::vector<driver::Event> events_until(Endpoint& self, driver::EventKind last) {
  std::vector<driver::Event> seen;
  do {
    const auto event = self.node.context().events().wait();
    REQUIRE(event);
    seen.push_back(*event);
  } while (seen.back().kind != last);
  return seen;
}

}  // namespace roci::testbench
