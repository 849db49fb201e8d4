// SPDX-License-Identifier: Apache-2.0
// Drives the timer by commands and keeps its events with their times.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <random>
#include <vector>

#include "Vroci_timer.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace timer_rig {

using Op = layout::TimerOp;

inline constexpr unsigned kQps = 64;                  // as in block.cmake
inline constexpr unsigned kClock = 4;                 // ns
inline constexpr std::uint64_t kSlack = 20 * kClock;  // from a deadline to the event, when alone
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Event {
  std::uint64_t time;
  unsigned qpn;
  bool rnr;
};

struct Bench {
  Dut<Vroci_timer> dut;
  std::uint64_t now = 1'000'000;
  std::vector<Event> events;
  bool take_events = true;

  Bench() {
    dut->timer_cmd_valid_i = 0;
    while (!dut->idle_o) tick();
    CHECK(dut.cycle() < 3 * kQps);
    CHECK(dut->next_deadline_o == kNever);
  }

  void tick() {
    dut->now_i = now;
    dut->timer_event_ready_i = take_events;
    dut.settle();
    if (dut->timer_event_valid_o && take_events) {
      events.push_back({now, port::get(dut->timer_event_o, layout::timer_event::qpn),
                        port::get(dut->timer_event_o, layout::timer_event::rnr)});
    }
    dut.tick();
    now += kClock;
  }

  void command(unsigned qpn, Op op, unsigned code = 0) {
    port::put(dut->timer_cmd_i, layout::timer_cmd::qpn, qpn);
    port::put(dut->timer_cmd_i, layout::timer_cmd::op, op);
    port::put(dut->timer_cmd_i, layout::timer_cmd::code, code);
    dut->timer_cmd_valid_i = 1;
    dut.settle();
    while (!dut->timer_cmd_ready_o) tick();
    tick();
    dut->timer_cmd_valid_i = 0;
  }

  /// Until nothing is being processed.
  void settle() {
    do tick();
    while (!dut->idle_o);
  }

  /// Jumps to the next deadline and lets it be processed.
  void skip() {
    settle();
    REQUIRE(dut->next_deadline_o != kNever);
    now = std::max<std::uint64_t>(now, dut->next_deadline_o);
    settle();
  }

  /// Skips until an event comes. Returns its time after `from`.
  std::uint64_t wait(std::uint64_t from, unsigned qpn, bool rnr) {
    events.clear();
    for (int i = 0; i < 10 && events.empty(); ++i) skip();
    REQUIRE(events.size() == 1);
    CHECK(events[0].qpn == qpn);
    CHECK(events[0].rnr == rnr);
    return events[0].time - from;
  }
};

}  // namespace timer_rig
