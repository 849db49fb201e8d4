// SPDX-License-Identifier: Apache-2.0
#include "testbench/ports/port_bridge.hpp"

#include <poll.h>
#include <time.h>

#include <algorithm>

namespace roci::testbench::ports {
namespace {

constexpr std::uint64_t kMostNs = 10'000'000;  // longest sleep
constexpr std::size_t kMostWaiting = 256;      // frames for a node that is slower than its peer

}  // namespace

void PortBridge::pump(std::uint64_t now_ns) {
  while (held_ || out_.take_frame(now_ns, leaving_)) {
    held_ = ports_.port != nullptr && !ports_.port->send(now_ns, leaving_);
    if (held_) break;
  }
  while (ports_.port != nullptr && room() && ports_.port->receive(now_ns, frame_)) {
    in_.inject(now_ns, frame_);
  }
  while (ports_.tap != nullptr && ports_.tap->receive(now_ns, frame_)) to_ethernet_(frame_);
}

bool PortBridge::room() const { return in_.waiting() < kMostWaiting; }

std::uint64_t PortBridge::next_ns() const {
  const std::uint64_t port = ports_.port != nullptr && room() ? ports_.port->next_ns() : kNever;
  // A frame that waits for the port has no due time.
  return held_ ? port : std::min(out_.next_ns(), port);
}

std::array<int, 2> PortBridge::descriptors() const {
  return {ports_.port != nullptr && room() ? ports_.port->descriptor() : -1,
          ports_.tap != nullptr ? ports_.tap->descriptor() : -1};
}

std::uint64_t PortBridge::wait(std::uint64_t now_ns, std::uint64_t until) {
  if (!live_) return until;
  const std::uint64_t peer = pace_.peer_ns();
  pace_.settle(now_ns, peer);
  if (until != kNever && until <= pace_.limit(peer)) return until;
  // Sockets do not signal when a busy peer accepts more.
  const std::uint64_t most = needs_asking() ? kAskingNs : kMostNs;
  const bool come = sleep(until == kNever ? most : std::min(most, pace_.real_ns_to(until, peer)));
  // Frames are forwarded first: they may have waited for this process for long.
  if (come) return now_ns;
  const std::uint64_t limit = pace_.limit(pace_.peer_ns());
  // Without a pace time is skipped, unless nothing is scheduled.
  return limit == kNever ? now_ns : std::min(until, std::max(now_ns, limit));
}

bool PortBridge::sleep(std::uint64_t real_ns) const {
  const std::array<int, 2> readable = descriptors();
  pollfd ready[2] = {{readable[0], POLLIN, 0}, {readable[1], POLLIN, 0}};
  const timespec time{static_cast<time_t>(real_ns / 1'000'000'000),
                      static_cast<long>(real_ns % 1'000'000'000)};
  return ppoll(ready, 2, &time, nullptr) > 0;
}

}  // namespace roci::testbench::ports
