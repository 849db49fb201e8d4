// SPDX-License-Identifier: Apache-2.0
// Limits simulated time to real time.
//
// The rule: over any span, skipped simulated time passes at most `factor` times as fast as real
// time, except for kSlackNs. A delay of the simulation during the evaluation of clocks is never
// compensated: a peer in real time has had at least as long as the timers of the simulation assume.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace roci::testbench::ports {

class Pace {
 public:
  /// Shorter jumps are not limited: those between a read of host memory and its data.
  static constexpr std::uint64_t kSlackNs = 100'000;

  explicit Pace(double factor) : factor_(factor) {}

  /// Simulated time is `simulated_ns` and the wall clock shows `real_ns`: drops the accumulated
  /// delay.
  void settle(std::uint64_t simulated_ns, std::uint64_t real_ns) {
    const std::uint64_t slack = scaled(kSlackNs);
    if (started_ && limit(real_ns) <= simulated_ns + slack) return;
    from_real_ = real_ns;
    from_simulated_ = simulated_ns + (started_ ? slack : 0);
    started_ = true;
  }
  /// Returns the latest permitted simulated time at `real_ns`.
  std::uint64_t limit(std::uint64_t real_ns) const {
    if (factor_ <= 0) return ~std::uint64_t{0};
    return from_simulated_ + scaled(real_ns - from_real_);
  }
  /// Returns the real time from `real_ns` until simulated time may be `until`.
  std::uint64_t real_ns_to(std::uint64_t until, std::uint64_t real_ns) const {
    const std::uint64_t now = limit(real_ns);
    if (until <= now) return 0;
    return static_cast<std::uint64_t>(std::min(1e18, static_cast<double>(until - now) / factor_));
  }

  static std::uint64_t real_now_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }

 private:
  std::uint64_t scaled(std::uint64_t real_ns) const {
    return static_cast<std::uint64_t>(static_cast<double>(real_ns) * factor_);
  }

  double factor_;
  bool started_ = false;
  std::uint64_t from_real_ = 0, from_simulated_ = 0;
};

}  // namespace roci::testbench::ports
