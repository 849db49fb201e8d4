// SPDX-License-Identifier: Apache-2.0
#include "sim/conform/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/packet/describe.hpp"
#include "sim/conform/report.hpp"

namespace roci::sim {
namespace {

using conform::Exchanged;
using conform::Outcome;
using nlohmann::json;

packet::Bytes bytes_of(const std::string& hex) {
  packet::Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    std::size_t read = 0;
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), &read, 16)));
    if (read != 2) throw std::invalid_argument("not hexadecimal");
  }
  return bytes;
}

json json_of(const Exchanged& frame) {
  json one = {{"ns", frame.time_ns},
              {"from", frame.from_peer ? "peer" : "adapter"},
              {"packet", packet::describe(frame.bytes)},
              {"bytes", fmt::format("{:02x}", fmt::join(frame.bytes, ""))}};
  if (!frame.note.empty()) one["note"] = frame.note;
  return one;
}

json json_of(const ConformReport& report, const Outcome& outcome) {
  json one = {{"ids", outcome.test->ids},    {"title", outcome.test->title},
              {"verdict", word_of(outcome)}, {"passed", outcome.passed},
              {"skipped", outcome.skipped},  {"seconds", outcome.seconds}};
  if (!outcome.untestable.empty()) one["reason"] = outcome.untestable;
  if (!outcome.passed) {
    one["expected"] = outcome.expected;
    one["seen"] = outcome.seen;
    one["broken"] = outcome.broken_statements();
    if (!report.baseline.empty()) one["known"] = report.known(outcome);
  }
  const std::size_t count = shown_of(outcome);
  one["frames"] = json::array();
  for (std::size_t i = 0; i < count; ++i) one["frames"].push_back(json_of(outcome.frames[i]));
  one["frames_before"] = outcome.omitted;
  one["frames_after"] = outcome.frames.size() - count;
  return one;
}

ReadReport::Test test_of(const json& one) {
  ReadReport::Test test;
  one.at("ids").get_to(test.ids);
  one.at("title").get_to(test.title);
  one.at("verdict").get_to(test.verdict);
  one.at("passed").get_to(test.passed);
  one.at("skipped").get_to(test.skipped);
  one.at("seconds").get_to(test.seconds);
  test.reason = one.value("reason", "");
  test.expected = one.value("expected", "");
  test.seen = one.value("seen", "");
  test.broken = one.value("broken", std::vector<std::string>());
  test.omitted = one.at("frames_before").get<std::size_t>();
  for (const json& frame : one.at("frames")) {
    test.frames.push_back({frame.at("from") == "peer", frame.at("ns").get<std::uint64_t>(),
                           bytes_of(frame.at("bytes").get<std::string>()),
                           frame.value("note", "")});
  }
  return test;
}

}  // namespace

void write_json(OutputFile& file, const ConformReport& report) {
  json all = {
      {"suite", report.suite},       {"subject", report.subject()},
      {"seed", report.adapter.seed}, {"passed", report.failed() == 0 && report.lost.empty()},
      {"lost", report.lost},         {"statements", json::array()},
      {"tests", json::array()}};
  if (report.adapter.target.empty()) {
    all["engine"] = report.adapter.engine;
    all["width"] = report.adapter.width;
  } else {
    all["target"] = report.target;
  }
  for (const conform::Statement* s : report.statements) {
    const Verdict verdict = verdict_of(*s, report.outcomes);
    json one = {{"id", s->id},
                {"priority", s->priority},
                {"statement", s->text},
                {"verdict", verdict.word}};
    if (!verdict.why.empty() && verdict.word != verdict::kFail) one["reason"] = verdict.why;
    all["statements"].push_back(std::move(one));
  }
  for (const Outcome& outcome : report.outcomes) all["tests"].push_back(json_of(report, outcome));
  file.write(all.dump(1) + "\n");
  file.commit();
}

ReadReport read_report(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, 2);
  ReadReport report;
  try {
    const json all = json::parse(bytes);
    all.at("suite").get_to(report.suite);
    all.at("subject").get_to(report.subject);
    all.at("lost").get_to(report.lost);
    for (const json& test : all.at("tests")) report.tests.push_back(test_of(test));
  } catch (const std::exception& error) {  // the parser throws its own, std::stoul others
    throw UserError(
        fmt::format("{}: not a report of 'roci conform --json': {}", path, error.what()), 2);
  }
  return report;
}

std::vector<conform::Test> resume(const std::string& path, const std::vector<conform::Test>& tests,
                                  ConformReport& report) {
  ReadReport old = read_report(path);
  if (old.lost.empty()) {
    throw UserError(path + ": not the report of a run that lost its target", 2);
  }
  for (std::size_t i = 0; i < old.tests.size(); ++i) {
    ReadReport::Test& one = old.tests[i];
    if (i == tests.size() || one.title != tests[i].title) {
      throw UserError(path + ": the report of a run of other tests", 2);
    }
    Outcome outcome;
    outcome.test = &tests[i];
    outcome.passed = one.passed;
    outcome.skipped = one.skipped;
    outcome.untestable = one.reason;
    outcome.expected = one.expected;
    outcome.seen = one.seen;
    outcome.broken = std::move(one.broken);
    outcome.seconds = one.seconds;
    outcome.frames = std::move(one.frames);
    outcome.omitted = one.omitted;
    report.outcomes.push_back(std::move(outcome));
  }
  report.target = old.subject;
  return {tests.begin() + static_cast<std::ptrdiff_t>(old.tests.size()), tests.end()};
}

}  // namespace roci::sim
