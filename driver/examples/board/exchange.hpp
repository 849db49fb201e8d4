// SPDX-License-Identifier: Apache-2.0
// The exchange by UDP with a board: docs/boards.md has its messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/spec/exchange.hpp"

/// What a board gives for a queue pair.
struct Granted {
  std::uint32_t qpn = 0, psn = 0, key = 0;
  unsigned mtu = 0, reads = 0;  ///< code of the path MTU; READs in flight
  std::uint64_t address = 0, bytes = 0;
};

class Exchange {
 public:
  /// `from` is the IPv4 address that requests come from: that of the GID. Each request is sent at
  /// most `tries` times, with waits that double from half a second to eight.
  Exchange(const std::string& board, const std::string& from, unsigned tries);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Throws std::runtime_error when the board does not reply or rejects it.
  Granted connect(std::uint32_t qpn, std::uint32_t psn, unsigned mtu, unsigned reads);
  void disconnect(std::uint32_t qpn);
  /// Names and values, in the order of the reply.
  std::vector<std::pair<std::string, std::uint32_t>> status();

  /// IPv4 address of the board, in network byte order.
  std::uint32_t board() const { return board_; }

 private:
  /// The reply to a request; throws when it has less than `least` bytes.
  std::vector<std::uint8_t> ask(roci::exchange::Operation operation,
                                std::vector<std::uint8_t> request, std::size_t least);

  int fd_ = -1;
  unsigned tries_;
  std::uint32_t board_ = 0;
};
