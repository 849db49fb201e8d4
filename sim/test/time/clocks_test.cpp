// SPDX-License-Identifier: Apache-2.0
// Run by `roci exec` on a simulator with simulated time: the calls of the C library about time. A
// call takes the time that it states, to the nanosecond, except for what reading the clock costs.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "sim/test/time/passing.hpp"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

using namespace passing;

TEST_CASE("sleeps take what they state") {
  takes(2 * kMs, [] { sleep_ns(2 * kMs); });
  takes(3 * kMs, [] { usleep(3000); });
  takes(1 * kMs, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  const long until = now_ns() + kMs;
  const timespec at = timespec_at(until);
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == 0);
  CHECK(now_ns() - until <= kReads);
  const timespec bad{0, 1'000'000'000L};
  CHECK(nanosleep(&bad, nullptr) == -1);
  CHECK(errno == EINVAL);
}

TEST_CASE("the clocks go together, and stand still for a program that works") {
  timeval of_day{};
  const long real = now_ns(CLOCK_REALTIME);
  gettimeofday(&of_day, nullptr);
  CHECK(of_day.tv_sec * 1'000'000L + of_day.tv_usec - real / 1000 <= 1);
  CHECK(std::time(nullptr) == real / 1'000'000'000L);
  const long start = now_ns();
  volatile unsigned work = 0;
  for (unsigned i = 0; i < 100'000; ++i) work = work + i;
  CHECK(now_ns() - start <= 20);
  const long before = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  for (unsigned i = 0; i < 100'000; ++i) work = work + i;
  CHECK(now_ns(CLOCK_PROCESS_CPUTIME_ID) > before);
}

TEST_CASE("a loop that reads the clock ends") {
  const long start = now_ns();
  while (now_ns() - start < 100'000) {
  }
  CHECK(now_ns() - start <= 100'000 + 100'000 / 8);
}

TEST_CASE("poll, select and epoll_wait") {
  const Pipe pipe;
  pollfd one{pipe.ends[0], POLLIN, 0};
  takes(5 * kMs, [&] { CHECK(poll(&one, 1, 5) == 0); });
  {
    const Later later(2 * kMs, [&] { pipe.write_one(); });
    takes(2 * kMs - kReads, [&] { CHECK(poll(&one, 1, 50) == 1); });
    CHECK(one.revents == POLLIN);
  }
  takes(0, [&] { CHECK(poll(&one, 1, 50) == 1); });
  const int epoll = epoll_create1(0);
  epoll_event event{EPOLLIN, {}}, found{};
  REQUIRE(epoll_ctl(epoll, EPOLL_CTL_ADD, pipe.ends[0], &event) == 0);
  takes(0, [&] { CHECK(epoll_wait(epoll, &found, 1, 50) == 1); });
  char byte = 0;
  REQUIRE(read(pipe.ends[0], &byte, 1) == 1);
  takes(4 * kMs, [&] { CHECK(epoll_wait(epoll, &found, 1, 4) == 0); });
  close(epoll);

  fd_set set;
  FD_ZERO(&set);
  FD_SET(pipe.ends[0], &set);
  timeval timeout{0, 3000};
  takes(3 * kMs, [&] { CHECK(select(pipe.ends[0] + 1, &set, nullptr, nullptr, &timeout) == 0); });
  CHECK(FD_ISSET(pipe.ends[0], &set) == 0);
  CHECK(timeout.tv_sec + timeout.tv_usec == 0);
  pipe.write_one();
  FD_SET(pipe.ends[0], &set);
  timeout = {0, 3000};
  takes(0, [&] { CHECK(select(pipe.ends[0] + 1, &set, nullptr, nullptr, &timeout) == 1); });
  CHECK(FD_ISSET(pipe.ends[0], &set) != 0);
}

TEST_CASE("condition variables") {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::unique_lock<std::mutex> lock(mutex);
  takes(3 * kMs, [&] {
    CHECK_FALSE(changed.wait_for(lock, std::chrono::milliseconds(3), [&] { return ready; }));
  });
  takes(2 * kMs, [&] {
    const auto until = std::chrono::system_clock::now() + std::chrono::milliseconds(2);
    CHECK_FALSE(changed.wait_until(lock, until, [&] { return ready; }));
  });
  const Later later(kMs, [&] {
    const std::lock_guard<std::mutex> held(mutex);
    ready = true;
    changed.notify_one();
  });
  takes(kMs - kReads, [&] {
    CHECK(changed.wait_for(lock, std::chrono::milliseconds(30), [&] { return ready; }));
  });
  lock.unlock();
}

TEST_CASE("timers") {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec each{{0, kMs}, {0, kMs}}, left{};
  REQUIRE(timerfd_settime(timer, 0, &each, nullptr) == 0);
  std::uint64_t count = 0;
  takes(kMs, [&] { CHECK(read(timer, &count, sizeof count) == sizeof count); });
  CHECK(count == 1);
  sleep_ns(3 * kMs + kMs / 2);
  CHECK(read(timer, &count, sizeof count) == sizeof count);
  CHECK(count == 3);
  CHECK(timerfd_gettime(timer, &left) == 0);
  CHECK(left.it_value.tv_nsec <= kMs / 2);
  each = {};
  CHECK(timerfd_settime(timer, 0, &each, nullptr) == 0);
  close(timer);

  signal(SIGALRM, count_signal);
  const itimerval once{{0, 0}, {0, 5000}};
  REQUIRE(setitimer(ITIMER_REAL, &once, nullptr) == 0);
  const timespec request{0, 20 * kMs};
  timespec rest{};
  takes(5 * kMs, [&] {
    CHECK(nanosleep(&request, &rest) == -1);
    CHECK(errno == EINTR);
  });
  CHECK(signals == 1);
  CHECK(rest.tv_nsec <= 15 * kMs);
  CHECK(rest.tv_nsec >= 15 * kMs - kReads);
  alarm(100);
  CHECK(alarm(0) == 100);
}

#if defined(__x86_64__)
TEST_CASE("the cycle counter has the frequency of /proc/cpuinfo") {
  std::ifstream file("/proc/cpuinfo");
  double mhz = 0;
  for (std::string line; mhz == 0 && std::getline(file, line);) {
    if (line.rfind("cpu MHz", 0) == 0) mhz = std::stod(line.substr(line.find(':') + 1));
  }
  REQUIRE(mhz > 0);
  const auto before = __rdtsc();
  const long start = now_ns();
  sleep_ns(10 * kMs);
  unsigned processor = 0;
  const auto cycles = static_cast<double>(__rdtscp(&processor) - before);
  const auto ns = static_cast<double>(now_ns() - start);
  CHECK(cycles / ns * 1000 == doctest::Approx(mhz).epsilon(0.001));
}
#endif

TEST_CASE("SIGSEGV is the program's all the same") {
  const auto end_of = [](const std::function<void()>& prepare) {
    const pid_t child = fork();
    if (child == 0) {
      prepare();
      volatile int* nowhere = nullptr;
      *nowhere = 1;
      _exit(1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
  };
  const int killed = end_of([] { signal(SIGSEGV, SIG_DFL); });
  CHECK(WIFSIGNALED(killed));
  CHECK(WTERMSIG(killed) == SIGSEGV);
  const int handled = end_of([] { signal(SIGSEGV, [](int) { _exit(7); }); });
  CHECK(WIFEXITED(handled));
  CHECK(WEXITSTATUS(handled) == 7);
}

TEST_CASE("children have the same clock, and programs can be started") {
  const long start = now_ns();
  const pid_t child = fork();
  if (child == 0) {
    sleep_ns(2 * kMs);
    const long passed = now_ns() - start;
    _exit(passed >= 2 * kMs && passed <= 1000 * kMs ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(now_ns() >= start + 2 * kMs);
  CHECK(std::system("exit 3") == 3 << 8);
  FILE* output = popen("echo started", "r");
  REQUIRE(output != nullptr);
  char line[16] = {};
  CHECK(fgets(line, sizeof line, output) != nullptr);
  CHECK(std::string(line) == "started\n");
  pclose(output);
}
