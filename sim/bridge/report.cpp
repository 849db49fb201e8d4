// SPDX-License-Identifier: Apache-2.0
// What a bridge says about the two ends.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/bridge/bridge.hpp"
#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

constexpr unsigned kShown = 20;  // findings of one end and statement that are printed
constexpr int kNothingSeen = 2;

void print(const Bridge& bridge) {
  const judge::PathJudge& judge = bridge.judge();
  std::map<std::pair<unsigned, std::string>, unsigned> count;
  for (const judge::PathFinding& one : judge.findings()) {
    if (++count[{one.end, one.statement}] > kShown) continue;
    fmt::print("frame {:<6} {:<6} {:<8} {}\n", one.frame, name_of_end(one.end), one.statement,
               one.text);
    if (!one.packet.empty()) fmt::print("{:29}{}\n", "", one.packet);
  }
  for (const auto& [what, findings] : count) {
    if (findings <= kShown) continue;
    fmt::print("{} end, {}: {} more\n", name_of_end(what.first), what.second, findings - kShown);
  }
  for (const judge::Note& note : judge.notes()) {
    fmt::print("frame {:<6} note            {}\n", note.frame, note.text);
  }
  for (const unsigned end : {0u, 1u}) {
    const judge::PathJudge::Counts& counts = judge.counts(end);
    fmt::print(
        "{:<6} {}: {} requests, {} of them retransmitted, {} responses, {} sequence NAKs, "
        "{} RNR NAKs, {} CNPs, {} frames with congestion came\n",
        name_of_end(end), fmt::join(bridge.addresses(end), " "), counts.requests,
        counts.retransmitted, counts.responses, counts.sequence_naks, counts.rnr_naks, counts.cnps,
        counts.marked);
  }
  for (const auto& fault : bridge.faults()) {
    fmt::print("fault {} ({}): matched {}, fired {}\n", fault["number"].get<unsigned>(),
               fault["action"].get<std::string>(), fault["matched"].get<std::uint64_t>(),
               fault["fired"].get<std::uint64_t>());
  }
  fmt::print(
      "{} frames, {} of RoCE, {} streams of requests, {} with their responses: {} findings\n",
      judge.report().frames, judge.report().roce, judge.report().streams, judge.report().paired,
      judge.findings().size());
}

nlohmann::json json_of(const Bridge& bridge) {
  const judge::PathJudge& judge = bridge.judge();
  nlohmann::json all = {{"frames", judge.report().frames},     {"roce", judge.report().roce},
                        {"streams", judge.report().streams},   {"paired", judge.report().paired},
                        {"faults", bridge.faults()},           {"ends", nlohmann::json::array()},
                        {"findings", nlohmann::json::array()}, {"notes", nlohmann::json::array()}};
  for (const unsigned end : {0u, 1u}) {
    const judge::PathJudge::Counts& counts = judge.counts(end);
    all["ends"].push_back({{"end", name_of_end(end)},
                           {"addresses", bridge.addresses(end)},
                           {"requests", counts.requests},
                           {"retransmitted", counts.retransmitted},
                           {"responses", counts.responses},
                           {"sequence_naks", counts.sequence_naks},
                           {"rnr_naks", counts.rnr_naks},
                           {"cnps", counts.cnps},
                           {"marked", counts.marked}});
  }
  for (const judge::PathFinding& one : judge.findings()) {
    all["findings"].push_back({{"end", name_of_end(one.end)},
                               {"frame", one.frame},
                               {"time_ns", one.time_ns},
                               {"statement", one.statement},
                               {"text", one.text},
                               {"packet", one.packet}});
  }
  for (const judge::Note& note : judge.notes()) {
    all["notes"].push_back({{"frame", note.frame}, {"text", note.text}});
  }
  return all;
}

}  // namespace

int run_bridge(const BridgeOptions& options) {
  std::unique_ptr<OutputFile> output;
  if (!options.json.empty()) output = std::make_unique<OutputFile>(options.json);
  Bridge bridge(options);
  fmt::print(stderr, "the bridge is open{}\n", options.seconds == 0 ? "; Ctrl-C ends it" : "");
  bridge.run();
  print(bridge);
  if (output) {
    output->write(json_of(bridge).dump(2) + "\n");
    output->commit();
  }
  if (bridge.judge().report().roce == 0) {
    throw UserError("no RoCE frame came: do the wires lead to the adapters?", kNothingSeen);
  }
  return bridge.judge().findings().empty() ? 0 : 1;
}

}  // namespace roci::sim
