// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/hostile/hostile.hpp"

#include "testbench/verify/soak/connection.hpp"

namespace roci::soak {
namespace {

using testbench::Node;
using testbench::World;

/// Returns the plan of the witness: all operations, on a link without faults.
RoundPlan witness_of(const HostilePlan& hostile) {
  RoundPlan plan;
  plan.seed = hostile.seed;
  plan.rtl = hostile.engine == testbench::Engine::kRtl;
  plan.connections = 1;
  plan.messages = ~0u;  // until the last packet
  plan.depth = 2;
  plan.max_bytes = 2048;
  plan.weights = {20, 5, 5, 30, 10, 20, 5, 5};
  plan.witness = true;
  plan.wrap = true;
  // Its packets queue after hostile ones in the receiver, and are lost when that is full.
  plan.connect.timeout = 8;
  plan.connect.max_rd_atomic = plan.connect.max_dest_rd_atomic = 4;
  plan.config.engines = {hostile.engine, testbench::Engine::kModel};
  plan.config.width = hostile.width;
  plan.config.seed = hostile.seed;
  plan.config.memory_ns = 100;
  plan.config.register_ns = 40;
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  plan.config.time_limit_ns = kHour;
  return plan;
}

struct VictimTap final : testbench::FrameTap {
  void frame(const testbench::FrameEvent& event) override {
    if (victims != nullptr) victims->frame(event);
  }
  Victims* victims = nullptr;
};

constexpr std::uint64_t kPreambleGap = 24;  // bytes of a frame on the link besides its own

}  // namespace

HostileOutcome run_hostile(const HostilePlan& hostile, testbench::FrameTap* tap,
                           const std::function<void(std::uint64_t)>& tick) {
  HostileOutcome outcome;
  const RoundPlan plan = witness_of(hostile);
  World world(plan.config);
  LinkLedger ledger([&](const std::string& text) {
    if (outcome.failure.empty()) outcome.failure = text;
  });
  world.add_tap(&ledger);
  if (tap != nullptr) world.add_tap(tap);
  auto context =
      std::make_unique<RoundContext>(RoundContext{world, plan, ledger, outcome.witness, {}});
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Victims> victims;
  std::unique_ptr<Forge> forge;
  VictimTap watch;
  const auto count_victims = [&] {
    outcome.revived = victims->revived();
    outcome.responses = victims->responses();
    outcome.naks = victims->naks();
    outcome.completions = victims->completions();
  };
  int about = -1;
  try {
    world.run({{0, [&](Node& node) {
                  for (unsigned n = 0; n < 2; ++n) {
                    context->resources[n] = std::make_unique<NodeResources>(world.node(n), plan);
                  }
                  connection = std::make_unique<Connection>(*context, 0);
                  victims =
                      std::make_unique<Victims>(node, world.node(1), hostile.victims, hostile.seed);
                }}});
    watch.victims = victims.get();
    world.add_tap(&watch);
    const auto storm = [&](Node& node) {
      constexpr std::uint64_t kBegin = 100'000;  // the witness is connected
      node.sleep(kBegin);
      forge = std::make_unique<Forge>(
          Addresses{world.node(0).mac(), node.mac(), world.node(0).gid(), node.gid()},
          victims->all(), std::vector<std::uint32_t>{connection->qp(0).number()}, hostile.seed);
      testbench::LinkDirection& channel = world.link(1);
      const double ns_per_byte = 8.0 / world.config().rate_gbps;
      constexpr unsigned kBatch = 16;
      while (outcome.packets < hostile.packets) {
        std::uint64_t bytes = 0;
        for (unsigned i = 0; i < kBatch && outcome.packets < hostile.packets; ++i) {
          const packet::Bytes frame = forge->next();
          channel.inject(world.now_ns(), frame);
          bytes += std::max<std::uint64_t>(frame.size(), 60) + kPreambleGap;
          ++outcome.packets;
        }
        // The witness gets a fifth of the link.
        node.sleep(static_cast<std::uint64_t>(static_cast<double>(bytes) * ns_per_byte * 1.25));
        if (tick) tick(outcome.packets);
      }
      constexpr std::uint64_t kAfter = 200'000;
      node.sleep(kAfter);
      context->finish = true;
      victims->stop();
      node.device().wake();
      world.node(0).device().wake();
    };
    std::vector<World::Task> tasks = {{0, [&](Node&) { victims->keep(); }}, {1, storm}};
    for (unsigned from = 0; from < 2; ++from) {
      tasks.push_back({from, [&, from](Node&) { connection->send(from); }});
      tasks.push_back({1 - from, [&, from](Node&) { connection->receive(from); }});
    }
    world.run(tasks);
    world.run({{0, [&](Node& node) {
                  victims->end();
                  count_victims();
                  watch.victims = nullptr;
                  victims.reset();
                  connection.reset();
                  outcome.port = node.context().port_counters();
                  for (auto& resource : context->resources) resource.reset();
                }}});
    if (outcome.witness.good == 0) throw Broken(0, "I10: the witness made no progress");
    if (outcome.witness.bad + outcome.witness.in_doubt != 0)
      throw Broken(0, "I10: the witness lost");
    outcome.passed = outcome.failure.empty();
  } catch (const Broken& broken) {
    about = 0;
    if (outcome.failure.empty()) outcome.failure = broken.what();
  } catch (const std::exception& error) {
    if (outcome.failure.empty()) outcome.failure = error.what();
  }
  if (forge) {
    outcome.sealed = forge->sealed();
    outcome.forgeries = forge->counts();
  }
  if (victims) count_victims();
  if (!outcome.passed) {
    if (about < 0) about = ledger.connection_of(outcome.failure);
    if (about >= 0) outcome.events = ledger.events(0);
    // Threads were interrupted, so their objects stay.
    static_cast<void>(context.release());
    static_cast<void>(connection.release());
    static_cast<void>(victims.release());
  }
  outcome.repeated = world.egress().repeated();
  outcome.simulated_ns = world.now_ns();
  outcome.speed = world.speed();
  return outcome;
}

}  // namespace roci::soak
