// SPDX-License-Identifier: Apache-2.0
// roci conform: tests the adapter against the statements of conformance.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sim/commands/commands.hpp"
#include "sim/commands/conform_bridge.hpp"
#include "sim/commands/conform_capture.hpp"
#include "sim/conform/report.hpp"
#include "sim/options.hpp"
#include "sim/report/files.hpp"
#include "testbench/verify/conform/runner.hpp"
#include "testbench/verify/conform/target/make.hpp"

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
  std::string suite;  ///< version of this program
  std::string json, junit, html, failures;
  std::string baseline;
  std::vector<std::string> compared;
  std::string wire, eal, resume;
  CaptureOptions captures;
  BridgeOptions bridge;

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

/// The files that a run writes; opened before it, so that a bad name costs no time.
class ReportFiles {
 public:
  explicit ReportFiles(const ConformOptions& options) : failures_(options.failures) {
    using Writer = void (*)(OutputFile&, const ConformReport&);
    for (const auto& [path, writer] :
         {std::pair<const std::string&, Writer>{options.json, write_json},
          {options.junit, write_junit},
          {options.html, write_html}}) {
      if (!path.empty()) files_.emplace_back(std::make_unique<OutputFile>(path), writer);
    }
    if (!failures_.empty()) make_captures_folder(failures_);
  }
  void write(const ConformReport& report) {
    for (const auto& [file, writer] : files_) writer(*file, report);
    if (!failures_.empty()) write_captures(failures_, report);
  }

 private:
  std::string failures_;
  std::vector<std::pair<std::unique_ptr<OutputFile>, void (*)(OutputFile&, const ConformReport&)>>
      files_;
};

int bridge(const ConformOptions& options) {
  if (options.bridge.wires.size() != 2) {
    throw UserError("--bridge needs two ports, those of the two adapters", 2);
  }
  BridgeOptions bridge = options.bridge;
  bridge.eal = options.eal;
  bridge.json = options.json;
  return run_bridge(bridge);
}

int run(const ConformOptions& options) {
  if (!options.captures.files.empty()) return judge_captures(options.captures, options.json);
  if (!options.bridge.wires.empty()) return bridge(options);
  if (options.captures.cnp_interval_ns != 0) {
    throw UserError("--cnp-interval needs --pcap or --bridge", 2);
  }
  if (!options.compared.empty()) {
    if (options.compared.size() != 2) {
      throw UserError("--compare needs two reports, the earlier one first", 2);
    }
    return compare(options.compared[0], options.compared[1],
                   [&](const std::string& id) { return options.selects(id); });
  }
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
  ConformReport report;
  std::vector<Test> left = tests;
  if (!options.resume.empty()) left = resume(options.resume, tests, report);
  if (!options.baseline.empty()) take_baseline(options.baseline, report);
  ReportFiles files(options);
  conform::AdapterOptions adapter = options.adapter;
  std::unique_ptr<testbench::ports::ExternalPort> wire;
  if (!adapter.target.empty()) {
    try {
      wire = testbench::ports::make_port(options.wire, options.eal);
    } catch (const testbench::ports::PortError& error) {
      throw UserError(error.what(), 2);
    }
  }
  const auto make = [&wire](const conform::AdapterOptions& which) {
    return which.target.empty() ? conform::make_engine(which)
                                : conform::make_target(which.target, *wire);
  };

  const bool terminal = isatty(STDERR_FILENO) != 0;
  try {
    const auto done = [&](const Outcome& outcome) {
      report.outcomes.push_back(outcome);
      if (!terminal && !adapter.target.empty()) {
        // Such a run waits in real time: its log shows how far it is.
        fmt::print(stderr, "{:<18} {:6.1f} s  {}: {}\n", word_of(outcome), outcome.seconds,
                   fmt::join(outcome.test->ids, " "), outcome.test->title);
      }
      if (!terminal) return;
      fmt::print(stderr, "\r[{}/{}] {:<60.60}", report.outcomes.size(), tests.size(),
                 outcome.test->title);
    };
    conform::run_tests(make, adapter, left, done, report.target);
  } catch (const conform::TargetLost& error) {
    report.lost = error.what();
  }
  if (terminal) fmt::print(stderr, "\r{:<80}\r", "");

  report.adapter = adapter;
  report.suite = options.suite;
  report.tests = tests.size();
  for (const Statement& s : conform::statements()) {
    if (listed(options, s)) report.statements.push_back(&s);
  }
  print(report);
  files.write(report);
  if (!report.lost.empty()) throw UserError(report.lost, 2);
  return report.fresh() == 0 ? 0 : 1;
}

}  // namespace

void add_conform(Command program, Action& action, const std::string& suite) {
  auto options = std::make_shared<ConformOptions>();
  options->suite = suite;
  const Command command = program.add_command("conform", kConformText);
  command.add_option("--engine", options->adapter.engine, "which adapter")
      .one_of(conform::engines())
      .type_name("NAME")
      .show_default();
  add_firmware(command, options->adapter.firmware);
  add_width(command, options->adapter.width);
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
  command
      .add_option("--junit", options->junit, "write the results as JUnit XML, a case for each test")
      .type_name("FILE");
  command
      .add_option("--html", options->html,
                  "write one page: verdicts, expected beside seen, the packets dissected")
      .type_name("FILE");
  command
      .add_option("--failures", options->failures,
                  "write the frames of each failed test into this folder, as pcapng")
      .type_name("DIR");
  command
      .add_option("--baseline", options->baseline,
                  "a report of --json: what failed there may fail again")
      .type_name("FILE");
  const Option compared =
      command.add_option("--compare", options->compared,
                         "print what differs between two reports of --json, the earlier one first");
  compared.type_name("FILE");
  const Option target =
      command.add_option("--target", options->adapter.target,
                         "test a foreign adapter, by the agent there: docs/target.md");
  target.type_name("HOST:PORT");
  const Option wire = command.add_option(
      "--wire", options->wire,
      "port that leads to that adapter: dgram:LOCAL,REMOTE or dpdk:DEVARGS, see 'roci peer'");
  wire.type_name("KIND:ARGUMENTS").needs(target);
  target.needs(wire);
  command.add_option("--eal", options->eal, "arguments of the EAL of DPDK for the wire")
      .type_name("WORDS");
  command
      .add_option("--resume", options->resume,
                  "go on with a run that lost its target, from its report of --json")
      .type_name("FILE")
      .needs(target);
  for (const char* other : {"--engine", "--firmware", "--width", "--list", "--docs"}) {
    target.excludes(command.option(other));
  }
  for (const char* other : {"--engine", "--firmware", "--width", "--list", "--docs", "--json",
                            "--junit", "--html", "--failures", "--baseline", "--target"}) {
    compared.excludes(command.option(other));
  }
  const Option captures =
      command.add_option("--pcap", options->captures.files,
                         "judge capture files, of any adapters, instead of an engine");
  captures.type_name("FILE");
  for (const char* other :
       {"--engine", "--firmware", "--width", "--seed", "--id", "--long", "--list", "--docs",
        "--target", "--junit", "--html", "--failures", "--baseline", "--compare"}) {
    captures.excludes(command.option(other));
  }
  command
      .add_flag("--connected-once", options->captures.connected_once,
                "no two connections of a capture are between the same queue pairs: what looks like "
                "a new one is judged as a retransmission")
      .needs(captures);
  add_bridge(command, options->bridge);
  command
      .add_parsed(
          "--cnp-interval",
          [options](const std::string& text) {
            options->captures.cnp_interval_ns = parse_duration(text);
            options->bridge.path.cnp_interval_ns = parse_duration(text);
          },
          "with --pcap and --bridge: CNPs for a queue pair that follow each other faster are "
          "findings")
      .type_name("T");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
