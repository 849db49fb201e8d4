// SPDX-License-Identifier: Apache-2.0
// Limits simulated time to the time of the other end.
//
// The rule: over any span, skipped simulated time passes at most `factor` times as fast as the time
// of the other end, except for kSlackNs. A delay of the simulation during the evaluation of clocks
// is never compensated: a peer has had at least as long as the timers of the simulation assume.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace roci::testbench::ports {

/// The clock of the other end: real time, or what another simulation shows in a file.
class PeerClock {
 public:
  PeerClock() = default;
  /// The other end keeps its time in `file`: 8 bytes, ns, in the order of this machine. Throws
  /// PortError.
  explicit PeerClock(const std::string& file);

  bool real() const { return shown_ == nullptr; }
  std::uint64_t now_ns() const {
    if (!real()) return shown_->load(std::memory_order_acquire);
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }

 private:
  std::shared_ptr<const std::atomic<std::uint64_t>> shown_;  ///< nullptr: real time
};

class Pace {
 public:
  /// Shorter jumps are not limited: those between a read of host memory and its data.
  static constexpr std::uint64_t kSlackNs = 100'000;
  /// How often a clock in a file is looked at: how fast it goes is not known.
  static constexpr std::uint64_t kLookNs = 500'000;

  explicit Pace(double factor, PeerClock clock = {}) : factor_(factor), clock_(std::move(clock)) {}

  /// The time of the other end.
  std::uint64_t peer_ns() const { return clock_.now_ns(); }

  /// Simulated time is `simulated_ns` and the other end's `peer_ns`: drops the accumulated delay.
  void settle(std::uint64_t simulated_ns, std::uint64_t peer_ns) {
    const std::uint64_t slack = scaled(kSlackNs);
    if (started_ && limit(peer_ns) <= simulated_ns + slack) return;
    from_peer_ = peer_ns;
    from_simulated_ = simulated_ns + (started_ ? slack : 0);
    started_ = true;
  }
  /// Returns the latest permitted simulated time at `peer_ns`.
  std::uint64_t limit(std::uint64_t peer_ns) const {
    if (factor_ <= 0) return ~std::uint64_t{0};
    return from_simulated_ + scaled(peer_ns - from_peer_);
  }
  /// Returns the real time from `peer_ns` until simulated time may be `until`, or until the clock
  /// is to be looked at again.
  std::uint64_t real_ns_to(std::uint64_t until, std::uint64_t peer_ns) const {
    const std::uint64_t now = limit(peer_ns);
    if (until <= now) return 0;
    if (!clock_.real()) return kLookNs;
    return static_cast<std::uint64_t>(std::min(1e18, static_cast<double>(until - now) / factor_));
  }

 private:
  std::uint64_t scaled(std::uint64_t peer_ns) const {
    return static_cast<std::uint64_t>(static_cast<double>(peer_ns) * factor_);
  }

  double factor_;
  PeerClock clock_;
  bool started_ = false;
  std::uint64_t from_peer_ = 0, from_simulated_ = 0;
};

}  // namespace roci::testbench::ports
