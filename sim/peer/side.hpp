// SPDX-License-Identifier: Apache-2.0
// One side of a run between a node and another implementation.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "driver/completion_queue.hpp"
#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "sim/peer/plan.hpp"
#include "sim/peer/text_connection.hpp"

namespace roci::sim {

class PeerSide {
 public:
  /// Resolves the MAC address of a neighbour; 0: the firmware does.
  using Resolve = std::function<std::uint64_t(const driver::Gid&)>;
  using Progress = std::function<void(unsigned done, unsigned all)>;
  /// RNR NAKs that this side has sent so far.
  using RnrNaks = std::function<std::uint64_t()>;

  PeerSide(driver::Context& context, const driver::Gid& gid, unsigned gid_index,
           const PeerPlan& plan, TextConnection& link, Resolve resolve, Progress progress,
           RnrNaks rnr_naks);

  /// Runs the plan. Throws std::runtime_error at the first deviation.
  void run();

  std::uint64_t timeouts() const { return timeouts_; }
  /// The bytes received on the first queue pair, message after message.
  std::vector<std::uint8_t> received() const;

 private:
  void exchange();
  void request();
  void post(unsigned q, unsigned m);
  void check(const driver::Completion& completion);
  void post_receive(unsigned q, unsigned m);
  void post_receives();
  void receive();
  void verify() const;
  void fill();
  void compare(std::size_t at, unsigned q, unsigned m) const;
  driver::Completion next();
  std::size_t slot(unsigned q, unsigned m) const { return q * plan_.span() + plan_.offset_of(m); }
  std::size_t receive_slot(unsigned q, unsigned m) const {
    return receive_base_ + (q * plan_.messages() + m) * (plan_.largest() + PeerPlan::kGuard);
  }
  std::size_t response_slot(unsigned q, unsigned m) const {
    return receive_base_ + (q * plan_.depth + m % plan_.depth) * PeerPlan::kWord;
  }
  std::size_t bytes() const;

  PeerPlan plan_;
  TextConnection& link_;
  driver::Context& context_;
  driver::Gid gid_;
  unsigned gid_index_;
  Resolve resolve_;
  Progress progress_;
  RnrNaks rnr_naks_;
  std::size_t receive_base_;
  driver::ProtectionDomain domain_;
  driver::CompletionQueue queue_;
  driver::MemoryRegion region_;
  std::vector<std::unique_ptr<driver::QueuePair>> pairs_;
  std::uint64_t peer_address_ = 0;
  std::uint32_t peer_key_ = 0;
  std::vector<unsigned> posted_receives_;
  std::uint64_t timeouts_ = 0;
};

}  // namespace roci::sim
