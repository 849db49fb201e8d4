// SPDX-License-Identifier: Apache-2.0
// Doorbells that ring while they are read.
#include "sim/server/doorbells.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <iterator>
#include <memory>
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

void ring(Doorbells& doorbells, std::uint32_t value) {
  doorbells.word[kNumber].store(value, std::memory_order_release);
  doorbells.rung[kNumber / 64].fetch_or(std::uint64_t{1} << kNumber % 64);
}

}  // namespace

TEST_CASE("doorbells: a send never comes before a receive that was posted before it") {
  constexpr std::uint32_t kPosts = 200'000;
  const auto page = std::make_unique<Page>();
  sim::Ownership owned;
  // The receives of many other queue pairs are read between those two words.
  for (std::uint32_t number = kNumber; number < driver::protocol::kNumbers; ++number) {
    owned.done(AdminOp::kCreateQp, {}, Body().put(layout::create_qp_reply::qpn, number));
  }
  std::atomic<bool> started{false}, ended{false};
  std::thread program([&] {
    started = true;
    for (std::uint32_t value = 1; value <= kPosts; ++value) {
      ring(page->receive, value);
      ring(page->send, value);
    }
    ended = true;
  });
  while (!started) std::this_thread::yield();
  std::uint16_t received = 0, sent = 0;
  unsigned early = 0;
  sim::Posts posts;
  for (bool last = false; !last;) {
    last = ended;
    for (std::size_t i = 1; i < std::size(page->receive.rung); ++i) page->receive.rung[i] = ~0ull;
    sim::read_doorbells(*page, owned, posts);
    for (const auto& [offset, value] : posts) {
      if (offset >= layout::sq_doorbell_offset(kNumber + 1)) continue;
      const bool send = offset == layout::sq_doorbell_offset(kNumber);
      (send ? sent : received) = static_cast<std::uint16_t>(value);
      if (send && static_cast<std::int16_t>(sent - received) > 0) ++early;
    }
    posts.clear();
  }
  program.join();
  CHECK(early == 0);
  CHECK(sent == static_cast<std::uint16_t>(kPosts));
  CHECK(received == static_cast<std::uint16_t>(kPosts));
}

TEST_CASE("doorbells: of objects of others are not taken") {
  const auto page = std::make_unique<Page>();
  ring(page->send, 1);
  sim::Posts posts;
  sim::read_doorbells(*page, sim::Ownership(), posts);
  CHECK(posts.empty());
  CHECK(page->send.rung[0] == 0);
}
