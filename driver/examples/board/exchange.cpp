// SPDX-License-Identifier: Apache-2.0
#include "driver/examples/board/exchange.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>

namespace {

using namespace roci::exchange;  // NOLINT: this file is its client
using roci::layout::get;
using roci::layout::number;
using roci::layout::put;

constexpr int kFirstWaitMs = 500, kLongestWaitMs = 8000;
const char* const kErrors[] = {
    "ok", "the board finds a value out of range", "all queue pairs of the board are in use",
    "the adapter of the board rejects a command", "the board has no such connection"};

sockaddr_in address_of(const std::string& text, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, text.c_str(), &address.sin_addr) != 1) {
    throw std::runtime_error(text + " is no IPv4 address");
  }
  return address;
}

}  // namespace

Exchange::Exchange(const std::string& board, const std::string& from, unsigned tries)
    : tries_(tries) {
  const sockaddr_in here = address_of(from, 0), there = address_of(board, kPort);
  board_ = there.sin_addr.s_addr;
  fd_ = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||
      ::connect(fd_, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) {
    const std::string why = std::strerror(errno);
    close(fd_);
    throw std::runtime_error("from " + from + " to " + board + ": " + why);
  }
}

Exchange::~Exchange() { close(fd_); }

std::vector<std::uint8_t> Exchange::ask(Operation operation, std::vector<std::uint8_t> request,
                                        std::size_t least) {
  const std::uint32_t token = std::random_device()();
  put(request.data(), request::magic, kMagic);
  put(request.data(), request::version, kVersion);
  put(request.data(), request::operation, operation);
  put(request.data(), request::token, token);
  int wait = kFirstWaitMs;
  for (unsigned i = 0; i < tries_; ++i, wait = std::min(2 * wait, kLongestWaitMs)) {
    // Without a neighbour yet the datagram is lost, as any may be.
    (void)!send(fd_, request.data(), request.size(), 0);
    pollfd ready = {fd_, POLLIN, 0};
    while (poll(&ready, 1, wait) > 0) {
      std::vector<std::uint8_t> reply(1500);
      const ssize_t length = recv(fd_, reply.data(), reply.size(), 0);
      if (length < static_cast<ssize_t>(request::kBytes)) continue;
      reply.resize(static_cast<std::size_t>(length));
      if (get(reply.data(), request::magic) != kMagic ||
          get(reply.data(), request::operation) != (number(operation) | kReplyBit) ||
          get(reply.data(), request::token) != token) {
        continue;
      }
      const auto status = static_cast<Status>(get(reply.data(), request::status));
      // A disconnect whose reply was lost finds no connection any more.
      if (status == Status::kNotConnected && operation == Operation::kDisconnect) return reply;
      if (status != Status::kOk) {
        const unsigned code = number(status);
        throw std::runtime_error(code < std::size(kErrors) ? kErrors[code] : "unknown error");
      }
      if (reply.size() < least) throw std::runtime_error("the reply is too short");
      return reply;
    }
  }
  throw std::runtime_error("the board does not reply");
}

Granted Exchange::connect(std::uint32_t qpn, std::uint32_t psn, unsigned mtu, unsigned reads) {
  std::vector<std::uint8_t> request(request::kBytes);
  put(request.data(), request::qpn, qpn);
  put(request.data(), request::psn, psn);
  put(request.data(), request::mtu, mtu);
  put(request.data(), request::reads, reads);
  const std::vector<std::uint8_t> reply =
      ask(Operation::kConnect, std::move(request), region::kBytes);
  Granted granted;
  granted.qpn = get(reply.data(), request::qpn);
  granted.psn = get(reply.data(), request::psn);
  granted.mtu = get(reply.data(), request::mtu);
  granted.reads = get(reply.data(), request::reads);
  granted.key = get(reply.data(), region::key);
  granted.address = get(reply.data(), region::address);
  granted.bytes = get(reply.data(), region::bytes);
  return granted;
}

void Exchange::disconnect(std::uint32_t qpn) {
  std::vector<std::uint8_t> request(request::kBytes);
  put(request.data(), request::qpn, qpn);
  ask(Operation::kDisconnect, std::move(request), request::kBytes);
}

std::vector<std::pair<std::string, std::uint32_t>> Exchange::status() {
  const std::vector<std::uint8_t> reply =
      ask(Operation::kStatus, std::vector<std::uint8_t>(request::kBytes), kStatusBytes);
  std::vector<std::pair<std::string, std::uint32_t>> counters;
  for (std::uint32_t i = 0; i < kCounters; ++i) {
    counters.emplace_back(kCounterNames[i], static_cast<std::uint32_t>(
                                                roci::layout::get_wire(reply.data(), counter(i))));
  }
  return counters;
}
