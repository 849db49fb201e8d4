// SPDX-License-Identifier: Apache-2.0
// ICRCs appended to frames, and poisoned ones.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_icrc_tx.h"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/icrc_beat.hpp"
#include "rtl/common/test/icrc_reference.hpp"
#include "rtl/common/test/stream.hpp"

namespace {

constexpr unsigned kLane = DATA_WIDTH / 8;

struct Bench {
  Dut<Vroci_icrc_tx> dut;
  std::deque<icrc::Bytes> expected;
  icrc::Bytes received;
  std::mt19937 random;
  unsigned hold_percent = 0;  // clocks in which the MAC does not take a beat
  std::uint64_t first_out = 0;
  unsigned beats_out = 0;

  Bench() {
    dut->s_axis_tvalid_i = 0;
    dut->m_axis_tready_i = 1;
  }

  bool tick() {
    dut->m_axis_tready_i = random() % 100 >= hold_percent;
    dut.settle();
    const bool taken = dut->s_axis_tvalid_i && dut->s_axis_tready_o;
    if (dut->m_axis_tvalid_o && dut->m_axis_tready_i) {
      if (beats_out++ == 0) first_out = dut.cycle();
      stream::take_beat(dut->m_axis_tdata_o, dut->m_axis_tkeep_o, dut->m_axis_tlast_o, kLane,
                        received);
      if (dut->m_axis_tlast_o) {
        REQUIRE(!expected.empty());
        CHECK(received == expected.front());
        expected.pop_front();
        received.clear();
      }
    }
    dut.tick();
    return taken;
  }

  void send(const icrc::Frame& frame, bool roce, bool poison) {
    expected.push_back(frame.bytes);
    if (roce) {
      for (std::uint8_t byte : icrc::reference(frame)) {
        expected.back().push_back(poison ? static_cast<std::uint8_t>(~byte) : byte);
      }
    }
    for (std::size_t at = 0; at < frame.bytes.size(); at += kLane) {
      dut->s_axis_tlast_i =
          icrc::put_beat(dut->s_axis_tdata_i, dut->s_axis_tkeep_i, frame, at, kLane, random);
      dut->s_axis_roce_i = roce;
      dut->s_axis_ipv6_i = frame.kind == icrc::Kind::kIpv6;
      dut->s_axis_roce_v1_i = frame.kind == icrc::Kind::kGrh;
      dut->s_axis_vlan_i = frame.vlan;
      dut->s_axis_poison_i = dut->s_axis_tlast_i ? poison : random() & 1;
      dut->s_axis_tvalid_i = 1;
      while (!tick()) {
      }
    }
    dut->s_axis_tvalid_i = 0;
  }

  void drain() {
    for (int i = 0; i < 1000 && !expected.empty(); ++i) tick();
    CHECK(expected.empty());
    tick();
    CHECK(dut->idle_o);
  }
};

}  // namespace

TEST_CASE("icrc_tx: WIRE-39: results equal the vectors") {
  Bench bench;
  for (const icrc::Bytes& packet : icrc::vectors()) {
    icrc::Frame frame{icrc::Bytes(14, 0)};
    frame.bytes.insert(frame.bytes.end(), packet.begin(), packet.end() - 4);
    bench.send(frame, true, false);
    CHECK(icrc::Bytes(bench.expected.back().end() - 4, bench.expected.back().end()) ==
          icrc::Bytes(packet.end() - 4, packet.end()));
  }
  bench.drain();
}

TEST_CASE("icrc_tx: the ICRC equals that of Soft-RoCE") {
  Bench bench;
  for (const char* name : {"rc_atomic.pcap", "rc_tos_ttl_v6.pcap", "rc_vlan100.pcap"}) {
    for (icrc::Frame frame : icrc::captured(name)) {
      const icrc::Bytes whole = frame.bytes;
      frame.bytes.resize(whole.size() - 4);
      bench.send(frame, true, false);
      CHECK(bench.expected.back() == whole);
    }
  }
  bench.drain();
}

TEST_CASE("icrc_tx: WIRE-37, WIRE-38: any traffic, with and without back-pressure") {
  for (unsigned hold : {0u, 30u, 80u}) {
    Bench bench;
    bench.hold_percent = hold;
    for (unsigned n = 0; n < 500; ++n) {
      const icrc::Kind kind = icrc::kKinds[n % 3];
      const bool vlan = n & 1, roce = bench.random() % 4 != 0;
      const bool poison = bench.random() % 5 == 0;
      const std::size_t extra = bench.random() % (n % 10 == 0 ? 1100 : 130);
      const std::size_t size = roce ? icrc::smallest(kind, vlan) + extra / 4 * 4 : 14 + extra;
      bench.send(icrc::random_frame(bench.random, size, kind, vlan), roce, poison);
      while (hold == 30 && bench.random() % 3 == 0) bench.tick();
    }
    bench.drain();
  }
}

TEST_CASE("icrc_tx: a beat leaves six clocks after it came, and no clock is lost") {
  Bench bench;
  const auto begin = bench.dut.cycle();
  unsigned beats = 0;
  for (unsigned n = 0; n < 40; ++n) {
    const std::size_t size = 54 + 4 * (n * 7 % 40);
    beats += (size + 4 + kLane - 1) / kLane;
    bench.send(icrc::random_frame(bench.random, size, icrc::Kind::kIpv4, false), true, false);
  }
  bench.drain();
  CHECK(bench.first_out - begin == 6);
  CHECK(bench.beats_out == beats);
  CHECK(bench.dut.cycle() - begin <= beats + 7);
}
