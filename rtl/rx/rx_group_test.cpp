// SPDX-License-Identifier: Apache-2.0
// Datagrams to multicast groups, from the MAC and from this adapter itself (UD-10).
#include "rtl/rx/rx_bench.hpp"

using namespace roce;

namespace {

constexpr unsigned kGroupQpn = 0xFFFFFF;
constexpr unsigned kFirst = 64;  // queue pairs of UD
constexpr unsigned kMembers = 8;
constexpr unsigned kGroups = 6;
constexpr unsigned kRows = 256;
constexpr std::uint32_t kQkey = 0x11AB;

/// A bench with queue pairs of UD in groups. One has another Q_Key, one another partition.
struct GroupBench : Bench {
  static constexpr unsigned kOtherKey = kFirst + 2, kOtherPartition = kFirst + 5;

  GroupBench() {
    connect_shapes(*this);
    Fields row;
    for (unsigned n = 0; n < kMembers; ++n) {
      row.pkey = kFirst + n == kOtherPartition ? 0x8001 : 0xFFFF;
      connect(kFirst + n, row);
      set_service(kFirst + n, layout::Service::kUd, kFirst + n == kOtherKey ? kQkey + 1 : kQkey);
    }
    for (unsigned which = 0; which < kShapes; ++which) gid(which, shape(which));
  }

  /// A datagram to a group: one of four shapes of frames, by the group.
  Fields datagram(unsigned group, std::size_t size) {
    Fields f = shape(group % kShapes);
    f.dst_ip = {};
    if (f.ipv6) {
      f.dst_ip[0] = 0xFF;
      f.dst_ip[1] = 0x0E;
    } else {
      f.dst_ip[12] = 0xEF;
      f.dst_ip[14] = 0x07;
    }
    f.dst_ip[15] = static_cast<std::uint8_t>(group << 4);  // homes are 16 rows apart
    f.dst_mac = f.ipv6 ? 0x333300000000 : 0x01005E000000;
    f.pkey = 0xFFFF;
    f.qpn = kGroupQpn;
    f.opcode = random() % 2 == 0 ? 0x64 : 0x65;
    f.ext.clear();
    roce::put(f.ext, kQkey, 4);
    roce::put(f.ext, random() & 0xFFFFFF, 4);
    if (f.opcode == 0x65) roce::put(f.ext, random(), 4);
    f.psn = random() & 0xFFFFFF;
    f.payload = random_bytes(random, size);
    return f;
  }

  /// Attaches queue pairs to a group, from its home on.
  void attach(unsigned group, const std::vector<unsigned>& qpns) {
    members[group] = qpns;
    const Fields f = datagram(group, 0);
    unsigned home = 0;
    for (const std::uint8_t byte : f.dst_ip) home ^= byte;
    for (unsigned i = 0; i < qpns.size(); ++i)
      attachment((home + i) % kRows, f, qpns[i], true, i + 1 < qpns.size());
  }

  /// Notes what a datagram to a group must give.
  void expect_copies(const Fields& f, unsigned group, bool looped = false) {
    bool taken = false;
    for (const unsigned qpn : members[group]) {
      if (qpn == kOtherPartition) continue;
      if (taken) ++again;
      taken = true;
      if (qpn == kOtherKey) {
        ++violations;
        continue;
      }
      Fields copy = f;
      copy.qpn = qpn;
      expect_from(f, copy);
    }
    if (taken || (looped && members[group].empty())) return;
    ++dropped_for(want_drop, !members[group].empty() && members[group].back() == kOtherPartition
                                 ? DropCause::kPkey
                                 : DropCause::kUnknownQp);
  }
  /// Expects a packet of which the GRH is that of another frame.
  void expect_from(const Fields& frame, const Fields& copy) {
    expect(copy);
    Bytes payload = grh_of(build(frame), frame);
    payload.insert(payload.end(), frame.payload.begin(), frame.payload.end());
    want_pay.back() = payload;
  }

  std::array<std::vector<unsigned>, kGroups> members;
};

}  // namespace

TEST_CASE("rx: a datagram to a group goes to each attached queue pair (UD-10, UD-06)") {
  GroupBench bench;
  bench.attach(0, {kFirst});
  bench.attach(1, {kFirst + 1, GroupBench::kOtherKey, kFirst + 3, kFirst});
  bench.attach(2, {GroupBench::kOtherPartition});
  bench.attach(3, {GroupBench::kOtherPartition, kFirst + 6, kFirst + 7, GroupBench::kOtherKey});
  bench.attach(4, {GroupBench::kOtherKey});  // nobody is attached to group 5
  static constexpr unsigned kSizes[] = {0, 1, 3, 4, 30, 31, 64, 65, 1000, 4096};
  for (const unsigned stalls : {0u, 50u}) {
    bench.stalls = stalls;
    for (unsigned n = 0; n < 300; ++n) {
      if (n % 3 == 0) bench.send_good(random_good(bench.random));
      const unsigned group = bench.random() % kGroups;
      Fields f = bench.datagram(group, kSizes[bench.random() % std::size(kSizes)]);
      if (n % 11 == 0) {
        Bytes frame = build(f);
        frame.back() ^= 1;
        bench.send_bad(frame, DropCause::kIcrc);
      } else if (n % 13 == 0) {  // in no network of the port
        f.vlan = true;
        f.tci = 0x7FF;
        bench.send_bad(build(f),
                       bench.members[group].empty() ? DropCause::kUnknownQp : DropCause::kAddress);
      } else {
        bench.send(build(f));
        bench.expect_copies(f, group);
      }
      if (n % 10 == 0) bench.drain();
    }
    bench.finish();
  }
  CHECK(bench.again > 100);
}

TEST_CASE("rx: attached queue pairs get what this adapter sends to the group (UD-10)") {
  GroupBench bench;
  bench.attach(0, {kFirst, kFirst + 1});
  bench.attach(1, {kFirst + 3, GroupBench::kOtherKey});
  bench.attach(2, {GroupBench::kOtherPartition});
  for (const unsigned gaps : {0u, 60u}) {
    bench.gaps = gaps;
    for (unsigned n = 0; n < 200; ++n) {
      const unsigned group = bench.random() % kGroups;
      Fields f = bench.datagram(group, bench.random() % 700);
      if (n % 5 == 0) bench.send_ethernet(random_bytes(bench.random, 60 + n));
      if (n % 7 == 0) f.qpn = kFirst;  // the address of the group alone
      bench.sent.push_back(build(f));
      if (n % 7 != 0) bench.expect_copies(f, group, true);
      // What is sent to a station is not looped.
      f.dst_mac &= ~(1ull << 40);
      bench.sent.push_back(build(f));
      if (n % 5 == 0) bench.drain();
    }
    bench.finish();
  }
  CHECK(bench.got_req.size() > 100);
  // Received from the MAC, the same frames are missed where nobody is attached.
  bench.send(build(bench.datagram(5, 10)));
  bench.expect_copies(bench.datagram(5, 10), 5);
  // Without RoCE nothing is looped to the Ethernet path.
  bench.drain();
  bench.dut->enable_i = 0;
  bench.sent.push_back(build(bench.datagram(0, 10)));
  bench.finish();
  CHECK(bench.frames_counted == bench.got_eth.size() + 1);
}

TEST_CASE("rx: what a group holds up: four clocks a queue pair, or the beats of its payload") {
  for (const unsigned size : {64u, 1024u}) {
    for (const unsigned members : {1u, 2u, 8u}) {
      CAPTURE(size);
      CAPTURE(members);
      GroupBench bench;
      std::vector<unsigned> qpns;
      for (unsigned n = 0; qpns.size() < members; ++n)
        qpns.push_back(kFirst + (n % 2 == 0 ? 0 : 1));
      bench.attach(0, qpns);
      Fields f = bench.datagram(0, size);
      f.opcode = 0x64;
      f.ext.resize(8);
      bench.send(build(f));
      bench.expect_copies(f, 0);
      bench.again = members - 1;
      bench.send_good(random_good(bench.random));
      bench.finish();
      const unsigned beats = (40 + size + 2 * kBytes - 1) / kBytes;
      const std::uint64_t clocks = bench.last_meta - bench.first_meta;
      CHECK(clocks <= members * std::max(4u, beats) + 8);
    }
  }
}

TEST_CASE("rx: a fence waits for all queue pairs of a datagram, and a detached one gets no more") {
  for (unsigned after = 0; after < 60; ++after) {
    GroupBench bench;
    bench.attach(0, {kFirst, kFirst + 1, kFirst + 3});
    const Fields f = bench.datagram(0, 200);
    bench.send(build(f));
    bench.send(build(f));
    while (!bench.wire.empty()) bench.clock();
    for (unsigned i = 0; i < after; ++i) bench.clock();
    bench.dut->pause_i = 1;
    for (unsigned i = 0; i < 10; ++i) bench.clock();
    while (!bench.dut->idle_o) bench.clock();
    const std::size_t before = bench.got_req.size();
    CHECK(before % 3 == 0);
    for (unsigned i = 0; i < 50; ++i) bench.clock();
    CHECK(bench.got_req.size() == before);
    for (std::size_t i = 0; i < before / 3; ++i) bench.expect_copies(f, 0);
    bench.attach(0, {kFirst + 1});
    for (std::size_t i = before / 3; i < 2; ++i) bench.expect_copies(f, 0);
    bench.dut->pause_i = 0;
    bench.finish();
  }
}
