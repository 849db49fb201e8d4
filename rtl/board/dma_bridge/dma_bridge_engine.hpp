// SPDX-License-Identifier: Apache-2.0
// A DMA engine with a RAM of segments, as the bridge expects it: it ends its requests in any order.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "Vroci_dma_bridge.h"
#include "rtl/common/test/dut.hpp"

namespace dma_bridge {

using Bytes = std::vector<std::uint8_t>;

inline constexpr unsigned kBeat = DATA_WIDTH / 8;
inline constexpr unsigned kSegs = RTL_Segs, kSegment = RTL_SegWidth / 8, kRow = kSegs * kSegment;
inline constexpr unsigned kRing = RTL_ReadBytes, kRows = kRing / kRow;
inline constexpr unsigned kMostBeats = std::min(256u, 4096 / kBeat);
static_assert(RTL_ReadBytes == RTL_WriteBytes);

constexpr unsigned bits_of(unsigned count) { return count < 2 ? 0 : 1 + bits_of(count / 2); }
inline constexpr unsigned kRowBits = bits_of(kRows);

/// What the adapter asked for, in its order.
struct Burst {
  unsigned id, asid, beats;
  std::uint64_t address;
  unsigned from = 0, bytes = 0;  ///< what a write selects
  Bytes data{};                  ///< all beats of a write
  bool bad = false;              ///< the engine ended it with an error
};

/// A descriptor with the engine.
struct Operation {
  const Burst* burst;
  unsigned tag, ram, bytes;
  unsigned done = 0;                           ///< bytes
  unsigned delay = 0;                          ///< clocks to its status
  std::array<unsigned, kSegs> asked{}, got{};  ///< rows of each segment
  Bytes data{};                                ///< rows that were read

  unsigned rows() const { return (ram % kRow + bytes + kRow - 1) / kRow; }
};

/// Byte of host memory, before anything is written.
inline std::uint8_t host_byte(std::uint64_t address, unsigned asid) {
  return static_cast<std::uint8_t>((address ^ std::uint64_t{asid} << 40) * 0x9E3779B97F4A7C15u >>
                                   56);
}

class Engine {
 public:
  unsigned stalls = 0;     ///< percent of clocks in which it does nothing
  unsigned errors = 0;     ///< percent of operations that end with an error
  unsigned latency = 0;    ///< most clocks from the last byte to the status
  unsigned overtaken = 0;  ///< statuses that were not those of the oldest

  Engine(Vroci_dma_bridge& dut, std::mt19937& random) : d_(dut), random_(random) {}

  bool idle() const { return read_tags_.empty() && write_tags_.empty(); }
  std::size_t reads_described() const { return reads_; }
  std::size_t writes_described() const { return writes_; }

  void drive() {
    d_.rd_req_ready_i = acts();
    d_.wr_req_ready_i = acts();
    drive_fill();
    drive_collect();
    end_one(fetched_, d_.rd_sts_valid_i, d_.rd_sts_tag_i, d_.rd_sts_error_i, read_tags_);
    end_one(stored_, d_.wr_sts_valid_i, d_.wr_sts_tag_i, d_.wr_sts_error_i, write_tags_);
  }

  /// Takes descriptors, which must be those of the next bursts.
  void sample(std::deque<Burst>& reads, std::deque<Burst>& writes) {
    sample_fill();
    sample_collect();
    if (d_.rd_req_valid_o && d_.rd_req_ready_i) {
      REQUIRE(reads_ < reads.size());
      Burst& burst = reads[reads_++];
      const unsigned bytes = burst.beats * kBeat;
      CHECK(d_.rd_req_src_addr_o == burst.address);
      CHECK(d_.rd_req_src_asid_o == burst.asid);
      CHECK(d_.rd_req_dst_addr_o == read_ram_ % kRing);
      CHECK(d_.rd_req_len_o == bytes);
      CHECK(read_tags_.insert(d_.rd_req_tag_o).second);
      read_ram_ += bytes;
      fetching_.push_back(operation(burst, d_.rd_req_tag_o, d_.rd_req_dst_addr_o, bytes));
    }
    if (d_.wr_req_valid_o && d_.wr_req_ready_i) {
      while (writes_ < writes.size() && writes[writes_].bytes == 0) skip(writes[writes_++]);
      REQUIRE(writes_ < writes.size());
      Burst& burst = writes[writes_++];
      CHECK(d_.wr_req_dst_addr_o == burst.address + burst.from);
      CHECK(d_.wr_req_dst_asid_o == burst.asid);
      CHECK(d_.wr_req_src_addr_o == (write_ram_ + burst.from) % kRing);
      CHECK(d_.wr_req_len_o == burst.bytes);
      CHECK(write_tags_.insert(d_.wr_req_tag_o).second);
      storing_.push_back(operation(burst, d_.wr_req_tag_o, d_.wr_req_src_addr_o, burst.bytes));
      skip(burst);
    }
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool acts() { return below(100) >= stalls; }
  void skip(const Burst& burst) { write_ram_ += burst.beats * kBeat; }

  Operation operation(Burst& burst, unsigned tag, unsigned ram, unsigned bytes) {
    burst.bad = below(100) < errors;
    Operation made{&burst, tag, ram, bytes};
    made.delay = latency == 0 ? 0 : below(latency);
    made.data.resize(made.rows() * kRow);
    return made;
  }

  /// Data of one operation, a row or a part of it, are written into the RAM.
  void drive_fill() {
    d_.ram_wr_cmd_valid_i = 0;
    filling_ = 0;
    if (fetching_.empty() || !acts()) return;
    at_ = stalls == 0 ? 0 : below(std::min<unsigned>(4, static_cast<unsigned>(fetching_.size())));
    const Operation& one = fetching_[at_];
    const unsigned ram = (one.ram + one.done) % kRing, offset = ram % kRow;
    filling_ = std::min(one.bytes - one.done, kRow - offset);
    if (stalls != 0 && below(2) == 0) filling_ = 1 + below(filling_);
    for (unsigned s = 0; s < kSegs; ++s) {
      bool selected = false;
      for (unsigned i = 0; i < kSegment; ++i) {
        const unsigned at = s * kSegment + i;
        const bool here = at >= offset && at < offset + filling_;
        const std::uint64_t from = one.burst->address + one.done + at - offset;
        port::put(d_.ram_wr_cmd_be_i, at, 1, here);
        port::put_byte(
            d_.ram_wr_cmd_data_i, at,
            here ? host_byte(from, one.burst->asid) : static_cast<std::uint8_t>(below(256)));
        selected = selected || here;
      }
      port::put(d_.ram_wr_cmd_valid_i, s, 1, selected);
      port::put(d_.ram_wr_cmd_addr_i, s * kRowBits, kRowBits, selected ? ram / kRow : below(kRows));
    }
  }
  void sample_fill() {
    CHECK(d_.ram_wr_done_o == written_);
    written_ = d_.ram_wr_cmd_valid_i & d_.ram_wr_cmd_ready_o;
    CHECK(written_ == d_.ram_wr_cmd_valid_i);
    if (filling_ == 0) return;
    Operation& one = fetching_[at_];
    one.done += filling_;
    if (one.done != one.bytes) return;
    fetched_.push_back(one);
    fetching_.erase(fetching_.begin() + at_);
  }

  /// Rows of the oldest operation are read, each segment by itself.
  void drive_collect() {
    d_.ram_rd_cmd_valid_i = 0;
    for (unsigned s = 0; s < kSegs; ++s) {
      port::put(d_.ram_rd_resp_ready_i, s, 1, acts());
      if (storing_.empty() || storing_[0].asked[s] == storing_[0].rows() || !acts()) continue;
      port::put(d_.ram_rd_cmd_valid_i, s, 1, 1);
      port::put(d_.ram_rd_cmd_addr_i, s * kRowBits, kRowBits,
                (storing_[0].ram / kRow + storing_[0].asked[s]) % kRows);
    }
  }
  void sample_collect() {
    if (storing_.empty()) return;
    Operation& one = storing_[0];
    bool whole = true;
    for (unsigned s = 0; s < kSegs; ++s) {
      one.asked[s] += (d_.ram_rd_cmd_valid_i & d_.ram_rd_cmd_ready_o) >> s & 1;
      if ((d_.ram_rd_resp_valid_o & d_.ram_rd_resp_ready_i) >> s & 1) {
        for (unsigned i = 0; i < kSegment; ++i) {
          one.data[one.got[s] * kRow + s * kSegment + i] =
              port::byte(d_.ram_rd_resp_data_o, s * kSegment + i);
        }
        ++one.got[s];
      }
      whole = whole && one.got[s] == one.rows();
    }
    if (!whole) return;
    for (unsigned i = 0; i < one.bytes; ++i) {
      REQUIRE(one.data[one.ram % kRow + i] == one.burst->data[one.burst->from + i]);
    }
    stored_.push_back(one);
    storing_.pop_front();
  }

  /// The status of an operation whose time has come.
  template <typename Tag>
  void end_one(std::deque<Operation>& from, std::uint8_t& valid, Tag& tag, std::uint8_t& error,
               std::set<unsigned>& tags) {
    valid = 0;
    for (Operation& one : from) one.delay -= one.delay != 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].delay != 0 || !acts()) continue;
      valid = 1;
      tag = static_cast<Tag>(from[i].tag);
      error = static_cast<std::uint8_t>(from[i].burst->bad ? 1 + below(15) : 0);
      tags.erase(from[i].tag);
      overtaken += i != 0;
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  Vroci_dma_bridge& d_;
  std::mt19937& random_;
  std::size_t reads_ = 0, writes_ = 0;
  std::uint64_t read_ram_ = 0, write_ram_ = 0;
  std::deque<Operation> fetching_, fetched_, storing_, stored_;
  std::set<unsigned> read_tags_, write_tags_;
  unsigned at_ = 0, filling_ = 0, written_ = 0;
};

}  // namespace dma_bridge
