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

#include "peer_verbs.h"

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
