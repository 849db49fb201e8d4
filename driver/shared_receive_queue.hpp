// SPDX-License-Identifier: Apache-2.0
// Shared receive queues (10.2.9): receives for several queue pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/memory.hpp"
#include "driver/ring.hpp"

namespace roci::driver {

struct SrqOptions {
  unsigned entries = 64;    ///< receives, 1 to max_srq_wr; rounded up to 2^n
  unsigned sges = 1;        ///< entries of a list, 1 to max_sge
  std::uint16_t limit = 0;  ///< as in arm_limit
  bool resizable = false;   ///< the ring has room for max_srq_wr from the start, see resize()
};

/// A shared receive queue. A receive completes in the completion queue of the queue pair that
/// consumed it, in any order; its entry is free again when the completion was polled. Must outlive
/// the queue pairs that use it.
class SharedReceiveQueue {
 public:
  /// Throws std::invalid_argument when `options` is out of range, Error when the adapter rejects
  /// it.
  explicit SharedReceiveQueue(ProtectionDomain& pd, const SrqOptions& options = {});
  ~SharedReceiveQueue();
  SharedReceiveQueue(const SharedReceiveQueue&) = delete;
  SharedReceiveQueue& operator=(const SharedReceiveQueue&) = delete;

  std::uint32_t number() const { return number_; }
  unsigned entries() const { return entries_; }
  unsigned sges() const { return sges_; }
  unsigned room() const { return entries_ > outstanding_ ? entries_ - outstanding_ : 0; }

  /// Posts a list in order until one request is rejected (11.4.1).
  [[nodiscard]] PostResult post_receive(const ReceiveRequest* requests, std::size_t count);
  /// Posts one request and throws std::runtime_error when it is rejected.
  void receive(const ReceiveRequest& request);

  /// One event SrqLimit when fewer than `limit` receives are left; 0: none (10.2.9.4).
  void arm_limit(std::uint16_t limit);
  /// Changes the number of receives that may be outstanding (11.2.3.3), rounded up to 2^n; the ring
  /// itself stays. Throws std::invalid_argument when it is out of range, less than the limit that
  /// is armed or than the receives that are posted and not consumed.
  void resize(unsigned entries);
  struct State {
    std::uint16_t limit;   ///< 0 once the event was raised
    std::uint32_t filled;  ///< receives posted and not consumed
  };
  State query();

 private:
  friend class QueuePair;
  /// Frees the entry of `tag` and returns the identifier of its request.
  std::uint64_t retire(std::uint16_t tag);

  unsigned ring_entries() const { return 1u << ring_.log; }

  Context& context_;
  unsigned sges_;
  unsigned entries_;                 ///< that may be outstanding
  unsigned outstanding_ = 0;         ///< posted, and completion not polled
  Ring ring_;                        ///< ids by tag, entries by order of posting
  std::vector<std::uint16_t> free_;  ///< tags
  std::vector<bool> posted_;         ///< by tag
  std::uint32_t number_ = 0;
};

}  // namespace roci::driver
