// SPDX-License-Identifier: Apache-2.0
// The transmit path as a whole; headers and the merge have tests of their own.
#include "rtl/tx/tx_bench.hpp"

namespace {

using namespace roce;

/// Any opcode of the payload queue; ACKs have a queue of their own.
std::uint8_t any_opcode(std::mt19937& random) {
  const std::uint8_t any = kEveryOpcode[random() % std::size(kEveryOpcode)];
  return any == opcode::kRcAck ? opcode::kRcAtomicAck : any;
}

}  // namespace

TEST_CASE("tx: each opcode, shape and size (WIRE-01..04, 07..12, 16, 17, 19..22, 29..32)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < kShapes; ++which) {
    for (const std::uint8_t each : kEveryOpcode) {
      if (each == opcode::kRcAck) continue;
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 8u, 61u, 64u, 127u}) {
        bench.desc(16 + which, packet(random, which, each, size));
        if (!roce::has_payload(each)) break;
      }
    }
    for (unsigned size = 1; size < 140; ++size)
      bench.desc(16 + which, packet(random, which, opcode::kRcSendLast, size));
    bench.desc(16 + which, packet(random, which, opcode::kRcSendMiddle, 4096));
    bench.ack(16 + which, packet(random, which, opcode::kRcAck, 0));
  }
  bench.finish();
}

TEST_CASE(
    "tx: given the fields of Soft-RoCE, sends what Soft-RoCE sent except for MigReq and "
    "identification") {
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    const std::string name = path.filename().string();
    // No adapter sends packets that were made by hand or rewritten on the way.
    if (name.rfind("raw", 0) == 0 || name.rfind("hop_", 0) == 0 || name.rfind("ecn_", 0) == 0)
      continue;
    CAPTURE(name);
    Bench bench;
    for (const Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::dissect(frame, f) || f.udp_sum || f.version || f.congestion || f.resv7) continue;
      f.mig_req = true;
      Bytes expected = frame;
      expected[f.udp_at() + 9] |= 0x40;
      expected.resize(expected.size() - 4);
      roce::append_icrc(expected, f);
      REQUIRE(roce::build(f) == expected);  // the fields describe the whole frame
      bench.connect(1, f);
      if (f.opcode == opcode::kRcAck)
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
      if (random() % 3 == 0) bench.ack(16 + which, packet(random, which, opcode::kRcAck, 0));
      if (random() % 5 == 0) bench.send_eth(random_bytes(random, 14 + random() % 400));
      if (random() % 9 == 0) bench.send_fw(random_bytes(random, 14 + random() % 100));
      for (unsigned k = random() % 12; k-- > 0;) bench.clock();
    }
    bench.finish();
  }
}

TEST_CASE("tx: a failed read poisons the ICRC of that packet only (F-80)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned size = 1; size < 200; ++size) {
    bench.desc(16 + size % kShapes, packet(random, size % kShapes, opcode::kRcSendOnly, size),
               size % 3 == 0);
  }
  bench.finish();
}

TEST_CASE("tx: acknowledgements pass packets that wait for payload, and do not starve others") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.hold_payload = true;
  for (unsigned i = 0; i < 12; ++i) bench.desc(16, packet(random, 0, opcode::kRcSendOnly, 64));
  for (unsigned i = 0; i < 20; ++i) bench.ack(16, packet(random, 0, opcode::kRcAck, 0));
  for (unsigned i = 0; i < 1000; ++i) bench.clock();
  CHECK(bench.out.size() == 20);
  for (unsigned i = 0; i < 200; ++i) bench.ack(16, packet(random, 0, opcode::kRcAck, 0));
  for (unsigned i = 0; i < 10; ++i) bench.clock();
  bench.hold_payload = false;
  for (unsigned i = 0; i < 5; ++i) bench.send_eth(random_bytes(random, 64));
  const std::size_t before = bench.out.size();
  bench.finish();
  // As soon as payload and frames are there, every second packet is not an ACK, until they end.
  unsigned run = 0, others = 0;
  for (std::size_t i = before; i < bench.out.size() && others < 17; ++i) {
    Fields f;
    const bool is_ack = roce::dissect(bench.out[i].bytes, f) && f.opcode == opcode::kRcAck;
    run = is_ack ? run + 1 : 0;
    others += !is_ack;
    if (i >= before + 8) CHECK(run <= 3);  // gather may need some clocks for the next packet
  }
  CHECK(others == 17);
  CHECK(bench.out.size() == 20 + 200 + 12 + 5);
}

TEST_CASE("tx: an acknowledgement waits for at most one packet") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned i = 0; i < 40; ++i) {
    bench.desc(16, packet(random, 0, opcode::kRcSendMiddle, 1024));
    bench.send_eth(random_bytes(random, 1000));
    bench.send_fw(random_bytes(random, 200));
  }
  for (unsigned i = 0; i < 10; ++i) {
    for (unsigned k = 0; k < 100 + random() % 100; ++k) bench.clock();
    const std::size_t before = bench.out.size();  // the last of these is being sent
    bench.ack(16, packet(random, 0, opcode::kRcAck, 0));
    std::size_t others = 0;
    for (bool seen = false; !seen;) {
      bench.clock();
      others = bench.out.size() - before;
      Fields f;
      seen = others && roce::dissect(bench.out.back().bytes, f) && f.opcode == opcode::kRcAck;
      REQUIRE(others < 10);
    }
    CHECK(others <= 3);  // at most one chosen before, one in the ICRC pipeline, and itself
  }
  bench.finish();
}

TEST_CASE("tx: back to back without bubbles") {
  struct {
    const char* what;
    unsigned opcode, size;
  } const cases[] = {{"ACK", opcode::kRcAck, 0},
                     {"WRITE of 8", opcode::kRcWriteOnly, 8},
                     {"WRITE of 64", opcode::kRcWriteOnly, 64},
                     {"WRITE of 256", opcode::kRcWriteOnly, 256},
                     {"READ request", opcode::kRcReadRequest, 0},
                     {"MIDDLE of 1024", opcode::kRcWriteMiddle, 1024}};
  for (const auto& c : cases) {
    CAPTURE(c.what);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed);
    const unsigned count = 200;
    for (unsigned i = 0; i < count; ++i) {
      const Fields f = packet(random, 0, c.opcode, c.size);
      if (c.opcode == opcode::kRcAck)
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
  SUBCASE("without payload") { bench.desc(16, packet(random, 0, opcode::kRcReadRequest, 0)); }
  SUBCASE("with payload, a clock after gather_start") {
    bench.desc(16, packet(random, 0, opcode::kRcWriteOnly, 64));
  }
  bench.finish();
  MESSAGE("desc to first beat: " << bench.out[0].first - bench.first_desc);
  CHECK(bench.out[0].first - bench.first_desc <= 14);
}
