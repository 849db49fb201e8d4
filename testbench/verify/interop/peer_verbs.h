// SPDX-License-Identifier: Apache-2.0
/* Objects of libibverbs of one side: device, memory, queue pairs, their connection, completions. */
#pragma once

#include <errno.h>
#include <infiniband/verbs.h>
#include <unistd.h>

#include "peer_meet.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_mr *mr;
static struct ibv_qp *qps[kMaxQps];
static uint8_t *memory;
static size_t receive_base, memory_bytes;
static union ibv_gid gid;
static int gid_index = -1;
static struct {
  uint64_t address;
  uint32_t key, qpn[kMaxQps], psn;
  union ibv_gid gid;
} peer;

static void find_gid(void) {
  static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
  for (int i = 0; i < 16; ++i) {
    if (ibv_query_gid(context, 1, i, &gid)) break;
    const bool v4 = memcmp(gid.raw, mapped, sizeof mapped) == 0;
    if (plan.family == 4 ? v4 : gid.raw[0] == 0xFD) {
      gid_index = i;
      return;
    }
  }
  die("no GID of IPv%u", plan.family);
}

static size_t receive_stride(void) { return largest() + kGuard; }

static void make(void) {
  int number;
  struct ibv_device **list = ibv_get_device_list(&number);
  if (!list || number == 0) die("no RDMA device");
  context = ibv_open_device(list[0]);
  if (!context) die("cannot open the device");
  find_gid();
  const unsigned all = plan.qps * messages();
  receive_base = plan.qps * span() + 4096;
  memory_bytes = receive_base + (receives() ? all * receive_stride() : 0) +
                 plan.qps * plan.depth * kWord + 4096;
  memory = aligned_alloc(4096, (memory_bytes + 4095) / 4096 * 4096);
  memset(memory, 0, memory_bytes);
  pd = ibv_alloc_pd(context);
  cq = ibv_create_cq(context, (int)(2 * all + 64), NULL, NULL, 0);
  int access = IBV_ACCESS_LOCAL_WRITE;
  if (!fault_is("no_permission"))
    access |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  mr = ibv_reg_mr(pd, memory, memory_bytes, access);
  if (!pd || !cq || !mr) die("cannot make the objects: %s", strerror(errno));
  if (plan.srq) {
    struct ibv_srq_init_attr init = {.attr = {.max_wr = all + 1, .max_sge = 1}};
    srq = ibv_create_srq(pd, &init);
    if (!srq) die("cannot make the SRQ: %s", strerror(errno));
  }
  for (unsigned q = 0; q < plan.qps; ++q) {
    struct ibv_qp_init_attr init = {.send_cq = cq,
                                    .recv_cq = cq,
                                    .srq = srq,
                                    .qp_type = IBV_QPT_RC,
                                    .cap = {.max_send_wr = plan.depth + 1,
                                            .max_recv_wr = messages() + 1,
                                            .max_send_sge = 1,
                                            .max_recv_sge = 1}};
    qps[q] = ibv_create_qp(pd, &init);
    if (!qps[q]) die("cannot make queue pair %u: %s", q, strerror(errno));
  }
}

static void exchange(void) {
  char text[40];
  for (int i = 0; i < 16; ++i) sprintf(text + 2 * i, "%02x", gid.raw[i]);
  report("ends %u %u %llu %u %s\n", plan.qps, plan.psn, (unsigned long long)(uintptr_t)memory,
         mr->rkey, text);
  for (unsigned q = 0; q < plan.qps; ++q) report("qp %u\n", qps[q]->qp_num);
  unsigned number;
  unsigned long long address;
  const char *line = hear();
  if (sscanf(line, "ends %u %u %llu %u %39s", &number, &peer.psn, &address, &peer.key, text) != 5 ||
      number != plan.qps || strlen(text) != 32)
    die("the other side reports: %s", line);
  peer.address = address;
  for (int i = 0; i < 16; ++i) {
    unsigned byte;
    sscanf(text + 2 * i, "%2x", &byte);
    peer.gid.raw[i] = (uint8_t)byte;
  }
  for (unsigned q = 0; q < plan.qps; ++q)
    if (sscanf(hear(), "qp %u", &peer.qpn[q]) != 1) die("no number of queue pair %u", q);
}

static enum ibv_mtu mtu_code(void) {
  enum ibv_mtu code = IBV_MTU_256;
  while (128u << code < plan.mtu) ++code;
  return code;
}

static int to_rtr(unsigned q, struct ibv_qp_attr *attr) {
  return ibv_modify_qp(qps[q], attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static void connect_qp(unsigned q) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
  attr.qp_access_flags =
      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  int bad = ibv_modify_qp(qps[q], &attr,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  if (bad) die("INIT: %s", strerror(bad));
  attr = (struct ibv_qp_attr){
      .qp_state = IBV_QPS_RTR,
      .path_mtu = mtu_code(),
      .dest_qp_num = peer.qpn[q],
      .rq_psn = peer.psn,
      .max_dest_rd_atomic = 16,
      .min_rnr_timer = (uint8_t)plan.rnr_timer,
      .ah_attr = {.is_global = 1,
                  .port_num = 1,
                  .grh = {.dgid = peer.gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64}}};
  /* The kernel gives address resolution a second; a peer that is simulated may need longer. */
  for (unsigned tries = 0; tries < 10; ++tries) {
    bad = to_rtr(q, &attr);
    if (bad != ETIMEDOUT) break;
  }
  if (bad) die("RTR: %s", strerror(bad));
  attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
                              .timeout = (uint8_t)plan.timeout,
                              .retry_cnt = (uint8_t)plan.retry,
                              .rnr_retry = (uint8_t)plan.rnr_retry,
                              .sq_psn = plan.psn,
                              .max_rd_atomic = 16};
  bad = ibv_modify_qp(qps[q], &attr,
                      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                          IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
  if (bad) die("RTS: %s", strerror(bad));
}

static struct ibv_wc completion(void) {
  struct ibv_wc wc;
  int got;
  while ((got = ibv_poll_cq(cq, 1, &wc)) == 0) {
  }
  if (got < 0) die("ibv_poll_cq failed");
  return wc;
}
static unsigned index_of(uint32_t qpn) {
  for (unsigned q = 0; q < plan.qps; ++q)
    if (qps[q]->qp_num == qpn) return q;
  die("a completion of queue pair %u", qpn);
  return 0;
}

static void compare(const uint8_t *at, unsigned q, unsigned m) {
  for (unsigned i = 0; i < size_of(m); ++i)
    if (at[i] != pattern(q, m, i))
      die("queue pair %u, message %u of %u bytes: byte %u is %u, not %u", q, m, size_of(m), i,
          at[i], pattern(q, m, i));
  for (unsigned i = 0; i < kGuard; ++i)
    if (at[size_of(m) + i])
      die("queue pair %u, message %u of %u bytes: byte %u after it was written", q, m, size_of(m),
          i);
}
static uint8_t *slot(unsigned q, unsigned m) { return memory + q * span() + offset_of(m); }

static void fill(void) {
  for (unsigned q = 0; q < plan.qps && !atomic(); ++q)
    for (unsigned m = 0; m < messages(); ++m)
      for (unsigned i = 0; i < size_of(m); ++i) slot(q, m)[i] = pattern(q, m, i);
}
