// SPDX-License-Identifier: Apache-2.0
// The link of a simulated board at its RGMII pins: frames get preamble, FCS and gap, some are
// damaged; what the board sends is judged.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <deque>
#include <random>

#include "testbench/litex/wire.hpp"

namespace roci::board {

constexpr std::uint64_t kEthPs = 8'000;  // for a byte at 1 Gb/s
constexpr unsigned kPreamble = 8, kGap = 12, kFcs = 4, kShortest = 64;
constexpr std::size_t kFull = 1024;  // bytes of a frame with a payload of the path MTU, at least
// Status between frames, with full duplex: at 1 Gb/s, without a link, at 100 Mb/s.
constexpr std::uint8_t kUp = 0xD, kDown = 0xC, kSlow = 0xB;

/// What went one way: all frames, and from the first to the last with a full payload.
struct Way {
  unsigned frames = 0, full = 0;
  std::uint64_t full_from_ps = 0, full_to_ps = 0;

  /// A frame of `bytes` without preamble has ended.
  void count(std::size_t bytes, std::uint64_t now_ps) {
    ++frames;
    if (bytes < kFull) return;
    if (full++ == 0) full_from_ps = now_ps - (kPreamble + bytes) * kEthPs;
    full_to_ps = now_ps + kGap * kEthPs;
  }
};

/// Four bits and a control bit each way, at both edges of the link's clock.
class Link {
 public:
  /// The level of the pins towards the board.
  struct Pins {
    std::uint8_t control, data;
  };

  /// A byte of one in `every` frames (0: none) is damaged, by chance.
  explicit Link(unsigned every) : every_(every) {}

  void set_status(std::uint8_t status) { status_ = status; }
  std::size_t waiting() const { return waiting_.size(); }

  /// A frame for the board; without a link it is lost.
  void put(const Frame& frame) {
    if (status_ == kUp) waiting_.push_back(on_link(frame));
  }

  /// Frames of the board that have not been taken.
  std::deque<Frame>& sent() { return sent_; }

  const Way& in() const { return in_; }
  const Way& out() const { return out_; }
  unsigned damaged() const { return damaged_; }

  /// Four bits to the board: the lower ones of a byte before the rising edge, so after the falling.
  Pins receive(bool high, std::uint64_t now_ps) {
    if (!high && at_ == 0 && gap_ == 0 && !waiting_.empty()) sending_ = true;
    if (!sending_) {
      if (!high && gap_ != 0) --gap_;
      return {0, status_};
    }
    const Frame& frame = waiting_.front();
    const Pins pins{1, static_cast<std::uint8_t>(high ? frame[at_] >> 4 : frame[at_] & 0xF)};
    if (!high || ++at_ < frame.size()) return pins;
    in_.count(frame.size() - kPreamble, now_ps);
    waiting_.pop_front();
    sending_ = false;
    at_ = 0;
    gap_ = kGap;
    return pins;
  }

  /// Four bits of the board: the lower ones of a byte while the clock is high.
  void transmitted(Pins pins, bool high, std::uint64_t now_ps) {
    if (high) {
      low_ = pins.data;
      return;
    }
    if (pins.control != 0) {
      if (leaving_.empty() && idle_ < kGap && out_.frames != 0) fail("a gap of less than 12 bytes");
      leaving_.push_back(static_cast<std::uint8_t>(low_ | pins.data << 4));
      idle_ = 0;
      return;
    }
    ++idle_;
    if (!leaving_.empty()) leave(now_ps);
  }

 private:
  /// A frame with preamble and FCS, damaged when its turn has come.
  Frame on_link(Frame frame) {
    if (frame.size() < kShortest - kFcs) frame.resize(kShortest - kFcs);
    const uLong fcs = crc32(0, frame.data(), static_cast<uInt>(frame.size()));
    for (unsigned i = 0; i < kFcs; ++i) frame.push_back(static_cast<std::uint8_t>(fcs >> 8 * i));
    if (every_ != 0 && random_() % every_ == 0) frame[++damaged_ * 7 % frame.size()] ^= 0x40;
    static const Frame preamble = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5};
    frame.insert(frame.begin(), preamble.begin(), preamble.end());
    return frame;
  }

  void leave(std::uint64_t now_ps) {
    for (unsigned i = 0; i < kPreamble; ++i) {
      if (leaving_[i] != (i + 1 < kPreamble ? 0x55 : 0xD5)) fail("no preamble");
    }
    const std::size_t length = leaving_.size() - kPreamble;
    if (leaving_.size() < kPreamble + kShortest) fail("a frame of less than 64 bytes");
    // The CRC over a frame and its FCS is a constant.
    if (crc32(0, leaving_.data() + kPreamble, static_cast<uInt>(length)) != 0x2144DF1C) {
      fail("a wrong FCS");
    }
    out_.count(length, now_ps);
    if (status_ == kUp) sent_.emplace_back(leaving_.begin() + kPreamble, leaving_.end() - kFcs);
    leaving_.clear();
  }

  unsigned every_;
  std::mt19937 random_{1};
  std::deque<Frame> waiting_, sent_;
  Frame leaving_;
  std::size_t at_ = 0;
  std::uint8_t status_ = kUp, low_ = 0;
  bool sending_ = false;
  unsigned gap_ = 0, idle_ = 0, damaged_ = 0;
  Way in_, out_;
};

}  // namespace roci::board
