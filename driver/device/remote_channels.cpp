// SPDX-License-Identifier: Apache-2.0
// Channels: sockets that carry the events of the simulator.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <optional>

#include "driver/device/remote.hpp"

namespace roci::driver {
namespace {

using namespace protocol;

constexpr std::uint32_t kPlainChannel = ~std::uint32_t{0};  // id of the channel of open_events()

/// Events of the channel without routes.
class RemoteEvents final : public EventQueue {
 public:
  explicit RemoteEvents(RemoteDevice& device)
      : device_(device), fd_(device.add_channel(kPlainChannel, Format::kPlain)) {}
  ~RemoteEvents() override {
    try {
      device_.remove_channel(kPlainChannel);
    } catch (const Error&) {  // the simulator is gone, and the channel with it
    }
    ::close(fd_);
  }
  std::optional<Event> poll() override {
    std::uint32_t words[2];
    if (recv(fd_, words, sizeof words, MSG_DONTWAIT) != sizeof words) return {};
    return Event{static_cast<EventKind>(words[0]), words[1]};
  }
  std::optional<Event> wait(std::uint64_t timeout_ns) override {
    pollfd poller{fd_, POLLIN, 0};
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    const std::uint64_t ms = timeout_ns / kNsPerMs + (timeout_ns % kNsPerMs != 0);
    ::poll(&poller, 1, ms > INT_MAX ? -1 : static_cast<int>(ms));
    return poll();
  }
  bool overflowed() override { return false; }

 private:
  RemoteDevice& device_;
  int fd_;
};

}  // namespace

std::unique_ptr<EventQueue> RemoteDevice::open_events() {
  return std::make_unique<RemoteEvents>(*this);
}

void RemoteDevice::done(void* message, std::size_t bytes, int fd) {
  Done result{};
  request(message, bytes, &result, sizeof result, fd, nullptr);
  switch (static_cast<Rejection>(result.rejection)) {
    case Rejection::kNone:
      return;
    case Rejection::kNotYours:
      throw Error(AdminStatus::kBadHandle, 0, "the object is not one of this process");
    case Rejection::kFull:
      throw Error(AdminStatus::kNoResource, 0, "too many channels");
    default:
      throw Error(AdminStatus::kBadParameter, 0, "the simulator rejected a channel");
  }
}

int RemoteDevice::add_channel(std::uint32_t id, Format format, const std::uint32_t* codes) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(AdminStatus::kHardwareError, 0,
                std::string("cannot make a channel: ") + std::strerror(errno));
  }
  AddChannel message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kAddChannel);
  message.id = id;
  message.format = static_cast<std::uint32_t>(format);
  std::fill(std::begin(message.codes), std::end(message.codes), kNotReported);
  if (codes != nullptr) std::copy_n(codes, std::size(message.codes), message.codes);
  try {
    done(&message, sizeof message, ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  if (format == Format::kPlain) {
    ::close(ends[1]);
  } else {
    const std::lock_guard<std::mutex> lock(writing_);
    writers_[id] = {ends[1], format};
  }
  return ends[0];
}

void RemoteDevice::remove_channel(std::uint32_t id) {
  {
    const std::lock_guard<std::mutex> lock(writing_);
    const auto writer = writers_.find(id);
    if (writer != writers_.end()) {
      ::close(writer->second.fd);
      writers_.erase(writer);
    }
  }
  RemoveChannel message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kRemoveChannel);
  message.id = id;
  done(&message, sizeof message, -1);
}

void RemoteDevice::route(Object object, std::uint32_t number, std::uint32_t channel,
                         std::uint64_t cookie) {
  Route message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kRoute);
  message.object = static_cast<std::uint32_t>(object);
  message.number = number;
  message.channel = channel;
  message.cookie = cookie;
  done(&message, sizeof message, -1);
}

void RemoteDevice::repeat(std::uint32_t channel, std::uint64_t cookie, std::uint32_t code) {
  if (gone()) {
    const std::lock_guard<std::mutex> lock(writing_);
    const auto writer = writers_.find(channel);
    if (writer == writers_.end()) return;
    const struct {
      std::uint64_t cookie;
      std::uint32_t code, reserved;
    } event{cookie, code, 0};
    // The events in a full channel wake its reader.
    ::send(writer->second.fd, &event,
           writer->second.format == Format::kAsync ? sizeof event : sizeof cookie,
           MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  Repeat message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kRepeat);
  message.channel = channel;
  message.code = code;
  message.cookie = cookie;
  done(&message, sizeof message, -1);
}

void RemoteDevice::end_channel(std::uint32_t channel) {
  const std::lock_guard<std::mutex> lock(writing_);
  const auto writer = writers_.find(channel);
  if (writer != writers_.end()) shutdown(writer->second.fd, SHUT_RDWR);
}

}  // namespace roci::driver
