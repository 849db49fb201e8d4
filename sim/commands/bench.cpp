// SPDX-License-Identifier: Apache-2.0
// roci bench: goodput, message rate, latency, goodput under loss; each beside its bound.
#include "sim/commands/bench.hpp"

#include <fmt/format.h>

#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/report/timeline.hpp"
#include "sim/scenarios/bounds.hpp"
#include "sim/scenarios/operations.hpp"
#include "sim/scenarios/pingpong.hpp"
#include "sim/scenarios/stream.hpp"
#include "sim/scenarios/transfer.hpp"

namespace roci::sim {
namespace {

constexpr unsigned kRethBytes = 16, kDethBytes = 8;

/// Clocks that a packet of `bytes` occupies the link, with `extension` bytes after its BTH.
double bound_clocks(const WorldOptions& options, unsigned bytes, unsigned extension) {
  return (bytes + overhead(options) + extension) * 8 / rate_gbps(options) / 4;
}

nlohmann::json bench_goodput(const BenchOptions& options) {
  print_header("Goodput of 64 KiB messages, one way and both ways (x2: each way)");
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
        rows.push_back(print_row(world, plan, stream(world, plan), bound_gbps(world)));
      }
    }
  }
  return rows;
}

nlohmann::json bench_sizes(const BenchOptions& options, Plot& plot) {
  print_header("Goodput against message size, 8 queue pairs (2 above 64 KiB)");
  plot.title = "Goodput against message size";
  plot.x_label = "bytes of a message";
  plot.y_label = "Gb/s";
  plot.log_x = true;
  nlohmann::json rows = nlohmann::json::array();
  const char* colours[] = {"#1f77b4", "#2ca02c", "#d62728"};
  for (Operation operation : {Operation::kWrite, Operation::kSend, Operation::kRead}) {
    Series series{name_of(operation), Mark::kLine, colours[static_cast<int>(operation)], {}};
    for (unsigned bytes = 64; bytes <= options.largest; bytes *= options.quick ? 32 : 4) {
      WorldOptions world = options.world;
      StreamPlan plan;
      plan.operation = operation;
      plan.queue_pairs = 8;
      plan.bytes = bytes;
      // Several times the outstanding messages, so that the start does not affect the result.
      plan.messages = std::max(256u, std::min(2048u, (2u << 20) / bytes));
      if (bytes > 65536) {  // as many bytes outstanding with fewer messages
        plan.queue_pairs = 2;
        plan.depth = 4;
        plan.messages = std::max(16u, (16u << 20) / bytes);
      }
      const StreamResult result = stream(world, plan);
      rows.push_back(print_row(world, plan, result, bound_gbps(world)));
      series.points.emplace_back(bytes, result.gbps);
    }
    plot.series.push_back(series);
  }
  Series bound{"bound of the link", Mark::kLine, "#888888", {}};
  for (double bytes : {64.0, double(options.largest)})
    bound.points.emplace_back(bytes, bound_gbps(options.world));
  plot.series.push_back(bound);
  return rows;
}

nlohmann::json bench_rate(const BenchOptions& options) {
  print_header("Message rate of small WRITEs, 64 queue pairs");
  nlohmann::json rows = nlohmann::json::array();
  for (unsigned bytes : {8u, 64u}) {
    StreamPlan plan;
    plan.queue_pairs = 64;
    plan.depth = 16;
    plan.bytes = bytes;
    plan.messages = options.quick ? 2048 : 8192;
    const double clocks = bound_clocks(options.world, bytes, kRethBytes);
    rows.push_back(
        print_row(options.world, plan, stream(options.world, plan), 8.0 * bytes / clocks / 4));
    rows.back()["bound_clocks"] = clocks;
    fmt::print("       one takes {:.2f} clocks on the link\n", clocks);
  }
  return rows;
}

nlohmann::json bench_services(const BenchOptions& options) {
  print_header("Message rate of SENDs of 64 bytes: RC, UC, UD; 64 queue pairs and one");
  nlohmann::json rows = nlohmann::json::array();
  struct Line {
    driver::Service service;
    const char* name;
    unsigned extension;
  };
  for (unsigned queue_pairs : {64u, 1u}) {
    for (const Line& line :
         {Line{driver::Service::kRc, "RC", 0}, Line{driver::Service::kUc, "UC", 0},
          Line{driver::Service::kUd, "UD", kDethBytes}}) {
      StreamPlan plan;
      plan.operation = Operation::kSend;
      plan.service = line.service;
      plan.queue_pairs = queue_pairs;
      plan.depth = 16;
      plan.bytes = 64;
      plan.messages = (options.quick ? 2048 : 8192) / (queue_pairs == 1 ? 8 : 1);
      const double clocks = bound_clocks(options.world, plan.bytes, line.extension);
      const StreamResult result = stream(options.world, plan);
      rows.push_back(print_row(options.world, plan, result, 8.0 * plan.bytes / clocks / 4));
      rows.back()["service"] = line.name;
      rows.back()["bound_clocks"] = clocks;
      rows.back()["undelivered"] = result.undelivered;
      rows.back()["overflows"] = result.overflows;
      fmt::print(
          "       {}: one takes {:.2f} clocks on the link; {} were not delivered, {} found the "
          "receive buffer full\n",
          line.name, clocks, result.undelivered, result.overflows);
    }
  }
  return rows;
}

/// What the latency programs of perftest measure.
nlohmann::json program_latencies(const WorldOptions& world) {
  fmt::print("\nLatency as perftest counts it, memory {} ns and link {} ns each way\n",
             world.memory_ns, world.delay_ns);
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](const char* name, const char* of, unsigned bytes, double us) {
    fmt::print("  {:<14} {:>6} bytes, {:<19} {:>8.3f} us\n", name, bytes, of, us);
    rows.push_back({{"op", name}, {"bytes", bytes}, {"us", us}});
  };
  constexpr unsigned kRounds = 16;
  for (unsigned bytes : {64u, 4096u, 65536u}) {
    for (Operation operation : {Operation::kWrite, Operation::kSend}) {
      add(name_of(operation), "half a round trip", bytes,
          half_round_trip_us(world, operation, bytes, kRounds));
    }
    StreamPlan plan;
    plan.operation = Operation::kRead;
    plan.depth = 1;
    plan.bytes = bytes;
    plan.messages = kRounds;
    add("READ", "post to completion", bytes, stream(world, plan).latency_us);
  }
  StreamPlan plan;
  plan.opcode = driver::Opcode::kFetchAdd;
  plan.depth = 1;
  plan.bytes = 8;
  plan.messages = kRounds;
  add("fetch and add", "post to completion", plan.bytes, stream(world, plan).latency_us);
  return rows;
}

nlohmann::json bench_latency(const BenchOptions& options) {
  const LatencyResult result = latency(options.world.width);
  fmt::print(
      "\nLatency through one adapter, 64-byte inline WRITE, host memory without latency\n"
      "  doorbell to first beat on the wire    {:>6.1f} clocks\n"
      "  last beat in to first beat of a write {:>6.1f} clocks\n",
      result.doorbell_to_wire, result.wire_to_memory);
  WorldOptions world = options.world;
  StreamPlan plan;
  plan.depth = 1;
  plan.bytes = 64;
  plan.messages = 32;
  plan.inlined = true;
  const StreamResult ping = stream(world, plan);
  plan.posted = true;
  const StreamResult posted = stream(world, plan);
  fmt::print(
      "  post to completion, memory {} ns and link {} ns each way: {:.3f} us\n"
      "  the same, the work request with its doorbell: {:.3f} us\n",
      world.memory_ns, world.delay_ns, ping.latency_us, posted.latency_us);
  return {{"doorbell_to_wire_clocks", result.doorbell_to_wire},
          {"wire_to_memory_clocks", result.wire_to_memory},
          {"post_to_completion_us", ping.latency_us},
          {"posted_to_completion_us", posted.latency_us},
          {"programs", program_latencies(world)}};
}

int run(BenchOptions options) {
  std::unique_ptr<OutputFile> json, plot_file;
  if (!options.world.json.empty()) json = std::make_unique<OutputFile>(options.world.json);
  if (!options.world.plot.empty()) plot_file = std::make_unique<OutputFile>(options.world.plot);
  const bool model = options.world.engine == testbench::Engine::kModel;
  if (model && options.only == "latency") {
    throw UserError("--only latency: the model has no clocks to count; use --engine rtl");
  }
  fmt::print("{}, {:g} Gb/s wire, {}, seed {}\n",
             model ? "Model, memory without latency"
                   : fmt::format("{} bits at 250 MHz, memory {} ns each way", options.world.width,
                                 options.world.memory_ns),
             rate_gbps(options.world), options.world.ipv6 ? "IPv6" : "IPv4", options.world.seed);
  const auto timeline = Timeline::open(options.world.timeline);
  options.world.tap = timeline.get();
  if (options.seeds != 0 && options.only != "loss") throw UserError("--seeds needs --only loss", 2);
  auto wanted = [&](const char* part) { return options.only.empty() || options.only == part; };
  nlohmann::json all = {{"engine", name_of(options.world.engine)},
                        {"width", options.world.width},
                        {"seed", options.world.seed}};
  Plot sizes, loss;
  if (wanted("goodput")) all["goodput"] = bench_goodput(options);
  if (wanted("rate")) all["rate"] = bench_rate(options);
  if (wanted("services")) all["services"] = bench_services(options);
  if (wanted("latency") && !model) all["latency"] = bench_latency(options);
  if (wanted("sizes")) all["sizes"] = bench_sizes(options, sizes);
  if (wanted("loss") && options.seeds == 0) all["loss"] = bench_loss(options, loss);
  if (options.only == "operations") all["operations"] = operations(options.world, options.quick);
  if (options.seeds != 0) all["spread"] = bench_spread(options, loss);
  double clocks = 0, seconds = 0;
  for (const char* part : {"goodput", "rate", "services", "sizes", "loss", "spread"}) {
    if (!all.contains(part)) continue;
    for (const nlohmann::json& row : all[part]) {
      clocks += row["clocks_evaluated"].get<double>();
      seconds += row["cpu_seconds"].get<double>();
    }
  }
  if (seconds > 0 && !model) {
    fmt::print("\nSimulator: {:.0f} clocks per processor second for two adapters and the link\n",
               clocks / seconds);
    all["clocks_per_cpu_second"] = clocks / seconds;
  }
  if (timeline) timeline->commit();
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

void add_bench(Command program, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  const Command command =
      program.add_command("bench", "measure goodput, message rate, latency, goodput under loss");
  command
      .add_option(
          "--only", options->only,
          "one part: goodput, rate, services, latency, sizes or loss; or operations, the clocks of "
          "each")
      .one_of({"goodput", "rate", "services", "latency", "sizes", "loss", "operations"})
      .type_name("PART");
  command.add_flag("--quick", options->quick, "fewer messages and points");
  add_engine(command, options->world.engine);
  add_firmware(command, options->world.firmware);
  add_width(command, options->world.width);
  add_mtu(command, options->world);
  command.add_option("--largest", options->largest, "largest message of the part sizes, bytes")
      .range(64, 1 << 20)
      .type_name("BYTES")
      .show_default();
  command.add_flag("--ipv6", options->world.ipv6, "IPv6 addresses instead of IPv4");
  add_memory_latency(command, options->world);
  add_timeline(command, options->world);
  command.add_option("--seed", options->world.seed, "seed of all randomness")
      .type_name("N")
      .show_default();
  command
      .add_option("--seeds", options->seeds,
                  "with --only loss: the spread over this number of seeds, from --seed on")
      .range(1, 1000)
      .type_name("N");
  command
      .add_option("--plot", options->world.plot,
                  "plot of goodput against loss, or with --only sizes against size (SVG)")
      .type_name("FILE");
  command.add_option("--json", options->world.json, "write the results as JSON").type_name("FILE");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
