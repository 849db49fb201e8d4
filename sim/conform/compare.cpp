// SPDX-License-Identifier: Apache-2.0
// Two runs of the conformance tests against each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/conform/json.hpp"
#include "sim/conform/report.hpp"

namespace roci::sim {
namespace {

using Test = ReadReport::Test;

constexpr const char* kAbsent = "not in the report";

const Test* find(const ReadReport& report, const std::string& title) {
  const auto found = std::find_if(report.tests.begin(), report.tests.end(),
                                  [&](const Test& test) { return test.title == title; });
  return found == report.tests.end() ? nullptr : &*found;
}

void print_head(const std::string& path, const ReadReport& report) {
  const auto passed = std::count_if(report.tests.begin(), report.tests.end(), [](const Test& test) {
    return test.verdict == verdict::kPass;
  });
  fmt::print("{}: {}, suite {}: {} of {} tests pass\n", path, report.subject, report.suite, passed,
             report.tests.size());
  if (!report.lost.empty()) fmt::print("{}: the run ended early: {}\n", path, report.lost);
}

/// Counts of what was found.
struct Comparison {
  std::size_t worse = 0, better = 0, same = 0;

  void add(const Test* before, const Test* after) {
    const std::string was = before != nullptr ? before->verdict : kAbsent;
    const std::string is = after != nullptr ? after->verdict : kAbsent;
    const bool fails = is == verdict::kFail;
    // A test that only the second run has says nothing of a change, unless it fails.
    if (was == is || (before == nullptr && !fails)) {
      ++same;
      return;
    }
    // What held and is no longer shown is worse, though it is no failure.
    const bool is_worse = fails || was == verdict::kPass;
    const bool is_better = is == verdict::kPass;
    ++(is_worse ? worse : is_better ? better : same);
    const Test& test = after != nullptr ? *after : *before;
    fmt::print("{:<7}{}: {}: {} -> {}\n",
               is_worse    ? "worse"
               : is_better ? "better"
                           : "other",
               fmt::join(test.ids, " "), test.title, was, is);
    if (fails) fmt::print("       expected {}\n       seen     {}\n", test.expected, test.seen);
    if (after != nullptr && !test.reason.empty()) fmt::print("       {}\n", test.reason);
  }
};

}  // namespace

void take_baseline(const std::string& path, ConformReport& report) {
  report.baseline = path;
  for (const Test& test : read_report(path).tests) report.before[test.title] = test.verdict;
}

int compare(const std::string& before, const std::string& after,
            const std::function<bool(const std::string& id)>& selects) {
  const ReadReport old = read_report(before), now = read_report(after);
  print_head(before, old);
  print_head(after, now);
  const auto selected = [&](const Test& test) {
    return std::any_of(test.ids.begin(), test.ids.end(), selects);
  };
  Comparison comparison;
  for (const Test& test : old.tests) {
    if (selected(test)) comparison.add(&test, find(now, test.title));
  }
  for (const Test& test : now.tests) {
    if (selected(test) && find(old, test.title) == nullptr) comparison.add(nullptr, &test);
  }
  fmt::print("{} tests are worse, {} better, {} neither\n", comparison.worse, comparison.better,
             comparison.same);
  return comparison.worse == 0 ? 0 : 1;
}

}  // namespace roci::sim
