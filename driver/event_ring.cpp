// SPDX-License-Identifier: Apache-2.0
#include "driver/event_ring.hpp"

#include "driver/admin_queue.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kEqeBytes = layout::eqe::kBytes;

}  // namespace

EventRing::EventRing(Device& device, unsigned log)
    : device_(device), log_(log), ring_(device.allocate(kEqeBytes << log, kPage)) {
  write_address(device_, layout::reg::kEqBaseLo, layout::reg::kEqBaseHi, ring_.dma);
  device_.write32(layout::reg::kEqConsumer, 0);
  namespace eq_size = layout::reg::eq_size;
  device_.write32(layout::reg::kEqSize, bits(eq_size::log, log) | bits(eq_size::enable, true) |
                                            bits(eq_size::pasid, device_.pasid()));
}

EventRing::~EventRing() {
  device_.write32(layout::reg::kEqSize, 0);
  device_.read32(layout::reg::kEqSize);  // the write is in the adapter
  device_.release(ring_);
}

const std::uint8_t* EventRing::entry() const {
  return ring_.host + (consumer_ & ((1u << log_) - 1)) * kEqeBytes;
}

bool EventRing::pending() const {
  const bool pass_owner = (consumer_ >> log_ & 1) == 0;
  return get(entry(), layout::eqe::owner) == pass_owner;
}

std::optional<Event> EventRing::poll() {
  if (!pending()) return {};
  owner_before_entry();
  const Event event{static_cast<EventKind>(get(entry(), layout::eqe::kind)),
                    get(entry(), layout::eqe::number)};
  ++consumer_;
  device_.write32(layout::reg::kEqConsumer, bits(layout::reg::eq_consumer::index, consumer_));
  return event;
}

std::optional<Event> EventRing::wait(std::uint64_t timeout_ns) {
  device_.wait([this] { return pending(); }, timeout_ns);
  return poll();
}

bool EventRing::overflowed() {
  const std::uint32_t status = device_.read32(layout::reg::kEqStatus);
  if (status != 0) device_.write32(layout::reg::kEqStatus, status);
  return get(status, layout::reg::eq_status::overflow);
}

}  // namespace roci::driver
