// SPDX-License-Identifier: Apache-2.0
// Replays the frames of a capture at their times, counted from the first, and records sent frames.
#include <cstdio>
#include <optional>

#include "model/packet/capture.hpp"
#include "model/packet/pcapng.hpp"
#include "testbench/ports/port.hpp"

namespace roci::testbench::ports {
namespace {

class PcapPort final : public ExternalPort {
 public:
  PcapPort(const std::string& in, const std::string& out) {
    try {
      if (!in.empty()) frames_ = packet::read_capture(in);
      if (!out.empty()) {
        writer_.emplace(out);
        writer_->add_interface("sent");
      }
    } catch (const std::runtime_error& error) {
      throw PortError(error.what());
    }
  }
  ~PcapPort() override {
    if (!writer_) return;
    try {
      writer_->close();
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "roci: %s\n", error.what());
    }
  }

  bool send(std::uint64_t now_ns, const packet::Bytes& frame) override {
    if (writer_) writer_->write(0, now_ns, {frame.data(), frame.size()});
    ++counts_.sent;
    return true;
  }

  bool receive(std::uint64_t now_ns, packet::Bytes& frame) override {
    if (next_ == 0 && !started_) {
      started_ = true;
      start_ns_ = now_ns;
    }
    while (next_ < frames_.size() && next_ns() <= now_ns) {
      const packet::CapturedFrame& captured = frames_[next_++];
      if (!sound(captured.bytes.size())) continue;
      frame = captured.bytes;
      ++counts_.received;
      return true;
    }
    return false;
  }

  bool live() const override { return false; }
  std::uint64_t next_ns() const override {
    if (next_ >= frames_.size()) return kNever;
    const std::uint64_t first = frames_.front().time_ns, at = frames_[next_].time_ns;
    return start_ns_ + (at > first ? at - first : 0);
  }

 private:
  std::vector<packet::CapturedFrame> frames_;
  std::size_t next_ = 0;
  bool started_ = false;
  std::uint64_t start_ns_ = 0;
  std::optional<packet::PcapngWriter> writer_;
};

}  // namespace

std::unique_ptr<ExternalPort> make_pcap_port(const std::string& arguments) {
  const std::size_t comma = arguments.find(',');
  return std::make_unique<PcapPort>(arguments.substr(0, comma),
                                    comma == std::string::npos ? "" : arguments.substr(comma + 1));
}

}  // namespace roci::testbench::ports
