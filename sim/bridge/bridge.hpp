// SPDX-License-Identifier: Apache-2.0
// A bridge between two adapters of whatever make: carries their frames from one wire to the other,
// with the faults of a script, and judges both.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/packet/pcapng.hpp"
#include "sim/faults/scripts.hpp"
#include "testbench/link/link_direction.hpp"
#include "testbench/ports/port.hpp"
#include "testbench/verify/judge/path_judge.hpp"

namespace roci::sim {

struct BridgeOptions {
  std::vector<std::string> wires;
  std::string eal;     ///< words for the EAL of DPDK
  std::string rules;   ///< file of a fault script; empty: none
  std::string record;  ///< capture with faults and findings as comments; empty: none
  std::string json;
  double seconds = 0;  ///< end after this; 0: at a signal
  judge::PathRules path;
};

/// The end at port 0 or 1, in reports.
inline const char* name_of_end(unsigned end) { return end == 0 ? "first" : "second"; }

class Bridge final : private testbench::FrameTap, private faults::Simulator {
 public:
  /// Opens wires, script and files. Throws UserError.
  explicit Bridge(const BridgeOptions& options);
  ~Bridge() override;

  /// Runs until the time is over or SIGINT or SIGTERM comes.
  void run();

  const judge::PathJudge& judge() const { return judge_; }
  /// The faults of the script, as `roci fault list` has them.
  nlohmann::json faults() const { return scripts_.list(); }
  /// Addresses from which an end sent RoCE frames.
  const std::set<std::string>& addresses(unsigned end) const { return addresses_[end]; }

 private:
  static constexpr unsigned kEnds = 2;
  struct Leaving {
    bool held = false;  ///< the port does not accept the frame yet
    packet::Bytes frame;
  };

  void add_rules(const std::string& path);
  void pump();
  void sleep(std::uint64_t most_ns);

  // FrameTap: a frame that an end sent.
  void frame(const testbench::FrameEvent& event) override;
  // faults::Simulator. Faults of packets need the owner of an address alone.
  unsigned owner(packet::Mac mac) const override;
  void send_nak(unsigned, std::uint64_t, packet::Bytes, std::string,
                std::function<bool(bool)>) override {}
  void unplug(unsigned, std::uint64_t) override {}
  void kill(unsigned) override {}
  void write(std::uint32_t, std::uint64_t, const packet::Bytes&) override {}
  void report_completions(unsigned, std::uint32_t) override {}
  void at(std::uint64_t, std::function<void()>) override {}

  const BridgeOptions options_;
  std::uint64_t start_ns_, now_ns_ = 0;
  faults::Scripts scripts_;
  judge::PathJudge judge_;
  std::array<std::unique_ptr<testbench::ports::ExternalPort>, kEnds> ports_;
  std::vector<testbench::LinkDirection> links_;  ///< by the end that sends
  std::array<Leaving, kEnds> leaving_;           ///< by the end that receives
  std::map<packet::Mac, unsigned> owners_;
  std::array<std::set<std::string>, kEnds> addresses_;
  std::unique_ptr<packet::PcapngWriter> record_;
};

/// Runs a bridge and prints what it found. Returns the exit status.
int run_bridge(const BridgeOptions& options);

}  // namespace roci::sim
