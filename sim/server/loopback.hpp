// SPDX-License-Identifier: Apache-2.0
// Waits until the kernel has delivered what programs sent to each other.
#pragma once

#include "sim/server/descriptor.hpp"

namespace roci::sim {

/// What is sent over the loopback interface waits in a queue of the processor on which the sender
/// ran, until the kernel takes its turn there: at once, or on a loaded machine after milliseconds.
/// A datagram of this process on each processor arrives after it.
class Loopback {
 public:
  /// Returns when all that was sent before is at the sockets of its receivers.
  void wait();

 private:
  bool open();
  void pass();

  Descriptor socket_;  ///< sends to itself; opened when it is needed first
  bool tried_ = false;
};

}  // namespace roci::sim
