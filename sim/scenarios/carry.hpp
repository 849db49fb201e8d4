// SPDX-License-Identifier: Apache-2.0
// Carries bytes from node 0 to node 1 by one operation over some queue pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/context.hpp"
#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "sim/options.hpp"
#include "sim/scenarios/meeting.hpp"

namespace roci::sim {

/// Work request operation of `operation`.
driver::Opcode opcode_of(Operation operation);

/// Parameters of a transfer.
struct CarryPlan {
  Operation operation = Operation::kWrite;
  unsigned queue_pairs = 1;
  std::size_t message_bytes = 65536;  ///< the last message is shorter; no bytes: one empty message
  unsigned depth = 16;                ///< messages outstanding on a queue pair
  std::uint32_t first_psn = 0;        ///< first PSN of every queue pair
  driver::ConnectOptions connect;
};

/// The node of one side of a transfer.
struct CarrySide {
  driver::Context& context;
  driver::Gid gid;
};

/// The whole of one transfer; run source() on node 0 and target() on node 1, each in its thread.
class Carry {
 public:
  using Progress = std::function<void(std::size_t messages_done, std::size_t messages)>;

  Carry(const CarryPlan& plan, const std::vector<std::uint8_t>& bytes, Meeting& meeting,
        Progress progress = {});

  void source(CarrySide side);
  void target(CarrySide side);

  /// The received bytes; valid when both sides returned.
  const std::vector<std::uint8_t>& received() const { return received_; }
  /// From the first post to the last completion of the requester, ns.
  std::uint64_t elapsed_ns() const { return end_ns_ - start_ns_; }
  std::size_t messages() const { return messages_.size(); }
  /// Timeouts of the transport timer, over all queue pairs.
  std::uint64_t timeouts() const { return timeouts_; }

 private:
  struct Message {
    std::size_t offset;
    std::uint32_t bytes;
  };
  struct End;

  /// Posts and completes all messages from the requester's side.
  void request(End& end, const Offer& peer);
  void receive(End& end);
  void check(const driver::Completion& completion) const;

  CarryPlan plan_;
  const std::vector<std::uint8_t>& bytes_;
  Meeting& meeting_;
  Progress progress_;
  std::vector<Message> messages_;
  std::vector<std::uint8_t> received_;
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace roci::sim
