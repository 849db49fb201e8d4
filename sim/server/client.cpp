// SPDX-License-Identifier: Apache-2.0
#include "sim/server/client.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "driver/device/passing.hpp"
#include "sim/server/shared_memory.hpp"

namespace roci::sim {
namespace {

using namespace driver::protocol;

constexpr std::size_t kMostAtOnce = 32;  // messages of one process before those of others

/// Copies the message to its structure; false: wrong size.
template <typename Message>
bool read(Message& message, const std::uint8_t* bytes, std::size_t size) {
  if (size != sizeof message) return false;
  std::memcpy(&message, bytes, sizeof message);
  return true;
}

std::string reason(int error) {
  switch (error) {
    case EPERM:
      return "allow ptrace (kernel.yama.ptrace_scope 0 or 1, SYS_PTRACE in a container, one user "
             "namespace)";
    case ESRCH:
      return "run it in the PID namespace of the simulator";
    case ENOSYS:
      return "the kernel has no process_vm_readv, or a seccomp filter forbids it";
    default:
      return std::strerror(error);
  }
}

}  // namespace

Client::Client(Descriptor socket, ServerContext& server)
    : server_(server), socket_(std::move(socket)) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0) pid_ = peer.pid;
}

Client::~Client() {
  if (page_ != nullptr) munmap(page_, sizeof *page_);
}

void Client::receive() {
  for (std::size_t i = 0; i < kMostAtOnce && wants_messages(); ++i) {
    if (!receive_one()) return;
  }
}

bool Client::receive_one() {
  // One byte more than any message, to detect longer ones.
  std::uint8_t bytes[kMostBytes + 1];
  iovec part{bytes, sizeof bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
  msghdr in{};
  in.msg_iov = &part;
  in.msg_iovlen = 1;
  in.msg_control = control;
  in.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket_.get(), &in, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  Descriptor first;
  for (cmsghdr* c = got < 0 ? nullptr : CMSG_FIRSTHDR(&in); c != nullptr; c = CMSG_NXTHDR(&in, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, reinterpret_cast<char*>(c) + at, sizeof fd);
      Descriptor one(fd);
      if (!first) first = std::move(one);
    }
  }
  if (got <= 0) {
    end();
    return false;
  }
  handle(bytes, static_cast<std::size_t>(got), std::move(first));
  return !ended_;
}

void Client::handle(const std::uint8_t* bytes, std::size_t size, Descriptor fd) {
  Header header{};
  if (size < sizeof header) return end();
  std::memcpy(&header, bytes, sizeof header);
  const auto kind = static_cast<Kind>(header.kind);
  if (kind == Kind::kHello) {
    Hello message{};
    if (!joined_ && read(message, bytes, size)) return hello(message);
    return end();
  }
  if (kind == Kind::kOpenCm || kind == Kind::kCmCommand) {
    return handle_cm(kind, bytes, size, std::move(fd));
  }
  if ((kind == Kind::kStatus || kind == Kind::kQueuePairs) && size == sizeof header) {
    ++commands_;
    return server_.status(shared_from_this(), header);
  }
  if (kind == Kind::kShutdown && size == sizeof header) {
    reply_done(kind, header.tag, Rejection::kNone);
    return server_.shut_down();
  }
  if (kind == Kind::kSetLink) {
    SetLink message{};
    if (!read(message, bytes, size)) return end();
    const bool done = server_.set_link(message.adapter, message.up != 0);
    return reply_done(kind, header.tag, done ? Rejection::kNone : Rejection::kNoNode);
  }
  if (kind == Kind::kFaults) return handle_faults(bytes, size, std::move(fd));
  if (kind == Kind::kJoinTime) {
    JoinTime message{};
    if (!joined_ && read(message, bytes, size)) return join_time(message);
    return end();
  }
  if (kind == Kind::kWake && size == sizeof header) return;
  if (!joined_) return end();
  const auto pass = [&](auto message, auto call) {
    if (!read(message, bytes, size)) return end();
    call(message);
  };
  switch (kind) {
    case Kind::kCommand:
      return pass(driver::protocol::Command{},
                  [&](const driver::protocol::Command& message) { command(message); });
    case Kind::kAddChannel:
      return pass(AddChannel{},
                  [&](const AddChannel& message) { add_channel(message, std::move(fd)); });
    case Kind::kRemoveChannel:
      return pass(RemoveChannel{}, [&](const RemoveChannel& message) { remove_channel(message); });
    case Kind::kRoute:
      return pass(Route{}, [&](const Route& message) { route(message); });
    case Kind::kRepeat:
      return pass(Repeat{}, [&](const Repeat& message) { repeat(message); });
    case Kind::kShare:
      return pass(Share{}, [&](const Share& message) { share(message); });
    case Kind::kEndSharing:
      return pass(EndSharing{}, [&](const EndSharing& message) { end_sharing(message); });
    default:
      return end();
  }
}

bool Client::reject(Welcome& welcome, Rejection rejection, int error, const std::string& text) {
  welcome.rejection = static_cast<std::uint32_t>(rejection);
  welcome.error = static_cast<std::uint32_t>(error);
  text.copy(welcome.text, sizeof welcome.text - 1);
  reply(&welcome, sizeof welcome);
  end();
  return false;
}

void Client::hello(const Hello& message) {
  Welcome welcome{};
  welcome.header = message.header;
  const Nodes& names = server_.fabric.names();
  const std::string name(message.node, strnlen(message.node, sizeof message.node));
  const unsigned adapter = names.index_of(name);
  if (message.magic != kMagic || message.version != kVersion) {
    reject(welcome, Rejection::kVersion, 0, "the simulator is of another version than the program");
    return;
  }
  if (adapter == names.adapters()) {
    reject(
        welcome, Rejection::kNoNode, 0,
        fmt::format("no node '{}'; there are n0 to {}", name, names.name_of(names.adapters() - 1)));
    return;
  }
  if (server_.faults.killed(adapter)) {
    reject(welcome, Rejection::kNoNode, EIO,
           fmt::format("the adapter {} was killed by a fault", names.name_of(adapter)));
    return;
  }
  const auto blocked = [&](int error) {
    reject(welcome, Rejection::kNoAccess, error,
           "no access to the memory of this process: " + reason(error));
  };
  if (pid_ <= 0) return blocked(ESRCH);
  pidfd_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) return blocked(errno);
  std::uint64_t word = 0;
  int error = ClientMemory::move(false, pid_, message.probe, &word, sizeof word);
  word = ~word;
  if (error == 0) {
    error = ClientMemory::move(true, pid_, message.probe + sizeof word, &word, sizeof word);
  }
  if (error != 0) return blocked(error);

  Descriptor file;
  if (!make_page(file)) {
    reject(welcome, Rejection::kFull, errno, "no memory for a doorbell page");
    return;
  }
  pasid_ = server_.new_pasid();
  if (pasid_ == 0) {
    reject(welcome, Rejection::kFull, 0, "too many processes");
    return;
  }
  joined_ = true;
  adapter_ = adapter;
  server_.memory.add(pasid_, pid_, page_, adapter_);
  server_.faults.registry().joined(pasid_, pid_);
  welcome.pasid = pasid_;
  welcome.node = adapter_;
  welcome.nodes = names.adapters();
  welcome.width = server_.width;
  welcome.mac = server_.fabric.adapter(adapter_).mac();
  welcome.page_size = sizeof(Page);
  reply(&welcome, sizeof welcome, file.get());
}

bool Client::make_page(Descriptor& file) {
  page_ = static_cast<Page*>(share_memory("roci-doorbells", sizeof(Page), file));
  return page_ != nullptr;
}

void Client::end() {
  if (ended_) return;
  ended_ = true;
  server_.time.leave(this);
  if (cm_events_) {
    server_.cm.close(cm_channel_);
    cm_events_.reset();
  }
  socket_.reset();
  pidfd_.reset();
  channels_.clear();
  routes_.clear();
  posts_.clear();
  if (!joined_) {
    gone_ = true;
    return;
  }
  server_.memory.retire(pasid_);
  munmap(std::exchange(page_, nullptr), sizeof(Page));
  server_.fabric.submit(adapter_, [self = shared_from_this()](driver::Context& context) {
    self->destroy_objects(context);
  });
}

void Client::handle_faults(const std::uint8_t* bytes, std::size_t size, Descriptor script) {
  Faults message{};
  if (!read(message, bytes, size)) return end();
  const std::string result = server_.faults.request(message, script).dump();
  const Descriptor file = file_of(result);
  reply_done(Kind::kFaults, message.header.tag, file ? Rejection::kNone : Rejection::kFull, 0,
             file.get());
}

void Client::reply(const void* message, std::size_t bytes, int fd) {
  if (ended_) return;
  server_.memory.settle();
  server_.time.news();
  // A process that does not read its replies is disconnected.
  if (driver::send_message(socket_.get(), message, bytes, fd, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    end();
  }
}

void Client::reply_status(Header request, int fd) {
  --commands_;
  reply_done(static_cast<Kind>(request.kind), request.tag,
             fd < 0 ? Rejection::kFull : Rejection::kNone, 0, fd);
}

void Client::reply_done(Kind kind, std::uint32_t tag, Rejection rejection, int error, int fd) {
  const Done done{{static_cast<std::uint32_t>(kind), tag},
                  static_cast<std::uint32_t>(rejection),
                  static_cast<std::uint32_t>(error)};
  reply(&done, sizeof done, fd);
}

}  // namespace roci::sim
