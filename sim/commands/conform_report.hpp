// SPDX-License-Identifier: Apache-2.0
// What a run of the conformance tests found, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "sim/report/files.hpp"
#include "testbench/verify/conform/runner.hpp"

namespace roci::sim {

struct ConformReport {
  conform::AdapterOptions adapter;
  std::string target;  ///< what the foreign adapter is
  std::string lost;    ///< why the run ended before its last test
  std::size_t tests = 0;
  std::vector<const conform::Statement*> statements;
  std::vector<conform::Outcome> outcomes;  ///< one for each test that ran

  std::size_t failed() const;
};

/// Verdict of a test.
const char* word_of(const conform::Outcome& outcome);
/// Goes on with a run that lost its target: takes over the outcomes in the JSON file `path`, counts
/// the test that was next as failed, and returns those after it. Throws UserError.
std::vector<conform::Test> resume(const std::string& path, const std::vector<conform::Test>& tests,
                                  ConformReport& report);
void print(const ConformReport& report);
void write_json(OutputFile& file, const ConformReport& report);

}  // namespace roci::sim
