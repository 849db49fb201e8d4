// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/round_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <random>

#include "testbench/link/widths.hpp"

namespace roci::soak {
namespace {

/// The distributions of <random> differ between libraries; these do not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }
  template <typename T, std::size_t N>
  T pick(const T (&from)[N]) {
    return from[below(N)];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"SEND",      "SEND_IMM", "SEND_INV", "WRITE",
                                    "WRITE_IMM", "READ",     "CMP_SWAP", "FETCH_ADD"};
  return kNames[static_cast<unsigned>(kind)];
}

const char* name_of(Ending ending) {
  constexpr const char* kNames[] = {"done", "error", "reset", "destroy", "bad key"};
  return kNames[static_cast<unsigned>(ending)];
}

std::uint64_t seed_of(std::uint64_t seed, unsigned round) {
  return mix(seed * 0x9E3779B97F4A7C15u + round) >> 16;  // short enough to be typed
}

RoundPlan plan_of(std::uint64_t seed, unsigned round, testbench::Engine engine,
                  const Overrides& overrides) {
  RoundPlan p;
  p.seed = seed_of(seed, round);
  Dice dice(p.seed);
  p.rtl = engine == testbench::Engine::kRtl;

  constexpr unsigned kPairs[] = {1, 2, 3, 4, 8, 16, 32, 64};
  p.connections = dice.pick(kPairs);
  p.wrap = round % 3 == 0;
  p.connect.path_mtu = static_cast<std::uint8_t>(1 + dice.below(5));
  constexpr unsigned kDepths[] = {1, 2, 4, 8};
  p.depth = dice.pick(kDepths);
  // Packets outstanding at once, which the timeouts must outlast.
  const std::uint32_t outstanding = p.rtl && overrides.width == 64 ? 128 * 1024 : 512 * 1024;
  constexpr std::uint32_t kLongest = 65536;

  p.weights = {20, 5, 5, 30, 10, 20, 5, 5};
  constexpr std::uint8_t kRetries[] = {0, 1, 3, 7, 7, 7, 7};
  constexpr std::uint8_t kRnrRetries[] = {0, 1, 6, 7, 7, 7, 7};
  p.connect.retry_cnt = dice.pick(kRetries);
  p.connect.rnr_retry = dice.pick(kRnrRetries);
  p.connect.min_rnr_timer = static_cast<std::uint8_t>(1 + dice.below(6));
  constexpr std::uint8_t kReads[] = {1, 2, 4, 16};
  p.connect.max_rd_atomic = dice.pick(kReads);
  p.connect.max_dest_rd_atomic = p.connect.max_rd_atomic;
  p.connect.traffic_class = static_cast<std::uint8_t>(dice.below(256));
  p.connect.flow_label = static_cast<std::uint32_t>(dice.below(1u << 20));
  p.connect.hop_limit = static_cast<std::uint8_t>(1 + dice.below(255));

  testbench::Config& c = p.config;
  c.engines.fill(engine);
  c.width = overrides.width;
  c.lockstep = overrides.lockstep && p.rtl;
  c.seed = p.seed;
  c.ipv6 = dice.chance(0.3);
  if (dice.chance(0.2)) c.vlan = static_cast<std::uint16_t>(1 + dice.below(4094));
  constexpr std::uint64_t kDelays[] = {100, 500, 2000, 20000};
  c.delay_ns = dice.pick(kDelays);
  constexpr std::uint64_t kMemory[] = {100, 400, 400, 1000, 10000};
  c.memory_ns = dice.pick(kMemory);
  c.out_of_order = dice.chance(0.5);
  c.stall = dice.chance(0.5) ? 0.01 : 0;

  constexpr double kLoss[] = {0, 1e-3, 0.01, 0.05, 0.1, 0.1};
  constexpr double kBursts[] = {1, 1, 4, 32};
  constexpr double kDuplicate[] = {0, 0.01, 0.1, 0.5};
  constexpr double kReorder[] = {0, 0, 0.01, 0.1, 0.3};
  constexpr double kCorrupt[] = {0, 0, 0.005, 0.02};
  for (testbench::Faults& f : c.faults) {
    f.loss = overrides.loss.value_or(dice.pick(kLoss));
    f.mean_burst = overrides.burst.value_or(dice.pick(kBursts));
    f.duplicate = overrides.duplicate.value_or(dice.pick(kDuplicate));
    f.duplicate_delay_ns = dice.chance(0.5) ? 0 : dice.below(200'000);
    f.reorder = overrides.reorder.value_or(dice.pick(kReorder));
    f.reorder_depth = static_cast<unsigned>(1 + dice.below(8));
    f.corrupt = overrides.corrupt.value_or(dice.pick(kCorrupt));
    f.jitter_ns = dice.chance(0.2) ? dice.below(5000) : 0;
  }
  const bool pauses = dice.chance(0.3) && !overrides.atomics_only;
  const std::uint64_t pause_seed = dice.below(~std::uint64_t{0});

  p.srq = {dice.chance(0.3), dice.chance(0.3)};
  p.credits = dice.chance(0.3);
  if (dice.chance(0.5)) {
    p.late_receive = 0.1;
    p.late_ns = 1 + dice.below(100'000);
  }
  p.witness = dice.chance(0.7);
  p.generations = static_cast<unsigned>(1 + dice.below(4));
  p.endings = {0.2, 0.25, 0.25, 0.2, 0.1};
  p.linger = 0.3;

  if (overrides.atomics_only) {
    // Retries must suffice for all of them: faults that the user requested, and no others.
    for (testbench::Faults& f : c.faults) {
      f.mean_burst = overrides.burst.value_or(1);
      f.corrupt = overrides.corrupt.value_or(0);
      f.jitter_ns = 0;
    }
    p.srq = {false, false};
    p.weights = {0, 0, 0, 0, 0, 0, 3, 7};
    p.connect.retry_cnt = p.connect.rnr_retry = 7;
    p.witness = false;
  }
  if (overrides.one_generation) p.generations = 1;
  if (overrides.queue_pairs) p.connections = *overrides.queue_pairs;
  if (p.connections < 2) p.witness = false;

  const std::uint32_t share = outstanding / (2 * p.connections * p.depth);
  p.max_bytes = std::min(kLongest, std::max<std::uint32_t>(share, 512));
  // The number of messages is what the engine processes in some seconds.
  const unsigned total = overrides.messages.value_or(p.rtl ? 200 : 3000);
  p.messages = std::max(1u, (total + 2 * p.connections - 1) / (2 * p.connections));

  // The counters of all connections stand at one offset of a page, which the RTL's atomic unit
  // takes one after the other: many connections and slow memory would respond later than any timer
  // that a simulation can wait for.
  if (p.connections > 8) c.memory_ns = std::min<decltype(c.memory_ns)>(c.memory_ns, 1000);

  // T exceeds twice the longest delay: the payload of both directions, and retransmissions.
  const double gbps = testbench::link_rate_gbps(c.width);
  const double ahead_ns = 2.0 * p.connections * p.depth * (p.max_bytes + 100.0) * 8 / gbps;
  const double way_ns =
      2.0 * static_cast<double>(c.delay_ns) + 8.0 * static_cast<double>(c.memory_ns);
  unsigned code = 6;
  while (4096.0 * static_cast<double>(1u << code) < 2 * (ahead_ns + way_ns)) ++code;
  p.connect.timeout = static_cast<std::uint8_t>(code);

  if (pauses) {
    Dice when(pause_seed);
    const std::uint64_t t = std::uint64_t{4096} << code;
    std::uint64_t at = 50'000;
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t length = when.chance(0.5) ? t / 2 : 2 * t;
      c.faults[when.below(2)].pauses.push_back({at, at + length});
      at += length + when.below(2 * t);
    }
  }
  return p;
}

std::string RoundPlan::text() const {
  std::string text = std::to_string(connections) + " QPs x " + std::to_string(messages) +
                     "x2, depth " + std::to_string(depth) + ", MTU " +
                     std::to_string(128u << connect.path_mtu) +
                     ", <= " + std::to_string(max_bytes) + " B";
  const auto percent = [](double p) {
    char number[16];
    std::snprintf(number, sizeof number, "%g%%", 100 * p);
    return std::string(number);
  };
  const auto both = [&](const char* what, double testbench::Faults::*field) {
    const double a = config.faults[0].*field, b = config.faults[1].*field;
    if (a == 0 && b == 0) return;
    text += std::string(", ") + what + " " + percent(a) + "/" + percent(b);
  };
  both("loss", &testbench::Faults::loss);
  if (config.faults[0].mean_burst > 1 || config.faults[1].mean_burst > 1) text += " in bursts";
  both("dup", &testbench::Faults::duplicate);
  both("reorder", &testbench::Faults::reorder);
  both("corrupt", &testbench::Faults::corrupt);
  if (!config.faults[0].pauses.empty() || !config.faults[1].pauses.empty()) text += ", pauses";
  text += ", T " + std::to_string(connect.timeout) + ", retry " +
          std::to_string(connect.retry_cnt) + "/" + std::to_string(connect.rnr_retry);
  if (wrap) text += ", wrap";
  if (srq[0] || srq[1]) text += ", SRQ";
  if (credits) text += ", credits";
  if (late_receive > 0) text += ", late receives";
  if (generations > 1) text += ", " + std::to_string(generations) + " generations";
  if (witness) text += ", witness";
  text += ", memory " + std::to_string(config.memory_ns) + " ns";
  if (config.stall > 0) text += " with stalls";
  return text;
}

}  // namespace roci::soak
