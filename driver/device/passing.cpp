// SPDX-License-Identifier: Apache-2.0
#include "driver/device/passing.hpp"

#include <sys/socket.h>

#include <cstring>

namespace roci::driver {

ssize_t send_message(int socket, const void* message, std::size_t bytes, int fd, int flags) {
  iovec part{const_cast<void*>(message), bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr out{};
  out.msg_iov = &part;
  out.msg_iovlen = 1;
  if (fd >= 0) {
    out.msg_control = control;
    out.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&out);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  return sendmsg(socket, &out, flags);
}

ssize_t receive_message(int socket, void* message, std::size_t bytes, int& fd) {
  fd = -1;
  iovec part{message, bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr in{};
  in.msg_iov = &part;
  in.msg_iovlen = 1;
  in.msg_control = control;
  in.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket, &in, MSG_CMSG_CLOEXEC);
  const cmsghdr* rights = got < 0 ? nullptr : CMSG_FIRSTHDR(&in);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
  }
  return got;
}

}  // namespace roci::driver
