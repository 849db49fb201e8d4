// SPDX-License-Identifier: Apache-2.0
// Assigns the packets on the link to the messages of the programs. From that follow the coverage,
// the faults of a connection, and I7: a payload on the link is a part of the message that has its
// PSN.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/transport/psn.hpp"
#include "testbench/link/frame.hpp"
#include "testbench/verify/soak/coverage.hpp"

namespace roci::soak {

/// One direction of a connection in one generation, as seen on the link.
struct FlowTrace {
  unsigned connection, from;                   ///< connection; node that sends the requests
  std::uint32_t requester = 0, responder = 0;  ///< numbers of the queue pairs
  transport::Psn first;
  std::uint32_t pmtu = 256;

  /// A message by its PSNs.
  struct Entry {
    std::uint32_t at = 0;  ///< first PSN, counted from `first`
    std::uint32_t packets = 1;
    Kind kind{};
    std::uint32_t bytes = 0;
    std::uint64_t key = 0, offset = 0;  ///< pattern of the payload, or of the READ's response
    std::uint64_t hits = 0;             ///< hits of its trace when it was posted
    std::uint64_t posted_ns = 0;
    bool known = true;  ///< the pattern holds until the message is done
  };
  std::vector<Entry> entries;
  std::uint32_t next = 0;     ///< first PSN of the next message, counted from `first`
  std::uint32_t highest = 0;  ///< PSNs seen on the link
  std::uint32_t done = 0;     ///< entries whose completion was taken
  /// Faults since the oldest open message was posted.
  std::uint64_t hits_of_oldest() const {
    return done < entries.size() ? hits - entries[done].hits : 0;
  }
  /// Time at which that message was posted; kNever: none is open.
  std::uint64_t oldest_ns() const {
    return done < entries.size() ? entries[done].posted_ns : testbench::kNever;
  }
  Phase phase = Phase::kFirst;
  Phase cause = Phase::kAfterTimer;  ///< cause of the next retransmission
  std::uint64_t hits = 0;            ///< faults that may cost a retry
};

class LinkLedger final : public testbench::FrameTap {
 public:
  using Report = std::function<void(const std::string&)>;
  explicit LinkLedger(Report report) : report_(std::move(report)) {}

  /// Begins a generation; the former one of the same direction ends.
  FlowTrace& open(const FlowTrace& trace);
  FlowTrace& trace(unsigned connection, unsigned from) { return traces_.at({connection, from}); }
  /// Notes a message that is about to be posted.
  void posted(FlowTrace& trace, FlowTrace::Entry entry);

  void frame(const testbench::FrameEvent& event) override;
  /// Notes an event of a program.
  void note(unsigned connection, std::uint64_t now_ns, const std::string& text);

  const Coverage& coverage() const { return coverage_; }
  std::uint64_t payloads() const { return payloads_; }  ///< payloads found correct (I7)
  /// Last events of a connection, oldest first.
  std::string events(unsigned connection) const;
  /// Returns the connection that a text with a queue pair or PSN refers to; -1: none.
  int connection_of(const std::string& text) const;

 private:
  void response(const testbench::FrameEvent& event, FlowTrace& trace, std::uint32_t at);
  void check(const testbench::FrameEvent& event, const FlowTrace& trace, std::uint32_t at,
             bool response);
  const FlowTrace::Entry* entry_at(const FlowTrace& trace, std::uint32_t at) const;
  void count(const testbench::FrameEvent& event, FlowTrace& trace, std::uint32_t at,
             Position position);

  Report report_;
  std::map<std::pair<unsigned, unsigned>, FlowTrace> traces_;
  /// By node that sends the packet, its destination, and whether it is a response.
  std::map<std::tuple<unsigned, std::uint32_t, bool>, FlowTrace*> packets_;
  struct Event {
    std::uint64_t time_ns;
    unsigned node;
    packet::Bytes frame;  ///< empty: the event is a text
    std::string text;
  };
  void keep(unsigned connection, Event event);
  std::map<unsigned, std::deque<Event>> events_;
  Coverage coverage_;
  std::uint64_t payloads_ = 0;
};

}  // namespace roci::soak
