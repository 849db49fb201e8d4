// SPDX-License-Identifier: Apache-2.0
// Attributes wider than their field, and the errno of calls that fail: both as on a Linux kernel
// (table in docs/verbs.md). Run by `roci exec` on a node of a simulator.
#include <doctest/doctest.h>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;

ibv_qp_attr query(Queue& queue) {
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  need_zero(ibv_query_qp(queue.qp, &attr, IBV_QP_STATE, &init), "query");
  return attr;
}

/// The result of a call that must report `error` twice: as its result and in errno.
template <typename Call>
void fails(int error, Call call) {
  errno = 0;
  CHECK(call() == error);
  CHECK(errno == error);
}

/// The same for a call that returns a pointer.
template <typename Call>
void fails_null(int error, Call call) {
  errno = 0;
  CHECK(call() == nullptr);
  CHECK(errno == error);
}

}  // namespace

TEST_CASE("attributes wider than their field are truncated to it") {
  Device device;
  Region near(device.pd, kBytes), far(device.pd, kBytes);
  Queue a(device, {}), b(device, {});
  for (Queue* queue : {&a, &b}) {
    const std::uint32_t peer = (queue == &a ? b : a).qp->qp_num;
    REQUIRE(queue->to_init() == 0);
    ibv_qp_attr rtr = queue->rtr_attributes(0xAB000000 | peer);
    rtr.rq_psn = 0xFF000123;
    rtr.min_rnr_timer = 0xE1;
    rtr.ah_attr.grh.flow_label = 0xFFFFFFFF;
    rtr.ah_attr.grh.traffic_class = 0xFC;
    rtr.ah_attr.sl = 0xFB;
    rtr.ah_attr.src_path_bits = 0xFF;
    rtr.ah_attr.static_rate = 0xFF;
    rtr.ah_attr.dlid = 0xFFFF;
    REQUIRE(ibv_modify_qp(queue->qp, &rtr, Queue::kRtrMask) == 0);
    ibv_qp_attr rts = queue->rts_attributes();
    rts.sq_psn = 0xFF000123;
    rts.timeout = 0xEE;
    rts.retry_cnt = 0xFF;
    rts.rnr_retry = 0xFE;
    REQUIRE(ibv_modify_qp(queue->qp, &rts, Queue::kRtsMask) == 0);

    const ibv_qp_attr attr = query(*queue);
    CHECK(attr.dest_qp_num == peer);
    CHECK(attr.rq_psn == 0x123);
    CHECK(attr.sq_psn == 0x123);
    CHECK(attr.min_rnr_timer == 1);
    CHECK(attr.timeout == 14);
    CHECK(attr.retry_cnt == 7);
    CHECK(attr.rnr_retry == 6);
    CHECK(attr.ah_attr.sl == 3);
    CHECK(attr.ah_attr.grh.flow_label == 0xFFFFF);
    CHECK(attr.ah_attr.grh.traffic_class == 0xFC);
  }
  near.bytes.assign(kBytes, 0x5A);
  CHECK(a.write(near, far, kBytes) == 0);
  CHECK(a.next().status == IBV_WC_SUCCESS);
  CHECK(far.bytes == near.bytes);
}

TEST_CASE("attributes without effect are accepted, and unsupported ones are rejected") {
  Device device;
  Region region(device.pd, kBytes);
  Pair pair(device);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTS;
  attr.path_mig_state = IBV_MIG_MIGRATED;
  CHECK(ibv_modify_qp(pair.a.qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MIG_STATE) == 0);
  attr.path_mig_state = IBV_MIG_REARM;  // there is no alternate path
  fails(EINVAL, [&] { return ibv_modify_qp(pair.a.qp, &attr, IBV_QP_PATH_MIG_STATE); });
  fails(EOPNOTSUPP, [&] { return ibv_modify_qp(pair.a.qp, &attr, 1 << 22); });
  attr.qp_access_flags = kAllAccess | IBV_ACCESS_HUGETLB | IBV_ACCESS_RELAXED_ORDERING;
  CHECK(ibv_modify_qp(pair.a.qp, &attr, IBV_QP_ACCESS_FLAGS) == 0);
  CHECK(query(pair.a).qp_access_flags == kAllAccess);

  Region huge(device.pd, kBytes, kAllAccess | IBV_ACCESS_HUGETLB);
  fails_null(EOPNOTSUPP, [&] {
    return ibv_reg_mr(device.pd, region.bytes.data(), kBytes, IBV_ACCESS_ON_DEMAND);
  });

  ibv_sge sge{region.at(), 8, region.mr->lkey};
  ibv_send_wr wr{}, *bad = nullptr;
  wr.opcode = IBV_WR_SEND;
  wr.send_flags = ~0u & ~unsigned{IBV_SEND_INLINE};  // flags without a name are ignored
  wr.sg_list = &sge;
  wr.num_sge = 1;
  CHECK(pair.b.receive(region.at(), 8, region.mr->lkey) == 0);
  CHECK(ibv_post_send(pair.a.qp, &wr, &bad) == 0);
  CHECK(pair.a.next().status == IBV_WC_SUCCESS);
}

TEST_CASE("calls that fail set errno to the error that they return") {
  Device device;
  Region region(device.pd, kBytes);
  Pair pair(device);
  ibv_qp* qp = pair.a.qp;
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  fails(EINVAL, [&] { return ibv_modify_qp(qp, &attr, IBV_QP_STATE); });
  fails(EINVAL, [&] { return ibv_modify_qp(qp, &attr, IBV_QP_ALT_PATH); });
  fails(EBUSY, [&] { return ibv_dealloc_pd(device.pd); });
  fails(EBUSY, [&] { return ibv_destroy_cq(pair.a.cq); });
  fails(EINVAL, [&] { return ibv_resize_cq(pair.a.cq, 0); });
  ibv_modify_cq_attr moderation{};
  moderation.attr_mask = 1u << 30;
  fails(EOPNOTSUPP, [&] { return ibv_modify_cq(pair.a.cq, &moderation); });
  ibv_port_attr port{};
  fails(EINVAL, [&] { return ibv_query_port(device.context, 2, &port); });

  ibv_send_wr wr{}, *bad_send = nullptr;
  wr.num_sge = -1;
  fails(EINVAL, [&] { return ibv_post_send(qp, &wr, &bad_send); });
  ibv_recv_wr receive{}, *bad_receive = nullptr;
  receive.num_sge = -1;
  fails(EINVAL, [&] { return ibv_post_recv(qp, &receive, &bad_receive); });
  while (pair.a.receive(region.at(), 8, region.mr->lkey) == 0) {
  }
  fails(ENOMEM, [&] { return pair.a.receive(region.at(), 8, region.mr->lkey); });

  // A queue pair of RC is not attached to groups.
  fails(EINVAL, [&] { return ibv_attach_mcast(qp, &device.gid, 0); });

  ibv_srq_init_attr init{};
  init.attr = {16, 1, 0};
  ibv_srq* srq = need(ibv_create_srq(device.pd, &init), "SRQ");
  ibv_srq_attr limits{};
  fails(EINVAL, [&] { return ibv_modify_srq(srq, &limits, IBV_SRQ_MAX_WR); });
  fails(EINVAL, [&] { return ibv_post_srq_recv(srq, &receive, &bad_receive); });
  {
    Sizes sizes;
    sizes.srq = srq;
    Queue user(device, sizes);
    fails(EBUSY, [&] { return ibv_destroy_srq(srq); });
  }
  CHECK(ibv_destroy_srq(srq) == 0);

  ibv_mw* window = need(ibv_alloc_mw(device.pd, IBV_MW_TYPE_1), "window");
  ibv_mw_bind bind{};
  bind.bind_info.mw_access_flags = 1u << 30;
  fails(EINVAL, [&] { return ibv_bind_mw(qp, window, &bind); });
  CHECK(ibv_dealloc_mw(window) == 0);

  ibv_comp_channel* channel = need(ibv_create_comp_channel(device.context), "channel");
  ibv_cq* notified = need(ibv_create_cq(device.context, 4, nullptr, channel, 0), "CQ");
  fails(EBUSY, [&] { return ibv_destroy_comp_channel(channel); });
  CHECK(ibv_destroy_cq(notified) == 0);
  CHECK(ibv_destroy_comp_channel(channel) == 0);

  ibv_ah_attr address{};
  fails_null(EINVAL, [&] { return ibv_create_ah(device.pd, &address); });
  fails_null(EINVAL, [&] { return ibv_create_cq(device.context, 4, nullptr, nullptr, 9); });
  fails_null(EINVAL, [&] { return ibv_alloc_mw(device.pd, static_cast<ibv_mw_type>(9)); });
}

TEST_CASE("the extended calls set errno as well") {
  Device device;
  ibv_cq_init_attr_ex wanted{};
  wanted.cqe = 16;
  auto* cq = need(ibv_create_cq_ex(device.context, &wanted), "CQ");
  ibv_poll_cq_attr poll{};
  poll.comp_mask = 1;
  fails(EINVAL, [&] { return ibv_start_poll(cq, &poll); });
  ibv_qp_init_attr_ex init{};
  init.qp_type = IBV_QPT_RC;
  init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq);
  init.cap = {4, 4, 1, 1, 0};
  init.pd = device.pd;
  init.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  init.send_ops_flags = IBV_QP_EX_WITH_SEND;
  ibv_qp* qp = need(ibv_create_qp_ex(device.context, &init), "queue pair");
  ibv_qp_ex* extended = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(extended);
  ibv_wr_send(extended);
  fails(EINVAL, [&] { return ibv_wr_complete(extended); });  // in RESET
  CHECK(ibv_destroy_qp(qp) == 0);
  CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == 0);
}

}  // namespace roci::user
