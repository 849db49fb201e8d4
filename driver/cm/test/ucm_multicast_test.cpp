// SPDX-License-Identifier: Apache-2.0
// Multicast groups: what a program sees, and what Linux rejects (rdma_join_multicast, ucma_leave).
#include <doctest/doctest.h>
#include <infiniband/verbs.h>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/test/ucm_program.hpp"

using namespace roci::cm;

namespace {

constexpr std::uint32_t kUdpQkey = 0x01234567;  // RDMA_UDP_QKEY of rdma_cma.h

const Endpoint kGroup{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 239, 1, 2, 3}, 0, AF_INET};
const Endpoint kIpv6Group{{0xFF, 0x0E, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 0, AF_INET6};

rdma_ucm_join_mcast join_of(std::uint32_t id, std::uint64_t uid, const Endpoint& group) {
  rdma_ucm_join_mcast command{};
  command.response = 1;
  command.id = id;
  command.uid = uid;
  command.addr_size = group.family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  command.join_flags = RDMA_MC_JOIN_FLAG_FULLMEMBER;
  const sockaddr_in6 address = sockaddr_of(group);
  std::memcpy(&command.addr, &address, sizeof address);
  return command;
}

int join(Program& program, const rdma_ucm_join_mcast& command,
         std::uint32_t* membership = nullptr) {
  rdma_ucm_create_id_resp reply{};
  const int error = program.send(RDMA_USER_CM_CMD_JOIN_MCAST, command, &reply, sizeof reply);
  if (membership != nullptr) *membership = reply.id;
  return error;
}

int leave(Program& program, std::uint32_t membership, std::uint32_t* events = nullptr) {
  rdma_ucm_destroy_id command{};
  command.id = membership;
  rdma_ucm_destroy_id_resp reply{};
  const int error = program.send(RDMA_USER_CM_CMD_LEAVE_MCAST, command, &reply, sizeof reply);
  if (events != nullptr) *events = reply.events_reported;
  return error;
}

/// An identifier of mckey: its address is resolved by that of the group.
std::uint32_t resolved_to(Program& program, const Endpoint& group) {
  const std::uint32_t id = program.create(30, RDMA_PS_UDP);
  CHECK(program.resolve(id, group) == 0);
  program.event(UcmEvent::kAddressResolved);
  return id;
}

}  // namespace

TEST_CASE("a program joins as mckey does, and leaves") {
  Fabric fabric;
  Program program(fabric, 0);
  for (const Endpoint& group : {kGroup, kIpv6Group}) {
    const std::uint32_t id = resolved_to(program, group);
    std::uint32_t membership = 0, events = 0;
    CHECK(join(program, join_of(id, 77, group), &membership) == 0);
    const rdma_ucm_event_resp event = program.event(UcmEvent::kMulticastJoin);
    CHECK(event.uid == 77);  // the one that the program gave to the join
    CHECK(event.id == membership);
    CHECK(event.status == 0);
    CHECK(event.param.ud.qp_num == 0xFFFFFF);
    CHECK(event.param.ud.qkey == kUdpQkey);
    CHECK(event.param.ud.ah_attr.is_global == 1);
    CHECK(event.param.ud.ah_attr.port_num == 1);
    CHECK(std::equal(group.address.begin(), group.address.end(), event.param.ud.ah_attr.grh.dgid));
    CHECK(leave(program, membership, &events) == 0);
    CHECK(events == 1);
    CHECK(leave(program, membership) == ENOENT);
    CHECK(program.destroy(id) == 2);  // the event of the group among them
  }
}

TEST_CASE("the older command for a group of IP addresses") {
  Fabric fabric;
  Program program(fabric, 0);
  const std::uint32_t id = program.create(31, RDMA_PS_UDP);
  CHECK(program.bind(id, {address(1), 0, AF_INET}) == 0);
  rdma_ucm_join_ip_mcast command{};
  command.id = id;
  command.uid = 78;
  command.addr = sockaddr_of(kGroup);
  rdma_ucm_create_id_resp reply{};
  CHECK(program.send(RDMA_USER_CM_CMD_JOIN_IP_MCAST, command, &reply, sizeof reply) == 0);
  CHECK(program.event(UcmEvent::kMulticastJoin).uid == 78);
}

TEST_CASE("joins that are rejected change nothing") {
  Fabric fabric;
  Program program(fabric, 0), other(fabric, 0);
  const std::uint32_t id = resolved_to(program, kGroup);
  const rdma_ucm_join_mcast good = join_of(id, 1, kGroup);
  const auto with = [&](const std::function<void(rdma_ucm_join_mcast&)>& change) {
    rdma_ucm_join_mcast command = good;
    change(command);
    return join(program, command);
  };
  CHECK(with([](auto& c) { c.join_flags = 5; }) == EINVAL);
  CHECK(with([](auto& c) { c.addr_size = sizeof(sockaddr_in6); }) == EINVAL);
  CHECK(with([](auto& c) { std::memset(&c.addr, 0, sizeof c.addr); }) == EINVAL);
  CHECK(with([](auto& c) { c.id = 0x7777; }) == ENOENT);
  CHECK(join(program, join_of(id, 1, kIpv6Group)) == EINVAL);  // the family is another one
  CHECK(join(other, good) == EINVAL);                          // another channel has it
  const std::uint32_t idle = program.create(32, RDMA_PS_UDP);
  CHECK(join(program, join_of(idle, 1, kGroup)) == EINVAL);  // without an adapter
  const std::uint32_t reliable = resolved(program, 33);
  CHECK(join(program, join_of(reliable, 1, kGroup)) == EINVAL);
  CHECK_FALSE(program.has_event());
  CHECK(program.ucm().memberships() == 0);
  CHECK(leave(program, 1) == ENOENT);
}

TEST_CASE("memberships and their events end with the identifier, and with the channel") {
  Fabric fabric;
  Program program(fabric, 0);
  const std::uint32_t id = resolved_to(program, kGroup);
  std::uint32_t first = 0;
  CHECK(join(program, join_of(id, 1, kGroup), &first) == 0);
  CHECK(leave(program, first) == 0);  // before the event was fetched
  CHECK_FALSE(program.has_event());
  CHECK(join(program, join_of(id, 2, kGroup)) == 0);
  CHECK(program.ucm().memberships() == 1);
  program.destroy(id);
  CHECK_FALSE(program.has_event());
  CHECK(program.ucm().memberships() == 0);
  CHECK(join(program, join_of(resolved_to(program, kGroup), 3, kGroup)) == 0);
  program.ucm().close(program.channel, 0);
  CHECK(program.ucm().memberships() == 0);
}
