// SPDX-License-Identifier: Apache-2.0
#include "sim/peer/text_connection.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "sim/report/files.hpp"

namespace roci::sim {
namespace {

class Deadline {
 public:
  explicit Deadline(unsigned seconds)
      : end_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)) {}
  bool over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

/// Addresses of a name.
class Found {
 public:
  Found(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    const int bad = getaddrinfo(host.c_str(), port.c_str(), &hints, &list_);
    if (bad != 0) throw UserError(fmt::format("{}:{}: {}", host, port, gai_strerror(bad)));
  }
  ~Found() { freeaddrinfo(list_); }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  const addrinfo* operator->() const { return list_; }

 private:
  addrinfo* list_ = nullptr;
};

}  // namespace

TextConnection::TextConnection(int fd, Idle idle) : fd_(fd), idle_(std::move(idle)) {}
TextConnection::TextConnection(TextConnection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      idle_(std::move(other.idle_)),
      pending_(std::move(other.pending_)) {}
TextConnection::~TextConnection() {
  if (fd_ >= 0) close(fd_);
}

TextConnection TextConnection::listen(const std::string& text, unsigned seconds, const Idle& idle) {
  const std::size_t colon = text.rfind(':');
  const bool alone = colon == std::string::npos;
  const Found found(alone ? "127.0.0.1" : text.substr(0, colon),
                    alone ? text : text.substr(colon + 1));
  TextConnection server(socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
                        idle);
  const int on = 1;
  setsockopt(server.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(server.fd_, found->ai_addr, found->ai_addrlen) != 0 || ::listen(server.fd_, 1) != 0) {
    throw UserError(fmt::format("cannot listen at {}: {}", text, std::strerror(errno)));
  }
  for (const Deadline deadline(seconds); !deadline.over(); idle()) {
    const int fd = accept4(server.fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) return TextConnection(fd, idle);
  }
  throw UserError(fmt::format("no connection at {} within {} s", text, seconds));
}

TextConnection TextConnection::connect(const std::string& text, unsigned seconds,
                                       const Idle& idle) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw UserError(fmt::format("'{}' is not HOST:PORT", text), 2);
  const Found found(text.substr(0, colon), text.substr(colon + 1));
  int error = 0;
  for (const Deadline deadline(seconds); !deadline.over(); idle()) {
    TextConnection caller(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), idle);
    if (::connect(caller.fd_, found->ai_addr, found->ai_addrlen) == 0) return caller;
    error = errno;
  }
  throw UserError(fmt::format("cannot reach {}: {}", text, std::strerror(error)));
}

void TextConnection::send_line(const std::string& line) {
  const std::string text = line + "\n";
  if (send(fd_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the other side closed the connection");
  }
}

void TextConnection::fill() {
  char buffer[1024];
  const ssize_t got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (got > 0) pending_.append(buffer, static_cast<std::size_t>(got));
  const bool gone = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  if (gone && pending_.find('\n') == std::string::npos) {
    throw std::runtime_error("the other side closed the connection");
  }
}

std::string TextConnection::receive_line() {
  for (;;) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    fill();
    if (pending_.find('\n') == std::string::npos) idle_();
  }
}

void TextConnection::barrier(const std::string& word) {
  send_line(word);
  const std::string heard = receive_line();
  if (heard != word) {
    throw std::runtime_error(fmt::format("the other side sent '{}', not '{}'", heard, word));
  }
}

}  // namespace roci::sim
