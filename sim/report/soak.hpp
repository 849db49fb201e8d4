// SPDX-License-Identifier: Apache-2.0
// Output of `roci soak`: a progress line, coverage, and the results of hostile packets.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "testbench/verify/soak/coverage.hpp"
#include "testbench/verify/soak/hostile/hostile.hpp"
#include "testbench/verify/soak/round.hpp"

namespace roci::sim {

/// A progress line that is rewritten in place, on a terminal only.
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

/// Sums over the rounds of a run.
struct SoakSum {
  soak::Coverage coverage;
  soak::Tally tally;
  std::uint64_t rounds = 0, frames = 0, faults = 0, payloads = 0, repeated = 0, clocks = 0;
  double seconds = 0, simulated_s = 0;
  testbench::Shadow::Counts lockstep;

  void add(const soak::Outcome& o) {
    coverage.add(o.coverage);
    tally.add(o.tally);
    ++rounds;
    for (const auto& link : o.link) {
      frames += link.frames;
      faults += link.dropped + link.corrupted + link.duplicated + link.delayed;
    }
    payloads += o.payloads;
    repeated += o.repeated;
    clocks += o.speed.clocks;
    lockstep += o.lockstep;
    seconds += o.speed.seconds;
    simulated_s += static_cast<double>(o.simulated_ns) * 1e-9;
  }
};

void print(const SoakSum& sum);

}  // namespace roci::sim
