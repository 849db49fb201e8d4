// SPDX-License-Identifier: Apache-2.0
// Queue pairs: states, attributes, posting.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

namespace m = driver::mask;

constexpr QpState kStates[] = {QpState::kReset, QpState::kInit, QpState::kRtr,
                               QpState::kRts,   QpState::kSqd,  QpState::kErr};

std::uint32_t mask_for(QpState from, QpState to) {
  if (from == QpState::kReset && to == QpState::kInit) return m::kInit;
  if (to == QpState::kRtr) return m::kRtr;
  if (from == QpState::kRtr && to == QpState::kRts) return m::kRts;
  return m::kState;
}

bool is_legal(QpState from, QpState to) {
  if (to == QpState::kReset) return true;
  if (to == QpState::kErr) return from != QpState::kReset;
  switch (from) {
    case QpState::kReset:
      return to == QpState::kInit;
    case QpState::kInit:
      return to == QpState::kInit || to == QpState::kRtr;
    case QpState::kRtr:
      return to == QpState::kRts;
    case QpState::kRts:
      return to == QpState::kRts || to == QpState::kSqd;
    case QpState::kSqd:
      return to == QpState::kSqd || to == QpState::kRts;
    case QpState::kErr:
      return false;
  }
  return false;
}

std::string name_of(QpState state) {
  return std::string(spec::name_of(spec::kQpStates, layout::number(state)));
}

/// Brings a connection into `state`.
std::unique_ptr<Connection> in_state(Fixture& dut, QpState state) {
  auto c = std::make_unique<Connection>(
      dut, [=](Options& o) { o.up_to = state < QpState::kRts ? state : QpState::kRts; });
  if (state == QpState::kSqd) c->move(QpState::kSqd, m::kState);
  if (state == QpState::kErr) c->qp().to_error();
  return c;
}

/// Omits each bit of `required` from a transition, which must be rejected.
void needs_each(Fixture& dut, QpState from, QpState to, std::uint32_t required) {
  for (std::uint32_t bit = 1; bit != 0 && bit <= required; bit <<= 1) {
    if ((required & bit) == 0 || bit == m::kState) continue;
    const auto c = in_state(dut, from);
    driver::QpAttributes a = c->attributes();
    a.state = to;
    require(
        c->rejects(a, required & ~bit),
        name_of(from) + " to " + name_of(to) + " without attribute bit " + hex(bit) + " rejected",
        "taken");
    c->is_in(from);
    require(!c->rejects(a, required), "the whole set accepted", "rejected");
  }
}

}  // namespace

TEST("QP-01", "every pair of states") {
  for (const QpState from : kStates) {
    for (const QpState to : kStates) {
      const auto c = in_state(dut, from);
      driver::QpAttributes a = c->attributes();
      a.state = to;
      const bool rejected = c->rejects(a, mask_for(from, to));
      if (from == QpState::kReset && to == QpState::kErr) continue;  // either is correct
      require(rejected != is_legal(from, to),
              name_of(from) + " to " + name_of(to) + (is_legal(from, to) ? " taken" : " rejected"),
              "not");
      c->is_in(rejected ? from : to);
    }
    const auto c = in_state(dut, from);
    driver::QpAttributes a = c->attributes();
    for (const unsigned state : {5u, 7u, 255u}) {
      a.state = static_cast<QpState>(state);
      require(c->rejects(a, m::kState), "state " + std::to_string(state) + " rejected", "taken");
    }
    c->is_in(from);
  }
}

TEST("QP-02", "RESET to INIT with each attribute omitted") {
  needs_each(dut, QpState::kReset, QpState::kInit, m::kInit);
}
TEST("QP-03", "INIT to RTR with each attribute omitted") {
  needs_each(dut, QpState::kInit, QpState::kRtr, m::kRtr);
}
TEST("QP-04", "RTR to RTS with each attribute omitted") {
  needs_each(dut, QpState::kRtr, QpState::kRts, m::kRts);
}

TEST("QP-05", "attributes that do not belong to a transition") {
  struct Case {
    QpState from, to;
    std::uint32_t mask;
  };
  for (const Case& one : {Case{QpState::kInit, QpState::kRtr, m::kRtr | m::kSqPsn},
                          Case{QpState::kInit, QpState::kRtr, m::kRtr | m::kTimeout},
                          Case{QpState::kRtr, QpState::kRts, m::kRts | m::kDestQpn},
                          Case{QpState::kRtr, QpState::kRts, m::kRts | m::kRqPsn},
                          Case{QpState::kReset, QpState::kInit, m::kInit | m::kPathMtu},
                          Case{QpState::kReset, QpState::kInit, m::kInit | m::kSqPsn},
                          Case{QpState::kRts, QpState::kRts, m::kState | m::kSqPsn},
                          Case{QpState::kRts, QpState::kRts, m::kState | m::kPathMtu},
                          Case{QpState::kRts, QpState::kErr, m::kState | m::kTimeout}}) {
    const auto c = in_state(dut, one.from);
    driver::QpAttributes a = c->attributes();
    a.state = one.to;
    require(
        c->rejects(a, one.mask),
        name_of(one.from) + " to " + name_of(one.to) + " with mask " + hex(one.mask) + " rejected",
        "taken");
    c->is_in(one.from);
  }
}

TEST("QP-06", "optional attributes of transitions") {
  struct Case {
    QpState from, to;
    std::uint32_t mask;
  };
  for (const Case& one : {Case{QpState::kInit, QpState::kInit, m::kState | m::kAccessFlags},
                          Case{QpState::kInit, QpState::kRtr, m::kRtr | m::kPkeyIndex},
                          Case{QpState::kInit, QpState::kRtr, m::kRtr | m::kAccessFlags},
                          Case{QpState::kRtr, QpState::kRts, m::kRts | m::kAccessFlags},
                          Case{QpState::kRtr, QpState::kRts, m::kRts | m::kMinRnrTimer},
                          Case{QpState::kRts, QpState::kRts, m::kState | m::kAccessFlags},
                          Case{QpState::kRts, QpState::kRts, m::kState | m::kMinRnrTimer},
                          Case{QpState::kSqd, QpState::kSqd, m::kState | m::kTimeout},
                          Case{QpState::kSqd, QpState::kSqd, m::kState | m::kRetryCnt},
                          Case{QpState::kSqd, QpState::kSqd, m::kState | m::kRnrRetry},
                          Case{QpState::kSqd, QpState::kSqd, m::kState | m::kMaxQpRdAtomic},
                          Case{QpState::kSqd, QpState::kSqd, m::kState | m::kMaxDestRdAtomic},
                          Case{QpState::kSqd, QpState::kSqd, m::kState | m::kAv}}) {
    const auto c = in_state(dut, one.from);
    driver::QpAttributes a = c->attributes();
    a.state = one.to;
    require(!c->rejects(a, one.mask),
            name_of(one.from) + " to " + name_of(one.to) + " with mask " + hex(one.mask) + " taken",
            "rejected");
  }
}

TEST("QP-06", "rights changed in RTS take effect at once") {
  Connection c(dut);
  driver::QpAttributes a = c.attributes();
  a.state = QpState::kRts;
  a.access = driver::access::kLocalWrite;
  c.qp().modify(a, m::kState | m::kAccessFlags);
  c.feed(c.write_request(kRcWriteOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kNakInvalid, c.rq(0)));
}

TEST("QP-07", "path MTU code 0 is rejected") {
  const auto c = in_state(dut, QpState::kInit);
  driver::QpAttributes a = c->attributes();
  a.state = QpState::kRtr;
  a.path_mtu = 0;
  require(c->rejects(a, m::kRtr), "path MTU code 0 rejected", "taken");
  c->is_in(QpState::kInit);
}

TEST("QP-07", "values out of range are truncated or rejected") {
  {
    const auto c = in_state(dut, QpState::kInit);
    driver::QpAttributes a = c->attributes();
    a.state = QpState::kRtr;
    a.rq_psn = 0x1FFFFFF;
    if (!c->rejects(a, m::kRtr)) same("RQ PSN", c->qp().query().rq_psn, 0xFFFFFF);
  }
  {
    const auto c = in_state(dut, QpState::kInit);
    driver::QpAttributes a = c->attributes();
    a.state = QpState::kRtr;
    a.min_rnr_timer = 32;
    if (!c->rejects(a, m::kRtr))
      require(c->qp().query().min_rnr_timer < 32, "a timer code truncated");
  }
  {
    const auto c = in_state(dut, QpState::kRtr);
    driver::QpAttributes a = c->attributes();
    a.state = QpState::kRts;
    a.timeout = 32;
    if (!c->rejects(a, m::kRts)) require(c->qp().query().timeout < 32, "a timeout truncated");
  }
  const auto c = in_state(dut, QpState::kRtr);
  driver::QpAttributes a = c->attributes();
  a.state = QpState::kRts;
  a.retry_cnt = 8;
  a.rnr_retry = 8;
  if (!c->rejects(a, m::kRts)) {
    require(c->qp().query().retry_cnt < 8 && c->qp().query().rnr_retry < 8,
            "retry counts truncated");
  }
}
}  // namespace roci::conform
