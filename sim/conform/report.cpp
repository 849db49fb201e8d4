// SPDX-License-Identifier: Apache-2.0
#include "sim/conform/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/packet/describe.hpp"

namespace roci::sim {
namespace {

using conform::Outcome;
using conform::Statement;

constexpr std::size_t kFramesOfPass = 16;

void print_baseline(const ConformReport& report) {
  for (const Outcome& outcome : report.outcomes) {
    const auto old = report.before.find(outcome.test->title);
    if (old == report.before.end() || old->second != verdict::kFail || !outcome.passed) continue;
    fmt::print("{}: now {}, a deviation in {}\n", name_of(*outcome.test), word_of(outcome),
               report.baseline);
  }
  fmt::print("{} of {} failed tests are known from {}\n", report.failed() - report.fresh(),
             report.failed(), report.baseline);
}

std::string short_of(const std::string& word) {
  if (word == verdict::kNotTestable) return "n/t";
  return word == verdict::kUndecided ? "?" : word;
}

void print_failures(const ConformReport& report, const Statement& statement) {
  for (const Outcome& outcome : report.outcomes) {
    if (outcome.passed || !outcome.test->cites(statement.id)) continue;
    fmt::print("         {}{}\n           expected {}\n           seen     {}\n",
               outcome.test->title, report.known(outcome) ? " (known)" : "", outcome.expected,
               outcome.seen);
  }
}

}  // namespace

Verdict verdict_of(const Statement& statement, const std::vector<Outcome>& outcomes) {
  Verdict verdict;
  bool broken = false;
  std::string undecided;
  for (const Outcome& outcome : outcomes) {
    const conform::Test& test = *outcome.test;
    if (!test.cites(statement.id)) continue;
    ++verdict.all;
    if (!outcome.passed) {
      broken |= outcome.breaks(statement.id);
      if (undecided.empty()) undecided = "a test of several statements fails: " + test.title;
    }
    if (outcome.passed && !outcome.skipped) ++verdict.passed;
    if (verdict.why.empty()) verdict.why = outcome.untestable;
  }
  // What one test could not check is not shown by another.
  if (broken) {
    verdict.word = verdict::kFail;
  } else if (!undecided.empty()) {
    verdict.word = verdict::kUndecided;
    verdict.why = undecided;
  } else if (!verdict.why.empty()) {
    verdict.word = verdict::kNotTestable;
  } else if (verdict.passed != 0) {
    verdict.word = verdict::kPass;
  }
  return verdict;
}

const char* word_of(const Outcome& outcome) {
  return !outcome.passed               ? verdict::kFail
         : !outcome.untestable.empty() ? verdict::kNotTestable
         : outcome.skipped             ? verdict::kUntested
                                       : verdict::kPass;
}

std::string name_of(const conform::Test& test) {
  return fmt::format("{}: {}", fmt::join(test.ids, " "), test.title);
}

std::string group_of(const std::string& id) { return id.substr(0, id.find('-')); }

std::size_t shown_of(const Outcome& outcome) {
  const std::size_t all = outcome.frames.size();
  return outcome.passed ? std::min(all, kFramesOfPass) : all;
}

std::string line_of(const Outcome& outcome, std::size_t frame) {
  const conform::Exchanged& one = outcome.frames.at(frame);
  const auto us = static_cast<double>(one.time_ns) - static_cast<double>(outcome.frames[0].time_ns);
  return fmt::format("{:>12.3f} us  {:<7}  {}", us / 1000, one.from_peer ? "peer" : "adapter",
                     packet::describe(one.bytes));
}

std::size_t ConformReport::failed() const {
  return static_cast<std::size_t>(std::count_if(
      outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return !outcome.passed; }));
}

bool ConformReport::known(const Outcome& outcome) const {
  const auto old = before.find(outcome.test->title);
  return !outcome.passed && old != before.end() && old->second == verdict::kFail;
}

std::size_t ConformReport::fresh() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(),
                    [this](const Outcome& outcome) { return !outcome.passed && !known(outcome); }));
}

std::string ConformReport::subject() const {
  if (adapter.target.empty()) {
    return fmt::format("engine {}, {} bits", adapter.engine, adapter.width);
  }
  return target.empty() ? adapter.target : target;
}

void print(const ConformReport& report) {
  std::map<std::string, std::size_t> count;
  for (const Statement* s : report.statements) {
    const Verdict verdict = verdict_of(*s, report.outcomes);
    const std::string word = verdict.word;
    ++count[word];
    fmt::print("{:<8} {:<4}  {}\n", s->id, short_of(word), s->text);
    if (word == verdict::kNotTestable || word == verdict::kUndecided) {
      fmt::print("         {}: {}; {} of {} tests pass\n", word, verdict.why, verdict.passed,
                 verdict.all);
    }
    print_failures(report, *s);
  }
  double seconds = 0;
  std::size_t skipped = 0;
  for (const Outcome& outcome : report.outcomes) {
    seconds += outcome.seconds;
    skipped += outcome.skipped ? 1 : 0;
  }
  const std::size_t run = report.outcomes.size() - skipped;
  const bool outside = !report.adapter.target.empty();
  fmt::print("\n{}, seed {}: {} of {} tests pass, {} statements hold, {} do not, ",
             report.subject(), report.adapter.seed, run - report.failed(), run,
             count[verdict::kPass], count[verdict::kFail]);
  if (count[verdict::kUndecided] != 0) {
    fmt::print("{} are undecided, ", count[verdict::kUndecided]);
  }
  if (outside) fmt::print("{} are not testable here, ", count[verdict::kNotTestable]);
  fmt::print("{} without a test, {:.1f} s\n", count[verdict::kUntested], seconds);
  if (outside && report.outcomes.size() != report.tests) {
    fmt::print("the run ended before {} of {} tests\n", report.tests - report.outcomes.size(),
               report.tests);
  }
  if (!outside && skipped != 0) {
    fmt::print("{} tests need what the engine does not have\n", skipped);
  }
  if (!report.baseline.empty()) print_baseline(report);
}

}  // namespace roci::sim
