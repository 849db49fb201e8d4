// SPDX-License-Identifier: Apache-2.0
// Doorbells and events of a client, which pass without commands.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/spec/layout/records.hpp"
#include "sim/server/client.hpp"
#include "sim/server/shared_memory.hpp"

namespace roci::sim {
namespace {

using namespace driver::protocol;
using driver::EventKind;

Owned owned_of(Object object) {
  switch (object) {
    case Object::kCompletionQueue:
      return Owned::kCompletionQueue;
    case Object::kSharedReceiveQueue:
      return Owned::kSharedReceiveQueue;
    default:
      return Owned::kQueuePair;
  }
}

std::vector<std::uint8_t> bytes_of(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::uint8_t*>(data);
  return {first, first + bytes};
}

std::vector<std::uint8_t> async_event(std::uint64_t cookie, std::uint32_t code) {
  const std::uint32_t words[4] = {static_cast<std::uint32_t>(cookie),
                                  static_cast<std::uint32_t>(cookie >> 32), code, 0};
  return bytes_of(words, sizeof words);
}

}  // namespace

void Client::sleep(bool asleep) {
  if (page_ != nullptr) page_->asleep.store(asleep ? 1 : 0);
}

Client::Taken Client::take(std::uint64_t now_ns) {
  if (page_ == nullptr) return {false, false};
  if (server_.faults.killed(adapter_)) return take_nothing();
  Taken taken{!posts_.empty(), false};
  if (posts_.empty()) {
    const std::uint32_t bell = page_->bell.exchange(0);
    taken.message = (bell & kBellMessage) != 0;
    if ((bell & kBellDoorbell) != 0) {
      read_doorbells(*page_, owned_, posts_);
      server_.memory.forget_pages();
      taken.doorbells = !posts_.empty();
    }
  }
  testbench::Nic& nic = server_.fabric.adapter(adapter_).nic();
  while (!posts_.empty() && nic.post_write(posts_.front().first, posts_.front().second,
                                           now_ns + server_.time.doorbell_ns())) {
    posts_.pop_front();
    rang_ = true;
  }
  return taken;
}

Client::Taken Client::take_nothing() {
  posts_.clear();
  return {false, (page_->bell.exchange(0) & kBellMessage) != 0};
}

void Client::add_channel(const AddChannel& message, Descriptor fd) {
  const auto finish = [&](Rejection rejection) {
    reply_done(Kind::kAddChannel, message.header.tag, rejection);
  };
  const auto format = static_cast<Format>(message.format);
  int domain = 0, type = 0;
  socklen_t bytes = sizeof domain;
  const bool socket = fd && getsockopt(fd.get(), SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0 &&
                      getsockopt(fd.get(), SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 &&
                      domain == AF_UNIX && (type == SOCK_SEQPACKET || type == SOCK_DGRAM);
  if (!socket || message.format < 1 || message.format > 3 || channels_.count(message.id) != 0) {
    return finish(Rejection::kBad);
  }
  if (channels_.size() >= kMostChannels) return finish(Rejection::kFull);
  EventChannel& channel = channels_[message.id];
  channel.socket = std::move(fd);
  channel.format = format;
  std::copy(std::begin(message.codes), std::end(message.codes), channel.codes);
  finish(Rejection::kNone);
}

void Client::remove_channel(const RemoveChannel& message) {
  for (auto route = routes_.begin(); route != routes_.end();) {
    route = route->second.channel == message.id ? routes_.erase(route) : std::next(route);
  }
  const bool was = channels_.erase(message.id) != 0;
  reply_done(Kind::kRemoveChannel, message.header.tag, was ? Rejection::kNone : Rejection::kBad);
}

void Client::route(const Route& message) {
  const auto object = static_cast<Object>(message.object);
  const auto channel = channels_.find(message.channel);
  Rejection rejection = Rejection::kNone;
  if (message.object < 1 || message.object > 3 || channel == channels_.end() ||
      channel->second.format == Format::kPlain) {
    rejection = Rejection::kBad;
  } else if (!owned_.has(owned_of(object), message.number)) {
    rejection = Rejection::kNotYours;
  } else {
    routes_[{object, message.number, channel->second.format}] = {message.channel, message.cookie};
  }
  reply_done(Kind::kRoute, message.header.tag, rejection);
}

void Client::repeat(const Repeat& message) {
  const auto found = channels_.find(message.channel);
  Rejection rejection = Rejection::kNone;
  if (found == channels_.end() || found->second.format == Format::kPlain) {
    rejection = Rejection::kBad;
  } else if (found->second.format == Format::kCompletion) {
    write(found->second, bytes_of(&message.cookie, sizeof message.cookie));
  } else {
    write(found->second, async_event(message.cookie, message.code));
  }
  reply_done(Kind::kRepeat, message.header.tag, rejection);
}

void Client::share(const Share& message) {
  const bool whole = message.address % kShareUnit == 0 && message.bytes % kShareUnit == 0;
  const bool sane = whole && message.bytes != 0 && message.bytes <= ClientMemory::kMostSharedBytes;
  Descriptor file;
  void* at = sane ? share_memory("roci-rings", message.bytes, file) : nullptr;
  const bool done = at != nullptr &&
                    server_.memory.share(pasid_, message.address, SharedBlock(at, message.bytes));
  reply_done(Kind::kShare, message.header.tag,
             done   ? Rejection::kNone
             : sane ? Rejection::kFull
                    : Rejection::kBad,
             0, done ? file.get() : -1);
}

void Client::end_sharing(const EndSharing& message) {
  const bool was = server_.memory.end_sharing(pasid_, message.address);
  reply_done(Kind::kEndSharing, message.header.tag, was ? Rejection::kNone : Rejection::kBad);
}

bool Client::takes(unsigned adapter, const driver::Event& event) const {
  return joined_ && !ended_ && adapter == adapter_ &&
         owned_.has(owned_of(object_of(event.kind)), event.number);
}

void Client::deliver(const driver::Event& event) {
  const Format format = event.kind == EventKind::kCompletion ? Format::kCompletion : Format::kAsync;
  const auto route = routes_.find({object_of(event.kind), event.number, format});
  if (route != routes_.end()) {
    EventChannel& channel = channels_.at(route->second.channel);
    const std::uint64_t cookie = route->second.cookie;
    if (format == Format::kCompletion) return write(channel, bytes_of(&cookie, sizeof cookie));
    const auto kind = static_cast<std::size_t>(event.kind);
    const std::uint32_t code = kind < std::size(channel.codes) ? channel.codes[kind] : kNotReported;
    if (code == kNotReported) return;
    return write(channel, async_event(cookie, code));
  }
  for (auto& [id, channel] : channels_) {
    if (channel.format != Format::kPlain) continue;
    const std::uint32_t words[2] = {static_cast<std::uint32_t>(event.kind), event.number};
    return write(channel, bytes_of(words, sizeof words));
  }
}

void Client::report_port(bool up) {
  constexpr std::uint64_t kPort = 1;
  for (auto& [id, channel] : channels_) {
    const std::uint32_t code = channel.codes[up ? kPortActive : kPortError];
    if (channel.format == Format::kAsync && code != kNotReported)
      write(channel, async_event(kPort, code));
  }
}

void Client::report_fatal() {
  for (auto& [id, channel] : channels_) {
    const std::uint32_t code = channel.codes[kDeviceFatal];
    if (channel.format == Format::kAsync && code != kNotReported) {
      write(channel, async_event(0, code));
    }
  }
}

void Client::write(EventChannel& channel, std::vector<std::uint8_t> bytes) {
  server_.memory.settle();
  server_.time.news();
  if (channel.waiting.empty()) {
    if (send(channel.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
        (errno != EAGAIN && errno != ENOBUFS)) {
      return;  // sent, or the reader closed the channel
    }
  }
  // An equal event that waits already moves to the end of the queue: the order matters where events
  // revoke one another, as those of the port do. The limit exceeds the events of all objects.
  const auto same = std::find(channel.waiting.begin(), channel.waiting.end(), bytes);
  if (same != channel.waiting.end()) channel.waiting.erase(same);
  if (channel.waiting.size() < kMostWaiting) channel.waiting.push_back(std::move(bytes));
}

void Client::retry_events() {
  for (auto& [id, channel] : channels_) {
    while (!channel.waiting.empty()) {
      const auto& bytes = channel.waiting.front();
      if (send(channel.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
          (errno == EAGAIN || errno == ENOBUFS)) {
        break;
      }
      channel.waiting.pop_front();
    }
  }
}

std::vector<int> Client::full_channels() const {
  std::vector<int> result;
  for (const auto& [id, channel] : channels_) {
    if (!channel.waiting.empty()) result.push_back(channel.socket.get());
  }
  return result;
}

}  // namespace roci::sim
