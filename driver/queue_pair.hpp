// SPDX-License-Identifier: Apache-2.0
// Queue pairs of reliable connections (10.2.4, 10.3).
#pragma once

#include <cstdint>
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
  bool credits = false;  ///< ACKs tell how many receives are posted (9.7.7.2)
};

/// What connect() needs beside the two ends.
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

/// What a queue pair has counted since it left RESET.
struct QpCounters {
  std::uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;  ///< bytes of payload
  std::uint64_t retries;                                     ///< times that sending went back
  std::uint64_t timeouts;                                    ///< of them those by the timer
  std::uint64_t naks_sent, naks_received;                    ///< RNR NAKs included
};

/// A queue pair. Slots of a queue are free again when the completion of their request, or of a
/// later one of that queue, was polled.
class QueuePair {
 public:
  /// Throws std::invalid_argument when `options` is out of range.
  QueuePair(ProtectionDomain& pd, CompletionQueue& send_cq, CompletionQueue& receive_cq,
            const QpOptions& options = {});
  /// When it returns, nothing of the queue pair happens any more; completions not polled are gone.
  ~QueuePair();
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  std::uint32_t number() const { return number_; }
  /// State as this side asked for it; query() sees what the adapter did by itself.
  QpState state() const { return state_; }

  /// Takes `mask` (bits of `mask`) of `attributes`; rules of 11.2.5.2.
  void modify(const QpAttributes& attributes, std::uint32_t mask);
  QpAttributes query();
  QpCounters counters();

  /// RESET to INIT, RTR and RTS. `psn`: first PSN that this side sends.
  void connect(const Endpoint& peer, std::uint32_t psn, const ConnectOptions& options = {});
  void to_error();
  void to_reset();

  /// Posts a list in order until one is refused.
  [[nodiscard]] PostResult post_send(const SendRequest* requests, std::size_t count);
  [[nodiscard]] PostResult post_receive(const ReceiveRequest* requests, std::size_t count);
  /// What post_send would say of one request.
  PostError check(const SendRequest& request) const;
  /// Posts one and throws std::runtime_error when it is refused.
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
  /// Frees entries up to `index` and gives the identifier of that one.
  std::uint64_t retire(bool receive_queue, std::uint16_t index);
  /// Completes all that is outstanding, as far as it completes in `cq`, when the adapter has gone.
  void flush(const CompletionQueue& cq, std::deque<Completion>& out);

  ProtectionDomain& pd_;
  CompletionQueue& send_cq_;
  CompletionQueue& receive_cq_;
  Context& context_;
  SharedReceiveQueue* srq_;
  unsigned send_sges_, receive_sges_, max_inline_;
  Ring send_, receive_;
  std::uint32_t number_ = 0;
  QpState state_ = QpState::kReset;
};

}  // namespace roci::driver
