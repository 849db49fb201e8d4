// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/target/link.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace roci::conform {
namespace {

/// Address resolution by a kernel, the longest request, takes seconds.
constexpr std::chrono::seconds kMostSeconds{10};

}  // namespace

AgentLink::AgentLink(const std::string& where) : where_(where) {
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == where.size()) {
    throw TargetLost("'" + where + "' is not the place of an agent, HOST:PORT");
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int bad =
      getaddrinfo(where.substr(0, colon).c_str(), where.substr(colon + 1).c_str(), &hints, &found);
  if (bad != 0) throw TargetLost("no agent at " + where + ": " + gai_strerror(bad));
  fd_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = fd_ >= 0 && connect(fd_, found->ai_addr, found->ai_addrlen) == 0;
  const int error = errno;
  freeaddrinfo(found);
  if (!connected) {
    if (fd_ >= 0) close(fd_);
    throw TargetLost("no agent at " + where + ": " + std::strerror(error));
  }
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

AgentLink::~AgentLink() { close(fd_); }

void AgentLink::lost(const std::string& why) {
  lost_ = "the agent at " + where_ + " " + why;
  throw TargetLost(lost_);
}

void AgentLink::send(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes != 0) {
    const ssize_t put = ::send(fd_, at, bytes, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) lost(std::string("is gone: ") + std::strerror(errno));
    at += put;
    bytes -= static_cast<std::size_t>(put);
  }
}

void AgentLink::receive(void* to, std::size_t bytes) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kMostSeconds;
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    pollfd readable{fd_, POLLIN, 0};
    if (poll(&readable, 1, 1) <= 0) {
      if (idle_) idle_();
      if (Clock::now() > end) {
        lost("does not reply within " + std::to_string(kMostSeconds.count()) + " s");
      }
      continue;
    }
    const ssize_t got = recv(fd_, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) lost(std::string("is gone: ") + std::strerror(errno));
    if (got == 0) lost("closed the connection; its own output has the reason");
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

AgentReply AgentLink::request(agent_op op, const std::vector<std::uint64_t>& words,
                              const std::uint8_t* data, std::size_t bytes) {
  confirm();
  agent_head head{};
  head.magic = kAgentMagic;
  head.code = static_cast<std::uint16_t>(op);
  head.tag = ++tag_;
  head.words = static_cast<std::uint32_t>(words.size());
  head.bytes = static_cast<std::uint32_t>(bytes);
  std::vector<std::uint8_t> message(sizeof head + words.size() * sizeof words[0] + bytes);
  std::memcpy(message.data(), &head, sizeof head);
  if (!words.empty()) {
    std::memcpy(message.data() + sizeof head, words.data(), words.size() * sizeof words[0]);
  }
  if (bytes != 0) std::memcpy(message.data() + message.size() - bytes, data, bytes);
  send(message.data(), message.size());

  receive(&head, sizeof head);
  if (head.magic != kAgentMagic || head.tag != tag_ || head.words > kAgentMostWords ||
      head.bytes > kAgentMostBytes) {
    lost("sent something that is no reply: is it an agent of roci?");
  }
  AgentReply reply;
  reply.error = head.code;
  reply.words.resize(head.words);
  reply.bytes.resize(head.bytes);
  receive(reply.words.data(), head.words * sizeof(std::uint64_t));
  receive(reply.bytes.data(), head.bytes);
  return reply;
}

}  // namespace roci::conform
