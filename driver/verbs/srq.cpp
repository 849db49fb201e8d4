// SPDX-License-Identifier: Apache-2.0
// Shared receive queues.
#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

using driver::protocol::Object;

ibv_srq* create(ibv_pd* ibv, ibv_srq_attr& attr) {
  if (!genuine(ibv)) {
    errno = EINVAL;
    return nullptr;
  }
  return guarded_pointer([&]() -> ibv_srq* {
    OpenDevice& device = device_of(ibv->context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto srq = std::make_unique<SharedQueue>();
    srq->pd = ours<Pd>(ibv).pd;
    driver::SrqOptions options;
    options.entries = attr.max_wr;
    options.sges = attr.max_sge != 0 ? attr.max_sge : 1;
    options.resizable = true;  // memory that is not used is not there
    srq->queue = std::make_shared<driver::SharedReceiveQueue>(*srq->pd, options);
    srq->srq.srq_num = srq->queue->number();
    srq->srq.srq.handle = srq->queue->number();
    attr.max_wr = srq->queue->entries();
    attr.max_sge = srq->queue->sges();
    device.remote().route(Object::kSharedReceiveQueue, srq->queue->number(), kAsyncChannel,
                          reinterpret_cast<std::uint64_t>(&srq->srq.srq));
    return &srq.release()->srq.srq;
  });
}

ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) { return create(pd, attr->attr); }

ibv_srq* create_srq_ex(ibv_context* context, ibv_srq_init_attr_ex* attr) {
  constexpr std::uint32_t kKnown = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
  const bool basic =
      (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) == 0 || attr->srq_type == IBV_SRQT_BASIC;
  if ((attr->comp_mask & ~kKnown) != 0 || !basic) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  if ((attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) == 0) {
    errno = EINVAL;
    return nullptr;
  }
  ibv_srq* srq = create(attr->pd, attr->attr);
  if (srq == nullptr) return nullptr;
  srq->context = context;
  srq->srq_context = attr->srq_context;
  srq->pd = attr->pd;
  pthread_mutex_init(&srq->mutex, nullptr);
  pthread_cond_init(&srq->cond, nullptr);
  return srq;
}

int destroy_srq(ibv_srq* ibv) {
  if (!genuine(ibv)) return ENOENT;
  auto& srq = ours<SharedQueue>(ibv);
  {
    OpenDevice& device = device_of(ibv->context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    if (srq.queue.use_count() > 1) return EBUSY;  // in use by a queue pair
    srq.queue.reset();
    drop_async_events(device, ibv);
  }
  wait_acknowledged(*ibv, srq.events_reported);
  delete &srq;
  return 0;
}

int modify_srq(ibv_srq* ibv, ibv_srq_attr* attr, int mask) {
  if (!genuine(ibv)) return ENOENT;
  if ((mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT)) != 0) return EINVAL;
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    driver::SharedReceiveQueue& queue = *ours<SharedQueue>(ibv).queue;
    const bool resizes = (mask & IBV_SRQ_MAX_WR) != 0, limits = (mask & IBV_SRQ_LIMIT) != 0;
    if (limits && attr->srq_limit > (resizes ? attr->max_wr : queue.entries())) return EINVAL;
    if (resizes) {
      queue.resize(attr->max_wr);
      attr->max_wr = queue.entries();
    }
    if (limits) queue.arm_limit(static_cast<std::uint16_t>(attr->srq_limit));
    return 0;
  });
}

int query_srq(ibv_srq* ibv, ibv_srq_attr* attr) {
  if (!genuine(ibv)) return ENOENT;
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    driver::SharedReceiveQueue& queue = *ours<SharedQueue>(ibv).queue;
    *attr = {queue.entries(), queue.sges(), queue.query().limit};
    return 0;
  });
}

int post_srq_recv(ibv_srq* ibv, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  return post_receives(device_of(ibv->context), *ours<SharedQueue>(ibv).queue, wr, bad);
}

}  // namespace

bool genuine(ibv_srq* srq) { return genuine(*srq, ours<SharedQueue>(srq).queue->number()); }

void add_srq_operations(ContextOps& operations) {
  operations.create_srq = create_srq;
  operations.create_srq_ex = create_srq_ex;
  operations.destroy_srq = reporting<destroy_srq>;
  operations.modify_srq = reporting<modify_srq>;
  operations.query_srq = reporting<query_srq>;
  operations.post_srq_recv = reporting<post_srq_recv>;
  operations.get_srq_num = [](ibv_srq* srq, std::uint32_t* number) {
    *number = ours<SharedQueue>(srq).srq.srq_num;
    return 0;
  };
}

}  // namespace roci::verbs
