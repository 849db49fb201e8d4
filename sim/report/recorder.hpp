// SPDX-License-Identifier: Apache-2.0
// Keeps what went over the wire: a capture file, points for a plot, counts.
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

/// What a direction of the wire saw. NAKs are counted where they are sent; faults are filled in
/// from the channel.
struct WireCounts {
  std::uint64_t frames = 0;
  std::uint64_t requests = 0;  ///< RoCE requests and READ responses with payload, or without
  std::uint64_t repeated = 0;  ///< PSNs that were sent before
  std::uint64_t lost = 0;      ///< by fault injection
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
  /// Sequence number against time of all that carries payload or asks for it.
  Plot sequence_plot(const std::string& title) const;
  /// Closes the capture. Throws UserError when something of it is not written.
  void commit();

 private:
  struct Point {
    double us;
    double packet;  ///< PSN counted from the first one of its queue pair
  };

  void note(const testbench::FrameEvent& event);

  std::string failure_;  ///< of writing the capture; told by commit()
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<packet::PcapngWriter> pcap_;
  WireCounts counts_[2];
  /// By sender and destination QPN and whether it is an answer: first PSN and those seen.
  struct Flow {
    std::uint32_t first = 0;
    std::set<std::uint32_t> seen;
  };
  std::map<std::uint64_t, Flow> flows_;
  std::vector<Point> sent_, again_, lost_, naks_;
};

}  // namespace roci::sim
