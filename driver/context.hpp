// SPDX-License-Identifier: Apache-2.0
// An opened adapter: its admin queue, event queue and tables.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>

#include "driver/admin_queue.hpp"
#include "driver/device/device.hpp"
#include "driver/error.hpp"
#include "driver/observer.hpp"
#include "driver/types.hpp"
#include "model/spec/commands.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::driver {

class CompletionQueue;
class QueuePair;
class SharedReceiveQueue;

/// Limits of the adapter (QueryDevice).
struct DeviceLimits {
  std::uint32_t max_qp, max_cq, max_mr, max_pd, max_qp_wr, max_cqe, max_sge, max_inline;
  std::uint32_t max_rd_atomic, max_gid;
  std::uint64_t max_message;  ///< bytes
  std::uint32_t fw_version;   ///< 23:16 major, 15:8 minor, 7:0 patch
  std::uint32_t max_srq, max_srq_wr, max_pkeys, max_mw;
  std::uint32_t services;         ///< bits by Service
  std::uint32_t max_ah;           ///< 0 without UD
  std::uint32_t absent;           ///< bits by Option
  std::uint32_t max_attachments;  ///< to multicast groups; 0: no multicast
  bool lacks(Option option) const { return (absent >> layout::number(option) & 1) != 0; }
  bool has(Service service) const { return (services >> layout::number(service) & 1) != 0; }
};

struct PortStatus {
  bool active;
  std::uint8_t max_mtu, active_mtu;  ///< path MTU codes, 1 to 5
  std::uint16_t pkey;
  std::uint64_t mac;  ///< as a number, first byte on the wire in bits 47:40
};

/// Counters of the port since reset. A packet that was accepted and then dropped by the transport
/// (unsolicited ACK, duplicate, out of sequence) is in `rx_roce` and in `drops`.
struct PortCounters {
  std::array<std::uint64_t, std::size(spec::kDropCauses)> drops;  ///< by spec::kDropCauses
  std::uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;         ///< without FCS
  std::uint64_t rx_roce;                                          ///< accepted by the transport
  std::uint64_t rx_ethernet;
  std::uint64_t qkey_violations;  ///< datagrams with a wrong Q_Key
  std::uint64_t discards;         ///< UC and UD packets that were accepted and not delivered
};

struct ContextOptions {
  unsigned event_log = 8;                             ///< log2 of event queue entries, 1 to 15
  std::uint64_t command_timeout_ns = 30'000'000'000;  ///< address resolution takes seconds
  bool host_resolves = false;  ///< the host runs ARP and neighbour discovery, not the firmware
};

/// An opened adapter (11.2.1). All objects created from a context must be destroyed before it.
/// Methods that send a command throw Error. Several threads may share a context when only
/// Device::wait and register accesses let another run, or when the device accepts commands from any
/// thread.
class Context {
 public:
  explicit Context(Device& device, const ContextOptions& options = {});
  ~Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Device& device() { return device_; }
  EventQueue& events() { return *events_; }
  const DeviceLimits& limits() const { return limits_; }

  PortStatus query_port();
  PortCounters port_counters();
  /// Writes an entry of the GID table (annex A17), index 0 to max_gid - 1. The zero GID clears the
  /// entry; `vid` is its VLAN, 1 to 4094. With `roce_v1`, queue pairs with this GID use RoCE v1
  /// (annex A16).
  void set_gid(unsigned index, const Gid& gid, std::optional<std::uint16_t> vid = {},
               bool roce_v1 = false);
  Gid query_gid(unsigned index);
  /// Writes an entry of the P_Key table (10.9.1), index 0 to max_pkeys - 1; 0 clears it.
  void set_pkey(unsigned index, std::uint16_t pkey);
  std::uint16_t query_pkey(unsigned index);
  /// MAC address of the next hop to `gid`, by ARP or neighbour discovery, as a number. Throws Error
  /// with kUnreachable.
  std::uint64_t resolve(unsigned sgid_index, const Gid& gid);

  /// Runs one admin command; `text` names it in the message of an Error.
  Body execute(layout::AdminOp opcode, const Body& body, const char* text);

  /// Sets the observer of all calls of this context; nullptr: none.
  void set_observer(Observer* observer) { observer_ = observer != nullptr ? observer : &nobody_; }
  Observer& observer() { return *observer_; }

 private:
  friend class CompletionQueue;
  friend class QueuePair;

  Device& device_;
  ContextOptions options_;
  std::unique_ptr<EventQueue> events_;
  std::unique_ptr<AdminQueue> queue_;  ///< null when the device has a command port of its own
  CommandPort& commands_;
  DeviceLimits limits_{};
  Observer nobody_;
  Observer* observer_ = &nobody_;
  std::unordered_map<std::uint32_t, QueuePair*> queue_pairs_;
};

/// GID of an IPv4 address, ::ffff:a.b.c.d; `address` as a number.
Gid gid_of_ipv4(std::uint32_t address);

/// The GID whose bytes 0 to 7 and 8 to 15 are these big-endian numbers.
Gid gid_of_halves(std::uint64_t high, std::uint64_t low);
/// Bytes 0 to 7 of a GID as a big-endian number.
std::uint64_t high_half(const Gid& gid);
/// Bytes 8 to 15 of a GID as a big-endian number.
std::uint64_t low_half(const Gid& gid);

}  // namespace roci::driver
