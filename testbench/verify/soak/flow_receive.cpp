// SPDX-License-Identifier: Apache-2.0
// The receiving end of a flow.
#include <algorithm>
#include <cstring>

#include "testbench/verify/soak/connection.hpp"

namespace roci::soak {

void Flow::post_receive(const Flight& flight) {
  driver::ReceiveRequest r;
  r.id = flight->number;
  if (flight->sends()) r.sges = list(target_, flight->target, flight->bytes);
  ++receives_posted_;
  connection_.qp(1 - from_).receive(r);
}

void Flow::receive() {
  testbench::Node& node = context_.node(1 - from_);
  driver::CompletionQueue& cq = connection_.receive_cq(1 - from_);
  while (!connection_.closed()) {
    const std::uint64_t now = context_.world.now_ns();
    std::uint64_t next = driver::Device::kForever;
    if (!late_.empty() && !connection_.over()) {
      next = late_.front().at_ns > now ? late_.front().at_ns - now : 0;
    }
    const auto first_late = late_.size();
    if (next != 0) {
      node.device().wait(
          [&] { return cq.ready() || connection_.closed() || late_.size() != first_late; }, next);
    }
    while (!late_.empty() && !connection_.over() &&
           late_.front().at_ns <= context_.world.now_ns()) {
      const Flight flight = late_.front().flight;
      post_receive(flight);
      late_.pop_front();
    }
    while (const auto c = cq.poll()) take_receive(*c);
  }
}

void Flow::take_receive(const driver::Completion& c) {
  Pool* pool = context_.resources[1 - from_]->pool.get();
  context_.ledger.note(connection_.index(), context_.world.now_ns(),
                       "node " + std::to_string(1 - from_) + " receive " + std::to_string(c.id) +
                           ": " + driver::name_of(c.status));
  ++receives_ended_;
  if (!c.ok()) {
    if (c.status != driver::Status::kWrFlushErr) {
      fail(std::string("I9: a receive ended with ") + driver::name_of(c.status));
    }
    receive_flushed_ = true;
    if (pool != nullptr) pool->free.push_back(c.id);
    return;
  }
  if (consuming_.empty())
    fail("I4: receive " + std::to_string(c.id) + " completed, none was expected");
  const Flight flight = consuming_.front();
  Message& m = *flight;
  consuming_.pop_front();
  const std::string what = std::string(name_of(m.kind)) + " " + std::to_string(m.number);
  if (receive_flushed_) fail("I9: " + what + " was received after a flush");
  if (pool == nullptr && c.id != m.number) {
    fail("I2: receive " + std::to_string(c.id) + " completed, " + what + " was expected");
  }
  const bool write = m.kind == Kind::kWriteImm;
  const bool imm = write || m.kind == Kind::kSendImm;
  if ((c.opcode == driver::WcOpcode::kRecvWriteImm) != write || c.byte_len != m.bytes ||
      c.with_imm != imm || (imm && c.imm != m.imm) || c.with_inv != (m.kind == Kind::kSendInv)) {
    fail("I3: the receive of " + what + " has wrong fields, " + std::to_string(c.byte_len) +
         " bytes of " + std::to_string(m.bytes));
  }
  check_landed(m);
  if (pool != nullptr && !write) {
    if (first_wrong(pool->at(c.id), m.bytes, m.key) != m.bytes) {
      fail("I3: " + what + " arrived wrong in a shared receive");
    }
  } else {
    check_target(m, "when it was received");
  }
  if (pool != nullptr) {
    pool->free.push_back(c.id);
    pool->refill();
  }
  m.received = true;
  ++context_.tally.receives;
  if (m.kind == Kind::kSendInv) {
    ++context_.tally.invalidations;
    if (c.imm != window_->key()) fail("the receive of " + what + " names another key");
    if (!connection_.over()) connection_.post(1 - from_, [&] { bind(); });
  }
  if (m.done) settle();
  context_.node(from_).device().wake();
}

}  // namespace roci::soak
