// SPDX-License-Identifier: Apache-2.0
#include "model/nic/events.hpp"

#include <algorithm>
#include <array>

#include "model/spec/layout/queues.hpp"

namespace roci::nic {
namespace {

constexpr std::uint32_t kLogMask = 0xF;
constexpr std::uint32_t kEnable = 1u << 4;
constexpr unsigned kPasidShift = 12;
constexpr std::size_t kEqeBytes = layout::eqe::kBytes;
constexpr std::uint32_t kValid = 1u << 31;
constexpr unsigned kKindShift = 24;
constexpr std::size_t kMostTold = 4096;  // firmware that never looks must not cost memory

}  // namespace

bool EventQueue::enabled() const { return (size_ & kEnable) != 0; }

void EventQueue::set_size(std::uint32_t value) {
  if ((value & kEnable) != 0 && !enabled()) {
    producer_ = consumer_ = 0;
    overflowed_ = false;
    owed_.clear();
  }
  size_ = value;
}

bool EventQueue::full() const {
  return static_cast<std::uint16_t>(producer_ - consumer_) >= 1u << (size_ & kLogMask);
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
  const unsigned log = size_ & kLogMask;
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
  memory_.write(size_ >> kPasidShift, at, eqe.data(), eqe.size());
}

void EventQueue::tell(EventKind kind, std::uint32_t number) {
  if (told_.size() == kMostTold) told_.pop_front();
  told_.push_back(kValid | static_cast<std::uint32_t>(kind) << kKindShift | number);
}

std::uint32_t EventQueue::take() {
  if (told_.empty()) return 0;
  const std::uint32_t event = told_.front();
  told_.pop_front();
  return event;
}

}  // namespace roci::nic
