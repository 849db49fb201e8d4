// SPDX-License-Identifier: Apache-2.0
// Timed waits for locks and threads in simulated time: as clocks_test.cpp.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <thread>

#include "sim/test/time/passing.hpp"

using namespace passing;

namespace {

struct Semaphore {
  sem_t value;
  Semaphore() { REQUIRE(sem_init(&value, 0, 0) == 0); }
  ~Semaphore() { sem_destroy(&value); }
};

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

TEST_CASE("pthread_rwlock_timedrdlock and its relatives") {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  REQUIRE(pthread_rwlock_rdlock(&lock) == 0);
  const timespec bad{0, 1'000'000'000L};
  CHECK(pthread_rwlock_timedwrlock(&lock, &bad) == EINVAL);
  takes(3 * kMs, [&] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 3 * kMs);
    CHECK(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT);
  });
  takes(2 * kMs, [&] {
    const timespec until = timespec_at(now_ns() + 2 * kMs);
    CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  });
  const timespec past{1, 0};
  takes(0, [&] { CHECK(pthread_rwlock_timedrdlock(&lock, &past) == 0); });
  REQUIRE(pthread_rwlock_unlock(&lock) == 0);
  REQUIRE(pthread_rwlock_unlock(&lock) == 0);
  REQUIRE(pthread_rwlock_wrlock(&lock) == 0);
  int found = 0;
  takes(4 * kMs, [&] {
    std::thread([&] {
      const timespec until = timespec_at(now_ns() + 4 * kMs);
      found = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until);
    }).join();
  });
  CHECK(found == ETIMEDOUT);
  std::thread reads([&] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 50 * kMs);
    found = pthread_rwlock_timedrdlock(&lock, &until);
  });
  takes(8 * kMs, [&] {
    sleep_ns(8 * kMs);
    pthread_rwlock_unlock(&lock);
  });
  reads.join();
  CHECK(found == 0);
  pthread_rwlock_unlock(&lock);
}

TEST_CASE("pthread_timedjoin_np and pthread_clockjoin_np") {
  pthread_t thread{};
  const auto sleeps = [](void* sign) -> void* {
    sleep_ns(9 * kMs);
    return sign;
  };
  int sign = 0;
  REQUIRE(pthread_create(&thread, nullptr, sleeps, &sign) == 0);
  takes(3 * kMs, [&] {
    const timespec until = timespec_at(now_ns(CLOCK_REALTIME) + 3 * kMs);
    CHECK(pthread_timedjoin_np(thread, nullptr, &until) == ETIMEDOUT);
  });
  void* result = nullptr;
  const timespec until = timespec_at(now_ns() + 50 * kMs);
  const long start = now_ns();
  CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until) == 0);
  CHECK(now_ns() - start <= 6 * kMs + kMs + kReads);  // it looks again after 1/8 of the time
  CHECK(result == &sign);
}
