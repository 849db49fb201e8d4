// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/wire.hpp"

#include <algorithm>

#include "firmware/net/frames.hpp"
#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/target/agent.hpp"

namespace roci::conform {
namespace {

constexpr std::uint64_t kAskNs = 500'000'000;
constexpr unsigned kAsks = 10;
constexpr std::uint64_t kBusyNs = 50'000;  // interval of attempts to send

fw::Gid halves_of(const driver::Gid& gid) {
  return {driver::high_half(gid), driver::low_half(gid)};
}

}  // namespace

Wire::Wire(Way& way) : way_(way) {
  packet::Bytes old;
  while (way_.receive(old)) {
  }
}

void Wire::pump() {
  packet::Bytes frame;
  while (way_.receive(frame)) take(frame);
}

void Wire::send(const packet::Bytes& frame) {
  const std::uint64_t end = now_ns() + kAskNs;
  while (!way_.send(frame)) {
    if (now_ns() > end) throw TargetLost("the wire accepts no frames");
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
  if (packet::parse(frame).has_bth) sent_.push_back({now_ns(), frame});
}

void Wire::own(const driver::Gid& gid) { own_.push_back(halves_of(gid)); }

std::uint64_t Wire::find(const driver::Gid& gid) {
  if (const std::uint64_t mac = way_.mac(); mac != 0) return mac;
  sought_ = halves_of(gid);
  fw::GidEntry asking{};
  asking.gid = halves_of(neighbour_of(gid));
  packet::Bytes request(fw::kFrameRoom);
  request.resize(fw::make_request(request.data(), asking, Connection::kPeerMac, sought_));
  for (unsigned i = 0; i < kAsks && found_ == 0; ++i) {
    send(request);
    const std::uint64_t end = now_ns() + kAskNs;
    while (found_ == 0 && now_ns() < end) {
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
