// An opened adapter: its admin queue, event queue and tables.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "driver/device/device.hpp"
#include "driver/error.hpp"
#include "driver/observer.hpp"
#include "driver/types.hpp"
#include "spec/commands.hpp"

namespace roci::driver {

class CompletionQueue;
class QueuePair;

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

/// Limits of the adapter (QueryDevice).
struct DeviceLimits {
  std::uint32_t max_qp, max_cq, max_mr, max_pd, max_qp_wr, max_cqe, max_sge, max_inline;
  std::uint32_t max_rd_atomic, max_gid;
  std::uint64_t max_message;  ///< bytes
  std::uint32_t fw_version;
};

struct PortStatus {
  bool active;
  std::uint8_t max_mtu, active_mtu;  ///< path MTU codes, 1 to 5
  std::uint16_t pkey;
  std::uint64_t mac;  ///< as a number, first byte on the wire in bits 47:40
};

/// What the port has counted since reset. A packet that the transport refused after it was accepted
/// (ghost, duplicate, out of sequence) is in `rx_roce` and in `drops`.
struct PortCounters {
  std::array<std::uint64_t, std::size(spec::kDropCauses)> drops;  ///< by spec::kDropCauses
  std::uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;         ///< without FCS
  std::uint64_t rx_roce;                                          ///< accepted by the transport
  std::uint64_t rx_ethernet;
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
};
struct Event {
  EventKind kind;
  std::uint32_t number;  ///< queue pair or completion queue
};

/// Ring of events in host memory (11.6.3). Entries that did not fit are counted by overflowed().
class EventQueue {
 public:
  /// `log`: log2 of entries, 1 to 15.
  EventQueue(Device& device, unsigned log);
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  /// Takes the oldest event, if there is one.
  std::optional<Event> poll();
  /// Waits for an event; none when `timeout_ns` went by.
  std::optional<Event> wait(std::uint64_t timeout_ns = Device::kForever);
  /// An event was lost since the last call.
  bool overflowed();

 private:
  const std::uint8_t* entry() const;
  bool pending() const;

  Device& device_;
  unsigned log_;
  DmaMemory ring_;
  std::uint32_t consumer_ = 0;
};

struct ContextOptions {
  unsigned event_log = 8;                             ///< log2 of event queue entries, 1 to 15
  std::uint64_t command_timeout_ns = 30'000'000'000;  ///< address resolution takes seconds
};

/// An opened adapter. Switches RoCE on for its lifetime. Everything made from a context must go
/// before it. Methods that send a command throw Error. Several threads may share a context when
/// only Device::wait and register accesses let another run.
class Context {
 public:
  explicit Context(Device& device, const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Device& device() { return device_; }
  EventQueue& events() { return events_; }
  const DeviceLimits& limits() const { return limits_; }

  PortStatus query_port();
  PortCounters port_counters();
  /// Entry of the GID table (A17). The zero GID clears the entry; `vid` names its VLAN.
  void set_gid(unsigned index, const Gid& gid, std::optional<std::uint16_t> vid = {});
  Gid query_gid(unsigned index);
  /// MAC address of a neighbour, by ARP or neighbour discovery. Throws kUnreachable.
  std::uint64_t resolve(unsigned sgid_index, const Gid& gid);

  /// Runs one admin command; `text` names it in the message of an Error.
  Body execute(unsigned opcode, const Body& body, const char* text);

  /// Sees all that is asked of this context from now on; nullptr: nobody.
  void set_observer(Observer* observer) { observer_ = observer != nullptr ? observer : &nobody_; }
  Observer& observer() { return *observer_; }

 private:
  friend class CompletionQueue;
  friend class QueuePair;

  void acquire();
  Body exchange(unsigned opcode, const Body& body, const char* text);

  Device& device_;
  ContextOptions options_;
  DmaMemory commands_;
  DmaMemory replies_;
  std::uint16_t producer_ = 0;
  bool busy_ = false;
  EventQueue events_;
  DeviceLimits limits_{};
  Observer nobody_;
  Observer* observer_ = &nobody_;
  std::unordered_map<std::uint32_t, QueuePair*> queue_pairs_;
};

/// GID of an IPv4 address, ::ffff:a.b.c.d; `address` as a number.
Gid gid_of_ipv4(std::uint32_t address);

}  // namespace roci::driver
