// SPDX-License-Identifier: Apache-2.0
// Waits and timers that fewer programs use, in simulated time: as clocks_test.cpp.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <mutex>

#include "sim/test/time/passing.hpp"

using namespace passing;

namespace {

struct Sockets {
  int ends[2];
  Sockets() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
};

struct Semaphore {
  sem_t value;
  Semaphore() { REQUIRE(sem_init(&value, 0, 0) == 0); }
  ~Semaphore() { sem_destroy(&value); }
};

int last_value = 0;
void note_value(int, siginfo_t* info, void*) {
  last_value = info->si_code == SI_TIMER ? info->si_value.sival_int : -1;
  signals = signals + 1;
}

}  // namespace

TEST_CASE("sem_timedwait and sem_clockwait") {
  Semaphore semaphore;
  takes(3 * kMs, [&] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 3 * kMs);
    CHECK(sem_timedwait(&semaphore.value, &until) == -1);
    CHECK(errno == ETIMEDOUT);
  });
  takes(2 * kMs, [&] {
    const timespec until = timespec_at(now_ns() + 2 * kMs);
    CHECK(sem_clockwait(&semaphore.value, CLOCK_MONOTONIC, &until) == -1);
    CHECK(errno == ETIMEDOUT);
  });
  {
    const Later later(4 * kMs, [&] { sem_post(&semaphore.value); });
    takes(4 * kMs - kReads, [&] {
      const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 50 * kMs);
      CHECK(sem_timedwait(&semaphore.value, &until) == 0);
    });
  }
  sem_post(&semaphore.value);
  takes(0, [&] {
    const timespec past{1, 0};
    CHECK(sem_timedwait(&semaphore.value, &past) == 0);
    CHECK(sem_timedwait(&semaphore.value, &past) == -1);
  });
  const timespec bad{0, 1'000'000'000L};
  CHECK(sem_timedwait(&semaphore.value, &bad) == -1);
  CHECK(errno == EINVAL);
}

TEST_CASE("pthread_mutex_timedlock") {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const auto lock = [&](long ns) {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + ns);
    return pthread_mutex_timedlock(&mutex, &until);
  };
  takes(0, [&] { CHECK(lock(kMs) == 0); });
  int found = 0;
  takes(3 * kMs, [&] { std::thread([&] { found = lock(3 * kMs); }).join(); });
  CHECK(found == ETIMEDOUT);
  const long start = now_ns();
  long passed = 0;
  std::thread waits([&] {
    found = lock(50 * kMs);
    passed = now_ns() - start;
    pthread_mutex_unlock(&mutex);
  });
  sleep_ns(8 * kMs);
  pthread_mutex_unlock(&mutex);
  waits.join();
  CHECK(found == 0);
  CHECK(passed >= 8 * kMs - kReads);
  CHECK(passed <= 8 * kMs + kMs + kReads);  // it looks again after 1/8 of the time
}

TEST_CASE("ppoll, pselect, epoll_pwait2 and absolute sleeps") {
  const Pipe pipe;
  pollfd one{pipe.ends[0], POLLIN, 0};
  const timespec two{0, 2 * kMs}, bad{0, 1'000'000'000L};
  takes(2 * kMs, [&] { CHECK(ppoll(&one, 1, &two, nullptr) == 0); });
  CHECK(ppoll(&one, 1, &bad, nullptr) == -1);
  CHECK(errno == EINVAL);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pipe.ends[0], &set);
  takes(2 * kMs,
        [&] { CHECK(pselect(pipe.ends[0] + 1, &set, nullptr, nullptr, &two, nullptr) == 0); });
  const int epoll = epoll_create1(0);
  epoll_event event{EPOLLIN, {}}, found{};
  REQUIRE(epoll_ctl(epoll, EPOLL_CTL_ADD, pipe.ends[0], &event) == 0);
  takes(2 * kMs, [&] { CHECK(epoll_pwait2(epoll, &found, 1, &two, nullptr) == 0); });
  takes(3 * kMs, [&] { CHECK(epoll_pwait(epoll, &found, 1, 3, nullptr) == 0); });
  pipe.write_one();
  takes(0, [&] { CHECK(epoll_pwait2(epoll, &found, 1, &two, nullptr) == 1); });
  close(epoll);
  takes(4 * kMs, [] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 4 * kMs);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr) == 0);
  });
}

TEST_CASE("SO_RCVTIMEO") {
  const Sockets sockets;
  const timeval timeout{0, 3000};
  const int fd = sockets.ends[0];
  REQUIRE(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  timeval shown{};
  socklen_t size = sizeof shown;
  REQUIRE(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &shown, &size) == 0);
  CHECK(shown.tv_usec == 3000);
  char byte = 0;
  takes(3 * kMs, [&] {
    CHECK(recv(fd, &byte, 1, 0) == -1);
    CHECK(errno == EAGAIN);
  });
  takes(3 * kMs, [&] { CHECK(read(fd, &byte, 1) == -1); });
  takes(0, [&] { CHECK(recv(fd, &byte, 1, MSG_DONTWAIT) == -1); });
  {
    const Later later(kMs, [&] { REQUIRE(write(sockets.ends[1], "x", 1) == 1); });
    takes(kMs - kReads, [&] { CHECK(recv(fd, &byte, 1, 0) == 1); });
  }
  const timeval none{};
  REQUIRE(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none) == 0);
  const Later later(9 * kMs, [&] { REQUIRE(write(sockets.ends[1], "x", 1) == 1); });
  takes(9 * kMs - kReads, [&] { CHECK(recv(fd, &byte, 1, 0) == 1); });
}

TEST_CASE("timer_create") {
  struct sigaction action {};
  action.sa_sigaction = note_value;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  event.sigev_value.sival_int = 17;
  timer_t timer{};
  REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  signals = 0;
  itimerspec each{{0, 2 * kMs}, {0, 5 * kMs}}, left{};
  REQUIRE(timer_settime(timer, 0, &each, nullptr) == 0);
  const timespec request{0, 50 * kMs};
  takes(5 * kMs, [&] { CHECK(nanosleep(&request, nullptr) == -1); });
  takes(2 * kMs - kReads, [&] { CHECK(nanosleep(&request, nullptr) == -1); });
  CHECK(signals == 2);
  CHECK(last_value == 17);
  sleep_ns(kMs);
  REQUIRE(timer_gettime(timer, &left) == 0);
  CHECK(left.it_interval.tv_nsec == 2 * kMs);
  CHECK(left.it_value.tv_nsec <= kMs);
  CHECK(left.it_value.tv_nsec >= kMs - 2 * kReads);
  CHECK(timer_getoverrun(timer) == 0);
  REQUIRE(timer_delete(timer) == 0);
  takes(6 * kMs, [] { sleep_ns(6 * kMs); });

  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval value) { last_value = value.sival_int + 1; };
  REQUIRE(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  each = {{0, 0}, timespec_at(now_ns(CLOCK_REALTIME) + 3 * kMs)};
  REQUIRE(timer_settime(timer, TIMER_ABSTIME, &each, nullptr) == 0);
  sleep_ns(2 * kMs);
  CHECK(last_value == 17);
  sleep_ns(2 * kMs);
  CHECK(last_value == 18);
  REQUIRE(timer_delete(timer) == 0);

  event.sigev_notify = -5;
  CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == -1);
  CHECK(errno == EINVAL);
  REQUIRE(timer_create(CLOCK_PROCESS_CPUTIME_ID, nullptr, &timer) == 0);
  CHECK(timer_delete(timer) == 0);
}

TEST_CASE("getitimer and ualarm") {
  signal(SIGALRM, count_signal);
  const itimerval once{{0, 0}, {0, 7000}}, none{};
  itimerval left{};
  REQUIRE(setitimer(ITIMER_REAL, &once, nullptr) == 0);
  sleep_ns(2 * kMs);
  REQUIRE(getitimer(ITIMER_REAL, &left) == 0);
  CHECK(left.it_value.tv_usec <= 5000);
  CHECK(left.it_value.tv_usec >= 4990);
  REQUIRE(setitimer(ITIMER_REAL, &none, nullptr) == 0);
  REQUIRE(getitimer(ITIMER_REAL, &left) == 0);
  CHECK(left.it_value.tv_usec == 0);
  ualarm(4000, 0);
  const timespec request{0, 20 * kMs};
  takes(4 * kMs, [&] { CHECK(nanosleep(&request, nullptr) == -1); });
}
