// SPDX-License-Identifier: Apache-2.0
// Doorbells that ring while they are read.
#include "sim/server/doorbells.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <random>
#include <thread>

#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/registers.hpp"

using namespace roci;
using driver::Body;
using driver::protocol::Doorbells;
using driver::protocol::Page;
using layout::AdminOp;

namespace {

constexpr std::uint32_t kNumber = 5;
constexpr unsigned kSeed = 1;

void ring(Doorbells& doorbells, std::uint32_t value) {
  doorbells.word[kNumber].store(value, std::memory_order_release);
  doorbells.rung[kNumber / 64].fetch_or(std::uint64_t{1} << kNumber % 64);
}

/// Rings a receive and then a send `posts` times, with a pause of fewer than `turns` turns after
/// each of both, while the doorbells are read; `slow` is called before each reading. Returns how
/// often a send came before its receive.
unsigned early_sends(std::uint32_t posts, unsigned turns, void (*slow)(Page&)) {
  const auto page = std::make_unique<Page>();
  sim::Ownership owned;
  for (std::uint32_t number = kNumber; number < driver::protocol::kNumbers; ++number) {
    owned.done(AdminOp::kCreateQp, {}, Body().put(layout::create_qp_reply::qpn, number));
  }
  std::atomic<bool> started{false}, ended{false};
  std::thread program([&] {
    std::minstd_rand random(kSeed);
    const auto pause = [&] {
      for (std::atomic<std::uint64_t> left{random() % turns}; left != 0;) --left;
    };
    started = true;
    for (std::uint32_t value = 1; value <= posts; ++value) {
      ring(page->receive, value);
      pause();
      ring(page->send, value);
      pause();
    }
    ended = true;
  });
  while (!started) std::this_thread::yield();
  std::uint16_t received = 0, sent = 0;
  unsigned early = 0;
  sim::Posts found;
  for (bool last = false; !last;) {
    last = ended;
    slow(*page);
    sim::read_doorbells(*page, owned, found);
    for (const auto& [offset, value] : found) {
      const bool send = offset == layout::sq_doorbell_offset(kNumber);
      if (!send && offset != layout::rq_doorbell_offset(kNumber)) continue;
      (send ? sent : received) = static_cast<std::uint16_t>(value);
      if (send && static_cast<std::int16_t>(sent - received) > 0) ++early;
    }
    found.clear();
  }
  program.join();
  CHECK(sent == static_cast<std::uint16_t>(posts));
  CHECK(received == static_cast<std::uint16_t>(posts));
  return early;
}

/// Rings all doorbells of a kind but those of the first word, in which kNumber is.
void ring_others(Doorbells& doorbells) {
  for (std::size_t i = 1; i < std::size(doorbells.rung); ++i) doorbells.rung[i] = ~0ull;
}

}  // namespace

TEST_CASE("doorbells: a send never comes before a receive that was posted before it") {
  // Between the two words, those of many other receives are read.
  CHECK(early_sends(200'000, 1, [](Page& page) { ring_others(page.receive); }) == 0);
  // A receive and its send between the bits of receives and the word of the send. Of completion
  // queues and SRQs none is owned, so that only their bits are fetched.
  CHECK(early_sends(200'000, 500, [](Page& page) {
          ring_others(page.consumer);
          ring_others(page.shared_receive);
        }) == 0);
}

TEST_CASE("doorbells: of objects of others are not taken") {
  const auto page = std::make_unique<Page>();
  ring(page->send, 1);
  sim::Posts posts;
  sim::read_doorbells(*page, sim::Ownership(), posts);
  CHECK(posts.empty());
  CHECK(page->send.rung[0] == 0);
}
