// SPDX-License-Identifier: Apache-2.0
// Lock-step: data that the model has written and the RTL has yet to write.
#include <algorithm>

#include "model/spec/layout/queues.hpp"
#include "testbench/lockstep/shadow.hpp"

namespace roci::testbench {
bool Shadow::read(std::uint32_t pasid, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
                  nic::MemoryUse) {
  last_read_ = address;
  last_read_pasid_ = pasid;
  if (!peek_(pasid, address, to, bytes)) return false;
  // The model reads data that the RTL has not written yet.
  for (const Expected& e : expected_) {
    const std::uint64_t first = std::max(e.address, address);
    const std::uint64_t end = std::min(e.address + e.bytes.size(), address + bytes);
    if (e.pasid != pasid || first >= end) continue;
    std::copy_n(&e.bytes[first - e.address], end - first, to + (first - address));
  }
  return true;
}

/// Returns the model's consumer index when `index` is the RTL's: as many entries are unread in
/// both. In errors one may write more of them than the other.
std::uint32_t Shadow::consumed(std::uint32_t cqn, std::uint32_t index) const {
  const auto found = written_.find(cqn);
  if (found == written_.end()) return index;
  return static_cast<std::uint16_t>(index + found->second.model - found->second.rtl);
}

bool Shadow::ring_of(std::uint64_t address, std::uint32_t* cqn) const {
  auto after = rings_.upper_bound(address);
  if (after == rings_.begin()) return false;
  --after;
  *cqn = after->second.cqn;
  return address - after->first < after->second.bytes && after->second.until_ns >= now_ns_;
}

bool Shadow::write(std::uint32_t pasid, std::uint64_t address, const std::uint8_t* from,
                   std::size_t bytes, nic::MemoryUse) {
  std::uint32_t cqn = 0;
  if (copying_) return true;  // writes of firmware
  if (bytes == layout::cqe::kBytes && ring_of(address, &cqn)) {
    const Entry entry = entry_of(from);
    Pair& pair = pairs_[entry.qpn];
    ++written_[cqn].model;
    if (entry.status != nic::Status::kSuccess) {
      note(pair, now_ns_, "the model " + entry.text());
      if (entry.status != nic::Status::kWrFlushErr) pair.error_ns = now_ns_;
    }
    pair.model[entry.queue].push_back({entry, packet::Bytes(from, from + bytes), frame_psn_});
    return true;
  }
  const bool event = address - eq_base_ < eq_bytes_;
  if (!in_frame_ || event) return true;  // events and writes of firmware
  packet::Bytes before(bytes);
  if (!peek_(pasid, address, before.data(), bytes)) return false;
  const nic::QueuePair* model = model_.queue_pair(frame_qpn_);
  const bool shared = frame_is_send_ && model != nullptr && model->attr.srq;
  expected_.push_back({frame_qpn_, frame_psn_, frame_is_response_, pasid, address,
                       packet::Bytes(from, from + bytes), shared, false});
  return true;
}

/// Forgets the writes of which `which` is true.
void Shadow::drop_expected(const std::function<bool(const Expected&)>& which) {
  for (auto at = expected_.begin(); at != expected_.end();) {
    if (!which(*at)) {
      ++at;
      continue;
    }
    acknowledged_ -= at->acknowledged;
    at = expected_.erase(at);
  }
}

/// Whether each byte is that of the model or the present one of memory, which may change within a
/// packet.
bool Shadow::bytes_of(const Sent& response, packet::ByteView payload) const {
  packet::Bytes now(payload.size);
  const bool there = peek_(response.source_pasid, response.source, now.data(), now.size());
  if (payload.size != response.payload.size()) return there && payload == packet::ByteView(now);
  for (std::size_t i = 0; i < payload.size; ++i) {
    if (payload[i] != response.payload[i] && (!there || payload[i] != now[i])) return false;
  }
  return true;
}

/// Returns the first byte that is not in memory yet, if any, except those that newer writes cover.
std::optional<std::size_t> Shadow::missing(std::deque<Expected>::const_iterator at) const {
  packet::Bytes now(at->bytes.size());
  if (!peek_(at->pasid, at->address, now.data(), now.size())) return {};
  std::vector<bool> covered(now.size());
  for (auto newer = std::next(at); newer != expected_.end(); ++newer) {
    const std::uint64_t first = std::max(newer->address, at->address);
    const std::uint64_t end =
        std::min(newer->address + newer->bytes.size(), at->address + at->bytes.size());
    for (std::uint64_t a = first; a < end; ++a) covered[a - at->address] = true;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!covered[i] && now[i] != at->bytes[i]) return i;
  }
  return {};
}

/// Checks data that must be in memory by now; data of shared receives only with `shared`.
void Shadow::check_writes(std::uint32_t qpn, bool response, Psn up_to, bool shared) {
  // UC takes a message at any PSN: due is what arrived before.
  const nic::QueuePair* model = model_.queue_pair(qpn);
  const bool by_arrival = model != nullptr && !model->reliable();
  bool arrived = false;
  for (auto at = expected_.begin(); at != expected_.end();) {
    const bool of_pair = at->qpn == qpn && at->response == response;
    const bool due = of_pair && (by_arrival ? !arrived : !Psn(at->psn).after(up_to));
    arrived = arrived || (of_pair && at->psn == up_to.value());
    if (!due || (at->shared && !shared)) {
      ++at;
      continue;
    }
    if (const auto byte = missing(at)) {
      diverged(qpn, pairs_[qpn],
               "payload of PSN " + std::to_string(at->psn) + ", byte " + std::to_string(*byte) +
                   " of " + std::to_string(at->bytes.size()) + ", is not in memory");
      return;
    }
    at = found(at);
  }
}

/// Removes `at`, which is in memory. Older writes of other queue pairs to that address are covered.
std::deque<Shadow::Expected>::iterator Shadow::found(std::deque<Expected>::iterator at) {
  for (auto older = expected_.begin(); older != at; ++older) {
    const std::uint64_t first = std::max(older->address, at->address);
    const std::uint64_t end =
        std::min(older->address + older->bytes.size(), at->address + at->bytes.size());
    if (older->pasid != at->pasid || first >= end) continue;
    std::copy_n(&at->bytes[first - at->address], end - first,
                &older->bytes[first - older->address]);
  }
  ++counts_.writes;
  acknowledged_ -= at->acknowledged;
  return expected_.erase(at);
}

/// Forgets unsignaled READs before a completion: the program may reuse their memory.
void Shadow::forget_reads(std::uint32_t qpn, Psn up_to) {
  drop_expected(
      [&](const Expected& e) { return e.qpn == qpn && e.response && !Psn(e.psn).after(up_to); });
}

/// Marks the writes that a NAK acknowledged; they may not be in memory yet (decision 0003). The
/// peer may change them once they are in memory, so they are checked whenever memory has changed.
void Shadow::await_writes(std::uint32_t qpn, Psn before) {
  for (Expected& e : expected_) {
    if (e.qpn != qpn || e.response || e.shared || e.acknowledged || !Psn(e.psn).before(before))
      continue;
    e.acknowledged = true;
    ++acknowledged_;
  }
  memory_changed();
}

void Shadow::memory_changed() {
  for (auto at = expected_.begin(); acknowledged_ != 0 && at != expected_.end();) {
    if (!at->acknowledged || missing(at)) {
      ++at;
      continue;
    }
    at = found(at);
  }
}

}  // namespace roci::testbench
