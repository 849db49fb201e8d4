// SPDX-License-Identifier: Apache-2.0
// Frames as the parser reads them.
#include "rtl/rx/rx_parse/rx_parse_bench.hpp"

using namespace rx_parse_bench;

TEST_CASE("rx_parse: the fields of captured Soft-RoCE packets (WIRE-19, 29..31)") {
  Bench bench;
  std::size_t count = 0;
  for (const auto& path : roce::captures()) {
    CAPTURE(path.filename().string());
    for (const Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::captured_good(frame, f)) continue;
      bench.send(frame, Is::kGood, f);
      ++count;
    }
  }
  bench.finish();
  CHECK(count > 3000);
}

TEST_CASE(
    "rx_parse: each shape, opcode and length, with bytes after the datagram (WIRE-18, 21, 22, "
    "32)") {
  for (const unsigned gaps : {0u, 40u}) {
    Bench bench;
    bench.gaps = gaps;
    for (unsigned n = 0; n < 1500; ++n) {
      const Fields f = roce::random_good(bench.random);
      Bytes frame = roce::build(f);
      if (n % 2) frame.resize(frame.size() + bench.random() % 90, 0xEE);
      bench.send(frame, Is::kGood, f);
    }
    bench.finish();
  }
}

TEST_CASE("rx_parse: malformed packets (WIRE-05, 06, 16, 17, 20, 33, 34, 35)") {
  Bench bench;
  for (unsigned which = 0; which < kShapes; ++which) {
    CAPTURE(which);
    Fields good = shape(which);
    good.payload = random_bytes(bench.random, 64);
    auto bad = [&](auto change) {
      Fields f = good;
      change(f);
      bench.send(roce::build(f), Is::kMalformed);
      good.psn += 1;
      bench.send_good(good);
    };
    bad([](Fields& f) { f.udp_length = 4; });
    bad([](Fields& f) { f.ip_length = 4; });
    bad([](Fields& f) { f.udp_length = 8; });  // longer than the frame
    bad([](Fields& f) { f.udp_length = 4000; });
    bad([](Fields& f) { f.version = 1; });
    bad([](Fields& f) { f.version = 8; });
    bad([](Fields& f) { f.payload.resize(61), f.pad = 0; });
    bad([](Fields& f) { f.payload.resize(62), f.pad = 0; });
    bad([](Fields& f) { f.payload.clear(), f.pad = 3, f.pad_bytes = 0; });
    bad([](Fields& f) { f.payload.resize(4100); });
    bad([](Fields& f) {
      f.opcode = roce::opcode::kRcWriteOnly, f.payload.clear(), f.ext.assign(8, 1);
    });
    for (const std::uint8_t opcode :
         {roce::opcode::kRcReadRequest, roce::opcode::kRcAck, roce::opcode::kRcAtomicAck,
          roce::opcode::kRcCmpSwap, roce::opcode::kRcFetchAdd}) {
      for (const std::size_t extra : {1u, 4u, 8u}) {
        bad([&](Fields& f) {
          f.opcode = opcode;
          f.ext.assign(static_cast<std::size_t>(roce::ext_bytes(opcode)), 1);
          f.payload.resize(extra);
        });
      }
    }
    bad([](Fields& f) { f.payload.clear(), f.udp_length = -4; });
    bad([](Fields& f) { f.payload.clear(), f.udp_length = -16; });
    if (good.v1) {
      bad([](Fields& f) { f.protocol = 6; });  // no BTH after the GRH
      Bytes frame = roce::build(good);
      frame[good.ip_at()] ^= 0x20;  // no GRH
      bench.send(frame, Is::kMalformed);
    } else {
      bad([](Fields& f) { f.ip_length = -4; });
      bad([](Fields& f) { f.udp_length = -4, f.ip_length = 4; });
      for (const int error : {1, 0x100, 0x8000}) {
        bad([&](Fields& f) { f.udp_sum = true, f.udp_sum_error = error; });
      }
    }
    if (!good.ipv6) {
      bad([](Fields& f) { f.ip_sum = 1; });
      bad([](Fields& f) { f.ip_sum = 0x100; });
      bad([](Fields& f) { f.flags = 3; });  // more fragments
      bad([](Fields& f) { f.flags = 1; });
    }
    const Bytes whole = roce::build(good);
    for (std::size_t size = good.bth_at() + 2; size < whole.size(); ++size)
      bench.send(Bytes(whole.begin(), whole.begin() + static_cast<long>(size)), Is::kMalformed);
  }
  bench.finish();
}

TEST_CASE("rx_parse: the opcodes of UC (WIRE-45, 9.2.1)") {
  Bench bench;
  for (unsigned opcode = 0x20; opcode < 0x2C; ++opcode) {
    for (unsigned which = 0; which < kShapes; ++which) {
      const Fields f = roce::packet(bench.random, which, opcode, bench.random() % 1025);
      bench.send(roce::build(f), Is::kGood, f);
    }
  }
  bench.finish();
}

TEST_CASE("rx_parse: the opcodes of UD (UD-01, 9.2.1)") {
  Bench bench;
  for (const unsigned opcode : {0x64u, 0x65u}) {
    for (unsigned which = 0; which < kShapes; ++which) {
      for (const unsigned size : {0u, 1u, 2u, 3u, 4u, 300u, 4096u}) {
        const Fields f = roce::packet(bench.random, which, opcode, size);
        bench.send(roce::build(f), Is::kGood, f);
      }
      bench.send(roce::build(roce::packet(bench.random, which, opcode, 4100)), Is::kMalformed);
    }
  }
  bench.finish();
}

TEST_CASE(
    "rx_parse: opcodes outside the table are reported as such, whatever their length (WIRE-45, "
    "46)") {
  Bench bench;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    if (roce::ext_bytes(opcode) >= 0) continue;
    Fields f = shape(opcode % kShapes);
    f.opcode = static_cast<std::uint8_t>(opcode);
    f.payload = random_bytes(bench.random, opcode % 100 * 60);
    bench.send(roce::build(f), Is::kOpcode);
  }
  bench.finish();
}

TEST_CASE("rx_parse: what is not RoCE stays Ethernet (WIRE-05, 07, 12)") {
  Bench bench;
  for (unsigned size = 1; size < 200; ++size) {
    Bytes frame = random_bytes(bench.random, size);
    if (size > 12) frame[12] = 0x77;
    bench.send(frame, Is::kEthernet);
  }
  for (unsigned n = 0; n < 200; ++n) bench.send(roce::random_ethernet(bench.random), Is::kEthernet);
  for (unsigned which = 0; which < 4; ++which) {
    Fields f = shape(which);
    f.payload = random_bytes(bench.random, 77);
    auto ethernet = [&](auto change) {
      Fields g = f;
      change(g);
      bench.send(roce::build(g), Is::kEthernet);
    };
    ethernet([](Fields& g) { g.dst_port = layout::protocol::kRoceUdpPort - 1; });
    for (const std::uint8_t protocol : {0, 6, 0x1B, 44, 60})  // hop by hop, fragment, options
      ethernet([&](Fields& g) { g.protocol = protocol; });
    if (!f.ipv6) {
      ethernet([](Fields& g) { g.ihl = 6; });
      ethernet([](Fields& g) { g.fragment = 1; });
      ethernet([](Fields& g) { g.fragment = 0x1000; });
    }
    Bytes frame = roce::build(f);
    if (f.vlan) frame[16] = 0x81, frame[17] = 0x00;  // a second tag
    if (!f.vlan) frame[14] ^= 0x10;                  // another version of IP
    bench.send(frame, Is::kEthernet);
    bench.send_good(f);
  }
  bench.finish();
  bench.dut->enable_i = 0;
  for (unsigned which = 0; which < kShapes; ++which)
    bench.send(roce::build(shape(which)), Is::kEthernet);
  bench.finish();
}

TEST_CASE("rx_parse: any bytes get one verdict of each kind, in time (WIRE-48)") {
  Bench bench;
  std::size_t beats = 0, icrcs = 0, sums = 0;
  for (unsigned n = 0; n < 4000; ++n) {
    Bytes frame = roce::build(roce::random_good(bench.random));
    for (unsigned k = bench.random() % 4; k-- > 0;)
      frame[12 + bench.random() % std::min<std::size_t>(frame.size() - 12, 80)] =
          static_cast<std::uint8_t>(bench.random());
    frame.resize(1 + bench.random() % frame.size());
    for (std::size_t at = 0; at < frame.size() + 10 * kBytes; at += kBytes) {
      bench.dut->s_axis_tvalid_i = at < frame.size();
      const std::size_t left = at < frame.size() ? frame.size() - at : 0;
      for (unsigned i = 0; i < kBytes && i < left; ++i)
        port::put_byte(bench.dut->s_axis_tdata_i, i, frame[at + i]);
      port::put(bench.dut->s_axis_tkeep_i, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
      bench.dut->s_axis_tlast_i = left <= kBytes;
      bench.dut.settle();
      beats += bench.dut->beat_valid_o && bench.dut->beat_last_o;
      icrcs += bench.dut->icrc_valid_o && bench.dut->icrc_last_o;
      sums += bench.dut->sums_valid_o;
      bench.dut.tick();
    }
    bench.dut->s_axis_tvalid_i = 0;
    CHECK(beats == n + 1);
    CHECK(icrcs == n + 1);
    CHECK(sums == n + 1);
  }
}

TEST_CASE("rx_parse: beats after four clocks, sums after eight") {
  Bench bench;
  bench.send_good(shape(0));
  const std::uint64_t last = bench.last_in;
  bench.finish();
  CHECK(bench.last_out - last == 4);
  CHECK(bench.last_sums - last == 8);
}
