// SPDX-License-Identifier: Apache-2.0
#include "driver/queue_pair.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/attributes.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"

namespace roci::driver {
namespace {

void require(bool holds, const char* text) {
  if (!holds) throw std::invalid_argument(text);
}

}  // namespace

QueuePair::QueuePair(ProtectionDomain& pd, CompletionQueue& send_cq, CompletionQueue& receive_cq,
                     const QpOptions& options)
    : pd_(pd),
      send_cq_(send_cq),
      receive_cq_(receive_cq),
      context_(pd.context()),
      srq_(options.srq),
      service_(options.service),
      send_sges_(options.send_sges),
      receive_sges_(options.receive_sges),
      lenient_(options.lenient),
      posts_(options.posts && !pd.context().limits().lacks(Option::kPosts)) {
  const DeviceLimits& limits = context_.limits();
  require(options.send_entries >= 1 && options.send_entries <= limits.max_qp_wr &&
              (srq_ != nullptr ||
               (options.receive_entries >= 1 && options.receive_entries <= limits.max_qp_wr)),
          "queue pair: entries of a queue out of range");
  require(options.send_sges >= 1 && options.send_sges <= limits.max_sge &&
              (srq_ != nullptr ||
               (options.receive_sges >= 1 && options.receive_sges <= limits.max_sge)),
          "queue pair: scatter/gather entries out of range");
  require(options.max_inline <= limits.max_inline, "queue pair: too much inline data");

  send_.log = entries_log(options.send_entries);
  send_.stride_log = stride_log(options.send_sges, options.max_inline);
  if (srq_ == nullptr) {
    receive_.log = entries_log(options.receive_entries);
    receive_.stride_log = stride_log(options.receive_sges, 0);
  }
  max_inline_ =
      std::min<unsigned>(((1u << send_.stride_log) - 1) * layout::kBlockBytes, limits.max_inline);
  send_.allocate(context_.device());
  if (srq_ == nullptr) receive_.allocate(context_.device());
  try {
    number_ = static_cast<std::uint32_t>(
        context_
            .execute(layout::AdminOp::kCreateQp,
                     Body()
                         .put(layout::create_qp::pd, pd.number())
                         .put(layout::create_qp::pasid, context_.device().pasid())
                         .put(layout::create_qp::send_cqn, send_cq.number())
                         .put(layout::create_qp::recv_cqn, receive_cq.number())
                         .put(layout::create_qp::sq_base, send_.memory.dma)
                         .put(layout::create_qp::rq_base, receive_.memory.dma)
                         .put(layout::create_qp::sq_log, send_.log)
                         .put(layout::create_qp::sq_stride_log, send_.stride_log)
                         .put(layout::create_qp::rq_log, receive_.log)
                         .put(layout::create_qp::rq_stride_log, receive_.stride_log)
                         .put(layout::create_qp::srq, srq_ != nullptr)
                         .put(layout::create_qp::srqn, srq_ != nullptr ? srq_->number() : 0)
                         .put(layout::create_qp::credits, options.credits)
                         .put(layout::create_qp::service, service_),
                     "create queue pair")
            .get(layout::create_qp_reply::qpn));
  } catch (...) {
    free_rings();
    throw;
  }
  context_.queue_pairs_[number_] = this;
  context_.observer().qp_created(number_,
                                 srq_ != nullptr ? std::optional(srq_->number()) : std::nullopt);
}

QueuePair::~QueuePair() {
  bool gone = true;
  try {
    while (attached()) detach(Gid(attachments_.begin()->first));
    context_.execute(layout::AdminOp::kDestroyQp, Body().put(layout::destroy_qp::qpn, number_),
                     "destroy queue pair");
  } catch (const Error&) {
    gone = false;  // the adapter may still read the rings
  }
  try {
    send_cq_.forget(number_);
    receive_cq_.forget(number_);
  } catch (const Error&) {  // a broken completion; the next poll finds it again
  }
  context_.observer().qp_destroyed(number_);
  context_.queue_pairs_.erase(number_);
  if (gone) free_rings();
}

void QueuePair::attach(const Gid& group) {
  attachments_[group] = static_cast<std::uint32_t>(
      context_
          .execute(layout::AdminOp::kAttachMulticast,
                   Body()
                       .put(layout::attach_multicast::qpn, number_)
                       .put(layout::attach_multicast::gid_hi, high_half(group))
                       .put(layout::attach_multicast::gid_lo, low_half(group)),
                   "attach to a multicast group")
          .get(layout::attach_multicast_reply::attachment));
}

void QueuePair::detach(const Gid& group) {
  const auto found = attachments_.find(group);
  if (found == attachments_.end()) {
    throw Error(AdminStatus::kBadHandle, 0, "detach from a multicast group: not attached");
  }
  const std::uint32_t number = found->second;
  attachments_.erase(found);
  context_.execute(layout::AdminOp::kDetachMulticast,
                   Body().put(layout::detach_multicast::attachment, number),
                   "detach from a multicast group");
}

void QueuePair::free_rings() {
  context_.device().release(send_.memory);
  if (srq_ == nullptr) context_.device().release(receive_.memory);
}

void QueuePair::modify(const QpAttributes& attributes, std::uint32_t mask) {
  context_.execute(layout::AdminOp::kModifyQp, body_of(number_, attributes, mask),
                   "modify queue pair");
  if ((mask & mask::kState) != 0) {
    state_ = attributes.state;
    if (state_ == QpState::kReset) {
      // QP-09: the queues are empty, without completions.
      send_cq_.forget(number_);
      receive_cq_.forget(number_);
      send_.head = send_.tail = 0;
      receive_.head = receive_.tail = 0;
    }
  }
  context_.observer().qp_modified(number_, attributes, mask);
}

QpAttributes QueuePair::query() { return query_queue_pair(context_, number_); }

QpCounters QueuePair::counters() { return query_counters(context_, number_); }

QpAttributes query_queue_pair(Context& context, std::uint32_t number) {
  return attributes_of(context.execute(
      layout::AdminOp::kQueryQp, Body().put(layout::query_qp::qpn, number), "query queue pair"));
}

QpCounters query_counters(Context& context, std::uint32_t number) {
  const Body reply = context.execute(
      layout::AdminOp::kQueryCounters,
      Body().put(layout::query_counters::of_qp, 1).put(layout::query_counters::qpn, number),
      "query queue pair counters");
  return {reply.get(layout::qp_counters_reply::tx_packets),
          reply.get(layout::qp_counters_reply::tx_bytes),
          reply.get(layout::qp_counters_reply::rx_packets),
          reply.get(layout::qp_counters_reply::rx_bytes),
          reply.get(layout::qp_counters_reply::retries),
          reply.get(layout::qp_counters_reply::timeouts),
          reply.get(layout::qp_counters_reply::naks_sent),
          reply.get(layout::qp_counters_reply::naks_received)};
}

void QueuePair::connect(const Endpoint& peer, std::uint32_t psn, const ConnectOptions& options) {
  QpAttributes a;
  a.access = options.access;
  a.path_mtu = options.path_mtu;
  a.timeout = options.timeout;
  a.retry_cnt = options.retry_cnt;
  a.rnr_retry = options.rnr_retry;
  a.min_rnr_timer = options.min_rnr_timer;
  a.max_rd_atomic = options.max_rd_atomic;
  a.max_dest_rd_atomic = options.max_dest_rd_atomic;
  a.sgid_index = options.sgid_index;
  a.hop_limit = options.hop_limit;
  a.traffic_class = options.traffic_class;
  a.sl = options.sl;
  a.flow_label = options.flow_label;
  a.dst_mac = options.dst_mac;
  a.dest_qpn = peer.qpn;
  a.dgid = peer.gid;
  a.rq_psn = peer.psn;
  a.sq_psn = psn;
  const bool reliable = service_ == Service::kRc;
  a.state = QpState::kInit;
  modify(a, mask::kInit);
  a.state = QpState::kRtr;
  modify(a, reliable ? mask::kRtr : mask::kUcRtr);
  a.state = QpState::kRts;
  modify(a, reliable ? mask::kRts : mask::kUnreliableRts);
}

void QueuePair::open(std::uint32_t qkey, std::uint32_t psn, std::uint16_t pkey_index) {
  QpAttributes a;
  a.qkey = qkey;
  a.sq_psn = psn;
  a.pkey_index = pkey_index;
  a.state = QpState::kInit;
  modify(a, mask::kUdInit);
  a.state = QpState::kRtr;
  modify(a, mask::kUdRtr);
  a.state = QpState::kRts;
  modify(a, mask::kUnreliableRts);
}

void QueuePair::to_error() {
  QpAttributes a;
  a.state = QpState::kErr;
  modify(a, mask::kState);
}

void QueuePair::to_reset() {
  QpAttributes a;
  a.state = QpState::kReset;
  modify(a, mask::kState);
}

}  // namespace roci::driver
