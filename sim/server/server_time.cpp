// SPDX-License-Identifier: Apache-2.0
// How a server passes simulated time to its processes (`roci up --time simulated`).
#include <algorithm>
#include <utility>

#include "driver/device/clock.hpp"
#include "sim/server/server.hpp"

namespace roci::sim {

using driver::clock_ns;

/// Called every few clocks, and where the simulation must stop for a process. Doorbells are taken
/// when all processes rest, so that it does not matter how fast they are rung.
void Server::look_simulated(std::uint64_t now_ns) {
  memory_.wake_waiting();
  if (clock_ns() - polled_at_ns_ >= kPollNs) serve_for(0);
  if (now_ns >= look_at_ns || time_.disturbed()) {
    const bool settled = time_.settle(
        [this](std::uint64_t ns) {
          serve_for(ns);
          return !fabric_.stopping();
        },
        [&] { passed_on_ |= take_doorbells(now_ns); });
    if (!settled) return;
  } else {
    passed_on_ |= take_doorbells(now_ns);  // the rest of those that the adapter had no room for
  }
  counters_.refresh(now_ns);
  cm_.expire(now_ns);
  passed_on_ |= cm_.flush(now_ns);
}

/// Handles messages for at most `ns` of real time.
void Server::serve_for(std::uint64_t ns) {
  if (ns != 0) sleep(true);
  poll_for(ns);
  if (ns != 0) sleep(false);
  memory_.wake_waiting();
}

/// The adapters have nothing to do until `until_ns`, and all processes wait. A long time without
/// any work passes no faster than real time: a program that is started now may belong to it. Time
/// passes at the start of a call alone, when no process runs.
std::uint64_t Server::rest_simulated(std::uint64_t now_ns, std::uint64_t until_ns) {
  look_at_ns = 0;
  look_simulated(now_ns);
  // `until_ns` does not include what was handled here.
  if (std::exchange(passed_on_, false) || fabric_.has_work()) return now_ns;
  // From here on a thread that begins to wait sends a message.
  sleep(true);
  const std::uint64_t next =
      std::min({until_ns, time_.deadline(), cm_.deadline(), counters_.deadline()});
  const std::uint64_t gap = next > now_ns ? next - now_ns : 0;
  std::uint64_t passes = 0;
  if (!rung()) {
    passes = time_.may_pass(gap);
    if (passes != 0) time_.publish(now_ns + passes);
    if (passes == 0 && gap != 0) poll_for(next == testbench::kNever ? testbench::kNever : gap);
    look_at_ns = 0;
  }
  sleep(false);
  return now_ns + passes;
}

}  // namespace roci::sim
