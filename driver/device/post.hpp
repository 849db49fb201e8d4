// SPDX-License-Identifier: Apache-2.0
// How a process hands over a work request with its doorbell: part of the page of protocol.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/spec/layout/registers.hpp"

namespace roci::driver::protocol {

/// The newest work request of a queue pair. The process makes `turn` odd and writes `words`; when
/// it rings, it writes `index`, makes `turn` even, and rings with kWithPost. The simulator passes
/// the words on when `turn` is even, and the same before and after it has read the others, and
/// `index` is that of the doorbell; otherwise it passes on the doorbell alone.
struct Post {
  static constexpr std::uint32_t kWords = layout::kPostBytes / 4;
  std::atomic<std::uint32_t> turn;
  std::atomic<std::uint32_t> index;
  std::atomic<std::uint32_t> count;  ///< number of words
  std::atomic<std::uint32_t> words[kWords];
};

/// Bit of a word of Page::send: the newest work request stands in Page::posts.
inline constexpr std::uint32_t kWithPost = 1u << 31;

/// Writes up to Post::kWords words; the next doorbell hands them over.
inline void write_post(Post& post, const std::uint32_t* words, std::uint32_t count) {
  post.turn.store(post.turn.load(std::memory_order_relaxed) | 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::uint32_t i = 0; i < count; ++i) {
    post.words[i].store(words[i], std::memory_order_relaxed);
  }
  post.count.store(count, std::memory_order_relaxed);
}

/// The word of Page::send for a doorbell of `index`: with what was written since the last one.
inline std::uint32_t with_post(Post& post, std::uint32_t index) {
  const std::uint32_t turn = post.turn.load(std::memory_order_relaxed);
  if (turn % 2 == 0) return index;
  post.index.store(index, std::memory_order_relaxed);
  post.turn.store(turn + 1, std::memory_order_release);
  return index | kWithPost;
}

}  // namespace roci::driver::protocol
