// SPDX-License-Identifier: Apache-2.0
// Peers outside of the simulator, whose way is resolved; and adapters that fail.
#include <doctest/doctest.h>
#include <infiniband/verbs.h>

#include <utility>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/test/ucm_program.hpp"

using namespace roci::cm;

namespace {

constexpr std::uint32_t kTimeoutMs = 2000;
constexpr Time kTimeout = Time{kTimeoutMs} * 1'000'000;
const Endpoint kOutside{address(200), kPort, AF_INET};
const Endpoint kOther{address(201), kPort, AF_INET};

int resolve(Program& program, std::uint32_t id, const Endpoint& to) {
  rdma_ucm_resolve_ip command{};
  command.id = id;
  command.dst_addr = sockaddr_of(to);
  command.timeout_ms = kTimeoutMs;
  return program.send(RDMA_USER_CM_CMD_RESOLVE_IP, command);
}

rdma_ucm_query_route_resp route_of(Program& program, std::uint32_t id) {
  rdma_ucm_query_route_resp reply{};
  const rdma_ucm_query query{1, id, 0};
  CHECK(program.send(RDMA_USER_CM_CMD_QUERY_ROUTE, query, &reply, sizeof reply) == 0);
  return reply;
}

}  // namespace

TEST_CASE("an address is resolved when its way is found, for all that wait for it") {
  Fabric fabric;
  Program program(fabric, 0);
  const std::uint32_t first = program.create(10), second = program.create(11),
                      other = program.create(12);
  CHECK(resolve(program, first, kOutside) == 0);
  CHECK(resolve(program, second, kOutside) == 0);
  CHECK(resolve(program, other, kOther) == 0);
  REQUIRE(fabric.asked.size() == 3);
  const MadPath path = fabric.asked[0];
  CHECK(path.local == address(1));
  CHECK(path.remote == address(200));
  CHECK_FALSE(program.has_event());
  CHECK(program.ucm().deadline() == kTimeout);
  CHECK(program.ucm().awaits(path));
  // Nothing else can be done with it meanwhile.
  CHECK(resolve(program, first, kOutside) == EINVAL);
  CHECK(program.bind(first, kServer) == EINVAL);
  CHECK(program.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{first, 1}) == EINVAL);
  CHECK(program.connect(first, 0x200) == EINVAL);

  fabric.now = 5;
  program.ucm().resolved(path, fabric.now);
  CHECK(program.event(UcmEvent::kAddressResolved).uid == 10);
  CHECK(program.event(UcmEvent::kAddressResolved).uid == 11);
  CHECK_FALSE(program.has_event());
  CHECK_FALSE(program.ucm().awaits(path));
  CHECK(program.ucm().awaits(fabric.asked[2]));
  CHECK(fabric.announced[0][program.channel] == 2);
  CHECK(program.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{first, 1}) == 0);
  program.event(UcmEvent::kRouteResolved);
  fabric.carries = false;
  CHECK(program.connect(first, 0x200) == 0);
  const auto sent = program.ucm().take_outgoing();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].path.remote == address(200));
}

TEST_CASE("without a reply ADDR_ERROR comes after the time of the program, and it can try again") {
  Fabric fabric;
  Program program(fabric, 0);
  const std::uint32_t id = program.create(10);
  CHECK(resolve(program, id, kOutside) == 0);
  fabric.now = kTimeout - 1;
  program.ucm().expire(fabric.now);
  CHECK_FALSE(program.has_event());
  fabric.now = kTimeout;
  program.ucm().expire(fabric.now);
  CHECK(static_cast<int>(program.event(UcmEvent::kAddressError).status) == -ETIMEDOUT);
  CHECK(program.ucm().deadline() == kNever);
  CHECK(route_of(program, id).node_guid == 0);
  program.ucm().resolved(fabric.asked[0], fabric.now);  // too late
  CHECK_FALSE(program.has_event());
  // Another family than before: no address was kept.
  CHECK(program.resolve(id, {ipv6(2), kPort, AF_INET6}) == 0);
  program.event(UcmEvent::kAddressResolved);
}

TEST_CASE("an identifier that is destroyed while its peer is resolved gets no event") {
  Fabric fabric;
  Program program(fabric, 0);
  const std::uint32_t id = program.create(10);
  CHECK(resolve(program, id, kOutside) == 0);
  CHECK(program.destroy(id) == 0);
  CHECK(program.ucm().deadline() == kNever);
  CHECK_FALSE(program.ucm().awaits(fabric.asked[0]));
  program.ucm().resolved(fabric.asked[0], 1);
  CHECK_FALSE(program.has_event());
}

TEST_CASE("an adapter that fails: DEVICE_REMOVAL for each identifier, which can be destroyed") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10), wildcard = server.create(11),
                      waiting = server.create(12);
  CHECK(server.bind(listener, kServer) == 0);
  CHECK(server.listen(listener) == 0);
  CHECK(server.bind(wildcard, {kAny.address, kPort + 1, AF_INET}) == 0);
  CHECK(server.listen(wildcard) == 0);
  CHECK(resolve(server, waiting, kOutside) == 0);
  const std::uint32_t active = resolved(client, 20);
  CHECK(client.connect(active, 0x200) == 0);
  const std::uint32_t passive = server.event(UcmEvent::kConnectRequest).id;
  CHECK(server.accept(passive, 13, 0x100) == 0);
  client.event(UcmEvent::kConnectResponse);
  CHECK(client.ready(active) == 0);
  server.event(UcmEvent::kEstablished);
  CHECK(client.connect(resolved(client, 21), 0x201) == 0);  // nobody fetches this request

  server.ucm().remove(0, fabric.now);
  fabric.carry();
  for (const std::uint64_t uid : {10, 12, 13}) {
    CHECK(server.event(UcmEvent::kDeviceRemoval).uid == uid);
  }
  CHECK_FALSE(server.has_event());
  client.event(UcmEvent::kRejected);
  client.event(UcmEvent::kDisconnected);
  // The wildcard listens on, the others are good for nothing.
  CHECK(server.ucm().manager().services().size() == 1);
  CHECK(server.ucm().deadline() != kTimeout);
  CHECK(server.disconnect(passive) == ENXIO);
  CHECK(server.listen(listener) == ENXIO);
  CHECK(resolve(server, waiting, kOutside) == ENXIO);
  CHECK(server.bind(server.create(14), kServer) == EADDRNOTAVAIL);
  CHECK(resolve(server, server.create(15), kOutside) == 0);
  CHECK(static_cast<int>(server.event(UcmEvent::kAddressError).status) == -ENODEV);
  CHECK(server.destroy(waiting) == 1);
  CHECK(server.destroy(listener) == 2);  // and the request
  CHECK(server.destroy(passive) == 2);
  server.ucm().remove(0, fabric.now);
  CHECK_FALSE(server.has_event());
}

TEST_CASE("the loopback can be bound like the wildcard, and resolves to an adapter without route") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const Endpoint v4{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1}, kPort, AF_INET};
  const Endpoint v6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, kPort + 1, AF_INET6};
  const std::uint32_t first = server.create(10), second = server.create(11);
  CHECK(server.bind(first, v4) == 0);
  CHECK(route_of(server, first).port_num == 0);  // no adapter has it
  CHECK(server.bind(second, kAny) == EADDRINUSE);
  CHECK(server.bind(second, v6) == 0);
  CHECK(server.listen(first) == 0);
  CHECK(client.connect(resolved(client, 20), 0x200) == 0);  // from the other node
  CHECK(server.event(UcmEvent::kConnectRequest).uid == 10);

  for (const Endpoint& to : {v4, v6, Endpoint{kAny.address, kPort, AF_INET}}) {
    const std::uint32_t id = client.create(21);
    CHECK(resolve(client, id, to) == 0);
    client.event(UcmEvent::kAddressResolved);
    const auto found = route_of(client, id);
    CHECK(found.port_num == 1);
    CHECK(found.src_addr.sin6_family == to.family);
    CHECK(client.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 1}) == ENODEV);
  }
  client.ucm().remove(0, fabric.now);
  while (client.has_event()) client.event(UcmEvent::kDeviceRemoval);
  CHECK(resolve(client, client.create(22), v4) == ENODEV);
}
