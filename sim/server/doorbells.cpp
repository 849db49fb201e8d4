// SPDX-License-Identifier: Apache-2.0
#include "sim/server/doorbells.hpp"

#include "model/spec/layout/registers.hpp"

namespace roci::sim {
namespace {

using driver::protocol::Doorbells;
using driver::protocol::kArmPending;
using driver::protocol::kArmSolicited;
using driver::protocol::kNumbers;
using driver::protocol::kWithPost;
using driver::protocol::Post;

constexpr std::uint32_t kIndexMask = 0xFFFF;
constexpr std::size_t kWords = kNumbers / 64;

/// One bit for each doorbell that was rung.
struct Bits {
  std::uint64_t words[kWords];

  explicit Bits(Doorbells& doorbells) {
    for (std::size_t i = 0; i < kWords; ++i) {
      words[i] = doorbells.rung[i].load(std::memory_order_relaxed) == 0
                     ? 0
                     : doorbells.rung[i].exchange(0);
    }
  }

  template <typename Visit>
  void each(const Ownership& owned, Owned kind, Visit visit) const {
    for (std::size_t i = 0; i < kWords; ++i) {
      for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
        const auto number =
            static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(__builtin_ctzll(left));
        if (owned.has(kind, number)) visit(number);
      }
    }
  }
};

/// Puts the words of a post before its doorbell, which is the first of `posts`, unless the process
/// has changed them since.
void put_words(std::uint32_t number, std::uint32_t index, const Post& post, Posts& posts) {
  const std::uint32_t turn = post.turn.load(std::memory_order_acquire);
  const std::uint32_t count = post.count.load(std::memory_order_relaxed);
  std::uint32_t words[Post::kWords];
  for (std::uint32_t i = 0; i < Post::kWords; ++i) {
    words[i] = post.words[i].load(std::memory_order_relaxed);
  }
  const std::uint32_t posted = post.index.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (turn % 2 != 0 || post.turn.load(std::memory_order_relaxed) != turn || posted != index ||
      count > Post::kWords) {
    return;
  }
  for (std::uint32_t i = count; i-- != 0;) {
    posts.emplace_front(layout::post_offset(number) + 4 * i, words[i]);
  }
}

}  // namespace

void read_doorbells(driver::protocol::Page& page, const Ownership& owned, Posts& posts) {
  // A word may be newer than its bit. So the bits of one kind are fetched when the words of the
  // kind before have been read: a send that is read must not be ahead of a receive that the program
  // posted before it, whose bit is set by then. What is read later is posted earlier, except for
  // arms.
  const Bits arm(page.arm);
  const auto before = [&](Doorbells& doorbells, Owned kind, auto offset_of) {
    Bits(doorbells).each(owned, kind, [&](std::uint32_t number) {
      posts.emplace_front(offset_of(number),
                          doorbells.word[number].load(std::memory_order_acquire) & kIndexMask);
    });
  };
  Bits(page.send).each(owned, Owned::kQueuePair, [&](std::uint32_t number) {
    const std::uint32_t word = page.send.word[number].load(std::memory_order_acquire);
    posts.emplace_front(layout::sq_doorbell_offset(number), word & kIndexMask);
    if ((word & kWithPost) != 0) {
      put_words(number, word & kIndexMask, page.posts[number], posts);
    }
  });
  before(page.receive, Owned::kQueuePair, layout::rq_doorbell_offset);
  before(page.shared_receive, Owned::kSharedReceiveQueue, layout::srq_doorbell_offset);
  before(page.consumer, Owned::kCompletionQueue, layout::cq_doorbell_offset);
  // An arm stays in its word, which merges it with later ones, until it is taken.
  arm.each(owned, Owned::kCompletionQueue, [&](std::uint32_t number) {
    const std::uint32_t word = page.arm.word[number].fetch_and(~kArmPending);
    posts.emplace_back(layout::cq_arm_doorbell_offset(number), word & (kIndexMask | kArmSolicited));
  });
}

}  // namespace roci::sim
