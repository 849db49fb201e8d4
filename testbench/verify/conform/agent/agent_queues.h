/* SPDX-License-Identifier: Apache-2.0
 * Requests on queue pairs, and on memory. Comes after agent_objects.h.
 */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

enum { kMostSges = 32, kMostGroups = 256 };

static struct ibv_ah_attr path_of(const struct agent_path *path) {
  struct ibv_ah_attr attr = {.is_global = 1,
                             .port_num = kPort,
                             .sl = (uint8_t)path->sl,
                             .grh = {.sgid_index = (uint8_t)path->sgid_index,
                                     .hop_limit = (uint8_t)path->hop_limit,
                                     .traffic_class = (uint8_t)path->traffic_class,
                                     .flow_label = (uint32_t)path->flow_label}};
  put_half(attr.grh.dgid.raw, path->dgid_high);
  put_half(attr.grh.dgid.raw + 8, path->dgid_low);
  return attr;
}

static int create_ah(void) {
  struct ibv_pd *pd = object_of(0, kPd)->pd;
  struct ibv_ah_attr attr = path_of((const void *)(in.words + 1));
  if (!pd || in.count != 1 + sizeof(struct agent_path) / sizeof(uint64_t)) return EBADF;
  return enter(kAh, ibv_create_ah(pd, &attr));
}

static int create_qp(void) {
  const struct agent_create_qp *want = (const void *)in.words;
  struct ibv_pd *pd = object_of(1, kPd)->pd;
  struct ibv_qp_init_attr init = {.send_cq = object_of(2, kCq)->cq,
                                  .recv_cq = object_of(3, kCq)->cq,
                                  .srq = object_of(4, kSrq)->srq,
                                  .qp_type = (enum ibv_qp_type)want->type,
                                  .cap = {.max_send_wr = (uint32_t)want->send_entries,
                                          .max_recv_wr = (uint32_t)want->receive_entries,
                                          .max_send_sge = (uint32_t)want->send_sges,
                                          .max_recv_sge = (uint32_t)want->receive_sges,
                                          .max_inline_data = (uint32_t)want->max_inline}};
  if (in.count != sizeof *want / sizeof(uint64_t) || !pd || !init.send_cq || !init.recv_cq ||
      (!init.srq && want->srq != kAgentNone))
    return EBADF;
  struct ibv_qp *qp = ibv_create_qp(pd, &init);
  const int bad = enter(kQp, qp);
  if (!bad) out.words[out.count++] = qp->qp_num;
  return bad;
}

static int modify_qp(void) {
  const struct agent_attributes *to = (const void *)in.words;
  struct ibv_qp *qp = object_of(0, kQp)->qp;
  if (!qp || in.count != sizeof *to / sizeof(uint64_t)) return EBADF;
  struct ibv_qp_attr attr = {.qp_state = (enum ibv_qp_state)to->state,
                             .cur_qp_state = (enum ibv_qp_state)to->cur_state,
                             .path_mtu = (enum ibv_mtu)to->path_mtu,
                             .qp_access_flags = (unsigned)to->access,
                             .pkey_index = (uint16_t)to->pkey_index,
                             .port_num = (uint8_t)to->port,
                             .timeout = (uint8_t)to->timeout,
                             .retry_cnt = (uint8_t)to->retry_cnt,
                             .rnr_retry = (uint8_t)to->rnr_retry,
                             .min_rnr_timer = (uint8_t)to->min_rnr_timer,
                             .max_rd_atomic = (uint8_t)to->max_rd_atomic,
                             .max_dest_rd_atomic = (uint8_t)to->max_dest_rd_atomic,
                             .dest_qp_num = (uint32_t)to->dest_qpn,
                             .sq_psn = (uint32_t)to->sq_psn,
                             .rq_psn = (uint32_t)to->rq_psn,
                             .qkey = (uint32_t)to->qkey,
                             .en_sqd_async_notify = (uint8_t)to->sqd_notify,
                             .ah_attr = path_of(&to->path)};
  return code_of(ibv_modify_qp(qp, &attr, (int)to->mask));
}

static int query_qp(void) {
  struct ibv_qp *qp = object_of(0, kQp)->qp;
  struct ibv_qp_attr attr;
  struct ibv_qp_init_attr init;
  if (!qp) return EBADF;
  memset(&attr, 0, sizeof attr);
  const int bad = code_of(ibv_query_qp(qp, &attr, (1 << 21) - 1, &init));
  struct agent_attributes *is = (void *)out.words;
  *is = (struct agent_attributes){.state = attr.qp_state,
                                  .cur_state = attr.cur_qp_state,
                                  .path_mtu = attr.path_mtu,
                                  .access = attr.qp_access_flags,
                                  .pkey_index = attr.pkey_index,
                                  .port = attr.port_num,
                                  .timeout = attr.timeout,
                                  .retry_cnt = attr.retry_cnt,
                                  .rnr_retry = attr.rnr_retry,
                                  .min_rnr_timer = attr.min_rnr_timer,
                                  .max_rd_atomic = attr.max_rd_atomic,
                                  .max_dest_rd_atomic = attr.max_dest_rd_atomic,
                                  .dest_qpn = attr.dest_qp_num,
                                  .sq_psn = attr.sq_psn,
                                  .rq_psn = attr.rq_psn,
                                  .qkey = attr.qkey,
                                  .sqd_notify = attr.sq_draining,
                                  .path = {.sgid_index = attr.ah_attr.grh.sgid_index,
                                           .dgid_high = half_of(attr.ah_attr.grh.dgid.raw),
                                           .dgid_low = half_of(attr.ah_attr.grh.dgid.raw + 8),
                                           .hop_limit = attr.ah_attr.grh.hop_limit,
                                           .traffic_class = attr.ah_attr.grh.traffic_class,
                                           .sl = attr.ah_attr.sl,
                                           .flow_label = attr.ah_attr.grh.flow_label}};
  out.count = sizeof *is / sizeof(uint64_t);
  return bad;
}

/* The scatter/gather list from word `first` on; returns its entries, or -1. */
static int list_of(unsigned first, struct ibv_sge *list) {
  if (in.count < first || (in.count - first) % 3 || (in.count - first) / 3 > kMostSges) return -1;
  const int entries = (int)(in.count - first) / 3;
  for (int i = 0; i < entries; ++i) {
    const uint64_t *w = in.words + first + 3 * i;
    list[i] = (struct ibv_sge){w[0], (uint32_t)w[1], (uint32_t)w[2]};
  }
  return entries;
}

static int post_send(void) {
  /* By numbers of model/spec. */
  static const enum ibv_wr_opcode kOperations[] = {IBV_WR_SEND,
                                                   IBV_WR_SEND_WITH_IMM,
                                                   IBV_WR_RDMA_WRITE,
                                                   IBV_WR_RDMA_WRITE_WITH_IMM,
                                                   IBV_WR_RDMA_READ,
                                                   IBV_WR_ATOMIC_CMP_AND_SWP,
                                                   IBV_WR_ATOMIC_FETCH_AND_ADD,
                                                   IBV_WR_SEND_WITH_INV,
                                                   IBV_WR_LOCAL_INV};
  const struct agent_send *want = (const void *)in.words;
  struct ibv_qp *qp = object_of(0, kQp)->qp;
  struct ibv_sge list[kMostSges];
  const int entries = list_of(sizeof *want / sizeof(uint64_t), list);
  if (!qp || entries < 0) return EBADF;
  if (want->operation >= sizeof kOperations / sizeof *kOperations) return ENOSYS;
  struct ibv_send_wr wr = {.wr_id = want->wr_id,
                           .sg_list = list,
                           .num_sge = entries,
                           .opcode = kOperations[want->operation]},
                     *bad;
  if (want->flags & kAgentSignaled) wr.send_flags |= IBV_SEND_SIGNALED;
  if (want->flags & kAgentSolicited) wr.send_flags |= IBV_SEND_SOLICITED;
  if (want->flags & kAgentFence) wr.send_flags |= IBV_SEND_FENCE;
  if (want->flags & kAgentInline) {
    wr.send_flags |= IBV_SEND_INLINE;
    list[0] = (struct ibv_sge){(uintptr_t)in.data, in.bytes, 0};
    wr.num_sge = 1;
  }
  wr.imm_data = htobe32((uint32_t)want->immediate);
  if (wr.opcode == IBV_WR_SEND_WITH_INV) wr.invalidate_rkey = (uint32_t)want->immediate;
  if (wr.opcode == IBV_WR_LOCAL_INV) wr.invalidate_rkey = (uint32_t)want->remote_key;
  if (qp->qp_type == IBV_QPT_UD) {
    wr.wr.ud.ah = object_of(offsetof(struct agent_send, ah) / sizeof(uint64_t), kAh)->ah;
    if (!wr.wr.ud.ah) return EBADF;
    wr.wr.ud.remote_qpn = (uint32_t)want->remote_qpn;
    wr.wr.ud.remote_qkey = (uint32_t)want->qkey;
  } else if (wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    const bool swap = wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
    wr.wr.atomic.remote_addr = want->remote_address;
    wr.wr.atomic.rkey = (uint32_t)want->remote_key;
    wr.wr.atomic.compare_add = swap ? want->compare : want->swap_add;
    wr.wr.atomic.swap = swap ? want->swap_add : 0;
  } else {
    wr.wr.rdma.remote_addr = want->remote_address;
    wr.wr.rdma.rkey = (uint32_t)want->remote_key;
  }
  return code_of(ibv_post_send(qp, &wr, &bad));
}

/* A window of type 1 gets its key from the device. */
static int bind_mw(void) {
  const struct agent_bind *want = (const void *)in.words;
  struct ibv_qp *qp = object_of(0, kQp)->qp;
  struct ibv_mw *mw = object_of(offsetof(struct agent_bind, window) / sizeof(uint64_t), kMw)->mw;
  struct ibv_mr *mr = object_of(offsetof(struct agent_bind, region) / sizeof(uint64_t), kMr)->mr;
  if (!qp || !mw || !mr || in.count != sizeof *want / sizeof(uint64_t)) return EBADF;
  const struct ibv_mw_bind_info info = {mr, want->address, want->length, (unsigned)want->access};
  const unsigned flags = want->flags & kAgentSignaled ? IBV_SEND_SIGNALED : 0;
  int bad;
  if (mw->type == IBV_MW_TYPE_1) {
    struct ibv_mw_bind bind = {.wr_id = want->wr_id, .send_flags = flags, .bind_info = info};
    bad = code_of(ibv_bind_mw(qp, mw, &bind));
  } else {
    struct ibv_send_wr wr = {.wr_id = want->wr_id,
                             .opcode = IBV_WR_BIND_MW,
                             .send_flags = flags,
                             .bind_mw = {mw, (uint32_t)want->key, info}},
                       *failed;
    bad = code_of(ibv_post_send(qp, &wr, &failed));
    if (!bad) mw->rkey = (uint32_t)want->key;
  }
  out.words[out.count++] = mw->rkey;
  return bad;
}

/* Makes the network interface of the device a member of a group, as the verbs leave to programs: by
 * a socket of each group, since the kernel limits those of a socket. A device without an interface
 * needs no member. */
static void join(const union ibv_gid *group) {
  static union ibv_gid joined[kMostGroups];
  static unsigned count;
  for (unsigned i = 0; i < count; ++i)
    if (!memcmp(&joined[i], group, sizeof *group)) return;
  if (count == kMostGroups) return;
  joined[count++] = *group;
  const bool ipv4 = IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)group->raw);
  struct ibv_gid_entry own;
  if (ibv_query_gid_ex(context, kPort, 0, &own, 0) || !own.ndev_ifindex) return;
  struct ip_mreqn member4 = {.imr_ifindex = (int)own.ndev_ifindex};
  memcpy(&member4.imr_multiaddr, group->raw + 12, sizeof member4.imr_multiaddr);
  struct ipv6_mreq member6 = {.ipv6mr_interface = own.ndev_ifindex};
  memcpy(&member6.ipv6mr_multiaddr, group->raw, sizeof member6.ipv6mr_multiaddr);
  const int fd = socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM, 0);
  if (fd >= 0 && ipv4) setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member4, sizeof member4);
  if (fd >= 0 && !ipv4) setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &member6, sizeof member6);
}

static int change_group(int change(struct ibv_qp *, const union ibv_gid *, uint16_t)) {
  struct ibv_qp *qp = object_of(0, kQp)->qp;
  if (!qp || in.count != 3) return EBADF;
  union ibv_gid group;
  put_half(group.raw, in.words[1]);
  put_half(group.raw + 8, in.words[2]);
  const int bad = code_of(change(qp, &group, 0));
  if (!bad) join(&group);
  return bad;
}
static int attach(void) { return change_group(ibv_attach_mcast); }
static int detach(void) { return change_group(ibv_detach_mcast); }

static int post_receive(void) {
  struct ibv_qp *qp = object_of(0, kQp)->qp;
  struct ibv_srq *srq = object_of(0, kSrq)->srq;
  struct ibv_sge list[kMostSges];
  const int entries = list_of(2, list);
  if ((!qp && !srq) || entries < 0) return EBADF;
  struct ibv_recv_wr wr = {.wr_id = in.words[1], .sg_list = list, .num_sge = entries}, *bad;
  return code_of(srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp, &wr, &bad));
}

static int write_memory(void) {
  if (in.count != 1 || !in_memory(in.words[0], in.bytes)) return EBADF;
  const uint64_t at = in.words[0] - (uintptr_t)memory;
  memcpy(memory + at, in.data, in.bytes);
  memcpy(reported + at, in.data, in.bytes);
  return 0;
}
