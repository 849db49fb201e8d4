// SPDX-License-Identifier: Apache-2.0
// A connection: two queue pairs, a flow each way, and generations one after the other.
#pragma once

#include <array>
#include <memory>

#include "driver/completion_queue.hpp"
#include "testbench/verify/soak/flow.hpp"

namespace roci::soak {

class Connection {
 public:
  Connection(RoundContext& context, unsigned index);

  /// The programs of one direction, each in a thread of its own.
  void send(unsigned from);
  void receive(unsigned from);

  unsigned index() const { return index_; }
  bool is_witness() const { return context_.plan.witness && index_ == 0; }
  driver::QueuePair& qp(unsigned node) { return *qps_[node]; }
  driver::CompletionQueue& send_cq(unsigned node) { return *send_cqs_[node]; }
  driver::CompletionQueue& receive_cq(unsigned node) { return *receive_cqs_[node]; }
  Flow& flow(unsigned from) { return *flows_[from]; }

  /// Whether no more work is posted in this generation.
  bool over() const { return over_; }
  void stop();
  /// Whether the receivers have no more work in this generation.
  bool closed() const { return closed_; }
  /// Whether the queue pair of this node was ended, or is in error because of the peer.
  bool dead(unsigned node) const { return dead_[node]; }
  /// Whether its completions were discarded with it.
  bool silent(unsigned node) const { return silent_[node]; }
  void set_dead(unsigned node) { dead_[node] = true; }
  const driver::ConnectOptions& options() const { return options_; }
  Ending ending() const { return ending_; }

  /// Posts on a queue pair, one thread at a time.
  template <typename Post>
  void post(unsigned node, Post post) {
    while (posting_[node]) context_.node(node).sleep(kClock);
    posting_[node] = true;
    post();
    posting_[node] = false;
  }

 private:
  static constexpr std::uint64_t kClock = 4;

  void set_up();
  void kill();
  void take_down();
  /// Waits for the other sender.
  void meet(unsigned from);

  RoundContext& context_;
  unsigned index_;
  std::mt19937_64 random_;
  driver::ConnectOptions options_;
  std::array<std::unique_ptr<driver::CompletionQueue>, 2> send_cqs_, receive_cqs_;
  std::array<std::unique_ptr<driver::QueuePair>, 2> qps_;
  std::array<std::unique_ptr<Flow>, 2> flows_;
  std::array<std::uint32_t, 2> psn_{};  ///< first PSN of the next generation, by sender
  std::array<unsigned, 2> steps_{};
  std::array<bool, 2> dead_{}, silent_{}, posting_{};
  std::array<unsigned, 2> served_{};  ///< generations that the receivers have ended
  unsigned generation_ = 0, generation_messages_ = 0, left_ = 0;
  unsigned trigger_ = 0, killed_ = 0;
  Ending ending_ = Ending::kDone;
  bool over_ = false, closed_ = false, finished_ = false;
};

}  // namespace roci::soak
