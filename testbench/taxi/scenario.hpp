// SPDX-License-Identifier: Apache-2.0
// Two adapters on the host's PCIe, and what they do together.
#pragma once

#include <memory>

#include "driver/queue_pair.hpp"
#include "testbench/board/device.hpp"
#include "testbench/taxi/program.hpp"

namespace roci::testbench {

/// An adapter whose driver waits: the firmware of both adapters runs meanwhile.
class ShellDevice final : public BoardDevice {
 public:
  ShellDevice(const ShellSide& side, std::uint64_t mac)
      : BoardDevice(side.bus, side.memory, side.bytes, side.address, mac), side_(side), mac_(mac) {}

  void join(ShellDevice& peer) { peer_ = &peer; }
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) override;

  std::uint64_t mac() const { return mac_; }
  std::uint64_t interrupts() const { return side_.interrupts(); }
  std::uint64_t nowhere() const { return side_.nowhere; }

 private:
  static constexpr std::uint64_t kTurnNs = 500;

  const ShellSide& side_;
  const std::uint64_t mac_;
  ShellDevice* peer_ = nullptr;
};

/// An adapter with its driver's objects.
struct Side {
  Side(const ShellSide& side, std::uint64_t mac, std::uint32_t address);

  ShellDevice device;
  driver::Context context;
  driver::ProtectionDomain domain;
  driver::CompletionQueue queue;
  driver::Gid gid;
  std::unique_ptr<driver::QueuePair> pair;
};

/// Two of them, with a queue pair from one to the other.
struct Pair {
  static constexpr unsigned kDepth = 8;  // requests in flight
  static constexpr std::uint64_t kPatienceNs = 1'000'000;

  Pair(const ShellSide& left_side, const ShellSide& right_side, std::uint8_t mtu);
  /// New queue pairs: after an error the old ones stay in it.
  void connect();
  driver::Completion finish();

  Side left, right;
  const std::uint8_t path_mtu;
};

/// The file goes to the right by WRITEs and comes back by READs, of any length and alignment.
void carry(Pair& pair, ShellWork& work);
/// A completion of an armed queue raises an event, and that an interrupt.
void interrupt(Pair& pair);
/// Requests with memory that the host rejects or does not have, and transfers after each.
void errors(Pair& pair);

}  // namespace roci::testbench
