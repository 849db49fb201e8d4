// SPDX-License-Identifier: Apache-2.0
// Payload of packets into memory, segment by segment, and what counts as written.
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "Vroci_scatter.h"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kBeat = DATA_WIDTH / 8;

struct Segment {
  std::uint64_t addr;
  unsigned len;
  bool last, drop;
};
struct Packet {
  bool src;
  unsigned offset;
  std::vector<std::uint8_t> bytes;
  std::vector<Segment> segments;
  unsigned qpn = 0, psn = 0;
};

class Bench {
 public:
  Dut<Vroci_scatter> dut;
  std::map<std::uint64_t, std::uint8_t> memory;
  std::vector<std::uint64_t> burst_addr;
  unsigned bursts_done = 0, responses_due = 0;
  unsigned first_beat = 0, first_data = 0;
  std::set<std::uint64_t> bad_pages;            // a write to one fails
  std::vector<std::array<unsigned, 4>> faults;  // qpn, psn, response, wr_done at that time
  bool take_faults = true;

  void send(const Packet& packet) {
    headers_.push_back(packet);
    payload_.push_back(packet);
    for (const Segment& segment : packet.segments) segments_[packet.src].push_back(segment);
  }
  bool sent() const { return payload_.empty(); }

  /// One clock; responds to the bursts that are complete unless `respond` is false.
  void clock(bool respond = true) {
    auto& m = *dut;
    m.pay_hdr_valid_i = !headers_.empty();
    if (m.pay_hdr_valid_i) {
      port::put(m.pay_hdr_i, layout::pay_hdr::src, headers_[0].src);
      port::put(m.pay_hdr_i, layout::pay_hdr::offset, headers_[0].offset);
      port::put(m.pay_hdr_i, layout::pay_hdr::len, headers_[0].bytes.size());
      port::put(m.pay_hdr_i, layout::pay_hdr::qpn, headers_[0].qpn);
      port::put(m.pay_hdr_i, layout::pay_hdr::psn, headers_[0].psn);
    }
    m.pay_tvalid_i = !payload_.empty();
    if (m.pay_tvalid_i) {
      const Packet& packet = payload_[0];
      const std::size_t end = packet.offset + packet.bytes.size();
      for (unsigned i = 0; i < kBeat; ++i) {
        const std::size_t at = kBeat * beat_ + i;
        const bool inside = at >= packet.offset && at < end;
        port::put_byte(m.pay_tdata_i, i, inside ? packet.bytes[at - packet.offset] : 0xEE);
      }
      m.pay_tlast_i = kBeat * (beat_ + 1) >= end;
    }
    m.req_seg_valid_i = !segments_[0].empty();
    m.rsp_seg_valid_i = !segments_[1].empty();
    if (m.req_seg_valid_i) put(m.req_seg_i, segments_[0][0]);
    if (m.rsp_seg_valid_i) put(m.rsp_seg_i, segments_[1][0]);
    m.aw_ready_i = m.w_ready_i = 1;
    m.b_i = respond && responses_due > 0;
    responses_due -= m.b_i;
    m.b_error_i = m.b_i && bad_pages.count(burst_addr[responded_] >> 12) != 0;
    responded_ += m.b_i;
    m.fault_ready_i = take_faults;
    dut.settle();
    if (m.fault_valid_o && m.fault_ready_i) {
      auto get = [&](auto field) { return unsigned{port::get(m.fault_o, field)}; };
      faults.push_back({get(layout::fault::qpn), get(layout::fault::psn),
                        get(layout::fault::response), m.wr_done_o});
    }
    if (m.pay_hdr_valid_i && m.pay_hdr_ready_o) headers_.pop_front();
    if (m.req_seg_valid_i && m.req_seg_ready_o) segments_[0].pop_front();
    if (m.rsp_seg_valid_i && m.rsp_seg_ready_o) segments_[1].pop_front();
    if (m.pay_tvalid_i && m.pay_tready_o) {
      if (first_beat == 0) first_beat = static_cast<unsigned>(dut.cycle());
      ++beat_;
      if (m.pay_tlast_i) {
        payload_.pop_front();
        beat_ = 0;
      }
    }
    if (m.aw_valid_o) {
      REQUIRE(m.aw_addr_o % 4096 + kBeat * m.aw_beats_o <= 4096);
      for (unsigned i = 0; i < m.aw_beats_o; ++i) {
        beats_.push_back({m.aw_addr_o + std::uint64_t{kBeat} * i, i + 1 == m.aw_beats_o});
      }
      burst_addr.push_back(m.aw_addr_o);
    }
    if (m.w_valid_o) {
      if (first_data == 0) first_data = static_cast<unsigned>(dut.cycle());
      REQUIRE_FALSE(beats_.empty());
      for (unsigned i = 0; i < kBeat; ++i) {
        if (port::get(m.w_strb_o, i, 1)) {
          REQUIRE(memory.emplace(beats_[0].first + i, port::byte(m.w_data_o, i)).second);
        }
      }
      REQUIRE(m.w_last_o == beats_[0].second);
      responses_due += m.w_last_o;
      bursts_done += m.w_last_o;
      beats_.pop_front();
    }
    dut.tick();
  }

 private:
  template <typename Port>
  static void put(Port& port, const Segment& segment) {
    port::put(port, layout::seg::addr, segment.addr);
    port::put(port, layout::seg::len, segment.len);
    port::put(port, layout::seg::last, segment.last);
    port::put(port, layout::seg::drop, segment.drop);
  }

  std::deque<Packet> headers_, payload_;
  std::deque<Segment> segments_[2];
  std::deque<std::pair<std::uint64_t, bool>> beats_;
  unsigned beat_ = 0, responded_ = 0;
};

std::vector<std::uint8_t> counting(unsigned len) {
  std::vector<std::uint8_t> bytes(len);
  for (unsigned i = 0; i < len; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return bytes;
}

TEST_CASE("scatter: exactly the bytes of each segment are written, whatever the alignment") {
  std::mt19937 random(5);
  MESSAGE("seed 5");
  Bench bench;
  std::map<std::uint64_t, std::uint8_t> expected;
  std::uint64_t addr = 0x10000;
  const unsigned kPackets = 120;
  for (unsigned p = 0; p < kPackets; ++p) {
    const unsigned len = 1 + random() % (p % 3 ? 4096 : 100);
    Packet packet{random() % 2 != 0, static_cast<unsigned>(random()) % kBeat, counting(len), {}};
    for (unsigned at = 0; at < len;) {
      const unsigned segment = packet.segments.size() == 7 ? len - at : 1 + random() % (len - at);
      addr += 1 + random() % 100;
      const bool drop = random() % 6 == 0;
      packet.segments.push_back({addr, segment, at + segment == len, drop});
      for (unsigned i = 0; i < segment && !drop; ++i) expected[addr + i] = packet.bytes[at + i];
      addr += segment;
      at += segment;
    }
    bench.send(packet);
  }
  for (int i = 0; i < 200000 && bench.dut->wr_done_o != kPackets; ++i) bench.clock();
  CHECK(bench.dut->wr_done_o == kPackets);
  CHECK(bench.memory == expected);
  bench.clock();
  CHECK(bench.dut->idle_o == 1);
}

TEST_CASE("scatter: a packet counts with its last write response, in order") {
  Bench bench;
  bench.send({false, 3, counting(100), {{0x1FD0, 100, true, false}}});  // two bursts
  bench.send({true, 0, counting(50), {{0, 50, true, true}}});           // nothing to write
  for (int i = 0; i < 60; ++i) bench.clock(false);
  CHECK(bench.sent());
  CHECK(bench.bursts_done == 2);
  CHECK(bench.dut->wr_done_o == 0);
  CHECK(bench.dut->idle_o == 0);
  bench.clock(true);
  for (int i = 0; i < 5; ++i) bench.clock(false);
  CHECK(bench.dut->wr_done_o == 0);
  for (int i = 0; i < 6; ++i) bench.clock(true);
  CHECK(bench.dut->wr_done_o == 2);
}

TEST_CASE("scatter: each packet with a failed write is reported before it counts (F-82)") {
  std::mt19937 random(6);
  MESSAGE("seed 6");
  Bench bench;
  std::vector<std::array<unsigned, 4>> expected;
  const unsigned kPackets = 300;
  for (unsigned p = 0; p < kPackets; ++p) {
    Packet packet{random() % 2 != 0,
                  static_cast<unsigned>(random()) % kBeat,
                  {},
                  {},
                  static_cast<unsigned>(random() % 0x1000000),
                  p};
    const unsigned segments = 1 + random() % 3;
    bool bad = false;
    unsigned len = 0;
    const bool drop = random() % 5 == 0;
    for (unsigned i = 0; i < segments; ++i) {
      const unsigned bytes = 1 + random() % 900;
      const std::uint64_t addr = (p + 1) * 0x100000ull + 0x10000 * i + random() % 0x2000;
      packet.segments.push_back({addr, bytes, i + 1 == segments, drop || random() % 8 == 0});
      len += bytes;
      for (std::uint64_t page : {addr >> 12, (addr + bytes - 1) >> 12})
        if (!packet.segments.back().drop && random() % 4 == 0) {
          bench.bad_pages.insert(page);
          bad = true;
        }
    }
    packet.bytes = counting(len);
    if (bad) expected.push_back({packet.qpn, packet.psn, packet.src, p});
    bench.send(packet);
  }
  for (int i = 0; i < 100000 && bench.dut->wr_done_o != kPackets; ++i) {
    bench.take_faults = random() % 16 == 0;
    bench.clock(random() % 3 != 0);
  }
  CHECK(bench.dut->wr_done_o == kPackets);
  CHECK(expected.size() > 50);
  CHECK(bench.faults == expected);
  for (int i = 0; i < 200; ++i) bench.clock();
  CHECK(bench.dut->idle_o == 1);
}

TEST_CASE("scatter: data follow a beat within three clocks") {
  Bench bench;
  for (int i = 0; i < 3; ++i) bench.clock();
  bench.send({false, 1, counting(40), {{0x8005, 40, true, false}}});
  for (int i = 0; i < 30; ++i) bench.clock();
  CHECK(bench.first_data - bench.first_beat <= 3);
}

}  // namespace
