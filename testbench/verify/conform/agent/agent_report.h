/* SPDX-License-Identifier: Apache-2.0
 * What happened since the last poll: completions, events, and memory that the device wrote. Comes
 * after agent_objects.h.
 */
#pragma once

enum { kMostAtOnce = 512 };

/* Whether the request says to leave the queue alone. */
static bool kept(unsigned handle) {
  for (unsigned i = 1; i < in.count; ++i)
    if (in.words[i] == handle) return true;
  return false;
}

/* Adds completions of a queue to the reply; false: there may be more. */
static bool take_completions(unsigned handle, struct agent_news *news) {
  struct ibv_wc wc;
  const uint64_t most = in.count && in.words[0] ? news->completions + in.words[0] : UINT64_MAX;
  while (news->completions < kMostAtOnce) {
    if (news->completions == most) return true;
    if (ibv_poll_cq(objects[handle].cq, 1, &wc) <= 0) return true;
    const bool imm = wc.wc_flags & IBV_WC_WITH_IMM, inv = wc.wc_flags & IBV_WC_WITH_INV;
    const struct agent_completion one = {handle,
                                         wc.wr_id,
                                         wc.status,
                                         wc.opcode,
                                         wc.byte_len,
                                         inv ? wc.invalidated_rkey : be32toh(wc.imm_data),
                                         (imm ? kAgentWithImm : 0u) | (inv ? kAgentWithInv : 0u) |
                                             (wc.wc_flags & IBV_WC_GRH ? kAgentWithGrh : 0u),
                                         wc.qp_num,
                                         wc.vendor_err,
                                         wc.src_qp};
    memcpy(out.words + out.count, &one, sizeof one);
    out.count += sizeof one / sizeof(uint64_t);
    ++news->completions;
  }
  return false;
}

/* Kinds of events, as model/spec numbers them; 0: about no object of the tests. */
static uint64_t kind_of(enum ibv_event_type type) {
  switch (type) {
    case IBV_EVENT_CQ_ERR:
      return 2;
    case IBV_EVENT_QP_FATAL:
      return 3;
    case IBV_EVENT_QP_REQ_ERR:
      return 4;
    case IBV_EVENT_QP_ACCESS_ERR:
      return 5;
    case IBV_EVENT_COMM_EST:
      return 6;
    case IBV_EVENT_SQ_DRAINED:
      return 7;
    case IBV_EVENT_SRQ_LIMIT_REACHED:
      return 8;
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      return 9;
    case IBV_EVENT_SRQ_ERR:
      return 10;
    default:
      return 0;
  }
}

static void add_event(uint64_t kind, uint64_t number, struct agent_news *news) {
  out.words[out.count++] = kind;
  out.words[out.count++] = number;
  ++news->events;
}

static void take_events(struct agent_news *news) {
  struct ibv_async_event event;
  struct ibv_cq *cq;
  void *number;
  while (news->events < kMostAtOnce && ibv_get_cq_event(channel, &cq, &number) == 0) {
    ibv_ack_cq_events(cq, 1);
    add_event(1, (uintptr_t)number, news);
  }
  while (news->events < kMostAtOnce && ibv_get_async_event(context, &event) == 0) {
    const uint64_t kind = kind_of(event.event_type);
    if (kind == 2)
      add_event(kind, (uintptr_t)event.element.cq->cq_context, news);
    else if (kind == 8 || kind == 10)
      add_event(kind, (uintptr_t)event.element.srq->srq_context, news);
    else if (kind)
      add_event(kind, event.element.qp->qp_num, news);
    ibv_ack_async_event(&event);
  }
}

/* Adds the chunks of a region that differ from what was reported; false: there may be more. */
static bool take_memory(const struct ibv_mr *mr, struct agent_news *news) {
  uint64_t at = (uint64_t)((uint8_t *)mr->addr - memory) / kAgentChunk * kAgentChunk;
  const uint64_t end = (uint64_t)((uint8_t *)mr->addr - memory) + mr->length;
  struct agent_run *last = NULL;
  for (; at < end; at += kAgentChunk) {
    if (memcmp(memory + at, reported + at, kAgentChunk) == 0) continue;
    if (out.bytes + kAgentChunk > kAgentMostBytes || out.count + 2 > kAgentMostWords) return false;
    const uint64_t address = (uintptr_t)(memory + at);
    if (!last || last->address + last->bytes != address) {
      last = (void *)(out.words + out.count);
      *last = (struct agent_run){address, 0};
      out.count += sizeof *last / sizeof(uint64_t);
      ++news->runs;
    }
    memcpy(reported + at, memory + at, kAgentChunk);
    memcpy(out.data + out.bytes, reported + at, kAgentChunk);
    last->bytes += kAgentChunk;
    out.bytes += kAgentChunk;
  }
  return true;
}

/* Memory last, so that it is as new as the completions. */
static int poll_all(void) {
  struct agent_news news = {0};
  out.count = sizeof news / sizeof(uint64_t);
  bool all = true;
  for (unsigned i = 0; i < kObjects; ++i)
    if (objects[i].kind == kCq && !kept(i)) all &= take_completions(i, &news);
  take_events(&news);
  for (unsigned i = 0; i < kObjects; ++i)
    if (objects[i].kind == kMr) all &= take_memory(objects[i].mr, &news);
  news.more = !all;
  memcpy(out.words, &news, sizeof news);
  return 0;
}
