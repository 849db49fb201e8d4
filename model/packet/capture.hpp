// SPDX-License-Identifier: Apache-2.0
// Reader of pcap and pcapng files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/packet/bytes.hpp"

namespace roci::packet {

struct CapturedFrame {
  std::uint64_t time_ns;
  Bytes bytes;
  std::size_t length = 0;  ///< bytes on the wire; above those of `bytes`: truncated
};

/// Passes the frames of an Ethernet capture on in their order. Throws std::runtime_error when the
/// file cannot be read, or cannot be read any further.
void read_capture(const std::string& path, const std::function<void(CapturedFrame)>& take);

/// Returns all frames of an Ethernet capture. Throws std::runtime_error when the file cannot be
/// read.
std::vector<CapturedFrame> read_capture(const std::string& path);

}  // namespace roci::packet
