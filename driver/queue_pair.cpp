#include "driver/queue_pair.hpp"

#include <algorithm>
#include <stdexcept>

namespace roci::driver {
namespace {

constexpr std::uint32_t kDoorbellStride = 16;
constexpr std::uint32_t kSqOffset = 0;
constexpr std::uint32_t kRqOffset = 4;
constexpr std::uint64_t kAtomicBytes = 8;

/// log2 of the blocks that an entry needs: the first SGE lies in block 0, four more in each of
/// the others, and inline data in the others too.
unsigned stride_log(unsigned sges, unsigned inline_bytes) {
  const unsigned by_list = 1 + (sges > 1 ? (sges + 2) / 4 : 0);
  const unsigned by_inline = 1 + (inline_bytes + spec::kBlockBytes - 1) / spec::kBlockBytes;
  const unsigned blocks = std::max(by_list, by_inline);
  return blocks == 1 ? 0 : blocks == 2 ? 1 : 2;
}

unsigned entries_log(unsigned entries) {
  unsigned log = 1;
  while (1u << log < entries) ++log;
  return log;
}

void require(bool holds, const char* text) {
  if (!holds) throw std::invalid_argument(text);
}

/// Writes the list: entry 0 into block 0, the others from block 1 on.
void put_list(std::uint8_t* wqe, const std::vector<Sge>& sges) {
  for (std::size_t i = 0; i < sges.size(); ++i) {
    constexpr unsigned kFirst = spec::place_of(spec::kWqe, "sge0_addr").offset / 8;
    std::uint8_t* at = i == 0 ? wqe + kFirst : wqe + spec::kBlockBytes + spec::kSgeBytes * (i - 1);
    put(at, spec::place_of(spec::kSge, "addr"), sges[i].address);
    put(at, spec::place_of(spec::kSge, "length"), sges[i].length);
    put(at, spec::place_of(spec::kSge, "lkey"), sges[i].key);
  }
}

std::uint64_t list_bytes(const std::vector<Sge>& sges) {
  std::uint64_t sum = 0;
  for (const Sge& sge : sges) sum += sge.length;
  return sum;
}

Body body_of(std::uint32_t qpn, const QpAttributes& a, std::uint32_t mask) {
  std::uint64_t gid_hi = 0;
  std::uint64_t gid_lo = 0;
  for (unsigned i = 0; i < 8; ++i) {
    gid_hi = gid_hi << 8 | a.dgid[i];
    gid_lo = gid_lo << 8 | a.dgid[8 + i];
  }
  return Body()
      .put(place_of(spec::kQpAttributes, "qpn"), qpn)
      .put(place_of(spec::kQpAttributes, "attr_mask"), mask)
      .put(place_of(spec::kQpAttributes, "state"), static_cast<std::uint64_t>(a.state))
      .put(place_of(spec::kQpAttributes, "cur_state"), static_cast<std::uint64_t>(a.cur_state))
      .put(place_of(spec::kQpAttributes, "path_mtu"), a.path_mtu)
      .put(place_of(spec::kQpAttributes, "access"), a.access)
      .put(place_of(spec::kQpAttributes, "pkey_index"), a.pkey_index)
      .put(place_of(spec::kQpAttributes, "port"), a.port)
      .put(place_of(spec::kQpAttributes, "timeout"), a.timeout)
      .put(place_of(spec::kQpAttributes, "retry_cnt"), a.retry_cnt)
      .put(place_of(spec::kQpAttributes, "rnr_retry"), a.rnr_retry)
      .put(place_of(spec::kQpAttributes, "min_rnr_timer"), a.min_rnr_timer)
      .put(place_of(spec::kQpAttributes, "max_rd_atomic"), a.max_rd_atomic)
      .put(place_of(spec::kQpAttributes, "max_dest_rd_atomic"), a.max_dest_rd_atomic)
      .put(place_of(spec::kQpAttributes, "sgid_index"), a.sgid_index)
      .put(place_of(spec::kQpAttributes, "hop_limit"), a.hop_limit)
      .put(place_of(spec::kQpAttributes, "traffic_class"), a.traffic_class)
      .put(place_of(spec::kQpAttributes, "dest_qpn"), a.dest_qpn)
      .put(place_of(spec::kQpAttributes, "sq_psn"), a.sq_psn)
      .put(place_of(spec::kQpAttributes, "rq_psn"), a.rq_psn)
      .put(place_of(spec::kQpAttributes, "flow_label"), a.flow_label)
      .put(place_of(spec::kQpAttributes, "dgid_hi"), gid_hi)
      .put(place_of(spec::kQpAttributes, "dgid_lo"), gid_lo)
      .put(place_of(spec::kQpAttributes, "dst_mac"), a.dst_mac)
      .put(place_of(spec::kQpAttributes, "sl"), a.sl);
}

QpAttributes attributes_of(const Body& body) {
  const auto byte = [&](spec::Place place) { return static_cast<std::uint8_t>(body.get(place)); };
  const auto word = [&](spec::Place place) { return static_cast<std::uint32_t>(body.get(place)); };
  QpAttributes a;
  a.state = static_cast<QpState>(byte(place_of(spec::kQpAttributes, "state")));
  a.cur_state = a.state;
  a.path_mtu = byte(place_of(spec::kQpAttributes, "path_mtu"));
  a.access = byte(place_of(spec::kQpAttributes, "access"));
  a.pkey_index = static_cast<std::uint16_t>(body.get(place_of(spec::kQpAttributes, "pkey_index")));
  a.port = byte(place_of(spec::kQpAttributes, "port"));
  a.timeout = byte(place_of(spec::kQpAttributes, "timeout"));
  a.retry_cnt = byte(place_of(spec::kQpAttributes, "retry_cnt"));
  a.rnr_retry = byte(place_of(spec::kQpAttributes, "rnr_retry"));
  a.min_rnr_timer = byte(place_of(spec::kQpAttributes, "min_rnr_timer"));
  a.max_rd_atomic = byte(place_of(spec::kQpAttributes, "max_rd_atomic"));
  a.max_dest_rd_atomic = byte(place_of(spec::kQpAttributes, "max_dest_rd_atomic"));
  a.sgid_index = byte(place_of(spec::kQpAttributes, "sgid_index"));
  a.hop_limit = byte(place_of(spec::kQpAttributes, "hop_limit"));
  a.traffic_class = byte(place_of(spec::kQpAttributes, "traffic_class"));
  a.sl = byte(place_of(spec::kQpAttributes, "sl"));
  a.dest_qpn = word(place_of(spec::kQpAttributes, "dest_qpn"));
  a.sq_psn = word(place_of(spec::kQpAttributes, "sq_psn"));
  a.rq_psn = word(place_of(spec::kQpAttributes, "rq_psn"));
  a.flow_label = word(place_of(spec::kQpAttributes, "flow_label"));
  a.dst_mac = body.get(place_of(spec::kQpAttributes, "dst_mac"));
  const std::uint64_t gid_hi = body.get(place_of(spec::kQpAttributes, "dgid_hi"));
  const std::uint64_t gid_lo = body.get(place_of(spec::kQpAttributes, "dgid_lo"));
  for (unsigned i = 0; i < 8; ++i) {
    a.dgid[i] = static_cast<std::uint8_t>(gid_hi >> (56 - 8 * i));
    a.dgid[8 + i] = static_cast<std::uint8_t>(gid_lo >> (56 - 8 * i));
  }
  return a;
}

const char* text_of(PostError error) {
  switch (error) {
    case PostError::kNone:
      return "posted";
    case PostError::kState:
      return "post: not allowed in this state of the queue pair";
    case PostError::kQueueFull:
      return "post: queue full";
    case PostError::kSges:
      return "post: too many scatter/gather entries";
    case PostError::kInline:
      return "post: inline data not possible";
    case PostError::kOpcode:
      return "post: unknown operation";
    case PostError::kLength:
      return "post: message longer than 2^31 bytes";
    case PostError::kAtomic:
      return "post: an atomic moves 8 bytes";
  }
  return "?";
}

}  // namespace

QueuePair::QueuePair(ProtectionDomain& pd, CompletionQueue& send_cq, CompletionQueue& receive_cq,
                     const QpOptions& options)
    : pd_(pd),
      send_cq_(send_cq),
      receive_cq_(receive_cq),
      context_(pd.context()),
      send_sges_(options.send_sges),
      receive_sges_(options.receive_sges) {
  const DeviceLimits& limits = context_.limits();
  require(options.send_entries >= 1 && options.send_entries <= limits.max_qp_wr &&
              options.receive_entries >= 1 && options.receive_entries <= limits.max_qp_wr,
          "queue pair: entries of a queue out of range");
  require(options.send_sges >= 1 && options.send_sges <= limits.max_sge &&
              options.receive_sges >= 1 && options.receive_sges <= limits.max_sge,
          "queue pair: scatter/gather entries out of range");
  require(options.max_inline <= limits.max_inline, "queue pair: too much inline data");

  send_.log = entries_log(options.send_entries);
  send_.stride_log = stride_log(options.send_sges, options.max_inline);
  receive_.log = entries_log(options.receive_entries);
  receive_.stride_log = stride_log(options.receive_sges, 0);
  max_inline_ =
      std::min<unsigned>(((1u << send_.stride_log) - 1) * spec::kBlockBytes, limits.max_inline);
  for (Ring* ring : {&send_, &receive_}) {
    const std::size_t blocks = std::size_t{1} << (ring->log + ring->stride_log);
    ring->memory = context_.device().allocate(blocks * spec::kBlockBytes, 4096);
    ring->ids.resize(std::size_t{1} << ring->log);
  }
  try {
    number_ = static_cast<std::uint32_t>(
        context_
            .execute(code_of(spec::kAdminOps, "CreateQp"),
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
                         .put(place_of(spec::kCreateQp, "rq_stride_log"), receive_.stride_log),
                     "create queue pair")
            .get(place_of(spec::kCreateQpReply, "qpn")));
  } catch (...) {
    context_.device().release(send_.memory);
    context_.device().release(receive_.memory);
    throw;
  }
  context_.queue_pairs_[number_] = this;
  context_.observer().qp_created(number_);
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
  if (gone) {
    context_.device().release(send_.memory);
    context_.device().release(receive_.memory);
  }
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

PostError QueuePair::check(const SendRequest& request) const {
  if (state_ != QpState::kRts && state_ != QpState::kSqd && state_ != QpState::kErr) {
    return PostError::kState;
  }
  if (send_.room() == 0) return PostError::kQueueFull;
  if (request.sges.size() > send_sges_) return PostError::kSges;
  const std::uint64_t bytes = list_bytes(request.sges);
  switch (request.opcode) {
    case Opcode::kSend:
    case Opcode::kSendImm:
    case Opcode::kWrite:
    case Opcode::kWriteImm:
      if (request.inline_data != nullptr &&
          (request.inline_bytes > max_inline_ || !request.sges.empty())) {
        return PostError::kInline;
      }
      break;
    case Opcode::kRead:
      if (request.inline_data != nullptr) return PostError::kInline;
      break;
    case Opcode::kCmpSwap:
    case Opcode::kFetchAdd:
      if (request.inline_data != nullptr) return PostError::kInline;
      if (bytes != kAtomicBytes) return PostError::kAtomic;
      break;
    default:
      return PostError::kOpcode;
  }
  return bytes > spec::kMaxMessage ? PostError::kLength : PostError::kNone;
}

void QueuePair::write(const SendRequest& request) {
  const bool inlined = request.inline_data != nullptr && request.inline_bytes != 0;
  std::uint8_t* wqe = send_.entry(send_.head);
  std::memset(wqe, 0, spec::kBlockBytes);
  put(wqe, spec::place_of(spec::kWqe, "opcode"), static_cast<std::uint64_t>(request.opcode));
  put(wqe, spec::place_of(spec::kWqe, "signaled"), request.signaled);
  put(wqe, spec::place_of(spec::kWqe, "solicited"), request.solicited);
  put(wqe, spec::place_of(spec::kWqe, "fence"), request.fence);
  put(wqe, spec::place_of(spec::kWqe, "inline_data"), inlined);
  put(wqe, spec::place_of(spec::kWqe, "num_sge"), request.sges.size());
  put(wqe, spec::place_of(spec::kWqe, "imm"), request.imm);
  put(wqe, spec::place_of(spec::kWqe, "length"),
      inlined ? request.inline_bytes : list_bytes(request.sges));
  put(wqe, spec::place_of(spec::kWqe, "rkey"), request.remote_key);
  put(wqe, spec::place_of(spec::kWqe, "remote_addr"), request.remote_address);
  put(wqe, spec::place_of(spec::kWqe, "swap_add"), request.swap_add);
  put(wqe, spec::place_of(spec::kWqe, "compare"), request.compare);
  if (inlined) {
    std::memcpy(wqe + spec::kBlockBytes, request.inline_data, request.inline_bytes);
  } else {
    put_list(wqe, request.sges);
  }
}

PostResult QueuePair::post_send(const SendRequest* requests, std::size_t count) {
  PostResult result;
  while (result.posted < count) {
    const SendRequest& request = requests[result.posted];
    result.error = check(request);
    if (result.error != PostError::kNone) break;
    write(request);
    send_.ids[send_.head & (send_.ids.size() - 1)] = request.id;
    context_.observer().send_posted(number_, send_.head, request);
    ++send_.head;
    ++result.posted;
  }
  if (result.posted != 0) ring_doorbell(kSqOffset, send_.head);
  return result;
}

PostResult QueuePair::post_receive(const ReceiveRequest* requests, std::size_t count) {
  PostResult result;
  while (result.posted < count) {
    const ReceiveRequest& request = requests[result.posted];
    if (state_ == QpState::kReset) {
      result.error = PostError::kState;
    } else if (receive_.room() == 0) {
      result.error = PostError::kQueueFull;
    } else if (request.sges.size() > receive_sges_) {
      result.error = PostError::kSges;
    } else if (list_bytes(request.sges) > spec::kMaxMessage) {
      result.error = PostError::kLength;
    }
    if (result.error != PostError::kNone) break;
    std::uint8_t* wqe = receive_.entry(receive_.head);
    std::memset(wqe, 0, spec::kBlockBytes);
    put(wqe, spec::place_of(spec::kWqe, "num_sge"), request.sges.size());
    put(wqe, spec::place_of(spec::kWqe, "length"), list_bytes(request.sges));
    put_list(wqe, request.sges);
    receive_.ids[receive_.head & (receive_.ids.size() - 1)] = request.id;
    context_.observer().receive_posted(number_, receive_.head, request);
    ++receive_.head;
    ++result.posted;
  }
  if (result.posted != 0) ring_doorbell(kRqOffset, receive_.head);
  return result;
}

void QueuePair::send(const SendRequest& request) {
  const PostResult result = post_send(&request, 1);
  if (!result) throw std::runtime_error(text_of(result.error));
}

void QueuePair::receive(const ReceiveRequest& request) {
  const PostResult result = post_receive(&request, 1);
  if (!result) throw std::runtime_error(text_of(result.error));
}

void QueuePair::ring_doorbell(std::uint32_t offset, std::uint16_t head) {
  entries_before_doorbell();
  context_.device().write32(window_offset("QpDoorbell") + kDoorbellStride * number_ + offset, head);
}

std::uint64_t QueuePair::retire(bool receive_queue, std::uint16_t index) {
  Ring& ring = receive_queue ? receive_ : send_;
  const auto distance = static_cast<std::uint16_t>(index - ring.tail);
  if (distance >= ring.used()) {
    throw Error(AdminStatus::kHardwareError, 0,
                "queue pair " + std::to_string(number_) + " completed request " +
                    std::to_string(index) + (receive_queue ? " of its receive" : " of its send") +
                    " queue, which is not outstanding");
  }
  ring.tail = static_cast<std::uint16_t>(index + 1);
  return ring.ids[index & (ring.ids.size() - 1)];
}

}  // namespace roci::driver
