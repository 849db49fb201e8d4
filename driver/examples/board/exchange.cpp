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

constexpr std::uint16_t kPort = 18516;
constexpr std::uint32_t kMagic = 0x524F4358;
constexpr std::uint8_t kVersion = 1, kReply = 0x80;
constexpr std::uint8_t kConnect = 1, kDisconnect = 2, kStatus = 3;
constexpr std::uint64_t kNotConnected = 4;
constexpr std::size_t kRequestBytes = 24, kGrantedBytes = 48, kCountersAt = 12;
constexpr int kFirstWaitMs = 500, kLongestWaitMs = 8000;
const char* const kErrors[] = {
    "ok", "the board finds a value out of range", "all queue pairs of the board are in use",
    "the adapter of the board rejects a command", "the board has no such connection"};
const char* const kCounters[] = {"connections",    "link",    "link_downs", "wrong_fcs",
                                 "wrong_preamble", "rx_lost", "tx_lost",    "frames_lost",
                                 "frames_wrong",   "pings",   "requests",   "roce_dropped"};

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * (count - 1 - i));
  }
}

std::uint64_t get(const std::vector<std::uint8_t>& bytes, std::size_t at, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value = value << 8 | bytes.at(at + i);
  return value;
}

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

std::vector<std::uint8_t> Exchange::ask(std::uint8_t operation, std::vector<std::uint8_t> request) {
  const std::uint32_t token = std::random_device()();
  put(request, 0, kMagic, 4);
  put(request, 4, kVersion, 1);
  put(request, 5, operation, 1);
  put(request, 8, token, 4);
  int wait = kFirstWaitMs;
  for (unsigned i = 0; i < tries_; ++i, wait = std::min(2 * wait, kLongestWaitMs)) {
    // Without a neighbour yet the datagram is lost, as any may be.
    (void)!send(fd_, request.data(), request.size(), 0);
    pollfd ready = {fd_, POLLIN, 0};
    while (poll(&ready, 1, wait) > 0) {
      std::vector<std::uint8_t> reply(1500);
      const ssize_t length = recv(fd_, reply.data(), reply.size(), 0);
      if (length < static_cast<ssize_t>(kRequestBytes)) continue;
      reply.resize(static_cast<std::size_t>(length));
      if (get(reply, 0, 4) != kMagic || get(reply, 5, 1) != (operation | kReply) ||
          get(reply, 8, 4) != token) {
        continue;
      }
      const std::uint64_t status = get(reply, 6, 2);
      // A disconnect whose reply was lost finds no connection any more.
      if (status == 0 || (status == kNotConnected && operation == kDisconnect)) return reply;
      throw std::runtime_error(status < std::size(kErrors) ? kErrors[status] : "unknown error");
    }
  }
  throw std::runtime_error("the board does not reply");
}

Granted Exchange::connect(std::uint32_t qpn, std::uint32_t psn, unsigned mtu, unsigned reads) {
  std::vector<std::uint8_t> request(kRequestBytes);
  put(request, 12, qpn, 4);
  put(request, 16, psn, 4);
  put(request, 20, mtu, 1);
  put(request, 21, reads, 1);
  const std::vector<std::uint8_t> reply = ask(kConnect, request);
  if (reply.size() < kGrantedBytes) throw std::runtime_error("the reply is too short");
  Granted granted;
  granted.qpn = static_cast<std::uint32_t>(get(reply, 12, 4));
  granted.psn = static_cast<std::uint32_t>(get(reply, 16, 4));
  granted.mtu = static_cast<unsigned>(get(reply, 20, 1));
  granted.reads = static_cast<unsigned>(get(reply, 21, 1));
  granted.key = static_cast<std::uint32_t>(get(reply, 24, 4));
  granted.address = get(reply, 32, 8);
  granted.bytes = get(reply, 40, 8);
  return granted;
}

void Exchange::disconnect(std::uint32_t qpn) {
  std::vector<std::uint8_t> request(kRequestBytes);
  put(request, 12, qpn, 4);
  ask(kDisconnect, request);
}

std::vector<std::pair<std::string, std::uint32_t>> Exchange::status() {
  const std::vector<std::uint8_t> reply = ask(kStatus, std::vector<std::uint8_t>(kRequestBytes));
  std::vector<std::pair<std::string, std::uint32_t>> counters;
  std::size_t at = kCountersAt;
  for (const char* name : kCounters) {
    counters.emplace_back(name, static_cast<std::uint32_t>(get(reply, at, 4)));
    at += 4;
  }
  return counters;
}
