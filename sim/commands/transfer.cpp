// SPDX-License-Identifier: Apache-2.0
// roci transfer: carries a file between two nodes and compares the bytes.
#include "sim/scenarios/transfer.hpp"

#include <fmt/format.h>

#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/peer/run.hpp"
#include "sim/report/timeline.hpp"

namespace roci::sim {
namespace {

struct TransferOptions {
  WorldOptions world;
  CarryPlan plan;
  std::string file;
  std::string out;
  WireOptions wire;
  std::string listen, connect;
};

constexpr int kUsageError = 2;

std::string engine_text(const WorldOptions& world) {
  return world.engine == testbench::Engine::kModel ? "model" : fmt::format("{} bits", world.width);
}

void print(const TransferOptions& options, const TransferReport& report) {
  const WireCounts& there = report.wire[0];
  const WireCounts& back = report.wire[1];
  fmt::print(
      "{}: {} bytes by {} over {} queue pair{}, path MTU {}, {}, {}, seed {}\n"
      "  {:.1f} us simulated, {:.2f} Gb/s; {} messages\n"
      "  packets: {} from n0, {} from n1; lost {} and {}, corrupted {}, duplicated {}, delayed {}\n"
      "  recovery: {} retransmitted, {} sequence NAKs, {} RNR NAKs, {} timeouts, {} ACKs\n"
      "  sha256:  {} sent\n           {} received\n"
      "  {} clocks evaluated in {:.2f} s of processor time\n",
      options.file, report.bytes, name_of(options.plan.operation), options.plan.queue_pairs,
      options.plan.queue_pairs == 1 ? "" : "s", options.world.mtu,
      options.world.ipv6 ? "IPv6" : "IPv4", engine_text(options.world), options.world.seed,
      static_cast<double>(report.elapsed_ns) / 1000, report.gbps(), report.messages, there.frames,
      back.frames, there.lost, back.lost, there.corrupted + back.corrupted,
      there.duplicated + back.duplicated, there.delayed + back.delayed,
      there.retransmitted + back.retransmitted, there.sequence_naks + back.sequence_naks,
      there.rnr_naks + back.rnr_naks, report.timeouts, there.acks + back.acks, report.sha_sent,
      report.sha_received, report.speed.clocks, report.speed.seconds);
}

/// Runs one of the two nodes on an external port: sends FILE, or receives into --out.
int run_on_wire(const TransferOptions& options) {
  if (options.file.empty() == options.out.empty()) {
    throw UserError("--wire: give FILE to send it, or --out to receive one", kUsageError);
  }
  if (options.listen.empty() == options.connect.empty()) {
    throw UserError(
        "--wire: give --listen or --connect, to exchange parameters with the other side",
        kUsageError);
  }
  if (options.plan.operation == Operation::kRead || options.plan.queue_pairs != 1) {
    throw UserError("--wire: --op write or send, and one queue pair", kUsageError);
  }
  if (!options.world.plot.empty() || !options.world.json.empty()) {
    throw UserError("--wire: --plot and --json need both sides and are not possible", kUsageError);
  }
  PeerOptions peer;
  peer.world = options.world;
  peer.wire = options.wire;
  peer.listen = options.listen;
  peer.connect = options.connect;
  peer.file = options.file;
  peer.out = options.out;
  PeerPlan& plan = peer.plan;
  plan.requester = !options.file.empty();
  plan.op =
      options.plan.operation == Operation::kSend ? driver::Opcode::kSend : driver::Opcode::kWrite;
  plan.sizes = {static_cast<std::uint32_t>(options.plan.message_bytes)};
  plan.depth = options.plan.depth;
  plan.mtu = options.world.mtu;
  plan.ipv6 = options.world.ipv6;
  plan.timeout = static_cast<std::uint8_t>(options.world.timeout);
  plan.carries_file = true;
  run_peer(peer);
  return 0;
}

int run(const TransferOptions& options) {
  if (!options.wire.wire.empty()) return run_on_wire(options);
  if (options.file.empty()) throw UserError("FILE is required", kUsageError);
  const std::vector<std::uint8_t> bytes = read_file(options.file);
  // Output files that cannot be written are reported before the work, not after it.
  auto open = [](const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
  };
  auto out = open(options.out);
  auto plot = open(options.world.plot);
  auto json = open(options.world.json);
  Recorder recorder(options.world.pcap);
  WorldOptions world = options.world;
  const auto timeline = Timeline::open(world.timeline);
  world.tap = timeline.get();

  std::vector<std::uint8_t> received;
  const TransferReport report = transfer(world, options.plan, bytes, recorder, &received);
  print(options, report);
  recorder.commit();
  if (timeline) timeline->commit();
  if (plot) {
    plot->write(to_svg(recorder.sequence_plot(fmt::format("{} of {} bytes, path MTU {}",
                                                          name_of(options.plan.operation),
                                                          report.bytes, options.world.mtu))));
    plot->commit();
  }
  if (json) {
    nlohmann::json all = report.json();
    all["file"] = options.file;
    all["op"] = name_of(options.plan.operation);
    all["mtu"] = options.world.mtu;
    all["qps"] = options.plan.queue_pairs;
    all["engine"] = name_of(options.world.engine);
    all["width"] = options.world.width;
    all["seed"] = options.world.seed;
    json->write(all.dump(2) + "\n");
    json->commit();
  }
  if (!report.equal) throw UserError("the received bytes differ from those sent");
  if (out) {
    out->write({reinterpret_cast<const char*>(received.data()), received.size()});
    out->commit();
  }
  return 0;
}

}  // namespace

void add_transfer(Command program, Action& action) {
  auto options = std::make_shared<TransferOptions>();
  const Command command = program.add_command(
      "transfer", "carry a file between two adapters, or over an external port");
  command.add_option("FILE", options->file, "file to carry");
  add_operation(command, options->plan.operation);
  command.add_option("--qps", options->plan.queue_pairs, "queue pairs that share the work")
      .range(1, 128)
      .type_name("N")
      .show_default();
  command.add_option("--message", options->plan.message_bytes, "bytes of a message")
      .range(std::size_t{1}, std::size_t{1} << 31)
      .type_name("BYTES")
      .show_default();
  command.add_option("--depth", options->plan.depth, "messages outstanding on a queue pair")
      .range(1, 1024)
      .type_name("N")
      .show_default();
  command.add_option("--out", options->out, "write the received bytes to this file")
      .type_name("FILE");
  add_world_options(command, options->world);
  add_wire_options(command, options->wire);
  const Option wire = command.option("--wire");
  command
      .add_option("--listen", options->listen,
                  "with --wire: accept the other process at this TCP port")
      .type_name("[HOST:]PORT")
      .needs(wire);
  command
      .add_option("--connect", options->connect, "with --wire: connect to the other process there")
      .type_name("HOST:PORT")
      .needs(wire);
  command.callback([options, command, &action] {
    // The peer may be as slow as a simulation in real time.
    constexpr unsigned kPatient = 18;
    const bool on_wire = !options->wire.wire.empty();
    if (on_wire && !command.option("--timeout").given()) options->world.timeout = kPatient;
    action = [options] { return run(*options); };
  });
}

}  // namespace roci::sim
