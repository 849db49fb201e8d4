// SPDX-License-Identifier: Apache-2.0
// READs and atomics, their order with WRITEs, and duplicates of them.
#include <cstring>

#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: READs of all sizes around the PMTU (RSP-32, RSP-33)") {
  for (unsigned pmtu : {1u, 3u, 5u}) {
    Attr attr;
    attr.pmtu = pmtu;
    Rig b(attr);
    const unsigned mtu = b.mtu();
    unsigned msn = 0;
    for (std::uint32_t n : {0u, 1u, mtu - 1, mtu, mtu + 1, 2 * mtu, 3 * mtu + 5}) {
      CAPTURE(n);
      const std::uint32_t first = b.psn;
      b.responses.clear();
      b.read(0x100003, n);
      b.run();
      const unsigned packets = std::max(1u, (n + mtu - 1) / mtu);
      REQUIRE(b.responses.size() == packets);
      ++msn;
      Bytes all;
      for (unsigned i = 0; i < packets; ++i) {
        const Response& a = b.responses[i];
        CHECK(a.psn == first + i);
        CHECK(a.opcode == (packets == 1       ? kRcReadRespOnly
                           : i == 0           ? kRcReadRespFirst
                           : i == packets - 1 ? kRcReadRespLast
                                              : kRcReadRespMiddle));
        if (a.has_aeth) {
          CHECK(a.syndrome == kAckNoCredits);
          CHECK(a.msn == msn);
        }
        all.insert(all.end(), a.payload.begin(), a.payload.end());
      }
      CHECK(all.size() == n);
      CHECK(b.holds(0x100003, all));
      CHECK(b.live(3).psn == first + packets);
    }
  }
}

TEST_CASE(
    "rq: a READ after a WRITE returns the data; an ACK after a READ comes after it (RSP-12, "
    "RSP-49)") {
  Rig b;
  b.write_delay = 300;
  b.write_only(Rig::pattern(200, 3), 0x100000);
  b.read(0x100000, 1000);
  b.write_only(Rig::pattern(200, 4), 0x110000);
  b.run();
  REQUIRE(b.responses.size() >= 5);
  std::size_t at = b.responses[0].opcode == kRcAck ? 1 : 0;
  CHECK(b.responses[at].opcode == kRcReadRespFirst);
  CHECK(Bytes(b.responses[at].payload.begin(), b.responses[at].payload.begin() + 200) ==
        Rig::pattern(200, 3));
  for (std::size_t i = at + 1; i < at + 4; ++i) CHECK(b.responses[i].opcode != kRcAck);
  CHECK(b.responses.size() == at + 5);
  b.ack_is(at + 4, kAckNoCredits, b.psn - 1, 3);
}

TEST_CASE("rq: duplicate READs: whole, tail, and different ones (RSP-34 to RSP-37, RSP-45)") {
  Rig b;
  b.read(0x100000, 1300);
  b.run();
  const std::uint32_t next = b.psn;
  auto again = [&](std::uint32_t psn, std::uint64_t addr, std::uint32_t n,
                   std::uint32_t key = kRegion) {
    b.responses.clear();
    b.psn = psn;
    Request r = b.base(kRcReadRequest);
    r.va = Rig::kIova + addr;
    r.length = n;
    r.rkey = key;
    b.send(r);
    b.run();
    return b.responses.size();
  };
  CHECK(again(0x1000, 0x100000, 1300) == 6);
  CHECK(b.responses[0].opcode == kRcReadRespFirst);
  CHECK(b.responses[5].opcode == kRcReadRespLast);
  CHECK(b.responses[5].payload.size() == 20);
  CHECK(again(0x1002, 0x100200, 788) == 4);
  CHECK(b.responses[0].psn == 0x1002);
  CHECK(b.responses[0].opcode == kRcReadRespFirst);
  CHECK(again(0x1005, 0x100500, 20) == 1);
  CHECK(b.responses[0].opcode == kRcReadRespOnly);
  CHECK(b.responses[0].msn == 1);
  CHECK(again(0x1002, 0x100200, 1300) == 0);  // longer
  CHECK(again(0x1002, 0x100000, 788) == 0);   // other address
  CHECK(again(0x1000, 0x100000, 1300, kOtherRegion) == 0);
  CHECK(again(0x0FF0, 0x100000, 1300) == 0);  // never executed
  CHECK(b.drop(DropCause::kDuplicate) == 4);
  b.regions.clear();  // deregistered since
  CHECK(again(0x1000, 0x100000, 1300) == 0);
  CHECK(b.live(3) == Bench::Live{next, 1});
}

TEST_CASE("rq: replay slots are recycled oldest first (RSP-37)") {
  Attr attr;
  attr.max_dest = 2;
  Rig b(attr);
  for (int i = 0; i < 4; ++i) {
    b.atomic(kRcFetchAdd, 0x100000, 1);
    b.run();
  }
  REQUIRE(b.responses.size() == 4);
  const std::uint64_t original = b.responses[0].original;
  b.psn = 0x1000;
  for (int i = 0; i < 4; ++i) {
    b.atomic(kRcFetchAdd, 0x100000, 1);
    b.run();
  }
  REQUIRE(b.responses.size() == 6);
  CHECK(b.responses[4].psn == 0x1002);
  CHECK(b.responses[4].original == original + 2);
  CHECK(b.responses[5].original == original + 3);
  CHECK(b.word(0x100000) == original + 4);
}

TEST_CASE("rq: a request may take the slot of a replay that is still in progress") {
  Attr attr;
  attr.max_dest = 1;
  Rig b(attr);
  b.read(0x100000, 300);
  b.run();
  const std::uint32_t next = b.psn;
  b.write_delay = 300;
  b.write_only(Rig::pattern(8, 1), 0x110000);  // delays READs
  b.psn = 0x1000;
  b.read(0x100000, 300);  // late copy
  b.psn = next + 1;
  b.read(0x100100, 20);
  b.run();
  CHECK(b.fails.empty());
  CHECK(b.responses.back().psn == next + 1);
  CHECK(b.responses.back().opcode == kRcReadRespOnly);
}

TEST_CASE("rq: a duplicate READ inside a WRITE does not disturb it (RSP-23, RSP-36)") {
  Rig b;
  b.read(0x100000, 8);
  b.run();
  const Bytes data = Rig::pattern(300, 4);
  b.packet(kRcWriteFirst, Bytes(data.begin(), data.begin() + 256), 0x100000, 300);
  b.psn = 0x1000;
  b.read(0x100000, 8);
  b.psn = 0x1002;
  b.packet(kRcWriteLast, Bytes(data.begin() + 256, data.end()));
  b.run();
  CHECK(b.holds(0x100000, data));
  CHECK(b.fails.empty());
  CHECK(b.responses.back().psn == 0x1002);
  CHECK(b.responses.back().msn == 2);
  unsigned reads = 0;
  for (auto& a : b.responses) {
    reads += a.opcode == kRcReadRespOnly;
    if (a.opcode == kRcReadRespOnly && a.cycle > b.responses[0].cycle) {
      CHECK(a.msn == 1);
      CHECK(a.payload == Bytes(data.begin(), data.begin() + 8));
    }
  }
  CHECK(reads == 2);
}

TEST_CASE(
    "rq: more READs outstanding than slots end the connection; depth 0 rejects all (RSP-38, "
    "RSP-39)") {
  SUBCASE("depth 2") {
    Attr attr;
    attr.max_dest = 2;
    Rig b(attr);
    b.write_delay = 500;
    b.write_only(Rig::pattern(8, 1), 0x100000);  // delays the READs
    for (int i = 0; i < 3; ++i) b.read(0x100000, 300);
    b.fails_with(kNakInvalid, EventKind::kQpRequest);
    CHECK(b.responses.back().psn == 0x1005);
  }
  for (unsigned op : {kRcReadRequest, kRcCmpSwap, kRcFetchAdd}) {
    Attr attr;
    attr.max_dest = 0;
    Rig b(attr);
    if (op == kRcReadRequest)
      b.read(0x100000, 4);
    else
      b.atomic(op, 0x100000, 1);
    b.fails_with(kNakInvalid, EventKind::kQpRequest);
  }
}

TEST_CASE("rq: atomics change memory once and return what was there (RSP-40, RSP-43, RSP-44)") {
  Rig b;
  b.put_word(0x100008, 0x8877665544332211);
  b.atomic(kRcFetchAdd, 0x100008, 5);
  b.atomic(kRcCmpSwap, 0x100008, 0xABCD, 0x8877665544332216);
  b.atomic(kRcCmpSwap, 0x100008, 0x1111, 42);
  b.atomic(kRcFetchAdd, 0x100008, 0xFFFFFFFFFFFFFFFF);
  b.run();
  REQUIRE(b.responses.size() == 4);
  const std::uint64_t originals[] = {0x8877665544332211, 0x8877665544332216, 0xABCD, 0xABCD};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(b.responses[i].opcode == kRcAtomicAck);
    CHECK(b.responses[i].original == originals[i]);
    CHECK(b.responses[i].psn == 0x1000 + i);
    CHECK(b.responses[i].msn == i + 1);
    CHECK(b.responses[i].syndrome == kAckNoCredits);
  }
  CHECK(b.word(0x100008) == 0xABCC);
  b.psn = 0x1000;
  b.atomic(kRcFetchAdd, 0x100008, 5);                          // replay
  b.atomic(kRcCmpSwap, 0x100008, 0xABCE, 0x8877665544332216);  // another operand
  b.psn = 0x1003;
  b.atomic(kRcCmpSwap, 0x100008, 0xFFFFFFFFFFFFFFFF, 0);  // another operation
  b.run();
  REQUIRE(b.responses.size() == 5);
  CHECK(b.responses[4].original == originals[0]);
  CHECK(b.word(0x100008) == 0xABCC);
  CHECK(b.drop(DropCause::kDuplicate) == 2);
}

TEST_CASE("rq: WRITE, atomic, READ and WRITE keep their order (RSP-40, RSP-49)") {
  Rig b;
  b.write_delay = 150;
  Bytes ten(8);
  ten[0] = 10;
  b.write_only(ten, 0x100000);
  b.atomic(kRcFetchAdd, 0x100000, 7);
  b.read(0x100000, 8);
  b.write_only(ten, 0x100000);
  b.atomic(kRcFetchAdd, 0x100000, 1);
  b.run();
  CHECK(b.word(0x100000) == 11);
  std::vector<Response> data;
  for (auto& a : b.responses)
    if (a.opcode != kRcAck) data.push_back(a);
  REQUIRE(data.size() == 3);
  CHECK(data[0].original == 10);
  CHECK(data[1].payload[0] == 17);
  CHECK(data[2].original == 10);
}

TEST_CASE("rq: READs and atomics get their responses in order and block no request (RSP-40)") {
  Rig b;
  b.read_delay = b.write_delay = 500;
  for (unsigned i = 0; i < 2; ++i) {
    b.atomic(kRcFetchAdd, 0x100000, 7);
    b.read(0x100000, 8);
  }
  std::uint64_t taken = 0;
  while (b.responses.empty()) {
    if (b.requests.empty() && taken == 0) taken = b.dut.cycle();
    b.clock();
  }
  CHECK(taken != 0);  // all four were taken before the first access to memory ended
  b.run();
  REQUIRE(b.responses.size() == 4);
  const std::uint64_t first = b.responses[0].original;
  CHECK(b.responses[2].original == first + 7);
  CHECK(b.word(0x100000) == first + 14);
  for (unsigned i : {1u, 3u}) {
    CHECK(b.responses[i].opcode == kRcReadRespOnly);
    std::uint64_t got = 0;
    std::memcpy(&got, b.responses[i].payload.data(), 8);
    CHECK(got >= first + 7);
    CHECK((got - first) % 7 == 0);
  }
}

TEST_CASE("rq: stores of the send side and atomics share the atomic unit") {
  Rig b;
  b.store_jobs = 40;
  for (int i = 0; i < 4; ++i) b.atomic(kRcFetchAdd, 0x100000, 1);
  b.run();
  CHECK(b.dut->store_done_o == 40);
  CHECK(b.responses.size() == 4);
  for (unsigned n = 1; n <= 40; ++n) CHECK(b.word(Bench::store_address(n)) == n);
}

}  // namespace
