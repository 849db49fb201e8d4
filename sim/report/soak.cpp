// SPDX-License-Identifier: Apache-2.0
#include "sim/report/soak.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "sim/options.hpp"

namespace roci::sim {

void StatusLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (isatty(STDERR_FILENO) == 0 || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  fmt::print(stderr, "\r{:.110}\033[K", text);
  std::fflush(stderr);
  drawn_ = true;
}

void StatusLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void print_coverage(const soak::Coverage& coverage) {
  using namespace soak;
  const std::vector<Cell> cells = Coverage::cells();
  fmt::print("\nfaults by state of the requester, fault and operation\n{:<14} {:<12}", "phase",
             "fault");
  for (unsigned k = 0; k < kKinds; ++k) fmt::print(" {:>9}", soak::name_of(static_cast<Kind>(k)));
  fmt::print(" {:>9} {:>9}\n", "wrapped", "cells");
  std::size_t reached = 0;
  for (unsigned p = 0; p < kPhases; ++p) {
    for (unsigned f = 0; f < kFaults; ++f) {
      std::array<std::uint64_t, kKinds> by_kind{};
      std::uint64_t wrapped = 0;
      std::size_t all = 0, some = 0;
      for (const Cell& cell : cells) {
        if (static_cast<unsigned>(cell.phase) != p || static_cast<unsigned>(cell.fault) != f) {
          continue;
        }
        const std::uint64_t n = coverage.count(cell);
        by_kind[static_cast<unsigned>(cell.kind)] += n;
        wrapped += cell.wrapped ? n : 0;
        ++all;
        some += n != 0;
      }
      reached += some;
      fmt::print("{:<14} {:<12}", name_of(static_cast<Phase>(p)), name_of(static_cast<Fault>(f)));
      for (const std::uint64_t n : by_kind) fmt::print(" {:>9}", n);
      fmt::print(" {:>9} {:>9}\n", wrapped, fmt::format("{}/{}", some, all));
    }
  }
  fmt::print("{} of {} cells (phase x fault x operation x packet x PSN wrapped) reached", reached,
             cells.size());
  unsigned shown = 0;
  for (const Cell& cell : cells) {
    if (coverage.count(cell) != 0) continue;
    constexpr unsigned kShown = 12;
    if (shown == kShown) {
      fmt::print("\n  ... {} more; --json lists all", cells.size() - reached - shown);
      break;
    }
    fmt::print("{}\n  not: {}", shown == 0 ? ";" : "", Coverage::text(cell));
    ++shown;
  }
  fmt::print("\n");
}

nlohmann::json to_json(const soak::Coverage& coverage) {
  nlohmann::json rows = nlohmann::json::array();
  for (const soak::Cell& cell : soak::Coverage::cells()) {
    rows.push_back({{"phase", name_of(cell.phase)},
                    {"fault", name_of(cell.fault)},
                    {"operation", soak::name_of(cell.kind)},
                    {"packet", name_of(cell.position)},
                    {"wrapped", cell.wrapped},
                    {"count", coverage.count(cell)}});
  }
  return rows;
}

void print_hostile(const soak::HostilePlan& plan, const soak::HostileOutcome& o) {
  std::vector<std::string> kinds;
  for (unsigned f = 0; f < soak::kForgeries; ++f) {
    kinds.push_back(
        fmt::format("{} {}", o.forgeries[f], soak::name_of(static_cast<soak::Forgery>(f))));
  }
  std::vector<std::string> drops;
  for (const spec::Code& cause : spec::kDropCauses) {
    const std::uint64_t n = o.port.drops[cause.value];
    if (n != 0) drops.push_back(fmt::format("{} {}", n, cause.name));
  }
  const soak::Tally& w = o.witness;
  fmt::print(
      "{} {} bits seed {} {}\n"
      "  {} hostile packets ({}), {} with a right ICRC\n"
      "  {} responses and requests of {} victims, {} of them NAKs; {} completions, {} times reset "
      "and "
      "connected\n"
      "  dropped: {}\n"
      "  witness: {} messages succeeded with {} bytes, {} failed; {} packets retransmitted\n"
      "  {:.3f} s simulated, {} clocks in {:.1f} s of processor time\n",
      name_of(plan.engine), plan.width, plan.seed, o.passed ? "ok" : "FAIL", o.packets,
      fmt::join(kinds, ", "), o.sealed, o.responses, plan.victims, o.naks, o.completions, o.revived,
      fmt::join(drops, ", "), w.good, w.bytes, w.bad, o.repeated,
      static_cast<double>(o.simulated_ns) * 1e-9, o.speed.clocks, o.speed.seconds);
}

nlohmann::json to_json(const soak::HostilePlan& plan, const soak::HostileOutcome& o) {
  nlohmann::json drops, kinds;
  for (const spec::Code& cause : spec::kDropCauses) {
    drops[std::string(cause.name)] = o.port.drops[cause.value];
  }
  for (unsigned f = 0; f < soak::kForgeries; ++f) {
    kinds[soak::name_of(static_cast<soak::Forgery>(f))] = o.forgeries[f];
  }
  return {{"engine", name_of(plan.engine)},
          {"width", plan.width},
          {"seed", plan.seed},
          {"passed", o.passed},
          {"failure", o.failure},
          {"packets", o.packets},
          {"right_icrc", o.sealed},
          {"kinds", kinds},
          {"drops", drops},
          {"responses", o.responses},
          {"naks", o.naks},
          {"revived", o.revived},
          {"witness_messages", o.witness.good},
          {"witness_bytes", o.witness.bytes},
          {"clocks_evaluated", o.speed.clocks},
          {"cpu_seconds", o.speed.seconds}};
}

void print(const SoakSum& sum) {
  const soak::Tally& t = sum.tally;
  std::vector<std::string> kinds, endings;
  for (unsigned k = 0; k < soak::kKinds; ++k) {
    kinds.push_back(fmt::format("{} {}", t.kinds[k], soak::name_of(static_cast<soak::Kind>(k))));
  }
  for (unsigned e = 0; e < soak::kEndings; ++e) {
    endings.push_back(fmt::format("{} {}", t.endings[e], name_of(static_cast<soak::Ending>(e))));
  }
  fmt::print(
      "\n{} rounds: {} connections ({})\n"
      "{} messages ({}): {} good with {} bytes, {} ended bad ({} retries exceeded, {} RNR, {} "
      "wrong "
      "key), {} flushed, {} in doubt\n"
      "{} receives, {} atomics, {} invalidations; {} payloads checked on the link\n"
      "{} frames, {} with a fault, {} retransmitted; {:.3f} s simulated, {} clocks in "
      "{:.1f} s of processor time\n",
      sum.rounds, t.generations, fmt::join(endings, ", "), t.posted, fmt::join(kinds, ", "), t.good,
      t.bytes, t.bad, t.retry_exceeded, t.rnr_exceeded, t.access_errors, t.flushed, t.in_doubt,
      t.receives, t.atomics, t.invalidations, sum.payloads, sum.frames, sum.faults, sum.repeated,
      sum.simulated_s, sum.clocks, sum.seconds);
  if (sum.lockstep.requests == 0) return;
  fmt::print(
      "lock-step: {} requests, {} responses, {} completions, {} writes equal; {} connections "
      "excluded\n",
      sum.lockstep.requests, sum.lockstep.responses, sum.lockstep.completions, sum.lockstep.writes,
      sum.lockstep.left_out);
}

}  // namespace roci::sim
