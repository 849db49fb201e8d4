// SPDX-License-Identifier: Apache-2.0
// roci conform: tests the adapter against the statements of conformance.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/commands/commands.hpp"
#include "sim/commands/conform_capture.hpp"
#include "sim/report/files.hpp"
#include "testbench/verify/conform/runner.hpp"

namespace roci::sim {
namespace {

using conform::Outcome;
using conform::Statement;
using conform::Test;

struct ConformOptions {
  conform::AdapterOptions adapter;
  std::vector<std::string> patterns;
  bool list = false;
  bool docs = false;
  std::string json;
  CaptureOptions captures;

  bool selects(const std::string& id) const {
    if (patterns.empty()) return true;
    for (const std::string& pattern : patterns) {
      if (conform::matches(pattern, id)) return true;
    }
    return false;
  }
  bool selects(const Test& test) const {
    for (const std::string& id : test.ids) {
      if (selects(id)) return true;
    }
    return false;
  }
};

/// Result of all tests that cite a statement.
const char* verdict_of(const Statement& statement, const std::vector<Outcome>& outcomes) {
  bool tested = false;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.test->cites(statement.id)) continue;
    if (!outcome.passed) return "FAIL";
    tested |= !outcome.skipped;
  }
  return tested ? "pass" : "-";
}

/// Selected, and about an adapter; the others have tests of their own in the test suite.
bool listed(const ConformOptions& options, const Statement& statement) {
  return options.selects(statement.id) && statement.source == nullptr;
}

void list(const std::vector<Test>& tests) {
  for (const Test& test : tests) {
    fmt::print("{:<20} {}{}\n", fmt::join(test.ids, " "), test.title,
               test.needs.time ? " (long)" : "");
  }
}

void write_json(OutputFile& file, const ConformOptions& options,
                const std::vector<Outcome>& outcomes, bool passed) {
  nlohmann::json all = {
      {"engine", options.adapter.engine},      {"width", options.adapter.width},
      {"seed", options.adapter.seed},          {"passed", passed},
      {"statements", nlohmann::json::array()}, {"tests", nlohmann::json::array()}};
  for (const Statement& s : conform::statements()) {
    if (!listed(options, s)) continue;
    all["statements"].push_back({{"id", s.id},
                                 {"priority", s.priority},
                                 {"statement", s.text},
                                 {"verdict", verdict_of(s, outcomes)}});
  }
  for (const Outcome& outcome : outcomes) {
    nlohmann::json one = {{"ids", outcome.test->ids},
                          {"title", outcome.test->title},
                          {"passed", outcome.passed},
                          {"skipped", outcome.skipped},
                          {"seconds", outcome.seconds}};
    if (!outcome.passed) {
      one["expected"] = outcome.expected;
      one["seen"] = outcome.seen;
    }
    all["tests"].push_back(std::move(one));
  }
  file.write(all.dump(2) + "\n");
  file.commit();
}

int run(const ConformOptions& options) {
  if (!options.captures.files.empty()) return judge_captures(options.captures, options.json);
  if (options.docs) {
    fmt::print("{}", conform::document());
    return 0;
  }
  std::vector<Test> tests;
  for (Test& test : conform::tests()) {
    // Statements without a test are listed as well.
    if (test.needs.time && !options.adapter.thorough && !options.list) continue;
    if (options.selects(test)) tests.push_back(std::move(test));
  }
  if (tests.empty()) throw UserError("no test cites such a statement; see 'roci conform --list'");
  if (options.list) {
    list(tests);
    return 0;
  }
  std::unique_ptr<OutputFile> json;
  if (!options.json.empty()) json = std::make_unique<OutputFile>(options.json);

  std::size_t done = 0, failed = 0, skipped = 0;
  double seconds = 0;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::vector<Outcome> outcomes =
      conform::run_tests(options.adapter, tests, [&](const Outcome& outcome) {
        ++done;
        failed += outcome.passed ? 0 : 1;
        skipped += outcome.skipped ? 1 : 0;
        seconds += outcome.seconds;
        if (terminal) {
          fmt::print(stderr, "\r[{}/{}] {:<60.60}", done, tests.size(), outcome.test->title);
        }
      });
  if (terminal) fmt::print(stderr, "\r{:<80}\r", "");

  std::size_t held = 0, broken = 0, untested = 0;
  for (const Statement& s : conform::statements()) {
    if (!listed(options, s)) continue;
    const std::string verdict = verdict_of(s, outcomes);
    (verdict == "pass" ? held : verdict == "FAIL" ? broken : untested) += 1;
    fmt::print("{:<8} {:<4}  {}\n", s.id, verdict, s.text);
    for (const Outcome& outcome : outcomes) {
      if (outcome.passed || !outcome.test->cites(s.id)) continue;
      fmt::print("         {}\n           expected {}\n           seen     {}\n",
                 outcome.test->title, outcome.expected, outcome.seen);
    }
  }
  fmt::print(
      "\nengine {}, {} bits, seed {}: {} of {} tests pass, {} statements hold, {} do not, {} "
      "without a test, {:.1f} s\n",
      options.adapter.engine, options.adapter.width, options.adapter.seed,
      tests.size() - skipped - failed, tests.size() - skipped, held, broken, untested, seconds);
  if (skipped != 0) {
    fmt::print("{} tests need a transport service that the engine does not have\n", skipped);
  }
  if (json) write_json(*json, options, outcomes, failed == 0);
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_conform(Command program, Action& action) {
  auto options = std::make_shared<ConformOptions>();
  const Command command = program.add_command("conform", kConformText);
  command.add_option("--engine", options->adapter.engine, "which adapter")
      .one_of(conform::engines())
      .type_name("NAME")
      .show_default();
  command.add_option("--width", options->adapter.width, "data path of the engine: 64 or 512 bits")
      .one_of({64, 512})
      .type_name("BITS")
      .show_default();
  command.add_option("--seed", options->adapter.seed, "seed of all randomness")
      .type_name("N")
      .show_default();
  command
      .add_option("--id", options->patterns,
                  "only tests of these statements: RQ-21, RQ (a group), 'RQ-4?', 'WIRE-*'")
      .type_name("PATTERN");
  command.add_flag("--long", options->adapter.thorough,
                   "counts as the statements ask for them: minutes on the model, hours on the RTL");
  command.add_flag("--list", options->list, "list the tests and run none");
  command.add_flag("--docs", options->docs, "write docs/conformance.md to standard output");
  command.add_option("--json", options->json, "write the results as JSON").type_name("FILE");
  const Option captures =
      command.add_option("--pcap", options->captures.files,
                         "judge capture files, of any adapters, instead of an engine");
  captures.type_name("FILE");
  for (const char* other :
       {"--engine", "--width", "--seed", "--id", "--long", "--list", "--docs"}) {
    captures.excludes(command.option(other));
  }
  command
      .add_flag("--connected-once", options->captures.connected_once,
                "no two connections of a capture are between the same queue pairs: what looks like "
                "a new one is judged as a retransmission")
      .needs(captures);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
