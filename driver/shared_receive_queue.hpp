// SPDX-License-Identifier: Apache-2.0
// Shared receive queues (10.2.9): receives that any of several queue pairs takes.
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
};

/// A shared receive queue. Its receives complete in the completion queues of the queue pairs that
/// took them, in any order; a place is free again when the completion was polled. Must outlive the
/// queue pairs that use it.
class SharedReceiveQueue {
 public:
  /// Throws std::invalid_argument when `options` is out of range, Error when the adapter refuses.
  explicit SharedReceiveQueue(ProtectionDomain& pd, const SrqOptions& options = {});
  ~SharedReceiveQueue();
  SharedReceiveQueue(const SharedReceiveQueue&) = delete;
  SharedReceiveQueue& operator=(const SharedReceiveQueue&) = delete;

  std::uint32_t number() const { return number_; }
  unsigned entries() const { return 1u << ring_.log; }
  unsigned sges() const { return sges_; }
  unsigned room() const { return static_cast<unsigned>(free_.size()); }

  /// Posts a list in order until one is refused.
  [[nodiscard]] PostResult post_receive(const ReceiveRequest* requests, std::size_t count);
  /// Posts one and throws std::runtime_error when it is refused.
  void receive(const ReceiveRequest& request);

  /// One event SrqLimit when fewer than `limit` receives are left; 0: none (10.2.9.4).
  void arm_limit(std::uint16_t limit);
  struct State {
    std::uint16_t limit;   ///< 0 once the event was raised
    std::uint32_t filled;  ///< receives posted and not taken
  };
  State query();

 private:
  friend class QueuePair;
  /// Frees the place named `tag` and gives the identifier of its request.
  std::uint64_t retire(std::uint16_t tag);

  Context& context_;
  unsigned sges_;
  Ring ring_;                        ///< ids by tag, entries by order of posting
  std::vector<std::uint16_t> free_;  ///< tags
  std::vector<bool> posted_;         ///< by tag
  std::uint32_t number_ = 0;
};

}  // namespace roci::driver
