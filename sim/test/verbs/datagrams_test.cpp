// SPDX-License-Identifier: Apache-2.0
// Programs of UD and UC: address handles, extended posting and polling, states, errors, and a
// hostile sender beside others. Run by callers.py on an engine that has them.
#include "sim/test/verbs/datagrams.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <random>
#include <string>

namespace roci::user {

TEST_CASE("a datagram names its sender, who gets a reply by an address handle of the completion") {
  Device device;
  Datagrams a(device), b(device);
  a.fill(1);
  CHECK(b.receive() == 0);
  CHECK(a.send(a.ah, b.qp->qp_num, 1000) == 0);
  CHECK(a.next().status == IBV_WC_SUCCESS);
  ibv_wc wc = b.next();
  CHECK(wc.status == IBV_WC_SUCCESS);
  CHECK(wc.opcode == IBV_WC_RECV);
  CHECK(wc.byte_len == kGrh + 1000);
  CHECK(wc.src_qp == a.qp->qp_num);
  CHECK(wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_IMM));
  CHECK(ntohl(wc.imm_data) == 0x01020304);
  CHECK(b.holds(a, 1000));

  auto* grh = reinterpret_cast<ibv_grh*>(b.memory.bytes.data());
  ibv_ah_attr attr{};
  CHECK(ibv_init_ah_from_wc(device.context, 1, &wc, grh, &attr) == 0);
  CHECK(std::memcmp(&attr.grh.dgid, &device.gid, sizeof device.gid) == 0);
  CHECK(attr.grh.sgid_index == 0);
  ibv_ah* back = ibv_create_ah_from_wc(device.pd, &wc, grh, 1);
  REQUIRE(back != nullptr);
  CHECK(a.receive() == 0);
  b.fill(9);
  CHECK(b.send(back, wc.src_qp, 16) == 0);
  CHECK(b.next().status == IBV_WC_SUCCESS);
  CHECK(a.next().byte_len == kGrh + 16);
  CHECK(a.holds(b, 16));
  CHECK(ibv_destroy_ah(back) == 0);
}

TEST_CASE("datagrams by extended posting and polling") {
  Device device;
  Datagrams a(device, true);
  ibv_cq_init_attr_ex cq_attr{};
  cq_attr.cqe = 16;
  cq_attr.wc_flags = IBV_WC_STANDARD_FLAGS;
  ibv_cq_ex* cq = need(ibv_create_cq_ex(device.context, &cq_attr), "completion queue");
  {
    Datagrams b(device);
    CHECK(b.receive() == 0);
    ibv_qp_ex* qp = need(ibv_qp_to_qp_ex(a.qp), "extended queue pair");
    char text[] = "inline data";
    ibv_wr_start(qp);
    qp->wr_id = 5;
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send_imm(qp, htonl(77));
    ibv_wr_set_ud_addr(qp, a.ah, b.qp->qp_num, kQkey);
    ibv_wr_set_inline_data(qp, text, sizeof text);
    CHECK(ibv_wr_complete(qp) == 0);
    CHECK(a.next().wr_id == 5);
    const ibv_wc wc = b.next();
    CHECK(wc.byte_len == kGrh + sizeof text);
    CHECK(std::memcmp(&b.memory.bytes[kGrh], text, sizeof text) == 0);
    ibv_wr_start(qp);
    ibv_wr_send(qp);
    ibv_wr_set_ud_addr(qp, nullptr, b.qp->qp_num, kQkey);
    CHECK(ibv_wr_complete(qp) == EINVAL);
  }
  ibv_qp* other = need(create(device, IBV_QPT_UD, ibv_cq_ex_to_cq(cq)), "queue pair");
  std::swap(a.qp, other);
  CHECK(a.to(IBV_QPS_INIT, kInitMask) == 0);
  CHECK(a.to(IBV_QPS_RTR, IBV_QP_STATE) == 0);
  CHECK(a.receive() == 0);
  const std::uint32_t to = a.qp->qp_num;
  std::swap(a.qp, other);
  CHECK(a.send(a.ah, to, 10) == 0);
  ibv_poll_cq_attr poll{};
  while (ibv_start_poll(cq, &poll) == ENOENT) {
  }
  CHECK(ibv_wc_read_src_qp(cq) == a.qp->qp_num);
  CHECK(ibv_wc_read_wc_flags(cq) == (IBV_WC_GRH | IBV_WC_WITH_IMM));
  CHECK(ibv_wc_read_byte_len(cq) == kGrh + 10);
  ibv_end_poll(cq);
  CHECK(ibv_destroy_qp(other) == 0);
  CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == 0);
}

TEST_CASE("transitions take the attributes that the kernel's table gives to UD") {
  Device device;
  Datagrams a(device);
  CHECK(a.to(IBV_QPS_RESET, IBV_QP_STATE) == 0);
  CHECK(a.to(IBV_QPS_INIT, kInitMask & ~IBV_QP_QKEY) == EINVAL);
  CHECK(a.to(IBV_QPS_INIT, kInitMask | IBV_QP_ACCESS_FLAGS) == EINVAL);
  CHECK(a.to(IBV_QPS_INIT, kInitMask) == 0);
  CHECK(a.to(IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_PATH_MTU) == EINVAL);
  CHECK(a.to(IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_QKEY) == 0);
  CHECK(a.to(IBV_QPS_RTS, IBV_QP_STATE) == EINVAL);
  CHECK(a.to(IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN) == 0);
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  CHECK(ibv_query_qp(a.qp, &attr, IBV_QP_QKEY, &init) == 0);
  CHECK(attr.qkey == kQkey);
  CHECK(init.qp_type == IBV_QPT_UD);
  // A send that fails leads to SQE, from which RTS is entered.
  CHECK(a.send(a.ah, a.qp->qp_num, kMost + 1) == 0);
  CHECK(a.send(a.ah, a.qp->qp_num, 1) == 0);
  CHECK(a.next().status == IBV_WC_LOC_LEN_ERR);
  CHECK(a.next().status == IBV_WC_WR_FLUSH_ERR);
  CHECK(a.state() == IBV_QPS_SQE);
  CHECK(a.to(IBV_QPS_RTS, IBV_QP_STATE) == 0);
  CHECK(a.receive() == 0);
  CHECK(a.send(a.ah, a.qp->qp_num, kMost) == 0);
  CHECK(a.next().status == IBV_WC_SUCCESS);
  CHECK(a.next().status == IBV_WC_SUCCESS);
}

TEST_CASE("address handles and requests that are wrong") {
  Device device;
  Datagrams a(device);
  ibv_ah_attr attr = address_of(device.gid);
  attr.is_global = 0;
  CHECK(ibv_create_ah(device.pd, &attr) == nullptr);
  CHECK(errno == EINVAL);
  attr = address_of(device.gid);
  attr.grh.dgid.raw[15] ^= 0x40;  // an address that nobody has
  CHECK(ibv_create_ah(device.pd, &attr) == nullptr);
  CHECK(errno == EHOSTUNREACH);
  ibv_device_attr limits{};
  REQUIRE(ibv_query_device(device.context, &limits) == 0);
  std::vector<ibv_ah*> all;
  while (ibv_ah* one = a.handle(device.gid)) all.push_back(one);
  CHECK(errno == ENOMEM);
  CHECK(all.size() + 1 == static_cast<std::size_t>(limits.max_ah));
  for (ibv_ah* one : all) CHECK(ibv_destroy_ah(one) == 0);

  for (const ibv_wr_opcode opcode :
       {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND_WITH_INV, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
    CHECK(a.send(a.ah, a.qp->qp_num, 8, kQkey, opcode) == 0);
    CHECK(a.next().status == IBV_WC_LOC_QP_OP_ERR);
    CHECK(a.to(IBV_QPS_RTS, IBV_QP_STATE) == 0);  // from SQE
  }
  CHECK(a.send(nullptr, a.qp->qp_num, 8) == EINVAL);
  ibv_pd* other = need(ibv_alloc_pd(device.context), "protection domain");
  attr = address_of(device.gid);
  ibv_ah* foreign = need(ibv_create_ah(other, &attr), "address handle");
  CHECK(ibv_dealloc_pd(other) == EBUSY);
  CHECK(a.send(foreign, a.qp->qp_num, 8) == 0);
  CHECK(a.next().status == IBV_WC_LOC_QP_OP_ERR);
  CHECK(ibv_destroy_ah(foreign) == 0);
  CHECK(ibv_dealloc_pd(other) == 0);
}

TEST_CASE("UC has SEND and WRITE") {
  Device device;
  ibv_cq* cq = need(ibv_create_cq(device.context, 16, nullptr, nullptr, 0), "completion queue");
  ibv_qp* qp = need(create(device, IBV_QPT_UC, cq), "queue pair");
  Region memory(device.pd, kBytes);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 1;
  attr.qp_access_flags = kAllAccess;
  CHECK(ibv_modify_qp(qp, &attr, Queue::kInitMask) == 0);
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.dest_qp_num = qp->qp_num;
  attr.ah_attr = address_of(device.gid);
  CHECK(ibv_modify_qp(qp, &attr, Queue::kRtrMask) == EINVAL);  // with attributes of RC
  CHECK(ibv_modify_qp(
            qp, &attr,
            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) == 0);
  attr.qp_state = IBV_QPS_RTS;
  CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) == 0);
  ibv_sge sge{memory.at(), 3000, memory.mr->lkey};
  ibv_send_wr wr{}, *bad = nullptr;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma = {memory.at(4096), memory.mr->rkey};
  wr.opcode = IBV_WR_RDMA_READ;
  ibv_wc wc{};
  const auto status = [&] {
    while (ibv_poll_cq(cq, 1, &wc) == 0) {
    }
    return wc.status;
  };
  CHECK(ibv_post_send(qp, &wr, &bad) == 0);
  CHECK(status() == IBV_WC_LOC_QP_OP_ERR);
  attr.qp_state = IBV_QPS_RTS;
  CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE) == 0);  // from SQE
  memory.bytes[2999] = 0x5A;
  wr.opcode = IBV_WR_RDMA_WRITE;
  CHECK(ibv_post_send(qp, &wr, &bad) == 0);
  CHECK(status() == IBV_WC_SUCCESS);
  CHECK(wc.opcode == IBV_WC_RDMA_WRITE);
  while (*static_cast<volatile std::uint8_t*>(&memory.bytes[4096 + 2999]) != 0x5A) {
    CHECK(ibv_poll_cq(cq, 1, &wc) == 0);
  }
  CHECK(ibv_destroy_qp(qp) == 0);
  CHECK(ibv_destroy_cq(cq) == 0);
}

TEST_CASE("a hostile sender of datagrams changes nothing for others") {
  Device device;
  Datagrams from(device), witness(device), attacker(device);
  Pair connected(device);
  Region near(device.pd, kBytes), far(device.pd, kBytes);
  std::mt19937_64 random(7);
  // The RTL takes an eighth of a second for a round.
  const unsigned rounds = engine_is("rtl") ? 50 : 200;
  for (unsigned round = 0; round < rounds; ++round) {
    // The receive is too short for the longest ones; Q_Keys and numbers are wrong, mostly.
    CHECK(witness.receive(1024 + kGrh) == 0);
    for (unsigned i = 0; i < 30; ++i) {
      const bool hits = random() % 2 == 0;
      const std::uint32_t to = hits ? witness.qp->qp_num : static_cast<std::uint32_t>(random());
      const bool too_long = hits && random() % 2 == 0;
      const std::uint32_t length = too_long ? 1025 + random() % (kMost - 1024) : random() % 1025;
      const std::uint32_t qkey = too_long ? kQkey : static_cast<std::uint32_t>(random() >> 33) | 2;
      CHECK(attacker.send(attacker.ah, to, length, qkey) == 0);
      CHECK(attacker.next().status == IBV_WC_SUCCESS);
    }
    from.fill(static_cast<std::uint8_t>(round));
    const std::uint32_t length = round % 1025;
    CHECK(from.send(from.ah, witness.qp->qp_num, length) == 0);
    CHECK(from.next().status == IBV_WC_SUCCESS);
    const ibv_wc wc = witness.next();
    REQUIRE(wc.status == IBV_WC_SUCCESS);
    REQUIRE(wc.byte_len == kGrh + length);
    CHECK(wc.src_qp == from.qp->qp_num);
    CHECK(witness.holds(from, length));
    CHECK(connected.a.write(near, far, 512) == 0);
    CHECK(connected.a.next().status == IBV_WC_SUCCESS);
  }
  CHECK(witness.state() == IBV_QPS_RTS);
}

}  // namespace roci::user
