// SPDX-License-Identifier: Apache-2.0
// Programs that use multicast groups: ibv_attach_mcast and ibv_detach_mcast with the results that
// the kernel gives, delivery to several queue pairs, and a hostile sender beside others.
#include <doctest/doctest.h>

#include <cerrno>
#include <random>

#include "sim/test/verbs/datagrams.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kMulticastQpn = 0xFFFFFF;

ibv_gid group(std::uint8_t last) {
  ibv_gid gid{};
  gid.raw[10] = gid.raw[11] = 0xFF;
  gid.raw[12] = 239;
  gid.raw[15] = last;
  return gid;
}

}  // namespace

TEST_CASE("datagrams to a group reach the queue pairs that are attached") {
  Device device;
  Datagrams from(device), a(device), b(device), outside(device);
  const ibv_gid here = group(1);
  ibv_ah* to = need(from.handle(here), "address handle");
  for (Datagrams* one : {&from, &a, &b}) CHECK(ibv_attach_mcast(one->qp, &here, 0) == 0);
  for (Datagrams* one : {&from, &a, &b, &outside}) CHECK(one->receive() == 0);
  from.fill(3);
  CHECK(from.send(to, kMulticastQpn, 500) == 0);
  for (Datagrams* one : {&a, &b}) {
    const ibv_wc wc = one->next();
    CHECK(wc.status == IBV_WC_SUCCESS);
    CHECK(wc.byte_len == kGrh + 500);
    CHECK(wc.src_qp == from.qp->qp_num);
    CHECK(one->holds(from, 500));
  }
  // The sender is attached: it has its own datagram beside the completion of the send.
  CHECK(from.next().status == IBV_WC_SUCCESS);
  CHECK(from.next().status == IBV_WC_SUCCESS);
  ibv_wc wc{};
  CHECK(ibv_poll_cq(outside.cq, 1, &wc) == 0);
  for (Datagrams* one : {&from, &a, &b}) CHECK(ibv_detach_mcast(one->qp, &here, 0) == 0);
  CHECK(ibv_destroy_ah(to) == 0);
}

TEST_CASE("attaching and detaching as the kernel does") {
  Device device;
  Datagrams a(device);
  const ibv_gid here = group(1), there = group(2);
  CHECK(ibv_detach_mcast(a.qp, &here, 0) == EINVAL);
  CHECK(ibv_attach_mcast(a.qp, &device.gid, 0) == EINVAL);  // no group
  CHECK(ibv_attach_mcast(a.qp, &here, 0xC000) == 0);        // the LID means nothing
  CHECK(ibv_attach_mcast(a.qp, &here, 0) == 0);             // again
  CHECK(ibv_destroy_qp(a.qp) == EBUSY);
  CHECK(ibv_detach_mcast(a.qp, &there, 0) == EINVAL);
  CHECK(ibv_detach_mcast(a.qp, &here, 0) == 0);
  CHECK(ibv_detach_mcast(a.qp, &here, 0) == EINVAL);
  ibv_qp* connected = need(create(device, IBV_QPT_UC, a.cq), "queue pair");
  CHECK(ibv_attach_mcast(connected, &here, 0) == EINVAL);
  CHECK(ibv_destroy_qp(connected) == 0);
  ibv_device_attr limits{};
  REQUIRE(ibv_query_device(device.context, &limits) == 0);
  CHECK(limits.max_mcast_grp > 0);
  CHECK(limits.max_mcast_qp_attach > 0);
  int attached = 0;
  std::vector<ibv_gid> all;
  for (ibv_gid gid = group(0); all.size() < 65536; gid.raw[14] += gid.raw[15] == 0) {
    attached = ibv_attach_mcast(a.qp, &gid, 0);
    if (attached != 0) break;
    all.push_back(gid);
    ++gid.raw[15];
  }
  CHECK(attached == ENOMEM);
  CHECK(static_cast<int>(all.size()) == limits.max_total_mcast_qp_attach);
  for (const ibv_gid& gid : all) CHECK(ibv_detach_mcast(a.qp, &gid, 0) == 0);
}

TEST_CASE("a hostile sender to a group changes nothing for others") {
  Device device;
  Datagrams from(device), witness(device), member(device), attacker(device);
  const ibv_gid here = group(9);
  ibv_ah* to = need(attacker.handle(here), "address handle");
  CHECK(ibv_attach_mcast(member.qp, &here, 0) == 0);
  std::mt19937_64 random(11);
  for (unsigned round = 0; round < 100; ++round) {
    for (unsigned i = 0; i < 20; ++i) {
      const auto length = static_cast<std::uint32_t>(random() % (kMost + 1));
      const auto qkey = static_cast<std::uint32_t>(random() % 2 == 0 ? kQkey : random() >> 33);
      const auto number = random() % 4 == 0 ? static_cast<std::uint32_t>(random()) : kMulticastQpn;
      const int posted = member.receive(static_cast<std::uint32_t>(random() % kBytes));
      CHECK((posted == 0 || posted == ENOMEM));  // receives that are too short stay
      CHECK(attacker.send(to, number, length, qkey) == 0);
      CHECK(attacker.next().status == IBV_WC_SUCCESS);
    }
    ibv_wc wc{};
    while (ibv_poll_cq(member.cq, 1, &wc) == 1) CHECK(wc.status == IBV_WC_SUCCESS);
    from.fill(static_cast<std::uint8_t>(round));
    CHECK(witness.receive() == 0);
    CHECK(from.send(from.ah, witness.qp->qp_num, round) == 0);
    CHECK(from.next().status == IBV_WC_SUCCESS);
    CHECK(witness.next().byte_len == kGrh + round);
    CHECK(witness.holds(from, round));
  }
  CHECK(member.state() == IBV_QPS_RTS);
  CHECK(ibv_detach_mcast(member.qp, &here, 0) == 0);
  CHECK(ibv_destroy_ah(to) == 0);
}

}  // namespace roci::user
