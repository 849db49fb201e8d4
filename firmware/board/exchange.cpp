// SPDX-License-Identifier: Apache-2.0
#include "firmware/board/exchange.hpp"

namespace roci::fw::board {
namespace {

namespace access = layout::access;
namespace mask = layout::qp_mask;
namespace attributes = layout::qp_attributes;

constexpr uint32_t kSmallestLog = 1;  // for queues in which nothing is posted
constexpr uint32_t kCqLog = 4;
constexpr uint32_t kLargestMtu = 5, kPsnMask = 0xFFFFFF, kQpnMask = 0xFFFFFF;
constexpr uint32_t kRnrTimer = 12;  // 0.64 ms
constexpr uint32_t kRemote = access::kRemoteWrite | access::kRemoteRead;
constexpr uint32_t kInit = mask::kState | mask::kPkeyIndex | mask::kPort | mask::kAccessFlags;
// A queue pair that only responds stays in RTR.
constexpr uint32_t kRtr = mask::kState | mask::kAv | mask::kPathMtu | mask::kDestQpn |
                          mask::kRqPsn | mask::kMaxDestRdAtomic | mask::kMinRnrTimer;

template <typename Value>
void put(Message* message, Place place, Value value) {
  put_bits(message->word, Command::in_body(place), static_cast<uint64_t>(value));
}

uint32_t get(const Message& message, Place place) {
  return static_cast<uint32_t>(get_bits(message.word, Command::in_body(place)));
}

/// First PSN of a connection. It has to differ from that of the last connection of the queue pair.
uint32_t first_psn(uint64_t now) {
  return static_cast<uint32_t>(now * 2654435761u >> 8) & kPsnMask;
}

}  // namespace

bool Exchange::run(layout::AdminOp opcode, Message* command, Message* reply) {
  put_bits(command->word, layout::command_header::opcode, number(opcode));
  return commands_.run(commands_.context, *command, reply) &&
         get_bits(reply->word, layout::reply_header::status) == number(layout::AdminStatus::kOk);
}

bool Exchange::start() {
  const Gid gid = gid_of_ipv4(export_.address);
  Message command = {}, reply = {};
  if (!run(layout::AdminOp::kQueryDevice, &command, &reply)) return false;
  most_pairs_ = get(reply, layout::query_device_reply::max_qp);
  if (!run(layout::AdminOp::kQueryPort, &command, &reply)) return false;
  most_mtu_ = get(reply, layout::query_port_reply::active_mtu);
  put(&command, layout::set_gid::gid_hi, gid.hi);
  put(&command, layout::set_gid::gid_lo, gid.lo);
  if (!run(layout::AdminOp::kSetGid, &command, &reply)) return false;
  command = Message();
  if (!run(layout::AdminOp::kAllocPd, &command, &reply)) return false;
  pd_ = get(reply, layout::alloc_pd_reply::pd);
  command = Message();
  put(&command, layout::create_cq::log_entries, kCqLog);
  put(&command, layout::create_cq::base, export_.completions);
  if (!run(layout::AdminOp::kCreateCq, &command, &reply)) return false;
  cqn_ = get(reply, layout::create_cq_reply::cqn);
  command = Message();
  put(&command, layout::reg_mr::pd, pd_);
  put(&command, layout::reg_mr::access, access::kLocalWrite | kRemote);
  put(&command, layout::reg_mr::iova, export_.region);
  put(&command, layout::reg_mr::addr, export_.region);
  put(&command, layout::reg_mr::length, export_.region_bytes);
  if (!run(layout::AdminOp::kRegMr, &command, &reply)) return false;
  key_ = get(reply, layout::reg_mr_reply::key);
  return true;
}

uint32_t Exchange::connections() const {
  uint32_t count = 0;
  for (const Connection& one : connection_) count += one.used ? 1 : 0;
  return count;
}

Exchange::Connection* Exchange::find(uint32_t address, uint32_t peer_qpn) {
  for (Connection& one : connection_) {
    if (one.used && one.address == address && one.peer_qpn == peer_qpn) return &one;
  }
  return nullptr;
}

bool Exchange::open(const uint8_t* bytes, const Peer& peer, Connection* connection) {
  Message command = {}, reply = {};
  put(&command, layout::create_qp::pd, pd_);
  put(&command, layout::create_qp::send_cqn, cqn_);
  put(&command, layout::create_qp::recv_cqn, cqn_);
  put(&command, layout::create_qp::sq_base, export_.queues);
  put(&command, layout::create_qp::rq_base, export_.queues);
  put(&command, layout::create_qp::sq_log, kSmallestLog);
  put(&command, layout::create_qp::rq_log, kSmallestLog);
  if (!run(layout::AdminOp::kCreateQp, &command, &reply)) return false;
  connection->qpn = get(reply, layout::create_qp_reply::qpn);
  connection->used = true;

  command = Message();
  put(&command, attributes::qpn, connection->qpn);
  put(&command, attributes::attr_mask, kInit);
  put(&command, attributes::state, layout::QpState::kInit);
  put(&command, attributes::port, 1);
  put(&command, attributes::access, kRemote);
  if (!run(layout::AdminOp::kModifyQp, &command, &reply)) return false;
  const Gid gid = gid_of_ipv4(peer.address);
  put(&command, attributes::attr_mask, kRtr);
  put(&command, attributes::state, layout::QpState::kRtr);
  put(&command, attributes::path_mtu, connection->mtu);
  put(&command, attributes::dest_qpn, connection->peer_qpn);
  put(&command, attributes::rq_psn, get_wire(bytes, request::psn));
  put(&command, attributes::max_dest_rd_atomic, connection->reads);
  put(&command, attributes::min_rnr_timer, kRnrTimer);
  put(&command, attributes::dgid_hi, gid.hi);
  put(&command, attributes::dgid_lo, gid.lo);
  put(&command, attributes::dst_mac, peer.mac);
  return run(layout::AdminOp::kModifyQp, &command, &reply);
}

bool Exchange::close(Connection* connection) {
  Message command = {}, reply = {};
  put(&command, layout::destroy_qp::qpn, connection->qpn);
  if (!run(layout::AdminOp::kDestroyQp, &command, &reply)) return false;
  *connection = Connection();
  return true;
}

void Exchange::look(uint64_t now) {
  for (Connection& one : connection_) {
    if (!one.used) continue;
    Message command = {}, reply = {};
    put(&command, layout::query_qp::qpn, one.qpn);
    if (!run(layout::AdminOp::kQueryQp, &command, &reply)) continue;
    const uint32_t psn = get(reply, attributes::rq_psn);
    // One in ERR takes no packet any more.
    const bool broken = get(reply, attributes::state) == number(layout::QpState::kErr);
    if (broken) one.heard = 0;
    if (!broken && psn != one.seen_psn) one.heard = now;
    one.seen_psn = psn;
  }
}

Exchange::Connection* Exchange::free_one(uint64_t now) {
  Connection* oldest = nullptr;
  Connection* unused = nullptr;
  if (connections() >= most_pairs_) look(now);
  for (Connection& one : connection_) {
    if (!one.used) {
      unused = unused == nullptr ? &one : unused;
    } else if (oldest == nullptr || one.heard < oldest->heard) {
      oldest = &one;
    }
  }
  // Queue pairs run out before the connections do: two numbers are reserved.
  if (connections() < most_pairs_ && unused != nullptr) return unused;
  if (oldest == nullptr || now - oldest->heard < kIdleNs || !close(oldest)) return nullptr;
  return oldest;
}

Status Exchange::connect(const uint8_t* bytes, const Peer& peer, uint64_t now, Connection** made) {
  const auto qpn = static_cast<uint32_t>(get_wire(bytes, request::qpn));
  const auto psn = static_cast<uint32_t>(get_wire(bytes, request::psn));
  const auto token = static_cast<uint32_t>(get_wire(bytes, request::token));
  auto mtu = static_cast<uint32_t>(get_wire(bytes, request::mtu));
  auto reads = static_cast<uint32_t>(get_wire(bytes, request::reads));
  if (qpn > kQpnMask || psn > kPsnMask || mtu < 1 || mtu > kLargestMtu || reads < 1) {
    return Status::kMalformed;
  }
  for (const Closed& one : closed_) {
    if (one.address == peer.address && one.peer_qpn == qpn && one.token == token) {
      return Status::kNotConnected;
    }
  }
  Connection* connection = find(peer.address, qpn);
  if (connection != nullptr) {
    if (connection->token == token) {  // its reply was lost
      *made = connection;
      return Status::kOk;
    }
    if (!close(connection)) return Status::kFailed;
  } else {
    connection = free_one(now);
    if (connection == nullptr) return Status::kFull;
  }
  if (mtu > most_mtu_) mtu = most_mtu_;
  if (reads > kMaxRdAtomic) reads = kMaxRdAtomic;
  *connection = Connection();
  connection->peer_qpn = qpn;
  connection->token = token;
  connection->address = peer.address;
  connection->psn = first_psn(now);
  connection->mtu = static_cast<uint8_t>(mtu);
  connection->reads = static_cast<uint8_t>(reads);
  connection->seen_psn = psn;
  connection->heard = now;
  if (!open(bytes, peer, connection)) {
    if (connection->used) close(connection);
    return Status::kFailed;
  }
  *made = connection;
  return Status::kOk;
}

Status Exchange::disconnect(const uint8_t* bytes, const Peer& peer) {
  Connection* connection = find(peer.address, static_cast<uint32_t>(get_wire(bytes, request::qpn)));
  if (connection == nullptr) return Status::kNotConnected;
  closed_[next_closed_++ % kClosed] = {connection->address, connection->peer_qpn,
                                       connection->token};
  return close(connection) ? Status::kOk : Status::kFailed;
}

size_t Exchange::handle(const uint8_t* bytes, size_t length, const Peer& peer, uint64_t now,
                        const uint32_t* counters, uint8_t* reply) {
  if (length < request::kBytes || get_wire(bytes, request::magic) != kMagic) return 0;
  const auto operation = static_cast<uint32_t>(get_wire(bytes, request::operation));
  if ((operation & kReplyBit) != 0) return 0;  // two of these never talk to each other
  for (size_t i = 0; i < kMostBytes; ++i) reply[i] = 0;
  put_wire(reply, request::magic, kMagic);
  put_wire(reply, request::version, kVersion);
  put_wire(reply, request::operation, operation | kReplyBit);
  put_wire(reply, request::token, get_wire(bytes, request::token));
  Status status = Status::kMalformed;
  size_t sent = request::kBytes;
  Connection* made = nullptr;
  if (get_wire(bytes, request::version) == kVersion) {
    switch (static_cast<Operation>(operation)) {
      case Operation::kConnect:
        status = connect(bytes, peer, now, &made);
        break;
      case Operation::kDisconnect:
        status = disconnect(bytes, peer);
        break;
      case Operation::kStatus:
        status = Status::kOk;
        for (uint32_t i = 0; i < kCounters; ++i) {
          put_wire(reply, counter(i), counters[i]);
        }
        sent = kStatusBytes;
        break;
    }
  }
  if (made != nullptr) {
    put_wire(reply, request::qpn, made->qpn);
    put_wire(reply, request::psn, made->psn);
    put_wire(reply, request::mtu, made->mtu);
    put_wire(reply, request::reads, made->reads);
    put_wire(reply, region::key, key_);
    put_wire(reply, region::address, export_.region);
    put_wire(reply, region::bytes, export_.region_bytes);
    sent = region::kBytes;
  }
  put_wire(reply, request::status, number(status));
  return sent;
}

}  // namespace roci::fw::board
