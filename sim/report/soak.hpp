// SPDX-License-Identifier: Apache-2.0
// What `roci soak` shows: a line of progress, coverage, what a storm of hostile packets did.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "testbench/verify/soak/coverage.hpp"
#include "testbench/verify/soak/hostile/hostile.hpp"

namespace roci::sim {

/// A line that replaces itself, where somebody watches.
class StatusLine {
 public:
  ~StatusLine() { clear(); }
  void show(const std::string& text);
  void clear();

 private:
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

void print_coverage(const soak::Coverage& coverage);
nlohmann::json to_json(const soak::Coverage& coverage);

void print_hostile(const soak::HostilePlan& plan, const soak::HostileOutcome& outcome);
nlohmann::json to_json(const soak::HostilePlan& plan, const soak::HostileOutcome& outcome);

}  // namespace roci::sim
