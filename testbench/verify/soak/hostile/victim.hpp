// SPDX-License-Identifier: Apache-2.0
// Queue pairs that hostile packets aim at, and their return to RTS.
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

/// State of a queue pair that its peer holds, and that a forger therefore uses.
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

/// Keeps victims alive on a node: packets kill them, this revives them; what they do and receive
/// is thrown away.
class Victims {
 public:
  static constexpr unsigned kRegion = 64 * 1024;

  /// In a program of `node`, whose peers would be at `peer`.
  Victims(testbench::Node& node, testbench::Node& peer, unsigned count, std::uint64_t seed);

  /// The program that revives, until stop().
  void keep();
  void stop();
  /// Sees the requests and responses of the adapter.
  void frame(const testbench::FrameEvent& event);
  /// All go away. Throws when a byte outside the region was touched.
  void end();

  std::vector<Victim>& all() { return victims_; }
  std::uint64_t revived() const { return revived_; }
  std::uint64_t completions() const { return completions_; }
  std::uint64_t answers() const { return answers_; }
  std::uint64_t refused() const { return refused_; }

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
  std::uint64_t revived_ = 0, completions_ = 0, answers_ = 0, refused_ = 0;
  std::string leak_;
  bool stop_ = false, stopped_ = false;
};

}  // namespace roci::soak
