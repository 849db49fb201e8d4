// SPDX-License-Identifier: Apache-2.0
// One Ethernet frame per datagram, over UDP or Unix sockets: the format of QEMU's `-netdev dgram`.
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "testbench/ports/port.hpp"

namespace roci::testbench::ports {
namespace {

constexpr int kBufferBytes = 4 << 20;  // room for bursts of the peer while a clock is evaluated

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

Address unix_address(const std::string& path) {
  Address address;
  auto* to = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (path.size() >= sizeof to->sun_path) throw PortError("dgram: " + path + ": path too long");
  to->sun_family = AF_UNIX;
  std::memcpy(to->sun_path, path.c_str(), path.size() + 1);
  address.length = sizeof *to;
  return address;
}

/// "HOST:PORT", "[HOST]:PORT", "PORT" or "/a/path".
Address parse(const std::string& text) {
  if (text.find('/') != std::string::npos) return unix_address(text);
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int bad = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (bad != 0) throw PortError("dgram: '" + text + "': " + gai_strerror(bad));
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.length = found->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

class DgramPort final : public DescriptorPort {
 public:
  DgramPort(const std::string& local, const std::string& remote) : remote_(parse(remote)) {
    Address here = parse(local);
    if (here.family() != remote_.family()) {
      throw PortError("dgram: " + local + " and " + remote + " are of different families");
    }
    fd_ = socket(here.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) throw PortError(std::string("dgram: ") + std::strerror(errno));
    for (int option : {SO_RCVBUF, SO_SNDBUF}) {
      setsockopt(fd_, SOL_SOCKET, option, &kBufferBytes, sizeof kBufferBytes);
    }
    if (here.family() == AF_UNIX) remove_abandoned(here, local);
    if (bind(fd_, here.get(), here.length) != 0) {
      throw PortError("dgram: " + local + ": " + std::strerror(errno));
    }
    if (here.family() == AF_UNIX) path_ = local;
  }
  ~DgramPort() override {
    if (!path_.empty()) unlink(path_.c_str());
  }

  bool send(std::uint64_t, const packet::Bytes& frame) override {
    const ssize_t done = sendto(fd_, frame.data(), frame.size(), 0, remote_.get(), remote_.length);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    ++(done == static_cast<ssize_t>(frame.size()) ? counts_.sent : counts_.send_failures);
    return true;
  }

 private:
  /// UDP reports here that no socket listens at the remote end; later datagrams are not affected.
  bool passing(int error) const override {
    return error == ECONNREFUSED || DescriptorPort::passing(error);
  }

  /// Removes a socket file at which no process listens any more.
  static void remove_abandoned(Address& here, const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool dead = connect(probe, here.get(), here.length) != 0 && errno == ECONNREFUSED;
    close(probe);
    if (dead) unlink(path.c_str());
  }

  Address remote_;
  std::string path_;
};

}  // namespace

std::unique_ptr<ExternalPort> make_dgram_port(const std::string& arguments) {
  const std::size_t comma = arguments.find(',');
  if (comma == 0 || comma == std::string::npos || comma + 1 == arguments.size()) {
    throw PortError("dgram:" + arguments + ": two ends are needed, LOCAL,REMOTE");
  }
  return std::make_unique<DgramPort>(arguments.substr(0, comma), arguments.substr(comma + 1));
}

}  // namespace roci::testbench::ports
