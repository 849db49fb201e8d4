// SPDX-License-Identifier: Apache-2.0
// The serial line of a simulated board, 8 bits without parity: what it prints goes into a file,
// and what is typed comes from standard input.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "testbench/litex/wire.hpp"

namespace roci::board {

class Console {
 public:
  Console(const char* file, std::uint64_t bit_ps) : file_(std::fopen(file, "wb")), bit_ps_(bit_ps) {
    if (file_ == nullptr) fail(std::string("cannot make ") + file);
    std::setvbuf(file_, nullptr, _IONBF, 0);
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
  }

  /// The level of the board's output at this time; looks that are close to each other are needed.
  void look(bool level, std::uint64_t now_ps) {
    if (bits_ == 0) {
      if (level) return;
      next_ps_ = now_ps + bit_ps_ + bit_ps_ / 2;  // the middle of the first bit
      bits_ = 9;
    } else if (now_ps >= next_ps_) {
      next_ps_ += bit_ps_;
      if (--bits_ != 0) {
        byte_ = static_cast<std::uint8_t>(byte_ >> 1 | (level ? 0x80 : 0));
      } else if (!level) {
        fail("no stop bit at the console");
      } else {
        std::fputc(byte_, file_);
      }
    }
  }

  /// The level of the board's input.
  bool typed(std::uint64_t now_ps) const {
    if (now_ps < from_ps_) return true;
    const std::uint64_t bit = (now_ps - from_ps_) / bit_ps_;  // the first is the start bit
    return bit == 0 ? false : bit > 8 || (key_ >> (bit - 1) & 1) != 0;
  }

  /// Takes the next key when the board has had time for the one before.
  void type(std::uint64_t now_ps) {
    if (now_ps < from_ps_ + kKeyBits * bit_ps_) return;
    if (read(STDIN_FILENO, &key_, 1) == 1) from_ps_ = now_ps;
  }

 private:
  static constexpr std::uint64_t kKeyBits = 100;  // between two keys

  std::FILE* file_;
  std::uint64_t bit_ps_, next_ps_ = 0;
  unsigned bits_ = 0;  // to come, with the stop bit
  std::uint8_t byte_ = 0;
  std::uint8_t key_ = 0xFF;
  std::uint64_t from_ps_ = 0;  // when its start bit begins
};

}  // namespace roci::board
