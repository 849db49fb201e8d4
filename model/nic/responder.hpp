// SPDX-License-Identifier: Apache-2.0
// The receive side of a queue pair: requests become memory accesses, receives and responses.
//
//   request -> duplicate? ahead? -> rules in the order of 9.7.4.1 -> execute -> `responses_`
//
// Responses leave in the order of their requests (RSP-12); a waiting ACK is merged with later ones.
#pragma once

#include <deque>
#include <optional>

#include "model/nic/completions.hpp"
#include "model/nic/frames.hpp"
#include "model/nic/lists.hpp"
#include "model/nic/srq.hpp"
#include "model/packet/parser.hpp"

namespace roci::nic {

class QueuePair;

class Responder {
 public:
  explicit Responder(QueuePair& qp) : qp_(qp) {}

  void reset();    ///< entering RESET
  void start();    ///< entering RTR
  void silence();  ///< discards all responses
  void flush();    ///< entering ERR: every posted receive completes once (QP-10)
  void doorbell(std::uint16_t producer);
  /// A request that passed the checks of reception.
  void request(const packet::Parsed& packet);
  /// Sends one response packet; false: none waits.
  bool step();

  transport::Psn expected_psn() const { return epsn_; }
  std::uint32_t msn() const { return msn_; }
  bool idle() const { return responses_.empty(); }

 private:
  using Psn = transport::Psn;
  enum class In : std::uint8_t { kNothing, kSend, kWrite };  ///< message in progress

  /// A receive that was taken, until its message ends.
  struct Receive {
    Wqe wqe;
    std::uint16_t index = 0;
    std::uint16_t pd = 0;
  };
  /// A READ or atomic, kept for replay (RSP-37).
  struct Slot {
    std::uint8_t opcode = 0;
    Psn first, last;
    std::uint64_t va = 0;
    std::uint32_t rkey = 0, bytes = 0;
    std::uint64_t swap_add = 0, compare = 0, original = 0;
    std::uint32_t msn = 0;
  };
  struct Response {
    enum class Kind : std::uint8_t { kAck, kNak, kRead, kAtomic } kind = Kind::kAck;
    Psn psn;  ///< READ: next packet
    std::uint8_t syndrome = 0;
    std::uint32_t msn = 0;
    Slot slot;            ///< READ, atomic
    bool opens = true;    ///< READ: the next packet is the first of the response
    bool replay = false;  ///< for a duplicate: the whole response was sent before
  };
  /// Error of a request.
  struct Fault {
    std::uint8_t syndrome = 0;
    Status receive = Status::kSuccess;  ///< status of the receive in use
    bool misaligned = false;
  };

  // In responder.cpp.
  void expected(const packet::Parsed& packet);
  bool in_sequence(const packet::OpcodeInfo& info, std::uint8_t opcode) const;
  bool allowed(std::uint8_t opcode) const;
  void send(const packet::Parsed& packet);
  void write(const packet::Parsed& packet);
  bool take_receive();
  Taken next_receive();
  MemoryUse use_of(const packet::Parsed& packet) const;
  std::optional<Fault> place_send(const packet::Parsed& packet);
  std::optional<Fault> check_write(const packet::Parsed& packet);
  std::optional<Fault> place_write(const packet::Parsed& packet);
  void executed(const packet::Parsed& packet, bool ends);
  void complete_receive(WcOp opcode, const packet::Parsed& packet);
  void finish_receive(Completion completion);

  // In responder_unreliable.cpp: UC and UD.
  void unconnected(const packet::Parsed& packet);
  void unacknowledged(const packet::Parsed& packet);
  bool hold_receive();
  bool deliver_send(const packet::Parsed& packet);
  bool deliver_write(const packet::Parsed& packet);
  bool fail_receive(Status status);

  // In responder_reads.cpp.
  void read(const packet::Parsed& packet);
  void atomic(const packet::Parsed& packet);
  bool room_for_response() const;
  void remember(const Slot& slot, Response::Kind kind);
  bool send_read(Response* response);

  // In responder_responses.cpp.
  void duplicate(const packet::Parsed& packet);
  void replay(const packet::Parsed& packet, const Slot& slot);
  void ahead();
  void ack(Psn psn);
  void nak(std::uint8_t syndrome);
  void fail(const Fault& fault);
  void end_silently(Status status);
  void end_receive(Status status);
  void fail_at(Psn psn, std::uint8_t syndrome, EventKind event);
  std::uint8_t credits() const;

  QueuePair& qp_;
  Psn epsn_;
  std::uint32_t msn_ = 0;
  Psn last_;  ///< newest SEND or WRITE packet executed
  In in_ = In::kNothing;
  std::optional<Receive> receive_;
  std::uint64_t bytes_ = 0;  ///< bytes of the message so far
  std::uint64_t write_va_ = 0, write_left_ = 0;
  std::uint32_t write_rkey_ = 0;
  bool nak_sent_ = false;     ///< the gap was NAKed: requests after it are dropped
  bool established_ = false;  ///< CommEst was considered
  std::uint16_t producer_ = 0, consumer_ = 0;
  std::deque<Slot> slots_;
  std::deque<Response> responses_;
};

}  // namespace roci::nic
