// SPDX-License-Identifier: Apache-2.0
// Threads and children of one process on one device: run by `roci exec` on a node of a simulator.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;

/// Writes `rounds` patterns and compares; returns the number of mismatches.
unsigned talk(Pair& pair, Region& from, Region& into, unsigned rounds, unsigned salt) {
  unsigned wrong = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kBytes; ++i) {
      from.bytes[i] = static_cast<std::uint8_t>(round * 13 + i * 5 + salt);
    }
    need_zero(pair.a.write(from, into, kBytes), "write");
    wrong += pair.a.next().status != IBV_WC_SUCCESS || from.bytes != into.bytes;
  }
  return wrong;
}

}  // namespace

TEST_CASE("threads with queue pairs of their own, on one context") {
  Device device;
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 3; ++i) {  // objects are created and destroyed meanwhile
        Pair pair(device);
        Region from(device.pd, kBytes), into(device.pd, kBytes);
        wrong += talk(pair, from, into, 10, t * 64 + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads that post to one queue pair while others poll it") {
  constexpr unsigned kPosters = 2, kPollers = 2, kEach = 150;
  Device device;
  Sizes sizes;
  sizes.send = 32;
  Pair pair(device, sizes);
  Region from(device.pd, kBytes), into(device.pd, kBytes);
  std::vector<std::atomic<unsigned>> seen(kPosters * kEach);
  std::atomic<unsigned> polled{0}, bad{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kPosters; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < kEach; ++i) {
        int error = 0;
        while ((error = pair.a.write(from, into, 64, t * kEach + i)) == ENOMEM) {
          std::this_thread::yield();
        }
        bad += error != 0;
      }
    });
  }
  for (unsigned t = 0; t < kPollers; ++t) {
    threads.emplace_back([&] {
      ibv_wc wc{};
      while (polled < kPosters * kEach) {
        const int got = ibv_poll_cq(pair.a.cq, 1, &wc);
        bad += got < 0;
        if (got != 1) continue;
        ++polled;
        bad += wc.status != IBV_WC_SUCCESS;
        ++seen[wc.wr_id];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(bad == 0);
  for (const auto& count : seen) CHECK(count == 1);
}

// Without ibv_fork_init(), which would withhold registered pages from the child: DMA accesses the
// pages of the process that opened the device.
TEST_CASE("a child does not affect the objects of its parent, and may open the device itself") {
  Device device;
  Pair pair(device);
  Region from(device.pd, kBytes), into(device.pd, kBytes);
  CHECK(talk(pair, from, into, 3, 1) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::fill(from.bytes.begin(), from.bytes.end(), 0xEE);  // its own copy
    std::fill(into.bytes.begin(), into.bytes.end(), 0xEE);
    const bool rejected = ibv_alloc_pd(device.context) == nullptr;
    unsigned wrong = 1;
    try {
      Device own;
      Pair inner(own);
      Region out(own.pd, kBytes), in(own.pd, kBytes);
      wrong = talk(inner, out, in, 5, 2);
    } catch (const std::exception&) {
    }
    const bool closed = ibv_close_device(device.context) == 0;  // in this process alone
    _exit((rejected ? 0 : 1) + (wrong == 0 ? 0 : 2) + (closed ? 0 : 4));
  }
  CHECK(talk(pair, from, into, 20, 3) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(talk(pair, from, into, 5, 4) == 0);
}

// Each queue pair has a completion queue of its own.
TEST_CASE("as many queue pairs as there are, in pairs, all carry data") {
  Device device;
  ibv_device_attr attr{};
  need_zero(ibv_query_device(device.context, &attr), "query");
  Sizes sizes;
  sizes.send = sizes.receive = sizes.completions = 1;
  Region from(device.pd, kBytes), into(device.pd, kBytes);
  std::vector<std::unique_ptr<Pair>> pairs;
  while (2 * static_cast<int>(pairs.size()) + 1 < attr.max_qp) {
    pairs.push_back(std::make_unique<Pair>(device, sizes));
  }
  errno = 0;
  CHECK_THROWS_AS(Queue(device, sizes), std::runtime_error);
  CHECK(errno == ENOMEM);
  unsigned wrong = 0;
  for (auto& pair : pairs) wrong += pair->a.write(from, into, 8) != 0;
  for (auto& pair : pairs) wrong += pair->a.next().status != IBV_WC_SUCCESS;
  CHECK(wrong == 0);
}

}  // namespace roci::user
