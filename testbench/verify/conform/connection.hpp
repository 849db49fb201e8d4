// SPDX-License-Identifier: Apache-2.0
// A queue pair of the adapter under test and its peer, which is the test.
//
//   Connection c(dut, [](Options& o) { o.timeout = 10; });
//   c.write(1000);                                   // post
//   c.expect(packet_of(kRcWriteFirst, c.sq(0)));     // see
//   c.nak(kNakSequence, c.sq(1));                    // respond
//   c.sent(Status::kSuccess);                        // poll
#pragma once

#include "driver/address_handle.hpp"
#include "testbench/link/syndromes.hpp"
#include "testbench/verify/conform/statuses.hpp"

namespace roci::conform {

using namespace syndromes;

/// Description of an expected packet.
struct Expected {
  std::string text;
  std::vector<packet::Check> checks;
  /// Adds a condition.
  Expected with(packet::Check check) const {
    Expected more = *this;
    more.checks.push_back(std::move(check));
    return more;
  }
};

/// Expects a packet of this opcode and PSN.
Expected packet_of(std::uint8_t opcode, std::uint32_t psn);
/// Expects an ACK, NAK or RNR NAK; the timer code of an RNR NAK is ignored.
Expected acknowledge(std::uint8_t syndrome, std::uint32_t psn);

/// Returns the neighbour of a GID that peers have by default: the last byte plus 0x40.
driver::Gid neighbour_of(driver::Gid gid);

struct Options : driver::ConnectOptions {
  Options() {
    path_mtu = 1;  // 256 bytes
    max_rd_atomic = max_dest_rd_atomic = 4;
  }
  driver::QpOptions qp;
  std::uint32_t sq_psn = 0xFFFFFD;  ///< most tests cross the PSN wrap
  std::uint32_t rq_psn = 0xFFFFFE;
  QpState up_to = QpState::kRts;
  std::uint16_t pkey_index = 0;
  std::uint32_t qkey = 0x01234567;             ///< UD
  std::optional<driver::Gid> peer_gid;         ///< none: a neighbour of the adapter's
  std::optional<std::uint16_t> vlan;           ///< VLAN of the peer's frames
  bool roce_v1 = false;                        ///< likewise
  driver::ProtectionDomain* pd = nullptr;      ///< nullptr: that of the fixture
  driver::CompletionQueue* send_cq = nullptr;  ///< nullptr: own ones
  driver::CompletionQueue* receive_cq = nullptr;
  unsigned cq_entries = 256;
};

class Connection {
 public:
  explicit Connection(Fixture& fixture, const std::function<void(Options&)>& change = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  driver::QueuePair& qp() { return *qp_; }
  Options& options() { return options_; }
  std::uint32_t number() const { return qp_->number(); }
  std::uint32_t peer_number() const { return peer_number_; }
  driver::Gid peer_gid() const { return peer_gid_; }
  const driver::AddressHandle& ah() const { return *ah_; }
  driver::Address peer_address() const;
  driver::CompletionQueue& send_cq() { return *send_cq_; }
  driver::CompletionQueue& receive_cq() { return *receive_cq_; }
  std::uint32_t pmtu() const { return 128u << options_.path_mtu; }
  /// Return the PSN of the `n`th packet that the adapter sends or expects, from 0.
  std::uint32_t sq(std::int64_t n = 0) const { return wrap(options_.sq_psn + n); }
  std::uint32_t rq(std::int64_t n = 0) const { return wrap(options_.rq_psn + n); }

  // Verbs: posting. Identifiers count from 1; each post returns its own.
  /// Builds a request on the memory's local part from `offset` on, to the peer's kRemoteAddress.
  driver::SendRequest work(Opcode opcode, std::uint32_t bytes, std::size_t offset = 0);
  std::uint64_t post(driver::SendRequest request);
  std::uint64_t send(std::uint32_t bytes) { return post(work(Opcode::kSend, bytes)); }
  std::uint64_t write(std::uint32_t bytes) { return post(work(Opcode::kWrite, bytes)); }
  std::uint64_t read(std::uint32_t bytes, std::size_t offset = 0) {
    return post(work(Opcode::kRead, bytes, offset));
  }
  std::uint64_t fetch_add(std::uint64_t add, std::size_t offset = 0);
  std::uint64_t cmp_swap(std::uint64_t compare, std::uint64_t swap, std::size_t offset = 0);
  /// Builds a receive of `bytes` at `offset` of the memory's local part.
  std::uint64_t receive(std::uint32_t bytes, std::size_t offset = 0);
  std::uint64_t receive(const std::vector<driver::Sge>& list);

  // Verbs: polling. Fails when the next completion is not as stated or does not come.
  Completion sent(Status status = Status::kSuccess, Time within = 1_ms);
  Completion received(Status status = Status::kSuccess, Time within = 1_ms);
  /// The same for an error whose status another statement is about: outside the bench any will do.
  Completion sent_in_error(Status status);
  Completion received_in_error(Status status);
  /// Fails when a completion is there or comes within `ns`.
  void no_completion(Time ns = 0);
  /// Fails unless the adapter reports this state.
  void is_in(QpState state);
  /// Returns attributes from the options, for the transitions of the test.
  driver::QpAttributes attributes() const;
  void move(QpState state, std::uint32_t mask);
  /// Moves from RESET up to `up_to` of the options.
  void connect();
  /// Whether the adapter rejects a modify.
  bool rejects(const driver::QpAttributes& attributes, std::uint32_t mask);

  // Link: packets of the peer. The builders have the correct addresses and numbers.
  Builder from_peer(std::uint8_t opcode, std::uint32_t psn);
  void feed(const Builder& frame) { fixture_.feed(frame); }
  /// Build requests with AckReq for the memory's target part.
  Builder send_request(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload);
  /// `total` is DMALen; 0: as long as the payload. FIRST and ONLY carry a RETH.
  Builder write_request(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload,
                        std::size_t offset = 0, std::uint32_t total = 0);
  Builder read_request(std::uint32_t psn, std::uint32_t bytes, std::size_t offset = 0);
  Builder atomic_request(std::uint8_t opcode, std::uint32_t psn, std::uint64_t swap_add,
                         std::uint64_t compare = 0, std::size_t offset = 0);
  /// Builds a datagram, UD, with the queue pair's Q_Key.
  Builder datagram(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload);
  /// Responses, sent at once.
  void ack(std::uint32_t psn, std::uint8_t syndrome = kAck);
  void nak(std::uint8_t syndrome, std::uint32_t psn) { ack(psn, syndrome); }
  void rnr(std::uint8_t timer, std::uint32_t psn) { ack(psn, kRnrNak | timer); }
  void read_response(std::uint8_t opcode, std::uint32_t psn, const Bytes& payload);
  void atomic_response(std::uint32_t psn, std::uint64_t original);

  // Link: packets that the adapter sends to this peer, in order.
  /// Takes the next packet, which must be as stated.
  Frame expect(const Expected& what, Time within = 100_us);
  /// Takes the next packet, if one comes.
  std::optional<Frame> next(Time within = 100_us);
  /// The same for a packet that may as well not come.
  std::optional<Frame> next_if_any(Time within);
  /// Fails when a packet comes within `ns`.
  void expect_silence(Time ns = 10_us);
  /// Takes ACKs until one acknowledges `psn`; fails for any other packet.
  Frame expect_acked(std::uint32_t psn, Time within = 100_us);
  /// Discards the packets received so far.
  void ignore_packets();

  /// Checks that the connection still works, by a SEND each way. It must be in RTS with nothing
  /// outstanding; `rq` and `sq` are the next PSNs.
  void still_works(std::uint32_t rq, std::uint32_t sq);

  static constexpr std::uint64_t kRemoteAddress = 0x7000'1234'5600;
  static constexpr std::uint32_t kRemoteKey = 0x00ABCD12;
  static constexpr std::uint64_t kPeerMac = 0x525400000099;

 private:
  friend class Fixture;
  static std::uint32_t wrap(std::int64_t psn) { return static_cast<std::uint32_t>(psn) & 0xFFFFFF; }
  /// Returns the index of the next frame for this peer; the number of frames when there is none.
  std::size_t find_next();
  Completion take(driver::CompletionQueue& cq, const char* which, Status status, Time within,
                  bool any_error = false);

  Fixture& fixture_;
  Options options_;
  std::uint32_t peer_number_;
  driver::Gid gid_, peer_gid_;
  std::unique_ptr<driver::CompletionQueue> own_send_cq_, own_receive_cq_;
  driver::CompletionQueue* send_cq_;
  driver::CompletionQueue* receive_cq_;
  std::unique_ptr<driver::QueuePair> qp_;
  std::unique_ptr<driver::AddressHandle> ah_;  ///< UD: of the peer
  std::uint64_t last_id_ = 0;
  std::size_t seen_;  ///< frames of the adapter examined so far
};

}  // namespace roci::conform
