// SPDX-License-Identifier: Apache-2.0
// Datagrams: to which addresses, and with which Q_Key.
#include "rtl/rx/rx_admit/rx_admit_bench.hpp"

using namespace rx_admit_bench;

TEST_CASE("rx_admit: a datagram goes to one of 16 GIDs, from anywhere (UD-07, UD-12)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned which = 0; which < kShapes; ++which) {
    bench.set_service(16 + which, Service::kUd, kQkey);
    // Its row of Av has the partition alone.
    Fields row;
    row.pkey = shape(which).pkey;
    bench.address(16 + which, row, roce::Way::kIn);
  }
  std::array<Fields, 16> own;
  for (unsigned i = 0; i < own.size(); ++i) {
    own[i] = shape(i % kShapes);
    own[i].dst_ip[15] = static_cast<std::uint8_t>(i);
    bench.gid(i, own[i]);
  }
  bench.gid(16, shape(0));  // no row
  const auto to = [&](unsigned i) {
    Fields f = datagram(bench.random, i % kShapes);
    f.dst_ip = own[i].dst_ip;
    f.src_ip[15] = static_cast<std::uint8_t>(bench.random());
    return f;
  };
  for (unsigned n = 0; n < 300; ++n) {
    bench.stalls = n % 3 * 30;
    Fields f = to(bench.random() % 16);
    switch (bench.random() % 8) {
      case 0:
        f.dst_ip[bench.random() % 4 + 12] ^= 0x80;
        bench.send(f, DropCause::kAddress);
        break;
      case 1:
        f.vlan = !f.vlan;
        f.tci = f.vlan ? 0x064 : 0;
        // The GIDs with a tag are others than those without one.
        bench.send(f, DropCause::kAddress);
        break;
      case 2:
        if (f.vlan) {
          f.tci ^= 1;
          bench.send(f, DropCause::kAddress);
        }
        break;
      case 3:
        if (f.ipv6) {
          f.v1 = !f.v1;
          bench.send(f, DropCause::kAddress);
        }
        break;
      case 4:
        f.pkey ^= 1;
        bench.send(f, DropCause::kPkey);
        break;
      default:
        bench.send(f);
    }
  }
  bench.finish();
  // An address of IPv6 that looks like that of IPv4 is another one.
  Fields mapped = to(2);
  mapped.dst_ip = {};
  mapped.dst_ip[10] = mapped.dst_ip[11] = 0xFF;
  std::copy_n(own[0].dst_ip.begin() + 12, 4, mapped.dst_ip.begin() + 12);
  bench.send(mapped, DropCause::kAddress);
  bench.gid(3, own[3], false);
  bench.send(to(3), DropCause::kAddress);
  bench.send(to(4));
  bench.finish();
}

TEST_CASE("rx_admit: a wrong Q_Key is counted, after all causes of a drop (UD-03)") {
  Bench bench;
  bench.connect_shapes();
  for (unsigned which = 0; which < kShapes; ++which) {
    bench.set_service(16 + which, Service::kUd, kQkey);
    bench.gid(which, shape(which));
  }
  Fields connected = with_payload();
  connected.qpn = 30;
  bench.connect(30, connected);
  for (unsigned bit = 0; bit < 32; ++bit) {
    bench.send_violation(datagram(bench.random, bit % kShapes, kQkey ^ 1u << bit));
    bench.send(bit % 2 == 0 ? connected : datagram(bench.random, bit % kShapes));
  }
  Fields f = datagram(bench.random, 0, kQkey ^ 1);
  f.dst_ip[15] ^= 1;
  bench.send(f, DropCause::kAddress);
  f.dst_ip[15] ^= 1;
  f.pkey ^= 1;
  bench.send(f, DropCause::kPkey);
  f.pkey ^= 1;
  for (const std::uint8_t other : {0x04, 0x24}) {
    f.opcode = other;
    bench.send(f, DropCause::kOpcode);
  }
  f.opcode = 0x64;
  f.qpn = 40;
  bench.send(f, DropCause::kUnknownQp);
  f.qpn = 16;
  bench.send(f, DropCause::kIcrc, true);
  bench.finish();
  bench.set_service(16, Service::kRc);
  bench.send(f, DropCause::kOpcode);
  bench.finish();
}
