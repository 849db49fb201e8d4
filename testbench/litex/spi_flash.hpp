// SPDX-License-Identifier: Apache-2.0
// A SPI flash that is only read, with one bit of data (W25Q128JV, instruction 03h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace roci::board {

class SpiFlash {
 public:
  /// What is not in `content` is erased.
  explicit SpiFlash(std::vector<char> content) : content_(std::move(content)) {}

  /// The level of the data output after the inputs have these levels.
  bool step(bool cs_n, bool clock, bool in) {
    if (cs_n) {
      bits_ = command_ = 0;
    } else if (clock && !clock_) {  // it reads at the rising edge
      if (bits_ < kCommandBits) command_ = command_ << 1 | static_cast<std::uint32_t>(in);
      ++bits_;
    } else if (!clock && clock_ && bits_ >= kCommandBits) {  // and changes at the falling one
      const std::uint32_t bit = bits_ - kCommandBits;
      out_ = (byte((command_ & 0xFFFFFF) + bit / 8) >> (7 - bit % 8) & 1) != 0;
    }
    clock_ = clock;
    return out_;
  }

 private:
  static constexpr unsigned kCommandBits = 32;  // instruction and address
  static constexpr std::uint8_t kRead = 0x03, kErased = 0xFF;

  std::uint8_t byte(std::uint32_t address) const {
    if (command_ >> 24 != kRead || address >= content_.size()) return kErased;
    return static_cast<std::uint8_t>(content_[address]);
  }

  std::vector<char> content_;
  std::uint32_t bits_ = 0, command_ = 0;
  bool clock_ = false, out_ = true;
};

}  // namespace roci::board
