// SPDX-License-Identifier: Apache-2.0
#include "sim/commands/conform_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace roci::sim {
namespace {

using conform::Outcome;
using conform::Statement;

constexpr const char* kPass = "pass";
constexpr const char* kFail = "FAIL";
constexpr const char* kNotTestable = "not testable here";
constexpr const char* kUntested = "-";

/// Result of all tests that cite a statement.
struct Verdict {
  const char* word = kUntested;
  std::string why;                  ///< reason for kNotTestable
  std::size_t passed = 0, all = 0;  ///< tests
};

Verdict verdict_of(const Statement& statement, const std::vector<Outcome>& outcomes) {
  Verdict verdict;
  bool failed = false;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.test->cites(statement.id)) continue;
    ++verdict.all;
    failed |= !outcome.passed;
    if (outcome.passed && !outcome.skipped) ++verdict.passed;
    if (verdict.why.empty()) verdict.why = outcome.untestable;
  }
  // What one test could not check is not shown by another.
  if (failed) {
    verdict.word = kFail;
  } else if (!verdict.why.empty()) {
    verdict.word = kNotTestable;
  } else if (verdict.passed != 0) {
    verdict.word = kPass;
  }
  return verdict;
}

}  // namespace

const char* word_of(const conform::Outcome& outcome) {
  return !outcome.passed               ? kFail
         : !outcome.untestable.empty() ? kNotTestable
         : outcome.skipped             ? kUntested
                                       : kPass;
}

std::size_t ConformReport::failed() const {
  return static_cast<std::size_t>(std::count_if(
      outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return !outcome.passed; }));
}

std::vector<conform::Test> resume(const std::string& path, const std::vector<conform::Test>& tests,
                                  ConformReport& report) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  const nlohmann::json old = nlohmann::json::parse(bytes, nullptr, false);
  if (!old.is_object() || old.value("lost", "").empty() || !old["tests"].is_array() ||
      old["tests"].size() >= tests.size()) {
    throw UserError(path + ": not the report of a run that lost its target", 2);
  }
  const std::size_t done = old["tests"].size();
  for (std::size_t i = 0; i <= done; ++i) {
    Outcome outcome;
    outcome.test = &tests[i];
    if (i == done) {
      outcome.expected = "a target that outlives the test";
      outcome.seen = old["lost"];
    } else {
      const nlohmann::json& one = old["tests"][i];
      if (one.value("title", "") != tests[i].title) {
        throw UserError(path + ": the report of a run of other tests", 2);
      }
      outcome.passed = one.value("passed", false);
      outcome.skipped = one.value("skipped", false);
      outcome.untestable = one.value("reason", "");
      outcome.expected = one.value("expected", "");
      outcome.seen = one.value("seen", "");
      outcome.seconds = one.value("seconds", 0.0);
    }
    report.outcomes.push_back(std::move(outcome));
  }
  return {tests.begin() + static_cast<std::ptrdiff_t>(done) + 1, tests.end()};
}

void print(const ConformReport& report) {
  std::size_t held = 0, broken = 0, untestable = 0, untested = 0;
  for (const Statement* s : report.statements) {
    const Verdict verdict = verdict_of(*s, report.outcomes);
    const std::string word = verdict.word;
    (word == kPass          ? held
     : word == kFail        ? broken
     : word == kNotTestable ? untestable
                            : untested) += 1;
    fmt::print("{:<8} {:<4}  {}\n", s->id, word == kNotTestable ? "n/t" : word, s->text);
    if (word == kNotTestable) {
      fmt::print("         not testable here: {}; {} of {} tests pass\n", verdict.why,
                 verdict.passed, verdict.all);
    }
    for (const Outcome& outcome : report.outcomes) {
      if (outcome.passed || !outcome.test->cites(s->id)) continue;
      fmt::print("         {}\n           expected {}\n           seen     {}\n",
                 outcome.test->title, outcome.expected, outcome.seen);
    }
  }
  double seconds = 0;
  std::size_t skipped = 0;
  for (const Outcome& outcome : report.outcomes) {
    seconds += outcome.seconds;
    skipped += outcome.skipped ? 1 : 0;
  }
  const std::size_t run = report.outcomes.size() - skipped;
  if (!report.adapter.target.empty()) {
    fmt::print(
        "\n{}, seed {}: {} of {} tests pass, {} statements hold, {} do not, {} are not testable "
        "here, {} without a test, {:.1f} s\n",
        report.target.empty() ? report.adapter.target : report.target, report.adapter.seed,
        run - report.failed(), run, held, broken, untestable, untested, seconds);
    if (report.outcomes.size() != report.tests) {
      fmt::print("the run ended before {} of {} tests\n", report.tests - report.outcomes.size(),
                 report.tests);
    }
    return;
  }
  fmt::print(
      "\nengine {}, {} bits, seed {}: {} of {} tests pass, {} statements hold, {} do not, {} "
      "without a test, {:.1f} s\n",
      report.adapter.engine, report.adapter.width, report.adapter.seed, run - report.failed(), run,
      held, broken, untested, seconds);
  if (skipped != 0) {
    fmt::print("{} tests need what the engine does not have\n", skipped);
  }
}

void write_json(OutputFile& file, const ConformReport& report) {
  nlohmann::json all = {{"seed", report.adapter.seed},
                        {"passed", report.failed() == 0 && report.lost.empty()},
                        {"statements", nlohmann::json::array()},
                        {"tests", nlohmann::json::array()}};
  if (report.adapter.target.empty()) {
    all["engine"] = report.adapter.engine;
    all["width"] = report.adapter.width;
  } else {
    all["target"] = report.target;
    all["lost"] = report.lost;
  }
  for (const Statement* s : report.statements) {
    const Verdict verdict = verdict_of(*s, report.outcomes);
    nlohmann::json one = {{"id", s->id},
                          {"priority", s->priority},
                          {"statement", s->text},
                          {"verdict", verdict.word}};
    if (verdict.word == kNotTestable) one["reason"] = verdict.why;
    all["statements"].push_back(std::move(one));
  }
  for (const Outcome& outcome : report.outcomes) {
    nlohmann::json one = {{"ids", outcome.test->ids},    {"title", outcome.test->title},
                          {"verdict", word_of(outcome)}, {"passed", outcome.passed},
                          {"skipped", outcome.skipped},  {"seconds", outcome.seconds}};
    if (!outcome.untestable.empty()) one["reason"] = outcome.untestable;
    if (!outcome.passed) {
      one["expected"] = outcome.expected;
      one["seen"] = outcome.seen;
    }
    all["tests"].push_back(std::move(one));
  }
  file.write(all.dump(2) + "\n");
  file.commit();
}

}  // namespace roci::sim
