// SPDX-License-Identifier: Apache-2.0
// How admin commands and events pass between a driver and its adapter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "driver/device/device.hpp"
#include "driver/layout.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"

namespace roci::driver {

/// Body of an admin command or reply; fields of spec/layout/commands.hpp.
class Body {
 public:
  static constexpr std::size_t kBytes = layout::kCommandBodyBytes;
  template <typename T, unsigned Offset, unsigned Bits>
  T get(layout::MemoryField<T, Offset, Bits> field) const {
    return layout::get(bytes_.data(), field);
  }
  template <typename T, unsigned Offset, unsigned Bits, typename V>
  Body& put(layout::MemoryField<T, Offset, Bits> field, V value) {
    layout::put(bytes_.data(), field, value);
    return *this;
  }
  /// For tables of places.
  std::uint64_t get(layout::Place place) const { return layout::get_memory(bytes_.data(), place); }
  Body& put(layout::Place place, std::uint64_t value) {
    layout::put_memory(bytes_.data(), place, value);
    return *this;
  }
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

/// The reply of the adapter; `body` is valid when `status` is 0 (Ok).
struct CommandReply {
  std::uint32_t status = 0;  ///< AdminStatus
  std::uint32_t detail = 0;  ///< byte offset of the field that caused the rejection
  Body body;
};

/// Runs admin commands one at a time, from any thread that the device allows.
class CommandPort {
 public:
  virtual ~CommandPort() = default;
  /// None: the adapter did not reply within `timeout_ns` nanoseconds.
  virtual std::optional<CommandReply> exchange(layout::AdminOp opcode, const Body& body,
                                               std::uint64_t timeout_ns) = 0;
};

using layout::EventKind;

/// An event of the adapter.
struct Event {
  EventKind kind;
  std::uint32_t number;  ///< queue pair, completion queue or shared receive queue
};

/// Where events come from, oldest first.
class EventQueue {
 public:
  virtual ~EventQueue() = default;
  /// Removes the oldest event, if there is one.
  virtual std::optional<Event> poll() = 0;
  /// Waits for an event; none when `timeout_ns` nanoseconds passed first.
  virtual std::optional<Event> wait(std::uint64_t timeout_ns = Device::kForever) = 0;
  /// An event was lost since the last call.
  virtual bool overflowed() = 0;
};

}  // namespace roci::driver
