// SPDX-License-Identifier: Apache-2.0
// Completion queues and channels.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

using driver::protocol::Format;
using driver::protocol::Object;

Cq* create(ibv_context* context, unsigned entries, ibv_comp_channel* channel) {
  return guarded_pointer([&]() -> Cq* {
    OpenDevice& device = device_of(context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto cq = std::make_unique<Cq>();
    cq->queue = std::make_shared<driver::CompletionQueue>(device.context(), entries);
    cq->cq.cqe = static_cast<int>(cq->queue->entries());
    cq->cq.handle = cq->queue->number();
    const auto cookie = reinterpret_cast<std::uint64_t>(&cq->cq);
    device.remote().route(Object::kCompletionQueue, cq->queue->number(), kAsyncChannel, cookie);
    if (channel != nullptr) {
      device.remote().route(Object::kCompletionQueue, cq->queue->number(),
                            ours<CompletionChannel>(channel).id, cookie);
      device.notified.emplace(ours<CompletionChannel>(channel).id, &cq->cq);
    }
    return cq.release();
  });
}

ibv_cq* create_cq(ibv_context* context, int entries, ibv_comp_channel* channel, int vector) {
  if (entries < 1 || vector != 0) {
    errno = EINVAL;
    return nullptr;
  }
  Cq* cq = create(context, static_cast<unsigned>(entries), channel);
  return cq != nullptr ? &cq->cq : nullptr;
}

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attr) {
  constexpr std::uint64_t kFields =
      IBV_WC_STANDARD_FLAGS;  // no timestamps, VLANs, flow tags, tag matching
  constexpr std::uint32_t kFlags =
      IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
  if ((attr->wc_flags & ~kFields) != 0 ||
      (attr->comp_mask & ~(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)) != 0 ||
      ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) != 0 && (attr->flags & ~kFlags) != 0)) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  if (attr->cqe < 1 || attr->comp_vector != 0) {
    errno = EINVAL;
    return nullptr;
  }
  Cq* cq = create(context, attr->cqe, attr->channel);
  if (cq == nullptr) return nullptr;
  fill_cq_ex(cq->cq_ex, attr->wc_flags);
  return &cq->cq_ex;
}

int destroy_cq(ibv_cq* ibv) {
  if (!genuine(ibv)) return ENOENT;
  Cq& cq = ours<Cq>(ibv);
  {
    OpenDevice& device = device_of(ibv->context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    if (cq.queue.use_count() > 1) return EBUSY;  // in use by a queue pair
    cq.queue.reset();
    if (ibv->channel != nullptr) {
      device.notified.erase({ours<CompletionChannel>(ibv->channel).id, ibv});
      drop_events(device, ibv);
    }
    drop_async_events(device, ibv);
  }
  // Events of the queue that the program has read must be acknowledged first (11.2.6.4).
  pthread_mutex_lock(&ibv->mutex);
  while (ibv->comp_events_completed != cq.events_reported ||
         ibv->async_events_completed != cq.async_reported) {
    pthread_cond_wait(&ibv->cond, &ibv->mutex);
  }
  pthread_mutex_unlock(&ibv->mutex);
  delete &cq;
  return 0;
}

int poll_cq(ibv_cq* ibv, int count, ibv_wc* wc) {
  OpenDevice& device = device_of(ibv->context);
  std::unique_lock<std::mutex> lock(device.mutex);
  int taken = 0;
  try {
    while (taken < count) {
      const auto completion = ours<Cq>(ibv).queue->poll();
      if (!completion) break;
      if (!device.binding.empty()) end_bind(device, *completion);
      convert(*completion, wc[taken++]);
    }
    if (taken == 0) {
      device.nothing_found(lock);
    } else {
      device.something_found();
    }
    return taken;
  } catch (...) {
    errno = errno_of_exception();
    return taken != 0 ? taken : -1;
  }
}

int req_notify_cq(ibv_cq* ibv, int solicited_only) {
  if (!genuine(ibv)) return ENOENT;
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    ours<Cq>(ibv).queue->arm(solicited_only != 0);
    return 0;
  });
}

int resize_cq(ibv_cq* ibv, int entries) {
  if (!genuine(ibv)) return ENOENT;
  if (entries < 1) return EINVAL;
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    driver::CompletionQueue& queue = *ours<Cq>(ibv).queue;
    queue.resize(static_cast<unsigned>(entries));
    ibv->cqe = static_cast<int>(queue.entries());
    return 0;
  });
}

int modify_cq(ibv_cq* ibv, ibv_modify_cq_attr* attr) {
  if ((attr->attr_mask & ~static_cast<unsigned>(IBV_CQ_ATTR_MODERATE)) != 0) return EOPNOTSUPP;
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    ours<Cq>(ibv).queue->set_moderation(attr->moderate.cq_count, attr->moderate.cq_period);
    return 0;
  });
}

}  // namespace

bool genuine(ibv_cq* cq) { return genuine(*cq, ours<Cq>(cq).queue->number()); }

void add_cq_operations(ContextOps& operations) {
  operations.create_cq = create_cq;
  operations.create_cq_ex = create_cq_ex;
  operations.destroy_cq = reporting<destroy_cq>;
  operations.poll_cq = poll_cq;
  operations.req_notify_cq = reporting<req_notify_cq>;
  operations.resize_cq = reporting<resize_cq>;
  operations.modify_cq = reporting<modify_cq>;
  operations.cq_event = [](ibv_cq* cq) { ++ours<Cq>(cq).events_reported; };
}

}  // namespace roci::verbs
