// SPDX-License-Identifier: Apache-2.0
// Blocks of host memory on a port of block reads, which take them by beats.
#pragma once

#include <cstdint>
#include <cstring>

#include "rtl/common/test/dut.hpp"

#ifndef DATA_WIDTH
#define DATA_WIDTH 512
#endif

namespace bus {

constexpr unsigned kBlockBeats = 512 / DATA_WIDTH;

/// Puts one beat of a block of 64 bytes on a port: {error, data}. Of a block that cannot be read,
/// only beat `bad_beat` says so.
template <typename Port>
void put_beat(Port& port, const std::uint8_t* block, unsigned beat, bool error,
              unsigned bad_beat = 0) {
  for (unsigned i = 0; i < DATA_WIDTH / 64; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, block + DATA_WIDTH / 8 * beat + 8 * i, sizeof word);
    port::put(port, 64 * i, 64, word);
  }
  port::put(port, DATA_WIDTH, 1, error && beat == bad_beat);
}

/// Counts the beats of the blocks on a port.
class BlockBeats {
 public:
  unsigned now() const { return beat_; }
  /// The beat was taken. True after the last one of a block.
  bool taken() {
    beat_ = (beat_ + 1) % kBlockBeats;
    return beat_ == 0;
  }

 private:
  unsigned beat_ = 0;
};

}  // namespace bus
