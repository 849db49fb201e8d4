// SPDX-License-Identifier: Apache-2.0
// Threads of simulated processes that wait for a condition on host memory (driver::Device::wait).
#pragma once

#include <algorithm>
#include <functional>
#include <systemc>
#include <vector>

#include "driver/device/device.hpp"

namespace roci::testbench {

inline sc_core::sc_time time_of(std::uint64_t ns) {
  return sc_core::sc_time(static_cast<double>(ns), sc_core::SC_NS);
}

class Waiters {
 public:
  /// As Device::wait; for SystemC threads.
  bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
    if (ready()) return true;
    sc_core::sc_event event;
    Waiter waiter{&ready, &event, false};
    waiters_.push_back(&waiter);
    if (timeout_ns == driver::Device::kForever) {
      sc_core::wait(event);
    } else {
      sc_core::wait(time_of(timeout_ns), event);
    }
    waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
    return ready();
  }

  void wake() {
    for (Waiter* waiter : waiters_) {
      if ((*waiter->ready)()) waiter->event->notify(sc_core::SC_ZERO_TIME);
    }
  }

  /// Adds the events of the threads whose condition holds now, each once.
  void collect(std::vector<sc_core::sc_event*>& woken) {
    for (Waiter* waiter : waiters_) {
      if (waiter->fired || !(*waiter->ready)()) continue;
      waiter->fired = true;
      woken.push_back(waiter->event);
    }
  }

 private:
  struct Waiter {
    const std::function<bool()>* ready;
    sc_core::sc_event* event;
    bool fired;
  };
  std::vector<Waiter*> waiters_;
};

}  // namespace roci::testbench
