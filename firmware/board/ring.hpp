// SPDX-License-Identifier: Apache-2.0
// The ring of admin commands of a host program that shares its processor with the firmware.
#pragma once

#include "firmware/firmware.hpp"

namespace roci::fw::board {

class Ring {
 public:
  /// `commands` and `replies` are pages that the adapter reaches at the same addresses.
  Ring(const Hal& hal, Firmware* firmware, volatile uint32_t* commands, volatile uint32_t* replies)
      : hal_(hal), firmware_(firmware), commands_(commands), replies_(replies) {}

  /// Writes where the rings are, and switches the adapter on.
  void start();

  /// Gives a command and lets the firmware work until the reply is there. False: none within a
  /// second.
  bool run(const Message& command, Message* reply);

 private:
  uint32_t read(uint32_t offset) { return hal_.read32(hal_.context, offset); }
  void write(uint32_t offset, uint32_t value) { hal_.write32(hal_.context, offset, value); }
  uint64_t now();

  Hal hal_;
  Firmware* firmware_;
  volatile uint32_t* commands_;
  volatile uint32_t* replies_;
  uint16_t producer_ = 0;
};

}  // namespace roci::fw::board
