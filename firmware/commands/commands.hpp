// SPDX-License-Identifier: Apache-2.0
// Admin commands: one function each, which checks the command completely before it changes
// anything.
#pragma once

#include "firmware/commands/objects.hpp"
#include "firmware/hal/port.hpp"
#include "firmware/net/neighbours.hpp"

namespace roci::fw {

constexpr uint32_t kFirmwareVersion = 0x00010000;  ///< major in the upper half, minor in the lower
constexpr uint32_t kMaxRdAtomic = 16;
constexpr uint32_t kPageBytes = 4096;

/// A command or reply, as in host memory.
struct Message {
  uint32_t word[layout::kCommandBytes / 4];
};

/// Reads the body of a command.
class Command {
 public:
  explicit Command(const Message& message) : message_(&message) {}
  uint64_t get(Place place) const { return get_bits(message_->word, in_body(place)); }
  uint32_t get32(Place place) const { return static_cast<uint32_t>(get(place)); }
  uint32_t header(Place place) const {
    return static_cast<uint32_t>(get_bits(message_->word, place));
  }
  static constexpr Place in_body(Place place) {
    return {place.offset + layout::kCommandBodyOffset * 8, place.bits};
  }

 private:
  const Message* message_;
};

/// Fills the body of a reply, which starts as zeros.
class Reply {
 public:
  explicit Reply(Message* message) : message_(message) {}
  template <typename Value>
  void put(Place place, Value value) {
    put_bits(message_->word, Command::in_body(place), static_cast<uint64_t>(value));
  }

 private:
  Message* message_;
};

/// Status of a command; `detail` is the byte offset of the invalid field.
struct Result {
  layout::AdminStatus status;
  uint32_t detail;
};

/// Internal status: the command waits for an address and is run later.
constexpr layout::AdminStatus kStatusWaiting{0xFFFF};

constexpr Result ok() { return {layout::AdminStatus::kOk, 0}; }
constexpr Result failed(layout::AdminStatus status, Place field) {
  return {status, layout::kCommandBodyOffset + field.offset / 8};
}
constexpr Result bad_handle(Place field) { return failed(layout::AdminStatus::kBadHandle, field); }
constexpr Result bad_parameter(Place field) {
  return failed(layout::AdminStatus::kBadParameter, field);
}
constexpr Result bad_state(Place field) { return failed(layout::AdminStatus::kBadState, field); }
constexpr Result busy(Place field) { return failed(layout::AdminStatus::kBusy, field); }
constexpr Result unsupported(Place field) {
  return failed(layout::AdminStatus::kUnsupported, field);
}
/// A command that the engine cannot execute at all.
constexpr Result unsupported() { return {layout::AdminStatus::kUnsupported, 0}; }
constexpr Result no_resource() { return {layout::AdminStatus::kNoResource, 0}; }
constexpr Result hardware_error() { return {layout::AdminStatus::kHardwareError, 0}; }

/// The adapter, as the commands see it.
struct Device {
  Port port;
  GidTable gids;
  Neighbours neighbours;
  Objects objects;
  uint32_t port_mtu;  ///< bytes of an Ethernet payload

  Device(const Hal& hal, const ResolveConfig& resolve, uint32_t mtu)
      : port(hal), gids(), neighbours(&port, &gids, resolve), objects(), port_mtu(mtu) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

/// Returns the bytes of a command, header included, as far as its bytes fetched so far determine
/// it.
uint32_t command_bytes(const Message& command);
/// Returns the bytes of the reply to a command that succeeds, header included.
uint32_t reply_bytes(const Message& command);

/// Runs the command in `message` and fills the body of `reply`. A command whose result is not Ok
/// has changed nothing. After HardwareError the command can be repeated.
Result execute(Device* device, const Message& message, Message* reply);

// The commands by file.
Result query_device(Device* device, const Command& command, Reply* reply);
Result query_port(Device* device, const Command& command, Reply* reply);
Result query_counters(Device* device, const Command& command, Reply* reply);

Result set_gid(Device* device, const Command& command, Reply* reply);
Result query_gid(Device* device, const Command& command, Reply* reply);
Result resolve_address(Device* device, const Command& command, Reply* reply);

Result alloc_pd(Device* device, const Command& command, Reply* reply);
Result dealloc_pd(Device* device, const Command& command, Reply* reply);

Result create_cq(Device* device, const Command& command, Reply* reply);
Result modify_cq(Device* device, const Command& command, Reply* reply);
Result destroy_cq(Device* device, const Command& command, Reply* reply);
Result resize_cq(Device* device, const Command& command, Reply* reply);

Result create_srq(Device* device, const Command& command, Reply* reply);
Result modify_srq(Device* device, const Command& command, Reply* reply);
Result query_srq(Device* device, const Command& command, Reply* reply);
Result destroy_srq(Device* device, const Command& command, Reply* reply);

Result set_pkey(Device* device, const Command& command, Reply* reply);
Result query_pkey(Device* device, const Command& command, Reply* reply);

Result reg_mr(Device* device, const Command& command, Reply* reply);
Result dereg_mr(Device* device, const Command& command, Reply* reply);
Result rereg_mr(Device* device, const Command& command, Reply* reply);
Result alloc_fast_mr(Device* device, const Command& command, Reply* reply);
Result alloc_mw(Device* device, const Command& command, Reply* reply);
Result dealloc_mw(Device* device, const Command& command, Reply* reply);

Result create_ah(Device* device, const Command& command, Reply* reply);
Result destroy_ah(Device* device, const Command& command, Reply* reply);

Result attach_multicast(Device* device, const Command& command, Reply* reply);
Result detach_multicast(Device* device, const Command& command, Reply* reply);

Result create_qp(Device* device, const Command& command, Reply* reply);
Result modify_qp(Device* device, const Command& command, Reply* reply);
Result query_qp(Device* device, const Command& command, Reply* reply);
Result destroy_qp(Device* device, const Command& command, Reply* reply);

/// Checks that commands share: address spaces have 20 bits; a ring is page-aligned and does not
/// wrap.
constexpr bool is_pasid(uint64_t value) { return value >> 20 == 0; }
constexpr bool is_ring(uint64_t base, uint64_t bytes) {
  return base % kPageBytes == 0 && base <= ~uint64_t{0} - (bytes - 1);
}

/// Whether a P_Key is valid: one whose low 15 bits are 0 matches nothing (10.9.1).
constexpr bool is_pkey(uint32_t pkey) { return (pkey & 0x7FFF) != 0; }
/// Returns the largest path MTU code of the port: a packet has up to 84 bytes more than payload
/// (WIRE-42).
uint32_t active_mtu(const Device& device);
/// Cancels SqDrained for a queue pair.
void forget_drain(Objects* objects, QueuePair* qp);

/// Handles the overflow of a completion queue: its queue pairs go to ERR, each with QpFatal
/// (CQ-07).
void fail_queue_pairs(Device* device, uint32_t cqn);
/// Raises SqDrained for the queue pairs that have drained.
void check_drains(Device* device);

/// Resolves the next hop to `dgid`. Waiting and Unreachable name `field`.
Result next_hop(Device* device, uint32_t sgid_index, const Gid& dgid, Place field, Mac* mac);

}  // namespace roci::fw
