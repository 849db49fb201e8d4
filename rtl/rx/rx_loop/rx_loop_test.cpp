// SPDX-License-Identifier: Apache-2.0
// Frames from the MAC and looped ones, one after the other: one is lost only for want of room.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "Vroci_rx_loop.h"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/stream.hpp"

namespace {

constexpr unsigned kSeed = 1112;
constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kRows = 65536 / DATA_WIDTH;
constexpr std::size_t kLongest = 4096 + 110;  // a datagram with all headers
using Frame = std::vector<std::uint8_t>;

/// A side that gives beats of frames.
struct Side {
  std::deque<Frame> frames;
  std::size_t at = 0;
  unsigned gaps = 0;  // percent of clocks without a beat

  template <typename Data, typename Keep, typename Flag>
  bool beat(std::mt19937& random, Data& data, Keep& keep, Flag& last) {
    if (frames.empty() || random() % 100 < gaps) return false;
    const Frame& frame = frames.front();
    const std::size_t left = frame.size() - at;
    for (unsigned i = 0; i < kBytes; ++i)
      port::put_byte(data, i, i < left ? frame[at + i] : static_cast<std::uint8_t>(random()));
    port::put(keep, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
    last = left <= kBytes;
    return true;
  }
  void advance(bool last) {
    at += kBytes;
    if (!last) return;
    frames.pop_front();
    at = 0;
  }
};

struct Bench {
  Dut<Vroci_rx_loop> dut;
  std::mt19937 random{kSeed};
  Side mac, sent;
  std::deque<bool> roce;                 // whether each frame that is sent is one
  std::deque<Frame> from_mac, to_group;  // that must come out
  Frame part;
  bool part_looped = false;
  unsigned looped = 0, lost = 0, passed = 0;
  std::uint64_t same_clock = 0;  // beats of the MAC that passed in their clock

  /// A frame whose first byte says whether its MAC address is that of a group.
  Frame frame(std::size_t size, bool group) {
    Frame bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    bytes[0] = static_cast<std::uint8_t>((bytes[0] & 0xFE) | group);
    return bytes;
  }
  void arrives(std::size_t size) {
    mac.frames.push_back(frame(size, random() % 2));
    from_mac.push_back(mac.frames.back());
  }
  void leaves(std::size_t size, bool group, bool is_roce) {
    sent.frames.push_back(frame(size, group));
    roce.push_back(is_roce);
    if (group && is_roce) to_group.push_back(sent.frames.back());
  }

  void clock() {
    dut->s_axis_tvalid_i =
        mac.beat(random, dut->s_axis_tdata_i, dut->s_axis_tkeep_i, dut->s_axis_tlast_i);
    dut->sent_beat_i = sent.beat(random, dut->sent_tdata_i, dut->sent_tkeep_i, dut->sent_tlast_i);
    dut->sent_roce_i = roce.empty() ? random() % 2 : roce.front();
    dut.settle();
    if (dut->m_axis_tvalid_o) {
      if (!part.empty()) CHECK(part_looped == bool(dut->m_axis_looped_o));
      part_looped = dut->m_axis_looped_o;
      same_clock += dut->s_axis_tvalid_i && !part_looped;
      stream::take_beat(dut->m_axis_tdata_o, dut->m_axis_tkeep_o, dut->m_axis_tlast_o, kBytes,
                        part);
      if (dut->m_axis_tlast_o) {
        auto& expected = part_looped ? to_group : from_mac;
        REQUIRE(!expected.empty());
        CHECK(part == expected.front());
        expected.pop_front();
        part.clear();
        ++(part_looped ? looped : passed);
      }
    }
    if (dut->lost_o) {
      ++lost;
      REQUIRE(!to_group.empty());
      // The frame that ends now; those before it stay.
      const auto found = std::find(to_group.begin(), to_group.end(), sent.frames.front());
      REQUIRE(found != to_group.end());
      to_group.erase(found);
    }
    if (dut->s_axis_tvalid_i) mac.advance(dut->s_axis_tlast_i);
    if (dut->sent_beat_i) {
      if (dut->sent_tlast_i) roce.pop_front();
      sent.advance(dut->sent_tlast_i);
    }
    dut.tick();
  }
  void drain() {
    for (unsigned i = 0; i < 200000 && !(mac.frames.empty() && sent.frames.empty()); ++i) clock();
    for (unsigned i = 0; i < 4 * kRows && !dut->idle_o; ++i) clock();
    clock();
    CHECK(dut->idle_o);
    CHECK(from_mac.empty());
    CHECK(to_group.empty());
    CHECK(part.empty());
  }
};

}  // namespace

TEST_CASE("rx_loop: frames from the MAC pass in their clock while nothing is looped") {
  Bench bench;
  std::uint64_t beats = 0;
  for (unsigned size = 1; size < 6 * kBytes; size += 1 + size / 70) {
    bench.arrives(size);
    beats += (size + kBytes - 1) / kBytes;
    bench.leaves(1 + size, false, true);
    bench.leaves(60, true, false);  // ARP and what else the host sends
  }
  bench.arrives(20000);  // longer than both memories
  beats += 20000 / kBytes + (20000 % kBytes != 0);
  bench.mac.gaps = bench.sent.gaps = 20;
  bench.drain();
  CHECK(bench.same_clock == beats);
  CHECK(bench.looped == 0);
}

TEST_CASE("rx_loop: datagrams to a group of any length stand between frames from the MAC") {
  for (const unsigned gaps : {70u, 50u}) {
    CAPTURE(gaps);
    Bench bench;
    bench.mac.gaps = gaps;
    bench.sent.gaps = 90;
    for (unsigned n = 0; n < 300; ++n) {
      bench.arrives(1 + bench.random() % (n % 10 == 0 ? 9000 : 6 * kBytes));
      bench.leaves(62 + bench.random() % (n % 10 == 0 ? kLongest - 61 : 4 * kBytes),
                   bench.random() % 4 != 0, bench.random() % 4 != 0);
    }
    bench.drain();
    CHECK(bench.looped > 100);
    CHECK(bench.passed == 300);
    CHECK(bench.lost == 0);
  }
}

TEST_CASE("rx_loop: a MAC without a pause loses nothing, what is looped waits or is lost whole") {
  Bench bench;
  for (unsigned n = 0; n < 40; ++n) bench.arrives(1 + bench.random() % 3000);
  for (unsigned n = 0; n < 20; ++n) bench.leaves(62 + bench.random() % 3000, true, true);
  while (!bench.mac.frames.empty()) bench.clock();
  CHECK(bench.looped == 0);
  CHECK(bench.lost > 5);
  bench.drain();
  CHECK(bench.lost + bench.looped == 20);
  CHECK(bench.looped > 1);
  // There is room for one of any length after that.
  bench.leaves(kRows * kBytes, true, true);
  bench.leaves(kLongest, true, true);
  const unsigned lost = bench.lost;
  bench.drain();
  CHECK(bench.lost == lost + 1);
}

TEST_CASE("rx_loop: the longest datagrams one after the other against a full MAC") {
  Bench bench;
  bench.mac.gaps = 25;
  for (unsigned n = 0; n < 60; ++n) bench.leaves(kLongest, true, true);
  for (unsigned n = 0; n < 200; ++n) bench.arrives(1 + bench.random() % 2000);
  bench.drain();
  CHECK(bench.passed == 200);
  CHECK(bench.looped + bench.lost == 60);
  CHECK(bench.looped > 5);
}

TEST_CASE("rx_loop: a looped frame begins two clocks after its end, a beat a clock") {
  Bench bench;
  bench.leaves(10 * kBytes, true, true);
  for (unsigned i = 0; i < 10; ++i) bench.clock();
  std::uint64_t first = 0, last = 0;
  const std::uint64_t end = bench.dut.cycle();
  for (unsigned i = 0; i < 20; ++i) {
    bench.dut.settle();
    if (bench.dut->m_axis_tvalid_o && first == 0) first = bench.dut.cycle();
    if (bench.dut->m_axis_tvalid_o) last = bench.dut.cycle();
    bench.clock();
  }
  CHECK(first - end == 2);
  CHECK(last - first == 9);
  bench.drain();
}
