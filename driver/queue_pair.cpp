// SPDX-License-Identifier: Apache-2.0
#include "driver/queue_pair.hpp"

#include <algorithm>
#include <stdexcept>

#include "driver/attributes.hpp"

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
      send_sges_(options.send_sges),
      receive_sges_(options.receive_sges) {
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
      std::min<unsigned>(((1u << send_.stride_log) - 1) * spec::kBlockBytes, limits.max_inline);
  send_.allocate(context_.device());
  if (srq_ == nullptr) receive_.allocate(context_.device());
  try {
    number_ = static_cast<std::uint32_t>(
        context_
            .execute(
                code_of(spec::kAdminOps, "CreateQp"),
                Body()
                    .put(place_of(spec::kCreateQp, "pd"), pd.number())
                    .put(place_of(spec::kCreateQp, "pasid"), context_.device().pasid())
                    .put(place_of(spec::kCreateQp, "send_cqn"), send_cq.number())
                    .put(place_of(spec::kCreateQp, "recv_cqn"), receive_cq.number())
                    .put(place_of(spec::kCreateQp, "sq_base"), send_.memory.dma)
                    .put(place_of(spec::kCreateQp, "rq_base"), receive_.memory.dma)
                    .put(place_of(spec::kCreateQp, "sq_log"), send_.log)
                    .put(place_of(spec::kCreateQp, "sq_stride_log"), send_.stride_log)
                    .put(place_of(spec::kCreateQp, "rq_log"), receive_.log)
                    .put(place_of(spec::kCreateQp, "rq_stride_log"), receive_.stride_log)
                    .put(place_of(spec::kCreateQp, "srq"), srq_ != nullptr)
                    .put(place_of(spec::kCreateQp, "srqn"), srq_ != nullptr ? srq_->number() : 0)
                    .put(place_of(spec::kCreateQp, "credits"), options.credits),
                "create queue pair")
            .get(place_of(spec::kCreateQpReply, "qpn")));
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
    context_.execute(code_of(spec::kAdminOps, "DestroyQp"),
                     Body().put(place_of(spec::kDestroyQp, "qpn"), number_), "destroy queue pair");
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

void QueuePair::free_rings() {
  context_.device().release(send_.memory);
  if (srq_ == nullptr) context_.device().release(receive_.memory);
}

void QueuePair::modify(const QpAttributes& attributes, std::uint32_t mask) {
  context_.execute(code_of(spec::kAdminOps, "ModifyQp"), body_of(number_, attributes, mask),
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

QpAttributes QueuePair::query() {
  return attributes_of(context_.execute(code_of(spec::kAdminOps, "QueryQp"),
                                        Body().put(place_of(spec::kQueryQp, "qpn"), number_),
                                        "query queue pair"));
}

QpCounters QueuePair::counters() {
  const Body reply = context_.execute(code_of(spec::kAdminOps, "QueryCounters"),
                                      Body()
                                          .put(place_of(spec::kQueryCounters, "of_qp"), 1)
                                          .put(place_of(spec::kQueryCounters, "qpn"), number_),
                                      "query queue pair counters");
  return {reply.get(place_of(spec::kQpCountersReply, "tx_packets")),
          reply.get(place_of(spec::kQpCountersReply, "tx_bytes")),
          reply.get(place_of(spec::kQpCountersReply, "rx_packets")),
          reply.get(place_of(spec::kQpCountersReply, "rx_bytes")),
          reply.get(place_of(spec::kQpCountersReply, "retries")),
          reply.get(place_of(spec::kQpCountersReply, "timeouts")),
          reply.get(place_of(spec::kQpCountersReply, "naks_sent")),
          reply.get(place_of(spec::kQpCountersReply, "naks_received"))};
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
  a.state = QpState::kInit;
  modify(a, mask::kInit);
  a.state = QpState::kRtr;
  modify(a, mask::kRtr);
  a.state = QpState::kRts;
  modify(a, mask::kRts);
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
