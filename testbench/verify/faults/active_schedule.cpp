// SPDX-License-Identifier: Apache-2.0
// The programs of a schedule: requester, responder, and the second generation.
#include <algorithm>

#include "testbench/verify/faults/schedule_runner.hpp"

namespace roci::testbench::faults {
namespace {

constexpr std::uint64_t kMarginNs = 1'000'000;

/// Messages of the second generation: one of each operation.
const std::vector<Message>& second_messages() {
  static const std::vector<Message> kAll = {{Opcode::kSend, 300},
                                            {Opcode::kWrite, 64},
                                            {Opcode::kRead, 500},
                                            {Opcode::kFetchAdd, 8},
                                            {Opcode::kWriteImm, 0}};
  return kAll;
}

}  // namespace

Status ActiveSchedule::status_of(unsigned i) const {
  if (plan_.statuses.empty()) return Status::kSuccess;
  return plan_.statuses[std::min<std::size_t>(i, plan_.statuses.size() - 1)];
}

/// Returns the limit of I11 between two signs of progress, by the formula of the fault plan.
std::uint64_t ActiveSchedule::bound_ns() const {
  const driver::ConnectOptions& c = plan_.connect;
  const std::uint64_t rnr = std::min<unsigned>(c.rnr_retry, 6) + 1;
  return plan_.rounds * ((c.retry_cnt + 1u) * 4 * transport::timeout_ns(c.timeout) +
                         rnr * 2 * transport::rnr_ns(c.min_rnr_timer)) +
         kMarginNs;
}

unsigned ActiveSchedule::receives() const {
  return static_cast<unsigned>(std::count_if(plan_.messages.begin(), plan_.messages.end(),
                                             [](const Message& m) { return m.receives(); }));
}

packet::Builder ActiveSchedule::request_frame(std::uint8_t opcode, std::uint32_t psn) {
  return packet::Builder()
      .ethernet(peer_->node.mac(), self_->node.mac())
      .gids(self_->node.gid(), peer_->node.gid())
      .bth(opcode, peer_->qp().number(), transport::Psn(psn));
}
packet::Builder ActiveSchedule::response_frame(std::uint8_t opcode, std::uint32_t psn) {
  return packet::Builder()
      .ethernet(self_->node.mac(), peer_->node.mac())
      .gids(peer_->node.gid(), self_->node.gid())
      .bth(opcode, self_->qp().number(), transport::Psn(psn));
}
void ActiveSchedule::inject(Way to, const packet::Builder& builder) {
  way(to).inject(world().now_ns(), builder.build());
}

void ActiveSchedule::build() {
  ConnectionOptions options;
  options.queue_pairs = 1 + plan_.others;
  options.region_bytes = std::max(ReferenceRegions::region_bytes(plan_.messages),
                                  ReferenceRegions::region_bytes(second_messages()));
  connection_ = std::make_unique<Connection>(runner_.world().node(plan_.from),
                                             runner_.world().node(1 - plan_.from), options);
  self_ = &connection_->self;
  peer_ = &connection_->peer;
}

void ActiveSchedule::connect() {
  for (unsigned i = 0; i <= plan_.others; ++i) {
    // The watch has the PSNs before the first packet.
    if (i == 0) {
      const std::uint32_t self = self_->qp().number(), peer = peer_->qp().number();
      runner_.watch().connect(plan_.from, self, peer, plan_.psn);
      runner_.watch().connect(1 - plan_.from, peer, self, plan_.psn);
    }
    connection_->connect(i, plan_.psn, plan_.connect);
  }
}

void ActiveSchedule::arm() {
  for (const Fault& fault : plan_.faults) {
    FaultRule rule = fault.rule;
    rule.qpn = fault.way == Way::kRequests ? peer_->qp().number() : self_->qp().number();
    way(fault.way).faults().rules.push_back(rule);
  }
}

void ActiveSchedule::post_receives() {
  for (unsigned i = 0; i < plan_.messages.size(); ++i) {
    if (plan_.messages[i].receives()) peer_->qp().receive(reference_->receive(i));
  }
  // A duplicate that is delivered would use one of these receives.
  for (unsigned k = 0; k < 2; ++k) peer_->qp().receive(reference_->spare(k));
}

/// Posts the messages that the window permits, with one doorbell.
void ActiveSchedule::post() {
  std::vector<driver::SendRequest> list;
  while (posted_ < plan_.messages.size() && posted_ - completed_ < plan_.window) {
    runner_.watch().message(plan_.from, peer_->qp().number(), plan_.messages[posted_],
                            reference_->pattern_of(posted_));
    list.push_back(reference_->post(posted_++));
  }
  if (!list.empty()) CHECK(self_->qp().post_send(list.data(), list.size()));
}

void ActiveSchedule::complete() {
  while (completed_ < plan_.messages.size()) {
    const auto done = self_->send_cq.wait(bound_ns());
    if (!done) {
      throw Violation("I11: message " + std::to_string(completed_) + " does not complete within " +
                      std::to_string(bound_ns()) + " ns");
    }
    const unsigned i = completed_++;
    INFO("I1, I2, I9: completion of message ", i, ", ", std::string(name_of(plan_.messages[i].op)));
    CHECK(done->id == i);
    if (plan_.hostile) {
      failed_ |= !done->ok();
      if (failed_) CHECK_FALSE(done->ok());
      continue;
    }
    CHECK(std::string(driver::name_of(done->status)) == driver::name_of(status_of(i)));
    if (done->ok()) {
      ++good_;
      reference_->good(i, seen().sequence_naks != 0);
    } else {
      failed_ = true;
      reference_->bad(i);
    }
    post();
  }
}

/// Runs the second generation for I15: the same numbers and PSNs with other contents.
void ActiveSchedule::second_generation() {
  INFO("I15: second generation");
  for (unsigned i = 0; i <= plan_.others; ++i) {
    self_->qp(i).to_reset();
    peer_->qp(i).to_reset();
  }
  for (Way w : {Way::kRequests, Way::kResponses}) way(w).faults().rules.clear();
  for (Endpoint* side : {self_, peer_}) {
    while (side->receive_cq.poll()) {
    }
    CHECK_FALSE(side->send_cq.poll());
  }
  ++generation_;
  plan_.messages = second_messages();
  plan_.statuses.clear();
  plan_.faults.clear();
  plan_.path = Path::kNone;
  plan_.hostile = false;
  runner_.watch().trust(false);
  connect();
  reference_ = std::make_unique<ReferenceRegions>(plan_.messages, generation_, *self_, *peer_);
  posted_ = completed_ = good_ = received_ = 0;
  failed_ = false;
  post_receives();
  post();
  complete();
  for (const unsigned want = receives(); received_ < want; ++received_) {
    CHECK(peer_->receive_cq.wait(bound_ns()));
  }
  settle();
  check_path();
}

void ActiveSchedule::requester() {
  build();
  connect();
  reference_ = std::make_unique<ReferenceRegions>(plan_.messages, generation_, *self_, *peer_);
  if (plan_.receives) post_receives();
  arm();
  runner_.watch().trust(plan_.hostile);
  started_ = true;
  peer_->node.device().wake();
  post();
  if (plan_.during) plan_.during(*this);
  complete();
  if (plan_.after) plan_.after(*this);
  sleep(5'000);
  left_ = true;
  peer_->node.device().wake();
  self_->node.device().wait([this] { return over_; }, driver::Device::kForever);
  settle();
  check_path();
  for (Way w : {Way::kRequests, Way::kResponses}) way(w).faults().rules.clear();
  if (!failed_ && !plan_.hostile) check_order();
  second_generation();
  connection_.reset();
}

/// Polls the receives as they complete.
void ActiveSchedule::responder() {
  Node& node = runner_.world().node(1 - plan_.from);
  node.device().wait([this] { return started_; }, driver::Device::kForever);
  std::vector<unsigned> order;
  for (unsigned i = 0; i < plan_.messages.size(); ++i) {
    if (plan_.messages[i].receives()) order.push_back(i);
  }
  constexpr std::uint64_t kLookNs = 50'000;
  for (;;) {
    const auto got = peer_->receive_cq.wait(left_ ? 0 : kLookNs);
    if (!got && left_) break;
    if (!got || !got->ok() || plan_.hostile) continue;
    INFO("I2, I4: receive ", received_);
    REQUIRE(received_ < order.size());
    const unsigned i = order[received_++];
    CHECK(got->id == i);
    CHECK(got->byte_len == plan_.messages[i].bytes);
    reference_->received(i);
  }
  over_ = true;
  self_->node.device().wake();
}

}  // namespace roci::testbench::faults
