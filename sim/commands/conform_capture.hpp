// SPDX-License-Identifier: Apache-2.0
// roci conform --pcap: judges capture files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roci::sim {

struct CaptureOptions {
  std::vector<std::string> files;
  bool connected_once =
      false;  ///< no two connections of a capture are between the same queue pairs
  std::uint64_t cnp_interval_ns = 0;  ///< least time between CNPs for a queue pair
};

/// Judges captures and prints what it found; writes it as JSON to a file too, unless `json` is
/// empty. Returns 0 when nothing was found, else 1. A file that cannot be read to its end throws
/// UserError with code 2, after what was found before is printed and written.
int judge_captures(const CaptureOptions& options, const std::string& json);

}  // namespace roci::sim
