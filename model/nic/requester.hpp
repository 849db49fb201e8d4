// SPDX-License-Identifier: Apache-2.0
// The send side of a queue pair: work requests become packets, responses become completions.
//
//        completed        una              cursor            next
//   ---------|-------------|=================|===============|--------> PSN
//     retired   messages of `sent_`: retransmitted from here   not sent yet
//
// To retransmit, the cursor returns to una. Packets are rebuilt from host memory.
#pragma once

#include <deque>
#include <optional>

#include "model/nic/frames.hpp"
#include "model/nic/lists.hpp"
#include "model/packet/parser.hpp"
#include "model/transport/rules.hpp"

namespace roci::nic {

class QueuePair;

class Requester {
 public:
  explicit Requester(QueuePair& qp) : qp_(qp) {}

  void reset();  ///< entering RESET
  void start();  ///< entering RTS from RTR
  void flush();  ///< entering ERR: every posted work request completes once (RQ-49)
  void doorbell(std::uint16_t producer);
  /// A response that passed the checks of reception.
  void response(const packet::Parsed& packet);
  /// The observed adapter repeated the request at `psn`: the response may begin there.
  void note_repeated_read(transport::Psn psn) {
    if (Message* message = owner(psn)) message->repeated = true;
  }
  /// A timer that was set may have expired.
  void timer();
  /// Sends one packet or executes one local operation; false: there is nothing to do now.
  bool step();

  transport::Psn next_psn() const { return next_; }
  transport::Psn oldest_psn() const { return una_; }
  std::uint16_t completed() const { return completed_; }
  bool idle() const { return sent_.empty(); }

 private:
  using Psn = transport::Psn;
  static constexpr std::uint32_t kMostOutstanding = 1024;  ///< packets of SENDs and WRITEs

  /// A message with packets, begun and not complete.
  struct Message {
    Wqe wqe;
    std::uint16_t index = 0;
    transport::MessageKind kind = transport::MessageKind::kSend;
    Psn first;
    std::uint32_t packets = 1;
    std::uint32_t number = 0;  ///< number of the message in this generation, from 1
    bool repeated = false;     ///< requested again: a response may begin anywhere
    Status error = Status::kSuccess;
    VendorErr vendor = VendorErr::kNone;

    Psn end() const { return first + packets; }
    bool read() const { return kind == transport::MessageKind::kRead; }
    bool atomic() const {
      return kind == transport::MessageKind::kCmpSwap || kind == transport::MessageKind::kFetchAdd;
    }
    /// Whether an ACK alone does not complete the message.
    bool needs_response() const { return read() || atomic(); }
    bool takes_receive() const;
    void fail_with(Status status, VendorErr why) {
      error = status;
      vendor = why;
    }
  };

  // Starting work requests (requester_begin.cpp).
  bool begin();
  bool local_operation(const Wqe& wqe);
  bool check(Message* message);
  bool permitted(const Message& message) const;
  /// UD: sends and completes a message of one packet (requester_datagram.cpp).
  bool send_datagram(Message* message);

  // Sending packets (requester.cpp).
  bool may_send(const Message& message) const;
  bool send_packet(Message* message);
  bool send_payload(Message* message, const FrameMaker& maker, const PacketHeader& header,
                    std::uint64_t offset, std::uint32_t bytes);
  bool send_request(Message* message);
  unsigned responses_awaited() const;
  void settle();
  void complete(const Message& message, Status status, VendorErr vendor);

  // Handling responses (requester_responses.cpp).
  std::uint32_t outstanding() const { return next_.steps_from(una_); }
  Message* owner(Psn psn);
  bool advance(Psn to);
  void retire();
  void progressed();
  void acknowledge(const packet::Parsed& packet);
  void nak(const packet::Parsed& packet, std::uint8_t code);
  void receiver_not_ready(Psn psn, unsigned code);
  void read_response(const packet::Parsed& packet);
  void atomic_response(const packet::Parsed& packet);
  bool reach(Message* message);
  void take_credits(const packet::Parsed& packet);
  void retransmit(VendorErr reason);
  void retransmit_once(VendorErr reason);
  void fail_front(Status status, VendorErr vendor);

  // Timer.
  void run_timer(std::uint64_t ns);
  void restart_timer();

  QueuePair& qp_;
  std::deque<Message> sent_;
  std::size_t at_ = 0;  ///< message of the cursor; sent_.size(): a new one
  Psn una_, cursor_, next_;
  std::uint16_t producer_ = 0, fetched_ = 0, completed_ = 0;
  std::uint32_t begun_ = 0, done_ = 0;  ///< numbers of the newest message begun, retired
  std::optional<std::uint32_t> limit_;  ///< newest message that the credits permit
  unsigned since_ack_req_ = 0;
  unsigned retries_ = 0, rnr_retries_ = 0;
  std::optional<Psn> returned_to_;  ///< PSN of the last return; another NAK for it is ignored
  bool waiting_rnr_ = false;
  std::uint64_t deadline_ns_ = kNever, looked_at_ns_ = kNever;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
};

}  // namespace roci::nic
