// SPDX-License-Identifier: Apache-2.0
// A TAP interface: the host's own IP stack at the adapter's Ethernet path.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "testbench/ports/port.hpp"

namespace roci::testbench::ports {
namespace {

class Tap final : public DescriptorPort {
 public:
  Tap(const std::string& name, std::uint64_t mac) {
    if (name.empty() || name.size() >= IFNAMSIZ) {
      throw PortError("'" + name + "' is not the name of an interface");
    }
    std::memcpy(request_.ifr_name, name.c_str(), name.size() + 1);
    fd_ = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) fail("/dev/net/tun");
    request_.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(fd_, TUNSETIFF, &request_) != 0) fail("interface " + name);
    request_.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    for (int i = 0; i < 6; ++i) {
      request_.ifr_hwaddr.sa_data[i] = static_cast<char>(mac >> (40 - 8 * i));
    }
    control(SIOCSIFHWADDR);
    control(SIOCGIFFLAGS);
    request_.ifr_flags = static_cast<short>(request_.ifr_flags | IFF_UP);
    control(SIOCSIFFLAGS);
  }

  bool send(std::uint64_t, const packet::Bytes& frame) override {
    const ssize_t done = write(fd_, frame.data(), frame.size());
    ++(done == static_cast<ssize_t>(frame.size()) ? counts_.sent : counts_.send_failures);
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& what) {
    const int error = errno;
    std::string text = what + ": " + std::strerror(error);
    if (error == EPERM || error == EACCES) {
      text += " (a TAP interface needs CAP_NET_ADMIN, or one made before by 'ip tuntap add " +
              std::string(request_.ifr_name) + " mode tap user USER')";
    }
    throw PortError(text);
  }
  void control(unsigned long what) {
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int bad = ioctl(any, what, &request_);
    const int error = errno;
    close(any);
    errno = error;
    if (bad != 0) fail("interface " + std::string(request_.ifr_name));
  }

  ifreq request_{};
};

}  // namespace

std::unique_ptr<ExternalPort> make_tap(const std::string& name, std::uint64_t mac) {
  return std::make_unique<Tap>(name, mac);
}

}  // namespace roci::testbench::ports
