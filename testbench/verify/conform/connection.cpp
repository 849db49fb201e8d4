// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/connection.hpp"

#include <algorithm>
#include <array>

namespace roci::conform {
namespace {

constexpr std::uint32_t kFirstPeerNumber = 0x654300;

std::uint32_t next_peer_number() {
  static std::uint32_t number = kFirstPeerNumber;
  return ++number;
}

}  // namespace

driver::Gid neighbour_of(driver::Gid gid) {
  gid[15] = static_cast<std::uint8_t>(gid[15] + 0x40);
  return gid;
}

Connection::Connection(Fixture& fixture, const std::function<void(Options&)>& change)
    : fixture_(fixture), peer_number_(next_peer_number()), seen_(fixture.adapter().sent().size()) {
  const std::uint8_t calm = options_.timeout;
  if (change) change(options_);
  options_.timeout = fixture.adapter().timeout_code(options_.timeout, calm);
  if (options_.sgid_index != 0 && fixture.context().limits().lacks(layout::Option::kNetworks)) {
    throw driver::Error(driver::AdminStatus::kUnsupported, 0, "the adapter has one IPv4 GID alone");
  }
  gid_ = fixture.adapter().gid(options_.sgid_index);
  peer_gid_ = options_.peer_gid.value_or(neighbour_of(gid_));
  send_cq_ = options_.send_cq;
  receive_cq_ = options_.receive_cq;
  if (send_cq_ == nullptr) {
    own_send_cq_ =
        std::make_unique<driver::CompletionQueue>(fixture.context(), options_.cq_entries);
    send_cq_ = own_send_cq_.get();
  }
  if (receive_cq_ == nullptr) {
    own_receive_cq_ =
        std::make_unique<driver::CompletionQueue>(fixture.context(), options_.cq_entries);
    receive_cq_ = own_receive_cq_.get();
  }
  driver::ProtectionDomain& pd = options_.pd != nullptr ? *options_.pd : fixture.pd();
  qp_ = std::make_unique<driver::QueuePair>(pd, *send_cq_, *receive_cq_, options_.qp);
  if (options_.qp.service == driver::Service::kUd) {
    ah_ = std::make_unique<driver::AddressHandle>(pd, peer_address());
  }
  fixture_.connections_.push_back(this);

  connect();
}

driver::Address Connection::peer_address() const {
  driver::Address address;
  address.dgid = peer_gid_;
  address.sgid_index = options_.sgid_index;
  address.hop_limit = options_.hop_limit;
  address.traffic_class = options_.traffic_class;
  address.sl = options_.sl;
  address.flow_label = options_.flow_label;
  address.dst_mac = kPeerMac;
  return address;
}

driver::QpAttributes Connection::attributes() const {
  driver::QpAttributes a;
  a.access = options_.access;
  a.pkey_index = options_.pkey_index;
  a.path_mtu = options_.path_mtu;
  a.timeout = options_.timeout;
  a.retry_cnt = options_.retry_cnt;
  a.rnr_retry = options_.rnr_retry;
  a.min_rnr_timer = options_.min_rnr_timer;
  a.max_rd_atomic = options_.max_rd_atomic;
  a.max_dest_rd_atomic = options_.max_dest_rd_atomic;
  a.sgid_index = options_.sgid_index;
  a.hop_limit = options_.hop_limit;
  a.traffic_class = options_.traffic_class;
  a.sl = options_.sl;
  a.flow_label = options_.flow_label;
  a.dst_mac = kPeerMac;
  a.dest_qpn = peer_number_;
  a.dgid = peer_gid_;
  a.sq_psn = options_.sq_psn;
  a.rq_psn = options_.rq_psn;
  a.qkey = options_.qkey;
  return a;
}

void Connection::connect() {
  struct Step {
    QpState state;
    std::uint32_t mask;
  };
  namespace mask = driver::mask;
  using Steps = std::array<Step, 3>;
  constexpr std::uint32_t kSoon = mask::kUnreliableRts;
  constexpr Steps kRc = {
      {{QpState::kInit, mask::kInit}, {QpState::kRtr, mask::kRtr}, {QpState::kRts, mask::kRts}}};
  constexpr Steps kUc = {
      {{QpState::kInit, mask::kInit}, {QpState::kRtr, mask::kUcRtr}, {QpState::kRts, kSoon}}};
  constexpr Steps kUd = {
      {{QpState::kInit, mask::kUdInit}, {QpState::kRtr, mask::kUdRtr}, {QpState::kRts, kSoon}}};
  const driver::Service service = options_.qp.service;
  for (const Step& step : service == driver::Service::kRc   ? kRc
                          : service == driver::Service::kUc ? kUc
                                                            : kUd) {
    if (options_.up_to < step.state) break;
    move(step.state, step.mask);
  }
}

void Connection::move(QpState state, std::uint32_t mask) {
  driver::QpAttributes a = attributes();
  a.state = state;
  qp_->modify(a, mask);
}

bool Connection::rejects(const driver::QpAttributes& attributes, std::uint32_t mask) {
  try {
    qp_->modify(attributes, mask);
  } catch (const driver::Error&) {
    return true;
  }
  return false;
}

Connection::~Connection() {
  auto& all = fixture_.connections_;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

driver::SendRequest Connection::work(Opcode opcode, std::uint32_t bytes, std::size_t offset) {
  driver::SendRequest r;
  r.opcode = opcode;
  if (bytes != 0) r.sges = {fixture_.memory().sge(offset, bytes)};
  r.remote_address = kRemoteAddress;
  r.remote_key = kRemoteKey;
  if (ah_) r.ah = ah_->number();
  r.remote_qpn = peer_number_;
  r.qkey = options_.qkey;
  return r;
}

std::uint64_t Connection::post(driver::SendRequest request) {
  request.id = ++last_id_;
  qp_->send(request);
  return request.id;
}

std::uint64_t Connection::fetch_add(std::uint64_t add, std::size_t offset) {
  driver::SendRequest r = work(Opcode::kFetchAdd, 8, offset);
  r.swap_add = add;
  return post(r);
}

std::uint64_t Connection::cmp_swap(std::uint64_t compare, std::uint64_t swap, std::size_t offset) {
  driver::SendRequest r = work(Opcode::kCmpSwap, 8, offset);
  r.swap_add = swap;
  r.compare = compare;
  return post(r);
}

std::uint64_t Connection::receive(std::uint32_t bytes, std::size_t offset) {
  std::vector<driver::Sge> list;
  if (bytes != 0) list.push_back(fixture_.memory().sge(offset, bytes));
  return receive(list);
}

std::uint64_t Connection::receive(const std::vector<driver::Sge>& list) {
  qp_->receive({++last_id_, list});
  return last_id_;
}

Completion Connection::take(driver::CompletionQueue& cq, const char* which, Status status,
                            Time within, bool any_error) {
  const std::string expected =
      (any_error ? "an error" : std::string(driver::name_of(status))) + " of a " + which;
  const auto completion = cq.wait(within);
  if (!completion) throw Failure(expected, "no completion in " + std::to_string(within) + " ns");
  if (any_error ? completion->ok() : completion->status != status) {
    throw wrong_status(expected, any_error ? std::nullopt : std::optional(status), *completion);
  }
  return *completion;
}

Completion Connection::sent(Status status, Time within) {
  return take(*send_cq_, "send", status, within);
}
Completion Connection::received(Status status, Time within) {
  return take(*receive_cq_, "receive", status, within);
}

Completion Connection::sent_in_error(Status status) {
  return take(*send_cq_, "send", status, 1_ms, !fixture_.adapter().in_bench());
}
Completion Connection::received_in_error(Status status) {
  return take(*receive_cq_, "receive", status, 1_ms, !fixture_.adapter().in_bench());
}

void Connection::no_completion(Time ns) {
  if (ns != 0) fixture_.sleep(ns);
  for (driver::CompletionQueue* cq : {send_cq_, receive_cq_}) {
    const auto completion = cq->poll();
    if (completion) {
      throw Failure("no completion", std::string(driver::name_of(completion->status)) +
                                         (completion->receive ? " of a receive" : " of a send"));
    }
  }
}

void Connection::is_in(QpState state) {
  const auto name = [](QpState s) {
    return std::string(spec::name_of(spec::kQpStates, layout::number(s)));
  };
  const QpState seen = qp_->query().state;
  require(seen == state, "state " + name(state), name(seen));
}

}  // namespace roci::conform
