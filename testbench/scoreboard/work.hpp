// SPDX-License-Identifier: Apache-2.0
// Compares work requests and completions of one node: every request completes once and in order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "driver/observer.hpp"

namespace roci::testbench {

/// Called with the text of a violated invariant.
using Report = std::function<void(const std::string&)>;

/// Sees what the application posts and what the adapter writes into the completion queues, before
/// they are polled. Checks I1, I2, and the parts of I8 and I9 that a completion shows: correct
/// operation and length, and no success after an error on a queue.
class WorkMonitor : public driver::Observer {
 public:
  WorkMonitor(std::string node, Report report)
      : node_(std::move(node)), report_(std::move(report)) {}

  // driver::Observer
  void cq_created(std::uint32_t cqn, std::uint64_t dma, unsigned log) override;
  void cq_resizing(std::uint32_t cqn, std::uint64_t dma, unsigned log) override;
  void cq_resized(std::uint32_t cqn, std::uint64_t dma, bool taken) override;
  void cq_destroyed(std::uint32_t cqn) override;
  void qp_created(std::uint32_t qpn, std::optional<std::uint32_t> srqn) override;
  void qp_destroyed(std::uint32_t qpn) override;
  void qp_modified(std::uint32_t qpn, const driver::QpAttributes& attributes,
                   std::uint32_t mask) override;
  void send_posted(std::uint32_t qpn, std::uint16_t index,
                   const driver::SendRequest& request) override;
  void receive_posted(std::uint32_t qpn, std::uint16_t index,
                      const driver::ReceiveRequest& request) override;
  void srq_destroyed(std::uint32_t srqn) override;
  void srq_posted(std::uint32_t srqn, std::uint16_t tag,
                  const driver::ReceiveRequest& request) override;

  /// A small write of the adapter into host memory at simulated time `now_ns`.
  void memory_written(std::uint64_t now_ns, std::uint64_t address, const std::uint8_t* host,
                      unsigned bytes);

  /// State of a queue pair.
  struct Connection {
    driver::QpAttributes attributes;
    unsigned generation = 0;        ///< generation, for connections of the same number; 0: none yet
    std::uint64_t progress_ns = 0;  ///< last sign of progress of its sends
    bool waiting() const { return !sends.empty(); }

    struct Posted {
      std::uint16_t index;
      bool signaled;
      driver::Opcode opcode;
      std::uint64_t bytes;
    };
    std::deque<Posted> sends, receives;
    std::optional<std::uint32_t> srqn;  ///< shared receive queue in place of a receive queue
    bool send_failed = false, receive_failed = false;
    unsigned resumed = 0;  ///< times that this generation went from SQE to RTS
  };
  const Connection* find(std::uint32_t qpn) const;
  /// Notes that a packet for the queue pair arrived.
  void progress(std::uint32_t qpn, std::uint64_t now_ns);

  /// Checks I11: reports a queue pair whose sends have shown no sign of progress for longer than
  /// its retries can take. `slack_ns`: both ways on link and bus; `rnr_ns`: longest RNR wait that a
  /// peer requests.
  void check_progress(std::uint64_t now_ns, std::uint64_t slack_ns, std::uint64_t rnr_ns);

  /// Number of sends that did not complete before their queue pair was reset or destroyed.
  std::uint64_t abandoned() const { return abandoned_; }
  std::uint64_t completions() const { return completions_; }
  /// Longest RNR time (ns) of a queue pair of this node, for which peers wait.
  std::uint64_t rnr_ns() const;
  void set_time(std::uint64_t now_ns) { now_ns_ = now_ns; }

 private:
  struct Ring {
    std::uint32_t cqn;
    unsigned log;
    bool moving = false;  ///< the queue moves to this ring: older entries are copied into it
  };
  void completion(const Ring& ring, std::uint64_t offset, const std::uint8_t* cqe, unsigned bytes);
  /// Returns the bytes of the completed receive, if it is outstanding.
  std::optional<Connection::Posted> take(Connection& c, bool receive, std::uint16_t index,
                                         const std::string& what);
  void violate(const std::string& text) { report_(node_ + ": " + text); }

  std::string node_;
  Report report_;
  std::map<std::uint64_t, Ring> rings_;  ///< by address
  std::map<std::uint32_t, std::uint32_t>
      next_;  ///< by CQ: free-running index of the entry expected next
  std::unordered_map<std::uint32_t, Connection> connections_;
  /// Receives posted to shared queues, by queue and tag.
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint16_t, std::uint64_t>> shared_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t abandoned_ = 0, completions_ = 0;
  unsigned generations_ = 0;  ///< connections made
};

}  // namespace roci::testbench
