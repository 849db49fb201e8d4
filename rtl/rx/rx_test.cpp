// SPDX-License-Identifier: Apache-2.0
// The receive path as a whole. The tests of rx_parse and rx_admit cover what makes a
// frame malformed and which packets are admitted.
#include <map>

#include "rtl/rx/rx_bench.hpp"

using namespace roce;

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
          at.ipv6 != f.ipv6 || at.opcode / 32 != f.opcode / 32 ||
          (roce::is_datagram(f.opcode) && roce::get(at.ext, 0, 4) != roce::get(f.ext, 0, 4))) {
        bench.drain();
        bench.connect(f.qpn, f);
        if (roce::is_datagram(f.opcode)) {
          bench.gid(count % 16, f);
          bench.set_service(f.qpn, layout::Service::kUd,
                            static_cast<std::uint32_t>(roce::get(f.ext, 0, 4)));
        } else {
          bench.set_service(f.qpn, f.opcode >= 0x20 ? layout::Service::kUc : layout::Service::kRc);
        }
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

TEST_CASE("rx: datagrams with their GRH, between packets of connections (UD-05, UD-06)") {
  constexpr unsigned kDatagrams = 64;  // queue pairs of UD, one for each shape
  Bench bench;
  connect_shapes(bench);
  for (unsigned which = 0; which < kShapes; ++which) {
    bench.connect(kDatagrams + which, shape(which));
    bench.set_service(kDatagrams + which, layout::Service::kUd, 0xAB);
    bench.gid(which, shape(which));
  }
  for (const unsigned stalls : {0u, 50u}) {
    bench.stalls = stalls;
    for (unsigned n = 0; n < 600; ++n) {
      Fields f = roce::random_good(bench.random);
      const unsigned which = f.qpn - 16;
      if (n % 3 != 0) {
        static constexpr unsigned kSizes[] = {0, 1, 2, 3, 4, 30, 31, 64, 65, 1000, 4096};
        f.opcode = n % 2 == 0 ? 0x64 : 0x65;
        f.qpn = kDatagrams + which;
        f.ext.clear();
        roce::put(f.ext, n % 7 == 0 ? 0xAA : 0xAB, 4);
        roce::put(f.ext, bench.random() & 0xFFFFFF, 4);
        if (f.opcode == 0x65) roce::put(f.ext, bench.random(), 4);
        f.payload = random_bytes(bench.random, kSizes[bench.random() % std::size(kSizes)]);
        if (n % 7 == 0) {
          bench.send(build(f));
          ++bench.violations;
          continue;
        }
      }
      bench.send_good(f);
      if (n % 20 == 0) bench.drain();
    }
    bench.finish();
  }
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
    f.dst_port = layout::protocol::kRoceUdpPort - 1;
    bench.send_ethernet(roce::build(f));
    f.dst_port = layout::protocol::kRoceUdpPort;
    f.protocol = 6;
    bench.send_ethernet(roce::build(f));
    f.protocol = layout::protocol::kIpUdp;
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
      f.protocol = layout::protocol::kIpUdp;
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

TEST_CASE("rx: a wrong ICRC is a drop, bytes after the datagram do not matter (WIRE-18, 36..40)") {
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
      bench.send_bad(broken, DropCause::kIcrc);
      if (size) {
        broken = frame;
        broken[f.payload_at() + random() % size] ^= static_cast<std::uint8_t>(1u << random() % 8);
        bench.send_bad(broken, DropCause::kIcrc);
      }
      frame.resize(frame.size() + random() % 80, 0xEE);
      bench.send(frame);
      bench.expect(f);
    }
  }
  bench.finish();
}

TEST_CASE("rx: frames with anything wrong are counted once and never block it (WIRE-48, F-52)") {
  Bench bench;
  connect_shapes(bench);
  std::mt19937 random(kSeed);
  std::vector<Fields> good;
  const unsigned count = 6000;
  for (unsigned i = 0; i < count; ++i) {
    Fields f = random_good(random);
    f.payload.resize(std::min<std::size_t>(f.payload.size(), 300));
    if (i % 10 == 9) {
      f.opcode = opcode::kRcSendOnly;
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
  CHECK(Bench::dropped_for(bench.drops, DropCause::kIcrc) > 100);
  CHECK(Bench::dropped_for(bench.drops, DropCause::kMalformed) > 100);
  // Every admitted packet has payload of the length in its record.
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
