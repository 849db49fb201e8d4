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
  bool skipped = false;        ///< the adapter does not have what the test is about; then passed
  std::string untestable;      ///< why a test of a foreign adapter says nothing; then skipped
  std::string expected, seen;  ///< texts of a failure
  /// Statements that the failure breaks beside the subject of the test.
  std::vector<std::string> broken;
  std::vector<Exchanged> frames;  ///< the newest of the test
  std::size_t omitted = 0;        ///< frames before them
  double seconds = 0;             ///< processor time; of a foreign adapter real time

  /// Whether the test failed, cites the statement, and shows that this one is broken: it is the
  /// subject, or the check that failed is about it.
  bool breaks(std::string_view id) const;
  /// The statements that it cites and shows to be broken.
  std::vector<std::string> broken_statements() const;
};

using Maker = std::function<std::unique_ptr<Adapter>(const AdapterOptions&)>;

/// Runs `all` in order on what `make` makes; `done` is called with each outcome as it comes. Throws
/// TargetLost, after `done` with the test in which that happened, if it was one. `text` becomes
/// Adapter::text.
void run_tests(const Maker& make, const AdapterOptions& options, const std::vector<Test>& all,
               const std::function<void(const Outcome&)>& done, std::string& text);

}  // namespace roci::conform
