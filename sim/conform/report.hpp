// SPDX-License-Identifier: Apache-2.0
// What a run of the conformance tests found, in the forms in which it is reported.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/report/files.hpp"
#include "testbench/verify/conform/runner.hpp"

namespace roci::sim {

/// Words of verdicts, on tests and on statements.
namespace verdict {
inline constexpr const char* kPass = "pass";
inline constexpr const char* kFail = "FAIL";
inline constexpr const char* kUndecided = "undecided";
inline constexpr const char* kNotTestable = "not testable here";
inline constexpr const char* kUntested = "-";
}  // namespace verdict

struct ConformReport {
  conform::AdapterOptions adapter;
  std::string suite;                          ///< version of this program
  std::string target;                         ///< what the foreign adapter is
  std::string lost;                           ///< why the run ended before its last test
  std::string baseline;                       ///< file of known deviations; empty: none
  std::map<std::string, std::string> before;  ///< verdicts there, by title of the test
  std::size_t tests = 0;
  std::vector<const conform::Statement*> statements;
  std::vector<conform::Outcome> outcomes;  ///< one for each test that ran

  std::size_t failed() const;
  /// Whether a failure is one that the baseline has too.
  bool known(const conform::Outcome& outcome) const;
  /// The number of failures that it has not.
  std::size_t fresh() const;
  /// What the adapter is, in a line.
  std::string subject() const;
};

/// Result of all tests that cite a statement.
struct Verdict {
  const char* word = verdict::kUntested;
  std::string why;                  ///< reason for kNotTestable and kUndecided
  std::size_t passed = 0, all = 0;  ///< tests
};

Verdict verdict_of(const conform::Statement& statement,
                   const std::vector<conform::Outcome>& outcomes);
/// Verdict of a test.
const char* word_of(const conform::Outcome& outcome);
/// Name of a test in reports: what it cites and its title.
std::string name_of(const conform::Test& test);
/// Group of a statement, such as RQ.
std::string group_of(const std::string& id);
/// The number of frames of a test, from its first, that reports show: few when it passed.
std::size_t shown_of(const conform::Outcome& outcome);
/// A frame of a test in a line: time since the first one, sender, contents.
std::string line_of(const conform::Outcome& outcome, std::size_t frame);

void print(const ConformReport& report);
void write_json(OutputFile& file, const ConformReport& report);
void write_junit(OutputFile& file, const ConformReport& report);
void write_html(OutputFile& file, const ConformReport& report);
/// Makes the folder of write_captures. Throws UserError.
void make_captures_folder(const std::string& folder);
/// Writes a capture for each failed test into the folder and removes that of a test which passed.
void write_captures(const std::string& folder, const ConformReport& report);

/// Goes on with a run that lost its target: takes over the outcomes in the JSON file `path` and
/// returns the tests that are left. Throws UserError.
std::vector<conform::Test> resume(const std::string& path, const std::vector<conform::Test>& tests,
                                  ConformReport& report);
/// Takes the verdicts of the JSON file `path` as those before. Throws UserError.
void take_baseline(const std::string& path, ConformReport& report);
/// Prints what differs between two JSON files of runs. Returns the exit status: 0 when nothing is
/// worse in the second, else 1. `selects` chooses statements. Throws UserError.
int compare(const std::string& before, const std::string& after,
            const std::function<bool(const std::string& id)>& selects);

}  // namespace roci::sim
