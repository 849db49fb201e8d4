// SPDX-License-Identifier: Apache-2.0
// Responder: READs, atomics and their duplicates.
#include <cstring>

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

Bytes part(const Bytes& bytes, std::size_t first, std::size_t count) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(count, bytes.size() - first))};
}

}  // namespace

TEST("RSP-31", "empty WRITEs and READs need no valid key") {
  Connection c(dut);
  c.feed(c.from_peer(kRcWriteOnly, c.rq(0)).ack_req().reth(0x123, 0xDEADBEEF, 0));
  c.expect(acknowledge(kAck, c.rq(0)));
  c.feed(c.from_peer(kRcReadRequest, c.rq(1)).ack_req().reth(0x123, 0xDEADBEEF, 0));
  c.expect(packet_of(kRcReadRespOnly, c.rq(1)).with(payload_bytes(0)));
}

TEST("RSP-32 WIRE-41", "READ responses of all sizes") {
  const Bytes data = payload_of(8192);
  std::copy(data.begin(), data.end(), dut.target());
  for (unsigned code = 1; code <= 2; ++code) {
    Connection c(dut, [=](Options& o) { o.path_mtu = static_cast<std::uint8_t>(code); });
    const unsigned pmtu = c.pmtu();
    std::uint32_t at = 0;
    for (const unsigned bytes : {0u, 1u, pmtu - 1, pmtu, pmtu + 1, 3 * pmtu + 5}) {
      c.feed(c.read_request(c.rq(at), bytes, 3));
      const unsigned packets = std::max(1u, (bytes + pmtu - 1) / pmtu);
      for (unsigned i = 0; i < packets; ++i) {
        const bool first = i == 0, last = i + 1 == packets;
        c.expect(packet_of(first && last ? kRcReadRespOnly
                           : first       ? kRcReadRespFirst
                           : last        ? kRcReadRespLast
                                         : kRcReadRespMiddle,
                           c.rq(at + i))
                     .with(payload(
                         part(data, 3 + i * pmtu, std::min<std::size_t>(pmtu, bytes - i * pmtu)))));
      }
      at += packets;
    }
  }
}

TEST("RSP-34", "a duplicate READ is replayed, whole or from a later packet on") {
  Connection c(dut);
  const Bytes data = payload_of(700);
  std::copy(data.begin(), data.end(), dut.target());
  for (const unsigned from : {0u, 0u, 2u, 1u}) {
    c.feed(c.read_request(c.rq(from), 700 - 256 * from, 256 * from));
    for (unsigned i = from; i < 3; ++i) {
      c.expect(packet_of(i == 2 && from == 2 ? kRcReadRespOnly
                         : i == from         ? kRcReadRespFirst
                         : i == 2            ? kRcReadRespLast
                                             : kRcReadRespMiddle,
                         c.rq(i))
                   .with(payload(part(data, 256 * i, 256))));
    }
    c.expect_silence(2_us);
  }
  c.still_works(c.rq(3), c.sq(0));
}

TEST("RSP-35", "a duplicate READ that requests something else gets no response") {
  Connection c(dut);
  driver::MemoryRegion other(dut.pd(), 4096, driver::access::kAll);
  c.feed(c.read_request(c.rq(0), 700));
  for (unsigned i = 0; i < 3; ++i) require(c.next().has_value(), "three responses");
  const Bytes longer = c.read_request(c.rq(1), 700, 256).build();
  dut.drops_silently(longer, "a longer duplicate READ");
  dut.drops_silently(c.read_request(c.rq(0), 701), "a READ one byte longer");
  dut.drops_silently(c.read_request(c.rq(0), 700, 8), "a duplicate READ of another address");
  dut.drops_silently(c.read_request(c.rq(1), 444, 260), "a tail of another address");
  dut.drops_silently(c.from_peer(kRcReadRequest, c.rq(0)).reth(other.address(), other.key(), 700),
                     "a duplicate READ by another key");
  dut.drops_silently(
      c.from_peer(kRcReadRequest, c.rq(0)).reth(dut.target_address(), 0xDEADBEEF, 700),
      "a duplicate READ by a bad key");
  c.still_works(c.rq(3), c.sq(0));
}

TEST("RSP-36 RSP-49", "a duplicate READ reads the present contents and changes nothing") {
  Connection c(dut);
  c.feed(c.read_request(c.rq(0), 100));
  c.expect(packet_of(kRcReadRespOnly, c.rq(0)));
  const Bytes data = payload_of(100, 8);
  c.feed(c.write_request(kRcWriteOnly, c.rq(1), data));
  c.expect(acknowledge(kAck, c.rq(1)).with(aeth(msn(2))));
  c.feed(c.read_request(c.rq(0), 100));
  c.expect(packet_of(kRcReadRespOnly, c.rq(0)).with(payload(data)));
  same("PSN expected", c.qp().query().rq_psn, c.rq(2));
  c.feed(c.write_request(kRcWriteOnly, c.rq(2), data));
  c.expect(acknowledge(kAck, c.rq(2)).with(aeth(msn(3))));
}

TEST("RSP-37", "of four atomics at depth 2 the first is not replayed") {
  Connection c(dut, [](Options& o) { o.max_dest_rd_atomic = 2; });
  for (unsigned i = 0; i < 4; ++i) {
    c.feed(c.atomic_request(kRcFetchAdd, c.rq(i), 1));
    c.expect(packet_of(kRcAtomicAck, c.rq(i)).with(atomic_ack(i)));
  }
  dut.drops_silently(c.atomic_request(kRcFetchAdd, c.rq(0), 1), "an atomic no longer kept");
  dut.drops_silently(c.atomic_request(kRcFetchAdd, c.rq(1), 1), "an atomic no longer kept");
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(2), 1));
  c.expect(packet_of(kRcAtomicAck, c.rq(2)).with(atomic_ack(2)));
  same("sum", dut.target()[0], 4);
}

TEST("RSP-38", "six READs at depth 2 are rejected or all executed correctly") {
  Connection c(dut, [](Options& o) { o.max_dest_rd_atomic = 2; });
  const Bytes data = payload_of(4096);
  std::copy(data.begin(), data.end(), dut.target());
  for (unsigned i = 0; i < 6; ++i) c.feed(c.read_request(c.rq(i), 200, 256 * i));
  for (unsigned i = 0; i < 6; ++i) {
    const auto frame = c.next();
    require(frame.has_value(), "a response to READ " + std::to_string(i), "silence");
    const packet::Parsed p = frame->parsed();
    if (p.bth().opcode() == kRcAck) {
      same("syndrome", p.aeth().syndrome(), kNakInvalid);
      c.is_in(QpState::kErr);
      return;
    }
    same("PSN", p.bth().psn(), c.rq(i));
    require(p.payload == part(data, 256 * i, 200), "the bytes requested", "others");
  }
}

TEST("RSP-40", "fetch-and-add and compare-and-swap, hit and miss") {
  Connection c(dut);
  const auto value = [&] {
    std::uint64_t v = 0;
    std::memcpy(&v, dut.target(64), 8);
    return v;
  };
  std::uint64_t is = ~std::uint64_t{0} - 1;
  std::memcpy(dut.target(64), &is, 8);
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(0), 5, 0, 64));
  c.expect(packet_of(kRcAtomicAck, c.rq(0)).with(atomic_ack(is)));
  same("sum modulo 2^64", value(), 3);
  c.feed(c.atomic_request(kRcCmpSwap, c.rq(1), 0x1111222233334444, 4, 64));
  c.expect(packet_of(kRcAtomicAck, c.rq(1)).with(atomic_ack(3)));
  same("after a miss", value(), 3);
  c.feed(c.atomic_request(kRcCmpSwap, c.rq(2), 0x1111222233334444, 3, 64));
  c.expect(packet_of(kRcAtomicAck, c.rq(2)).with(atomic_ack(3)));
  same("after a hit", value(), 0x1111222233334444);
}

TEST("RSP-40", "two queue pairs that add to one word lose no addition") {
  Connection a(dut), b(dut);
  const unsigned rounds = dut.times(200, 10'000);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    a.feed(a.atomic_request(kRcFetchAdd, a.rq(i), i, 0, 64));
    b.feed(b.atomic_request(kRcFetchAdd, b.rq(i), 2 * i, 0, 64));
    sum += 3 * i;
    if (i % 4 == 3) {
      for (unsigned k = 0; k < 4; ++k) {
        require(a.next() && b.next(), "a response to each atomic", "silence");
      }
    }
  }
  std::uint64_t value = 0;
  std::memcpy(&value, dut.target(64), 8);
  same("sum", value, sum);
}

TEST("RSP-43", "a duplicate atomic gets the first response and is not executed") {
  Connection c(dut);
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(0), 1));
  c.expect(packet_of(kRcAtomicAck, c.rq(0)).with(atomic_ack(0)));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(1), 1));
  c.expect(packet_of(kRcAtomicAck, c.rq(1)).with(atomic_ack(1)));
  for (unsigned i = 0; i < 3; ++i) {
    c.feed(c.atomic_request(kRcFetchAdd, c.rq(0), 1));
    c.expect(packet_of(kRcAtomicAck, c.rq(0)).with(atomic_ack(0)));
  }
  same("sum", dut.target()[0], 2);
  c.feed(c.atomic_request(kRcCmpSwap, c.rq(2), 9, 2));
  c.expect(packet_of(kRcAtomicAck, c.rq(2)).with(atomic_ack(2)));
  dut.target()[0] = 2;
  c.feed(c.atomic_request(kRcCmpSwap, c.rq(2), 9, 2));
  c.expect(packet_of(kRcAtomicAck, c.rq(2)).with(atomic_ack(2)));
  same("value", dut.target()[0], 2);
}

TEST("RSP-44", "a duplicate atomic of other contents changes nothing") {
  Connection c(dut);
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(0), 1));
  c.expect(packet_of(kRcAtomicAck, c.rq(0)).with(atomic_ack(0)));
  const Builder others[] = {
      c.atomic_request(kRcCmpSwap, c.rq(0), 77, 1), c.atomic_request(kRcFetchAdd, c.rq(0), 2),
      c.atomic_request(kRcFetchAdd, c.rq(0), 1, 0, 8), c.read_request(c.rq(0), 8)};
  for (const Builder& other : others) {
    c.feed(other);
    const auto frame = c.next(10_us);
    if (frame) {
      require(frame->parsed().bth().opcode() == kRcAtomicAck, "silence or the saved value");
      same("saved value", frame->parsed().atomic_ack_eth().original(), 0);
    }
  }
  same("word", dut.target()[0], 1);
  same("word after it", dut.target(8)[0], 0);
  c.still_works(c.rq(1), c.sq(0));
}

TEST("RSP-45", "a duplicate READ or atomic that was never executed gets no response") {
  Connection c(dut);
  dut.drops_silently(c.read_request(c.rq(-1), 10), "a READ never executed");
  dut.drops_silently(c.atomic_request(kRcFetchAdd, c.rq(-1), 1), "an atomic never executed");
  c.feed(c.write_request(kRcWriteOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)));
  dut.drops_silently(c.read_request(c.rq(0), 10), "a READ at the PSN of a WRITE");
  c.still_works(c.rq(1), c.sq(0));
}
}  // namespace roci::conform
