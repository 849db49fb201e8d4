// SPDX-License-Identifier: Apache-2.0
/* One side of an interoperation run on libibverbs; `roci peer` is the other side and takes the same
 * options. Both sides know from them every message, so each checks what it gets to the byte.
 *
 *   peer --listen PORT | --connect HOST:PORT   where the sides meet (TCP)
 *        --role requester|responder --op send|send_imm|write|write_imm|read|fadd|cas
 *        --sizes N,N,... --count N --depth N --qps N --mtu N --family 4|6 --psn N
 *        --timeout CODE --retry N --rnr-retry N --rnr-timer CODE --srq
 *        --fault none|bad_rkey|out_of_bounds|no_permission|no_receive|late_receive --expect STATUS
 *
 * Exit status 0: every completion and every byte was as expected.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <unistd.h>

#include "peer_meet.h"
#include "peer_plan.h"

/* ---- verbs ---------------------------------------------------------------------------------- */

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
  tell("ends %u %u %llu %u %s\n", plan.qps, plan.psn, (unsigned long long)(uintptr_t)memory,
       mr->rkey, text);
  for (unsigned q = 0; q < plan.qps; ++q) tell("qp %u\n", qps[q]->qp_num);
  unsigned number;
  unsigned long long address;
  const char *line = hear();
  if (sscanf(line, "ends %u %u %llu %u %39s", &number, &peer.psn, &address, &peer.key, text) != 5 ||
      number != plan.qps || strlen(text) != 32)
    die("the other side says: %s", line);
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
      die("queue pair %u, message %u of %u bytes: byte %u behind it was written", q, m, size_of(m),
          i);
}
static uint8_t *slot(unsigned q, unsigned m) { return memory + q * span() + offset_of(m); }

static void fill(void) {
  for (unsigned q = 0; q < plan.qps && !atomic(); ++q)
    for (unsigned m = 0; m < messages(); ++m)
      for (unsigned i = 0; i < size_of(m); ++i) slot(q, m)[i] = pattern(q, m, i);
}

/* ---- requester ------------------------------------------------------------------------------ */

static void post(unsigned q, unsigned m) {
  struct ibv_sge sge = {(uintptr_t)slot(q, m), size_of(m), mr->lkey};
  struct ibv_send_wr wr = {.wr_id = (uint64_t)q << 32 | m,
                           .sg_list = &sge,
                           .num_sge = size_of(m) != 0,
                           .send_flags = IBV_SEND_SIGNALED};
  struct ibv_send_wr *bad;
  uint64_t remote = peer.address + (uint64_t)(slot(q, m) - memory);
  uint32_t key = peer.key;
  if (fault_is("bad_rkey")) key ^= 0x10;
  if (fault_is("out_of_bounds")) remote += memory_bytes;
  if (atomic()) {
    wr.opcode = op_is("fadd") ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP;
    wr.wr.atomic.remote_addr = remote;
    wr.wr.atomic.rkey = key;
    wr.wr.atomic.compare_add = op_is("fadd") ? m + 1 : cas_hits(m) ? cas_before(m) : ~0ull;
    wr.wr.atomic.swap = cas_before(m) + 1;
    sge.addr = (uintptr_t)memory + receive_base + (q * plan.depth + m % plan.depth) * kWord;
  } else {
    wr.opcode = op_is("send")        ? IBV_WR_SEND
                : op_is("send_imm")  ? IBV_WR_SEND_WITH_IMM
                : op_is("write")     ? IBV_WR_RDMA_WRITE
                : op_is("write_imm") ? IBV_WR_RDMA_WRITE_WITH_IMM
                                     : IBV_WR_RDMA_READ;
    wr.imm_data = htonl(m);
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = key;
  }
  const int failed = ibv_post_send(qps[q], &wr, &bad);
  if (failed) die("posting message %u on queue pair %u: %s", m, q, strerror(failed));
}

static void request(void) {
  unsigned next[kMaxQps] = {0}, outstanding = 0;
  bool failed = false;
  for (unsigned round = 0; round < plan.depth; ++round)
    for (unsigned q = 0; q < plan.qps; ++q)
      if (next[q] < messages()) {
        post(q, next[q]++);
        ++outstanding;
      }
  for (; outstanding > 0; --outstanding) {
    const struct ibv_wc wc = completion();
    const unsigned q = (unsigned)(wc.wr_id >> 32), m = (unsigned)wc.wr_id;
    const unsigned right = failed ? IBV_WC_WR_FLUSH_ERR : plan.expect;
    if (wc.status != right)
      die("message %u on queue pair %u ended with %u (%s), not %u", m, q, wc.status,
          ibv_wc_status_str(wc.status), right);
    if (wc.status) {
      failed = true;
      continue;
    }
    if (op_is("read")) compare(slot(q, m), q, m);
    if (atomic()) {
      uint64_t old;
      memcpy(&old, memory + receive_base + (q * plan.depth + m % plan.depth) * kWord, kWord);
      const uint64_t value = op_is("fadd") ? fadd_before(m) : cas_before(m);
      if (old != value)
        die("atomic %u on queue pair %u found %llu, not %llu", m, q, (unsigned long long)old,
            (unsigned long long)value);
    }
    if (next[q] < messages()) {
      post(q, next[q]++);
      ++outstanding;
    }
  }
}

/* ---- responder ------------------------------------------------------------------------------ */

static void post_receives(void) {
  const unsigned all = messages() * plan.qps;
  for (unsigned i = 0; i < all; ++i) {
    struct ibv_sge sge = {(uintptr_t)memory + receive_base + i * receive_stride(), largest(),
                          mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = largest() != 0}, *bad;
    const int failed =
        srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qps[i % plan.qps], &wr, &bad);
    if (failed) die("posting receive %u: %s", i, strerror(failed));
  }
}

static void receive(void) {
  unsigned next[kMaxQps] = {0};
  for (unsigned done = 0; done < messages() * plan.qps; ++done) {
    const struct ibv_wc wc = completion();
    if (wc.status)
      die("receive %llu ended with %u (%s)", (unsigned long long)wc.wr_id, wc.status,
          ibv_wc_status_str(wc.status));
    const unsigned q = index_of(wc.qp_num), m = next[q]++;
    if (wc.byte_len != size_of(m))
      die("message %u on queue pair %u has %u bytes, not %u", m, q, wc.byte_len, size_of(m));
    if (!op_is("send") && (!(wc.wc_flags & IBV_WC_WITH_IMM) || ntohl(wc.imm_data) != m))
      die("message %u on queue pair %u carries immediate %u", m, q, ntohl(wc.imm_data));
    if (!op_is("write_imm")) compare(memory + receive_base + wc.wr_id * receive_stride(), q, m);
  }
}

static void verify(void) {
  for (unsigned q = 0; q < plan.qps; ++q) {
    if (atomic()) {
      uint64_t value;
      memcpy(&value, memory + q * span(), kWord);
      const uint64_t right = op_is("fadd") ? fadd_before(messages()) : cas_before(messages());
      if (value != right)
        die("the word of queue pair %u is %llu, not %llu", q, (unsigned long long)value,
            (unsigned long long)right);
    } else if (op_is("write") || op_is("write_imm")) {
      for (unsigned m = 0; m < messages(); ++m) compare(slot(q, m), q, m);
    }
  }
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  make();
  if (plan.requester != op_is("read")) fill();
  meet();
  exchange();
  for (unsigned q = 0; q < plan.qps; ++q) connect_qp(q);
  const bool receiver = !plan.requester && receives();
  if (receiver && strcmp(plan.fault, "none") == 0) post_receives();
  step("ready");
  if (plan.requester) {
    request();
  } else if (receiver && fault_is("late_receive")) {
    usleep(kLateMs * 1000);
    post_receives();
  }
  if (receiver && (fault_is("none") || fault_is("late_receive"))) receive();
  step("done");
  if (!plan.requester && plan.expect == 0) verify();
  step("good");
  return 0;
}
