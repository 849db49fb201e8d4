// SPDX-License-Identifier: Apache-2.0
// Records the frames on the link: a capture file, points for a plot, counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/packet/pcapng.hpp"
#include "sim/report/files.hpp"
#include "sim/report/svg.hpp"
#include "testbench/link/frame.hpp"

namespace roci::sim {

/// Counts of one direction of the link. NAKs are counted where they are sent; the counts of faults
/// are those of the link.
struct WireCounts {
  std::uint64_t frames = 0;
  std::uint64_t requests = 0;       ///< RoCE requests and READ responses with payload, or without
  std::uint64_t retransmitted = 0;  ///< packets with a PSN that was sent before
  std::uint64_t lost = 0;           ///< frames lost by fault injection
  std::uint64_t corrupted = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t delayed = 0;
  std::uint64_t acks = 0;
  std::uint64_t sequence_naks = 0;
  std::uint64_t rnr_naks = 0;
  std::uint64_t other_naks = 0;
};

class Recorder : public testbench::FrameTap {
 public:
  /// `pcap`: file to write, empty for none. Throws UserError when it cannot be written.
  explicit Recorder(const std::string& pcap);

  void frame(const testbench::FrameEvent& event) override;

  const WireCounts& counts(unsigned node) const { return counts_[node]; }
  /// Sequence number against time of all packets with payload and of READ requests.
  Plot sequence_plot(const std::string& title) const;
  /// Closes the capture. Throws UserError when a write failed.
  void commit();

 private:
  struct Point {
    double us;
    double packet;  ///< PSN counted from the first one of its queue pair
  };

  void note(const testbench::FrameEvent& event);

  std::string failure_;  ///< error of writing the capture, thrown by commit()
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<packet::PcapngWriter> pcap_;
  WireCounts counts_[2];
  /// By sender, destination QPN and request or response: first PSN and PSNs seen.
  struct Flow {
    std::uint32_t first = 0;
    std::set<std::uint32_t> seen;
  };
  std::map<std::uint64_t, Flow> flows_;
  std::vector<Point> sent_, retransmitted_, lost_, naks_;
};

}  // namespace roci::sim
