// SPDX-License-Identifier: Apache-2.0
// Calls by which programs speak to each other: a thread that makes one does something else than
// read the clock or poll in vain. They are not changed otherwise, except that SO_RCVTIMEO is
// simulated time. write() stands in redirect.cpp.
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/time/waits.hpp"

namespace roci::timing {
namespace {

struct Timeouts {
  std::mutex mutex;
  std::map<int, timeval> of;  ///< by descriptor
};
Timeouts& timeouts() {
  static auto* all = new Timeouts;
  return *all;
}
std::atomic<bool> any_timeout{false};

/// Takes over the timeout that a socket got in the kernel.
void take_timeout(int fd, const timeval& timeout) {
  static const auto set = next<decltype(setsockopt)>("setsockopt");
  const timeval none{};
  set(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  const std::lock_guard<std::mutex> lock(timeouts().mutex);
  timeouts().of.erase(fd);
  if (timeout.tv_sec != 0 || timeout.tv_usec != 0) timeouts().of[fd] = timeout;
  any_timeout = true;
}

std::optional<timeval> timeout_of(int fd) {
  if (!any_timeout) return std::nullopt;
  const std::lock_guard<std::mutex> lock(timeouts().mutex);
  const auto found = timeouts().of.find(fd);
  if (found == timeouts().of.end()) return std::nullopt;
  return found->second;
}

/// Whether a read from `fd` may go on: there is something to read, or no SO_RCVTIMEO. False: errno
/// is set.
bool readable(ProcessClock& clock, int fd, int flags) {
  const auto timeout = timeout_of(fd);
  if (!timeout || (flags & MSG_DONTWAIT) != 0 || (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0)
    return true;
  pollfd one{fd, POLLIN, 0};
  const int found = poll_for(clock, &one, 1, ns_of(*timeout), nullptr);
  if (found == 0) errno = EAGAIN;
  return found > 0;
}

/// A descriptor is closed.
void forget_timeout(int fd) {
  if (!any_timeout) return;
  const std::lock_guard<std::mutex> lock(timeouts().mutex);
  timeouts().of.erase(fd);
}

}  // namespace
}  // namespace roci::timing

using roci::timing::ProcessClock;

/// A call that returns `type`; `options`: flags of the call that may have MSG_DONTWAIT.
#define RECEIVING(type, name, options, parameters, ...)            \
  type name parameters {                                           \
    ROCI_NEXT(name);                                               \
    if (auto* clock = ProcessClock::get()) {                       \
      clock->act();                                                \
      if (!roci::timing::readable(*clock, fd, options)) return -1; \
    }                                                              \
    return real(__VA_ARGS__);                                      \
  }
#define SENDING(type, name, parameters, ...)              \
  type name parameters {                                  \
    ROCI_NEXT(name);                                      \
    if (auto* clock = ProcessClock::get()) clock->sent(); \
    return real(__VA_ARGS__);                             \
  }

#pragma GCC visibility push(default)
extern "C" {

RECEIVING(ssize_t, read, 0, (int fd, void* data, size_t bytes), fd, data, bytes)
RECEIVING(ssize_t, readv, 0, (int fd, const struct iovec* parts, int count), fd, parts, count)
RECEIVING(ssize_t, recv, flags, (int fd, void* data, size_t bytes, int flags), fd, data, bytes,
          flags)
RECEIVING(ssize_t, recvfrom, flags,
          (int fd, void* data, size_t bytes, int flags, struct sockaddr* from,
           socklen_t* from_bytes),
          fd, data, bytes, flags, from, from_bytes)
RECEIVING(ssize_t, recvmsg, flags, (int fd, struct msghdr* message, int flags), fd, message, flags)
RECEIVING(int, accept, 0, (int fd, struct sockaddr* from, socklen_t* from_bytes), fd, from,
          from_bytes)
RECEIVING(int, accept4, 0, (int fd, struct sockaddr* from, socklen_t* from_bytes, int flags), fd,
          from, from_bytes, flags)
SENDING(ssize_t, send, (int fd, const void* data, size_t bytes, int flags), fd, data, bytes, flags)
SENDING(ssize_t, sendto,
        (int fd, const void* data, size_t bytes, int flags, const struct sockaddr* to,
         socklen_t to_bytes),
        fd, data, bytes, flags, to, to_bytes)
SENDING(ssize_t, sendmsg, (int fd, const struct msghdr* message, int flags), fd, message, flags)
SENDING(ssize_t, writev, (int fd, const struct iovec* parts, int count), fd, parts, count)
SENDING(int, shutdown, (int fd, int how) noexcept, fd, how)

int close(int fd) {
  ROCI_NEXT(close);
  if (auto* clock = ProcessClock::get()) {
    clock->sent();
    roci::timing::forget_timeout(fd);
  }
  return real(fd);
}

// What they become in programs built with _FORTIFY_SOURCE.
RECEIVING(ssize_t, __read_chk, 0, (int fd, void* data, size_t bytes, size_t room), fd, data, bytes,
          room)
RECEIVING(ssize_t, __recv_chk, flags, (int fd, void* data, size_t bytes, size_t room, int flags),
          fd, data, bytes, room, flags)
RECEIVING(ssize_t, __recvfrom_chk, flags,
          (int fd, void* data, size_t bytes, size_t room, int flags, struct sockaddr* from,
           socklen_t* from_bytes),
          fd, data, bytes, room, flags, from, from_bytes)

int setsockopt(int fd, int level, int name, const void* value, socklen_t bytes) noexcept {
  ROCI_NEXT(setsockopt);
  const int result = real(fd, level, name, value, bytes);
  if (result == 0 && level == SOL_SOCKET && name == SO_RCVTIMEO && ProcessClock::get() != nullptr) {
    roci::timing::take_timeout(fd, *static_cast<const timeval*>(value));
  }
  return result;
}

int getsockopt(int fd, int level, int name, void* value, socklen_t* bytes) noexcept {
  ROCI_NEXT(getsockopt);
  const int result = real(fd, level, name, value, bytes);
  if (result != 0 || level != SOL_SOCKET || name != SO_RCVTIMEO) return result;
  const auto timeout = roci::timing::timeout_of(fd);
  if (timeout) std::memcpy(value, &*timeout, std::min<std::size_t>(*bytes, sizeof *timeout));
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
