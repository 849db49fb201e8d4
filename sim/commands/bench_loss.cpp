// SPDX-License-Identifier: Apache-2.0
// roci bench: the tables, and goodput under loss.
#include <fmt/format.h>

#include <cstdio>

#include "sim/commands/bench.hpp"
#include "sim/scenarios/bounds.hpp"
#include "sim/scenarios/spread.hpp"

namespace roci::sim {

void print_header(const char* title) {
  fmt::print("\n{}\n{:<6} {:>5} {:>4} {:>9} {:>9} {:>16} {:>9} {:>7} {:>14} {:>8} {:>9}\n", title,
             "op", "MTU", "QPs", "#bytes", "#messages", "BW avg[Gb/sec]", "bound", "%",
             "MsgRate[Mpps]", "clocks", "retransm.");
}

nlohmann::json print_row(const WorldOptions& world, const StreamPlan& plan,
                         const StreamResult& result, double bound) {
  fmt::print("{:<6} {:>5} {:>4} {:>9} {:>9} {:>16.2f} {:>9.2f} {:>7.1f} {:>14.3f} {:>8.2f} {:>9}\n",
             fmt::format("{}{}", name_of(plan.operation), plan.both_ways ? "x2" : ""), world.mtu,
             plan.queue_pairs, plan.bytes, plan.messages, result.gbps, bound,
             100 * result.gbps / bound, result.mpps, result.clocks, result.retransmitted);
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
          {"retransmitted", result.retransmitted},
          {"loss", world.loss},
          {"loss_measured", result.loss},
          {"clocks_evaluated", result.speed.clocks},
          {"cpu_seconds", result.speed.seconds}};
}

nlohmann::json bench_loss(const BenchOptions& options, Plot& plot) {
  print_header(
      "Goodput of 64 KiB WRITEs against loss of data packets, link round trip 2 us; bound: "
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
      // The shortest timeout that does not expire between ACKs; a packet lost twice waits for it.
      world.timeout = 1;
      StreamPlan plan;
      plan.spare_responses = true;  // the formula is for lost data packets only
      plan.messages = loss >= 0.1 ? 64 : 192;
      const StreamResult result = stream(world, plan);
      // The bound is computed for the measured loss, which differs from the requested one.
      const double bound = go_back_n_gbps(world, result.loss);
      rows.push_back(print_row(world, plan, result, bound));
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

}  // namespace roci::sim
