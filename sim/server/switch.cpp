#include "sim/server/switch.hpp"

#include <algorithm>

namespace roci::sim {
namespace {

constexpr std::size_t kMacBytes = 6;
constexpr std::uint64_t kMostWaiting = 256;  // frames at a port
constexpr std::uint64_t kSeedStep = 1000003;

std::uint64_t destination(const packet::Bytes& frame) {
  std::uint64_t mac = 0;
  for (std::size_t i = 0; i < kMacBytes; ++i) mac = mac << 8 | frame[i];
  return mac;
}

bool is_group(std::uint64_t mac) { return (mac >> 40 & 1) != 0; }

}  // namespace

Switch::Switch(unsigned nodes, const testbench::ChannelConfig& uplink)
    : macs_(nodes, 0) {
  for (unsigned i = 0; i < nodes; ++i) {
    testbench::ChannelConfig config = uplink;
    config.node = i;
    config.seed = uplink.seed * kSeedStep + i;
    config.keep_log = false;  // it would grow without end
    up_.push_back(std::make_unique<testbench::Channel>(config));
    config.faults = {};
    config.delay_ns = 0;
    down_.push_back(std::make_unique<testbench::Channel>(config));
  }
}

void Switch::forward(std::uint64_t now_ns) {
  for (unsigned from = 0; from < up_.size(); ++from) {
    while (up_[from]->receive(now_ns, frame_)) {
      const packet::Bytes& frame = frame_;
      const std::uint64_t mac = destination(frame);
      const auto owner = std::find(macs_.begin(), macs_.end(), mac);
      if (is_group(mac)) {
        for (unsigned to = 0; to < down_.size(); ++to) {
          if (to != from) send(to, now_ns, frame);
        }
      } else if (owner != macs_.end()) {
        send(static_cast<unsigned>(owner - macs_.begin()), now_ns, frame);
      } else {
        ++drops_.unknown;
      }
    }
  }
}

void Switch::send(unsigned port, std::uint64_t now_ns, const packet::Bytes& frame) {
  const testbench::Channel::Counts& counts = down_[port]->counts();
  if (counts.frames - counts.delivered >= kMostWaiting) {
    ++drops_.congested;
    return;
  }
  down_[port]->inject(now_ns, frame);
}

std::uint64_t Switch::next_ns() const {
  std::uint64_t next = testbench::Channel::kNever;
  for (const auto& channel : up_) next = std::min(next, channel->next_frame_ns());
  return next;
}

}  // namespace roci::sim
