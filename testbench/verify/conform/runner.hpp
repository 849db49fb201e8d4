// SPDX-License-Identifier: Apache-2.0
// Runs tests in sequence on one adapter, and on a new one after a failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbench/verify/conform/adapter.hpp"
#include "testbench/verify/conform/registry.hpp"

namespace roci::conform {

struct Outcome {
  const Test* test = nullptr;
  bool passed = false;
  bool skipped = false;        ///< the adapter does not have the transport service
  std::string expected, seen;  ///< texts of a failure
  double seconds = 0;          ///< processor time
};

/// Runs `all` in order; `done` is called with each outcome as it comes.
std::vector<Outcome> run_tests(const AdapterOptions& options, const std::vector<Test>& all,
                               const std::function<void(const Outcome&)>& done);

}  // namespace roci::conform
