// SPDX-License-Identifier: Apache-2.0
// Faults on accesses to the memory of processes: those that fail, and completion queues that stop.
#include <fmt/format.h>

#include <algorithm>

#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "sim/faults/scripts.hpp"

namespace roci::sim::faults {
namespace {

bool names_adapter(const Rule& rule, unsigned adapter) {
  const auto& list = rule.adapters;
  return list.empty() || std::find(list.begin(), list.end(), adapter) != list.end();
}

}  // namespace

MemoryEffect Scripts::access(const MemoryAccess& access) {
  MemoryEffect effect;
  effect.fails = fails(access);
  if (!effect.fails && access.written != nullptr) effect.held = hold(access);
  return effect;
}

bool Scripts::fails(const MemoryAccess& access) {
  const bool write = access.written != nullptr;
  bool failed = false;
  for (Fault& fault : faults_) {
    const Rule& rule = fault.rule;
    if (rule.action != Action::kFailMemory || !names_adapter(rule, access.adapter) ||
        (rule.access != Access::kAny && (rule.access == Access::kWrite) != write) ||
        (rule.area != Area::kAny && rule.area != registry_.area(access.pasid, access.address)) ||
        !matches_process(rule, registry_.process(access.pasid))) {
      continue;
    }
    if (!rule.hits(++fault.seen) || failed) continue;
    failed = true;
    log(fault, {{"time_ns", *now_ns_},
                {"adapter", nodes_.name_of(access.adapter)},
                {"access", write ? "write" : "read"},
                {"address", access.address},
                {"bytes", access.bytes},
                {"text", "memory access failed"}});
  }
  return failed;
}

/// Keeps the entries of a queue that is stopped, or stops with one of them. Returns their bytes.
std::size_t Scripts::hold(const MemoryAccess& access) {
  const auto number = registry_.completion_queue(access.adapter, access.pasid, access.address);
  if (!number) return 0;
  const StoppedQueues::Name queue{access.adapter, *number};
  constexpr std::size_t kEntry = layout::cqe::kBytes;
  std::size_t held = 0;
  for (std::size_t at = 0; at + kEntry <= access.bytes; at += kEntry) {
    const std::uint8_t* entry = access.written + at;
    count_completion(queue, access, entry);
    if (!stopped_.has(queue)) continue;
    stopped_.keep(queue, access.address + at, {entry, entry + kEntry});
    held += kEntry;
  }
  if (held != 0 && stopped_.full(queue)) go_on(queue);
  return held;
}

/// Counts a completion for the faults that it matches; one of them may stop the queue.
void Scripts::count_completion(StoppedQueues::Name queue, const MemoryAccess& access,
                               const std::uint8_t* entry) {
  const std::uint32_t number = get(entry, layout::cqe::qpn);
  const QueuePair* pair = registry_.queue_pair(queue.first, number);
  for (Fault& fault : faults_) {
    const Rule& rule = fault.rule;
    if (rule.action != Action::kStopCompletions || !names_adapter(rule, queue.first) ||
        (rule.queue_pair && rule.queue_pair != number) ||
        (rule.nth_queue_pair && (pair == nullptr || rule.nth_queue_pair != pair->nth)) ||
        !matches_process(rule, registry_.process(access.pasid))) {
      continue;
    }
    if (!rule.hits(++fault.seen) || stopped_.has(queue)) continue;
    const auto serial = stopped_.stop(queue, access.pasid, fault.number, rule.completions);
    if (rule.time_ns != 0) {
      simulator_->at(*now_ns_ + rule.time_ns, [this, queue, serial] { go_on(queue, serial); });
    }
    log(fault, {{"time_ns", *now_ns_},
                {"adapter", nodes_.name_of(queue.first)},
                {"queue_pair", number},
                {"completion_queue", queue.second},
                {"text", fmt::format("completion queue {} stops", queue.second)}});
  }
}

/// Writes what was kept, in order, and reports it.
void Scripts::go_on(StoppedQueues::Name name, std::uint64_t serial) {
  const auto queue = stopped_.take(name, serial);
  if (!queue) return;
  for (const auto& [address, entry] : queue->entries) {
    simulator_->write(queue->pasid, address, entry);
  }
  if (queue->event) simulator_->report_completions(name.first, name.second);
}

void Scripts::begun(unsigned adapter, layout::AdminOp opcode, const driver::Body& body) {
  if (stopped_.empty() || opcode != layout::AdminOp::kResizeCq) return;
  // The process copies what it has not polled, so all must be in its ring.
  go_on({adapter, static_cast<std::uint32_t>(body.get(layout::resize_cq::cqn))});
}

void Scripts::done(unsigned adapter, std::uint32_t pasid, layout::AdminOp opcode,
                   const driver::Body& body, const driver::Body& reply) {
  registry_.done(adapter, pasid, opcode, body, reply);
  if (stopped_.empty() || opcode != layout::AdminOp::kDestroyCq) return;
  stopped_.take({adapter, static_cast<std::uint32_t>(body.get(layout::destroy_cq::cqn))});
}

void Scripts::left(std::uint32_t pasid) {
  stopped_.drop(pasid);
  registry_.left(pasid);
}

}  // namespace roci::sim::faults
