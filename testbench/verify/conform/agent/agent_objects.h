/* SPDX-License-Identifier: Apache-2.0
 * Requests that make, change and destroy objects of libibverbs. A request returns 0 or an errno.
 * Comes after protocol.h.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { kObjects = 8192, kPort = 1, kMostGids = 64, kMemory = 64 << 20 };

struct message {
  uint32_t count, bytes;
  uint64_t words[kAgentMostWords];
  uint8_t data[kAgentMostBytes];
};
static struct message in, out;

enum kind { kFree, kPd, kMr, kCq, kSrq, kQp, kAh, kMw };
struct object {
  enum kind kind;
  union {
    void *any;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_cq *cq;
    struct ibv_srq *srq;
    struct ibv_qp *qp;
    struct ibv_ah *ah;
    struct ibv_mw *mw;
  };
};
static struct object objects[kObjects];
static struct ibv_context *context;
static struct ibv_comp_channel *channel;
static uint8_t *memory, *reported; /* `reported`: as the other side knows it */

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "agent: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, "\n");
  va_end(list);
  exit(1);
}

/* Error of a function of libibverbs that returns -1 or the errno. */
static int code_of(int result) { return result < 0 ? errno : result; }

/* Word `at` of the request as a handle; ->any is NULL when no object of the kind has it. */
static struct object *object_of(unsigned at, enum kind kind) {
  static struct object none;
  none.any = NULL;
  const uint64_t handle = at < in.count ? in.words[at] : kObjects;
  return handle < kObjects && objects[handle].kind == kind ? &objects[handle] : &none;
}

static unsigned free_handle(void) {
  unsigned handle = 0;
  while (handle < kObjects && objects[handle].kind != kFree) ++handle;
  if (handle == kObjects) die("more than %d objects", kObjects);
  return handle;
}

/* Replies with a handle of a new object. */
static int enter(enum kind kind, void *made) {
  if (!made) return errno ? errno : EINVAL;
  const unsigned handle = free_handle();
  objects[handle].kind = kind;
  objects[handle].any = made;
  out.words[out.count++] = handle;
  return 0;
}

static bool in_memory(uint64_t address, uint64_t bytes) {
  const uint64_t at = address - (uintptr_t)memory;
  return at <= kMemory && bytes <= kMemory - at;
}

static void open_device(const char *name) {
  int number = 0;
  struct ibv_device **list = ibv_get_device_list(&number);
  int at = 0;
  while (at < number && name && strcmp(ibv_get_device_name(list[at]), name)) ++at;
  if (at >= number) die("no RDMA device%s%s", name ? " " : "", name ? name : "");
  context = ibv_open_device(list[at]);
  if (!context) die("cannot open %s: %s", ibv_get_device_name(list[at]), strerror(errno));
  channel = ibv_create_comp_channel(context);
  if (!channel) die("cannot make a completion channel: %s", strerror(errno));
  for (int i = 0; i < 2; ++i) {
    const int fd = i ? channel->fd : context->async_fd;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  memory = mmap(NULL, 2 * (size_t)kMemory, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) die("no memory: %s", strerror(errno));
  reported = memory + kMemory;
}

static uint64_t half_of(const uint8_t *bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}
static void put_half(uint8_t *bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes[i] = (uint8_t)(value >> (56 - 8 * i));
}

static int hello(void) {
  struct ibv_device_attr device;
  struct ibv_port_attr port;
  int bad = ibv_query_device(context, &device);
  if (!bad) bad = ibv_query_port(context, kPort, &port);
  if (bad) return bad;
  struct agent_hello *reply = (void *)out.words;
  *reply = (struct agent_hello){
      .version = kAgentVersion,
      .memory = (uintptr_t)memory,
      .memory_bytes = kMemory,
      .max_qp = (uint64_t)device.max_qp,
      .max_cq = (uint64_t)device.max_cq,
      .max_mr = (uint64_t)device.max_mr,
      .max_pd = (uint64_t)device.max_pd,
      .max_qp_wr = (uint64_t)device.max_qp_wr,
      .max_cqe = (uint64_t)device.max_cqe,
      .max_sge = (uint64_t)device.max_sge,
      .max_rd_atomic = (uint64_t)(device.max_qp_rd_atom < device.max_qp_init_rd_atom
                                      ? device.max_qp_rd_atom
                                      : device.max_qp_init_rd_atom),
      .max_srq = (uint64_t)device.max_srq,
      .max_srq_wr = (uint64_t)device.max_srq_wr,
      .max_ah = (uint64_t)device.max_ah,
      .max_mw = (uint64_t)device.max_mw,
      .max_attachments = (uint64_t)device.max_total_mcast_qp_attach,
      .atomics = device.atomic_cap != IBV_ATOMIC_NONE,
      .max_mtu = port.max_mtu,
      .active_mtu = port.active_mtu,
  };
  struct agent_gid *gid = (void *)(reply + 1);
  for (int i = 0; i < port.gid_tbl_len && reply->gids < kMostGids; ++i) {
    struct ibv_gid_entry entry;
    if (ibv_query_gid_ex(context, kPort, (uint32_t)i, &entry, 0)) continue;
    *gid++ = (struct agent_gid){(uint64_t)i, half_of(entry.gid.raw), half_of(entry.gid.raw + 8),
                                entry.gid_type == IBV_GID_TYPE_ROCE_V2};
    ++reply->gids;
  }
  out.count = (uint32_t)((uint64_t *)gid - out.words);
  struct utsname host;
  uname(&host);
  out.bytes = (uint32_t)snprintf((char *)out.data, 512, "%s, firmware %.64s, %s %s",
                                 ibv_get_device_name(context->device), device.fw_ver, host.sysname,
                                 host.release);
  return 0;
}

static int alloc_pd(void) { return enter(kPd, ibv_alloc_pd(context)); }

static int reg_mr(void) {
  struct ibv_pd *pd = object_of(0, kPd)->pd;
  const uint64_t *w = in.words;
  if (!pd || in.count != 5 || !in_memory(w[1], w[2])) return EBADF;
  struct ibv_mr *mr = w[3] == w[1]
                          ? ibv_reg_mr(pd, (void *)(uintptr_t)w[1], w[2], (int)w[4])
                          : ibv_reg_mr_iova(pd, (void *)(uintptr_t)w[1], w[2], w[3], (int)w[4]);
  const int bad = enter(kMr, mr);
  if (bad) return bad;
  out.words[out.count++] = mr->lkey;
  out.words[out.count++] = mr->rkey;
  return 0;
}

static int rereg_mr(void) {
  struct ibv_mr *mr = object_of(0, kMr)->mr;
  struct ibv_pd *pd = object_of(2, kPd)->pd;
  const uint64_t *w = in.words;
  if (!mr || in.count != 6) return EBADF;
  if ((w[1] & IBV_REREG_MR_CHANGE_TRANSLATION) && !in_memory(w[3], w[4])) return EBADF;
  const int bad = ibv_rereg_mr(mr, (int)w[1], pd, (void *)(uintptr_t)w[3], w[4], (int)w[5]);
  out.words[out.count++] = mr->lkey;
  out.words[out.count++] = mr->rkey;
  return bad ? (errno ? errno : EINVAL) : 0;
}

static int create_cq(void) {
  void *const number = (void *)(uintptr_t)free_handle(); /* events give it back */
  return in.count != 1 ? EBADF
                       : enter(kCq, ibv_create_cq(context, (int)in.words[0], number, channel, 0));
}
static int arm_cq(void) {
  struct ibv_cq *cq = object_of(0, kCq)->cq;
  return !cq || in.count != 2 ? EBADF : code_of(ibv_req_notify_cq(cq, (int)in.words[1]));
}

static int resize_cq(void) {
  struct ibv_cq *cq = object_of(0, kCq)->cq;
  return !cq || in.count != 2 ? EBADF : code_of(ibv_resize_cq(cq, (int)in.words[1]));
}

static int alloc_mw(void) {
  struct ibv_pd *pd = object_of(0, kPd)->pd;
  if (!pd || in.count != 2) return EBADF;
  struct ibv_mw *mw = ibv_alloc_mw(pd, in.words[1] == 1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
  const int bad = enter(kMw, mw);
  if (!bad) out.words[out.count++] = mw->rkey;
  return bad;
}

static int create_srq(void) {
  struct ibv_pd *pd = object_of(0, kPd)->pd;
  if (!pd || in.count != 4) return EBADF;
  struct ibv_srq_init_attr init = {.srq_context = (void *)(uintptr_t)free_handle(),
                                   .attr = {.max_wr = (uint32_t)in.words[1],
                                            .max_sge = (uint32_t)in.words[2],
                                            .srq_limit = (uint32_t)in.words[3]}};
  return enter(kSrq, ibv_create_srq(pd, &init));
}
static int modify_srq(void) {
  struct ibv_srq *srq = object_of(0, kSrq)->srq;
  if (!srq || in.count != 2) return EBADF;
  struct ibv_srq_attr attr = {.srq_limit = (uint32_t)in.words[1]};
  return code_of(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

static int destroy(void) {
  if (in.count != 1 || in.words[0] >= kObjects) return EBADF;
  struct object *object = &objects[in.words[0]];
  int bad = EBADF;
  switch (object->kind) {
    case kFree:
      return EBADF;
    case kPd:
      bad = ibv_dealloc_pd(object->pd);
      break;
    case kMr:
      bad = ibv_dereg_mr(object->mr);
      break;
    case kCq:
      bad = ibv_destroy_cq(object->cq);
      break;
    case kSrq:
      bad = ibv_destroy_srq(object->srq);
      break;
    case kQp:
      bad = ibv_destroy_qp(object->qp);
      break;
    case kAh:
      bad = ibv_destroy_ah(object->ah);
      break;
    case kMw:
      bad = ibv_dealloc_mw(object->mw);
      break;
  }
  if (!bad) object->kind = kFree;
  return code_of(bad);
}
