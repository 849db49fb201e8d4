// SPDX-License-Identifier: Apache-2.0
// Keys and regions.
#include "testbench/verify/conform/tests/region.hpp"

namespace roci::conform {
using namespace packet;

namespace access = driver::access;

TEST("MR-01 MR-07", "a key works with its own variant only, and not after deregistration") {
  std::uint32_t key = 0;
  std::uint64_t address = 0;
  {
    driver::MemoryRegion region(dut.pd(), 4096, access::kAll);
    key = region.key();
    address = region.address();
    Connection c(dut);
    same("syndrome", outcome(c, write_to(c, address, key, payload_of(10))), kAck);
    for (unsigned bit = 0; bit < 8; ++bit) {
      Connection other(dut);
      same("syndrome", outcome(other, write_to(other, address, key ^ 1u << bit, payload_of(10))),
           kNakAccess);
    }
  }
  Connection c(dut);
  same("syndrome", outcome(c, write_to(c, address, key, payload_of(10))), kNakAccess);
}

TEST("MR-02", "a region of another domain is not accessible, remote and local") {
  driver::ProtectionDomain pd(dut.context());
  driver::MemoryRegion region(pd, 4096, access::kAll);
  {
    Connection c(dut);
    same("syndrome", outcome(c, write_to(c, region.address(), region.key(), payload_of(10))),
         kNakAccess);
  }
  Connection c(dut);
  driver::SendRequest r = c.work(Opcode::kSend, 0);
  r.sges = {region.sge(0, 10)};
  c.post(r);
  c.sent_in_error(Status::kLocProtErr);
  c.expect_silence();
}

TEST("MR-03 RSP-29", "bounds at both ends, and lengths that would wrap") {
  constexpr std::uint64_t kIova = 0xFFFF'FFFF'FFFF'0000;
  Memory memory(dut, 8192);
  driver::MemoryRegion region(dut.pd(), {memory.memory.host, memory.memory.dma, 4096}, access::kAll,
                              kIova);
  struct Case {
    std::uint64_t va;
    std::uint32_t bytes;
    bool good;
  };
  for (const Case& one :
       {Case{kIova, 4096, true}, Case{kIova + 4095, 1, true}, Case{kIova - 1, 2, false},
        Case{kIova - 1, 1, false}, Case{kIova + 4096, 1, false}, Case{kIova + 4095, 2, false},
        Case{kIova, 4097, false}, Case{kIova, 0x80000000, false},
        Case{kIova + 8, 0xFFFF'FFFF, false}, Case{~std::uint64_t{0}, 1, false},
        Case{0, 1, false}}) {
    Connection c(dut, [](Options& o) { o.path_mtu = 5; });
    const unsigned seen = outcome(
        c, c.from_peer(kRcReadRequest, c.rq(0)).ack_req().reth(one.va, region.key(), one.bytes));
    const std::string what = hex(one.va) + " for " + hex(one.bytes);
    if (one.good) {
      same("syndrome for " + what, seen, 0);
    } else {
      require(seen == kNakAccess || (one.bytes > 0x80000000 && seen == kNakInvalid),
              "NAK access for " + what, hex(seen));
    }
  }
}

TEST_THAT_NEEDS(with(layout::Option::kAtomics), "MR-04", "each use needs its right") {
  const std::uint32_t remote[] = {access::kRemoteWrite, access::kRemoteRead, access::kRemoteAtomic};
  for (unsigned missing = 0; missing < 3; ++missing) {
    driver::MemoryRegion region(dut.pd(), 4096, access::kAll & ~remote[missing]);
    for (unsigned use = 0; use < 3; ++use) {
      Connection c(dut);
      const Builder request = use == 0 ? write_to(c, region.address(), region.key(), payload_of(8))
                              : use == 1 ? c.from_peer(kRcReadRequest, c.rq(0))
                                               .ack_req()
                                               .reth(region.address(), region.key(), 8)
                                         : c.from_peer(kRcFetchAdd, c.rq(0))
                                               .ack_req()
                                               .atomic_eth(region.address(), region.key(), 1, 0);
      const unsigned seen = outcome(c, request);
      same("syndrome of use " + std::to_string(use) + " without right " + std::to_string(missing),
           seen,
           use == missing ? kNakAccess
           : use == 0     ? kAck
                          : 0);
    }
  }
}

TEST("MR-04", "remote write or atomic without local write is not registered") {
  for (const std::uint32_t rights :
       {access::kRemoteWrite, access::kRemoteAtomic, access::kRemoteRead | access::kRemoteWrite}) {
    bool rejected = false;
    try {
      driver::MemoryRegion region(dut.pd(), 4096, rights);
    } catch (const driver::Error&) {
      rejected = true;
    }
    require(rejected, "rights " + hex(rights) + " rejected", "registered");
  }
}

TEST("MR-05", "transfers of random ranges touch no other byte") {
  Connection c(dut, [](Options& o) { o.path_mtu = 3; });
  auto& random = dut.random();
  std::uint32_t at = 0;
  Bytes shadow(dut.memory().data(), dut.memory().data() + Fixture::kMemory);
  const unsigned rounds = dut.times(300, 60'000);
  for (unsigned round = 0; round < rounds; ++round) {
    const auto bytes = static_cast<std::uint32_t>(random() % 1024 + 1);
    const std::size_t to = random() % (Fixture::kTarget - bytes);
    const Bytes data = payload_of(bytes, round);
    if (round % 3 == 0) {
      c.receive(bytes, to);
      c.feed(c.send_request(kRcSendOnly, c.rq(at), data));
      c.received();
      std::copy(data.begin(), data.end(), shadow.begin() + static_cast<std::ptrdiff_t>(to));
    } else {
      c.feed(c.write_request(kRcWriteOnly, c.rq(at), data, to));
      c.expect_acked(c.rq(at));
      std::copy(data.begin(), data.end(),
                shadow.begin() + static_cast<std::ptrdiff_t>(Fixture::kTarget + to));
    }
    ++at;
    if (round % 50 == 49) {
      require(std::equal(shadow.begin(), shadow.end(), dut.memory().data()),
              "only the named bytes written", "others");
    }
  }
}

TEST("MR-05 RQ-36", "READs of random ranges write no other byte") {
  Connection c(dut, [](Options& o) { o.path_mtu = 3; });
  auto& random = dut.random();
  Bytes shadow(dut.memory().data(), dut.memory().data() + Fixture::kMemory);
  const unsigned rounds = dut.times(200, 40'000);
  for (unsigned round = 0; round < rounds; ++round) {
    const auto bytes = static_cast<std::uint32_t>(random() % 1024 + 1);
    const std::size_t to = random() % (Fixture::kTarget - bytes);
    const Bytes data = payload_of(bytes, round);
    c.read(bytes, to);
    c.expect(packet_of(kRcReadRequest, c.sq(round)));
    c.read_response(kRcReadRespOnly, c.sq(round), data);
    c.sent();
    std::copy(data.begin(), data.end(), shadow.begin() + static_cast<std::ptrdiff_t>(to));
  }
  require(std::equal(shadow.begin(), shadow.end(), dut.memory().data()),
          "only the named bytes written", "others");
}

TEST("MR-06", "a region's addresses may start anywhere, its memory at any byte") {
  for (const std::size_t skew : {0u, 1u, 63u, 4095u}) {
    Memory memory(dut, 3 * 4096);
    constexpr std::uint64_t kIova = 0x1234567890;
    driver::MemoryRegion region(dut.pd(),
                                {memory.memory.host + skew, memory.memory.dma + skew, 8192 - 100},
                                access::kAll, kIova);
    Connection c(dut, [](Options& o) { o.path_mtu = 4; });
    const Bytes data = payload_of(2000);
    c.feed(write_to(c, kIova + 4000, region.key(), data));
    c.expect(acknowledge(kAck, c.rq(0)));
    require(std::equal(data.begin(), data.end(), memory.memory.host + skew + 4000),
            "the data at its address", "elsewhere");
    c.feed(c.from_peer(kRcReadRequest, c.rq(1)).ack_req().reth(kIova + 4000, region.key(), 2000));
    c.expect(packet_of(kRcReadRespOnly, c.rq(1)).with(payload(data)));
    driver::SendRequest r = c.work(Opcode::kSend, 0);
    r.sges = {{kIova + 4000, 2000, region.key()}};
    c.post(r);
    c.expect(packet_of(kRcSendOnly, c.sq(0)).with(payload(data)));
  }
}

TEST("MR-06", "lengths that end before, at and after the edges of pages, at any path MTU") {
  constexpr std::size_t kPage = 4096, kPages = 4;
  constexpr std::uint64_t kIova = 0x1234567890;
  Memory memory(dut, (kPages + 1) * kPage);
  // Neither the address nor the memory of the region begins at a page.
  constexpr std::size_t kSkew = 0x321, kBytes = kPages * kPage - kSkew;
  driver::MemoryRegion region(dut.pd(),
                              {memory.memory.host + kSkew, memory.memory.dma + kSkew, kBytes},
                              access::kAll, kIova);
  std::uint8_t* const host = memory.memory.host + kSkew;
  Bytes shadow(host, host + kBytes);
  for (const std::uint8_t code : {std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{5}}) {
    Connection c(dut, [=](Options& o) { o.path_mtu = code; });
    std::int64_t at = 0;
    std::uint64_t round = 0;
    for (const std::size_t from : {kPage - kSkew - 1, kPage - kSkew, 2 * kPage - kSkew - 65}) {
      for (const std::size_t size :
           {std::size_t{1}, std::size_t{2}, std::size_t{66}, kPage, kPage + 1, 2 * kPage - 1}) {
        if (from + size > kBytes) continue;
        const Bytes data = payload_of(size, ++round);
        const auto packets = static_cast<unsigned>((size + c.pmtu() - 1) / c.pmtu());
        for (unsigned i = 0; i < packets; ++i) {
          const bool first = i == 0, last = i + 1 == packets;
          const auto begin = data.begin() + std::ptrdiff_t{i} * c.pmtu();
          const auto end = last ? data.end() : begin + static_cast<std::ptrdiff_t>(c.pmtu());
          Builder b = c.from_peer(first && last ? kRcWriteOnly
                                  : first       ? kRcWriteFirst
                                  : last        ? kRcWriteLast
                                                : kRcWriteMiddle,
                                  c.rq(at++));
          b.ack_req(last);
          if (first) b.reth(kIova + from, region.key(), static_cast<std::uint32_t>(size));
          c.feed(b.payload(Bytes(begin, end)));
        }
        c.expect_acked(c.rq(at - 1));
        std::copy(data.begin(), data.end(), shadow.begin() + static_cast<std::ptrdiff_t>(from));
        require(std::equal(shadow.begin(), shadow.end(), host), "the named bytes and no other",
                "others");
        c.ignore_packets();
        c.feed(c.from_peer(kRcReadRequest, c.rq(at))
                   .ack_req()
                   .reth(kIova + from, region.key(), static_cast<std::uint32_t>(size)));
        Bytes back;
        for (unsigned i = 0; i < packets; ++i, ++at) {
          const auto frame = c.next();
          require(frame.has_value(), "a READ response", "silence");
          const Parsed p = frame->parsed();
          same("PSN", p.bth().psn(), c.rq(at));
          back.insert(back.end(), p.payload.begin(), p.payload.end());
        }
        require(back == data, "the bytes requested", "others");
      }
    }
  }
}

}  // namespace roci::conform
