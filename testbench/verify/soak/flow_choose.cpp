// SPDX-License-Identifier: Apache-2.0
// The choice of the next message of a flow: operation, size, address, memory segments.
#include <algorithm>
#include <cstring>

#include "testbench/verify/soak/connection.hpp"

namespace roci::soak {
namespace {

using driver::Opcode;

constexpr Opcode kOpcodes[] = {Opcode::kSend,    Opcode::kSendImm,  Opcode::kSendInv,
                               Opcode::kWrite,   Opcode::kWriteImm, Opcode::kRead,
                               Opcode::kCmpSwap, Opcode::kFetchAdd};

}  // namespace

void Flow::choose(Message& m) {
  const RoundPlan& plan = context_.plan;
  unsigned all = 0;
  for (unsigned w : plan.weights) all += w;
  std::uint64_t dice = below(all);
  unsigned kind = 0;
  while (dice >= plan.weights[kind]) dice -= plan.weights[kind++];
  m.kind = static_cast<Kind>(kind);
  const bool can_invalidate = window_open_ && window_->type() == driver::WindowType::kType2;
  if (m.kind == Kind::kSendInv && !can_invalidate) m.kind = Kind::kSend;
  if (m.bad_key && (m.consumes() || m.atomic())) m.kind = Kind::kWrite;
  const std::uint32_t p = 128u << connection_.options().path_mtu;
  const std::uint32_t sizes[] = {0, 1, 3, p - 1, p, p + 1, 5 * p + 7, 65536};
  m.bytes = m.atomic() ? 8 : std::min(sizes[below(8)], plan.max_bytes);
  if (m.bad_key && m.bytes == 0) m.bytes = 1;  // no key is checked for 0 bytes
}

void Flow::place(Message& m) {
  const std::size_t base = m.slot * stride_ + kEdge;
  const std::size_t shift = m.atomic() ? 0 : below(64);
  m.local = m.target = base + shift;
  m.key = mix(generation_key_ + 2 * m.number + 1);
  m.imm = static_cast<std::uint32_t>(m.key);
  if (m.kind == Kind::kRead) {
    // The READ is of the area, or of the target of an earlier WRITE (I14).
    Flight back;
    for (const Flight& f : flights_) {
      if (f->writes() && f->bytes > 0 && f->bytes <= context_.plan.max_bytes && !f->bad_key)
        back = f;
    }
    if (back && chance(0.3)) {
      m.back_of = back->number;
      ++back->users;
      m.bytes = back->bytes;
      m.key = back->key;
      m.target = back->target;
    } else {
      m.key_at = below(area_of(context_.plan) - m.bytes + 1);
      m.key = generation_key_;
      m.target = area_at_ + m.key_at;
    }
  } else if (m.atomic()) {
    m.target = counter_at_;
    m.common = m.kind == Kind::kFetchAdd && chance(0.3);
    m.add = 1 + below(1000);
    if (!m.common) {
      m.before = counter_;
      const bool miss = m.kind == Kind::kCmpSwap && chance(0.3);
      m.after = m.kind == Kind::kFetchAdd ? m.before + m.add
                : miss                    ? m.before
                                          : m.add << 32 | m.number;
      m.key = miss ? m.before + 1 : m.before;  // operand of the comparison
      counter_ = m.after;
    }
  } else {
    fill(local_.data() + m.local, m.bytes, m.key);
  }
  if (m.kind == Kind::kRead || m.atomic()) {
    fill(local_.data() + m.local - kEdge, m.bytes + 2 * kEdge, ~m.key);
  }
  // The target is marked for every message, and the bytes around it must keep the mark.
  check_mark(m.slot, "when it was reused");
  mark_at_[m.slot] = base + shift - kEdge;
  mark_bytes_[m.slot] = (m.atomic() || m.kind == Kind::kRead ? 0 : m.bytes) + 2 * kEdge;
  mark(mark_at_[m.slot], mark_bytes_[m.slot]);
}

std::vector<driver::Sge> Flow::list(driver::MemoryRegion& region, std::size_t at,
                                    std::uint32_t bytes) {
  std::vector<driver::Sge> sges;
  const std::uint64_t segments = 1 + below(4);
  for (std::uint64_t i = 1; i < segments && bytes > 1; ++i) {
    const auto part = static_cast<std::uint32_t>(1 + below(bytes - 1));
    sges.push_back(region.sge(at, part));
    at += part;
    bytes -= part;
  }
  if (bytes > 0) sges.push_back(region.sge(at, bytes));
  return sges;
}

driver::SendRequest Flow::request(Message& m) {
  driver::SendRequest r;
  r.id = m.number;
  r.opcode = kOpcodes[static_cast<unsigned>(m.kind)];
  r.imm = m.kind == Kind::kSendInv ? window_->key() : m.imm;
  r.signaled = m.signaled;
  r.solicited = chance(0.3);
  // A READ whose response was lost is requested anew, and its key must still be valid.
  r.fence = m.kind == Kind::kSendInv || chance(0.1);
  const bool by_inline = !m.atomic() && m.kind != Kind::kRead && m.bytes > 0 &&
                         m.bytes <= connection_.qp(from_).max_inline() && chance(0.5);
  if (by_inline) {
    r.inline_data = local_.data() + m.local;
    r.inline_bytes = m.bytes;
  } else if (m.atomic()) {
    r.sges = {local_.sge(m.local, 8)};
  } else {
    r.sges = list(local_, m.local, m.bytes);
  }
  r.remote_address = target_.address() + m.target;
  r.remote_key = window_open_ && chance(0.5) ? window_->key() : target_.key();
  if (m.common) {
    driver::MemoryRegion& commons = context_.resources[1 - from_]->commons;
    r.remote_address = commons.address();
    r.remote_key = commons.key();
  }
  if (m.bad_key) r.remote_key = target_.key() ^ 0x55;
  r.swap_add = m.kind == Kind::kCmpSwap ? m.after : m.add;
  if (m.kind == Kind::kCmpSwap && m.key != m.before)
    r.swap_add = ~m.before;  // must not be swapped in
  r.compare = m.key;
  return r;
}

}  // namespace roci::soak
