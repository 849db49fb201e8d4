// SPDX-License-Identifier: Apache-2.0
// The wire of a simulated board: Unix datagrams, one Ethernet frame in each, as QEMU's
// -netdev dgram has them.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace roci::board {

using Frame = std::vector<std::uint8_t>;

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}

/// The socket of the wire.
class Wire {
 public:
  Wire(const std::string& local, const std::string& remote) : remote_(address(remote)) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    const sockaddr_un here = address(local);
    unlink(local.c_str());
    const int room = 4 << 20;
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(fd_, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) {
      fail("cannot bind " + local);
    }
  }

  bool receive(Frame& frame) const {
    frame.resize(kLongest);
    const ssize_t length = recv(fd_, frame.data(), frame.size(), 0);
    if (length < 14) return false;
    frame.resize(static_cast<std::size_t>(length));
    return true;
  }

  /// False: the peer is busy. Without a peer the frame is lost, as on a cable.
  bool send(const Frame& frame) const {
    return sendto(fd_, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&remote_),
                  sizeof remote_) >= 0 ||
           (errno != EAGAIN && errno != ENOBUFS);
  }

 private:
  static constexpr std::size_t kLongest = 9216;  // bytes of a frame

  static sockaddr_un address(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    if (path.size() >= sizeof made.sun_path) fail(path + ": too long");
    std::memcpy(made.sun_path, path.c_str(), path.size());
    return made;
  }

  sockaddr_un remote_;
  int fd_ = -1;
};

}  // namespace roci::board
