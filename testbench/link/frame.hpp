// SPDX-License-Identifier: Apache-2.0
// Frames on the link, and their observers.
#pragma once

#include <cstdint>
#include <string>

#include "model/packet/parser.hpp"

namespace roci::testbench {

/// A frame as its sender passed it to the MAC (without preamble, padding and FCS).
struct FrameEvent {
  unsigned node;                 ///< sender
  std::uint64_t time_ns;         ///< its first byte on the link
  const packet::Parsed& parsed;  ///< parsed.frame holds the bytes
  const std::string& fault;      ///< the fault that the link applies; empty: none
  bool intact;                   ///< arrives unchanged
  bool injected;                 ///< sent by the test, not by the adapter
};

class FrameTap {
 public:
  virtual ~FrameTap() = default;
  virtual void frame(const FrameEvent& event) = 0;
};

}  // namespace roci::testbench
