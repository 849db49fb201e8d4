// SPDX-License-Identifier: Apache-2.0
#include "model/nic/events.hpp"

#include <algorithm>
#include <array>

#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::nic {
namespace {

namespace eq_size = layout::reg::eq_size;
namespace engine_event = layout::reg::engine_event;
constexpr std::size_t kEqeBytes = layout::eqe::kBytes;
constexpr std::size_t kMostReported = 4096;  // bounds the memory when firmware reads no events

}  // namespace

bool EventQueue::enabled() const { return layout::get(size_, eq_size::enable); }

void EventQueue::set_size(std::uint32_t value) {
  if (layout::get(value, eq_size::enable) && !enabled()) {
    producer_ = consumer_ = 0;
    overflowed_ = false;
    owed_.clear();
  }
  size_ = value;
}

bool EventQueue::full() const {
  return static_cast<std::uint16_t>(producer_ - consumer_) >=
         1u << (layout::get(size_, eq_size::log));
}

void EventQueue::set_consumer(std::uint16_t index) {
  consumer_ = index;
  while (!owed_.empty() && !full()) {
    const std::uint32_t cqn = owed_.front();
    owed_.pop_front();
    post(EventKind::kCompletion, cqn);
  }
}

void EventQueue::post(std::uint8_t kind, std::uint32_t number) {
  if (!enabled()) return;
  const unsigned log = layout::get(size_, eq_size::log);
  const std::uint32_t entries = 1u << log;
  if (full()) {
    overflowed_ = true;
    if (kind == static_cast<std::uint8_t>(EventKind::kCompletion) &&
        std::find(owed_.begin(), owed_.end(), number) == owed_.end()) {
      owed_.push_back(number);
    }
    return;
  }
  std::array<std::uint8_t, kEqeBytes> eqe{};
  const auto put = [&](auto field, std::uint64_t value) { layout::put(eqe.data(), field, value); };
  put(layout::eqe::kind, kind);
  put(layout::eqe::number, number);
  put(layout::eqe::owner, (producer_ >> log & 1) == 0);
  const std::uint64_t at = base_ + (producer_ & (entries - 1)) * kEqeBytes;
  ++producer_;
  memory_.write(layout::get(size_, eq_size::pasid), at, eqe.data(), eqe.size(), MemoryUse::kEvent);
}

void EventQueue::report(EventKind kind, std::uint32_t number) {
  if (reported_.size() == kMostReported) reported_.pop_front();
  reported_.push_back(layout::mask(engine_event::valid) | layout::bits(engine_event::kind, kind) |
                      layout::bits(engine_event::number, number));
}

std::uint32_t EventQueue::take() {
  if (reported_.empty()) return 0;
  const std::uint32_t event = reported_.front();
  reported_.pop_front();
  return event;
}

}  // namespace roci::nic
