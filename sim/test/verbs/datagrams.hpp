// SPDX-License-Identifier: Apache-2.0
// A UD queue pair for tests of libibverbs.
#pragma once

#include <arpa/inet.h>

#include <algorithm>

#include "sim/test/verbs/user.hpp"

namespace roci::user {

constexpr std::uint32_t kQkey = 0x11111111, kBytes = 8192;
constexpr std::uint32_t kGrh = 40, kMost = 4096;

inline ibv_ah_attr address_of(const ibv_gid& gid) {
  ibv_ah_attr attr{};
  attr.is_global = 1;
  attr.port_num = 1;
  attr.grh.dgid = gid;
  attr.grh.hop_limit = 64;
  return attr;
}

inline ibv_qp* create(Device& device, ibv_qp_type type, ibv_cq* cq, bool extended = false) {
  ibv_qp_init_attr_ex init{};
  init.send_cq = init.recv_cq = cq;
  init.cap = {64, 64, 4, 4, 64};
  init.qp_type = type;
  init.sq_sig_all = 1;
  init.pd = device.pd;
  init.comp_mask = IBV_QP_INIT_ATTR_PD;
  if (extended) {
    init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    init.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
  }
  return ibv_create_qp_ex(device.context, &init);
}

constexpr int kInitMask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

/// A UD queue pair that is ready to send, with memory.
struct Datagrams {
  explicit Datagrams(Device& owner, bool extended = false)
      : device(owner), memory(owner.pd, 2 * kBytes) {
    cq = need(ibv_create_cq(device.context, 256, nullptr, nullptr, 0), "completion queue");
    qp = need(create(device, IBV_QPT_UD, cq, extended), "queue pair");
    ah = need(handle(device.gid), "address handle");
    need_zero(to(IBV_QPS_INIT, kInitMask), "INIT");
    need_zero(to(IBV_QPS_RTR, IBV_QP_STATE), "RTR");
    need_zero(to(IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN), "RTS");
  }
  ~Datagrams() {
    ibv_destroy_ah(ah);
    ibv_destroy_qp(qp);
    ibv_destroy_cq(cq);
  }
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  ibv_ah* handle(const ibv_gid& gid) {
    ibv_ah_attr attr = address_of(gid);
    return ibv_create_ah(device.pd, &attr);
  }
  int to(ibv_qp_state state, int mask) {
    ibv_qp_attr attr{};
    attr.qp_state = state;
    attr.port_num = 1;
    attr.qkey = kQkey;
    return ibv_modify_qp(qp, &attr, mask);
  }
  ibv_qp_state state() {
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};
    need_zero(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "query");
    return attr.qp_state;
  }
  int receive(std::uint32_t length = kBytes) {
    ibv_sge sge{memory.at(), length, memory.mr->lkey};
    ibv_recv_wr wr{}, *bad = nullptr;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    return ibv_post_recv(qp, &wr, &bad);
  }
  int send(ibv_ah* to, std::uint32_t qpn, std::uint32_t length, std::uint32_t qkey = kQkey,
           ibv_wr_opcode opcode = IBV_WR_SEND_WITH_IMM) {
    ibv_sge sge{memory.at(kBytes), length, memory.mr->lkey};
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = opcode;
    wr.imm_data = htonl(0x01020304);
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.wr.ud = {to, qpn, qkey};
    return ibv_post_send(qp, &wr, &bad);
  }
  ibv_wc next() {
    ibv_wc wc{};
    while (ibv_poll_cq(cq, 1, &wc) == 0) {
    }
    return wc;
  }
  void fill(std::uint8_t with) {
    for (std::uint32_t i = 0; i < kBytes; ++i) {
      memory.bytes[kBytes + i] = static_cast<std::uint8_t>(i * 7 + with);
    }
  }
  bool holds(const Datagrams& from, std::uint32_t length) const {
    return std::equal(&from.memory.bytes[kBytes], &from.memory.bytes[kBytes + length],
                      &memory.bytes[kGrh]);
  }

  Device& device;
  Region memory;
  ibv_cq* cq;
  ibv_qp* qp;
  ibv_ah* ah;
};

}  // namespace roci::user
