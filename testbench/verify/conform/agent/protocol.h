/* SPDX-License-Identifier: Apache-2.0
 * What `roci conform --target` and an agent say to each other over TCP: one reply to each request,
 * in order.
 *
 * A message is a head, words of 64 bits and bytes, all little-endian. A handle names an object that
 * the agent made in this session. Numbers of verbs are those of libibverbs; operations of work
 * requests and kinds of events are those of model/spec.
 */
#pragma once

#include <stdint.h>

enum {
  kAgentMagic = 0x41434F52, /* "ROCA" */
  kAgentVersion = 2,
  kAgentMostWords = 1 << 16,
  kAgentMostBytes = 1 << 20,
  kAgentChunk = 64,     /* memory is compared by as many bytes */
  kAgentNone = 0xFFFFF, /* handle of no object */
};

struct agent_head {
  uint32_t magic;
  uint16_t code; /* request: agent_op; reply: 0 or an errno */
  uint16_t tag;  /* a reply repeats it */
  uint32_t words, bytes;
};

/* Words of each request, and after the arrow those of its reply. */
enum agent_op {
  kAgentHello = 1, /* version -> agent_hello, then agent_gid for each GID; bytes: a text */
  kAgentAllocPd,   /* -> handle */
  kAgentRegMr,     /* domain, address, length, iova, access -> handle, lkey, rkey */
  kAgentReregMr,   /* region, flags, domain, address, length, access -> lkey, rkey */
  kAgentCreateCq,  /* entries -> handle */
  kAgentArmCq,     /* queue, solicited only */
  kAgentCreateSrq, /* domain, entries, list entries, limit -> handle */
  kAgentModifySrq, /* queue, limit */
  kAgentCreateQp,  /* agent_create_qp -> handle, number */
  kAgentModifyQp,  /* agent_attributes */
  kAgentQueryQp,   /* queue pair -> agent_attributes */
  kAgentCreateAh,  /* domain, agent_path -> handle */
  kAgentDestroy,   /* any handle */
  kAgentSend,      /* agent_send, then address, length and key of each entry; bytes: inline data */
  kAgentReceive,   /* queue pair or shared queue, wr_id, then as of kAgentSend */
  kAgentWrite,     /* address; bytes: for the memory there */
  kAgentPoll,      /* most completions of a queue, 0: all; handles of queues to leave alone
                      -> agent_news, then its parts; bytes: those of the runs */
  kAgentAllocMw,   /* domain, type 1 or 2 -> handle, key */
  kAgentBind,      /* agent_bind -> key that the window has */
  kAgentAttach,    /* queue pair, halves of the group's GID */
  kAgentDetach,    /* as kAgentAttach */
  kAgentResizeCq,  /* queue, entries */
  kAgentOps
};

struct agent_hello {
  uint64_t version;
  uint64_t memory, memory_bytes; /* for regions, at this address of the agent */
  uint64_t max_qp, max_cq, max_mr, max_pd, max_qp_wr, max_cqe, max_sge, max_rd_atomic;
  uint64_t max_srq, max_srq_wr, max_ah, max_mw, max_attachments;
  uint64_t atomics; /* not 0: the device has them */
  uint64_t max_mtu, active_mtu;
  uint64_t gids;
};
struct agent_gid {
  uint64_t index, high, low; /* halves as big-endian numbers */
  uint64_t v2;               /* RoCE v2 over IP */
};
struct agent_path {
  uint64_t sgid_index, dgid_high, dgid_low, hop_limit, traffic_class, sl, flow_label;
};
struct agent_create_qp {
  uint64_t type; /* ibv_qp_type */
  uint64_t pd, send_cq, receive_cq, srq;
  uint64_t send_entries, receive_entries, send_sges, receive_sges, max_inline;
};
struct agent_attributes {
  uint64_t qp, mask;
  uint64_t state, cur_state, path_mtu, access, pkey_index, port, timeout, retry_cnt, rnr_retry;
  uint64_t min_rnr_timer, max_rd_atomic, max_dest_rd_atomic, dest_qpn, sq_psn, rq_psn, qkey;
  uint64_t sqd_notify; /* reply to a query: still draining */
  struct agent_path path;
};
enum { kAgentSignaled = 1, kAgentSolicited = 2, kAgentFence = 4, kAgentInline = 8 };
struct agent_send {
  uint64_t qp, wr_id, operation, flags, immediate, remote_address, remote_key, swap_add, compare;
  uint64_t ah, remote_qpn, qkey;
};
struct agent_bind {
  uint64_t qp, wr_id, flags, window, key; /* the key that a window of type 2 gets */
  uint64_t region, address, length, access;
};
/* `more`: what does not fit comes with the next reply. */
struct agent_news {
  uint64_t completions, events, runs, more;
};
enum { kAgentWithImm = 1, kAgentWithInv = 2, kAgentWithGrh = 4 };
struct agent_completion {
  uint64_t cq, wr_id, status, opcode, byte_len, immediate, flags, qpn, vendor_err, src_qp;
};
struct agent_event {
  uint64_t kind, number; /* number of a queue pair, handle of a queue */
};
struct agent_run {
  uint64_t address, bytes; /* memory that the device wrote since the last poll */
};
