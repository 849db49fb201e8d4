// SPDX-License-Identifier: Apache-2.0
// The event queue of an adapter that is reached by registers.
#pragma once

#include "driver/device/command_port.hpp"

namespace roci::driver {

/// Ring of events in host memory (11.6.3). Entries that did not fit are counted by overflowed().
class EventRing final : public EventQueue {
 public:
  /// `log`: log2 of entries, 1 to 15.
  EventRing(Device& device, unsigned log);
  ~EventRing() override;
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;

  std::optional<Event> poll() override;
  std::optional<Event> wait(std::uint64_t timeout_ns = Device::kForever) override;
  bool overflowed() override;

 private:
  const std::uint8_t* entry() const;
  bool pending() const;

  Device& device_;
  unsigned log_;
  DmaMemory ring_;
  std::uint32_t consumer_ = 0;
};

}  // namespace roci::driver
