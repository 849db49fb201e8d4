// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of memory windows.
#pragma once

#include "driver/memory_window.hpp"
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {

namespace access = driver::access;
using driver::MemoryWindow;
using driver::WindowType;

inline constexpr std::uint32_t kRegionRights = access::kAll | access::kMwBind;
inline constexpr std::uint64_t kAt = 1024,
                               kBytes = 64;  ///< offset and length of a window in its region

/// A region to which windows may be bound.
struct Place {
  explicit Place(Fixture& dut, std::uint32_t rights = kRegionRights)
      : region(dut.pd(), 8192, rights) {}
  driver::MemoryRegion region;
  std::uint64_t window() const { return region.address() + kAt; }
};

/// Posts a bind with the window's next key.
inline std::uint32_t post_bind(Connection& c, MemoryWindow& window, Place& place,
                               std::uint64_t address, std::uint64_t bytes, std::uint32_t rights) {
  const std::uint32_t key = window.next_key();
  c.post(MemoryWindow::bind(key, place.region.key(), address, bytes, rights));
  return key;
}

/// Binds to the usual range and polls the completion; returns the key.
inline std::uint32_t bind(Connection& c, MemoryWindow& window, Place& place,
                          std::uint32_t rights = access::kRemoteWrite | access::kRemoteRead) {
  const std::uint32_t key = post_bind(c, window, place, place.window(), kBytes, rights);
  const Completion done = c.sent();
  same("operation", static_cast<unsigned>(done.opcode),
       static_cast<unsigned>(driver::WcOpcode::kBindMw));
  window.set_key(key);
  return key;
}

inline void invalidate(Connection& c, std::uint32_t key, Status status = Status::kSuccess) {
  driver::SendRequest r;
  r.opcode = Opcode::kLocalInv;
  r.remote_key = key;
  c.post(r);
  const Completion done = c.sent(status);
  if (done.ok()) {
    same("operation", static_cast<unsigned>(done.opcode),
         static_cast<unsigned>(driver::WcOpcode::kLocalInv));
  }
}

/// Returns the response to a WRITE of `bytes`: kAck, or the NAK.
inline unsigned try_write(Connection& c, std::uint32_t psn, std::uint64_t va, std::uint32_t key,
                          std::uint32_t bytes) {
  c.feed(c.from_peer(packet::kRcWriteOnly, psn)
             .ack_req()
             .reth(va, key, bytes)
             .payload(payload_of(bytes)));
  const auto frame = c.next();
  require(frame.has_value(), "a response to a WRITE", "silence");
  return frame->parsed().aeth().syndrome();
}

inline unsigned try_read(Connection& c, std::uint32_t psn, std::uint64_t va, std::uint32_t key,
                         std::uint32_t bytes) {
  c.feed(c.from_peer(packet::kRcReadRequest, psn).ack_req().reth(va, key, bytes));
  const auto frame = c.next();
  require(frame.has_value(), "a response to a READ", "silence");
  return frame->parsed().aeth().syndrome();
}

}  // namespace roci::conform
