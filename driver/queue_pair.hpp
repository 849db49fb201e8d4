// SPDX-License-Identifier: Apache-2.0
// Queue pairs (10.2.4, 10.3).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "driver/completion_queue.hpp"
#include "driver/memory.hpp"
#include "driver/ring.hpp"
#include "driver/shared_receive_queue.hpp"

namespace roci::driver {

struct QpOptions {
  unsigned send_entries = 64;     ///< work requests, 1 to max_qp_wr; rounded up to 2^n
  unsigned receive_entries = 64;  ///< likewise
  unsigned send_sges = 1;         ///< entries of a list, 1 to max_sge (13)
  unsigned receive_sges = 1;      ///< likewise
  unsigned max_inline = 64;       ///< bytes of inline data, 0 to the device's max_inline (192)
  /// Where receives come from instead of a queue of this pair's own; receive_* are not used then.
  SharedReceiveQueue* srq = nullptr;
  Service service = Service::kRc;  ///< one that the adapter has, see DeviceLimits
  bool credits = false;            ///< ACKs carry the number of posted receives (9.7.7.2)
  /// Operations on the link that the service does not have, and atomics of other than 8 bytes, are
  /// posted and complete in error (LocQpOpErr, LocLenErr), as with kernel drivers, instead of being
  /// rejected.
  bool lenient = false;
  /// A work request that is posted alone and takes one or two blocks of the queue, so with up to 64
  /// bytes of inline data, goes to the adapter with its doorbell, which then does not read it from
  /// memory: a round trip less, for 16 or 32 more words written. Without effect where the adapter
  /// (DeviceLimits, Option::kPosts) or the device cannot.
  bool posts = false;
};

/// Arguments of connect() beside the two end points, with the ranges of QpAttributes.
struct ConnectOptions {
  std::uint32_t access = access::kAll;
  std::uint8_t path_mtu = 3;
  std::uint8_t timeout = 14;
  std::uint8_t retry_cnt = 7;
  std::uint8_t rnr_retry = 7;
  std::uint8_t min_rnr_timer = 12;
  std::uint8_t max_rd_atomic = 16;
  std::uint8_t max_dest_rd_atomic = 16;
  std::uint8_t sgid_index = 0;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;
  std::uint8_t sl = 0;
  std::uint32_t flow_label = 0;
  std::uint64_t dst_mac = 0;  ///< 0: resolved
};

/// Counters of a queue pair since it left RESET.
struct QpCounters {
  std::uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;  ///< bytes of payload
  std::uint64_t retries;                   ///< returns of the requester to an earlier PSN
  std::uint64_t timeouts;                  ///< retries that the transport timer started
  std::uint64_t naks_sent, naks_received;  ///< RNR NAKs included
};

/// What the adapter says of any of its queue pairs.
QpAttributes query_queue_pair(Context& context, std::uint32_t number);
QpCounters query_counters(Context& context, std::uint32_t number);

/// A queue pair. An entry of a queue is free again when the completion of its request, or of a
/// later request of that queue, was polled.
class QueuePair {
 public:
  /// Throws std::invalid_argument when `options` is out of range.
  QueuePair(ProtectionDomain& pd, CompletionQueue& send_cq, CompletionQueue& receive_cq,
            const QpOptions& options = {});
  /// Destroys the queue pair (11.2.5.4): when it returns, the adapter sends no packet and writes no
  /// completion of it, and the completions that were not polled are dropped.
  ~QueuePair();
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  std::uint32_t number() const { return number_; }
  /// State last requested by modify(); query() returns the state that the adapter is in.
  QpState state() const { return state_; }
  Service service() const { return service_; }

  /// Sets those of `attributes` that `mask` (bits of `mask`) names, by the rules of 11.2.5.2.
  /// Throws Error with kBadState or kBadParameter, and nothing has changed.
  void modify(const QpAttributes& attributes, std::uint32_t mask);
  QpAttributes query();
  QpCounters counters();

  /// RESET to INIT, RTR and RTS, RC and UC. `psn`: first PSN that this side sends.
  void connect(const Endpoint& peer, std::uint32_t psn, const ConnectOptions& options = {});
  /// The same for UD.
  void open(std::uint32_t qkey, std::uint32_t psn = 0, std::uint16_t pkey_index = 0);
  void to_error();
  void to_reset();

  /// Attaches a UD queue pair to a multicast group (10.5); again: nothing changes. Throws Error
  /// with kUnsupported where the adapter has no multicast. An attached queue pair is not destroyed.
  void attach(const Gid& group);
  /// Throws Error with kBadHandle when the queue pair is not attached to the group.
  void detach(const Gid& group);
  bool attached() const { return !attachments_.empty(); }

  /// Posts a list in order until one request is rejected (11.4.1).
  [[nodiscard]] PostResult post_send(const SendRequest* requests, std::size_t count);
  [[nodiscard]] PostResult post_receive(const ReceiveRequest* requests, std::size_t count);
  /// The error that post_send would return for one request.
  PostError check(const SendRequest& request) const;
  /// Posts one request and throws std::runtime_error when it is rejected.
  void send(const SendRequest& request);
  void receive(const ReceiveRequest& request);

  unsigned send_entries() const { return 1u << send_.log; }
  unsigned receive_entries() const { return srq_ != nullptr ? 0 : 1u << receive_.log; }
  unsigned send_room() const { return send_.room(); }
  unsigned receive_room() const { return srq_ != nullptr ? 0 : receive_.room(); }
  unsigned max_inline() const { return max_inline_; }
  /// Ring of the send queue, which the adapter reads and a program can write at any time.
  const DmaMemory& send_memory() const { return send_.memory; }

 private:
  friend class CompletionQueue;

  void free_rings();
  void write(const SendRequest& request);
  void ring_doorbell(std::uint32_t address, std::uint16_t head);
  void write_post(std::uint16_t index);
  /// Frees entries up to `index` and returns the identifier of the request at `index`.
  std::uint64_t retire(bool receive_queue, std::uint16_t index);
  /// Completes the outstanding requests whose completions go to `cq`, when the adapter is gone.
  void flush(const CompletionQueue& cq, std::deque<Completion>& out);

  ProtectionDomain& pd_;
  CompletionQueue& send_cq_;
  CompletionQueue& receive_cq_;
  Context& context_;
  SharedReceiveQueue* srq_;
  Service service_;
  unsigned send_sges_, receive_sges_, max_inline_;
  bool lenient_, posts_;
  Ring send_, receive_;
  std::uint32_t number_ = 0;
  QpState state_ = QpState::kReset;
  std::map<Gid, std::uint32_t> attachments_;  ///< by group
};

}  // namespace roci::driver
