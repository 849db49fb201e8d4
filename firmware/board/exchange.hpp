// SPDX-License-Identifier: Apache-2.0
// The exchange by UDP with which a host gets a queue pair to the board's memory: docs/boards.md.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/commands/commands.hpp"

namespace roci::fw::board {

constexpr uint16_t kPort = 18516;
constexpr uint32_t kMagic = 0x524F4358;  ///< "ROCX"
constexpr uint8_t kVersion = 1;
constexpr uint8_t kReplyBit = 0x80;  ///< set in the operation of a reply

enum class Operation : uint8_t { kConnect = 1, kDisconnect = 2, kStatus = 3 };

enum class Status : uint16_t {
  kOk = 0,
  kMalformed = 1,     ///< a value out of range, another version or operation
  kFull = 2,          ///< each queue pair has a peer that was heard of in the last 10 s
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
  kLink,         ///< 1: up
  kLinkDowns,
  kWrongFcs,
  kWrongPreamble,
  kRxLost,       ///< frames for which the buffer after the MAC had no room
  kTxLost,       ///< frames longer than that buffer
  kFramesLost,   ///< frames for the program that were too long or found no room
  kFramesWrong,  ///< frames for the program with a wrong length or checksum
  kPings,        ///< echo requests
  kRequests,     ///< datagrams of this exchange
  kRoceDropped,  ///< RoCE packets that the adapter dropped
  kCounters,
};
constexpr size_t kCountersAt = 12;
constexpr size_t kStatusBytes = kCountersAt + 4 * kCounters;
constexpr size_t kMostBytes = kStatusBytes > region::kBytes ? kStatusBytes : region::kBytes;

/// How the program gives a command to the adapter; false: it does not reply.
struct Commands {
  void* context;
  bool (*run)(void* context, const Message& command, Message* reply);
};

/// What the exchange exports, and from where.
struct Export {
  uint32_t address;  ///< IPv4 of the board
  uint64_t region;   ///< where it begins, as the adapter sees memory
  uint64_t region_bytes;
  uint64_t queues;       ///< a page for the queues of the queue pairs, in which nothing is posted
  uint64_t completions;  ///< a page for the completion queue
};

/// Where a request came from.
struct Peer {
  uint32_t address;
  Mac mac;
};

class Exchange {
 public:
  static constexpr uint64_t kIdleNs = 10'000'000'000;

  Exchange(const Commands& commands, const Export& what) : commands_(commands), export_(what) {}

  /// Makes what all queue pairs share; false: a command failed.
  bool start();

  /// Handles a request of `length` bytes. Returns the bytes of the reply, 0: none is sent. `now` is
  /// in ns.
  size_t handle(const uint8_t* bytes, size_t length, const Peer& peer, uint64_t now,
                const uint32_t* counters, uint8_t* reply);

  uint32_t connections() const;

 private:
  struct Connection {
    bool used;
    uint32_t qpn;  ///< here
    uint32_t peer_qpn;
    uint32_t token;
    uint32_t address;
    uint32_t psn;  ///< first that this side sends
    uint8_t mtu, reads;
    uint32_t seen_psn;  ///< that was expected at the last look
    uint64_t heard;     ///< when the peer was heard of, in ns
  };
  /// A connection that its peer gave back: a request for it that was repeated comes too late.
  struct Closed {
    uint32_t address, peer_qpn, token;
  };
  static constexpr uint32_t kClosed = 8;

  bool run(layout::AdminOp opcode, Message* command, Message* reply);
  Status connect(const uint8_t* bytes, const Peer& peer, uint64_t now, Connection** made);
  Status disconnect(const uint8_t* bytes, const Peer& peer);
  bool open(const uint8_t* bytes, const Peer& peer, Connection* connection);
  bool close(Connection* connection);
  Connection* find(uint32_t address, uint32_t peer_qpn);
  Connection* free_one(uint64_t now);
  /// Notes which peers have sent anything since the last look.
  void look(uint64_t now);

  Commands commands_;
  Export export_;
  uint32_t most_pairs_ = 0, most_mtu_ = 0;
  uint32_t pd_ = 0, cqn_ = 0, key_ = 0;
  Connection connection_[kMaxQps] = {};
  Closed closed_[kClosed] = {};
  uint32_t next_closed_ = 0;
};

}  // namespace roci::fw::board
