// SPDX-License-Identifier: Apache-2.0
#include "testbench/ports/neighbours.hpp"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace roci::testbench::ports {
namespace {

constexpr std::size_t kIpv4Offset = 12;
constexpr std::uint16_t kDiscardPort = 9;
constexpr std::uint16_t kUsable =
    NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT | NUD_NOARP;

bool is_ipv4(const std::array<std::uint8_t, 16>& gid) {
  return std::all_of(gid.begin(), gid.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         gid[10] == 0xFF && gid[11] == 0xFF;
}

}  // namespace

std::optional<std::uint64_t> neighbour_mac(const std::string& interface,
                                           const std::array<std::uint8_t, 16>& gid) {
  const bool v4 = is_ipv4(gid);
  const std::uint8_t* address = gid.data() + (v4 ? kIpv4Offset : 0);
  const std::size_t length = v4 ? 4 : 16;
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return {};
  struct {
    nlmsghdr header;
    ndmsg body;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETNEIGH;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.ndm_family = v4 ? AF_INET : AF_INET6;
  std::optional<std::uint64_t> found;
  const unsigned index = if_nametoindex(interface.c_str());
  bool more = send(fd, &request, sizeof request, 0) == sizeof request;
  std::vector<char> reply(1 << 16);
  while (more) {
    const ssize_t got = recv(fd, reply.data(), reply.size(), 0);
    if (got <= 0) break;
    unsigned left = static_cast<unsigned>(got);
    for (auto* message = reinterpret_cast<nlmsghdr*>(reply.data()); NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type != RTM_NEWNEIGH) {
        more = false;
        break;
      }
      const auto* neighbour = static_cast<const ndmsg*>(NLMSG_DATA(message));
      if (static_cast<unsigned>(neighbour->ndm_ifindex) != index) continue;
      if ((neighbour->ndm_state & kUsable) == 0) continue;
      const std::uint8_t* mac = nullptr;
      bool matches = false;
      unsigned room = static_cast<unsigned>(message->nlmsg_len - NLMSG_LENGTH(sizeof *neighbour));
      const auto* attribute = reinterpret_cast<const rtattr*>(neighbour + 1);
      for (; RTA_OK(attribute, room); attribute = RTA_NEXT(attribute, room)) {
        const auto* data = static_cast<const std::uint8_t*>(RTA_DATA(attribute));
        if (attribute->rta_type == NDA_LLADDR && RTA_PAYLOAD(attribute) == 6) mac = data;
        if (attribute->rta_type == NDA_DST && RTA_PAYLOAD(attribute) == length) {
          matches = std::memcmp(data, address, length) == 0;
        }
      }
      if (!matches || mac == nullptr) continue;
      found = 0;
      for (int i = 0; i < 6; ++i) found = *found << 8 | mac[i];
    }
  }
  close(fd);
  return found;
}

void resolve_neighbour(const std::string& interface, const std::array<std::uint8_t, 16>& gid) {
  sockaddr_in6 v6{};
  sockaddr_in v4{};
  const bool is_v4 = is_ipv4(gid);
  const int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(),
             static_cast<socklen_t>(interface.size()));
  if (is_v4) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(kDiscardPort);
    std::memcpy(&v4.sin_addr, gid.data() + kIpv4Offset, 4);
    sendto(fd, "", 0, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&v4), sizeof v4);
  } else {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(kDiscardPort);
    std::memcpy(&v6.sin6_addr, gid.data(), 16);
    sendto(fd, "", 0, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&v6), sizeof v6);
  }
  close(fd);
}

}  // namespace roci::testbench::ports
