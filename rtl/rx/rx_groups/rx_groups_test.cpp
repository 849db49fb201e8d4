// SPDX-License-Identifier: Apache-2.0
// Records to groups and to queue pairs: which queue pairs get them, in which order, how soon.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_rx_groups.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/roce_bench.hpp"
#include "rtl/common/test/row_bus.hpp"

namespace {

using roce::Fields;

constexpr unsigned kSeed = 4541;
constexpr unsigned kRows = 16;  // Attachments
constexpr unsigned kQps = 64;   // NumQps
constexpr unsigned kGroup = 0xFFFFFF;
constexpr unsigned kNobody = kGroup & ~(kQps - 1);  // the record after the copies

/// The address of a group: low byte `low` of IPv4 or IPv6, and a byte that does not move its home.
Fields group_of(unsigned low, bool ipv6, unsigned other = 0) {
  Fields f;
  f.ipv6 = ipv6;
  if (ipv6) {
    f.dst_ip[0] = 0xFF;
    f.dst_ip[1] = 0x0F;
  } else {
    f.dst_ip[12] = 0xE0;
  }
  f.dst_ip[13] = static_cast<std::uint8_t>(other << 4);
  f.dst_ip[15] = static_cast<std::uint8_t>(low);
  return f;
}
/// The exclusive or of the bytes of its GID; those of FFFF in that of IPv4 cancel.
unsigned home_of(const Fields& f) {
  unsigned fold = 0;
  for (const std::uint8_t byte : f.dst_ip) fold ^= byte;
  return fold % kRows;
}

struct Bench : roce::RowBus<Bench> {
  struct Row {
    Fields group;
    unsigned qpn = 0;
    bool valid = false, more = false;
  };
  struct Out {
    unsigned qpn, psn;
    bool copy;
    bool operator==(const Out& o) const { return qpn == o.qpn && psn == o.psn && copy == o.copy; }
  };
  Dut<Vroci_rx_groups> dut;
  std::mt19937 random{kSeed};
  unsigned stalls = 0;  // percent
  std::array<Row, kRows> rows;
  std::deque<std::pair<Fields, bool>> in;  // and whether to a group
  std::vector<Out> got, wanted;
  std::vector<std::uint64_t> times;  // clocks of what was given out
  unsigned psn = 0;

  Bench() {
    unsigned clocks = 0;
    for (dut.settle(); !dut->ready_o; dut.settle()) {
      dut.tick();
      REQUIRE(++clocks <= kRows);
    }
  }

  void set(unsigned index, const Row& row) {
    rows[index] = row;
    attachment(index, row.group, row.qpn, row.valid, row.more);
  }

  /// Hands in a record, and notes what must come out.
  void send(Fields f, unsigned qpn, bool bad = false) {
    f.qpn = qpn;
    f.psn = psn++;
    const bool group = qpn == kGroup && !bad;
    in.emplace_back(f, group);
    unsigned row = home_of(f);
    for (unsigned looked = 0; group && looked < kRows; ++looked, row = (row + 1) % kRows) {
      const Row& one = rows[row];
      if (one.valid && one.group.ipv6 == f.ipv6 && one.group.dst_ip == f.dst_ip)
        wanted.push_back({one.qpn, f.psn, true});
      if (!one.more) break;
    }
    wanted.push_back({group ? kNobody : qpn, f.psn, false});
  }

  void clock() {
    dut->frame_valid_i = !in.empty() && dut->row_write_valid_i == 0;
    if (dut->frame_valid_i) {
      const auto& [f, group] = in.front();
      port::clear(dut->frame_i);
      for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i)
        port::put_byte(dut->frame_i, layout::rx_frame::dst_ip, i, f.dst_ip[i]);
      port::put(dut->frame_i, layout::rx_frame::ipv6, f.ipv6);
      port::put(dut->frame_i, layout::rx_frame::qpn, f.qpn);
      port::put(dut->frame_i, layout::rx_frame::psn, f.psn);
      dut->frame_group_i = group;
    }
    dut->frame_ready_i = random() % 100 >= stalls;
    dut.settle();
    if (dut->frame_valid_o && dut->frame_ready_i) {
      got.push_back({static_cast<unsigned>(port::get(dut->frame_o, layout::rx_frame::qpn)),
                     static_cast<unsigned>(port::get(dut->frame_o, layout::rx_frame::psn)),
                     dut->frame_copy_o != 0});
      times.push_back(dut.cycle());
    }
    const bool taken = dut->frame_valid_i && dut->frame_ready_o;
    if (taken) CHECK(dut->frame_valid_o);
    dut.tick();
    if (taken) in.pop_front();
  }
  void finish() {
    for (unsigned i = 0; i < 20000 && !in.empty(); ++i) clock();
    for (unsigned i = 0; i < 4; ++i) clock();
    dut.settle();
    CHECK(in.empty());
    CHECK(!dut->busy_o);
    CHECK(got == wanted);
    got.clear();
    wanted.clear();
    times.clear();
  }
};

}  // namespace

TEST_CASE("rx_groups: what is not to a group passes in its clock, and so does what is bad") {
  Bench bench;
  bench.set(0, {group_of(0, false), 5, true, false});
  for (unsigned n = 0; n < 100; ++n) {
    bench.send(group_of(n, n % 2 == 0), n % 5 == 0 ? kGroup : n, n % 5 == 0);
  }
  const std::uint64_t begin = bench.dut.cycle();
  while (!bench.in.empty()) bench.clock();
  CHECK(bench.dut.cycle() - begin == 100);
  bench.finish();
}

TEST_CASE("rx_groups: each queue pair of a group, from its home on while rows say more (UD-10)") {
  Bench bench;
  for (unsigned round = 0; round < 300; ++round) {
    bench.stalls = round % 3 * 40;
    for (unsigned n = 0; n < 4; ++n) {
      const unsigned low = bench.random() % kRows, other = bench.random() % 2;
      const Fields group = group_of(low, bench.random() % 2, other);
      const unsigned home = home_of(group);
      bench.set((home + bench.random() % 4) % kRows,
                {group, static_cast<unsigned>(bench.random() % kQps), bench.random() % 4 != 0,
                 bench.random() % 3 != 0});
      bench.attachment(kRows + home, group, 1, true, true);  // no row
    }
    for (unsigned n = 0; n < 12; ++n) {
      Fields f = bench.rows[bench.random() % kRows].group;
      // Another group of the same home, and one that differs in one bit.
      if (bench.random() % 4 == 0) f.dst_ip[13] ^= 0x10;
      if (bench.random() % 8 == 0) f.dst_ip[f.ipv6 ? bench.random() % 16 : 12] ^= 0x04;
      bench.send(f, bench.random() % 4 == 0 ? bench.random() % kQps : kGroup);
    }
    bench.finish();
  }
}

TEST_CASE("rx_groups: an address of IPv6 that looks like one of IPv4 is its GID") {
  Bench bench;
  const Fields group = group_of(3, false);
  bench.set(home_of(group), {group, 9, true, false});
  Fields mapped = group;
  mapped.ipv6 = true;
  mapped.dst_ip[10] = mapped.dst_ip[11] = 0xFF;
  mapped.qpn = kGroup;
  bench.in.emplace_back(mapped, true);
  bench.wanted = {{9, 0, true}, {kNobody, 0, false}};
  bench.finish();
}

TEST_CASE("rx_groups: all rows for one group, each of them once though all say more") {
  Bench bench;
  const Fields group = group_of(11, true);
  for (unsigned i = 0; i < kRows; ++i) bench.set(i, {group, i, true, true});
  bench.send(group, kGroup);
  bench.send(group, 7);
  CHECK(bench.wanted.size() == kRows + 2);
  bench.finish();
}

TEST_CASE("rx_groups: clocks of a walk") {
  Bench bench;
  const Fields group = group_of(2, false), absent = group_of(8, false);
  const unsigned home = home_of(group);
  bench.set(home, {group, 1, true, true});
  bench.set(home + 1, {group, 2, true, false});
  bench.send(group, kGroup);
  bench.send(absent, kGroup);
  bench.send(absent, 3);
  const std::uint64_t begin = bench.dut.cycle();
  while (!bench.in.empty()) bench.clock();
  // Three clocks to a row and one to the record itself; the first row is chosen a clock before.
  std::vector<std::uint64_t> clocks;
  for (const std::uint64_t time : bench.times) clocks.push_back(time - begin);
  CHECK(clocks == std::vector<std::uint64_t>{3, 6, 7, 12, 13});
  bench.finish();
}

TEST_CASE("rx_groups: a pause begins no walk and ends the one that has begun") {
  Bench bench;
  const Fields group = group_of(6, false);
  const unsigned home = home_of(group);
  bench.set(home, {group, 1, true, true});
  bench.set(home + 1, {group, 2, true, false});
  for (unsigned after = 0; after < 12; ++after) {
    bench.send(group, kGroup);
    bench.send(group, kGroup);
    for (unsigned i = 0; i < after; ++i) bench.clock();
    bench.dut->pause_i = 1;
    for (unsigned i = 0; i < 30; ++i) bench.clock();
    CHECK(!bench.dut->busy_o);
    CHECK(bench.got.size() == (after == 0 ? 0 : after < 9 ? 3 : 6));
    bench.dut->pause_i = 0;
    bench.finish();
  }
}
