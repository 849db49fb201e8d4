// SPDX-License-Identifier: Apache-2.0
// What rdma_cm does with native addresses (AF_IB) on a RoCE adapter: prints the result of each
// call. On Linux the device is Soft-RoCE; expected is what it prints there.
//
// usage: af_ib OWN_IPV4 PEER_IPV4
#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/ib.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

constexpr int kMilliseconds = 2000;
constexpr std::uint64_t kTcp = 0x0000000001060000, kUdp = 0x0000000001110000,
                        kIb = 0x00000000013F0000, kMask = 0xFFFFFFFFFFFF0000;

rdma_event_channel* channel = nullptr;

void report(const char* what, int result) {
  std::printf("%-52s %s\n", what, result == 0 ? "ok" : std::strerror(errno));
}

sockaddr_in ipv4(const char* text, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

/// `text` nullptr: the wildcard.
sockaddr_ib native(const char* text, std::uint64_t sid, std::uint64_t mask, std::uint16_t pkey) {
  sockaddr_ib address{};
  address.sib_family = AF_IB;
  address.sib_pkey = htons(pkey);
  address.sib_sid = htobe64(sid);
  address.sib_sid_mask = htobe64(mask);
  if (text != nullptr) {
    auto* gid = reinterpret_cast<std::uint8_t*>(&address.sib_addr);
    gid[10] = gid[11] = 0xFF;
    inet_pton(AF_INET, text, gid + 12);
  }
  return address;
}

template <typename Address>
sockaddr* any(Address& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

rdma_cm_id* make(rdma_port_space space) {
  rdma_cm_id* id = nullptr;
  if (rdma_create_id(channel, &id, nullptr, space) != 0) std::perror("rdma_create_id");
  return id;
}

/// The next event; the identifier of a connection request, which the caller destroys.
rdma_cm_id* event(const char* what) {
  pollfd waits{channel->fd, POLLIN, 0};
  if (poll(&waits, 1, 2 * kMilliseconds) != 1) {
    std::printf("%-52s no event\n", what);
    return nullptr;
  }
  rdma_cm_event* found = nullptr;
  rdma_cm_id* id = nullptr;
  if (rdma_get_cm_event(channel, &found) != 0) {
    report(what, -1);
    return nullptr;
  }
  std::printf("%-52s %s, status %d\n", what, rdma_event_str(found->event), found->status);
  if (found->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
    id = found->id;
    const sockaddr* own = rdma_get_local_addr(id);
    const sockaddr* peer = rdma_get_peer_addr(id);
    std::printf("  request: families %d and %d, private data of %d bytes\n", own->sa_family,
                peer->sa_family, found->param.conn.private_data_len);
  }
  rdma_ack_cm_event(found);
  return id;
}

void bind(const char* what, rdma_port_space space, sockaddr_ib address) {
  rdma_cm_id* id = make(space);
  const int done = rdma_bind_addr(id, any(address));
  report(what, done);
  if (done == 0) {
    const auto* own = reinterpret_cast<const sockaddr_ib*>(rdma_get_local_addr(id));
    const bool with_port = (be64toh(own->sib_sid) & 0xFFFF) != 0;
    std::printf("  family %d, service %#llx, mask %#llx, %s\n", own->sib_family,
                static_cast<unsigned long long>(be64toh(own->sib_sid) & kMask),
                static_cast<unsigned long long>(be64toh(own->sib_sid_mask)),
                with_port ? "with a port" : "no port");
    report("  listen", rdma_listen(id, 4));
  }
  rdma_destroy_id(id);
}

void resolve(const char* what, rdma_port_space space, sockaddr_ib to, sockaddr* from = nullptr) {
  rdma_cm_id* id = make(space);
  const int done = rdma_resolve_addr(id, from, any(to), kMilliseconds);
  report(what, done);
  if (done == 0) {
    event("  event");
    std::printf("  device %s\n", id->verbs == nullptr ? "none" : "found");
    const int route = rdma_resolve_route(id, kMilliseconds);
    report("  resolve route", route);
    if (route == 0) event("  event");
  }
  rdma_destroy_id(id);
}

/// A client with an IP address at a listener with a native one.
void connect(const char* own) {
  sockaddr_ib wildcard = native(nullptr, kTcp + 7777, ~0ull, 0xFFFF);
  rdma_cm_id* listener = make(RDMA_PS_TCP);
  report("bind the native wildcard, port 7777", rdma_bind_addr(listener, any(wildcard)));
  report("listen", rdma_listen(listener, 4));
  rdma_cm_id* client = make(RDMA_PS_TCP);
  sockaddr_in to = ipv4(own, 7777);
  report("resolve the IPv4 address of the listener",
         rdma_resolve_addr(client, nullptr, any(to), kMilliseconds));
  event("  event");
  report("resolve route", rdma_resolve_route(client, kMilliseconds));
  event("  event");
  rdma_conn_param param{};
  param.qp_num = 0x123;
  param.private_data = "hello";
  param.private_data_len = 5;
  report("connect", rdma_connect(client, &param));
  if (rdma_cm_id* request = event("  event")) {
    report("reject", rdma_reject(request, nullptr, 0));
    rdma_destroy_id(request);
    event("  event");
  }
  rdma_destroy_id(client);
  rdma_destroy_id(listener);
}

}  // namespace

int main(int, char** words) {
  const char *own = words[1], *peer = words[2];
  channel = rdma_create_event_channel();
  if (channel == nullptr) return std::perror("rdma_create_event_channel"), 1;
  bind("bind wildcard, RDMA_PS_TCP, service TCP", RDMA_PS_TCP, native(nullptr, kTcp, kMask, 0));
  bind("bind wildcard, RDMA_PS_TCP, service UDP", RDMA_PS_TCP, native(nullptr, kUdp, kMask, 0));
  bind("bind wildcard, RDMA_PS_UDP, service UDP", RDMA_PS_UDP, native(nullptr, kUdp, kMask, 0));
  bind("bind wildcard, RDMA_PS_IB, service IB", RDMA_PS_IB, native(nullptr, kIb, kMask, 0));
  bind("bind wildcard, RDMA_PS_IB, service TCP, port", RDMA_PS_IB,
       native(nullptr, kTcp + 7001, ~0ull, 0));
  bind("bind wildcard, RDMA_PS_TCP, no service", RDMA_PS_TCP, native(nullptr, 0, 0, 0));
  bind("bind own GID", RDMA_PS_TCP, native(own, kTcp, kMask, 0xFFFF));
  bind("bind foreign GID", RDMA_PS_TCP, native(peer, kTcp, kMask, 0xFFFF));
  resolve("resolve peer's GID", RDMA_PS_TCP, native(peer, kTcp + 7001, ~0ull, 0xFFFF));
  resolve("resolve own GID", RDMA_PS_TCP, native(own, kTcp + 7001, ~0ull, 0xFFFF));
  resolve("resolve peer's GID, unknown P_Key", RDMA_PS_TCP,
          native(peer, kTcp + 7001, ~0ull, 0x8001));
  resolve("resolve the wildcard", RDMA_PS_TCP, native(nullptr, kTcp + 7001, ~0ull, 0xFFFF));
  sockaddr_ib foreign = native(nullptr, kTcp + 7001, ~0ull, 0xFFFF);
  reinterpret_cast<std::uint8_t*>(&foreign.sib_addr)[0] = 0x20;
  resolve("resolve a GID of another prefix", RDMA_PS_TCP, foreign);
  sockaddr_in from = ipv4(own, 0);
  resolve("resolve peer's GID from an IPv4 address", RDMA_PS_TCP,
          native(peer, kTcp + 7001, ~0ull, 0xFFFF), any(from));
  connect(own);
  rdma_destroy_event_channel(channel);
  return 0;
}
