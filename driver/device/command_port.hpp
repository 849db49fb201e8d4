// SPDX-License-Identifier: Apache-2.0
// How admin commands and events pass between a driver and its adapter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "driver/device/device.hpp"
#include "driver/layout.hpp"
#include "model/spec/commands.hpp"

namespace roci::driver {

/// Body of an admin command or reply; fields by the tables of spec/commands.hpp.
class Body {
 public:
  static constexpr std::size_t kBytes = spec::kCommandBytes - spec::kCommandBodyOffset;
  std::uint64_t get(spec::Place place) const { return driver::get(bytes_.data(), place); }
  Body& put(spec::Place place, std::uint64_t value) {
    driver::put(bytes_.data(), place, value);
    return *this;
  }
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

/// What the adapter answered; `body` is valid when `status` is 0 (Ok).
struct CommandReply {
  std::uint32_t status = 0;  ///< AdminStatus
  std::uint32_t detail = 0;  ///< byte offset of the field that is to blame
  Body body;
};

/// Takes admin commands, from any thread that the device allows, and runs them one by one.
class CommandPort {
 public:
  virtual ~CommandPort() = default;
  /// None: the adapter did not answer within `timeout_ns`.
  virtual std::optional<CommandReply> exchange(unsigned opcode, const Body& body,
                                               std::uint64_t timeout_ns) = 0;
};

/// An event of the adapter; kinds of spec::kEvents.
enum class EventKind : std::uint8_t {
  kCompletion = code_of(spec::kEvents, "Completion"),
  kCqError = code_of(spec::kEvents, "CqError"),
  kQpFatal = code_of(spec::kEvents, "QpFatal"),
  kQpRequest = code_of(spec::kEvents, "QpRequest"),
  kQpAccess = code_of(spec::kEvents, "QpAccess"),
  kCommEst = code_of(spec::kEvents, "CommEst"),
  kSqDrained = code_of(spec::kEvents, "SqDrained"),
  kSrqLimit = code_of(spec::kEvents, "SrqLimit"),
  kQpLastWqe = code_of(spec::kEvents, "QpLastWqe"),
  kSrqError = code_of(spec::kEvents, "SrqError"),
};
struct Event {
  EventKind kind;
  std::uint32_t number;  ///< queue pair, completion queue or shared receive queue
};

/// Where events come from, oldest first.
class EventQueue {
 public:
  virtual ~EventQueue() = default;
  /// Takes the oldest event, if there is one.
  virtual std::optional<Event> poll() = 0;
  /// Waits for an event; none when `timeout_ns` went by.
  virtual std::optional<Event> wait(std::uint64_t timeout_ns = Device::kForever) = 0;
  /// An event was lost since the last call.
  virtual bool overflowed() = 0;
};

}  // namespace roci::driver
