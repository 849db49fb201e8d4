// SPDX-License-Identifier: Apache-2.0
// Judges two adapters from a place in the path between them, where it is known what each sent and
// what reached the other.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbench/verify/judge/judge.hpp"
#include "testbench/verify/judge/path_stream.hpp"

namespace roci::judge {

struct PathFinding {
  unsigned end;       ///< who broke the statement, 0 or 1
  std::size_t frame;  ///< number among the frames sent, from 1; the newest one for what is missing
  std::uint64_t time_ns;
  std::string statement;
  std::string text;
  std::string packet;  ///< one line; empty: it is about what is missing
};

class PathJudge {
 public:
  explicit PathJudge(const PathRules& rules)
      : rules_(rules), judge_(false, rules.cnp_interval_ns) {}

  /// `end` sent a frame; before any fault.
  void sent(unsigned end, std::uint64_t now_ns, const packet::Bytes& frame);
  /// A frame of the other end, or what a fault made of it, reaches `end`.
  void reached(unsigned end, std::uint64_t now_ns, const packet::Bytes& frame);
  /// Judges what is due; to be called from time to time.
  void look(std::uint64_t now_ns);
  /// Nothing follows.
  void finish(std::uint64_t now_ns);

  /// In the order in which they were found.
  const std::vector<PathFinding>& findings() const { return findings_; }
  const std::vector<Note>& notes() const { return notes_; }
  /// About the frames that were sent, as about a capture; its findings and notes are among those
  /// here.
  const Report& report() const { return judge_.report(); }

  struct Counts {
    std::uint64_t requests = 0, retransmitted = 0, responses = 0, sequence_naks = 0, rnr_naks = 0;
    std::uint64_t cnps = 0;
    std::uint64_t marked = 0;  ///< frames with congestion experienced that reached it
  };
  const Counts& counts(unsigned end) const { return counts_[end]; }

 private:
  using Flow = Judge::Flow;
  class Found;
  /// The connection of a packet of RC. An empty one: it is not known yet whose response it is.
  std::optional<Flow> flow_of(const packet::Parsed& packet) const;
  PathStream& stream_of(const Flow& flow, unsigned requester);
  void take_findings(unsigned end, std::uint64_t now_ns);
  void judge_cnp(unsigned end, std::uint64_t now_ns, const packet::Parsed& packet);
  void count(unsigned end, const packet::Parsed& packet);

  PathRules rules_;
  Judge judge_;
  std::size_t taken_ = 0, noted_ = 0;  ///< findings and notes of judge_ so far
  struct Stream {
    PathStream stream;
    unsigned requester;  ///< end
  };
  std::map<Flow, Stream> streams_;
  /// Frames with congestion experienced that reached a receiver, by their addresses.
  std::map<std::pair<packet::Gid, packet::Gid>, std::uint64_t> marked_;
  std::array<Counts, 2> counts_{};
  std::vector<PathFinding> findings_;
  std::vector<Note> notes_;
  std::string line_;  ///< the frame that was sent last
};

}  // namespace roci::judge
