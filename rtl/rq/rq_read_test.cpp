// SPDX-License-Identifier: Apache-2.0
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
      b.answers.clear();
      b.read(0x100003, n);
      b.run();
      const unsigned packets = std::max(1u, (n + mtu - 1) / mtu);
      REQUIRE(b.answers.size() == packets);
      ++msn;
      Bytes all;
      for (unsigned i = 0; i < packets; ++i) {
        const Answer& a = b.answers[i];
        CHECK(a.psn == first + i);
        CHECK(a.opcode == (packets == 1       ? kReadOnly
                           : i == 0           ? kReadFirst
                           : i == packets - 1 ? kReadLast
                                              : kReadMiddle));
        if (a.has_aeth) {
          CHECK(a.syndrome == 0x1F);
          CHECK(a.msn == msn);
        }
        all.insert(all.end(), a.payload.begin(), a.payload.end());
      }
      CHECK(all.size() == n);
      CHECK(b.holds(0x100003, all));
      CHECK(b.live(3).first == first + packets);
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
  REQUIRE(b.answers.size() >= 5);
  std::size_t at = b.answers[0].opcode == kAck ? 1 : 0;
  CHECK(b.answers[at].opcode == kReadFirst);
  CHECK(Bytes(b.answers[at].payload.begin(), b.answers[at].payload.begin() + 200) ==
        Rig::pattern(200, 3));
  for (std::size_t i = at + 1; i < at + 4; ++i) CHECK(b.answers[i].opcode != kAck);
  CHECK(b.answers.size() == at + 5);
  b.ack_is(at + 4, 0x1F, b.psn - 1, 3);
}

TEST_CASE("rq: duplicate READs: whole, tail, and what differs (RSP-34 to RSP-37, RSP-45)") {
  Rig b;
  b.read(0x100000, 1300);
  b.run();
  const std::uint32_t next = b.psn;
  auto again = [&](std::uint32_t psn, std::uint64_t addr, std::uint32_t n,
                   std::uint32_t key = kRegion) {
    b.answers.clear();
    b.psn = psn;
    Request r = b.base(kReadRequest);
    r.va = Rig::kIova + addr;
    r.length = n;
    r.rkey = key;
    b.send(r);
    b.run();
    return b.answers.size();
  };
  CHECK(again(0x1000, 0x100000, 1300) == 6);
  CHECK(b.answers[0].opcode == kReadFirst);
  CHECK(b.answers[5].opcode == kReadLast);
  CHECK(b.answers[5].payload.size() == 20);
  CHECK(again(0x1002, 0x100200, 788) == 4);
  CHECK(b.answers[0].psn == 0x1002);
  CHECK(b.answers[0].opcode == kReadFirst);
  CHECK(again(0x1005, 0x100500, 20) == 1);
  CHECK(b.answers[0].opcode == kReadOnly);
  CHECK(b.answers[0].msn == 1);
  CHECK(again(0x1002, 0x100200, 1300) == 0);  // longer
  CHECK(again(0x1002, 0x100000, 788) == 0);   // other address
  CHECK(again(0x1000, 0x100000, 1300, kOtherRegion) == 0);
  CHECK(again(0x0FF0, 0x100000, 1300) == 0);  // never executed
  CHECK(b.drops[8] == 4);
  b.regions.clear();  // deregistered since
  CHECK(again(0x1000, 0x100000, 1300) == 0);
  CHECK(b.live(3) == std::make_pair(next, 1u));
}

TEST_CASE("rq: replay slots are recycled oldest first (RSP-37)") {
  Attr attr;
  attr.max_dest = 2;
  Rig b(attr);
  for (int i = 0; i < 4; ++i) {
    b.atomic(kFetchAdd, 0x100000, 1);
    b.run();
  }
  REQUIRE(b.answers.size() == 4);
  const std::uint64_t original = b.answers[0].original;
  b.psn = 0x1000;
  for (int i = 0; i < 4; ++i) {
    b.atomic(kFetchAdd, 0x100000, 1);
    b.run();
  }
  REQUIRE(b.answers.size() == 6);
  CHECK(b.answers[4].psn == 0x1002);
  CHECK(b.answers[4].original == original + 2);
  CHECK(b.answers[5].original == original + 3);
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
  b.write_only(Rig::pattern(8, 1), 0x110000);  // holds READs back
  b.psn = 0x1000;
  b.read(0x100000, 300);  // late copy
  b.psn = next + 1;
  b.read(0x100100, 20);
  b.run();
  CHECK(b.fails.empty());
  CHECK(b.answers.back().psn == next + 1);
  CHECK(b.answers.back().opcode == kReadOnly);
}

TEST_CASE("rq: a duplicate READ inside a WRITE does not disturb it (RSP-23, RSP-36)") {
  Rig b;
  b.read(0x100000, 8);
  b.run();
  const Bytes data = Rig::pattern(300, 4);
  b.packet(kWriteFirst, Bytes(data.begin(), data.begin() + 256), 0x100000, 300);
  b.psn = 0x1000;
  b.read(0x100000, 8);
  b.psn = 0x1002;
  b.packet(kWriteLast, Bytes(data.begin() + 256, data.end()));
  b.run();
  CHECK(b.holds(0x100000, data));
  CHECK(b.fails.empty());
  CHECK(b.answers.back().psn == 0x1002);
  CHECK(b.answers.back().msn == 2);
  unsigned reads = 0;
  for (auto& a : b.answers) {
    reads += a.opcode == kReadOnly;
    if (a.opcode == kReadOnly && a.cycle > b.answers[0].cycle) {
      CHECK(a.msn == 1);
      CHECK(a.payload == Bytes(data.begin(), data.begin() + 8));
    }
  }
  CHECK(reads == 2);
}

TEST_CASE(
    "rq: more READs outstanding than slots end the connection; depth 0 refuses (RSP-38, RSP-39)") {
  SUBCASE("depth 2") {
    Attr attr;
    attr.max_dest = 2;
    Rig b(attr);
    b.write_delay = 500;
    b.write_only(Rig::pattern(8, 1), 0x100000);  // holds the READs back
    for (int i = 0; i < 3; ++i) b.read(0x100000, 300);
    b.dies(0x61, 4);
    CHECK(b.answers.back().psn == 0x1005);
  }
  for (unsigned op : {kReadRequest, kCmpSwap, kFetchAdd}) {
    Attr attr;
    attr.max_dest = 0;
    Rig b(attr);
    if (op == kReadRequest)
      b.read(0x100000, 4);
    else
      b.atomic(op, 0x100000, 1);
    b.dies(0x61, 4);
  }
}

TEST_CASE("rq: atomics change memory once and return what was there (RSP-40, RSP-43, RSP-44)") {
  Rig b;
  put_memory(&b.memory[0x100008], Place{0, 64}, 0x8877665544332211);
  b.atomic(kFetchAdd, 0x100008, 5);
  b.atomic(kCmpSwap, 0x100008, 0xABCD, 0x8877665544332216);
  b.atomic(kCmpSwap, 0x100008, 0x1111, 42);
  b.atomic(kFetchAdd, 0x100008, 0xFFFFFFFFFFFFFFFF);
  b.run();
  REQUIRE(b.answers.size() == 4);
  const std::uint64_t originals[] = {0x8877665544332211, 0x8877665544332216, 0xABCD, 0xABCD};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(b.answers[i].opcode == kAtomicAck);
    CHECK(b.answers[i].original == originals[i]);
    CHECK(b.answers[i].psn == 0x1000 + i);
    CHECK(b.answers[i].msn == i + 1);
    CHECK(b.answers[i].syndrome == 0x1F);
  }
  CHECK(b.word(0x100008) == 0xABCC);
  b.psn = 0x1000;
  b.atomic(kFetchAdd, 0x100008, 5);                          // replay
  b.atomic(kCmpSwap, 0x100008, 0xABCE, 0x8877665544332216);  // another operand
  b.psn = 0x1003;
  b.atomic(kCmpSwap, 0x100008, 0xFFFFFFFFFFFFFFFF, 0);  // another operation
  b.run();
  REQUIRE(b.answers.size() == 5);
  CHECK(b.answers[4].original == originals[0]);
  CHECK(b.word(0x100008) == 0xABCC);
  CHECK(b.drops[8] == 2);
}

TEST_CASE("rq: WRITE, atomic, READ and WRITE keep their order (RSP-40, RSP-49)") {
  Rig b;
  b.write_delay = 150;
  Bytes ten(8);
  ten[0] = 10;
  b.write_only(ten, 0x100000);
  b.atomic(kFetchAdd, 0x100000, 7);
  b.read(0x100000, 8);
  b.write_only(ten, 0x100000);
  b.atomic(kFetchAdd, 0x100000, 1);
  b.run();
  CHECK(b.word(0x100000) == 11);
  std::vector<Answer> data;
  for (auto& a : b.answers)
    if (a.opcode != kAck) data.push_back(a);
  REQUIRE(data.size() == 3);
  CHECK(data[0].original == 10);
  CHECK(data[1].payload[0] == 17);
  CHECK(data[2].original == 10);
}

TEST_CASE("rq: READs among atomics are answered in order and hold nobody up (RSP-40)") {
  Rig b;
  b.read_delay = b.write_delay = 500;
  for (unsigned i = 0; i < 2; ++i) {
    b.atomic(kFetchAdd, 0x100000, 7);
    b.read(0x100000, 8);
  }
  std::uint64_t taken = 0;
  while (b.answers.empty()) {
    if (b.requests.empty() && taken == 0) taken = b.dut.cycle();
    b.clock();
  }
  CHECK(taken != 0);  // all four, before the first has gone to memory and back
  b.run();
  REQUIRE(b.answers.size() == 4);
  const std::uint64_t first = b.answers[0].original;
  CHECK(b.answers[2].original == first + 7);
  CHECK(b.word(0x100000) == first + 14);
  for (unsigned i : {1u, 3u}) {
    CHECK(b.answers[i].opcode == kReadOnly);
    std::uint64_t got = 0;
    std::memcpy(&got, b.answers[i].payload.data(), 8);
    CHECK(got >= first + 7);
    CHECK((got - first) % 7 == 0);
  }
}

TEST_CASE("rq: stores of the send side and atomics share the unit") {
  Rig b;
  b.store_jobs = 40;
  for (int i = 0; i < 4; ++i) b.atomic(kFetchAdd, 0x100000, 1);
  b.run();
  CHECK(b.dut->store_done_o == 40);
  CHECK(b.answers.size() == 4);
  for (unsigned n = 1; n <= 40; ++n) CHECK(b.word(0x1F0000 + 24 * (n % 64) + 3) == n);
}

}  // namespace
