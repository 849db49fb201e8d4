// SPDX-License-Identifier: Apache-2.0
// The transmit path as a whole; headers and the merge have tests of their own.
#include "rtl/tx/tx_bench.hpp"

namespace {

using namespace roce;

void connect_shapes(Bench& bench) {
  for (unsigned which = 0; which < kShapes; ++which)
    bench.connect(16 + which, roce::own_shape(which));
}

/// Any opcode of the payload queue; ACKs have a queue of their own.
std::uint8_t any_opcode(std::mt19937& random) {
  const std::uint8_t opcode = kEveryOpcode[random() % std::size(kEveryOpcode)];
  return opcode == 0x11 ? 0x12 : opcode;
}

}  // namespace

TEST_CASE("tx: each opcode, shape and size (WIRE-01..04, 07..12, 16, 17, 19..22, 29..32)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < kShapes; ++which) {
    for (const std::uint8_t opcode : kEveryOpcode) {
      if (opcode == 0x11) continue;
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 8u, 61u, 64u, 127u}) {
        bench.desc(16 + which, packet(random, which, opcode, size));
        if (!roce::has_payload(opcode)) break;
      }
    }
    for (unsigned size = 1; size < 140; ++size)
      bench.desc(16 + which, packet(random, which, 0x02, size));
    bench.desc(16 + which, packet(random, which, 0x01, 4096));
    bench.ack(16 + which, packet(random, which, 0x11, 0));
  }
  bench.finish();
}

TEST_CASE(
    "tx: given the fields of Soft-RoCE, sends what Soft-RoCE sent but for MigReq and "
    "identification") {
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    const std::string name = path.filename().string();
    // Packets that someone made up, or rewrote on the way, are not what an adapter sends.
    if (name.rfind("raw", 0) == 0 || name.rfind("hop_", 0) == 0 || name.rfind("ecn_", 0) == 0)
      continue;
    CAPTURE(name);
    Bench bench;
    for (Bytes frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::dissect(frame, f) || f.udp_sum || f.version || f.congestion || f.resv7) continue;
      f.mig_req = true;
      Bytes expected = frame;
      expected[f.udp_at() + 9] |= 0x40;
      expected.resize(expected.size() - 4);
      roce::append_icrc(expected, f);
      REQUIRE(roce::build(f) == expected);  // the fields say it all
      bench.connect(1, f);
      if (f.opcode == 0x11)
        bench.ack(1, f);
      else
        bench.desc(1, f);
      bench.drain();
      ++count;
    }
    bench.finish();
  }
  CHECK(count > 2500);
  MESSAGE("captured packets: " << count);
}

TEST_CASE("tx: random traffic of all sources with random stalls") {
  for (unsigned round = 0; round < 6; ++round) {
    CAPTURE(round);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed + round);
    bench.gaps = round % 2 ? 40 : 0;
    bench.stalls = (round / 2) * 30;
    bench.gather_latency = 1 + 10 * (round % 3);
    for (unsigned i = 0; i < 400; ++i) {
      const unsigned which = random() % kShapes;
      const unsigned size = random() % 3 ? random() % 200 : random() % 1100;
      if (random() % 3) bench.desc(16 + which, packet(random, which, any_opcode(random), size));
      if (random() % 3 == 0) bench.ack(16 + which, packet(random, which, 0x11, 0));
      if (random() % 5 == 0) bench.send_eth(random_bytes(random, 14 + random() % 400));
      if (random() % 9 == 0) bench.send_fw(random_bytes(random, 14 + random() % 100));
      for (unsigned k = random() % 12; k-- > 0;) bench.clock();
    }
    bench.finish();
  }
}

TEST_CASE("tx: a failed read spoils the ICRC of that packet only (F-80)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned size = 1; size < 200; ++size) {
    bench.desc(16 + size % kShapes, packet(random, size % kShapes, 0x04, size), size % 3 == 0);
  }
  bench.finish();
}

TEST_CASE("tx: acknowledgements pass packets that wait for payload, and do not starve others") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.hold_payload = true;
  for (unsigned i = 0; i < 12; ++i) bench.desc(16, packet(random, 0, 0x04, 64));
  for (unsigned i = 0; i < 20; ++i) bench.ack(16, packet(random, 0, 0x11, 0));
  for (unsigned i = 0; i < 1000; ++i) bench.clock();
  CHECK(bench.out.size() == 20);
  for (unsigned i = 0; i < 200; ++i) bench.ack(16, packet(random, 0, 0x11, 0));
  for (unsigned i = 0; i < 10; ++i) bench.clock();
  bench.hold_payload = false;
  for (unsigned i = 0; i < 5; ++i) bench.send_eth(random_bytes(random, 64));
  const std::size_t before = bench.out.size();
  bench.finish();
  // From when payload and frames are there, every second one is something else, to their end.
  unsigned run = 0, others = 0;
  for (std::size_t i = before; i < bench.out.size() && others < 17; ++i) {
    Fields f;
    const bool is_ack = roce::dissect(bench.out[i].bytes, f) && f.opcode == 0x11;
    run = is_ack ? run + 1 : 0;
    others += !is_ack;
    if (i >= before + 8) CHECK(run <= 3);  // gather may need a moment for the next packet
  }
  CHECK(others == 17);
  CHECK(bench.out.size() == 20 + 200 + 12 + 5);
}

TEST_CASE("tx: an acknowledgement waits for at most one packet") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned i = 0; i < 40; ++i) {
    bench.desc(16, packet(random, 0, 0x01, 1024));
    bench.send_eth(random_bytes(random, 1000));
    bench.send_fw(random_bytes(random, 200));
  }
  for (unsigned i = 0; i < 10; ++i) {
    for (unsigned k = 0; k < 100 + random() % 100; ++k) bench.clock();
    const std::size_t before = bench.out.size();  // the last of these is on its way
    bench.ack(16, packet(random, 0, 0x11, 0));
    std::size_t others = 0;
    for (bool seen = false; !seen;) {
      bench.clock();
      others = bench.out.size() - before;
      Fields f;
      seen = others && roce::dissect(bench.out.back().bytes, f) && f.opcode == 0x11;
      REQUIRE(others < 10);
    }
    CHECK(others <= 3);  // at most one chosen meanwhile, one in the ICRC pipeline, and itself
  }
  bench.finish();
}

TEST_CASE("tx: back to back without bubbles") {
  struct {
    const char* what;
    unsigned opcode, size;
  } const cases[] = {{"ACK", 0x11, 0},          {"WRITE of 8", 0x0A, 8},
                     {"WRITE of 64", 0x0A, 64}, {"WRITE of 256", 0x0A, 256},
                     {"READ request", 0x0C, 0}, {"MIDDLE of 1024", 0x07, 1024}};
  for (const auto& c : cases) {
    CAPTURE(c.what);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed);
    const unsigned count = 200;
    for (unsigned i = 0; i < count; ++i) {
      const Fields f = packet(random, 0, c.opcode, c.size);
      if (c.opcode == 0x11)
        bench.ack(16, f);
      else
        bench.desc(16, f);
    }
    bench.finish();
    const std::size_t beats = (bench.out[0].bytes.size() + kBytes - 1) / kBytes;
    const double rate =
        static_cast<double>(bench.out.back().last - bench.out[20].last) / (count - 21);
    MESSAGE(std::string(c.what) << ": " << beats << " beats, clocks per packet: " << rate);
    CHECK(rate <= static_cast<double>(beats) + 0.01);
  }
  Bench bench;
  std::mt19937 random(kSeed);
  for (unsigned i = 0; i < 100; ++i) bench.send_eth(random_bytes(random, 2 * kBytes));
  bench.finish();
  CHECK(bench.out.back().last - bench.out.front().first == 199);
}

TEST_CASE("tx: latency") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.gather_latency = 1;
  SUBCASE("without payload") { bench.desc(16, packet(random, 0, 0x0C, 0)); }
  SUBCASE("with payload, a clock after gather_start") {
    bench.desc(16, packet(random, 0, 0x0A, 64));
  }
  bench.finish();
  MESSAGE("desc to first beat: " << bench.out[0].first - bench.first_desc);
  CHECK(bench.out[0].first - bench.first_desc <= 14);
}
