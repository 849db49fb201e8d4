// SPDX-License-Identifier: Apache-2.0
#include "sim/server/loopback.hpp"

#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <utility>

namespace roci::sim {
namespace {

constexpr timeval kMost{0, 500'000};  // a datagram that is lost must not stop the simulator

}  // namespace

bool Loopback::open() {
  if (std::exchange(tried_, true)) return static_cast<bool>(socket_);
  Descriptor made(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto* at = reinterpret_cast<sockaddr*>(&address);
  if (made && bind(made.get(), at, bytes) == 0 && getsockname(made.get(), at, &bytes) == 0 &&
      connect(made.get(), at, bytes) == 0 &&
      setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &kMost, sizeof kMost) == 0) {
    socket_ = std::move(made);
  }
  return static_cast<bool>(socket_);
}

/// A datagram goes through the queue of the processor that this thread runs on.
void Loopback::pass() {
  char byte = 0;
  if (send(socket_.get(), &byte, 1, 0) == 1) static_cast<void>(recv(socket_.get(), &byte, 1, 0));
}

void Loopback::wait() {
  cpu_set_t allowed;
  if (!open() || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) pass();
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace roci::sim
