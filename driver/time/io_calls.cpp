// SPDX-License-Identifier: Apache-2.0
// Calls by which programs speak to each other: a thread that makes one does something else than
// read the clock or poll in vain. They are not changed otherwise. write() stands in redirect.cpp.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"

#define NOTED(what, type, name, parameters, ...)                        \
  type name parameters {                                                \
    ROCI_NEXT(name);                                                    \
    if (auto* clock = roci::timing::ProcessClock::get()) clock->what(); \
    return real(__VA_ARGS__);                                           \
  }
#define RECEIVING(name, parameters, ...) NOTED(act, ssize_t, name, parameters, __VA_ARGS__)
#define SENDING(name, parameters, ...) NOTED(sent, ssize_t, name, parameters, __VA_ARGS__)

#pragma GCC visibility push(default)
extern "C" {

RECEIVING(read, (int fd, void* data, size_t bytes), fd, data, bytes)
RECEIVING(recv, (int fd, void* data, size_t bytes, int flags), fd, data, bytes, flags)
RECEIVING(recvmsg, (int fd, struct msghdr* message, int flags), fd, message, flags)
SENDING(send, (int fd, const void* data, size_t bytes, int flags), fd, data, bytes, flags)
SENDING(sendto,
        (int fd, const void* data, size_t bytes, int flags, const struct sockaddr* to,
         socklen_t to_bytes),
        fd, data, bytes, flags, to, to_bytes)
SENDING(sendmsg, (int fd, const struct msghdr* message, int flags), fd, message, flags)
SENDING(writev, (int fd, const struct iovec* parts, int count), fd, parts, count)
NOTED(sent, int, shutdown, (int fd, int how) noexcept, fd, how)
NOTED(sent, int, close, (int fd), fd)

// What they become in programs built with _FORTIFY_SOURCE.
RECEIVING(__read_chk, (int fd, void* data, size_t bytes, size_t room), fd, data, bytes, room)
RECEIVING(__recv_chk, (int fd, void* data, size_t bytes, size_t room, int flags), fd, data, bytes,
          room, flags)

}  // extern "C"
#pragma GCC visibility pop
