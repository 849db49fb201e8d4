// SPDX-License-Identifier: Apache-2.0
// The last frames of the link, for the report of a divergence.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "model/packet/pcapng.hpp"
#include "testbench/link/frame.hpp"

namespace roci::testbench {

class LinkLog final : public FrameTap {
 public:
  using Watch = std::function<void(const FrameEvent&)>;
  /// `watch` is called for every frame that an adapter sent.
  explicit LinkLog(Watch watch) : watch_(std::move(watch)) {}

  void frame(const FrameEvent& event) override {
    constexpr std::size_t kKept = 4096;
    frames_.push_back({event.node, event.time_ns, event.parsed.frame.copy(), event.fault});
    if (frames_.size() > kKept) frames_.pop_front();
    if (!event.injected) watch_(event);
  }

  void write(const std::string& path) const {
    packet::PcapngWriter writer(path);
    writer.add_interface("n0");
    writer.add_interface("n1");
    for (const Kept& kept : frames_) {
      writer.write(kept.node, kept.time_ns, kept.bytes, kept.fault);
    }
    writer.close();
  }

 private:
  struct Kept {
    unsigned node;
    std::uint64_t time_ns;
    packet::Bytes bytes;
    std::string fault;
  };
  Watch watch_;
  std::deque<Kept> frames_;
};

}  // namespace roci::testbench
