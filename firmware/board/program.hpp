// SPDX-License-Identifier: Apache-2.0
// The host program of a board without an operating system: replies to ping and to the requests by
// which a host gets a queue pair. Address resolution is the firmware's.
#pragma once

#include "firmware/board/exchange.hpp"
#include "firmware/board/packets.hpp"

namespace roci::fw::board {

/// What the program needs of the board.
struct Platform {
  Commands commands;
  void* context;
  /// Takes the oldest Ethernet frame that is neither RoCE nor for the firmware: copies at most
  /// `room` bytes of it. Returns its length, 0: none waits.
  size_t (*receive)(void* context, uint8_t* frame, size_t room);
  bool (*send)(void* context, const uint8_t* frame, size_t bytes);
  uint64_t (*now)(void* context);  ///< ns
  /// Writes the counters that the board has; the others stay.
  void (*count)(void* context, uint32_t* counters);
};

class Program {
 public:
  Program(const Platform& platform, Mac mac, const Export& what)
      : platform_(platform),
        mac_(mac),
        address_(what.address),
        exchange_(platform.commands, what) {}

  /// False: the adapter rejects a command, or does not reply.
  bool start() { return exchange_.start(); }

  /// Handles a frame; false: none waits.
  bool poll();

  const Exchange& exchange() const { return exchange_; }

 private:
  void handle(const Datagram& datagram);

  Platform platform_;
  Mac mac_;
  uint32_t address_;
  Exchange exchange_;
  uint32_t counters_[kCounters] = {};
  alignas(4) uint8_t frame_[kFrameBytes + 2];  ///< whole words are copied
  uint8_t reply_[kHeaders + kMostBytes];
};

}  // namespace roci::fw::board
