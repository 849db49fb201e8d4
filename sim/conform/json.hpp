// SPDX-License-Identifier: Apache-2.0
// The JSON report of a conformance run, as other runs read it.
#pragma once

#include <string>
#include <vector>

#include "testbench/verify/conform/adapter.hpp"

namespace roci::sim {

struct ReadReport {
  struct Test {
    std::vector<std::string> ids;
    std::string title, verdict, reason, expected, seen;
    std::vector<std::string> broken;  ///< statements of which a failure shows that they are broken
    bool passed = false, skipped = false;
    double seconds = 0;
    std::vector<conform::Exchanged> frames;
    std::size_t omitted = 0;
  };
  std::string suite, subject, lost;
  std::vector<Test> tests;
};

/// Throws UserError with status 2 for a file that cannot be read or is no such report.
ReadReport read_report(const std::string& path);

}  // namespace roci::sim
