// SPDX-License-Identifier: Apache-2.0
// Doorbells that ring while they are read.
#include "sim/server/doorbells.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <random>
#include <thread>
#include <utility>

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

/// A process that owns all queue pairs from kNumber on.
sim::Ownership owner() {
  sim::Ownership owned;
  for (std::uint32_t number = kNumber; number < driver::protocol::kNumbers; ++number) {
    owned.done(AdminOp::kCreateQp, {}, Body().put(layout::create_qp_reply::qpn, number));
  }
  return owned;
}

/// Rings a receive and then a send `posts` times, with a pause of fewer than `turns` turns after
/// each of both, while the doorbells are read; `slow` is called before each reading. Returns how
/// often a send came before its receive.
unsigned early_sends(std::uint32_t posts, unsigned turns, void (*slow)(Page&)) {
  const auto page = std::make_unique<Page>();
  const sim::Ownership owned = owner();
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

TEST_CASE("doorbells: the words of a post come before its doorbell, and with no other") {
  constexpr std::uint32_t kWords = driver::protocol::Post::kWords, kEnough = 5'000;
  const auto page = std::make_unique<Page>();
  const sim::Ownership owned = owner();
  std::atomic<bool> started{false}, enough{false};
  std::atomic<std::uint32_t> last{0};
  std::thread program([&] {
    std::minstd_rand random(kSeed);
    std::uint32_t words[kWords];
    started = true;
    for (std::uint32_t index = 1; !enough; ++index) {
      const bool with = random() % 4 != 0;
      if (with) {
        std::fill(std::begin(words), std::end(words), index);
        driver::protocol::write_post(page->posts[kNumber], words,
                                     index % 2 == 0 ? kWords : kWords / 2);
      }
      ring(page->send, driver::protocol::with_post(page->posts[kNumber], index & 0xFFFF));
      last = index & 0xFFFF;
      for (std::atomic<std::uint64_t> left{random() % 40}; left != 0;) --left;
    }
  });
  while (!started) std::this_thread::yield();
  unsigned with = 0, without = 0, wrong = 0;
  std::uint32_t index = 0;
  sim::Posts found;
  const auto read = [&] {
    sim::read_doorbells(*page, owned, found);
    if (found.empty()) return;
    const std::size_t words = found.size() - 1;
    wrong += found.back().first != layout::sq_doorbell_offset(kNumber);
    index = found.back().second;
    for (std::size_t i = 0; i < words; ++i) {
      wrong += found[i].first != layout::post_offset(kNumber) + 4 * i;
      wrong += (found[i].second & 0xFFFF) != index;
    }
    wrong += words != 0 && words != (index % 2 == 0 ? kWords : kWords / 2);
    ++(words != 0 ? with : without);
    found.clear();
  };
  while (with < kEnough || without < kEnough) read();
  enough = true;
  program.join();
  read();
  CHECK(index == last);
  CHECK(wrong == 0);
}

TEST_CASE("doorbells: what a process says of a post is not believed") {
  const auto page = std::make_unique<Page>();
  driver::protocol::Post& post = page->posts[kNumber];
  const sim::Ownership owned = owner();
  const auto writes = [&](std::uint32_t turn, std::uint32_t count, std::uint32_t index) {
    post.turn = turn;
    post.count = count;
    post.index = index;
    ring(page->send, 7 | driver::protocol::kWithPost);
    sim::Posts found;
    sim::read_doorbells(*page, owned, found);
    CHECK(found.back() == std::pair(layout::sq_doorbell_offset(kNumber), 7u));
    return found.size();
  };
  CHECK(writes(2, 16, 7) == 17);
  CHECK(writes(2, 32, 7) == 33);
  CHECK(writes(2, 33, 7) == 1);
  CHECK(writes(2, ~0u, 7) == 1);
  CHECK(writes(3, 16, 7) == 1);  // it is being written
  CHECK(writes(2, 16, 8) == 1);  // it is of a later doorbell
}
