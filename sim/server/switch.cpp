// SPDX-License-Identifier: Apache-2.0
#include "sim/server/switch.hpp"

#include <algorithm>
#include <utility>

#include "model/packet/parser.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::sim {
namespace {

constexpr std::size_t kMacBytes = 6;
constexpr std::size_t kMostWaiting = 256;  // frames at a port
constexpr std::uint64_t kSeedStep = 1000003;
// A frame from outside waits for so long, so that it does not overtake what a process posted before
// it came: a doorbell takes 400 ns to the adapter, in which a slow simulator takes in many frames.
constexpr std::uint64_t kArrivalNs = 1000;

std::uint64_t destination(const packet::Bytes& frame) {
  std::uint64_t mac = 0;
  for (std::size_t i = 0; i < kMacBytes; ++i) mac = mac << 8 | frame[i];
  return mac;
}

bool is_group(std::uint64_t mac) { return (mac >> 40 & 1) != 0; }

/// Whether the frame is a NAK for a remote operational error.
bool is_memory_nak(const packet::Bytes& frame) {
  constexpr std::size_t kLongestAck = 100;  // checked first, as parsing takes longer
  if (frame.size() > kLongestAck) return false;
  const packet::Parsed parsed = packet::parse({frame.data(), frame.size()});
  return parsed.ok() && parsed.has(packet::Ext::kAeth) &&
         parsed.aeth().syndrome() == layout::syndrome::kNakOperational;
}

}  // namespace

Switch::Switch(unsigned nodes, const testbench::LinkConfig& uplink)
    : uplink_(uplink), external_ports_(nodes), macs_(nodes, 0), linked_(nodes, true) {
  uplink_.keep_log = false;  // bounds the table
  for (unsigned i = 0; i < nodes; ++i) {
    testbench::LinkConfig config = uplink_;
    config.node = i;
    config.seed = uplink.seed * kSeedStep + i;
    up_.push_back(std::make_unique<testbench::LinkDirection>(config));
    config.faults = {};
    config.script = nullptr;
    config.delay_ns = 0;
    down_.push_back(std::make_unique<testbench::LinkDirection>(config));
  }
}

void Switch::add_external_port(unsigned node) {
  testbench::LinkConfig config = uplink_;
  config.node = static_cast<unsigned>(up_.size()) + node;
  config.seed = uplink_.seed * kSeedStep + config.node;
  config.delay_ns = kArrivalNs;
  external_ports_[node].arriving = std::make_unique<testbench::LinkDirection>(config);
  config.delay_ns = 0;  // the external port has its own rate
  config.faults = {};
  config.script = nullptr;
  external_ports_[node].leaving = std::make_unique<testbench::LinkDirection>(config);
}

unsigned Switch::owner(std::uint64_t mac) const {
  return static_cast<unsigned>(std::find(macs_.begin(), macs_.end(), mac) - macs_.begin());
}

void Switch::call_due(std::uint64_t now_ns) {
  while (!later_.empty() && later_.begin()->first <= now_ns) {
    std::function<void()> call = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    call();
  }
}

void Switch::forward(std::uint64_t now_ns) {
  if (!later_.empty()) call_due(now_ns);
  for (unsigned node = 0; node < up_.size(); ++node) {
    forward_from(node, now_ns);
    if (!has_external_port(node)) continue;
    // The sender waits in the external port, which applies back-pressure.
    while (down_[node]->waiting() < kMostWaiting &&
           external_ports_[node].arriving->receive(now_ns, frame_)) {
      to_node(node, now_ns, std::move(frame_));
    }
  }
}

void Switch::forward_from(unsigned node, std::uint64_t now_ns) {
  while (up_[node]->receive(now_ns, frame_)) {
    if (!linked_[node]) {
      ++drops_.unplugged;
      continue;
    }
    if (silent_ && silent_(node) && is_memory_nak(frame_)) {
      ++drops_.silenced;
      continue;
    }
    const std::uint64_t mac = destination(frame_);
    const auto owner = std::find(macs_.begin(), macs_.end(), mac);
    const bool known = owner != macs_.end();
    if (is_group(mac)) {
      for (unsigned to = 0; to < down_.size(); ++to) {
        if (to != node) to_node(to, now_ns, frame_);
      }
    } else if (known) {
      to_node(static_cast<unsigned>(owner - macs_.begin()), now_ns, std::move(frame_));
      continue;
    }
    if (has_external_port(node)) {
      send(*external_ports_[node].leaving, now_ns, std::move(frame_));
    } else if (!is_group(mac)) {
      ++drops_.unknown;
    }
  }
}

void Switch::to_node(unsigned node, std::uint64_t now_ns, packet::Bytes frame) {
  if (linked_[node] && take_ && take_(node, frame)) return;
  if (linked_[node]) {
    send(*down_[node], now_ns, std::move(frame));
  } else {
    ++drops_.unplugged;
  }
}

void Switch::send(testbench::LinkDirection& to, std::uint64_t now_ns, packet::Bytes frame) {
  if (to.waiting() >= kMostWaiting) {
    ++drops_.congested;
    return;
  }
  to.inject(now_ns, std::move(frame));
}

std::uint64_t Switch::next_ns() const {
  std::uint64_t next = later_.empty() ? testbench::LinkDirection::kNever : later_.begin()->first;
  for (const auto& channel : up_) next = std::min(next, channel->next_frame_ns());
  for (std::size_t i = 0; i < external_ports_.size(); ++i) {
    // The node of a full port empties it, at a time that is not known here.
    if (external_ports_[i].arriving != nullptr && down_[i]->waiting() < kMostWaiting) {
      next = std::min(next, external_ports_[i].arriving->next_frame_ns());
    }
  }
  return next;
}

}  // namespace roci::sim
