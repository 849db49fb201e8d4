// SPDX-License-Identifier: Apache-2.0
// Checks after a schedule: completions, recovery path, order.
#include <algorithm>

#include "testbench/verify/faults/schedule_runner.hpp"

namespace roci::testbench::faults {

/// Waits for late packets; they must have no effect.
void ActiveSchedule::settle() {
  constexpr std::uint64_t kSettleNs = 30'000;
  do {
    sleep(kSettleNs);
  } while (!way(Way::kRequests).empty() || !way(Way::kResponses).empty());
  if (plan_.hostile) return;
  INFO("I1: nothing completes twice");
  CHECK_FALSE(self_->send_cq.poll());
  CHECK_FALSE(peer_->send_cq.poll());
  CHECK_FALSE(self_->receive_cq.poll());
  const auto most = receives();
  unsigned least = 0;
  for (unsigned i = 0; i < good_; ++i) least += plan_.messages[i].receives();
  INFO("I4: receives completed ", received_, ", good messages that take one ", least, ", all ",
       most);
  CHECK(received_ >= least);
  CHECK(received_ <= (failed_ ? most : least));
  reference_->finish();
  CHECK((self_->qp().query().state == driver::QpState::kErr) == failed_);
}

void ActiveSchedule::check_path() {
  for (unsigned k = 0; k < plan_.faults.size(); ++k) {
    const Fault& fault = plan_.faults[k];
    const auto& rules = way(fault.way).faults().rules;
    unsigned place = 0;
    for (unsigned i = 0; i < k; ++i) place += plan_.faults[i].way == fault.way;
    const unsigned hits = rules.at(place).hits;
    INFO("fault ", k, ": it never fired, or not as often as planned");
    CHECK(hits >= std::max(1u, fault.hits));
    if (fault.hits != 0) CHECK(hits == fault.hits);
  }
  const Seen& s = seen();
  const driver::QpCounters c = counters();
  INFO("on the link: requests ", s.requests, ", repeats ", s.repeats, ", READs again ", s.rereads,
       ", sequence NAKs ", s.sequence_naks, ", RNR NAKs ", s.rnr_naks, ", responses repeated ",
       s.replays, "; counted: retries ", c.retries, ", timeouts ", c.timeouts);
  const std::uint64_t t = transport::timeout_ns(plan_.connect.timeout);
  switch (plan_.path) {
    case Path::kAny:
      break;
    case Path::kNone:
      CHECK(s.repeats == 0);
      CHECK(c.retries == 0);
      break;
    case Path::kNak:
      CHECK(s.sequence_naks >= 1);
      CHECK(s.repeats >= 1);
      CHECK(c.retries >= 1);
      CHECK(c.timeouts == 0);
      break;
    case Path::kTimer: {
      CHECK(s.repeats >= 1);
      CHECK(c.timeouts >= 1);
      const std::uint64_t waited = s.first_repeat_ns - s.first_fault_ns;
      // The timer may have started before the packet that was lost.
      CHECK(waited >= t - t / 8);
      CHECK(waited <= 4 * t + t / 8);
      break;
    }
    case Path::kReread:
      CHECK(s.rereads >= 1);
      CHECK(c.retries >= 1);
      CHECK(c.timeouts == 0);
      break;
    case Path::kRnr:
      CHECK(s.rnr_naks >= 1);
      CHECK(s.repeats >= 1);
      CHECK(c.timeouts == 0);
      break;
  }
}

/// Checks I14: a READ reads the WRITE before it, which is in memory when the SEND after both
/// completes.
void ActiveSchedule::check_order() {
  INFO("I14: WRITE, READ and SEND after the schedule");
  constexpr std::uint64_t kPattern = 0x77000000;
  constexpr std::uint32_t kBytes = 600, kSend = 100;
  constexpr std::size_t kOther = 1024;
  const std::size_t at = reference_->order_at();
  const std::uint32_t to = peer_->qp().number();
  for (const Message m : {Message{Opcode::kWrite, kBytes}, Message{Opcode::kRead, kBytes},
                          Message{Opcode::kSend, kSend}}) {
    runner_.watch().message(plan_.from, to, m, kPattern + generation_);
  }
  fill(self_->data(at), kBytes, kPattern + generation_);
  const driver::SendRequest list[] = {
      request(Opcode::kWrite, *self_, at, kBytes, *peer_, at),
      request(Opcode::kRead, *self_, at + kOther, kBytes, *peer_, at),
      request(Opcode::kSend, *self_, at, kSend, *peer_, 0)};
  CHECK(self_->qp().post_send(list, 3));
  const auto got = peer_->receive_cq.wait(bound_ns());
  CHECK((got && got->id == reference_->spare(0).id));
  CHECK(first_wrong(peer_->data(at), kBytes, kPattern + generation_) == kBytes);
  for (unsigned i = 0; i < 3; ++i) {
    const auto done = self_->send_cq.wait(bound_ns());
    CHECK((done && done->ok()));
    if (i == 1)
      CHECK(first_wrong(self_->data(at + kOther), kBytes, kPattern + generation_) == kBytes);
  }
}

}  // namespace roci::testbench::faults
