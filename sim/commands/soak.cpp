// SPDX-License-Identifier: Apache-2.0
// roci soak: random work requests, faults and queue pair resets, round after round.
#include "sim/report/soak.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "sim/commands/commands.hpp"
#include "sim/options.hpp"
#include "sim/report/files.hpp"
#include "sim/report/recorder.hpp"
#include "testbench/lockstep/repeat.hpp"
#include "testbench/verify/soak/round.hpp"

namespace roci::sim {
namespace {

using testbench::Engine;

struct SoakOptions {
  double minutes = 0;
  unsigned rounds = 0;  ///< 0: limited by time
  int round = -1;       ///< only this round
  std::uint64_t seed = 0;
  bool seed_given = false;
  std::string engine = "both";
  soak::Overrides overrides;
  std::string mix = "all";
  std::string pcap, json;
  bool hostile = false;
  std::uint64_t packets = 20'000;

  /// The options that reproduce a round, beside seed, round and engine.
  std::string overrides_text() const {
    std::string text;
    const auto say = [&](const char* name, const auto& value) {
      if (value) text += fmt::format(" {} {}", name, *value);
    };
    say("--qps", overrides.queue_pairs);
    say("--messages", overrides.messages);
    say("--loss", overrides.loss);
    say("--burst", overrides.burst);
    say("--duplicate", overrides.duplicate);
    say("--reorder", overrides.reorder);
    say("--corrupt", overrides.corrupt);
    if (overrides.width != 64) text += fmt::format(" --width {}", overrides.width);
    if (mix != "all") text += " --mix " + mix;
    if (overrides.one_generation) text += " --one-generation";
    if (overrides.lockstep) text += " --lockstep";
    return text;
  }
  /// The command line that reproduces a round.
  std::string again(unsigned number, Engine which) const {
    return fmt::format("soak --seed {} --round {} --engine {}{}", seed, number, name_of(which),
                       overrides_text());
  }
  std::vector<Engine> engines() const {
    if (engine == "rtl") return {Engine::kRtl};
    if (engine == "model") return {Engine::kModel};
    return {Engine::kRtl, Engine::kModel};
  }
};

/// The command line by which lock-step repeats this round to write waveforms.
void report_lockstep(const std::string& again) {
  std::vector<std::string> words;
  std::istringstream text(again);
  for (std::string word; text >> word;) words.push_back(word);
  testbench::lockstep::begin(std::move(words));
}

/// Repeats a round with a capture: its seed reproduces it.
void capture(const soak::RoundPlan& plan, const std::string& path, const std::string& failure) {
  Recorder recorder(path);
  const soak::Outcome again = soak::run_round(plan, &recorder);
  recorder.commit();
  fmt::print("capture    {}{}\n", path,
             again.failure == failure ? "" : "  (this time: " + again.failure + ")");
}

/// Sends the hostile packets to each engine.
int run_hostile(const SoakOptions& options) {
  std::unique_ptr<OutputFile> json;
  if (!options.json.empty()) json = std::make_unique<OutputFile>(options.json);
  std::unique_ptr<Recorder> recorder;
  if (!options.pcap.empty()) recorder = std::make_unique<Recorder>(options.pcap);
  fmt::print("seed {}\n", options.seed);
  nlohmann::json all = nlohmann::json::array();
  bool passed = true;
  for (const Engine engine : options.engines()) {
    soak::HostilePlan plan;
    plan.engine = engine;
    plan.width = options.overrides.width;
    plan.seed = options.seed;
    plan.packets = options.packets;
    StatusLine line;
    const soak::HostileOutcome outcome =
        soak::run_hostile(plan, recorder.get(), [&](std::uint64_t packets) {
          line.show(
              fmt::format("{} of {} packets into {}", packets, plan.packets, name_of(engine)));
        });
    line.clear();
    print_hostile(plan, outcome);
    all.push_back(to_json(plan, outcome));
    if (outcome.passed) continue;
    passed = false;
    fmt::print(
        "\n{}\n  last events of the witness:\n{}again      roci soak --hostile --seed {} "
        "--packets {} --engine {} --width {} --pcap FILE\n",
        outcome.failure, outcome.events, plan.seed, plan.packets, name_of(engine), plan.width);
    break;
  }
  if (recorder) recorder->commit();
  if (json) {
    json->write(all.dump(2) + "\n");
    json->commit();
  }
  fmt::print("{}\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}

int run(const SoakOptions& given) {
  SoakOptions options = given;
  options.overrides.atomics_only = options.mix == "atomics";
  if (!options.seed_given) options.seed = std::random_device{}();
  if (options.minutes == 0 && options.rounds == 0) options.minutes = 1;
  if (options.hostile) return run_hostile(options);
  if (options.overrides.lockstep && options.engine == "model") {
    throw UserError("--lockstep compares the RTL with the model: --engine rtl or both");
  }
  std::unique_ptr<OutputFile> json;
  if (!options.json.empty()) json = std::make_unique<OutputFile>(options.json);
  if (!options.pcap.empty())
    OutputFile{options.pcap};  // an error is reported before the work, not after it

  fmt::print("seed {}\n", options.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto minutes = [&] {
    return std::chrono::duration<double, std::ratio<60>>(std::chrono::steady_clock::now() - start)
        .count();
  };
  SoakSum sum;
  StatusLine line;
  std::string failure;
  const unsigned first = options.round < 0 ? 0 : static_cast<unsigned>(options.round);
  const auto more = [&](unsigned round) {
    if (options.round >= 0) return round == first;
    return options.rounds != 0 ? round < options.rounds : minutes() < options.minutes;
  };
  nlohmann::json rounds = nlohmann::json::array();
  for (unsigned round = first; failure.empty() && more(round); ++round) {
    for (const Engine engine : options.engines()) {
      const soak::RoundPlan plan = soak::plan_of(options.seed, round, engine, options.overrides);
      if (plan.config.lockstep) report_lockstep(options.again(round, engine));
      const soak::Outcome outcome = soak::run_round(plan, nullptr, [&](std::uint64_t now) {
        line.show(fmt::format("round {} on {}: {:.1f} us simulated, {} messages so far; {:.1f} min",
                              round, name_of(engine), static_cast<double>(now) / 1000,
                              sum.tally.posted, minutes()));
      });
      line.clear();
      fmt::print("round {:>3} {:<5} seed {:<16} {} {}\n", round, name_of(engine), plan.seed,
                 outcome.passed ? "ok  " : "FAIL", plan.text());
      std::fflush(stdout);
      sum.add(outcome);
      rounds.push_back({{"round", round},
                        {"engine", name_of(engine)},
                        {"seed", plan.seed},
                        {"passed", outcome.passed},
                        {"failure", outcome.failure},
                        {"plan", plan.text()}});
      if (outcome.passed) {
        if (options.round >= 0 && !options.pcap.empty()) capture(plan, options.pcap, {});
        continue;
      }
      failure = outcome.failure;
      fmt::print("\n{}\n  seed {}, round {}, engine {}\n  last events of the connection:\n{}",
                 failure, options.seed, round, name_of(engine), outcome.events);
      // Lock-step has written the capture.
      if (outcome.lockstep.diverged == 0) {
        capture(plan,
                options.pcap.empty()
                    ? fmt::format("soak-{}-{}-{}.pcapng", options.seed, round, name_of(engine))
                    : options.pcap,
                failure);
      }
      fmt::print("again      roci {}\n", options.again(round, engine));
      break;
    }
  }
  print(sum);
  print_coverage(sum.coverage);
  if (json) {
    const nlohmann::json all = {{"seed", options.seed},
                                {"passed", failure.empty()},
                                {"failure", failure},
                                {"rounds", rounds},
                                {"coverage", to_json(sum.coverage)},
                                {"messages", sum.tally.posted},
                                {"atomics", sum.tally.atomics},
                                {"frames", sum.frames},
                                {"faults", sum.faults},
                                {"clocks_evaluated", sum.clocks},
                                {"cpu_seconds", sum.seconds}};
    json->write(all.dump(2) + "\n");
    json->commit();
  }
  fmt::print("{}\n", failure.empty() ? "passed" : "FAILED: " + failure);
  return failure.empty() ? 0 : 1;
}

}  // namespace

void add_soak(Command program, Action& action) {
  auto options = std::make_shared<SoakOptions>();
  const Command command = program.add_command("soak", kSoakText);
  const Option minutes = command.add_option("--minutes", options->minutes, "duration [1]")
                             .range(0.001, 1e6)
                             .type_name("N");
  const Option rounds =
      command.add_option("--rounds", options->rounds, "number of rounds, instead of --minutes")
          .range(1u, 1'000'000u)
          .type_name("N");
  const Option round = command.add_option("--round", options->round, "only this round of the seed")
                           .range(0, 1'000'000)
                           .type_name("N");
  minutes.excludes(rounds).excludes(round);
  rounds.excludes(round);
  const Option seed =
      command.add_option("--seed", options->seed, "seed of all randomness [a new one]")
          .type_name("N");
  round.needs(seed);
  command.add_option("--engine", options->engine, "adapters of both nodes: rtl, model or both")
      .one_of({"rtl", "model", "both"})
      .type_name("ENGINE")
      .show_default();
  add_width(command, options->overrides.width);
  command.add_option("--mix", options->mix, "operations: all or atomics")
      .one_of({"all", "atomics"})
      .type_name("MIX")
      .show_default();
  command
      .add_option("--qps", options->overrides.queue_pairs,
                  "number of connections, instead of 1 to 64")
      .range(1, 64)
      .type_name("N");
  command
      .add_option("--messages", options->overrides.messages,
                  "messages of a round, of all connections together")
      .range(1, 10'000'000)
      .type_name("N");
  const Option lockstep =
      command.add_flag("--lockstep", options->overrides.lockstep,
                       "compare the RTL with the reference adapter, packet by packet");
  command.add_flag("--one-generation", options->overrides.one_generation,
                   "no connection is broken during a round");
  command.add_option("--burst", options->overrides.burst, "frames lost in a row on average")
      .range(1.0, 1000.0)
      .type_name("N");
  add_override(command, "--loss", options->overrides.loss, "frames lost, each way, in every round");
  add_override(command, "--duplicate", options->overrides.duplicate, "duplicated frames");
  add_override(command, "--reorder", options->overrides.reorder, "reordered frames");
  add_override(command, "--corrupt", options->overrides.corrupt, "frames with a flipped bit");
  const Option hostile =
      command.add_flag("--hostile", options->hostile,
                       "send hostile packets to one adapter instead, beside checked traffic");
  hostile.excludes(minutes).excludes(rounds).excludes(round);
  hostile.excludes(lockstep);
  command.add_option("--packets", options->packets, "number of hostile packets")
      .needs(hostile)
      .range(1, 1'000'000'000)
      .type_name("N")
      .show_default();
  command.add_option("--pcap", options->pcap, "capture of the failed round, or of --round")
      .type_name("FILE");
  command.add_option("--json", options->json, "write the results as JSON").type_name("FILE");
  command.callback([options, seed, &action] {
    options->seed_given = seed.given();
    action = [options] { return run(*options); };
  });
}

}  // namespace roci::sim
