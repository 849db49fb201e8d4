// SPDX-License-Identifier: Apache-2.0
#include "driver/device/remote.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "driver/device/clock.hpp"
#include "driver/device/passing.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::driver {
namespace {

using namespace protocol;

constexpr std::uint64_t kLookNs =
    100'000'000;  // how often a waiting thread checks that the simulator runs

[[noreturn]] void fail(const std::string& text) {
  throw Error(AdminStatus::kHardwareError, 0, text);
}

[[noreturn]] void lost() { fail("the simulator is gone"); }

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t ns) {
  const timespec timeout = timespec_of(ns);
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) fail(path + ": too long for a socket");
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) fail(std::string("cannot make a socket: ") + std::strerror(errno));
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(fd);
    fail("no simulator at " + path + " (" + std::strerror(error) + "); start one with 'roci up'");
  }
  return fd;
}

}  // namespace

RemoteDevice::Place RemoteDevice::place_from_environment(const char* adapter) {
  const char* socket = std::getenv("ROCI_SOCKET");
  const char* node = std::getenv("ROCI_NODE");
  if (socket == nullptr || node == nullptr) {
    fail("ROCI_SOCKET and ROCI_NODE are not set; run the program by 'roci exec'");
  }
  return {socket, adapter == nullptr ? node : std::string(node) + "/" + adapter};
}

RemoteDevice::RemoteDevice(const Place& place) : process_(getpid()) {
  socket_ = connect_to(place.socket);
  ucred peer{};
  socklen_t bytes = sizeof peer;
  getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &peer, &bytes);
  prctl(PR_SET_PTRACER, peer.pid, 0, 0, 0);  // fails without Yama, where it is not needed

  constexpr std::uint64_t kProbe = 0x0123456789ABCDEF;
  volatile std::uint64_t probe[2] = {kProbe, 0};
  Hello hello{};
  hello.header.kind = static_cast<std::uint32_t>(Kind::kHello);
  hello.magic = kMagic;
  hello.version = kVersion;
  place.node.copy(hello.node, sizeof hello.node - 1);
  hello.probe = reinterpret_cast<std::uintptr_t>(probe);
  int page = -1;
  try {
    if (place.node.size() >= sizeof hello.node) fail("no node '" + place.node + "'");
    request(&hello, sizeof hello, &welcome_, sizeof welcome_, -1, &page);
    welcome_.text[sizeof welcome_.text - 1] = 0;
    if (welcome_.rejection != static_cast<std::uint32_t>(Rejection::kNone)) fail(welcome_.text);
    if (page < 0 || welcome_.page_size != sizeof(Page)) fail("the simulator sent no doorbell page");
    if (probe[1] != ~kProbe) fail("the simulator cannot write the memory of this process");
    void* at = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    if (at == MAP_FAILED) fail(std::string("cannot map the doorbells: ") + std::strerror(errno));
    page_ = static_cast<Page*>(at);
    ::close(page);
  } catch (...) {
    if (page >= 0) ::close(page);
    ::close(socket_);
    throw;
  }
}

RemoteDevice::~RemoteDevice() {
  unwatch();
  for (const auto& [id, writer] : writers_) ::close(writer.fd);
  ::close(socket_);
  munmap(page_, sizeof(Page));
}

void RemoteDevice::watch(std::function<void()> then) {
  hangup_ = std::make_unique<Hangup>(socket_, [this, then = std::move(then)] {
    gone_.store(true, std::memory_order_release);
    wake();
    then();
  });
}

bool RemoteDevice::alive() const {
  pollfd poller{socket_, 0, 0};
  return poll(&poller, 1, 0) == 0;
}

std::uint32_t RemoteDevice::read32(std::uint32_t) {
  throw std::logic_error("the registers of a remote adapter cannot be read");
}

void RemoteDevice::write32(std::uint32_t offset, std::uint32_t value) {
  constexpr layout::Window kQp = layout::window::kQpDoorbell;
  constexpr layout::Window kCq = layout::window::kCqDoorbell;
  const bool cq = offset >= kCq.offset;
  const std::uint32_t at = offset - (cq ? kCq.offset : kQp.offset);
  const std::uint32_t number = at / layout::doorbell_word::kStride;
  if (offset < kQp.offset || number >= kNumbers) {
    throw std::logic_error("only the doorbells of a remote adapter can be written");
  }
  switch (offset - layout::doorbell_word::kStride * number) {
    case layout::sq_doorbell_offset(0):
      return ring(page_->send, number, with_post(page_->posts[number], value));
    case layout::rq_doorbell_offset(0):
      return ring(page_->receive, number, value);
    case layout::srq_doorbell_offset(0):
      return ring(page_->shared_receive, number, value);
    case layout::cq_doorbell_offset(0):
      return ring(page_->consumer, number, value);
    case layout::cq_arm_doorbell_offset(0):
      return arm(number, value);
    default:
      throw std::logic_error("no such doorbell");
  }
}

void RemoteDevice::ring(Doorbells& doorbells, std::uint32_t number, std::uint32_t value) {
  doorbells.word[number].store(value, std::memory_order_release);
  doorbells.rung[number / 64].fetch_or(std::uint64_t{1} << number % 64);
  report(kBellDoorbell);
}

bool RemoteDevice::write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) {
  constexpr layout::Window kPosts = layout::window::kQpPost;
  const std::uint32_t number = (offset - kPosts.offset) / layout::kPostBytes;
  if (offset < kPosts.offset || number >= kNumbers || offset != layout::post_offset(number) ||
      bytes > layout::kPostBytes) {
    return false;
  }
  std::uint32_t copy[Post::kWords];
  std::memcpy(copy, words, bytes);
  write_post(page_->posts[number], copy, static_cast<std::uint32_t>(bytes / sizeof *copy));
  return true;
}

void RemoteDevice::arm(std::uint32_t number, std::uint32_t value) {
  std::atomic<std::uint32_t>& word = page_->arm.word[number];
  std::uint32_t old = word.load();
  std::uint32_t merged = 0;
  do {
    merged = value | kArmPending;
    // An arm for any completion that the simulator has not fetched yet stays one.
    if ((old & kArmPending) != 0 && (old & kArmSolicited) == 0) merged &= ~kArmSolicited;
  } while (!word.compare_exchange_weak(old, merged));
  page_->arm.rung[number / 64].fetch_or(std::uint64_t{1} << number % 64);
  report(kBellDoorbell);
}

void RemoteDevice::report(std::uint32_t bell) {
  page_->bell.fetch_or(bell);  // sequentially consistent: before `asleep` is read
  std::uint32_t asleep = page_->asleep.load();
  if (asleep == 1 && page_->asleep.compare_exchange_strong(asleep, 0)) {
    const Header wake{static_cast<std::uint32_t>(Kind::kWake), 0};
    send(socket_, &wake, sizeof wake, MSG_NOSIGNAL);
  }
}

std::uint64_t RemoteDevice::now_ns() const { return page_->now_ns.load(std::memory_order_relaxed); }

std::uint32_t RemoteDevice::written() const { return page_->written.load(); }

void RemoteDevice::wait_written(std::uint32_t seen, std::uint64_t timeout_ns) {
  page_->waiting.fetch_add(1);
  if (page_->written.load() == seen) futex_wait(page_->written, seen, timeout_ns);
  page_->waiting.fetch_sub(1);
}

bool RemoteDevice::wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) {
  const std::uint64_t start = clock_ns();
  for (;;) {
    const std::uint32_t seen = written();
    if (ready()) return true;
    const std::uint64_t waited = clock_ns() - start;
    if (waited >= timeout_ns) return false;
    wait_written(seen, std::min(timeout_ns - waited, kLookNs));
    if (written() == seen && !alive()) {
      if (ready()) return true;
      lost();
    }
  }
}

void RemoteDevice::wake() {
  page_->written.fetch_add(1);
  futex_wake(page_->written);
}

void RemoteDevice::request(void* message, std::size_t bytes, void* reply, std::size_t reply_bytes,
                           int fd, int* reply_fd) {
  if (getpid() != process_) fail("the adapter was opened by the parent of this process");
  const std::lock_guard<std::mutex> lock(exchanging_);
  auto* header = static_cast<Header*>(message);
  header->tag = ++tag_;

  while (send_message(socket_, message, bytes, fd, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) lost();
  }
  if (page_ != nullptr) report(kBellMessage);

  int received = -1;
  ssize_t got = 0;
  while ((got = receive_message(socket_, reply, reply_bytes, received)) < 0) {
    if (errno != EINTR) lost();
  }
  if (reply_fd != nullptr && received >= 0) {
    *reply_fd = received;
  } else if (received >= 0) {
    ::close(received);
  }
  if (got == 0) lost();
  Header received_header{};
  std::memcpy(&received_header, reply, sizeof received_header);
  if (static_cast<std::size_t>(got) != reply_bytes || received_header.tag != tag_) {
    fail("the simulator sent a reply of another kind");
  }
}

std::optional<driver::CommandReply> RemoteDevice::exchange(layout::AdminOp opcode, const Body& body,
                                                           std::uint64_t) {
  static_assert(Body::kBytes == kBodyBytes);
  Command command{};
  command.header.kind = static_cast<std::uint32_t>(Kind::kCommand);
  command.opcode = layout::number(opcode);
  std::memcpy(command.body, body.data(), kBodyBytes);
  protocol::CommandReply received{};
  request(&command, sizeof command, &received, sizeof received, -1, nullptr);
  driver::CommandReply reply;
  reply.status = received.status;
  reply.detail = received.detail;
  std::memcpy(reply.body.data(), received.body, kBodyBytes);
  return reply;
}

}  // namespace roci::driver
