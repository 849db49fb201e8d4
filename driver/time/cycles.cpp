// SPDX-License-Identifier: Apache-2.0
// The cycle counter of x86 in simulated time, and what a program needs that uses it.
//
// PR_SET_TSC makes `rdtsc` and `rdtscp` raise SIGSEGV; the handler gives them simulated time at
// kCycleMhz, which their /proc/cpuinfo shows. Threads inherit this. A program that is executed does
// too, and its dynamic loader reads the counter before any handler exists, so the counter works
// while this process starts another. SIGSEGV itself stays with the handlers of the program.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <vector>

#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"

namespace roci::timing {
namespace {

constexpr std::uint64_t kCyclesPerNs = driver::protocol::kCycleMhz / 1000;
static_assert(kCyclesPerNs * 1000 == driver::protocol::kCycleMhz);

struct sigaction of_program {};  // what the program wants for SIGSEGV
bool trapped = false;

void trap(bool on) { prctl(PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE, 0, 0, 0); }

#if defined(__x86_64__)
/// Gives the program its signal.
void pass_on(int number, siginfo_t* info, void* context) {
  if ((of_program.sa_flags & SA_SIGINFO) != 0) {
    of_program.sa_sigaction(number, info, context);
  } else if (of_program.sa_handler != SIG_DFL && of_program.sa_handler != SIG_IGN) {
    of_program.sa_handler(number);
  } else {
    // The instruction runs again and ends the process.
    static const auto real = next<decltype(sigaction)>("sigaction");
    struct sigaction standard {};
    real(number, &standard, nullptr);
  }
}

void on_fault(int number, siginfo_t* info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // A protection fault without an address: the instruction itself was read.
  if (info->si_code != SI_KERNEL) return pass_on(number, info, context);
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const bool rdtsc = code[0] == 0x0F && code[1] == 0x31;
  const bool rdtscp = code[0] == 0x0F && code[1] == 0x01 && code[2] == 0xF9;
  if (!rdtsc && !rdtscp) return pass_on(number, info, context);
  ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr) return trap(false);  // the simulator is gone: the instruction runs again
  const int error = errno;
  const std::uint64_t cycles = clock->read(ProcessClock::Clock::kCycles) * kCyclesPerNs;
  registers[REG_RAX] = static_cast<greg_t>(cycles & 0xFFFFFFFF);
  registers[REG_RDX] = static_cast<greg_t>(cycles >> 32);
  if (rdtscp) registers[REG_RCX] = 0;
  registers[REG_RIP] += rdtsc ? 2 : 3;
  errno = error;
}
#endif

/// The cycle counter works as it does without us while this exists.
class Untrapped {
 public:
  Untrapped() {
    if (trapped) trap(false);
  }
  ~Untrapped() {
    const int error = errno;
    if (trapped && ProcessClock::get() != nullptr) trap(true);
    errno = error;
  }
  Untrapped(const Untrapped&) = delete;
  Untrapped& operator=(const Untrapped&) = delete;
};

__attribute__((constructor)) void start() {
  ProcessClock::join();
#if defined(__x86_64__)
  if (ProcessClock::get() == nullptr) return;
  static const auto real = next<decltype(sigaction)>("sigaction");
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  if (real(SIGSEGV, &ours, &of_program) != 0) return;
  trapped = true;
  trap(true);
#endif
}

/// The set without SIGSEGV: blocked, it would end the process at the next read of the counter.
const sigset_t* open_set(int how, const sigset_t* set, sigset_t& copy) {
  if (!trapped || set == nullptr || how == SIG_UNBLOCK) return set;
  copy = *set;
  sigdelset(&copy, SIGSEGV);
  return &copy;
}

}  // namespace
}  // namespace roci::timing

using roci::timing::Untrapped;

/// Collects the arguments of execl() and its like, up to the null pointer.
#define ARGUMENTS                                   \
  std::vector<char*> all{const_cast<char*>(first)}; \
  va_list rest;                                     \
  va_start(rest, first);                            \
  while (all.back() != nullptr) all.push_back(va_arg(rest, char*));

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int number, const struct sigaction* wanted, struct sigaction* old) noexcept {
  ROCI_NEXT(sigaction);
  if (number != SIGSEGV || !roci::timing::trapped) return real(number, wanted, old);
  const struct sigaction before = roci::timing::of_program;
  if (wanted != nullptr) roci::timing::of_program = *wanted;
  if (old != nullptr) *old = before;
  return 0;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (number != SIGSEGV || !roci::timing::trapped) {
    ROCI_NEXT(signal);
    return real(number, handler);
  }
  struct sigaction wanted {
  }, old{};
  wanted.sa_handler = handler;
  sigaction(number, &wanted, &old);
  return old.sa_handler;
}

int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  ROCI_NEXT(sigprocmask);
  sigset_t copy;
  return real(how, roci::timing::open_set(how, set, copy), old);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  ROCI_NEXT(pthread_sigmask);
  sigset_t copy;
  return real(how, roci::timing::open_set(how, set, copy), old);
}

#define STARTING(type, name, parameters, ...) \
  type name parameters {                      \
    ROCI_NEXT(name);                          \
    const Untrapped untrapped;                \
    return real(__VA_ARGS__);                 \
  }
STARTING(int, execve, (const char* path, char* const* argv, char* const* env) noexcept, path, argv,
         env)
STARTING(int, execv, (const char* path, char* const* argv) noexcept, path, argv)
STARTING(int, execvp, (const char* file, char* const* argv) noexcept, file, argv)
STARTING(int, execvpe, (const char* file, char* const* argv, char* const* env) noexcept, file, argv,
         env)
STARTING(int, fexecve, (int fd, char* const* argv, char* const* env) noexcept, fd, argv, env)
STARTING(int, posix_spawn,
         (pid_t * pid, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const* argv, char* const* env),
         pid, path, actions, attributes, argv, env)
STARTING(int, posix_spawnp,
         (pid_t * pid, const char* file, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const* argv, char* const* env),
         pid, file, actions, attributes, argv, env)
STARTING(int, system, (const char* command), command)
STARTING(FILE*, popen, (const char* command, const char* mode), command, mode)

int execl(const char* path, const char* first, ...) noexcept {
  ARGUMENTS
  va_end(rest);
  return execv(path, all.data());
}

int execlp(const char* file, const char* first, ...) noexcept {
  ARGUMENTS
  va_end(rest);
  return execvp(file, all.data());
}

int execle(const char* path, const char* first, ...) noexcept {
  ARGUMENTS
  char* const* env = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, all.data(), env);
}

}  // extern "C"
#pragma GCC visibility pop
