// SPDX-License-Identifier: Apache-2.0
// Queue pairs.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

using driver::protocol::Object;

std::optional<driver::Service> service_of(ibv_qp_type type) {
  switch (type) {
    case IBV_QPT_RC:
      return driver::Service::kRc;
    case IBV_QPT_UC:
      return driver::Service::kUc;
    case IBV_QPT_UD:
      return driver::Service::kUd;
    default:
      return {};
  }
}

/// The error for a queue pair that the adapter does not support; 0: none.
int check(const driver::DeviceLimits& limits, const ibv_qp_init_attr_ex& attr) {
  constexpr std::uint32_t kKnown =
      IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | IBV_QP_INIT_ATTR_CREATE_FLAGS;
  if ((attr.comp_mask & ~kKnown) != 0) return EOPNOTSUPP;
  if ((attr.comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) != 0 && attr.create_flags != 0) {
    return EOPNOTSUPP;
  }
  if ((attr.comp_mask & IBV_QP_INIT_ATTR_PD) == 0) return EINVAL;
  const auto service = service_of(attr.qp_type);
  if (!service || !limits.has(*service)) return EOPNOTSUPP;
  if (attr.send_cq == nullptr || attr.recv_cq == nullptr) return EINVAL;
  const bool known = genuine(attr.pd) && genuine(attr.send_cq) && genuine(attr.recv_cq) &&
                     (attr.srq == nullptr || genuine(attr.srq));
  return known ? 0 : EINVAL;
}

/// Inline data to have room for. Programs post it that asked for none, because other adapters grant
/// some to all (Soft-RoCE 16 bytes for an entry of a list). The smallest ring has room for a block:
/// the engine reads entries whole, and from a longer ring it would read fewer at a time.
std::uint32_t inline_bytes(const ibv_qp_cap& cap) {
  constexpr std::uint32_t kGranted = 64, kSmallest = 2;
  return cap.max_send_wr <= kSmallest ? std::max(cap.max_inline_data, kGranted)
                                      : cap.max_inline_data;
}

/// ROCI_POSTS=1: work requests that are posted alone go to the adapter with their doorbell.
bool posts_wanted() {
  const char* posts = std::getenv("ROCI_POSTS");
  return posts != nullptr && std::string_view(posts) == "1";
}

QueuePair* create(ibv_context* context, ibv_qp_init_attr_ex& attr) {
  const int error = check(device_of(context).context().limits(), attr);
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  return guarded_pointer([&]() -> QueuePair* {
    OpenDevice& device = device_of(context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    auto pair = std::make_unique<QueuePair>();
    pair->pd = ours<Pd>(attr.pd).pd;
    pair->send_cq = ours<Cq>(attr.send_cq).queue;
    pair->receive_cq = ours<Cq>(attr.recv_cq).queue;
    if (attr.srq != nullptr) pair->srq = ours<SharedQueue>(attr.srq).queue;
    ibv_qp_cap& cap = attr.cap;
    driver::QpOptions options;
    options.send_entries = std::max(cap.max_send_wr, 1u);
    options.receive_entries = std::max(cap.max_recv_wr, 1u);
    options.send_sges = std::max(cap.max_send_sge, 1u);
    options.receive_sges = std::max(cap.max_recv_sge, 1u);
    options.max_inline = inline_bytes(cap);
    options.srq = pair->srq.get();
    options.service = *service_of(attr.qp_type);
    options.lenient = true;
    options.posts = posts_wanted();
    pair->pair =
        std::make_unique<driver::QueuePair>(*pair->pd, *pair->send_cq, *pair->receive_cq, options);
    pair->signal_all = attr.sq_sig_all != 0;
    cap.max_send_wr = pair->pair->send_entries();
    cap.max_recv_wr = pair->srq != nullptr ? 0 : pair->pair->receive_entries();
    cap.max_send_sge = options.send_sges;
    cap.max_recv_sge = pair->srq != nullptr ? 0 : options.receive_sges;
    cap.max_inline_data = pair->pair->max_inline();
    pair->cap = cap;
    ibv_qp& qp = pair->qp.qp;
    qp.context = context;
    qp.qp_context = attr.qp_context;
    qp.pd = attr.pd;
    qp.send_cq = attr.send_cq;
    qp.recv_cq = attr.recv_cq;
    qp.srq = attr.srq;
    qp.handle = qp.qp_num = pair->pair->number();
    qp.qp_type = attr.qp_type;
    qp.state = IBV_QPS_RESET;
    pthread_mutex_init(&qp.mutex, nullptr);
    pthread_cond_init(&qp.cond, nullptr);
    device.remote().route(Object::kQueuePair, pair->pair->number(), kAsyncChannel,
                          reinterpret_cast<std::uint64_t>(&pair->qp.qp));
    return pair.release();
  });
}

ibv_qp* create_qp(ibv_pd* pd, ibv_qp_init_attr* attr) {
  ibv_qp_init_attr_ex whole{};
  std::memcpy(&whole, attr, sizeof *attr);  // the extended structure begins with it
  whole.comp_mask = IBV_QP_INIT_ATTR_PD;
  whole.pd = pd;
  QueuePair* pair = create(pd->context, whole);
  if (pair == nullptr) return nullptr;
  attr->cap = whole.cap;
  return &pair->qp.qp;
}

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attr) {
  QueuePair* pair = create(context, *attr);
  if (pair == nullptr) return nullptr;
  if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0 &&
      !fill_qp_ex(*pair, attr->send_ops_flags)) {
    const std::lock_guard<std::mutex> lock(device_of(context).mutex);
    delete pair;
    errno = EOPNOTSUPP;
    return nullptr;
  }
  return &pair->qp.qp;
}

int destroy_qp(ibv_qp* ibv) {
  if (!genuine(ibv)) return ENOENT;
  auto& pair = ours<QueuePair>(ibv);
  {
    OpenDevice& device = device_of(ibv->context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    if (pair.pair->attached() && !device.remote().gone()) return EBUSY;  // as in the kernel
    pair.pair.reset();
    drop_async_events(device, ibv);
  }
  wait_acknowledged(*ibv, pair.events_reported);
  const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
  delete &pair;
  return 0;
}

int modify_qp(ibv_qp* ibv, ibv_qp_attr* attr, int mask) {
  if (!genuine(ibv)) return ENOENT;
  constexpr int kNamed = 2 * IBV_QP_DEST_QPN - 1;  // bits 20:0, as the kernel has them
  if ((mask & ~kNamed) != 0) return EOPNOTSUPP;
  // Attributes of alternate paths, which RoCE does not have, and of resizing.
  constexpr int kElsewhere = IBV_QP_ALT_PATH | IBV_QP_CAP;
  if ((mask & kElsewhere) != 0) return EINVAL;
  if ((mask & IBV_QP_PATH_MIG_STATE) != 0) {
    if (attr->path_mig_state != IBV_MIG_MIGRATED) return EINVAL;
    mask &= ~IBV_QP_PATH_MIG_STATE;  // the state of a queue pair without an alternate path
  }
  if ((mask & IBV_QP_AV) != 0 && (attr->ah_attr.is_global == 0 || attr->ah_attr.port_num != 1)) {
    return EINVAL;
  }
  return guarded([&] {
    driver::QpAttributes attributes;
    convert(*attr, mask, attributes);
    if ((mask & IBV_QP_ACCESS_FLAGS) != 0) {
      std::uint32_t rights = 0;
      if (!convert_access(attr->qp_access_flags, rights)) return EINVAL;
      attributes.access = rights & driver::access::kAll;
    }
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    ours<QueuePair>(ibv).pair->modify(attributes, static_cast<std::uint32_t>(mask));
    if ((mask & IBV_QP_STATE) != 0) ibv->state = attr->qp_state;
    return 0;
  });
}

int query_qp(ibv_qp* ibv, ibv_qp_attr* attr, int, ibv_qp_init_attr* init) {
  if (!genuine(ibv)) return ENOENT;
  return guarded([&] {
    auto& pair = ours<QueuePair>(ibv);
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    convert(pair.pair->query(), *attr);
    attr->cap = pair.cap;
    *init = {};
    init->qp_context = ibv->qp_context;
    init->send_cq = ibv->send_cq;
    init->recv_cq = ibv->recv_cq;
    init->srq = ibv->srq;
    init->cap = pair.cap;
    init->qp_type = ibv->qp_type;
    init->sq_sig_all = pair.signal_all ? 1 : 0;
    ibv->state = attr->qp_state;
    return 0;
  });
}

/// Copies the inline data of IBV_SEND_INLINE; false when it exceeds the queue pair's limit.
bool gather(QueuePair& pair, const ibv_sge* list, int count, driver::SendRequest& request) {
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    if (list[i].length > pair.inlined.size() - bytes) return false;
    std::memcpy(pair.inlined.data() + bytes, reinterpret_cast<const void*>(list[i].addr),
                list[i].length);
    bytes += list[i].length;
  }
  request.inline_data = pair.inlined.data();
  request.inline_bytes = static_cast<std::uint32_t>(bytes);
  request.sges.clear();
  return true;
}

int post_one(QueuePair& pair, const ibv_send_wr& wr, driver::SendRequest& request) {
  if (wr.num_sge < 0 || static_cast<unsigned>(wr.num_sge) > pair.cap.max_send_sge) return EINVAL;
  if (!convert(wr, request)) return EINVAL;
  const bool send = wr.opcode == IBV_WR_SEND || wr.opcode == IBV_WR_SEND_WITH_IMM;
  if (pair.pair->service() == driver::Service::kUd && send) {
    const int error =
        fill_destination(wr.wr.ud.ah, wr.wr.ud.remote_qpn, wr.wr.ud.remote_qkey, request);
    if (error != 0) return error;
  }
  if (pair.signal_all) request.signaled = true;
  const bool local = wr.opcode == IBV_WR_LOCAL_INV || wr.opcode == IBV_WR_BIND_MW;
  if ((wr.send_flags & IBV_SEND_INLINE) != 0 && !local &&
      !gather(pair, wr.sg_list, wr.num_sge, request)) {
    return EINVAL;
  }
  if (wr.opcode == IBV_WR_BIND_MW) {
    const int error = fill_bind(*wr.bind_mw.mw, wr.bind_mw.rkey, wr.bind_mw.bind_info, request);
    if (error != 0) return error;
  }
  const int error = errno_of(pair.pair->post_send(&request, 1).error);
  if (error == 0 && wr.opcode == IBV_WR_BIND_MW) {
    record_bind(device_of(pair.qp.qp.context), ours<Window>(wr.bind_mw.mw), request,
                pair.pair->number());
  }
  return error;
}

int post_send(ibv_qp* ibv, ibv_send_wr* wr, ibv_send_wr** bad) {
  auto& pair = ours<QueuePair>(ibv);
  OpenDevice& device = device_of(ibv->context);
  int error = 0;
  std::unique_lock<std::mutex> lock(device.mutex);
  for (; wr != nullptr && error == 0; wr = wr->next) {
    error = guarded([&] { return post_one(pair, *wr, pair.request); });
    if (error != 0) *bad = wr;
  }
  lock.unlock();
  device.posted();
  return error;
}

int post_recv(ibv_qp* ibv, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  return post_receives(device_of(ibv->context), *ours<QueuePair>(ibv).pair, wr, bad);
}

}  // namespace

bool genuine(ibv_qp* qp) { return genuine(*qp, ours<QueuePair>(qp).pair->number()); }

int fill_destination(ibv_ah* ah, std::uint32_t qpn, std::uint32_t qkey,
                     driver::SendRequest& request) {
  constexpr std::uint32_t kNumberBits = 0xFFFFFF;
  if (ah == nullptr || ours<Handle>(ah).handle == nullptr) return EINVAL;
  request.ah = ours<Handle>(ah).handle->number();
  request.remote_qpn = qpn & kNumberBits;
  request.qkey = qkey;
  return 0;
}

void add_qp_operations(ContextOps& operations) {
  operations.create_qp = create_qp;
  operations.create_qp_ex = create_qp_ex;
  operations.destroy_qp = reporting<destroy_qp>;
  operations.modify_qp = reporting<modify_qp>;
  operations.query_qp = reporting<query_qp>;
  operations.post_send = reporting<post_send>;
  operations.post_recv = reporting<post_recv>;
}

}  // namespace roci::verbs
