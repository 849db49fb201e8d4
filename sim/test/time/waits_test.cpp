// SPDX-License-Identifier: Apache-2.0
// Waits and timers that fewer programs use, in simulated time: as clocks_test.cpp.
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <mutex>
#include <string>

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

int last_value = 0;
void note_value(int, siginfo_t* info, void*) {
  last_value = info->si_code == SI_TIMER ? info->si_value.sival_int : -1;
  signals = signals + 1;
}

}  // namespace

TEST_CASE("mq_timedreceive and mq_timedsend") {
  const std::string name = "/roci-waits-" + std::to_string(getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  const mqd_t queue = mq_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
  REQUIRE(queue >= 0);
  mq_unlink(name.c_str());
  char data[8];
  takes(3 * kMs, [&] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 3 * kMs);
    CHECK(mq_timedreceive(queue, data, sizeof data, nullptr, &until) == -1);
    CHECK(errno == ETIMEDOUT);
  });
  const timespec past{1, 0}, bad{0, 1'000'000'000L};
  CHECK(mq_timedreceive(queue, data, sizeof data, nullptr, &bad) == -1);
  CHECK(errno == EINVAL);
  takes(0, [&] { CHECK(mq_timedsend(queue, "first", 5, 0, &past) == 0); });
  takes(2 * kMs, [&] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 2 * kMs);
    CHECK(mq_timedsend(queue, "second", 6, 0, &until) == -1);
    CHECK(errno == ETIMEDOUT);
  });
  {
    const Later later(
        4 * kMs, [&] { CHECK(mq_timedreceive(queue, data, sizeof data, nullptr, &past) == 5); });
    takes(4 * kMs - kReads, [&] {
      const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 50 * kMs);
      CHECK(mq_timedsend(queue, "third", 5, 0, &until) == 0);
    });
  }
  takes(0, [&] { CHECK(mq_timedreceive(queue, data, sizeof data, nullptr, &past) == 5); });
  mq_close(queue);
}

TEST_CASE("random numbers of a program that begin at its process id and the time repeat") {
  srand48(getpid() * time(nullptr));
  const long first = lrand48();
  const timespec second{1, 0};
  CHECK(nanosleep(&second, nullptr) == 0);
  srand48(getpid() * time(nullptr));
  CHECK(lrand48() == first);
  srand48(getpid() + time(nullptr));
  CHECK(lrand48() == first);
  srand(static_cast<unsigned>(getpid()));
  const int other = rand();
  srand(static_cast<unsigned>(time(nullptr)));
  CHECK(rand() == other);
  // Another seed is the program's choice.
  srand48(7);
  unsigned short state[] = {0x330E, 7, 0};  // as POSIX has it
  CHECK(lrand48() == nrand48(state));
}

TEST_CASE("sigtimedwait") {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
  siginfo_t info{};
  const timespec three{0, 3 * kMs}, bad{0, 1'000'000'000L};
  takes(3 * kMs, [&] {
    CHECK(sigtimedwait(&set, &info, &three) == -1);
    CHECK(errno == EAGAIN);
  });
  CHECK(sigtimedwait(&set, &info, &bad) == -1);
  CHECK(errno == EINVAL);
  const pthread_t self = pthread_self();
  {
    const Later later(2 * kMs, [self] { pthread_kill(self, SIGUSR2); });
    takes(2 * kMs - kReads, [&] { CHECK(sigtimedwait(&set, &info, &three) == SIGUSR2); });
  }
  CHECK(info.si_signo == SIGUSR2);
  REQUIRE(pthread_sigmask(SIG_SETMASK, &old, nullptr) == 0);
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
