// SPDX-License-Identifier: Apache-2.0
#include "sim/scenarios/transfer.hpp"

#include <random>

#include "sim/report/digest.hpp"
#include "sim/report/files.hpp"
#include "sim/report/progress.hpp"

namespace roci::sim {
namespace {

nlohmann::json to_json(const WireCounts& counts) {
  return {{"frames", counts.frames},
          {"data_packets", counts.requests},
          {"retransmitted", counts.retransmitted},
          {"lost", counts.lost},
          {"corrupted", counts.corrupted},
          {"duplicated", counts.duplicated},
          {"delayed", counts.delayed},
          {"acks", counts.acks},
          {"sequence_naks", counts.sequence_naks},
          {"rnr_naks", counts.rnr_naks},
          {"other_naks", counts.other_naks}};
}

}  // namespace

testbench::Config config_of(const WorldOptions& options) {
  if (options.engine == testbench::Engine::kModel && !options.trace.empty()) {
    throw UserError("--trace: the model has no waveforms; use --engine rtl");
  }
  testbench::Config config;
  config.engines.fill(options.engine);
  config.firmware = options.firmware;
  config.width = options.width;
  config.seed = options.seed;
  config.delay_ns = options.delay_ns;
  config.memory_ns = options.memory_ns;
  config.ipv6 = options.ipv6;
  config.tap = options.tap;
  for (testbench::Faults& faults : config.faults) {
    faults.loss = options.loss;
    faults.duplicate = options.duplicate;
    faults.reorder = options.reorder;
    faults.corrupt = options.corrupt;
  }
  if (!options.trace.empty()) {
    // Two files, one for each node, begin with this name.
    const std::string suffix = ".fst";
    config.trace = options.trace;
    if (config.trace.size() > suffix.size() &&
        config.trace.compare(config.trace.size() - suffix.size(), suffix.size(), suffix) == 0) {
      config.trace.resize(config.trace.size() - suffix.size());
    }
  }
  return config;
}

nlohmann::json TransferReport::json() const {
  return {{"equal", equal},
          {"bytes", bytes},
          {"messages", messages},
          {"sha256_sent", sha_sent},
          {"sha256_received", sha_received},
          {"simulated_ns", elapsed_ns},
          {"goodput_gbps", gbps()},
          {"timeouts", timeouts},
          {"from_n0", to_json(wire[0])},
          {"from_n1", to_json(wire[1])},
          {"clocks_evaluated", speed.clocks},
          {"ns_skipped", speed.skipped_ns},
          {"cpu_seconds", speed.seconds}};
}

TransferReport transfer(const WorldOptions& options, const CarryPlan& plan,
                        const std::vector<std::uint8_t>& bytes, Recorder& recorder,
                        std::vector<std::uint8_t>* received) {
  testbench::World world(config_of(options));
  world.add_tap(&recorder);
  Meeting meeting({&world.node(0).device(), &world.node(1).device()});
  Progress progress(name_of(plan.operation));
  CarryPlan chosen = plan;
  chosen.connect.path_mtu = mtu_code(options.mtu);
  chosen.connect.timeout = static_cast<std::uint8_t>(options.timeout);
  chosen.first_psn = static_cast<std::uint32_t>(std::mt19937(options.seed)()) & 0xFFFFFF;
  Carry carry(chosen, bytes, meeting,
              [&](std::size_t done, std::size_t all) { progress.show(done, all, world.now_ns()); });
  auto guarded = [&](testbench::Node& node, void (Carry::*side)(CarrySide)) {
    meeting.guard([&] { (carry.*side)({node.context(), node.gid()}); });
  };
  world.run([&](testbench::Node& node) { guarded(node, &Carry::source); },
            [&](testbench::Node& node) { guarded(node, &Carry::target); });

  TransferReport report;
  report.bytes = bytes.size();
  report.messages = carry.messages();
  report.elapsed_ns = carry.elapsed_ns();
  report.timeouts = carry.timeouts();
  for (unsigned n = 0; n < 2; ++n) {
    const testbench::LinkDirection::Counts& faults = world.link(n).counts();
    report.wire[n] = recorder.counts(n);
    report.wire[n].lost = faults.dropped;
    report.wire[n].corrupted = faults.corrupted;
    report.wire[n].duplicated = faults.duplicated;
    report.wire[n].delayed = faults.delayed;
  }
  report.sha_sent = sha256(bytes);
  report.sha_received = sha256(carry.received());
  report.equal = carry.received() == bytes;
  report.speed = world.speed();
  if (received != nullptr) *received = carry.received();
  return report;
}

}  // namespace roci::sim
