// SPDX-License-Identifier: Apache-2.0
// Reader of pcap and pcapng files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/packet/bytes.hpp"

namespace roci::packet {

struct CapturedFrame {
  std::uint64_t time_ns;
  Bytes bytes;
};

/// Returns all frames of an Ethernet capture. Throws std::runtime_error when the file cannot be
/// read.
std::vector<CapturedFrame> read_capture(const std::string& path);

}  // namespace roci::packet
