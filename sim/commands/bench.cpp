// SPDX-License-Identifier: Apache-2.0
// roci bench: goodput, message rate, latency, goodput under loss; each beside its bound.
#include <fmt/format.h>

#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/scenarios/bounds.hpp"
#include "sim/scenarios/operations.hpp"
#include "sim/scenarios/spread.hpp"
#include "sim/scenarios/stream.hpp"
#include "sim/scenarios/transfer.hpp"

namespace roci::sim {
namespace {

struct BenchOptions {
  WorldOptions world;
  std::string only;
  bool quick = false;
  unsigned seeds = 0;  ///< of the spread under loss; 0: none
};

/// Clocks that the wire takes for one WRITE ONLY packet of `bytes`; RETH is 16 bytes.
double bound_clocks(const WorldOptions& options, unsigned bytes) {
  return (bytes + overhead(options) + 16) * 8 / rate_gbps(options) / 4;
}

void header(const char* title) {
  fmt::print("\n{}\n{:<6} {:>5} {:>4} {:>9} {:>9} {:>16} {:>9} {:>7} {:>14} {:>8} {:>9}\n", title,
             "op", "MTU", "QPs", "#bytes", "#messages", "BW avg[Gb/sec]", "bound", "%",
             "MsgRate[Mpps]", "clocks", "resent");
}

nlohmann::json row(const WorldOptions& world, const StreamPlan& plan, const StreamResult& result,
                   double bound) {
  fmt::print("{:<6} {:>5} {:>4} {:>9} {:>9} {:>16.2f} {:>9.2f} {:>7.1f} {:>14.3f} {:>8.2f} {:>9}\n",
             fmt::format("{}{}", name_of(plan.operation), plan.both_ways ? "x2" : ""), world.mtu,
             plan.queue_pairs, plan.bytes, plan.messages, result.gbps, bound,
             100 * result.gbps / bound, result.mpps, result.clocks, result.repeated);
  std::fflush(stdout);
  return {{"op", name_of(plan.operation)},
          {"both_ways", plan.both_ways},
          {"mtu", world.mtu},
          {"qps", plan.queue_pairs},
          {"bytes", plan.bytes},
          {"messages", plan.messages},
          {"gbps", result.gbps},
          {"bound_gbps", bound},
          {"mpps", result.mpps},
          {"clocks_per_message", result.clocks},
          {"latency_us", result.latency_us},
          {"resent", result.repeated},
          {"loss", world.loss},
          {"loss_measured", result.loss},
          {"clocks_evaluated", result.speed.clocks},
          {"cpu_seconds", result.speed.seconds}};
}

nlohmann::json bench_goodput(const BenchOptions& options) {
  header("Goodput of 64 KiB messages, one way and both ways (x2: each way)");
  nlohmann::json rows = nlohmann::json::array();
  for (Operation operation : {Operation::kWrite, Operation::kSend, Operation::kRead}) {
    for (unsigned mtu : {1024u, 4096u}) {
      for (bool both_ways : {false, true}) {
        WorldOptions world = options.world;
        world.mtu = mtu;
        StreamPlan plan;
        plan.operation = operation;
        plan.both_ways = both_ways;
        plan.messages = options.quick ? 16 : 48;
        rows.push_back(row(world, plan, stream(world, plan), bound_gbps(world)));
      }
    }
  }
  return rows;
}

nlohmann::json bench_sizes(const BenchOptions& options, Plot& plot) {
  header("Goodput against message size, 8 queue pairs");
  plot.title = "Goodput against message size";
  plot.x_label = "bytes of a message";
  plot.y_label = "Gb/s";
  plot.log_x = true;
  nlohmann::json rows = nlohmann::json::array();
  const char* colours[] = {"#1f77b4", "#2ca02c", "#d62728"};
  for (Operation operation : {Operation::kWrite, Operation::kSend, Operation::kRead}) {
    Series series{name_of(operation), Mark::kLine, colours[static_cast<int>(operation)], {}};
    for (unsigned bytes = 64; bytes <= 65536; bytes *= options.quick ? 32 : 4) {
      WorldOptions world = options.world;
      StreamPlan plan;
      plan.operation = operation;
      plan.queue_pairs = 8;
      plan.bytes = bytes;
      // Several times what is outstanding, so that the start of the measurement does not show.
      plan.messages = std::max(256u, std::min(2048u, (2u << 20) / bytes));
      const StreamResult result = stream(world, plan);
      rows.push_back(row(world, plan, result, bound_gbps(world)));
      series.points.emplace_back(bytes, result.gbps);
    }
    plot.series.push_back(series);
  }
  Series bound{"bound of the wire", Mark::kLine, "#888888", {}};
  for (double bytes : {64.0, 65536.0}) bound.points.emplace_back(bytes, bound_gbps(options.world));
  plot.series.push_back(bound);
  return rows;
}

nlohmann::json bench_rate(const BenchOptions& options) {
  header("Message rate of small WRITEs, 64 queue pairs");
  nlohmann::json rows = nlohmann::json::array();
  for (unsigned bytes : {8u, 64u}) {
    StreamPlan plan;
    plan.queue_pairs = 64;
    plan.depth = 16;
    plan.bytes = bytes;
    plan.messages = options.quick ? 2048 : 8192;
    const double clocks = bound_clocks(options.world, bytes);
    rows.push_back(row(options.world, plan, stream(options.world, plan), 8.0 * bytes / clocks / 4));
    rows.back()["bound_clocks"] = clocks;
    fmt::print("       the wire takes {:.2f} clocks for one\n", clocks);
  }
  return rows;
}

nlohmann::json bench_latency(const BenchOptions& options) {
  const LatencyResult result = latency(options.world.width);
  fmt::print(
      "\nLatency through one adapter, 64-byte inline WRITE, host memory that answers at once\n"
      "  doorbell to first beat on the wire    {:>6.1f} clocks\n"
      "  last beat in to first beat of a write {:>6.1f} clocks\n",
      result.doorbell_to_wire, result.wire_to_memory);
  WorldOptions world = options.world;
  StreamPlan plan;
  plan.depth = 1;
  plan.bytes = 64;
  plan.messages = 32;
  const StreamResult ping = stream(world, plan);
  fmt::print("  post to completion, memory {} ns and wire {} ns each way: {:.3f} us\n",
             world.memory_ns, world.delay_ns, ping.latency_us);
  return {{"doorbell_to_wire_clocks", result.doorbell_to_wire},
          {"wire_to_memory_clocks", result.wire_to_memory},
          {"post_to_completion_us", ping.latency_us}};
}

nlohmann::json bench_loss(const BenchOptions& options, Plot& plot) {
  header(
      "Goodput of 64 KiB WRITEs against loss of data packets, 2 us round trip of the wire; bound: "
      "go-back-N");
  plot.title = "Goodput against loss, go-back-N";
  plot.x_label = "loss, %";
  plot.y_label = "Gb/s";
  nlohmann::json rows = nlohmann::json::array();
  const char* colours[] = {"#1f77b4", "#2ca02c"};
  int colour = 0;
  for (unsigned mtu : {1024u, 4096u}) {
    Series measured{fmt::format("measured, MTU {}", mtu), Mark::kLine, colours[colour], {}};
    Series formula{fmt::format("formula, MTU {}", mtu), Mark::kRing, colours[colour], {}};
    ++colour;
    for (double loss : {0.0, 0.001, 0.01, 0.03, 0.1}) {
      if (options.quick && loss != 0.01) continue;
      WorldOptions world = options.world;
      world.mtu = mtu;
      world.loss = loss;
      world.delay_ns = 1000;
      // The shortest timer that steady ACKs never let expire: what is lost twice waits for it.
      world.timeout = 1;
      StreamPlan plan;
      plan.spare_answers = true;  // the formula knows of lost data only
      plan.messages = loss >= 0.1 ? 64 : 192;
      const StreamResult result = stream(world, plan);
      // The dice fell this way: the formula gets the share that was lost, not the wish.
      const double bound = go_back_n_gbps(world, result.loss);
      rows.push_back(row(world, plan, result, bound));
      measured.points.emplace_back(100 * loss, result.gbps);
      formula.points.emplace_back(100 * loss, bound);
    }
    plot.series.push_back(measured);
    plot.series.push_back(formula);
  }
  return rows;
}

nlohmann::json bench_spread(const BenchOptions& options, Plot& plot) {
  fmt::print(
      "\nGoodput of 64 KiB WRITEs against loss of data packets, seeds {} to {}\n"
      "{:>5} {:>8} {:>8} {:>8} {:>8} {:>9} {:>16}\n",
      options.world.seed, options.world.seed + options.seeds - 1, "MTU", "loss", "min", "median",
      "max", "formula", "% of formula");
  nlohmann::json rows = nlohmann::json::array();
  plot.title =
      fmt::format("Goodput against loss, least, median and most of {} seeds", options.seeds);
  plot.x_label = "loss, %";
  plot.y_label = "Gb/s";
  plot.log_x = true;
  const char* colours[] = {"#1f77b4", "#2ca02c"};
  int colour = 0;
  for (unsigned mtu : {1024u, 4096u}) {
    Series ends{fmt::format("least and most, MTU {}", mtu), Mark::kCross, colours[colour], {}};
    Series median{fmt::format("median, MTU {}", mtu), Mark::kLine, colours[colour], {}};
    Series formula{fmt::format("formula, MTU {}", mtu), Mark::kRing, colours[colour], {}};
    ++colour;
    for (double loss : {1e-4, 1e-3, 0.01, 0.05, 0.1}) {
      WorldOptions world = options.world;
      world.mtu = mtu;
      world.loss = loss;
      const Spread s = spread(world, options.seeds, options.quick);
      fmt::print("{:>5} {:>7g}% {:>8.2f} {:>8.2f} {:>8.2f} {:>9.2f} {:>5.1f} to {:>5.1f}\n", mtu,
                 100 * loss, s.least, s.median, s.most, s.formula, 100 * s.least_share,
                 100 * s.most_share);
      std::fflush(stdout);
      rows.push_back({{"mtu", mtu},
                      {"loss", loss},
                      {"seeds", options.seeds},
                      {"gbps_min", s.least},
                      {"gbps_median", s.median},
                      {"gbps_max", s.most},
                      {"formula_median_gbps", s.formula},
                      {"share_min", s.least_share},
                      {"share_max", s.most_share},
                      {"clocks_evaluated", s.clocks},
                      {"cpu_seconds", s.seconds}});
      ends.points.emplace_back(100 * loss, s.least);
      ends.points.emplace_back(100 * loss, s.most);
      median.points.emplace_back(100 * loss, s.median);
      formula.points.emplace_back(100 * loss, s.formula);
    }
    plot.series.push_back(ends);
    plot.series.push_back(median);
    plot.series.push_back(formula);
  }
  return rows;
}

int run(const BenchOptions& options) {
  std::unique_ptr<OutputFile> json, plot_file;
  if (!options.world.json.empty()) json = std::make_unique<OutputFile>(options.world.json);
  if (!options.world.plot.empty()) plot_file = std::make_unique<OutputFile>(options.world.plot);
  const bool model = options.world.engine == testbench::Engine::kModel;
  if (model && options.only == "latency") {
    throw UserError("--only latency: the model has no clocks to count; use --engine rtl");
  }
  fmt::print("{}, {:g} Gb/s wire, {}, seed {}\n",
             model ? "Model, memory that answers at once"
                   : fmt::format("{} bits at 250 MHz, memory {} ns each way", options.world.width,
                                 options.world.memory_ns),
             rate_gbps(options.world), options.world.ipv6 ? "IPv6" : "IPv4", options.world.seed);
  if (options.seeds != 0 && options.only != "loss") throw UserError("--seeds needs --only loss", 2);
  auto wanted = [&](const char* part) { return options.only.empty() || options.only == part; };
  nlohmann::json all = {{"engine", name_of(options.world.engine)},
                        {"width", options.world.width},
                        {"seed", options.world.seed}};
  Plot sizes, loss;
  if (wanted("goodput")) all["goodput"] = bench_goodput(options);
  if (wanted("rate")) all["rate"] = bench_rate(options);
  if (wanted("latency") && !model) all["latency"] = bench_latency(options);
  if (wanted("sizes")) all["sizes"] = bench_sizes(options, sizes);
  if (wanted("loss") && options.seeds == 0) all["loss"] = bench_loss(options, loss);
  if (options.only == "operations") all["operations"] = operations(options.world, options.quick);
  if (options.seeds != 0) all["spread"] = bench_spread(options, loss);
  double clocks = 0, seconds = 0;
  for (const char* part : {"goodput", "rate", "sizes", "loss", "spread"}) {
    if (!all.contains(part)) continue;
    for (const nlohmann::json& row : all[part]) {
      clocks += row["clocks_evaluated"].get<double>();
      seconds += row["cpu_seconds"].get<double>();
    }
  }
  if (seconds > 0 && !model) {
    fmt::print("\nSimulator: {:.0f} clocks per processor second for two adapters and the wire\n",
               clocks / seconds);
    all["clocks_per_cpu_second"] = clocks / seconds;
  }
  if (plot_file) {
    plot_file->write(to_svg(loss.series.empty() ? sizes : loss));
    plot_file->commit();
  }
  if (json) {
    json->write(all.dump(2) + "\n");
    json->commit();
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "measure goodput, message rate, latency, goodput under loss");
  command
      ->add_option(
          "--only", options->only,
          "one part: goodput, rate, latency, sizes or loss; or operations, the clocks of each")
      ->check(CLI::IsMember({"goodput", "rate", "latency", "sizes", "loss", "operations"})
                  .description(""))
      ->type_name("PART");
  command->add_flag("--quick", options->quick, "fewer messages and points");
  add_engine(*command, options->world.engine);
  command->add_option("--width", options->world.width, "data path of the engine: 64 or 512 bits")
      ->check(CLI::IsMember({64, 512}).description(""))
      ->type_name("BITS")
      ->capture_default_str();
  command->add_flag("--ipv6", options->world.ipv6, "IPv6 addresses instead of IPv4");
  add_memory_latency(*command, options->world);
  command->add_option("--seed", options->world.seed, "seed of all randomness")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--seeds", options->seeds,
                   "with --only loss: the spread over so many seeds, from --seed on")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N");
  command
      ->add_option("--plot", options->world.plot,
                   "plot of goodput against loss, or with --only sizes against size (SVG)")
      ->type_name("FILE");
  command->add_option("--json", options->world.json, "results for machines (JSON)")
      ->type_name("FILE");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
