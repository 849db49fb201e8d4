// SPDX-License-Identifier: Apache-2.0
// The commands of rdma_cm between two nodes, as librdmacm 44 sends them.
#include "driver/cm/abi/ucm.hpp"

#include <doctest/doctest.h>
#include <endian.h>
#include <infiniband/verbs.h>

#include "driver/cm/test/ucm_program.hpp"

using namespace roci::cm;

namespace {

/// A server that listens, a client, and the connection between them.
struct Connected {
  Fabric fabric;
  Program server{fabric, 0}, client{fabric, 1};
  std::uint32_t listener = server.create(10), active = 0, passive = 0;

  Connected() {
    CHECK(server.bind(listener, kAny) == 0);
    CHECK(server.listen(listener) == 0);
    active = resolved(client, 20);
    CHECK(client.connect(active, 0x202) == 0);
    passive = server.event(UcmEvent::kConnectRequest).id;
    CHECK(server.accept(passive, 11, 0x101) == 0);
    client.event(UcmEvent::kConnectResponse);
    CHECK(client.ready(active) == 0);
    server.event(UcmEvent::kEstablished);
  }
};

}  // namespace

TEST_CASE("a connection as rping makes it, with all that the programs see") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10);
  CHECK(server.bind(listener, kAny) == 0);
  CHECK(server.listen(listener) == 0);
  const std::uint32_t active = resolved(client, 20);

  rdma_ucm_query_route_resp route{};
  const rdma_ucm_query query{1, active, 0};
  CHECK(client.send(RDMA_USER_CM_CMD_QUERY_ROUTE, query, &route, sizeof route) == 0);
  CHECK(be64toh(route.node_guid) == 0xA2);
  CHECK(route.num_paths == 1);
  CHECK(route.port_num == 1);
  CHECK(route.ib_route[0].dgid[15] == 1);
  CHECK(route.ib_route[0].sgid[15] == 2);
  CHECK(endpoint_of(route.src_addr)->address == address(2));
  CHECK(endpoint_of(route.src_addr)->port != 0);
  CHECK(endpoint_of(route.dst_addr)->port == kPort);

  CHECK(client.attributes(active, IBV_QPS_INIT).qp_access_flags == 0);
  client.attributes(active, IBV_QPS_RTR, EINVAL);
  CHECK(client.connect(active, 0x202) == 0);
  const rdma_ucm_event_resp request = server.event(UcmEvent::kConnectRequest);
  CHECK(request.uid == 10);
  CHECK(request.id != listener);
  CHECK(request.param.conn.qp_num == 0x202);
  CHECK(request.param.conn.responder_resources == 2);  // what the client may have outstanding
  CHECK(request.param.conn.initiator_depth == 3);
  CHECK(request.param.conn.private_data_len == 56);
  CHECK(std::memcmp(request.param.conn.private_data, "hello", 6) == 0);
  const rdma_ucm_query second{1, request.id, 0};
  CHECK(server.send(RDMA_USER_CM_CMD_QUERY_ROUTE, second, &route, sizeof route) == 0);
  CHECK(be64toh(route.node_guid) == 0xA1);
  CHECK(endpoint_of(route.dst_addr)->address == address(2));
  CHECK(endpoint_of(route.src_addr)->port == kPort);

  const ib_uverbs_qp_attr rtr = server.attributes(request.id, IBV_QPS_RTR);
  CHECK(rtr.dest_qp_num == 0x202);
  CHECK(rtr.path_mtu == 5);
  CHECK(rtr.max_dest_rd_atomic == 2);
  CHECK(rtr.ah_attr.is_global == 1);
  CHECK(rtr.ah_attr.grh.dgid[15] == 2);
  CHECK((rtr.qp_attr_mask & IBV_QP_AV) != 0);
  const ib_uverbs_qp_attr rts = server.attributes(request.id, IBV_QPS_RTS);
  CHECK(rts.max_rd_atomic == 3);
  CHECK(rts.retry_cnt == 6);
  CHECK(rts.rnr_retry == 5);
  CHECK(rts.timeout == kAckTimeout);

  CHECK(server.accept(request.id, 11, 0x101) == 0);
  const rdma_ucm_event_resp response = client.event(UcmEvent::kConnectResponse);
  CHECK(response.uid == 20);
  CHECK(response.param.conn.qp_num == 0x101);
  CHECK(response.param.conn.private_data_len == 196);
  CHECK(std::memcmp(response.param.conn.private_data, "welcome", 8) == 0);
  const ib_uverbs_qp_attr theirs = client.attributes(active, IBV_QPS_RTR);
  CHECK(theirs.dest_qp_num == 0x101);
  CHECK(theirs.rq_psn == rts.sq_psn);
  CHECK(client.attributes(active, IBV_QPS_RTS).sq_psn == rtr.rq_psn);
  CHECK(client.ready(active) == 0);
  CHECK(server.event(UcmEvent::kEstablished).uid == 11);

  CHECK(client.disconnect(active) == 0);
  server.event(UcmEvent::kDisconnected);
  CHECK(server.disconnect(request.id) == 0);
  client.event(UcmEvent::kDisconnected);
  fabric.now += Time{4096} << kAckTimeout;
  for (Ucm& node : fabric.nodes) node.expire(fabric.now);
  client.event(UcmEvent::kTimeWaitExit);
  CHECK(client.destroy(active) == 5);
  CHECK(server.destroy(request.id) == 2);
  CHECK(server.destroy(listener) == 1);
  for (Ucm& node : fabric.nodes) {
    CHECK(node.identifiers() == 0);
    CHECK(node.manager().size() == 0);
  }
}

TEST_CASE("nobody listens: REJECTED with the reason") {
  Fabric fabric;
  Program client(fabric, 1);
  const std::uint32_t id = resolved(client, 20);
  CHECK(client.connect(id, 0x202) == 0);
  CHECK(client.event(UcmEvent::kRejected).status == 8);
}

TEST_CASE("the server rejects with private data") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10);
  CHECK(server.bind(listener, kServer) == 0);
  CHECK(server.listen(listener) == 0);
  const std::uint32_t id = resolved(client, 20);
  CHECK(client.connect(id, 0x202) == 0);
  rdma_ucm_reject reject{};
  reject.id = server.event(UcmEvent::kConnectRequest).id;
  reject.private_data_len = 4;
  std::memcpy(reject.private_data, "busy", 4);
  CHECK(server.send(RDMA_USER_CM_CMD_REJECT, reject) == 0);
  const rdma_ucm_event_resp event = client.event(UcmEvent::kRejected);
  CHECK(event.status == 28);
  CHECK(event.param.conn.private_data_len == 148);
  CHECK(std::memcmp(event.param.conn.private_data, "busy", 4) == 0);
}

TEST_CASE("IPv6: a listener of the wildcard, and one of an address of its own") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t wild = server.create(10), exact = server.create(11);
  CHECK(server.bind(wild, {Gid{}, kPort, AF_INET6}) == 0);
  CHECK(server.listen(wild) == 0);
  CHECK(server.bind(exact, {ipv6(1), kPort, AF_INET6}) == EADDRINUSE);
  CHECK(server.bind(exact, {ipv6(1), kPort + 1, AF_INET6}) == 0);
  CHECK(server.listen(exact) == 0);
  CHECK(client.connect(resolved(client, 20, {ipv6(1), kPort, AF_INET6}), 0x202) == 0);
  CHECK(server.event(UcmEvent::kConnectRequest).uid == 10);
  CHECK(client.connect(resolved(client, 21, kServer), 0x203) == 0);  // IPv4 to the same port
  CHECK(server.event(UcmEvent::kConnectRequest).uid == 10);
  CHECK(client.connect(resolved(client, 22, {ipv6(1), kPort + 1, AF_INET6}), 0x204) == 0);
  CHECK(server.event(UcmEvent::kConnectRequest).uid == 11);
}

TEST_CASE("addresses and ports that cannot be had") {
  Fabric fabric;
  Program program(fabric, 0);
  const std::uint32_t first = program.create(10), second = program.create(11);
  CHECK(program.bind(first, {address(9), kPort, AF_INET}) == EADDRNOTAVAIL);
  CHECK(program.bind(first, kServer) == 0);
  CHECK(program.bind(first, kServer) == EINVAL);
  CHECK(program.bind(second, kAny) == EADDRINUSE);
  CHECK(program.resolve(second, {address(9), kPort, AF_INET}) == 0);
  CHECK(static_cast<int>(program.event(UcmEvent::kAddressError).status) == -EHOSTUNREACH);
  rdma_ucm_bind_ip local{};
  local.id = second;
  local.addr.sin6_family = AF_UNIX;
  CHECK(program.send(RDMA_USER_CM_CMD_BIND_IP, local) == EAFNOSUPPORT);
  CHECK(program.destroy(first) == 0);
  CHECK(program.bind(second, kServer) == 0);
}

TEST_CASE("commands that do not belong there change nothing") {
  Fabric fabric;
  Program program(fabric, 0), stranger(fabric, 0);
  const std::uint32_t id = program.create(10);
  CHECK(stranger.listen(id) == EINVAL);
  CHECK(program.listen(id + 1) == ENOENT);
  CHECK(program.connect(id, 0x202) == EINVAL);
  CHECK(program.accept(id, 1, 0x202) == EINVAL);
  CHECK(program.disconnect(id) == EINVAL);
  CHECK(program.send(RDMA_USER_CM_CMD_REJECT, rdma_ucm_reject{id, 0, 0, {}, {}}) == EINVAL);
  CHECK(program.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 1}) == EINVAL);
  rdma_ucm_bind other{};
  CHECK(program.send(RDMA_USER_CM_CMD_BIND, other) == EINVAL);
  CHECK(program.send(99, other) == EINVAL);
  rdma_ucm_create_id create{};
  create.ps = RDMA_PS_IPOIB;
  rdma_ucm_create_id_resp reply{};
  CHECK(program.send(RDMA_USER_CM_CMD_CREATE_ID, create, &reply, sizeof reply) == EOPNOTSUPP);
  CHECK(program.send(RDMA_USER_CM_CMD_CREATE_ID, create, &reply, sizeof reply - 1) == ENOSPC);
  const std::uint8_t few[] = {0, 0, 0, 0, 200, 0, 4, 0};
  CHECK(program.ucm().command(program.channel, few, sizeof few, {}, 0, 0).error == EINVAL);
  CHECK(program.ucm().command(program.channel, few, 3, {}, 0, 0).error == EINVAL);
  CHECK(program.ucm().command(99, few, sizeof few, {}, 0, 0).error == EINVAL);
  CHECK(program.ucm().identifiers() == 1);
}

TEST_CASE("a backlog that is full rejects") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10);
  CHECK(server.bind(listener, kServer) == 0);
  CHECK(server.listen(listener, 1) == 0);
  CHECK(client.connect(resolved(client, 20), 0x202) == 0);
  CHECK(client.connect(resolved(client, 21), 0x203) == 0);
  CHECK(client.event(UcmEvent::kRejected).uid == 21);
  server.event(UcmEvent::kConnectRequest);
  CHECK(client.connect(resolved(client, 22), 0x204) == 0);
  CHECK(server.event(UcmEvent::kConnectRequest).param.conn.qp_num == 0x204);
}

TEST_CASE("a program that dies: its peer learns of it, and nothing is left") {
  Connected both;
  both.server.ucm().close(both.server.channel, both.fabric.now);
  both.fabric.carry();
  both.client.event(UcmEvent::kDisconnected);
  CHECK(both.server.ucm().identifiers() == 0);
  CHECK(both.client.disconnect(both.active) == 0);
  both.client.destroy(both.active);
  for (Ucm& node : both.fabric.nodes) {
    while (node.deadline() != kNever) node.expire(both.fabric.now = node.deadline());
    CHECK(node.manager().size() == 0);
  }
}

TEST_CASE("a listener that is destroyed rejects what nobody has fetched") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10);
  CHECK(server.bind(listener, kServer) == 0);
  CHECK(server.listen(listener) == 0);
  CHECK(client.connect(resolved(client, 20), 0x202) == 0);
  CHECK(server.destroy(listener) == 0);
  CHECK(client.event(UcmEvent::kRejected).status == 28);
  CHECK(!server.has_event());
  CHECK(client.connect(resolved(client, 21), 0x203) == 0);
  CHECK(client.event(UcmEvent::kRejected).status == 8);
}

TEST_CASE("migration takes the events along") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1), other(fabric, 1);
  const std::uint32_t id = client.create(20);
  CHECK(client.resolve(id, kServer) == 0);
  rdma_ucm_migrate_resp reply{};
  const rdma_ucm_migrate_id migrate{1, id, 0};
  CHECK(other.send(RDMA_USER_CM_CMD_MIGRATE_ID, migrate, &reply, sizeof reply, client.channel) ==
        0);
  CHECK(reply.events_reported == 0);
  CHECK(!client.has_event());
  other.event(UcmEvent::kAddressResolved);
  CHECK(fabric.announced[1][other.channel] == 1);
  CHECK(client.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, 1}) == EINVAL);
}

TEST_CASE("a peer that does not respond is unreachable") {
  Fabric fabric;
  Program client(fabric, 1);
  const std::uint32_t id = resolved(client, 20);
  rdma_ucm_connect command{};
  command.id = id;
  command.conn_param = Program::param(0x202, "");
  CHECK(client.bare(RDMA_USER_CM_CMD_CONNECT, command) == 0);
  unsigned sent = 0;
  for (bool reported = false; !reported;) {
    sent += static_cast<unsigned>(client.ucm().take_outgoing().size());
    client.ucm().expire(fabric.now = client.ucm().deadline());
    reported = fabric.announced[1][client.channel] == 3;
  }
  CHECK(sent == 16);
  CHECK(static_cast<int>(client.event(UcmEvent::kUnreachable).status) == -ETIMEDOUT);
}
