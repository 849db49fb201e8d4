// SPDX-License-Identifier: Apache-2.0
// Completions of the requester, and the checks against memory and link.
#include <algorithm>
#include <cstring>

#include "testbench/verify/soak/connection.hpp"

namespace roci::soak {
namespace {

using driver::Status;

/// Returns the timeouts that pauses of both directions may have caused for a message posted at
///
/// `from_ns`.
std::uint64_t timeouts_of_pauses(const RoundPlan& plan, std::uint64_t from_ns,
                                 std::uint64_t now_ns) {
  const std::uint64_t shortest = std::uint64_t{4096} << plan.connect.timeout;
  std::uint64_t sum = 0;
  for (const testbench::Faults& f : plan.config.faults) {
    for (const testbench::Span& pause : f.pauses) {
      const std::uint64_t begin = std::max(pause.from_ns, from_ns);
      const std::uint64_t end = std::min(pause.to_ns, now_ns);
      if (begin < end) sum += (end - begin) / shortest + 1;
    }
  }
  return sum;
}

}  // namespace

void Flow::take(const driver::Completion& c) {
  context_.ledger.note(connection_.index(), context_.world.now_ns(),
                       "node " + std::to_string(from_) + " send " + std::to_string(c.id) + ": " +
                           driver::name_of(c.status));
  if ((c.id & kBind) != 0) {
    // The window belongs to the other flow, whose target is this node.
    if (!c.ok() && c.status != Status::kWrFlushErr) {
      fail(std::string("a bind ended with ") + driver::name_of(c.status));
    }
    if (!c.ok()) failed_ = true;
    return connection_.flow(1 - from_).bound(c.ok());
  }
  FlowTrace& trace = context_.ledger.trace(connection_.index(), from_);
  // Unsignaled messages before it succeeded.
  while (!flights_.empty() && flights_.front()->number != c.id && !flights_.front()->signaled) {
    const Flight f = flights_.front();
    flights_.pop_front();
    ++trace.done;
    good(*f);
    release(f);
  }
  if (flights_.empty() || flights_.front()->number != c.id) {
    fail("I2: completion of " + std::to_string(c.id) + ", " +
         (flights_.empty() ? "nothing" : std::to_string(flights_.front()->number)) + " is next");
  }
  const Flight f = flights_.front();
  if (!c.ok()) {
    judge(c, *f);
    flights_.pop_front();
    ++trace.done;
    failed_lot_.push_back(f);
    if (!connection_.over()) connection_.stop();
    return;
  }
  if (failed_) fail("I9: message " + std::to_string(c.id) + " succeeded after one that failed");
  flights_.pop_front();
  ++trace.done;
  good(*f);
  release(f);
}

void Flow::judge(const driver::Completion& c, const Message& m) {
  const RoundPlan& plan = context_.plan;
  const FlowTrace& trace = context_.ledger.trace(connection_.index(), from_);
  const std::uint64_t paused = timeouts_of_pauses(plan, trace.oldest_ns(), context_.world.now_ns());
  const auto unexpected = [&] {
    fail("I9: message " + std::to_string(m.number) + " (" + name_of(m.kind) + ") ended with " +
         driver::name_of(c.status) + "; " + std::to_string(trace.hits_of_oldest()) +
         " faults hit its connection since it was posted, pauses allow " + std::to_string(paused) +
         " timeouts, retry_cnt is " + std::to_string(connection_.options().retry_cnt));
  };
  if (connection_.is_witness()) unexpected();
  if (failed_) {
    if (c.status != Status::kWrFlushErr) unexpected();
    ++context_.tally.flushed;
    return;
  }
  failed_ = true;
  ++context_.tally.bad;
  const bool peer_may_be_gone = connection_.over() || connection_.flow(1 - from_).failed_ ||
                                connection_.ending() == Ending::kBadKey;
  switch (c.status) {
    case Status::kRetryExcErr:
      ++context_.tally.retry_exceeded;
      // Each transmission must have met a fault.
      if (!peer_may_be_gone && trace.hits_of_oldest() + paused <= connection_.options().retry_cnt) {
        unexpected();
      }
      return;
    case Status::kRnrRetryExcErr:
      ++context_.tally.rnr_exceeded;
      if (connection_.options().rnr_retry == 7) unexpected();
      if (plan.late_receive == 0 && !plan.srq[1 - from_] && !peer_may_be_gone) unexpected();
      return;
    case Status::kRemAccessErr:
      ++context_.tally.access_errors;
      if (!m.bad_key) unexpected();
      return;
    case Status::kWrFlushErr:
      ++context_.tally.flushed;
      // The queue pair is in error: ended by the plan, or as responder of a bad request.
      if (!connection_.over() && connection_.ending() != Ending::kBadKey) unexpected();
      return;
    default:
      unexpected();
  }
}

void Flow::good(Message& m) {
  if (m.bad_key) fail("I8: a request with a wrong key succeeded");
  m.done = true;
  ++done_;
  ++context_.tally.good;
  context_.tally.bytes += m.bytes;
  const std::uint8_t* here = local_.data() + m.local;
  if (m.kind == Kind::kRead) {
    const std::size_t wrong = first_wrong(here, m.bytes, m.key, m.key_at);
    if (wrong != m.bytes) {
      fail("I3: byte " + std::to_string(wrong) + " of READ " + std::to_string(m.number) +
           " is wrong" + (m.back_of != ~std::uint64_t{0} ? " (I14: of data written before)" : ""));
    }
  }
  if (m.kind == Kind::kRead || m.atomic()) {
    if (first_wrong(here - kEdge, kEdge, ~m.key) != kEdge ||
        first_wrong(here + m.bytes, kEdge, ~m.key, kEdge + m.bytes) != kEdge) {
      fail("I6: bytes beside the response of " + std::to_string(m.number) + " were written");
    }
  }
  if (m.atomic()) {
    ++context_.tally.atomics;
    std::uint64_t original;
    std::memcpy(&original, here, 8);
    if (m.common) {
      context_.tally.added[1 - from_] += m.add;
      if (original < common_seen_) fail("I4: the common sum decreased");
      common_seen_ = original + m.add;
    } else if (original != m.before) {
      fail("I4: " + std::string(name_of(m.kind)) + " " + std::to_string(m.number) + " returned " +
           std::to_string(original) + ", memory held " + std::to_string(m.before));
    }
  }
  check_landed(m);
  const bool own_place = m.writes() || (m.sends() && !context_.resources[1 - from_]->pool);
  if (!own_place) return;
  // A sequence NAK completes requests up to a write latency before their bytes are in memory:
  // docs/decisions/0003.
  const std::uint64_t latency = 2000 + 8 * context_.plan.config.memory_ns;
  if (first_wrong(target_.data() + m.target, m.bytes, m.key) != m.bytes) {
    context_.node(from_).sleep(latency);
  }
  check_target(m, "at its completion");
}

void Flow::check_target(const Message& m, const char* when) {
  const std::uint8_t* there = target_.data() + m.target;
  const std::size_t wrong = first_wrong(there, m.bytes, m.key);
  if (wrong != m.bytes) {
    fail("I3: byte " + std::to_string(wrong) + " of " + name_of(m.kind) + " " +
         std::to_string(m.number) + " (" + std::to_string(m.bytes) + " bytes) is wrong " + when);
  }
  const std::size_t at = mark_at_[m.slot];
  if (first_wrong(target_.data() + at, kEdge, ~std::uint64_t{from_}, at) != kEdge ||
      first_wrong(there + m.bytes, kEdge, ~std::uint64_t{from_}, m.target + m.bytes) != kEdge) {
    fail("I6: bytes beside " + std::to_string(m.number) + " were written");
  }
}

/// Checks that data written before a receive completed is in memory (I14).
void Flow::check_landed(const Message& up_to) {
  while (!landing_.empty() && landing_.front()->number <= up_to.number) {
    const Flight f = landing_.front();
    landing_.pop_front();
    if (f->number != up_to.number && !f->done) check_target(*f, "when a later message had arrived");
  }
}

void Flow::release(const Flight& flight) {
  if (flight->back_of != ~std::uint64_t{0}) {
    for (const Flight& f : waiting_) {
      if (f->number == flight->back_of) --f->users;
    }
  }
  waiting_.push_back(flight);
  settle();
}

/// Frees the slots of messages that are complete at both ends.
void Flow::settle() {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const Message& m = **at;
    if (!m.done || (m.consumes() && !m.received) || m.users != 0) {
      ++at;
      continue;
    }
    // From here on nothing may write to the slot until it is reused (I5).
    mark(mark_at_[m.slot], mark_bytes_[m.slot]);
    free_.push_back(m.slot);
    at = waiting_.erase(at);
  }
}

}  // namespace roci::soak
