// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of NAKed requests.
#pragma once

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

/// Sends packets; the last one must be NAKed with `syndrome`, and the queue pair be in ERR.
inline void expect_nak(Connection& c, const std::vector<Builder>& packets, std::uint8_t syndrome,
                       std::uint32_t psn, const std::string& what) {
  for (const Builder& one : packets) c.feed(one);
  for (;;) {
    const auto frame = c.next(50_us);
    const std::string expected = "a NAK " + hex(syndrome) + " for " + what;
    require(frame.has_value(), expected, "silence");
    const packet::Parsed p = frame->parsed();
    const bool ack = p.ok() && p.bth().opcode() == packet::kRcAck;
    // Earlier packets may be acknowledged.
    if (ack && p.aeth().syndrome() == kAck && p.psn().before(transport::Psn(psn))) continue;
    require(ack, expected, "another packet");
    if (p.aeth().syndrome() != syndrome) {
      throw Failure(expected, "syndrome " + hex(p.aeth().syndrome()));
    }
    same("PSN of the NAK for " + what, p.bth().psn(), psn);
    break;
  }
  c.is_in(QpState::kErr);
}

/// Returns the memory of the target part, to compare.
struct Untouched {
  explicit Untouched(Fixture& b) : fixture(b), before(b.local(), b.local(Fixture::kMemory)) {}
  void check(const std::string& what) const {
    require(std::equal(before.begin(), before.end(), fixture.local()),
            "memory untouched by " + what, "written");
  }
  Fixture& fixture;
  Bytes before;
};

}  // namespace roci::conform
