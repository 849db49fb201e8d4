// SPDX-License-Identifier: Apache-2.0
// Responder: lengths, bounds and rights of remote access.
#include "testbench/verify/conform/tests/expect_nak.hpp"

namespace roci::conform {
using namespace packet;

namespace {

struct WritePacket {
  std::uint8_t opcode;
  std::size_t bytes;  ///< length of the payload
};

struct WriteCase {
  std::uint32_t total;  ///< DMALen
  std::vector<WritePacket> packets;
};

/// Each gets a NAK, and writes nothing outside its range.
void wrong_lengths(Fixture& dut, const std::vector<WriteCase>& cases) {
  for (const WriteCase& one : cases) {
    Connection c(dut);
    std::fill(dut.target(), dut.target(4096), std::uint8_t{0x5A});
    std::vector<Builder> frames;
    std::string what = "DMALen " + std::to_string(one.total) + " with";
    for (std::size_t i = 0; i < one.packets.size(); ++i) {
      const WritePacket& p = one.packets[i];
      what += " " + std::string(opcode_name(p.opcode)) + " " + std::to_string(p.bytes);
      Builder frame =
          c.send_request(p.opcode, c.rq(static_cast<std::int64_t>(i)), payload_of(p.bytes));
      if (i == 0) frame.reth(dut.target_address(64), dut.memory().key(), one.total);
      frames.push_back(frame);
    }
    expect_nak(c, frames, kNakInvalid, c.rq(static_cast<std::int64_t>(frames.size()) - 1), what);
    dut.sleep(5_us);
    for (std::size_t i = 0; i < 4096; ++i) {
      if (i >= 64 && i < 64 + one.total) continue;
      require(dut.target(i)[0] == 0x5A, "no byte outside the range written by " + what,
              "byte " + std::to_string(i));
    }
  }
}

}  // namespace

TEST("RSP-26", "WRITEs that do not add up to DMALen") {
  wrong_lengths(dut,
                {
                    {100, {{kRcWriteOnly, 64}}},
                    {32, {{kRcWriteOnly, 64}}},
                    {61, {{kRcWriteOnly, 64}}},
                    {64, {{kRcWriteOnly, 0}}},
                    {300, {{kRcWriteOnly, 300}}},
                    {256, {{kRcWriteFirst, 256}}},
                    {100, {{kRcWriteFirst, 256}}},
                    {600, {{kRcWriteFirst, 252}}},
                    {600, {{kRcWriteFirst, 260}}},
                    {768, {{kRcWriteFirst, 256}, {kRcWriteLast, 256}}},
                    {600, {{kRcWriteFirst, 256}, {kRcWriteLast, 100}}},
                    {512, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}}},
                    {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}, {kRcWriteMiddle, 256}}},
                    {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}, {kRcWriteLast, 92}}},
                    {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}, {kRcWriteLast, 84}}},
                    {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 252}}},
                });
}

TEST("RSP-27", "WRITEs of DMALen 0 with a payload") {
  wrong_lengths(dut, {{0, {{kRcWriteOnly, 64}}}, {0, {{kRcWriteFirst, 256}}}});
}

TEST("RSP-28", "DMALen above 2^31") {
  for (const std::uint8_t opcode : {kRcWriteFirst, kRcReadRequest}) {
    for (const std::uint32_t total : {0x80000001u, 0xFFFFFFFFu}) {
      Connection c(dut);
      const Untouched memory(dut);
      Builder frame = c.from_peer(opcode, c.rq(0))
                          .ack_req()
                          .reth(dut.target_address(), dut.memory().key(), total);
      if (opcode == kRcWriteFirst) frame.payload(payload_of(256));
      c.feed(frame);
      const auto response = c.next();
      require(response.has_value(), "a NAK", "silence");
      const unsigned seen = response->parsed().aeth().syndrome();
      require(seen == kNakInvalid || seen == kNakAccess, "NAK 0x61 or 0x62", hex(seen));
      c.is_in(QpState::kErr);
      memory.check("a WRITE above 2^31 bytes");
    }
  }
}

TEST("RSP-29 MR-01 MR-02 MR-03 WC-09", "key checks of WRITEs and READs") {
  driver::ProtectionDomain other_pd(dut.context());
  driver::MemoryRegion foreign(other_pd, 4096, driver::access::kAll);
  driver::MemoryRegion local_only(dut.pd(), 4096, driver::access::kLocalWrite);
  const std::uint64_t base = dut.memory().address();
  const std::uint32_t key = dut.memory().key();
  struct Case {
    const char* what;
    std::uint64_t va;
    std::uint32_t key;
    std::uint32_t bytes;
  };
  std::vector<Case> cases = {
      {"the last byte one past the region", base + Fixture::kMemory - 99, key, 100},
      {"an address one below", base - 1, key, 100},
      {"a range far after", base + (1ull << 40), key, 100},
      {"a range that wraps 2^64", ~std::uint64_t{0} - 49, key, 100},
      {"an address just below 2^64", ~std::uint64_t{0}, key, 1},
      {"another domain", foreign.address(), foreign.key(), 100},
      {"no remote right", local_only.address(), local_only.key(), 100},
      {"an unknown index", base, 0xFFFFFF00, 100},
  };
  for (unsigned bit = 0; bit < 8; ++bit)
    cases.push_back({"a wrong variant", base, key ^ 1u << bit, 100});
  for (const Case& one : cases) {
    for (const std::uint8_t opcode : {kRcWriteOnly, kRcReadRequest}) {
      Connection c(dut);
      const Untouched memory(dut);
      Builder frame = c.from_peer(opcode, c.rq(0)).ack_req().reth(one.va, one.key, one.bytes);
      if (opcode == kRcWriteOnly) frame.payload(payload_of(one.bytes));
      expect_nak(c, {frame}, kNakAccess, c.rq(0), one.what);
      memory.check(one.what);
      if (opcode == kRcWriteOnly) {
        for (unsigned i = 0; i < 4096; ++i) same("byte", foreign.data()[i], 0);
      }
    }
  }
}

TEST("RSP-29", "a WRITE of many packets is rejected at the first when its end is outside") {
  Connection c(dut);
  const Untouched memory(dut);
  expect_nak(c,
             {c.from_peer(kRcWriteFirst, c.rq(0))
                  .reth(dut.memory().address() + Fixture::kMemory - 599, dut.memory().key(), 600)
                  .payload(payload_of(256))},
             kNakAccess, c.rq(0), "a WRITE that ends outside");
  memory.check("a WRITE that ends outside");
}

TEST("RSP-39", "max_dest_rd_atomic 0 rejects READs and atomics") {
  for (const std::uint8_t opcode : {kRcReadRequest, kRcFetchAdd, kRcCmpSwap}) {
    Connection c(dut, [](Options& o) { o.max_dest_rd_atomic = 0; });
    expect_nak(c,
               {opcode == kRcReadRequest ? c.read_request(c.rq(0), 10)
                                         : c.atomic_request(opcode, c.rq(0), 1)},
               kNakInvalid, c.rq(0), "a READ or atomic at depth 0");
  }
}

TEST("RSP-41", "atomics at addresses that are no multiple of 8") {
  for (const std::uint8_t opcode : {kRcFetchAdd, kRcCmpSwap}) {
    for (const std::size_t at : {1u, 2u, 4u}) {
      Connection c(dut);
      const Untouched memory(dut);
      expect_nak(c, {c.atomic_request(opcode, c.rq(0), 1, 0, at)}, kNakInvalid, c.rq(0),
                 "an atomic not aligned");
      memory.check("an atomic not aligned");
    }
  }
}

TEST_THAT_NEEDS(with(layout::Option::kAtomics), "RSP-42",
                "atomics without the right or out of bounds") {
  driver::MemoryRegion region(
      dut.pd(), 4096,
      driver::access::kLocalWrite | driver::access::kRemoteWrite | driver::access::kRemoteRead);
  driver::DmaMemory memory = dut.context().device().allocate(4096, 4096);
  {
    driver::MemoryRegion odd(dut.pd(), {memory.host, memory.dma, 100}, driver::access::kAll,
                             memory.dma);
    struct Case {
      const char* what;
      std::uint64_t va;
      std::uint32_t key;
    };
    for (const Case& one : {Case{"an atomic without the right", region.address(), region.key()},
                            Case{"an atomic half outside", odd.address() + 96, odd.key()},
                            Case{"an atomic outside", odd.address() + 104, odd.key()}}) {
      Connection c(dut);
      expect_nak(c, {c.from_peer(kRcFetchAdd, c.rq(0)).ack_req().atomic_eth(one.va, one.key, 1, 0)},
                 kNakAccess, c.rq(0), one.what);
      for (unsigned i = 0; i < 4096; ++i) same("byte", region.data()[i] | memory.host[i], 0);
    }
  }
  dut.context().device().release(memory);
}
}  // namespace roci::conform
