// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/wire.hpp"

#include <poll.h>

#include <algorithm>

#include "driver/device/clock.hpp"
#include "firmware/net/frames.hpp"
#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/target/link.hpp"

namespace roci::conform {
namespace {

constexpr std::uint64_t kAskNs = 500'000'000;
constexpr unsigned kAsks = 10;
constexpr std::uint64_t kBusyNs = 50'000;  // interval of the polls of a port without a descriptor

fw::Gid halves_of(const driver::Gid& gid) {
  return {driver::high_half(gid), driver::low_half(gid)};
}

}  // namespace

std::uint64_t real_ns() { return driver::clock_ns(); }

Wire::Wire(testbench::ports::ExternalPort& port) : port_(port) {
  packet::Bytes old;
  while (port_.receive(real_ns(), old)) {
  }
}

void Wire::pump() {
  packet::Bytes frame;
  while (port_.receive(real_ns(), frame)) take(frame);
}

void Wire::wait(std::uint64_t ns) const {
  pollfd readable{port_.descriptor(), POLLIN, 0};
  const bool must_poll = readable.fd < 0;
  const timespec time = driver::timespec_of(must_poll ? std::min(ns, kBusyNs) : ns);
  ppoll(&readable, must_poll ? 0 : 1, &time, nullptr);
}

void Wire::send(const packet::Bytes& frame) {
  const std::uint64_t end = real_ns() + kAskNs;
  while (!port_.send(real_ns(), frame)) {
    if (real_ns() > end) throw TargetLost("the wire accepts no frames");
    wait(kBusyNs);
  }
}

void Wire::take(const packet::Bytes& frame) {
  fw::NeighbourMessage message{};
  if (fw::read_neighbour_frame(frame.data(), frame.size(), &message)) {
    if (message.sender == sought_ && message.sender_mac != 0) found_ = message.sender_mac;
    // All addresses but the adapter's own are those of peers. It asks for its own to learn whether
    // another host has it.
    const bool own = std::find(own_.begin(), own_.end(), message.target) != own_.end();
    if (!message.request || own || message.sender.is_zero() || message.target == message.sender) {
      return;
    }
    packet::Bytes reply(fw::kFrameRoom);
    reply.resize(fw::make_reply(reply.data(), Connection::kPeerMac, message));
    return send(reply);
  }
  if (packet::parse(frame).has_bth) sent_.push_back({real_ns(), frame});
}

void Wire::own(const driver::Gid& gid) { own_.push_back(halves_of(gid)); }

std::uint64_t Wire::find(const driver::Gid& gid) {
  sought_ = halves_of(gid);
  fw::GidEntry asking{};
  asking.gid = halves_of(neighbour_of(gid));
  packet::Bytes request(fw::kFrameRoom);
  request.resize(fw::make_request(request.data(), asking, Connection::kPeerMac, sought_));
  for (unsigned i = 0; i < kAsks && found_ == 0; ++i) {
    send(request);
    const std::uint64_t end = real_ns() + kAskNs;
    while (found_ == 0 && real_ns() < end) {
      wait(kAskNs / 10);
      pump();
    }
  }
  if (found_ == 0) {
    throw TargetLost("the wire is silent: " + packet::to_string(gid) +
                     " does not reply to address resolution within " +
                     std::to_string(kAsks * kAskNs / 1'000'000'000) +
                     " s; does the wire lead to the adapter of the agent?");
  }
  return found_;
}

}  // namespace roci::conform
