// SPDX-License-Identifier: Apache-2.0
// Checks that every frame that an adapter sends is legal, alone and in its sequence (I12).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/link/frame.hpp"
#include "testbench/scoreboard/work.hpp"

namespace roci::testbench {

/// Watches both directions of a link between two nodes. For each queue pair: PSNs of requests
/// count up, opcodes follow one another, a repeated PSN carries the bytes it carried before, sizes
/// suit the path MTU, no more READs and atomics are outstanding than allowed, responses have a
/// request, and no gap is NAKed twice.
class EgressMonitor : public FrameTap {
 public:
  /// Checks a payload against what its sender may disclose (I7): false is a violation.
  using PayloadCheck = std::function<bool(const FrameEvent&)>;

  EgressMonitor(WorkMonitor& node0, WorkMonitor& node1, Report report)
      : work_{&node0, &node1}, report_(std::move(report)) {}

  void frame(const FrameEvent& event) override;
  void set_payload_check(PayloadCheck check) { payload_check_ = std::move(check); }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t repeated() const { return repeated_; }  ///< requests sent more than once

 private:
  /// The packet sent under a PSN.
  struct Sent {
    std::uint32_t psn = ~std::uint32_t{0};
    std::uint8_t opcode = 0;
    std::uint32_t bytes = 0;  ///< payload, or DMALen of a READ
    std::size_t hash = 0;     ///< hash of the payload
    bool poisoned = false;    ///< its payload could not be read
  };
  struct Outstanding {
    std::uint32_t first, last;  ///< PSNs
    bool atomic;
  };
  /// Requests of one queue pair, identified by the sending node and the number at the receiver.
  struct Requests {
    unsigned generation = 0;
    bool known = false;
    std::uint32_t next = 0;
    unsigned open = 0;          ///< 0 between messages, 1 in a SEND, 2 in a WRITE
    unsigned resumed = 0;       ///< as that of the sender's queue pair
    std::uint64_t to_come = 0;  ///< bytes left of an open WRITE
    std::vector<Sent> sent;     ///< newest packets, by PSN
    std::vector<Outstanding> reads;
    std::vector<Outstanding> old_reads;  ///< complete READs; a duplicate may request them again
  };
  /// Datagrams of one queue pair, identified by its node and number: they may go to anybody.
  struct Datagrams {
    unsigned generation = 0, resumed = 0;
    std::uint32_t next = 0;
  };
  /// Responses of one queue pair, identified likewise.
  struct Responses {
    unsigned generation = 0;
    std::optional<std::uint32_t> nak;  ///< PSN of the last sequence NAK with nothing after it
    std::vector<bool> inside;          ///< by PSN: the next packet of this READ response follows
  };
  using Key = std::pair<unsigned, std::uint32_t>;

  void datagram(const FrameEvent& event);
  void request(const FrameEvent& event, Requests& r, const WorkMonitor::Connection& receiver);
  void fresh(const FrameEvent& event, Requests& r, const WorkMonitor::Connection& receiver);
  void again(const FrameEvent& event, Requests& r, std::uint32_t pmtu);
  void response(const FrameEvent& event, Responses& a, const WorkMonitor::Connection& receiver);
  void violate(const FrameEvent& event, const std::string& text);

  WorkMonitor* work_[2];
  Report report_;
  PayloadCheck payload_check_;
  std::map<Key, Requests> requests_;
  std::map<Key, Responses> responses_;
  std::map<Key, Datagrams> datagrams_;
  std::uint64_t frames_ = 0, repeated_ = 0;
};

}  // namespace roci::testbench
