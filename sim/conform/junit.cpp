// SPDX-License-Identifier: Apache-2.0
// The report as JUnit XML: a suite for each group of statements, a case for each test.
#include "sim/conform/report.hpp"
#include "sim/conform/xml.hpp"

namespace roci::sim {
namespace {

using conform::Outcome;

struct Counts {
  std::size_t tests = 0, failures = 0, skipped = 0, errors = 0;
  double seconds = 0;

  void put(pugi::xml_node node) const {
    set(node, "tests", tests);
    set(node, "failures", failures);
    set(node, "errors", errors);
    set(node, "skipped", skipped);
    set(node, "time", fmt::format("{:.3f}", seconds));
  }
  void add(const Counts& more) {
    tests += more.tests;
    failures += more.failures;
    skipped += more.skipped;
    errors += more.errors;
    seconds += more.seconds;
  }
};

std::string text_of(const Outcome& outcome) {
  return fmt::format("expected {}\nseen     {}\n", outcome.expected, outcome.seen);
}

void add_case(pugi::xml_node suite, const ConformReport& report, const Outcome& outcome,
              Counts& counts) {
  const pugi::xml_node node = add(suite, "testcase");
  set(node, "classname", "conform." + group_of(outcome.test->ids.front()));
  set(node, "name", name_of(*outcome.test));
  set(node, "time", fmt::format("{:.3f}", outcome.seconds));
  ++counts.tests;
  counts.seconds += outcome.seconds;
  if (outcome.skipped || report.known(outcome)) {
    ++counts.skipped;
    set(add(node, "skipped"), "message",
        !outcome.passed               ? "known deviation: " + text_of(outcome)
        : !outcome.untestable.empty() ? fmt::format("not testable here: {}", outcome.untestable)
                                      : "the engine does not have this");
  } else if (!outcome.passed) {
    ++counts.failures;
    const pugi::xml_node failure = add(node, "failure", text_of(outcome));
    set(failure, "message", "expected " + outcome.expected);
    set(failure, "type", "deviation");
  }
  if (outcome.passed) return;
  std::string packets;
  if (outcome.omitted != 0) packets += fmt::format("{} frames before\n", outcome.omitted);
  for (std::size_t i = 0; i < outcome.frames.size(); ++i) packets += line_of(outcome, i) + "\n";
  if (!packets.empty()) add(node, "system-out", packets);
}

}  // namespace

void write_junit(OutputFile& file, const ConformReport& report) {
  pugi::xml_document document;
  const pugi::xml_node root = add(document, "testsuites");
  set(root, "name", "conformance of " + report.subject());
  std::map<std::string, pugi::xml_node> suites;
  std::map<std::string, Counts> counts;
  const auto suite_of = [&](const std::string& group) {
    pugi::xml_node& suite = suites[group];
    if (suite) return suite;
    suite = add(root, "testsuite");
    set(suite, "name", "conform." + group);
    const pugi::xml_node properties = add(suite, "properties");
    for (const auto& [name, value] : {std::pair<const char*, std::string>{"suite", report.suite},
                                      {"adapter", report.subject()},
                                      {"seed", std::to_string(report.adapter.seed)}}) {
      const pugi::xml_node property = add(properties, "property");
      set(property, "name", name);
      set(property, "value", value);
    }
    return suite;
  };
  for (const Outcome& outcome : report.outcomes) {
    const std::string group = group_of(outcome.test->ids.front());
    add_case(suite_of(group), report, outcome, counts[group]);
  }
  if (!report.lost.empty()) {
    const pugi::xml_node node = add(suite_of("run"), "testcase");
    set(node, "classname", "conform.run");
    set(node, "name", "the run reaches its last test");
    const pugi::xml_node error = add(node, "error");
    set(error, "message", report.lost);
    set(error, "type", "lost target");
    ++counts["run"].tests;
    ++counts["run"].errors;
  }
  Counts all;
  for (const auto& [group, suite] : suites) {
    counts[group].put(suite);
    all.add(counts[group]);
  }
  all.put(root);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  file.write(text.str());
  file.commit();
}

}  // namespace roci::sim
