// SPDX-License-Identifier: Apache-2.0
// Stepping of a World: clocks of the adapters, time, firmware.
#include <algorithm>

#include "testbench/world_impl.hpp"

namespace roci::testbench {

void World::Impl::stepper() {
  for (;;) {
    const std::uint64_t synced = ns_of(sc_core::sc_time_stamp());
    const std::uint64_t pending = ns_of(sc_core::sc_time_to_pending_activity());
    const std::uint64_t limit = pending > kNever - synced ? kNever : synced + pending;
    const std::uint64_t reached = advance(limit);
    if (reached > synced) sc_core::wait(time_of(reached - synced));
    for (sc_core::sc_event* event : woken) event->notify(sc_core::SC_ZERO_TIME);
    woken.clear();
    if (stop || running == 0) {
      stop = false;
      sc_core::sc_pause();
    }
    sc_core::wait(sc_core::SC_ZERO_TIME);
  }
}

void World::Impl::evaluate(NodeModule& node) {
  node.edge_ns = now;
  node.nic().clock(now);
  const bool wrote = node.nic().memory_changed();
  if (wrote) node.memory_changed();
  if (wrote || std::exchange(frame_sent.seen, false)) {
    node.collect_woken(woken);
  }
  auto& accesses = node.nic().woken();
  if (!accesses.empty()) {
    woken.insert(woken.end(), accesses.begin(), accesses.end());
    accesses.clear();
  }
  if (node.nic().attention() && node.firmware_sleeps) {
    node.firmware_sleeps = false;
    woken.push_back(&node.firmware_wakes);
  }
}

std::uint64_t World::Impl::advance(std::uint64_t limit) {
  while (now < limit) {
    if (stop || running == 0) return std::min(now, limit);
    if (bridge) bridge->pump_sometimes(now);
    bool evaluated = false;
    std::uint64_t next = limit;
    for (auto& node : nodes) {
      const std::uint64_t at = node->nic().wakes_at();
      if (at > now) {
        next = std::min(next, at);
        continue;
      }
      evaluated = true;
      evaluate(*node);
    }
    const std::uint64_t edge = now;
    if (evaluated) {
      ++clocks;
      now += kClockNs;
      if (clocks >= next_tick) {
        next_tick += tick_clocks;
        if (tick) tick(now);
      }
    } else if (bridge) {
      leap(*bridge, next);
    } else if (next == kNever) {
      fail(describe_stall());
      return edge;
    } else {
      const std::uint64_t to =
          std::max(now + kClockNs, (next + kClockNs - 1) / kClockNs * kClockNs);
      skipped += to - now;
      now = to;
    }
    if (now >= next_watch) watch();
    if (!woken.empty()) return edge;
  }
  return limit;
}

void World::Impl::leap(ports::PortBridge& bridge, std::uint64_t next) {
  bridge.pump(now);
  next = std::min({next, nodes[0]->nic().wakes_at(), bridge.next_ns()});
  if (next == kNever && !bridge.live()) return fail(describe_stall());
  const std::uint64_t reached = next <= now ? now + kClockNs : bridge.wait(now, next);
  const std::uint64_t to = (reached + kClockNs - 1) / kClockNs * kClockNs;
  skipped += to - now;
  now = to;
  bridge.pump(now);
}

void World::Impl::watch() {
  next_watch = now + kWatchdogNs;
  if (!config.alone) watch_progress();
  if (config.strict && !violations.empty()) fail(violations.front());
  if (now > config.time_limit_ns) fail("simulated time is over its limit");
}

void World::Impl::watch_progress() {
  const std::uint64_t slack =
      1'000'000 + 4 * config.delay_ns + 8 * config.memory_ns + 2 * config.register_ns;
  for (unsigned i = 0; i < 2; ++i) {
    nodes[i]->work.check_progress(now, slack, nodes[1 - i]->work.rnr_ns());
  }
}

std::string World::Impl::describe_stall() const {
  std::string text = "I11: nothing can happen any more, but programs wait";
  for (const auto& node : nodes) {
    text += "; " + std::string(node->basename()) + " has completed " +
            std::to_string(node->work.completions());
  }
  return text;
}

void World::Impl::firmware(NodeModule& node) {
  for (;;) {
    const std::uint64_t again = node.management().run();
    if (node.nic().attention()) {
      // Its writes have not reached the adapter yet, or a command waits for an address.
      constexpr std::uint64_t kPollNs = 1000;
      sc_core::wait(time_of(node.management().idle() ? kPollNs : kClockNs));
      continue;
    }
    node.firmware_sleeps = true;
    if (again == kNever) {
      sc_core::wait(node.firmware_wakes);
    } else {
      const std::uint64_t now_ns = node.now_ns();
      sc_core::wait(time_of(again > now_ns ? again - now_ns : kClockNs), node.firmware_wakes);
    }
    node.firmware_sleeps = false;
  }
}

}  // namespace roci::testbench
