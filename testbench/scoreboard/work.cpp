// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/work.hpp"

#include <algorithm>
#include <iterator>

#include "driver/layout.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/rules.hpp"

namespace roci::testbench {
namespace {

using driver::Opcode;
using driver::QpState;
using driver::Status;
using driver::WcOpcode;

constexpr std::size_t kCqeBytes = layout::cqe::kBytes;

WcOpcode completion_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSend:
    case Opcode::kSendImm:
      return WcOpcode::kSend;
    case Opcode::kWrite:
    case Opcode::kWriteImm:
      return WcOpcode::kWrite;
    case Opcode::kRead:
      return WcOpcode::kRead;
    case Opcode::kCmpSwap:
      return WcOpcode::kCmpSwap;
    case Opcode::kFetchAdd:
      return WcOpcode::kFetchAdd;
    case Opcode::kSendInv:
      return WcOpcode::kSend;
    case Opcode::kLocalInv:
      return WcOpcode::kLocalInv;
    case Opcode::kBindMw:
      return WcOpcode::kBindMw;
    case Opcode::kRegMr:
      return WcOpcode::kRegMr;
  }
  return WcOpcode::kSend;
}

/// Fields that a modify with `mask` sets.
void merge(driver::QpAttributes& to, const driver::QpAttributes& from, std::uint32_t mask) {
  namespace m = driver::mask;
  if ((mask & m::kState) != 0) to.state = from.state;
  if ((mask & m::kAccessFlags) != 0) to.access = from.access;
  if ((mask & m::kPathMtu) != 0) to.path_mtu = from.path_mtu;
  if ((mask & m::kTimeout) != 0) to.timeout = from.timeout;
  if ((mask & m::kRetryCnt) != 0) to.retry_cnt = from.retry_cnt;
  if ((mask & m::kRnrRetry) != 0) to.rnr_retry = from.rnr_retry;
  if ((mask & m::kRqPsn) != 0) to.rq_psn = from.rq_psn;
  if ((mask & m::kSqPsn) != 0) to.sq_psn = from.sq_psn;
  if ((mask & m::kMaxQpRdAtomic) != 0) to.max_rd_atomic = from.max_rd_atomic;
  if ((mask & m::kMaxDestRdAtomic) != 0) to.max_dest_rd_atomic = from.max_dest_rd_atomic;
  if ((mask & m::kMinRnrTimer) != 0) to.min_rnr_timer = from.min_rnr_timer;
  if ((mask & m::kDestQpn) != 0) to.dest_qpn = from.dest_qpn;
}

}  // namespace

void WorkMonitor::cq_created(std::uint32_t cqn, std::uint64_t dma, unsigned log) {
  rings_[dma] = Ring{cqn, log};
  next_[cqn] = 0;
}

void WorkMonitor::cq_resizing(std::uint32_t cqn, std::uint64_t dma, unsigned log) {
  rings_[dma] = Ring{cqn, log, true};
}

void WorkMonitor::cq_resized(std::uint32_t cqn, std::uint64_t dma, bool taken) {
  for (auto at = rings_.begin(); at != rings_.end();) {
    const bool gone = at->second.cqn == cqn && (at->first == dma) != taken;
    at = gone ? rings_.erase(at) : std::next(at);
  }
  if (taken) rings_[dma].moving = false;
}

void WorkMonitor::cq_destroyed(std::uint32_t cqn) {
  for (auto at = rings_.begin(); at != rings_.end();) {
    at = at->second.cqn == cqn ? rings_.erase(at) : std::next(at);
  }
}

void WorkMonitor::qp_created(std::uint32_t qpn, std::optional<std::uint32_t> srqn) {
  connections_[qpn] = Connection{};
  connections_[qpn].srqn = srqn;
}

void WorkMonitor::qp_destroyed(std::uint32_t qpn) {
  abandoned_ += connections_[qpn].sends.size();
  connections_.erase(qpn);
}

void WorkMonitor::qp_modified(std::uint32_t qpn, const driver::QpAttributes& attributes,
                              std::uint32_t mask) {
  Connection& c = connections_[qpn];
  merge(c.attributes, attributes, mask);
  if ((mask & driver::mask::kState) == 0) return;
  if (attributes.state == QpState::kReset) {
    abandoned_ += c.sends.size();
    c.sends.clear();
    c.receives.clear();
    c.send_failed = c.receive_failed = false;
    c.resumed = 0;
  } else if (attributes.state == QpState::kRtr) {
    c.generation = ++generations_;
  } else if (attributes.state == QpState::kRts) {
    if (c.send_failed) ++c.resumed;  // it was in SQE, which UC and UD leave so
    c.send_failed = false;
  }
}

void WorkMonitor::send_posted(std::uint32_t qpn, std::uint16_t index,
                              const driver::SendRequest& request) {
  Connection& c = connections_[qpn];
  if (c.sends.empty()) c.progress_ns = now_ns_;
  std::uint64_t bytes = request.inline_data != nullptr ? request.inline_bytes : 0;
  for (const driver::Sge& sge : request.sges) bytes += sge.length;
  c.sends.push_back({index, request.signaled, request.opcode, bytes});
}

void WorkMonitor::receive_posted(std::uint32_t qpn, std::uint16_t index,
                                 const driver::ReceiveRequest& request) {
  std::uint64_t bytes = 0;
  for (const driver::Sge& sge : request.sges) bytes += sge.length;
  connections_[qpn].receives.push_back({index, true, Opcode::kSend, bytes});
}

void WorkMonitor::srq_destroyed(std::uint32_t srqn) { shared_.erase(srqn); }

void WorkMonitor::srq_posted(std::uint32_t srqn, std::uint16_t tag,
                             const driver::ReceiveRequest& request) {
  std::uint64_t bytes = 0;
  for (const driver::Sge& sge : request.sges) bytes += sge.length;
  shared_[srqn][tag] = bytes;
}

void WorkMonitor::memory_written(std::uint64_t now_ns, std::uint64_t address,
                                 const std::uint8_t* host, unsigned bytes) {
  now_ns_ = now_ns;
  auto after = rings_.upper_bound(address);
  if (after == rings_.begin()) return;
  --after;
  const std::uint64_t offset = address - after->first;
  if (offset >= kCqeBytes << after->second.log) return;
  completion(after->second, offset, host, bytes);
}

void WorkMonitor::completion(const Ring& ring, std::uint64_t offset, const std::uint8_t* cqe,
                             unsigned bytes) {
  const auto field = [&](auto place) { return get(cqe, place); };
  std::uint32_t& next = next_[ring.cqn];
  const std::uint32_t slot = next & ((1u << ring.log) - 1);
  const bool owner = (next >> ring.log & 1) == 0;
  const bool owned = field(layout::cqe::owner) == owner;
  // While a ring moves, both addresses are valid; in the new ring all entries except the next are
  // copies.
  if (ring.moving && (offset != slot * kCqeBytes || !owned)) return;
  if (bytes != kCqeBytes || offset != slot * kCqeBytes) {
    violate("CQ-06: completion queue " + std::to_string(ring.cqn) + " written at byte " +
            std::to_string(offset) + ", " + std::to_string(bytes) + " bytes, entry " +
            std::to_string(slot) + " is next");
    return;
  }
  if (!owned) {
    violate("completion queue " + std::to_string(ring.cqn) + ": owner bit of the wrong pass");
  }
  ++next;
  ++completions_;

  const std::uint32_t qpn = field(layout::cqe::qpn);
  const auto found = connections_.find(qpn);
  const std::string who = "queue pair " + std::to_string(qpn);
  if (found == connections_.end()) {
    violate("I1: completion of " + who + ", which does not exist");
    return;
  }
  Connection& c = found->second;
  c.progress_ns = now_ns_;
  const std::uint32_t opcode = field(layout::cqe::opcode);
  const bool receive = (opcode & static_cast<std::uint32_t>(WcOpcode::kRecv)) != 0;
  const auto status = static_cast<Status>(field(layout::cqe::status));
  const std::uint16_t index = field(layout::cqe::wqe_index);
  const std::string what = who + (receive ? " receive " : " send ") + std::to_string(index);

  const auto taken = take(c, receive, index, what);
  if (!taken) return;
  const Connection::Posted& posted = *taken;

  bool& failed = receive ? c.receive_failed : c.send_failed;
  if (status != Status::kSuccess) {
    failed = true;
    return;
  }
  if (failed) violate("I9: " + what + " succeeded after an error on its queue");
  const std::uint32_t byte_len = field(layout::cqe::byte_len);
  if (receive) {
    const bool write = opcode == static_cast<std::uint32_t>(WcOpcode::kRecvWriteImm);
    if (!write && byte_len > posted.bytes) {
      violate("I8: " + what + " received " + std::to_string(byte_len) + " bytes into " +
              std::to_string(posted.bytes));
    }
    return;
  }
  if (!posted.signaled) violate("RQ-47: " + what + " was not signaled");
  if (opcode != static_cast<std::uint32_t>(completion_of(posted.opcode))) {
    violate("CQ-04: " + what + " completed as operation " + std::to_string(opcode));
  }
  const bool reads = posted.opcode == Opcode::kRead || posted.opcode == Opcode::kCmpSwap ||
                     posted.opcode == Opcode::kFetchAdd;
  if (reads && byte_len != posted.bytes) {
    violate("CQ-04: " + what + " has " + std::to_string(byte_len) + " bytes, requested " +
            std::to_string(posted.bytes));
  }
}

std::optional<WorkMonitor::Connection::Posted> WorkMonitor::take(Connection& c, bool receive,
                                                                 std::uint16_t index,
                                                                 const std::string& what) {
  if (receive && c.srqn) {
    auto& shared = shared_[*c.srqn];
    const auto at = shared.find(index);
    if (at == shared.end()) {
      violate("I1: " + what + " of a shared queue completed, but is not outstanding");
      return {};
    }
    const Connection::Posted posted{index, true, Opcode::kSend, at->second};
    shared.erase(at);
    return posted;
  }
  auto& queue = receive ? c.receives : c.sends;
  const auto at = std::find_if(queue.begin(), queue.end(),
                               [index](const auto& posted) { return posted.index == index; });
  if (at == queue.end()) {
    violate("I1: " + what + " completed, but is not outstanding");
    return {};
  }
  for (auto earlier = queue.begin(); earlier != at; ++earlier) {
    if (earlier->signaled) {
      violate("I2: " + what + " completed before " + std::to_string(earlier->index));
    }
  }
  const Connection::Posted posted = *at;
  queue.erase(queue.begin(), at + 1);
  return posted;
}

const WorkMonitor::Connection* WorkMonitor::find(std::uint32_t qpn) const {
  const auto found = connections_.find(qpn);
  return found == connections_.end() ? nullptr : &found->second;
}

void WorkMonitor::progress(std::uint32_t qpn, std::uint64_t now_ns) {
  const auto found = connections_.find(qpn);
  if (found != connections_.end()) found->second.progress_ns = now_ns;
}

std::uint64_t WorkMonitor::rnr_ns() const {
  std::uint64_t most = 0;
  for (const auto& [qpn, c] : connections_) {
    most = std::max(most, transport::rnr_ns(c.attributes.min_rnr_timer));
  }
  return most;
}

void WorkMonitor::check_progress(std::uint64_t now_ns, std::uint64_t slack_ns,
                                 std::uint64_t rnr_ns) {
  now_ns_ = now_ns;
  for (auto& [qpn, c] : connections_) {
    if (!c.waiting() || c.attributes.timeout == 0 || c.attributes.state != QpState::kRts) continue;
    constexpr std::uint64_t kUnitNs = 4096;
    const std::uint64_t t = kUnitNs << c.attributes.timeout;
    const std::uint64_t bound = (c.attributes.retry_cnt + 1u) * 4 * t + 2 * rnr_ns + slack_ns;
    if (now_ns > c.progress_ns + bound) {
      violate("I11: queue pair " + std::to_string(qpn) + " makes no progress with " +
              std::to_string(c.sends.size()) + " sends since " + std::to_string(c.progress_ns) +
              " ns");
      c.progress_ns = now_ns;
    }
  }
}

}  // namespace roci::testbench
