// SPDX-License-Identifier: Apache-2.0
// What a judge says about a capture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace roci::judge {

/// A rule that a frame breaks.
struct Finding {
  std::size_t frame;      ///< number in the capture, from 1
  std::string statement;  ///< such as "RQ-20"
  std::string text;
  std::string packet;  ///< the frame in one line
};

/// What made it impossible to judge something, or is worth knowing.
struct Note {
  std::size_t frame;
  std::string text;
};

struct Report {
  std::size_t frames = 0;     ///< all frames of the capture
  std::size_t roce = 0;       ///< those judged
  std::size_t truncated = 0;  ///< RoCE frames that the capture holds only in part; not judged
  std::size_t requests = 0, responses = 0, datagrams = 0, cnps = 0;
  /// The shortest time between two CNPs for a queue pair; 0: there were no two.
  std::uint64_t cnp_interval_ns = 0;
  std::size_t streams = 0;  ///< directions of RC and UC connections with requests
  std::size_t paired = 0;   ///< those whose responses were judged too
  std::vector<Finding> findings;
  std::vector<Note> notes;

  void find(std::size_t frame, std::string statement, std::string text) {
    findings.push_back({frame, std::move(statement), std::move(text), {}});
  }
  void note(std::size_t frame, std::string text) { notes.push_back({frame, std::move(text)}); }
};

}  // namespace roci::judge
