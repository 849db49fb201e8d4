// SPDX-License-Identifier: Apache-2.0
// Messages on a local socket that may carry a descriptor (SCM_RIGHTS, unix(7)).
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace roci::driver {

/// sendmsg of one message, with `fd` unless it is negative.
ssize_t send_message(int socket, const void* message, std::size_t bytes, int fd, int flags);
/// recvmsg of one message; `fd` is the descriptor that came with it, close-on-exec and the
/// caller's, or -1.
ssize_t receive_message(int socket, void* message, std::size_t bytes, int& fd);

}  // namespace roci::driver
