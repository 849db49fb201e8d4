// SPDX-License-Identifier: Apache-2.0
// roci_dma with its memory: queues of work in, and the results checked against them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include "Vroci_dma.h"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/dma/host_model.hpp"

inline constexpr unsigned kBeat = HostModel::kBeat;
inline constexpr unsigned kSeed = 20240711;
inline constexpr unsigned kPsnMask = 0xFFFFFF;
inline constexpr unsigned kReadClients = 5, kWriteClients = 4;  // as in roci_dma
inline constexpr unsigned kReadBits = layout::block_read_req::kBits;
inline constexpr unsigned kBeatBits = DATA_WIDTH + 1;  // a beat of a block: {error, data}
inline constexpr unsigned kWriteBits = layout::block_write_req::kBits;

struct Segment {
  std::uint64_t addr;  // fetched: in the kept blocks
  unsigned len;
  bool last, drop;
  bool fetched = false;
};
struct Packet {
  std::vector<Segment> segments;
  unsigned pos, len;  // byte of the first beat; bytes
  bool src, error;
  std::vector<std::uint8_t> bytes;
  unsigned number = 0;  // written packets are numbered
};
struct Block {
  std::uint64_t addr;
  unsigned count;  // blocks or bytes
  std::vector<std::uint8_t> bytes;
  bool posted = false;  // they come with the request
};

/// The block with its memory.
class Bench {
 public:
  Dut<Vroci_dma> dut;
  HostModel host{kSeed};
  std::mt19937 random{kSeed};
  bool beats_early = false;  // payload beats are offered before their header is taken
  unsigned stall = 0;        // percent of clocks in which the bench is not valid or not ready

  std::deque<Segment> read_segments, put_segments[2];
  std::deque<Packet> starts, reads, headers, payload, in_flight;
  std::deque<Block> requests[kReadClients], blocks[kReadClients], stores[kWriteClients],
      storing[kWriteClients];
  bool block_client_stalled[kReadClients] = {};
  std::uint64_t reads_done = 0, blocks_done[kReadClients] = {}, stores_done[kWriteClients] = {};
  std::uint64_t inline_done = 0, posted_asked = 0, posted_done = 0;
  std::uint64_t first_pay_cycle = 0, read_errors = 0, faults = 0, store_errors = 0;
  std::uint16_t wr_done = 0;

  bool busy() const {
    bool any = !reads.empty() || !headers.empty() || !payload.empty() || !in_flight.empty();
    for (unsigned c = 0; c < kReadClients; ++c) any |= !blocks[c].empty();
    for (unsigned c = 0; c < kWriteClients; ++c) any |= !stores[c].empty() || !storing[c].empty();
    return any;
  }

  void read(Packet packet) {
    for (const Segment& segment : packet.segments) {
      read_segments.push_back(segment);
      for (unsigned i = 0; i < segment.len; ++i) {
        packet.bytes.push_back(host.at(segment.addr + i));
        packet.error |= host.bad_pages.count((segment.addr + i) >> 12) != 0;
      }
    }
    starts.push_back(packet);
    reads.push_back(std::move(packet));
  }

  /// Inline data of `len` bytes from a block that client 0 was given, `back` blocks before the
  /// last.
  void read_inline(unsigned pos, unsigned back, unsigned len);
  /// Blocks that client 0 was given, and that no later one of its requests can replace.
  unsigned kept_blocks() const;
  /// As sq does: client 0 has no more blocks coming than there is place for, beside inline data.
  bool has_place(unsigned count) const;

  void write(Packet packet) {
    for (const Segment& segment : packet.segments) put_segments[packet.src].push_back(segment);
    packet.bytes.resize(packet.len);
    for (auto& byte : packet.bytes) byte = static_cast<std::uint8_t>(random());
    packet.number = written_++ & kPsnMask;
    headers.push_back(packet);
    payload.push_back(packet);
    in_flight.push_back(std::move(packet));
  }

  void fetch(unsigned client, std::uint64_t addr, unsigned count) {
    Block block{addr, count, {}};
    for (unsigned i = 0; i < layout::kBlockBytes * count; ++i)
      block.bytes.push_back(host.at(addr + i));
    requests[client].push_back(block);
    blocks[client].push_back(block);
  }

  /// One or two blocks for client 0 that came with a doorbell.
  void fetch_posted(unsigned count);

  void store(unsigned client, std::uint64_t addr, unsigned bytes);

  void clock() {
    auto& m = *dut;
    const std::uint64_t now = dut.cycle();
    host.drive(m, now);
    drive_reads(m);
    drive_writes(m);
    drive_blocks(m);
    dut.settle();
    host.sample(m, now);
    sample_reads(m, now);
    sample_writes(m);
    sample_blocks(m);
    read_errors += m.read_error_o;
    dut.tick();
  }

  void drain(std::uint64_t limit = 200000) {
    while (busy() && limit-- > 0) clock();
    REQUIRE_FALSE(busy());
    for (int i = 0; i < 400 && !dut->idle_o; ++i) clock();
    CHECK(dut->idle_o == 1);
    CHECK(host.quiet());
  }

 private:
  /// Valid stays up until it is taken.
  bool offer(bool& was, bool have) { return was = have && (was || go()); }
  bool go() { return stall == 0 || random() % 100 >= stall; }

  template <typename Port>
  static void put_seg(Port& port, const Segment& segment) {
    port::put(port, layout::seg::addr, segment.addr);
    port::put(port, layout::seg::pasid, HostModel::pasid(segment.addr));
    port::put(port, layout::seg::len, segment.len);
    port::put(port, layout::seg::last, segment.last);
    port::put(port, layout::seg::drop, segment.drop);
    port::put(port, layout::seg::fetched, segment.fetched);
  }

  void drive_reads(Vroci_dma& m) {
    m.rd_seg_valid_i = offer(seg_up_, !read_segments.empty());
    if (m.rd_seg_valid_i) put_seg(m.rd_seg_i, read_segments.front());
    m.gather_start_valid_i = offer(start_up_, !starts.empty());
    if (m.gather_start_valid_i) {
      m.gather_pos_i = starts.front().pos;
      m.gather_len_i = starts.front().len;
    }
    m.tx_pay_tready_i = go();
  }

  void sample_reads(Vroci_dma& m, std::uint64_t now) {
    sample_inline(m);
    if (m.rd_seg_valid_i && m.rd_seg_ready_o) {
      read_segments.pop_front();
      seg_up_ = false;
    }
    if (m.gather_start_valid_i && m.gather_start_ready_o) {
      starts.pop_front();
      start_up_ = false;
    }
    if (!m.tx_pay_tvalid_o || !m.tx_pay_tready_i) return;
    if (first_pay_cycle == 0) first_pay_cycle = now;
    REQUIRE_FALSE(reads.empty());
    const Packet& packet = reads.front();
    bool same = true;
    for (unsigned i = 0; i < kBeat; ++i) {
      const unsigned at = kBeat * pay_beat_ + i;
      const bool inside = at >= packet.pos && at < packet.pos + packet.len;
      same &= port::byte(m.tx_pay_tdata_o, i) == (inside ? packet.bytes[at - packet.pos] : 0);
    }
    REQUIRE(same);
    const bool last = kBeat * (pay_beat_ + 1) >= packet.pos + packet.len;
    REQUIRE(m.tx_pay_tlast_o == last);
    REQUIRE(m.tx_pay_terror_o == (last && packet.error));
    ++pay_beat_;
    if (last) {
      reads.pop_front();
      pay_beat_ = 0;
      ++reads_done;
    }
  }

  void drive_writes(Vroci_dma& m) {
    m.rx_pay_hdr_valid_i = offer(header_up_, !headers.empty());
    if (m.rx_pay_hdr_valid_i) {
      port::put(m.rx_pay_hdr_i, layout::pay_hdr::src, headers.front().src);
      port::put(m.rx_pay_hdr_i, layout::pay_hdr::offset, headers.front().pos);
      port::put(m.rx_pay_hdr_i, layout::pay_hdr::len, headers.front().len);
      port::put(m.rx_pay_hdr_i, layout::pay_hdr::qpn, headers.front().number);
      port::put(m.rx_pay_hdr_i, layout::pay_hdr::psn, ~headers.front().number & kPsnMask);
    }
    // Beats may wait for their header to be taken.
    const bool taken = payload.size() > headers.size();
    m.rx_pay_tvalid_i = offer(beat_up_, !payload.empty() && (beat_up_ || taken || beats_early));
    if (m.rx_pay_tvalid_i) {
      const Packet& packet = payload.front();
      for (unsigned i = 0; i < kBeat; ++i) {
        const unsigned at = kBeat * in_beat_ + i;
        const bool inside = at >= packet.pos && at < packet.pos + packet.len;
        port::put_byte(m.rx_pay_tdata_i, i, inside ? packet.bytes[at - packet.pos] : 0xEE);
      }
      m.rx_pay_tlast_i = kBeat * (in_beat_ + 1) >= packet.pos + packet.len;
    }
    m.fault_ready_i = go();
    m.req_seg_valid_i = offer(put_up_[0], !put_segments[0].empty());
    if (m.req_seg_valid_i) put_seg(m.req_seg_i, put_segments[0].front());
    m.rsp_seg_valid_i = offer(put_up_[1], !put_segments[1].empty());
    if (m.rsp_seg_valid_i) put_seg(m.rsp_seg_i, put_segments[1].front());
  }

  void sample_writes(Vroci_dma& m) {
    for (; wr_done != m.wr_done_o;
         ++wr_done) {  // a packet that counts is in memory, or its fault was reported
      REQUIRE_FALSE(in_flight.empty());
      if (fault_taken_) {
        fault_taken_ = false;
        in_flight.pop_front();
        continue;
      }
      unsigned at = 0;
      for (const Segment& segment : in_flight.front().segments) {
        bool same = true;
        REQUIRE_FALSE((!segment.drop && host.touches_bad(segment.addr, segment.len)));
        for (unsigned i = 0; i < segment.len && !segment.drop; ++i) {
          same &= host.at(segment.addr + i) == in_flight.front().bytes[at + i];
        }
        REQUIRE(same);
        at += segment.len;
      }
      in_flight.pop_front();
    }
    if (m.fault_valid_o && m.fault_ready_i) {
      REQUIRE_FALSE(in_flight.empty());
      const auto& segments = in_flight.front().segments;
      REQUIRE(std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
        return !segment.drop && host.touches_bad(segment.addr, segment.len);
      }));
      REQUIRE(port::get(m.fault_o, layout::fault::response) == in_flight.front().src);
      REQUIRE(port::get(m.fault_o, layout::fault::qpn) == in_flight.front().number);
      REQUIRE(port::get(m.fault_o, layout::fault::psn) == (~in_flight.front().number & kPsnMask));
      fault_taken_ = true;
      ++faults;
    }
    if (m.rx_pay_hdr_valid_i && m.rx_pay_hdr_ready_o) {
      headers.pop_front();
      header_up_ = false;
    }
    if (m.req_seg_valid_i && m.req_seg_ready_o) {
      put_segments[0].pop_front();
      put_up_[0] = false;
    }
    if (m.rsp_seg_valid_i && m.rsp_seg_ready_o) {
      put_segments[1].pop_front();
      put_up_[1] = false;
    }
    if (m.rx_pay_tvalid_i && m.rx_pay_tready_o) {
      beat_up_ = false;
      ++in_beat_;
      if (m.rx_pay_tlast_i) {
        payload.pop_front();
        in_beat_ = 0;
      }
    }
  }

  void drive_blocks(Vroci_dma& m);

  void sample_blocks(Vroci_dma& m);

  struct Fetched {
    std::vector<std::uint8_t> bytes;
    bool error;
  };
  std::vector<Fetched> fetched_;             // blocks that client 0 was given
  std::deque<std::uint64_t> inline_blocks_;  // the last one of each inline data to be read
  unsigned coming_blocks() const;            // for client 0
  void sample_inline(Vroci_dma& m);
  unsigned written_ = 0;
  bool fault_taken_ = false;
  bool seg_up_ = false, start_up_ = false, header_up_ = false, beat_up_ = false;
  bool put_up_[2] = {}, fetch_up_[kReadClients] = {}, store_up_[kWriteClients] = {};
  unsigned pay_beat_ = 0, in_beat_ = 0, got_[kReadClients] = {};
};

#include "rtl/dma/dma_blocks.hpp"  // IWYU pragma: keep
#include "rtl/dma/dma_inline.hpp"  // IWYU pragma: keep
