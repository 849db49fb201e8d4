// SPDX-License-Identifier: Apache-2.0
#include "sim/commands/conform_capture.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/report/files.hpp"
#include "testbench/verify/judge/judge.hpp"

namespace roci::sim {
namespace {

constexpr int kUnreadable = 2;
constexpr unsigned kShown = 20;  // findings of one statement that are printed

void print(const std::string& file, const judge::Report& report) {
  std::map<std::string, unsigned> count;
  for (const judge::Finding& finding : report.findings) {
    if (++count[finding.statement] > kShown) continue;
    fmt::print("frame {:<6} {:<8} {}\n                      {}\n", finding.frame, finding.statement,
               finding.text, finding.packet);
  }
  for (const auto& [statement, findings] : count) {
    if (findings > kShown) fmt::print("{}: {} more\n", statement, findings - kShown);
  }
  for (const judge::Note& note : report.notes) {
    fmt::print("frame {:<6} note     {}\n", note.frame, note.text);
  }
  fmt::print("{}: {} frames, {} of RoCE: {} requests, {} responses, {} datagrams, {} CNPs\n", file,
             report.frames, report.roce, report.requests, report.responses, report.datagrams,
             report.cnps);
  if (report.cnp_interval_ns != 0) {
    fmt::print("CNPs for a queue pair are at least {:.3f} us apart\n",
               static_cast<double>(report.cnp_interval_ns) / 1e3);
  }
  if (report.truncated != 0)
    fmt::print("{} frames are truncated and were not judged\n", report.truncated);
  fmt::print("{} streams of requests, {} with their responses: {} findings\n", report.streams,
             report.paired, report.findings.size());
}

nlohmann::json json_of(const std::string& file, const judge::Report& report) {
  nlohmann::json all = {{"file", file},
                        {"frames", report.frames},
                        {"roce", report.roce},
                        {"truncated", report.truncated},
                        {"requests", report.requests},
                        {"responses", report.responses},
                        {"datagrams", report.datagrams},
                        {"cnps", report.cnps},
                        {"cnp_interval_ns", report.cnp_interval_ns},
                        {"streams", report.streams},
                        {"paired", report.paired},
                        {"findings", nlohmann::json::array()},
                        {"notes", nlohmann::json::array()}};
  for (const judge::Finding& finding : report.findings) {
    all["findings"].push_back({{"frame", finding.frame},
                               {"statement", finding.statement},
                               {"text", finding.text},
                               {"packet", finding.packet}});
  }
  for (const judge::Note& note : report.notes) {
    all["notes"].push_back({{"frame", note.frame}, {"text", note.text}});
  }
  return all;
}

}  // namespace

int judge_captures(const CaptureOptions& options, const std::string& json) {
  std::unique_ptr<OutputFile> output;
  if (!json.empty()) output = std::make_unique<OutputFile>(json);
  nlohmann::json all = nlohmann::json::array();
  std::string error;
  bool found = false;
  for (const std::string& file : options.files) {
    judge::Judge judge(options.connected_once, options.cnp_interval_ns);
    try {
      packet::read_capture(file, [&](const packet::CapturedFrame& frame) { judge.take(frame); });
    } catch (const std::runtime_error& what) {
      error = what.what();
    }
    found |= !judge.report().findings.empty();
    // About a file that could not be opened there is nothing to say but the error.
    if (error.empty() || judge.report().frames != 0) {
      print(file, judge.report());
      all.push_back(json_of(file, judge.report()));
    }
    if (!error.empty()) break;
  }
  if (output) {
    output->write(all.dump(2) + "\n");
    output->commit();
  }
  if (!error.empty()) throw UserError(error, kUnreadable);
  return found ? 1 : 0;
}

}  // namespace roci::sim
