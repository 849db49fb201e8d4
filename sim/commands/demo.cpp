// SPDX-License-Identifier: Apache-2.0
// roci demo: carries a file by WRITE, SEND and READ over a lossy link.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "sim/commands/commands.hpp"
#include "sim/scenarios/transfer.hpp"

namespace roci::sim {
namespace {

struct DemoOptions {
  std::string file;
  std::string directory = "roci-demo";
  std::uint64_t seed = 1;
  double loss = 0.01;
  testbench::Engine engine = testbench::Engine::kRtl;
  testbench::FirmwareOn firmware = testbench::FirmwareOn::kHost;
  bool waveforms = false;
};

constexpr std::size_t kDemoBytes = 1 << 20;  // size of the default file, which is the program's own

std::string repair_text(const TransferReport& report) {
  const WireCounts& there = report.wire[0];
  const WireCounts& back = report.wire[1];
  return fmt::format("NAK x{}, timeout x{}: {} packets retransmitted",
                     there.sequence_naks + back.sequence_naks, report.timeouts,
                     there.retransmitted + back.retransmitted);
}

int run(const DemoOptions& options) {
  const bool own = options.file.empty();
  std::vector<std::uint8_t> bytes = read_file(own ? "/proc/self/exe" : options.file);
  if (own && bytes.size() > kDemoBytes) bytes.resize(kDemoBytes);
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) {
    throw UserError(fmt::format("cannot make {}: {}", options.directory, error.message()));
  }
  auto in_directory = [&](const std::string& name) { return options.directory + "/" + name; };

  fmt::print("n0 ==100 Gb/s, {:g}% loss each way==> n1    {} bytes of {}, seed {}\n\n",
             100 * options.loss, bytes.size(), own ? "this program" : options.file, options.seed);
  nlohmann::json summary = nlohmann::json::array();
  bool all_equal = true;
  for (Operation operation : {Operation::kWrite, Operation::kSend, Operation::kRead}) {
    WorldOptions world;
    world.engine = options.engine;
    world.firmware = options.firmware;
    world.loss = options.loss;
    world.seed = options.seed;
    world.mtu = 4096;
    world.delay_ns = 1000;
    world.timeout = 5;  // 131 us: a lost last packet leaves no long gap in the plot
    CarryPlan plan;
    plan.operation = operation;
    plan.queue_pairs = 4;
    const std::string name = name_of(operation);
    Recorder recorder(in_directory(name + ".pcapng"));
    const TransferReport report = transfer(world, plan, bytes, recorder);
    recorder.commit();
    write_file(in_directory(name + ".svg"), to_svg(recorder.sequence_plot(fmt::format(
                                                "{} under {:g}% loss", name, 100 * options.loss))));
    all_equal = all_equal && report.equal;
    fmt::print(
        "{:<6} {:>8.1f} us  {:>6.2f} Gb/s  {:>5} packets  lost {:>2} + {:<2}  recovered by {}\n"
        "       sha256 sent     {}\n       sha256 received {}  {}\n",
        name, static_cast<double>(report.elapsed_ns) / 1000, report.gbps(),
        report.wire[0].frames + report.wire[1].frames, report.wire[0].lost, report.wire[1].lost,
        repair_text(report), report.sha_sent, report.sha_received,
        report.equal ? "equal" : "DIFFERENT");
    std::fflush(stdout);
    summary.push_back(report.json());
    summary.back()["op"] = name;
  }

  write_file(in_directory("summary.json"), summary.dump(2) + "\n");
  fmt::print(
      "\ncaptures   {0}/{{write,send,read}}.pcapng   wireshark dissects them as RRoCE\n"
      "plots      {0}/{{write,send,read}}.svg      sequence number against time\n",
      options.directory);
  if (options.waveforms) {
    // A short run with waveforms, as the wave file of a whole megabyte is too large to use.
    WorldOptions traced;
    traced.engine = options.engine;
    traced.seed = options.seed;
    traced.loss = 0.1;
    traced.trace = in_directory("write.fst");
    Recorder recorder("");
    std::vector<std::uint8_t> part = bytes;
    part.resize(std::min<std::size_t>(bytes.size(), 16384));
    const TransferReport report = transfer(traced, CarryPlan{}, part, recorder);
    all_equal = all_equal && report.equal;
    fmt::print("waveforms  {0}/write.n0.fst, write.n1.fst  the first {1} bytes again, 10% loss\n",
               options.directory, part.size());
  }
  fmt::print("summary    {0}/summary.json\n", options.directory);
  if (!all_equal) throw UserError("the received bytes differ from those sent");
  return 0;
}

}  // namespace

void add_demo(Command program, Action& action) {
  auto options = std::make_shared<DemoOptions>();
  const Command command =
      program.add_command("demo", "carry a file by WRITE, SEND and READ over a lossy link");
  command.add_option("FILE", options->file, "file to carry; default: 1 MiB of this program");
  command.add_option("--dir", options->directory, "where captures, plots and waveforms go")
      .type_name("DIR")
      .show_default();
  add_probability(command, "--loss", options->loss, "frames lost, each way, such as 0.01 or 1%");
  add_engine(command, options->engine);
  add_firmware(command, options->firmware);
  command.add_flag("--waveforms", options->waveforms,
                   "also carry 16 KiB with waveforms (FST); builds an engine that writes them");
  command.add_option("--seed", options->seed, "seed of all randomness")
      .type_name("N")
      .show_default();
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace roci::sim
