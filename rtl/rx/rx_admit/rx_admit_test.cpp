// SPDX-License-Identifier: Apache-2.0
// Frames that are accepted, and the first cause for which others are dropped.
#include "model/spec/layout/headers.hpp"
#include "rtl/rx/rx_admit/rx_admit_bench.hpp"

using namespace rx_admit_bench;

namespace {

Fields of_opcode(unsigned opcode) {
  Fields f = shape(0);
  f.opcode = static_cast<std::uint8_t>(opcode);
  f.ext.assign(static_cast<std::size_t>(roce::ext_bytes(opcode)), 7);
  if (roce::has_payload(opcode)) f.payload.resize(40);
  return f;
}

}  // namespace

TEST_CASE("rx_admit: RTR and SQE take requests, RTS and SQD both, others nothing (WIRE-47)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned number = 0; number < 8; ++number) {
    const QpState state{static_cast<std::uint8_t>(number)};
    bench.set_state(16, state);
    for (const std::uint8_t opcode : kEveryOpcode) {
      Fields f = shape(0);
      f.opcode = opcode;
      f.ext.assign(static_cast<std::size_t>(roce::ext_bytes(opcode)), opcode);
      if (roce::has_payload(opcode)) f.payload.resize(opcode);
      const bool both = state == QpState::kRts || state == QpState::kSqd;
      const bool requests = state == QpState::kRtr || state == QpState::kSqe;
      if (both || (requests && !roce::is_response(opcode)))
        bench.send(f);
      else
        bench.send(f, DropCause::kUnknownQp);
    }
    bench.finish();
  }
}

TEST_CASE("rx_admit: the opcode is of the queue pair's transport service (WIRE-28)") {
  Bench bench;
  bench.connect_shapes();
  for (const Service service : {Service::kRc, Service::kUc, Service::kRc}) {
    bench.set_service(16, service);
    bench.set_service(16 + kQps, Service::kUc);  // no queue pair
    for (unsigned opcode = 0; opcode < 0x2C; ++opcode) {
      if (roce::ext_bytes(opcode) < 0) continue;
      const Fields f = of_opcode(opcode);
      if ((service == Service::kUc) == (opcode >= 0x20))
        bench.send(f);
      else
        bench.send(f, DropCause::kOpcode);
    }
    Fields f = of_opcode(service == Service::kUc ? 4 : 0x24);
    f.pkey ^= 1;
    bench.send(f, DropCause::kPkey);
    bench.finish();
  }
}

TEST_CASE("rx_admit: UC in SQE takes requests") {
  Bench bench;
  bench.connect_shapes();
  bench.set_service(16, Service::kUc);
  bench.set_state(16, QpState::kSqe);
  bench.send(of_opcode(0x24));
  bench.finish();
}

TEST_CASE("rx_admit: numbers that are no queue pair (WIRE-25, 26)") {
  Bench bench;
  bench.connect_shapes();
  for (const std::uint32_t qpn : {0u, 1u, 15u, 16 + kShapes, kQps - 1, kQps, kQps + 16, 0x800010u,
                                  0x100010u, 0xABCDEFu, 0xFFFFFFu}) {
    Fields f = with_payload();
    f.qpn = qpn;
    bench.send(f, DropCause::kUnknownQp);
  }
  bench.send(with_payload());
  bench.finish();
}

TEST_CASE("rx_admit: addresses, VLAN and RoCE version are the connection's (WIRE-01, 02, 27)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned which = 0; which < kShapes; ++which) {
    CAPTURE(which);
    const Fields good = shape(which);
    for (unsigned bit = good.ipv6 ? 0 : 96; bit < 128; ++bit) {
      Fields f = good;
      f.src_ip[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      bench.send(f, DropCause::kAddress);
      f = good;
      f.dst_ip[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      bench.send(f, DropCause::kAddress);
    }
    Fields f = good;
    f.vlan = !f.vlan;
    bench.send(f, DropCause::kAddress);
    for (unsigned bit = 0; bit < 16 && good.vlan; ++bit) {
      f = good;
      f.tci ^= static_cast<std::uint16_t>(1u << bit);
      if (bit < layout::vlan::vid.bits)
        bench.send(f, DropCause::kAddress);
      else
        bench.send(f);  // the priority may be any
    }
    f = good;
    f.v1 = !f.v1;
    if (good.ipv6) bench.send(f, DropCause::kAddress);
    f = good;
    f.ipv6 = !f.ipv6;
    bench.send(f, DropCause::kAddress);
    bench.send(good);
    bench.finish();
  }
}

TEST_CASE("rx_admit: the P_Key matches with one full member at least (WIRE-23, 24)") {
  Bench bench;
  const struct {
    std::uint16_t own, sent;
    bool good;
  } cases[] = {{0xFFFF, 0xFFFF, true},  {0xFFFF, 0x7FFF, true},  {0xFFFF, 0x8001, false},
               {0xFFFF, 0x0000, false}, {0xFFFF, 0x8000, false}, {0x7FFF, 0x7FFF, false},
               {0x7FFF, 0xFFFF, true},  {0x8000, 0x8000, false}, {0x8123, 0x0123, true},
               {0x0123, 0x0123, false}, {0x8123, 0x0122, false}};
  for (const auto& one : cases) {
    Fields f = shape(2);
    f.pkey = one.own;
    bench.connect(5, f);
    f.qpn = 5;
    f.pkey = one.sent;
    if (one.good)
      bench.send(f);
    else
      bench.send(f, DropCause::kPkey);
    bench.finish();
  }
}

TEST_CASE("rx_admit: the first cause counts") {
  Bench bench;
  bench.connect_shapes();
  // The parser has found these.
  for (DropCause cause : {DropCause::kIcrc, DropCause::kMalformed, DropCause::kOpcode}) {
    Fields f = with_payload();
    f.qpn = 40;
    f.pkey = 1;
    bench.send(f, cause, true);
  }
  Fields f = with_payload();
  f.pkey = 1;
  f.src_ip[15] ^= 1;
  bench.send(f, DropCause::kAddress);
  f.qpn = 40;
  bench.send(f, DropCause::kUnknownQp);
  bench.finish();
}

TEST_CASE("rx_admit: captured packets reach the engine they are for") {
  Bench bench;
  std::size_t count = 0;
  Fields last;
  for (const auto& path : roce::captures()) {
    for (const roce::Bytes& frame : roce::read_pcap(path)) {
      Fields f;
      if (!roce::captured_good(frame, f)) continue;
      f.qpn %= kQps;
      bench.connect(f.qpn, f);
      if (roce::is_datagram(f.opcode)) {
        bench.gid(count % 16, f);
        bench.set_service(f.qpn, Service::kUd, static_cast<std::uint32_t>(roce::get(f.ext, 0, 4)));
      } else {
        bench.set_service(f.qpn, f.opcode >= 0x20 ? Service::kUc : Service::kRc);
      }
      bench.send(f);
      while (!bench.in.empty()) bench.clock();
      while (!bench.dut->idle_o) bench.clock();
      ++count;
    }
  }
  bench.finish();
  CHECK(count > 3000);
}

TEST_CASE("rx_admit: nothing is lost or duplicated when anything may wait, and order is kept") {
  for (const unsigned stalls : {0u, 30u, 70u}) {
    Bench bench;
    bench.connect_shapes();
    bench.stalls = stalls;
    for (unsigned n = 0; n < 2000; ++n) {
      Fields f = roce::random_good(bench.random);
      std::optional<DropCause> cause;
      bool bad = false;
      switch (bench.random() % 6) {
        case 0:
          f.qpn = 30, cause = DropCause::kUnknownQp;
          break;
        case 1:
          f.src_ip[14] ^= 4, cause = DropCause::kAddress;
          break;
        case 2:
          f.pkey = 0x1234, cause = DropCause::kPkey;
          break;
        case 3:
          bad = bench.random() & 1;
          if (bad) cause = DropCause::kIcrc;
          break;
        default:
          break;
      }
      bench.send(f, cause, bad);
      while (bench.in.size() > 3) bench.clock();
    }
    bench.finish();
  }
}

TEST_CASE(
    "rx_admit: pause holds records back; they are checked by the tables as they are afterwards") {
  Bench bench;
  bench.connect_shapes();
  bench.dut->pause_i = 1;
  bench.send(with_payload(), DropCause::kUnknownQp);
  for (unsigned i = 0; i < 50; ++i) bench.clock();
  CHECK(bench.in.size() == 1);
  CHECK(bench.dut->idle_o);
  bench.set_state(16, QpState::kErr);
  bench.dut->pause_i = 0;
  bench.finish();
}

TEST_CASE("rx_admit: two clocks, and one packet a clock, or in two with Compact") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned n = 0; n < 100; ++n) bench.send(with_payload(n));
  const std::uint64_t begin = bench.dut.cycle();
  while (!bench.in.empty()) bench.clock();
  CHECK(bench.dut.cycle() - begin == (RTL_Compact ? 2 * 99 : 100));
  bench.finish();
  CHECK(bench.given - bench.taken == 2);
}
