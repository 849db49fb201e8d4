// SPDX-License-Identifier: Apache-2.0
// Regions whose key ends during a transfer, and regions without remote rights.
#include "testbench/verify/conform/tests/region.hpp"

namespace roci::conform {
using namespace packet;

namespace access = driver::access;

TEST("MR-07", "deregistered in the middle of a READ, no byte of it leaves afterwards") {
  for (const Time wait : {200_ns, 500_ns, 900_ns, 2_us, 5_us}) {
    Memory memory(dut, 65536);
    Connection c(dut);
    {
      driver::MemoryRegion region(dut.pd(), memory.memory, access::kAll, memory.memory.dma);
      std::fill(memory.memory.host, memory.memory.host + 65536, std::uint8_t{0x11});
      c.feed(c.from_peer(kRcReadRequest, c.rq(0))
                 .ack_req()
                 .reth(region.address(), region.key(), 65536));
      dut.sleep(wait);
    }
    std::fill(memory.memory.host, memory.memory.host + 65536, std::uint8_t{0x22});
    dut.sleep(200_us);
    while (const auto frame = c.next(0)) {
      const Parsed p = frame->parsed();
      if (p.bth().opcode() == kRcAck) {
        same("syndrome", p.aeth().syndrome(), kNakAccess);
        continue;
      }
      for (const std::uint8_t byte : p.payload) same("byte of the READ", byte, 0x11);
    }
  }
}

TEST("MR-07", "deregistered in the middle of a WRITE, the rest of it writes nothing") {
  Memory memory(dut, 4096);
  Connection c(dut);
  {
    driver::MemoryRegion region(dut.pd(), memory.memory, access::kAll, memory.memory.dma);
    c.feed(c.from_peer(kRcWriteFirst, c.rq(0))
               .ack_req()
               .reth(region.address(), region.key(), 768)
               .payload(payload_of(256)));
    c.expect_acked(c.rq(0));
  }
  std::fill(memory.memory.host, memory.memory.host + 4096, std::uint8_t{0x22});
  c.feed(c.send_request(kRcWriteMiddle, c.rq(1), payload_of(256)));
  c.expect(acknowledge(kNakAccess, c.rq(1)));
  for (unsigned i = 0; i < 4096; ++i) same("byte", memory.memory.host[i], 0x22);
}

TEST_THAT_NEEDS(with(layout::Option::kAtomics), "MR-17",
                "a region without remote rights has no remote key that works") {
  driver::MemoryRegion region(dut.pd(), 4096, access::kLocalWrite);
  for (const std::uint8_t opcode : {kRcWriteOnly, kRcReadRequest, kRcFetchAdd}) {
    Connection c(dut);
    const Builder request =
        opcode == kRcWriteOnly ? write_to(c, region.address(), region.key(), payload_of(8))
        : opcode == kRcReadRequest
            ? c.from_peer(opcode, c.rq(0)).ack_req().reth(region.address(), region.key(), 8)
            : c.from_peer(opcode, c.rq(0))
                  .ack_req()
                  .atomic_eth(region.address(), region.key(), 1, 0);
    same("syndrome", outcome(c, request), kNakAccess);
  }
}

}  // namespace roci::conform
