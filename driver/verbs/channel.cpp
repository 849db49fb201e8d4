// Completion channels: the one thing of libibverbs that goes to the kernel without asking the
// provider. The other part of LD_PRELOAD.
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {

bool is_ours(ibv_context* context) {
  return std::strncmp(context->device->name, "roci", 4) == 0;
}

void drop_events(Session& session, ibv_cq* cq) {
  const Channel& channel = ours<Channel>(cq->channel);
  std::vector<std::uint64_t> others;
  std::uint64_t cookie = 0;
  while (recv(channel.ibv.fd, &cookie, sizeof cookie, MSG_DONTWAIT) == sizeof cookie) {
    if (cookie != reinterpret_cast<std::uint64_t>(cq)) others.push_back(cookie);
  }
  guarded([&] {  // without the simulator there are no more events to miss
    for (const std::uint64_t other : others) session.device().repeat(channel.id, other);
    return 0;
  });
}

void drop_async_events(Session& session, void* object) {
  struct Event {
    std::uint64_t cookie;
    std::uint32_t code, reserved;
  } event{};
  std::vector<Event> others;
  while (recv(session.async_fd(), &event, sizeof event, MSG_DONTWAIT) == sizeof event) {
    if (event.cookie != reinterpret_cast<std::uint64_t>(object)) others.push_back(event);
  }
  guarded([&] {
    for (const Event& other : others) {
      session.device().repeat(kAsyncChannel, other.cookie, other.code);
    }
    return 0;
  });
}

}  // namespace roci::verbs

#pragma GCC visibility push(default)
extern "C" {

using roci::verbs::Channel;

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  if (!roci::verbs::is_ours(context)) {
    static const auto real = reinterpret_cast<decltype(&ibv_create_comp_channel)>(
        dlvsym(RTLD_NEXT, "ibv_create_comp_channel", "IBVERBS_1.0"));
    return real(context);
  }
  return roci::verbs::guarded_pointer([&]() -> ibv_comp_channel* {
    roci::verbs::Session& session = roci::verbs::session_of(context);
    const std::lock_guard<std::mutex> lock(session.mutex);
    const std::uint32_t id = session.next_channel();
    const int fd = session.device().add_channel(id, roci::driver::protocol::Format::kCompletion);
    return &(new Channel{{context, fd, 0}, id})->ibv;
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
  if (used) return EBUSY;
  const int error = roci::verbs::guarded([&] {
    roci::verbs::session_of(context).device().remove_channel(
        roci::verbs::ours<Channel>(channel).id);
    return 0;
  });
  close(channel->fd);
  delete &roci::verbs::ours<Channel>(channel);
  return error;
}

}  // extern "C"
#pragma GCC visibility pop
