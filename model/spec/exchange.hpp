// SPDX-License-Identifier: Apache-2.0
// Messages of the exchange by UDP with which a host gets a queue pair to a board's memory:
// docs/boards.md. Program of the board and its clients include this header; the former is compiled
// without a C++ library, hence only C headers are included.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/spec/layout/field.hpp"

namespace roci::exchange {

constexpr uint16_t kPort = 18516;
constexpr uint32_t kMagic = 0x524F4358;  ///< "ROCX"
constexpr uint8_t kVersion = 1;
constexpr uint8_t kReplyBit = 0x80;  ///< set in the operation of a reply

enum class Operation : uint8_t { kConnect = 1, kDisconnect = 2, kStatus = 3 };

enum class Status : uint16_t {
  kOk = 0,
  kMalformed = 1,     ///< a value out of range, another version or operation
  kFull = 2,          ///< no queue pair is free
  kFailed = 3,        ///< the adapter rejects a command
  kNotConnected = 4,  ///< no such queue pair of this peer
};

/// A request; a reply begins alike. All big-endian.
namespace request {
inline constexpr layout::WireField<uint32_t, 0, 32> magic;
inline constexpr layout::WireField<uint8_t, 32, 8> version;
inline constexpr layout::WireField<uint8_t, 40, 8> operation;
inline constexpr layout::WireField<uint16_t, 48, 16> status;  ///< in a reply
inline constexpr layout::WireField<uint32_t, 64, 32> token;   ///< the reply repeats it
inline constexpr layout::WireField<uint32_t, 96, 32> qpn;     ///< the sender's
inline constexpr layout::WireField<uint32_t, 128, 32> psn;    ///< the first that the sender sends
inline constexpr layout::WireField<uint8_t, 160, 8> mtu;      ///< code of the path MTU
inline constexpr layout::WireField<uint8_t, 168, 8> reads;    ///< READs that the host has in flight
inline constexpr size_t kBytes = 24;
}  // namespace request

/// What the reply to Connect has beside.
namespace region {
inline constexpr layout::WireField<uint32_t, 192, 32> key;
inline constexpr layout::WireField<uint64_t, 256, 64> address;
inline constexpr layout::WireField<uint64_t, 320, 64> bytes;
inline constexpr size_t kBytes = 48;
}  // namespace region

/// What the reply to Status has from byte 12 on: counters since the start.
enum Counter : uint32_t {
  kConnections,  ///< queue pairs in use
  kLink,         ///< 1: up, at 1 Gb/s
  kLinkDowns,    ///< times that this ended
  kWrongFcs,
  kWrongPreamble,
  kRxLost,       ///< frames for which the buffer after the MAC had no room
  kTxLost,       ///< frames longer than that buffer
  kFramesLost,   ///< frames for the program that were too long or found no room
  kFramesWrong,  ///< frames for the program with a wrong length or checksum
  kPings,        ///< echo requests
  kRequests,     ///< datagrams of this exchange
  kRoceDropped,  ///< RoCE packets that the adapter dropped
  kWrongRate,    ///< times that the link came up at another rate
  kCounters,
};
inline constexpr const char* kCounterNames[kCounters] = {
    "connections", "link",         "link_downs",  "wrong_fcs",    "wrong_preamble",
    "rx_lost",     "tx_lost",      "frames_lost", "frames_wrong", "pings",
    "requests",    "roce_dropped", "wrong_rate"};
constexpr uint32_t kCountersAt = 12;  ///< byte of the reply
constexpr layout::Place counter(uint32_t number) { return {8 * kCountersAt + 32 * number, 32}; }
constexpr size_t kStatusBytes = kCountersAt + 4 * kCounters;
constexpr size_t kMostBytes = kStatusBytes > region::kBytes ? kStatusBytes : region::kBytes;

}  // namespace roci::exchange
