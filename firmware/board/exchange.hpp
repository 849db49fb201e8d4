// SPDX-License-Identifier: Apache-2.0
// The exchange by UDP with which a host gets a queue pair to the board's memory, at the board.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/commands/commands.hpp"
#include "model/spec/exchange.hpp"

namespace roci::fw::board {

using namespace exchange;  // NOLINT: the messages are this program's

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
