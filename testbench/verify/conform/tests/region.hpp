// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of memory regions.
#pragma once

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

/// Memory that a region of the test names; released at the end.
struct Memory {
  Memory(Fixture& dut, std::size_t bytes) : device(dut.context().device()) {
    memory = device.allocate(bytes, 4096);
  }
  ~Memory() { device.release(memory); }
  driver::Device& device;
  driver::DmaMemory memory;
};

/// Returns the syndrome of the response to `request`; 0 for a READ or atomic response.
inline unsigned outcome(Connection& c, const Builder& request) {
  using namespace packet;
  c.feed(request);
  const auto frame = c.next();
  require(frame.has_value(), "a response", "silence");
  const Parsed p = frame->parsed();
  return p.bth().opcode() == kRcAck ? p.aeth().syndrome() : 0;
}

inline Builder write_to(Connection& c, std::uint64_t va, std::uint32_t key, const Bytes& data) {
  return c.from_peer(packet::kRcWriteOnly, c.rq(0))
      .ack_req()
      .reth(va, key, static_cast<std::uint32_t>(data.size()))
      .payload(data);
}

}  // namespace roci::conform
