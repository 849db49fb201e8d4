// SPDX-License-Identifier: Apache-2.0
// The provider: how libibverbs finds roci0 and its like, and opens them.
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "driver/device/clock.hpp"
#include "driver/time/process_clock.hpp"
#include "driver/verbs/objects.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::verbs {
namespace {

constexpr unsigned kEmptyPolls = 32;         ///< in a row, before the thread sleeps
constexpr std::uint64_t kYieldNs = 150'000;  ///< before the first sleep it yields for so long
constexpr std::uint64_t kBusyNs = 100'000;  ///< a processor that comes back later has others to run
constexpr unsigned kWaitsToSleep = 64;      ///< waits without yielding after that
constexpr std::uint64_t kRestNs = 200'000;  ///< longest sleep
constexpr std::uint32_t kDriverUnknown = 0;  ///< RDMA_DRIVER_UNKNOWN

std::vector<std::uint32_t> async_codes() {
  std::vector<std::uint32_t> codes(16, driver::protocol::kNotReported);
  const auto set = [&](driver::EventKind kind, ibv_event_type type) {
    codes.at(layout::number(kind)) = type;
  };
  set(driver::EventKind::kCqError, IBV_EVENT_CQ_ERR);
  set(driver::EventKind::kQpFatal, IBV_EVENT_QP_FATAL);
  set(driver::EventKind::kQpRequest, IBV_EVENT_QP_REQ_ERR);
  set(driver::EventKind::kQpAccess, IBV_EVENT_QP_ACCESS_ERR);
  set(driver::EventKind::kCommEst, IBV_EVENT_COMM_EST);
  set(driver::EventKind::kSqDrained, IBV_EVENT_SQ_DRAINED);
  set(driver::EventKind::kSrqLimit, IBV_EVENT_SRQ_LIMIT_REACHED);
  set(driver::EventKind::kQpLastWqe, IBV_EVENT_QP_LAST_WQE_REACHED);
  set(driver::EventKind::kSrqError, IBV_EVENT_SRQ_ERR);
  codes.at(driver::protocol::kPortActive) = IBV_EVENT_PORT_ACTIVE;
  codes.at(driver::protocol::kPortError) = IBV_EVENT_PORT_ERR;
  codes.at(driver::protocol::kDeviceFatal) = IBV_EVENT_DEVICE_FATAL;
  return codes;
}

const ContextOps& operations() {
  static const ContextOps all = [] {
    ContextOps operations{};
    add_query_operations(operations);
    add_domain_operations(operations);
    add_cq_operations(operations);
    add_qp_operations(operations);
    add_multicast_operations(operations);
    add_window_operations(operations);
    add_srq_operations(operations);
    operations.free_context = [](ibv_context* context) {
      auto* base = reinterpret_cast<verbs_context*>(reinterpret_cast<char*>(context) -
                                                    offsetof(verbs_context, context));
      auto* whole = reinterpret_cast<Context*>(base);
      delete whole->device;
      verbs_uninit_context(base);  // closes the asynchronous channel
      std::free(whole);
    };
    return operations;
  }();
  return all;
}

verbs_context* alloc_context(ibv_device* ibv, int cmd_fd, void*) {
  OpenDevice* device = nullptr;
  try {
    device = new OpenDevice(driver::RemoteDevice::place_from_environment(ibv->name));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roci: %s\n", error.what());
    const int code = errno_of_exception();
    close(cmd_fd);
    errno = code;
    return nullptr;
  }
  auto* context = static_cast<Context*>(
      _verbs_init_and_alloc_context(ibv, cmd_fd, sizeof(Context), nullptr, kDriverUnknown));
  if (context == nullptr) {
    close(device->async_fd());
    delete device;
    return nullptr;
  }
  context->device = device;
  context->base.context.async_fd = device->async_fd();
  context->base.context.num_comp_vectors = 1;
  verbs_set_ops(&context->base, &operations());
  return &context->base;
}

Device* alloc_device(SysfsDevice*) { return static_cast<Device*>(std::calloc(1, sizeof(Device))); }

void uninit_device(Device* device) { std::free(device); }

const MatchEntry kMatches[] = {
    {nullptr, "rdma_device:*Nroci*", 0, 0, MatchEntry::kModalias},
    {nullptr, nullptr, 0, 0, MatchEntry::kEnd},
};
const DeviceOps kProvider = {
    "roci", 1, 1, kMatches, nullptr, nullptr, alloc_context, nullptr, alloc_device, uninit_device};

__attribute__((constructor)) void register_provider() { verbs_register_driver_34(&kProvider); }

}  // namespace

OpenDevice::OpenDevice(const driver::RemoteDevice::Place& place)
    : remote_(place),
      context_(remote_),
      async_fd_(remote_.add_channel(kAsyncChannel, driver::protocol::Format::kAsync,
                                    async_codes().data())) {
  remote_.watch([this] { lose(); });
  if (auto* clock = timing::ProcessClock::get()) {
    clock->count_own_thread(true);
    counted_in_ = getpid();
  }
}

OpenDevice::~OpenDevice() {
  auto* clock = timing::ProcessClock::get();
  if (clock != nullptr && counted_in_ == getpid()) clock->count_own_thread(false);
  remote_.unwatch();  // before the members that the watching thread uses
}

/// The simulator is gone: reports that as the kernel and a provider do when a device is removed.
void OpenDevice::lose() {
  const std::lock_guard<std::mutex> lock(mutex);
  remote_.repeat(kAsyncChannel, 0, IBV_EVENT_DEVICE_FATAL);
  for (const auto& [channel, cq] : notified) {
    remote_.repeat(channel, reinterpret_cast<std::uint64_t>(cq));
  }
  for (std::uint32_t channel = 1; channel <= channels_; ++channel) remote_.end_channel(channel);
}

void OpenDevice::something_found() {
  empty_polls_ = 0;
  slept_ = false;
  empty_since_ns_ = 0;
  if (auto* clock = timing::ProcessClock::get()) clock->polled();
}

void OpenDevice::posted() {
  if (auto* clock = timing::ProcessClock::get()) clock->posted();
}

/// Whether the thread yields the processor instead of sleeping: for a while after something was
/// found, unless others want the processor. A wake-up takes longer than the reply of a peer.
bool OpenDevice::yields() {
  if (slept_) return false;
  const std::uint64_t now = driver::clock_ns();
  if (empty_since_ns_ == 0) empty_since_ns_ = now;
  slept_ = waits_to_sleep_ != 0 || now - empty_since_ns_ >= kYieldNs;
  if (slept_ && waits_to_sleep_ != 0) --waits_to_sleep_;
  return !slept_;
}

void OpenDevice::nothing_found(std::unique_lock<std::mutex>& lock) {
  if (auto* clock = timing::ProcessClock::get()) {
    lock.unlock();
    return clock->idle();
  }
  if (++empty_polls_ < kEmptyPolls) {
    if (empty_polls_ == 1) seen_ = remote_.written();
    return;
  }
  empty_polls_ = 0;
  if (yields()) {
    const std::uint64_t start = driver::clock_ns();
    lock.unlock();
    sched_yield();
    lock.lock();
    if (driver::clock_ns() - start > kBusyNs) waits_to_sleep_ = kWaitsToSleep;
    return;
  }
  const std::uint32_t seen = seen_;
  lock.unlock();
  guarded([&] {  // without the simulator no posted request completes
    remote_.wait_written(seen, kRestNs);
    return 0;
  });
}

}  // namespace roci::verbs
