// SPDX-License-Identifier: Apache-2.0
// The receive path under load: stalls, full buffers, pause, rate and latency.
#include "rtl/rx/rx_bench.hpp"

using namespace roce;

TEST_CASE("rx: random traffic with random stalls") {
  for (unsigned round = 0; round < 6; ++round) {
    CAPTURE(round);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed + round);
    bench.gaps = round % 2 ? 30 : 0;
    bench.stalls = (round / 2) * 25;
    for (unsigned i = 0; i < 600; ++i) {
      const unsigned kind = random() % 10;
      Fields f = random_good(random);
      if (kind < 6) {
        Bytes frame = roce::build(f);
        if (frame.size() < 60) frame.resize(60);
        bench.send(frame);
        bench.expect(f);
      } else if (kind == 6) {
        bench.send_ethernet(random_ethernet(random));
      } else if (kind == 7) {
        Bytes frame = roce::build(f);
        frame.back() ^= 0x80;
        bench.send_bad(frame, f.udp_sum ? DropCause::kMalformed : DropCause::kIcrc);
      } else if (kind == 8) {
        f.src_ip[13] ^= 1;
        bench.send_bad(roce::build(f), DropCause::kAddress);
      } else {
        f.version = 2;
        bench.send_bad(roce::build(f), DropCause::kMalformed);
      }
      while (bench.wire.size() > 2) bench.clock();
      if (bench.stalls) bench.drain();  // the buffers must not overflow
    }
    bench.finish();
    CHECK(bench.frames_counted == 600);
    CHECK(bench.bytes_counted == bench.bytes_in);
  }
}

TEST_CASE("rx: a full buffer drops whole packets and counts them") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  SUBCASE("payload") { bench.hold_pay = true; }
  SUBCASE("records") { bench.hold_meta = true; }
  std::vector<Fields> sent;
  for (unsigned i = 0; i < 400; ++i) {
    Fields f = shape(i % kShapes);
    f.psn = i;
    f.payload = random_bytes(random, bench.hold_meta ? 8 : 300 + i);
    sent.push_back(f);
    bench.send(roce::build(f));
  }
  while (!bench.wire.empty()) bench.clock();
  for (unsigned i = 0; i < 40; ++i) bench.clock();
  CHECK(Bench::dropped_for(bench.drops, DropCause::kOverflow) > 50);
  bench.hold_pay = bench.hold_meta = false;
  bench.drain();
  // Packets that passed are whole; with the dropped ones they are all.
  for (const Packet& p : bench.got_req) bench.expect(sent.at(p.psn));
  CHECK(bench.got_req.size() > 60);
  Bench::dropped_for(bench.want_drop, DropCause::kOverflow) =
      400 - static_cast<unsigned>(bench.got_req.size());
  bench.check();
  for (unsigned i = 0; i < 4; ++i) bench.send_good(sent[i]);
  bench.finish();
}

TEST_CASE("rx: a full Ethernet path drops frames and does not hold up RoCE") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  bench.hold_eth = true;
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 60; ++i) {
    Bytes frame = random_bytes(random, 1000);
    frame[0] = static_cast<std::uint8_t>(i);
    frame[12] = frame[13] = 0x77;
    frames.push_back(frame);
    bench.send(frame);
    bench.send_good(random_good(random));
  }
  while (!bench.wire.empty()) bench.clock();
  for (unsigned i = 0; i < 200; ++i) bench.clock();
  CHECK(bench.got_req.size() + bench.got_rsp.size() == 60);
  bench.hold_eth = false;
  bench.drain();
  for (const Bytes& frame : bench.got_eth) bench.want_eth.push_back(frames.at(frame[0]));
  CHECK(bench.got_eth.size() > 10);
  Bench::dropped_for(bench.want_drop, DropCause::kOverflow) =
      60 - static_cast<unsigned>(bench.got_eth.size());
  bench.check();
}

TEST_CASE("rx: pause holds packets back, not frames of the Ethernet path") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  Fields f = shape(0);
  f.payload = random_bytes(random, 500);
  bench.dut->pause_i = 1;
  bench.send(roce::build(f));
  bench.send_ethernet(random_ethernet(random));
  for (unsigned i = 0; i < 300; ++i) bench.clock();
  CHECK(bench.got_req.empty());
  CHECK(bench.got_eth.size() == 1);
  CHECK(bench.dut->idle_o == 1);
  bench.set_state(16, QpState::kErr);  // holds for the packet that waits
  bench.dut->pause_i = 0;
  ++Bench::dropped_for(bench.want_drop, DropCause::kUnknownQp);
  bench.finish();
}

TEST_CASE("rx: back to back at line rate") {
  for (const unsigned beats : {1u, 2u, 3u, 5u}) {
    CAPTURE(beats);
    Bench bench;
    connect_shapes(bench);
    std::mt19937 random(kSeed);
    const unsigned count = 400;
    Fields f = shape(0);
    f.opcode = opcode::kRcSendOnly;
    const std::size_t fixed = roce::build(f).size();
    const std::size_t wanted = std::max<std::size_t>(fixed, beats * kBytes - 6);
    f.payload = random_bytes(random, (wanted - fixed) / 4 * 4);
    const std::size_t used = (roce::build(f).size() + kBytes - 1) / kBytes;
    for (unsigned i = 0; i < count; ++i) {
      f.psn = i;
      bench.send_good(f);
    }
    bench.finish();
    const double rate = static_cast<double>(bench.last_meta - bench.first_meta) / (count - 1);
    MESSAGE("beats in a packet: " << used << ", clocks per packet: " << rate);
    CHECK(rate <= static_cast<double>(used) + 0.01);
  }
}

TEST_CASE("rx: datagrams back to back, while the engine looks for their places (UD-06)") {
  if (DATA_WIDTH != 512) return;
  constexpr unsigned kDatagrams = 64, kCount = 200;
  for (const unsigned which : {0u, 2u}) {  // IPv4 and IPv6
    CAPTURE(which);
    Bench bench;
    std::mt19937 random(kSeed);
    Fields f = packet(random, which, 0x64, 64);
    f.qpn = kDatagrams;
    bench.connect(kDatagrams, f);
    bench.set_service(kDatagrams, layout::Service::kUd, 0xAB);
    bench.gid(0, f);
    f.ext.clear();
    put(f.ext, 0xAB, 4);
    put(f.ext, random() & 0xFFFFFF, 4);
    bench.decides = 16;
    for (unsigned i = 0; i < kCount; ++i) {
      f.psn = i;
      bench.send_good(f);
    }
    bench.finish();
    const double rate = static_cast<double>(bench.last_meta - bench.first_meta) / (kCount - 1);
    MESSAGE("clocks per datagram: " << rate);
    CHECK(rate <= 3.05);
  }
}

TEST_CASE("rx: latency") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  Fields f = shape(0);
  f.payload = random_bytes(random, 64);
  bench.send_good(f);
  bench.finish();
  MESSAGE("last beat to req_meta: " << bench.first_meta - bench.last_in
                                    << ", to payload: " << bench.first_pay - bench.last_in);
  CHECK(bench.first_meta - bench.last_in <= 12);
}
