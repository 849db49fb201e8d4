// SPDX-License-Identifier: Apache-2.0
// The commands for addresses of any family. What native addresses (AF_IB) get is what Linux 6.1
// with Soft-RoCE gave to test/verbs/af_ib.cpp of sim.
#include <doctest/doctest.h>
#include <endian.h>
#include <infiniband/ib.h>
#include <infiniband/sa.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_sa.h>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/test/ucm_program.hpp"

using namespace roci::cm;

namespace {

constexpr std::uint64_t kTcp = 0x0000000001060000, kUdp = 0x0000000001110000;
constexpr std::uint64_t kPortSpace = 0xFFFFFFFFFFFF0000, kAll = ~std::uint64_t{0};

sockaddr_ib native(const Gid& gid, std::uint64_t service, std::uint64_t mask) {
  sockaddr_ib address{};
  address.sib_family = AF_IB;
  address.sib_pkey = htobe16(0xFFFF);
  std::memcpy(&address.sib_addr, gid.data(), gid.size());
  address.sib_sid = htobe64(service);
  address.sib_sid_mask = htobe64(mask);
  return address;
}

template <typename Address>
int bind(Program& program, std::uint32_t id, const Address& address,
         std::size_t size = sizeof(Address)) {
  rdma_ucm_bind command{};
  command.id = id;
  command.addr_size = static_cast<std::uint16_t>(size);
  std::memcpy(&command.addr, &address, sizeof address);
  return program.send(RDMA_USER_CM_CMD_BIND, command);
}

template <typename Address>
int resolve(Program& program, std::uint32_t id, const Address& to, const sockaddr_in* from = {}) {
  rdma_ucm_resolve_addr command{};
  command.id = id;
  command.dst_size = sizeof to;
  std::memcpy(&command.dst_addr, &to, sizeof to);
  if (from != nullptr) {
    command.src_size = sizeof *from;
    std::memcpy(&command.src_addr, from, sizeof *from);
  }
  return program.send(RDMA_USER_CM_CMD_RESOLVE_ADDR, command);
}

int route(Program& program, std::uint32_t id) {
  return program.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 1000});
}

rdma_ucm_query_addr_resp addresses(Program& program, std::uint32_t id, std::uint32_t option) {
  rdma_ucm_query_addr_resp reply{};
  const rdma_ucm_query command{1, id, option};
  CHECK(program.send(RDMA_USER_CM_CMD_QUERY, command, &reply, sizeof reply) == 0);
  return reply;
}

template <typename Address, typename Storage>
Address as(const Storage& storage) {
  Address address{};
  std::memcpy(&address, &storage, sizeof address);
  return address;
}

sockaddr_in ipv4(const Endpoint& endpoint) { return as<sockaddr_in>(sockaddr_of(endpoint)); }

Gid gid_of(const sockaddr_ib& address) {
  Gid gid;
  std::memcpy(gid.data(), &address.sib_addr, gid.size());
  return gid;
}

}  // namespace

TEST_CASE("IP addresses by the commands for any family") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10), active = client.create(20);
  CHECK(bind(server, listener, ipv4(kServer), sizeof(sockaddr_in6)) == EINVAL);
  CHECK(bind(server, listener, ipv4(kServer), 0) == EINVAL);
  CHECK(bind(server, listener, ipv4(kServer)) == 0);
  CHECK(server.listen(listener) == 0);
  const sockaddr_in from = ipv4({address(2), 4000, AF_INET});
  CHECK(resolve(client, active, ipv4(kServer), &from) == 0);
  client.event(UcmEvent::kAddressResolved);

  const auto given = addresses(client, active, RDMA_USER_CM_QUERY_ADDR);
  CHECK(be64toh(given.node_guid) == 0xA2);
  CHECK(given.port_num == 1);
  REQUIRE(given.src_size == sizeof(sockaddr_in));
  REQUIRE(given.dst_size == sizeof(sockaddr_in));
  CHECK(ntohs(as<sockaddr_in>(given.src_addr).sin_port) == 4000);
  CHECK(ntohl(as<sockaddr_in>(given.dst_addr).sin_addr.s_addr) == 0x0A000001);
  const auto as_gids = addresses(client, active, RDMA_USER_CM_QUERY_GID);
  const auto own = as<sockaddr_ib>(as_gids.src_addr), peer = as<sockaddr_ib>(as_gids.dst_addr);
  CHECK(own.sib_family == AF_IB);
  CHECK(gid_of(own) == address(2));
  CHECK(be64toh(own.sib_sid) == kTcp + 4000);
  CHECK(gid_of(peer) == address(1));
  CHECK(be64toh(peer.sib_sid) == kTcp + kPort);

  struct {
    std::uint32_t num_paths, reserved;
    ib_path_rec_data data;
  } paths{};
  const rdma_ucm_query command{1, active, RDMA_USER_CM_QUERY_PATH};
  CHECK(client.send(RDMA_USER_CM_CMD_QUERY, command, &paths, sizeof paths) == 0);
  CHECK(paths.num_paths == 0);
  CHECK(route(client, active) == 0);
  client.event(UcmEvent::kRouteResolved);
  CHECK(client.send(RDMA_USER_CM_CMD_QUERY, command, &paths, sizeof paths) == 0);
  CHECK(paths.num_paths == 1);
  CHECK(paths.data.flags == (IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL));
  ibv_path_record path{};
  std::memcpy(&path, paths.data.path_rec, sizeof path);
  CHECK(std::memcmp(path.dgid.raw, address(1).data(), 16) == 0);
  CHECK((path.mtu & 0x3F) == 5);
  CHECK(be16toh(path.pkey) == 0xFFFF);
  CHECK(client.send(RDMA_USER_CM_CMD_QUERY, rdma_ucm_query{1, active, 3}, &paths, 8) == ENOSYS);
  CHECK(client.connect(active, 0x200) == 0);
  server.event(UcmEvent::kConnectRequest);
}

TEST_CASE("the native wildcard can be bound in the port space of its service ID") {
  Fabric fabric;
  Program program(fabric, 0);
  const auto bound = [&](std::uint16_t space, std::uint64_t service, std::uint64_t mask) {
    return bind(program, program.create(10, space), native({}, service, mask));
  };
  const std::uint32_t first = program.create(9, RDMA_PS_IB);
  CHECK(bind(program, first, native({}, kTcp + 7001, kAll)) == 0);
  const auto own = as<sockaddr_ib>(addresses(program, first, RDMA_USER_CM_QUERY_ADDR).src_addr);
  CHECK(be64toh(own.sib_sid) == kTcp + 7001);
  CHECK(own.sib_sid_mask == kAll);
  CHECK(bind(program, first, native({}, kTcp, kPortSpace)) == EINVAL);
  CHECK(bound(RDMA_PS_TCP, kTcp, kPortSpace) == 0);
  CHECK(bound(RDMA_PS_TCP, 0, 0) == 0);
  CHECK(bound(RDMA_PS_UDP, kUdp, kPortSpace) == 0);
  CHECK(bound(RDMA_PS_TCP, kUdp, kPortSpace) == EPROTONOSUPPORT);
  CHECK(bound(RDMA_PS_TCP, kTcp + 7001, kAll) == EADDRINUSE);
  CHECK(bind(program, program.create(10), native(address(1), kTcp, kPortSpace)) == ENODEV);
  CHECK(bind(program, program.create(10), native(address(9), kTcp, kPortSpace)) == ENODEV);
}

TEST_CASE("a native address resolves to an adapter with its prefix, but there is no route") {
  Fabric fabric;
  Program program(fabric, 0);
  for (const Gid& gid : {address(2), address(1), Gid{}}) {
    const std::uint32_t id = program.create(10);
    CHECK(resolve(program, id, native(gid, kTcp + kPort, kAll)) == 0);
    program.event(UcmEvent::kAddressResolved);
    CHECK(addresses(program, id, RDMA_USER_CM_QUERY_ADDR).port_num == 1);
    CHECK(route(program, id) == ENODEV);
  }
  sockaddr_ib other = native(address(2), kTcp + kPort, kAll);
  other.sib_pkey = htobe16(0x8001);
  CHECK(resolve(program, program.create(10), other) == ENODEV);
  Gid foreign = address(2);
  foreign[0] = 0x20;
  CHECK(resolve(program, program.create(10), native(foreign, kTcp + kPort, kAll)) == ENODEV);
  const sockaddr_in from = ipv4({address(1), 0, AF_INET});
  CHECK(resolve(program, program.create(10), native(address(2), kTcp, kAll), &from) == EINVAL);
  CHECK_FALSE(program.has_event());
}

TEST_CASE("a request to a native listener is rejected") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10);
  CHECK(bind(server, listener, native({}, kTcp + kPort, kAll)) == 0);
  CHECK(server.listen(listener) == 0);
  CHECK(client.connect(resolved(client, 20), 0x200) == 0);
  CHECK(client.event(UcmEvent::kRejected).status == static_cast<std::uint32_t>(Reason::kConsumer));
  CHECK_FALSE(server.has_event());
  CHECK(server.destroy(listener) == 0);
  CHECK(server.ucm().manager().services().empty());
}
