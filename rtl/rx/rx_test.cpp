// SPDX-License-Identifier: Apache-2.0
// The receive path as a whole. What makes a frame malformed, and who is admitted, is tried out in
// the tests of rx_parse and rx_admit.
#include <map>

#include "rtl/rx/rx_bench.hpp"

namespace {

using namespace roce;

constexpr unsigned kIcrc = 0, kMalformed = 1, kOverflow = 2, kUnknownQp = 3, kAddress = 4;
void connect_shapes(Bench& bench) {
  for (unsigned which = 0; which < kShapes; ++which) bench.connect(16 + which, shape(which));
}

}  // namespace

TEST_CASE("rx: one packet of each opcode, size and shape (WIRE-29..36)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < kShapes; ++which) {
    for (const std::uint8_t opcode : kEveryOpcode) {
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 40u, 61u, 64u, 256u}) {
        if (size && !roce::has_payload(opcode)) break;
        Fields f = shape(which);
        f.opcode = opcode;
        f.psn = random() & 0xFFFFFF;
        f.ext = random_bytes(random, static_cast<std::size_t>(roce::ext_bytes(opcode)));
        f.payload = random_bytes(random, size);
        bench.send_good(f);
      }
    }
  }
  bench.finish();
}

TEST_CASE("rx: frames of Soft-RoCE") {
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    CAPTURE(path.filename().string());
    Bench bench;
    std::map<std::uint32_t, Fields> connected;
    for (const Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::captured_good(frame, f) || f.qpn >= 256) continue;
      // Peers share queue pair numbers; the connection follows the frame.
      auto& at = connected[f.qpn];
      if (at.src_ip != f.src_ip || at.dst_ip != f.dst_ip || at.vlan != f.vlan || at.tci != f.tci ||
          at.ipv6 != f.ipv6) {
        bench.drain();
        bench.connect(f.qpn, f);
        at = f;
      }
      bench.send(frame);
      bench.expect(f);
      ++count;
    }
    bench.finish();
  }
  CHECK(count > 3000);
  MESSAGE("captured packets: " << count);
}

TEST_CASE("rx: everything else goes to the Ethernet path unchanged (WIRE-05, 07, 12)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned size = 1; size < 300; ++size) bench.send_ethernet(random_bytes(random, size));
  for (unsigned which = 0; which < kShapes; ++which) {
    Fields f = shape(which);
    f.payload = random_bytes(random, 77);
    if (f.v1) {
      bench.send_good(f);
      continue;
    }
    f.dst_port = 4790;
    bench.send_ethernet(roce::build(f));
    f.dst_port = 4791;
    f.protocol = 6;
    bench.send_ethernet(roce::build(f));
    f.protocol = 17;
    if (!f.ipv6) {
      f.ihl = 6;
      bench.send_ethernet(roce::build(f));
      f.ihl = 5;
      f.fragment = 100;
      bench.send_ethernet(roce::build(f));
      f.fragment = 0;
    } else {
      f.protocol = 0;  // hop by hop
      bench.send_ethernet(roce::build(f));
      f.protocol = 17;
    }
    Bytes frame = roce::build(f);
    frame.resize(f.udp_at() + 3);  // ends before the port is whole
    bench.send_ethernet(frame);
    bench.send_good(f);
  }
  bench.finish();
  bench.dut->enable_i = 0;
  bench.send_ethernet(roce::build(shape(0)));
  bench.finish();
  CHECK(bench.bytes_counted == bench.bytes_in);
}

TEST_CASE("rx: a wrong ICRC is a drop, bytes behind the datagram do not matter (WIRE-18, 36..40)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  for (unsigned which = 0; which < kShapes; ++which) {
    for (unsigned size = 0; size < 140; size += 1 + size % 3) {
      Fields f = shape(which);
      f.payload = random_bytes(random, size);
      f.psn = size;
      Bytes frame = roce::build(f);
      Bytes broken = frame;
      broken[broken.size() - 1 - random() % 4] ^= static_cast<std::uint8_t>(1u << random() % 8);
      bench.send_bad(broken, kIcrc);
      if (size) {
        broken = frame;
        broken[f.payload_at() + random() % size] ^= static_cast<std::uint8_t>(1u << random() % 8);
        bench.send_bad(broken, kIcrc);
      }
      frame.resize(frame.size() + random() % 80, 0xEE);
      bench.send(frame);
      bench.expect(f);
    }
  }
  bench.finish();
}

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
        bench.send_bad(frame, f.udp_sum ? kMalformed : kIcrc);
      } else if (kind == 8) {
        f.src_ip[13] ^= 1;
        bench.send_bad(roce::build(f), kAddress);
      } else {
        f.version = 2;
        bench.send_bad(roce::build(f), kMalformed);
      }
      while (bench.wire.size() > 2) bench.clock();
      if (bench.stalls) bench.drain();  // never so much that the buffers overflow
    }
    bench.finish();
    CHECK(bench.frames_counted == 600);
    CHECK(bench.bytes_counted == bench.bytes_in);
  }
}

TEST_CASE("rx: frames with anything wrong are counted once and never wedge it (WIRE-48, F-52)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  std::vector<Fields> good;
  const unsigned count = 6000;
  for (unsigned i = 0; i < count; ++i) {
    Fields f = random_good(random);
    f.payload.resize(std::min<std::size_t>(f.payload.size(), 300));
    if (i % 10 == 9) {
      f.opcode = 0x04;
      f.ext.clear();
      f.psn = 0xFF0000 + i;
      good.push_back(f);
      bench.send(roce::build(f));
    } else {
      Bytes frame = roce::build(f);
      for (unsigned k = 1 + random() % 3; k-- > 0;) {
        std::uint8_t& byte = frame[12 + random() % std::min<std::size_t>(frame.size() - 12, 100)];
        byte = random() % 2 ? static_cast<std::uint8_t>(random())
                            : static_cast<std::uint8_t>(byte + 1 - random() % 3);
      }
      if (random() % 2) {
        frame.resize(frame.size() - 4);
        roce::append_icrc(frame, f);
      }
      if (random() % 8 == 0) frame.resize(1 + random() % (frame.size() + 40));
      bench.send(frame);
    }
    while (bench.wire.size() > 4) bench.clock();
  }
  bench.drain();
  std::size_t total = bench.ok + bench.eth_pulses;
  for (const unsigned drops : bench.drops) total += drops;
  CHECK(bench.frames_counted == count);
  CHECK(total == count);
  CHECK(bench.got_eth.size() == bench.eth_pulses);
  CHECK(bench.drops[kIcrc] > 100);
  CHECK(bench.drops[kMalformed] > 100);
  // Payload of every packet that was let in, as long as its record says.
  std::size_t with_payload = 0;
  for (const auto* list : {&bench.got_req, &bench.got_rsp})
    for (const Packet& p : *list) with_payload += p.payload_len != 0;
  CHECK(bench.got_pay.size() == with_payload);
  std::size_t found = 0;
  for (const Packet& p : bench.got_req) {
    if (found == good.size() || p.psn != good[found].psn) continue;
    CHECK(p.qpn == good[found].qpn);
    if (p.payload_len) CHECK(bench.got_pay.at(std::uint16_t(p.ticket - 1)) == good[found].payload);
    ++found;
  }
  CHECK(found == good.size());
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
  CHECK(bench.drops[kOverflow] > 50);
  bench.hold_pay = bench.hold_meta = false;
  bench.drain();
  // What came through is whole; together with the drops it is all.
  for (const Packet& p : bench.got_req) bench.expect(sent.at(p.psn));
  CHECK(bench.got_req.size() > 60);
  bench.want_drop[kOverflow] = 400 - static_cast<unsigned>(bench.got_req.size());
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
  bench.want_drop[kOverflow] = 60 - static_cast<unsigned>(bench.got_eth.size());
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
  bench.set_state(16, 6);  // the change is seen by what waited
  bench.dut->pause_i = 0;
  ++bench.want_drop[kUnknownQp];
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
    f.opcode = 0x04;
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
