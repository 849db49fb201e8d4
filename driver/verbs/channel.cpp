// SPDX-License-Identifier: Apache-2.0
// Completion channels, which libibverbs creates in the kernel without a call of the provider. This
// is one of the two parts for LD_PRELOAD; the other is redirect.cpp.
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {

bool is_ours(ibv_context* context) { return std::strncmp(context->device->name, "roci", 4) == 0; }

namespace {

/// An event as a program reads it from a channel; completion events have the cookie alone.
struct Event {
  std::uint64_t cookie = 0;
  std::uint32_t code = 0, reserved = 0;
};

/// Reads a channel until it is empty, and writes back the events of other objects than `object`.
void drop(OpenDevice& device, int fd, std::size_t event_bytes, std::uint32_t channel,
          const void* object) {
  std::vector<Event> others;
  Event event;
  while (recv(fd, &event, event_bytes, MSG_DONTWAIT) == static_cast<ssize_t>(event_bytes)) {
    if (event.cookie != reinterpret_cast<std::uint64_t>(object)) others.push_back(event);
  }
  guarded([&] {  // without the simulator there are no events to keep
    for (const Event& other : others) device.remote().repeat(channel, other.cookie, other.code);
    return 0;
  });
}

}  // namespace

void drop_events(OpenDevice& device, ibv_cq* cq) {
  const CompletionChannel& channel = ours<CompletionChannel>(cq->channel);
  drop(device, channel.ibv.fd, sizeof Event::cookie, channel.id, cq);
}

void drop_async_events(OpenDevice& device, void* object) {
  drop(device, device.async_fd(), sizeof(Event), kAsyncChannel, object);
}

}  // namespace roci::verbs

#pragma GCC visibility push(default)
extern "C" {

using roci::verbs::CompletionChannel;

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  if (!roci::verbs::is_ours(context)) {
    static const auto real = reinterpret_cast<decltype(&ibv_create_comp_channel)>(
        dlvsym(RTLD_NEXT, "ibv_create_comp_channel", "IBVERBS_1.0"));
    return real(context);
  }
  return roci::verbs::guarded_pointer([&]() -> ibv_comp_channel* {
    roci::verbs::OpenDevice& device = roci::verbs::device_of(context);
    const std::lock_guard<std::mutex> lock(device.mutex);
    const std::uint32_t id = device.next_channel();
    const int fd = device.remote().add_channel(id, roci::driver::protocol::Format::kCompletion);
    return &(new CompletionChannel{{context, fd, 0}, id})->ibv;
  });
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  if (!roci::verbs::is_ours(channel->context)) {
    static const auto real = reinterpret_cast<decltype(&ibv_destroy_comp_channel)>(
        dlvsym(RTLD_NEXT, "ibv_destroy_comp_channel", "IBVERBS_1.0"));
    return real(channel);
  }
  ibv_context* context = channel->context;
  pthread_mutex_lock(&context->mutex);  // libibverbs counts `refcnt` under it
  const bool used = channel->refcnt != 0;
  pthread_mutex_unlock(&context->mutex);
  if (used) {
    errno = EBUSY;
    return EBUSY;
  }
  roci::driver::RemoteDevice& device = roci::verbs::device_of(context).remote();
  const int error = roci::verbs::guarded([&] {
    device.remove_channel(roci::verbs::ours<CompletionChannel>(channel).id);
    return 0;
  });
  close(channel->fd);
  delete &roci::verbs::ours<CompletionChannel>(channel);
  if (error == 0 || device.gone()) return 0;
  errno = error;
  return error;
}

}  // extern "C"
#pragma GCC visibility pop
