// SPDX-License-Identifier: Apache-2.0
// ICRCs checked in frames that follow each other.
#include <doctest/doctest.h>

#include <deque>

#include "Vroci_icrc_rx.h"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/icrc_beat.hpp"
#include "rtl/common/test/icrc_reference.hpp"

namespace {

constexpr unsigned kLane = DATA_WIDTH / 8;
constexpr unsigned kLatency = 4;

struct Bench {
  struct Expected {
    std::uint64_t cycle;
    bool ok;
  };
  Dut<Vroci_icrc_rx> dut;
  std::deque<Expected> expected;
  std::mt19937 random;

  Bench() { dut->valid_i = 0; }

  void tick() {
    dut.settle();
    const bool due = !expected.empty() && expected.front().cycle == dut.cycle();
    CHECK(bool(dut->done_o) == due);
    if (due) {
      CHECK(bool(dut->ok_o) == expected.front().ok);
      expected.pop_front();
    }
    dut.tick();
  }

  /// A frame with its ICRC, and whether that is right.
  void send(const icrc::Frame& frame, bool ok) {
    for (std::size_t at = 0; at < frame.bytes.size(); at += kLane) {
      icrc::put_beat(dut, frame, at, kLane, random);
      if (dut->last_i) expected.push_back({dut.cycle() + kLatency, ok});
      tick();
    }
    dut->valid_i = 0;
  }

  void drain() {
    for (unsigned i = 0; i < kLatency + 2; ++i) tick();
    CHECK(expected.empty());
  }
};

icrc::Frame with_icrc(icrc::Frame frame) {
  const icrc::Bytes crc = icrc::reference(frame);
  frame.bytes.insert(frame.bytes.end(), crc.begin(), crc.end());
  return frame;
}

}  // namespace

TEST_CASE("icrc_rx: WIRE-39: accepts the vectors, and none of them with a bit changed") {
  Bench bench;
  for (const icrc::Bytes& packet : icrc::vectors()) {
    icrc::Frame frame{icrc::Bytes(14, 0xA5)};
    frame.bytes.insert(frame.bytes.end(), packet.begin(), packet.end());
    bench.send(frame, true);
    for (std::size_t bit = 8 * 14; bit < 8 * frame.bytes.size(); ++bit) {
      icrc::Frame bad = frame;
      bad.bytes[bit / 8] ^= 1 << bit % 8;
      const std::size_t byte = bit / 8 - 14;
      const bool masked = byte == 1 || byte == 8 || byte == 10 || byte == 11 || byte == 26 ||
                          byte == 27 || byte == 32;
      bench.send(bad, masked);
    }
  }
  bench.drain();
}

TEST_CASE("icrc_rx: WIRE-36: accepts frames captured from Soft-RoCE") {
  Bench bench;
  std::size_t count = 0;
  for (const char* name : {"rc_atomic.pcap", "rc_tos_ttl_v6.pcap", "rc_vlan100.pcap"}) {
    for (const icrc::Frame& frame : icrc::captured(name)) {
      bench.send(frame, true);
      ++count;
    }
  }
  CHECK(count == 26 + 2 + 5);
  bench.drain();
}

TEST_CASE(
    "icrc_rx: WIRE-38: over IPv6 and in a GRH traffic class, flow label and hop limit may change") {
  Bench bench;
  for (bool vlan : {false, true}) {
    for (const icrc::Kind kind : {icrc::Kind::kIpv6, icrc::Kind::kGrh}) {
      const bool udp = kind == icrc::Kind::kIpv6;
      const icrc::Frame frame =
          with_icrc(icrc::random_frame(bench.random, icrc::smallest(kind, vlan) + 20, kind, vlan));
      for (std::size_t bit = 0; bit < 8 * frame.bytes.size(); ++bit) {
        icrc::Frame bad = frame;
        bad.bytes[bit / 8] ^= 1 << bit % 8;
        const long byte = static_cast<long>(bit / 8) - static_cast<long>(frame.ip());
        const bool masked = byte < 0 || (byte == 0 && bit % 8 < 4) || (byte >= 1 && byte <= 3) ||
                            byte == 7 ||
                            (udp ? byte == 46 || byte == 47 || byte == 52 : byte == 44);
        bench.send(bad, masked);
      }
    }
  }
  bench.drain();
}

TEST_CASE("icrc_rx: any length, back to back or not") {
  Bench bench;
  for (unsigned n = 0; n < 1500; ++n) {
    const icrc::Kind kind = icrc::kKinds[n % 3];
    const bool vlan = n & 1, good = bench.random() % 4 != 0;
    icrc::Frame frame = with_icrc(icrc::random_frame(
        bench.random, icrc::smallest(kind, vlan) + bench.random() % 260, kind, vlan));
    if (!good) frame.bytes[frame.bytes.size() - 1 - bench.random() % 4] ^= 1 << bench.random() % 8;
    bench.send(frame, good);
    while (n % 3 == 0 && bench.random() % 2) bench.tick();
  }
  bench.drain();
}

#if DATA_WIDTH == 512
TEST_CASE("icrc_rx: frames of a single beat follow each other without a gap") {
  Bench bench;
  for (unsigned n = 0; n < 50; ++n) {
    icrc::Frame frame =
        with_icrc(icrc::random_frame(bench.random, 58 - n % 5, icrc::Kind::kIpv4, false));
    if (n % 3 == 0) frame.bytes[43] ^= 1;
    bench.send(frame, n % 3 != 0);
  }
  CHECK(bench.dut.cycle() == 50 + 2);  // two clocks of reset
  bench.drain();
}
#endif
