// SPDX-License-Identifier: Apache-2.0
// Work requests of the bench of dma: inline data, which are read from the blocks that client 0 was
// given, and blocks that came with a doorbell.
#pragma once

#include "rtl/dma/dma_bench.hpp"

inline void Bench::read_inline(unsigned pos, unsigned back, unsigned len) {
  const std::uint64_t first = fetched_.size() - 1 - back;
  const std::uint64_t at = first % RTL_FetchBlocks * layout::kBlockBytes;
  Packet packet{{{at, len, true, false, true}}, pos, len, false, false, {}};
  for (unsigned i = 0; i < len; ++i) {
    const Fetched& block = fetched_[first + i / layout::kBlockBytes];
    packet.bytes.push_back(block.bytes[i % layout::kBlockBytes]);
    packet.error |= block.error;
  }
  inline_blocks_.push_back(first + (len - 1) / layout::kBlockBytes);
  read_segments.push_back(packet.segments[0]);
  starts.push_back(packet);
  reads.push_back(std::move(packet));
}

inline unsigned Bench::coming_blocks() const {
  unsigned coming = 0;
  for (const Block& block : blocks[0]) coming += block.count;
  return coming - got_[0] / bus::kBlockBeats;
}

inline unsigned Bench::kept_blocks() const {
  const auto there = unsigned(std::min<std::size_t>(fetched_.size(), RTL_FetchBlocks));
  return there > coming_blocks() ? there - coming_blocks() : 0;
}

inline bool Bench::has_place(unsigned count) const {
  const std::uint64_t end = fetched_.size() + coming_blocks() + count;
  std::uint64_t first = fetched_.size();
  // Inline data lie in three blocks at most.
  for (const std::uint64_t last : inline_blocks_) first = std::min(first, last < 2 ? 0 : last - 2);
  return end <= first + RTL_FetchBlocks;
}

inline void Bench::sample_inline(Vroci_dma& m) {
  if (!m.inline_done_valid_o) return;
  REQUIRE_FALSE(inline_blocks_.empty());
  REQUIRE(m.inline_done_block_o == inline_blocks_.front() % RTL_FetchBlocks);
  inline_blocks_.pop_front();
  ++inline_done;
}

inline void Bench::fetch_posted(unsigned count) {
  Block block{HostModel::kBase, count, {}, true};
  for (unsigned i = 0; i < layout::kBlockBytes * count; ++i)
    block.bytes.push_back(std::uint8_t(random()));
  requests[0].push_back(block);
  blocks[0].push_back(block);
}
