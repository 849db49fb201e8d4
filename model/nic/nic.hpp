// SPDX-License-Identifier: Apache-2.0
// The reference adapter: the behaviour of the hardware in plain C++, with time as an input.
//
//   Nic nic(Sizes(), memory, {transmit, ethernet});
//   nic.set_time(now_ns);                       // before any of the others when time has passed
//   nic.write32(offset, value);                 // registers and doorbells of model/spec
//   nic.receive(frame);                         // from the wire
//   while (nic.step()) {}                       // a unit of work each: at most one packet leaves
//   sleep until nic.next_deadline()
//
// Nothing happens outside these calls, so that an idle adapter costs nothing.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "model/nic/queue_pair.hpp"

namespace roci::nic {

class Nic {
 public:
  Nic(const Sizes& sizes, HostMemory& memory, Outputs outputs);
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// Time input in ns; it never decreases.
  void set_time(std::uint64_t now_ns) { engine_.timers.set_now(now_ns); }

  // 32-bit registers, by the offsets of model/spec/registers.hpp. Unknown ones read 0.
  std::uint32_t read32(std::uint32_t offset);
  void write32(std::uint32_t offset, std::uint32_t value);

  /// A frame from the MAC, without FCS; padding after the datagram is ignored.
  void receive(packet::ByteView frame);
  /// A frame of the host's ordinary network interface, to be sent as it is.
  void send_ethernet(packet::Bytes frame) { engine_.transmit(std::move(frame)); }

  /// Does one unit of work; false: there is none until an input or the next deadline.
  bool step();
  /// Time of the next timer, possibly too early, never too late; all ones: no timer runs.
  std::uint64_t next_deadline() const { return engine_.timers.next(); }
  bool quiescent() const;

  /// For observers: a queue pair that has been used, or nullptr.
  const QueuePair* queue_pair(std::uint32_t qpn) const {
    return qpn < qps_.size() ? qps_[qpn].get() : nullptr;
  }

  /// Lock-step: the observed adapter has repeated the request of a READ, from `psn` on.
  void note_repeated_read(std::uint32_t qpn, transport::Psn psn) {
    if (QueuePair* qp = find(qpn)) qp->requester.note_repeated_read(psn);
  }

  bool attention() const { return attention_bits() != 0; }  ///< firmware has something to do
  bool interrupt() const { return engine_.events.interrupt(); }

 private:
  using Turns = std::deque<std::uint32_t>;

  // receive.cpp
  void handle(packet::ByteView frame);
  void to_ethernet(packet::ByteView frame);
  bool for_firmware(packet::ByteView frame) const;
  bool from_peer(const packet::Parsed& packet, const Av& av) const;
  bool to_own_gid(const packet::Parsed& packet) const;
  bool on_own_network(const packet::Parsed& packet) const;
  std::optional<DropCause> objection(const QueuePair* qp, const packet::Parsed& packet) const;
  void to_group(const packet::Parsed& packet);
  void deliver_looped();

  // registers.cpp
  std::uint32_t read_device(std::uint32_t offset);
  std::uint32_t read_management(std::uint32_t offset);
  void write_device(std::uint32_t offset, std::uint32_t value);
  void write_management(std::uint32_t offset, std::uint32_t value);
  bool window(std::uint32_t offset, Row& dma_data, std::uint8_t** bytes);
  void queue_doorbell(std::uint32_t offset, std::uint32_t value);
  void completion_doorbell(std::uint32_t offset, std::uint32_t value);
  void dma(std::uint32_t command);
  std::uint32_t attention_bits() const;

  // tables.cpp
  void table(std::uint32_t command);
  void write_row(unsigned table, std::uint32_t index);
  void read_row(unsigned table, std::uint32_t index);
  Row live(const QueuePair& qp) const;

  QueuePair* find(std::uint32_t qpn) { return qpn < qps_.size() ? qps_[qpn].get() : nullptr; }
  QueuePair* make(std::uint32_t qpn);
  void wake(QueuePair* qp);
  bool take_turn(Turns* turns, bool responses);

  Sizes sizes_;
  Engine engine_;
  std::vector<std::unique_ptr<QueuePair>> qps_;  ///< created when one of their rows is written
  Turns requests_, responses_;                   ///< queue pairs that may have something to send
  bool responses_next_ = true;

  std::uint32_t control_ = 0, time_high_ = 0;
  std::uint32_t admin_[7] = {};  ///< AdminBaseLo to AdminDone
  std::uint64_t mac_ = 0;
  Row table_data_{}, dma_written_{}, dma_read_{};
  std::uint64_t dma_address_ = 0;
  bool dma_failed_ = false;
  std::uint64_t counter_ = 0;
  packet::Bytes tx_frame_, rx_window_;
  std::deque<packet::Bytes> rx_frames_;  ///< for firmware
};

}  // namespace roci::nic
