// SPDX-License-Identifier: Apache-2.0
#include "driver/time/process_clock.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "driver/device/passing.hpp"
#include "driver/device/protocol.hpp"

namespace roci::timing {
namespace {

using namespace driver::protocol;

constexpr int kFirstFd = 900;          // programs close low descriptors, or use them by number
constexpr long kLookNs = 100'000'000;  // how often a waiting thread checks that the simulator runs
// A thread that does nothing but read the clock, or poll, lets little time pass at first. The time
// doubles with each 16 calls, up to 1/8 of what has passed so, and 100 us.
constexpr unsigned kCallsToDouble = 16, kMostDoublings = 20;
constexpr std::uint64_t kGrowth = 8;
constexpr std::uint64_t kLeastRead = 20, kLeastPoll = 1'000, kMost = 100'000;
constexpr std::uint64_t kWhole = 1'000;

enum class Doing { kOther, kReading, kPolling };

/// What a thread has done since `start`, and nothing else.
struct Spell {
  Doing doing;
  unsigned calls;
  std::uint64_t start;
  std::uint64_t last[2];  ///< what a clock showed when it was read last, by Clock
};
// In memory that a signal handler can reach without an allocation.
__attribute__((tls_model("initial-exec"))) thread_local Spell spell{Doing::kOther, 0, 0, {}};

std::uint64_t leap(std::uint64_t now, std::uint64_t least) {
  const unsigned doublings = std::min(spell.calls / kCallsToDouble, kMostDoublings);
  const std::uint64_t most = std::clamp((now - spell.start) / kGrowth, least, kMost);
  return std::min(least << doublings, most);
}

void count(Doing doing, std::uint64_t now) {
  if (spell.doing != doing) spell = {doing, 0, now, {kNoDeadline, kNoDeadline}};
  ++spell.calls;
}

alignas(ProcessClock) unsigned char storage[sizeof(ProcessClock)];

}  // namespace

ProcessClock* ProcessClock::current_ = nullptr;

void ProcessClock::join() {
  const char* time = std::getenv("ROCI_TIME");
  const char* path = std::getenv("ROCI_SOCKET");
  if (time == nullptr || std::strcmp(time, "simulated") != 0 || path == nullptr) return;
  auto* clock = new (storage) ProcessClock;
  if (!clock->connect(path)) {
    std::fprintf(stderr, "roci: no simulated time at %s; this program has real time\n", path);
    return;
  }
  current_ = clock;
  static bool registered = false;
  if (std::exchange(registered, true)) return;
  pthread_atfork(nullptr, nullptr, [] {
    if (current_ == nullptr) return;
    current_->disconnect();
    current_ = nullptr;
    join();
  });
}

bool ProcessClock::connect(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) return false;
  std::strcpy(address.sun_path, path);
  const int low = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  socket_ = fcntl(low, F_DUPFD_CLOEXEC, kFirstFd);
  if (socket_ < 0) {
    socket_ = low;
  } else {
    ::close(low);
  }
  JoinTime message{};
  message.header.kind = static_cast<std::uint32_t>(Kind::kJoinTime);
  message.magic = kMagic;
  message.version = kVersion;
  Done done{};
  int file = -1;
  const bool joined =
      socket_ >= 0 &&
      ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      driver::send_message(socket_, &message, sizeof message, -1, MSG_NOSIGNAL) >= 0 &&
      driver::receive_message(socket_, &done, sizeof done, file) == sizeof done && file >= 0;
  void* at = MAP_FAILED;
  if (joined) {
    at = mmap(nullptr, sizeof(TimePage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (file >= 0) ::close(file);
  if (at == MAP_FAILED) {
    if (socket_ >= 0) ::close(socket_);
    return false;
  }
  page_ = static_cast<TimePage*>(at);
  return true;
}

void ProcessClock::disconnect() {
  ::close(socket_);
  munmap(page_, sizeof *page_);
}

bool ProcessClock::alive() const {
  pollfd poller{socket_, 0, 0};
  const timespec none{0, 0};
  return syscall(SYS_ppoll, &poller, 1, &none, nullptr, 0) == 0;
}

std::uint64_t ProcessClock::read(Clock which) {
  page_->acts.fetch_add(1);
  count(Doing::kReading, now());
  std::uint64_t& last = spell.last[static_cast<std::size_t>(which)];
  if (last == now()) {
    const std::uint64_t step = leap(now(), kLeastRead);
    // Whole microseconds, where that is little, show the same in clocks that count them.
    const std::uint64_t unit = step < kWhole ? 1 : kWhole;
    const std::uint64_t end = (now() + step + unit - 1) / unit * unit;
    while (now() == last && current_ != nullptr && wait(ticket(), end)) {
    }
  }
  last = now();
  return last;
}

void ProcessClock::idle() {
  page_->acts.fetch_add(1);
  count(Doing::kPolling, now());
  wait(ticket(), now() + leap(now(), kLeastPoll));
}

void ProcessClock::act() {
  page_->acts.fetch_add(1);
  spell.doing = Doing::kOther;
}

void ProcessClock::posted() {
  act();
  const std::uint32_t taken = page_->taken.load();
  const std::uint64_t rung = now();
  while (page_->taken.load() == taken && current_ != nullptr) wait(ticket(), now() + 1);
  sleep_until(rung + page_->post_ns);
}

void ProcessClock::polled() {
  act();
  if (page_->poll_ns != 0) sleep_until(now() + page_->poll_ns);
}

bool ProcessClock::sleep_until(std::uint64_t deadline) {
  const std::uint32_t begun = signals_begun_.load();
  for (;;) {
    const std::uint32_t before = ticket();
    // The first thread, which gets the signals, may have been awake when one came. It handles the
    // signal at the end of this system call. A signal after this look opens the gate.
    const bool signalled = static_cast<std::int32_t>(signals_sent_.load() - begun) > 0;
    if (signalled && syscall(SYS_gettid) == getpid()) return false;
    if (now() >= deadline || current_ == nullptr) return true;
    if (!wait(before, deadline)) return false;
  }
}

void ProcessClock::lower(std::uint64_t deadline) {
  std::uint64_t old = page_->deadline.load();
  while (deadline < old && !page_->deadline.compare_exchange_weak(old, deadline)) {
  }
}

bool ProcessClock::wait(std::uint32_t ticket, std::uint64_t deadline) {
  // Before this thread is counted: the simulator forgets the deadline when it wakes all.
  lower(deadline);
  std::uint64_t gate = page_->gate.load();
  do {
    if (gate_wakes(gate) != ticket) return true;
  } while (!page_->gate.compare_exchange_weak(gate, gate + kGateThread));
  std::uint32_t asleep = page_->asleep.load();
  if (asleep == 1 && page_->asleep.compare_exchange_strong(asleep, 0)) {
    const Header wake{static_cast<std::uint32_t>(Kind::kWake), 0};
    syscall(SYS_sendto, socket_, &wake, sizeof wake, MSG_NOSIGNAL, nullptr, 0);
  }
  const int error = errno;
  bool signalled = false;
  while (gate_wakes(page_->gate.load()) == ticket) {
    const timespec look{0, kLookNs};
    const long result = syscall(SYS_futex, futex_of(*page_), FUTEX_WAIT, ticket, &look, nullptr, 0);
    if (result == 0 || errno == EAGAIN) continue;
    // The threads counted are exact only while none leaves by itself.
    signalled = errno == EINTR;
    if (signalled || !alive()) {
      if (!signalled) current_ = nullptr;  // the simulator is gone
      std::uint64_t counted = page_->gate.load();
      while (gate_wakes(counted) == ticket && gate_threads(counted) != 0 &&
             !page_->gate.compare_exchange_weak(counted, counted - kGateThread)) {
      }
      break;
    }
  }
  errno = error;
  return !signalled;
}

void ProcessClock::look_again() { open_gate(*page_); }

void ProcessClock::count_own_thread(bool sleeps) {
  if (sleeps) {
    page_->own_threads.fetch_add(1);
  } else {
    page_->own_threads.fetch_sub(1);
  }
}

}  // namespace roci::timing
