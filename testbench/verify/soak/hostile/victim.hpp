// SPDX-License-Identifier: Apache-2.0
// Queue pairs that hostile packets address, and their return to RTS.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "model/transport/psn.hpp"
#include "testbench/link/frame.hpp"
#include "testbench/world.hpp"

namespace roci::soak {

/// State of a queue pair as its peer knows it, which a forger uses.
struct Victim {
  std::uint32_t qpn = 0, peer_qpn = 0;
  bool alive = false;
  transport::Psn expected;      ///< PSN that its responder waits for, as far as seen
  transport::Psn oldest, next;  ///< PSNs of its own requests: oldest open, and next
  std::uint32_t pmtu = 256;
  std::uint64_t address = 0;  ///< address of the region that peers may reach
  std::uint32_t bytes = 0, key = 0;
  std::unique_ptr<driver::QueuePair> qp;
};

/// Restores victims on a node after packets moved them to ERR; their completions and received data
/// are ignored.
class Victims {
 public:
  static constexpr unsigned kRegion = 64 * 1024;

  /// Called in a program of `node`; the peers' address is `peer`.
  Victims(testbench::Node& node, testbench::Node& peer, unsigned count, std::uint64_t seed);

  /// The program that restores the victims, until stop().
  void keep();
  void stop();
  /// Observes the requests and responses of the adapter.
  void frame(const testbench::FrameEvent& event);
  /// Destroys all. Throws when a byte outside the region was changed.
  void end();

  std::vector<Victim>& all() { return victims_; }
  std::uint64_t revived() const { return revived_; }
  std::uint64_t completions() const { return completions_; }
  std::uint64_t responses() const { return responses_; }
  std::uint64_t naks() const { return naks_; }

 private:
  void revive(Victim& victim);
  void feed(Victim& victim);
  Victim* find(std::uint32_t qpn, bool peer);

  testbench::Node& node_;
  testbench::Node& peer_;
  std::mt19937_64 random_;
  driver::ProtectionDomain pd_, other_pd_;
  driver::CompletionQueue cq_;
  driver::DmaMemory memory_;
  std::unique_ptr<driver::MemoryRegion> region_, secret_;
  std::vector<Victim> victims_;
  std::uint64_t revived_ = 0, completions_ = 0, responses_ = 0, naks_ = 0;
  std::string leak_;
  bool stop_ = false, stopped_ = false;
};

}  // namespace roci::soak
