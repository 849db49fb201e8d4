// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/round.hpp"

#include <cstring>

#include "testbench/verify/soak/connection.hpp"

namespace roci::soak {
namespace {

using testbench::World;

/// Adds a fault that random choice may miss in a short round: one frame, early.
void force_faults(const RoundPlan& plan, World& world) {
  using testbench::FaultKind;
  for (unsigned n = 0; n < 2; ++n) {
    testbench::Faults& faults = world.link(n).faults();
    std::mt19937_64 random(plan.seed + n);
    unsigned next = 2;
    const auto force = [&](double chance, FaultKind kind) {
      const unsigned first = next + static_cast<unsigned>(random() % 4);
      next = first + 1;  // each applies to another frame
      if (chance <= 0) return;
      testbench::FaultRule rule;
      rule.kind = kind;
      rule.first = first;
      rule.delay_ns = kind == FaultKind::kDelay ? 3000 : 0;
      rule.when = [&faults](const packet::Parsed& parsed, std::uint64_t) {
        const auto& spared = faults.spared;
        return std::find(spared.begin(), spared.end(), parsed.bth().dest_qp()) == spared.end();
      };
      faults.rules.push_back(rule);
    };
    force(faults.loss, FaultKind::kDrop);
    force(faults.corrupt, FaultKind::kCorrupt);
    force(faults.duplicate, FaultKind::kDuplicate);
    force(faults.reorder, FaultKind::kDelay);
  }
}

/// Returns the faults that were requested and did not occur.
std::string unfired(World& world) {
  std::string text;
  bool planned = false, paused = false;
  for (unsigned n = 0; n < 2; ++n) {
    for (const testbench::FaultRule& rule : world.link(n).faults().rules) {
      constexpr std::uint64_t kShort = 100;  // connections may end before much was sent
      if (rule.hits != 0 || rule.seen < kShort) continue;
      text +=
          " kind " + std::to_string(static_cast<int>(rule.kind)) + " of node " + std::to_string(n);
    }
    for (const testbench::Span& pause : world.link(n).faults().pauses) {
      planned = true;
      paused |= pause.from_ns < world.now_ns();
    }
  }
  if (planned && !paused) text += " pauses";
  return text;
}

}  // namespace

Outcome run_round(const RoundPlan& plan, testbench::FrameTap* tap,
                  const std::function<void(std::uint64_t)>& tick) {
  Outcome outcome;
  World world(plan.config);
  LinkLedger ledger([&](const std::string& text) {
    if (outcome.failure.empty()) outcome.failure = text;
  });
  world.add_tap(&ledger);
  if (tap != nullptr) world.add_tap(tap);
  constexpr std::uint64_t kTick = 20'000;
  if (tick) world.on_tick(kTick, tick);

  auto context =
      std::make_unique<RoundContext>(RoundContext{world, plan, ledger, outcome.tally, {}});
  std::vector<std::unique_ptr<Connection>> connections;
  int about = -1;
  try {
    world.run({{0, [&](testbench::Node&) {
                  for (unsigned n = 0; n < 2; ++n) {
                    context->resources[n] = std::make_unique<NodeResources>(world.node(n), plan);
                  }
                  for (unsigned i = 0; i < plan.connections; ++i) {
                    connections.push_back(std::make_unique<Connection>(*context, i));
                  }
                }}});
    force_faults(plan, world);
    std::vector<World::Task> tasks;
    for (const auto& connection : connections) {
      for (unsigned from = 0; from < 2; ++from) {
        tasks.push_back({from, [&connection, from](testbench::Node&) { connection->send(from); }});
        tasks.push_back(
            {1 - from, [&connection, from](testbench::Node&) { connection->receive(from); }});
      }
    }
    world.run(tasks);
    outcome.repeated = world.egress().repeated();
    for (unsigned n = 0; n < 2; ++n) {
      std::uint64_t sum;
      std::memcpy(&sum, context->resources[n]->commons.data(), 8);
      const std::uint64_t sure = outcome.tally.added[n];
      if (sum < sure || sum > sure + outcome.tally.doubtful[n]) {
        throw Broken(0, "I4: the common sum of node " + std::to_string(n) + " is " +
                            std::to_string(sum) + ", good atomics added " + std::to_string(sure));
      }
    }
    world.run({{0, [&](testbench::Node&) {
                  connections.clear();
                  for (auto& resource : context->resources) resource.reset();
                }}});
    const std::string missing = unfired(world);
    if (!missing.empty()) throw Broken(0, "faults that never fired:" + missing);
    outcome.passed = outcome.failure.empty();
  } catch (const Broken& broken) {
    about = static_cast<int>(broken.connection());
    if (outcome.failure.empty()) outcome.failure = broken.what();
  } catch (const std::exception& error) {
    if (outcome.failure.empty()) outcome.failure = error.what();
  }
  if (!outcome.passed) {
    if (about < 0) about = ledger.connection_of(outcome.failure);
    if (about >= 0) outcome.events = ledger.events(static_cast<unsigned>(about));
    // Threads were interrupted, so their objects stay.
    static_cast<void>(context.release());
    static_cast<void>(new std::vector<std::unique_ptr<Connection>>(std::move(connections)));
  }
  outcome.coverage = ledger.coverage();
  outcome.payloads = ledger.payloads();
  for (unsigned n = 0; n < 2; ++n) outcome.link[n] = world.link(n).counts();
  outcome.simulated_ns = world.now_ns();
  outcome.speed = world.speed();
  outcome.lockstep = world.lockstep();
  return outcome;
}

}  // namespace roci::soak
