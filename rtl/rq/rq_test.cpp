#include "rq/rq_peer.hpp"
#include "rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: a WRITE is placed, acknowledged with its MSN and counted (RSP-01, RSP-13)") {
  Rig b;
  const Bytes data = Rig::pattern(64, 1);
  b.write_only(data, 0x100040);
  b.run();
  CHECK(b.holds(0x100040, data));
  REQUIRE(b.answers.size() == 1);
  b.ack_is(0, 0x1F, 0x1000, 1);
  CHECK(b.answers[0].by_ack);
  CHECK(b.counters[3][2] == 1);
  CHECK(b.counters[3][3] == 64);
  CHECK(b.counters[3][0] == 1);
  CHECK(b.live(3) == std::make_pair(0x1001u, 1u));
  REQUIRE(b.events.size() == 1);  // RSP-53
  CHECK(b.events[0].first == 6);
}

TEST_CASE("rq: 64-byte WRITEs to one queue pair: clocks per packet") {
  Rig b;
  b.write_delay = 200;
  constexpr unsigned kPackets = 500;
  for (unsigned i = 0; i < kPackets; ++i) b.write_only(Rig::pattern(64, i), 0x100000 + 64 * i);
  const std::uint64_t start = b.dut.cycle();
  while (!b.requests.empty()) b.clock();
  const double clocks = static_cast<double>(b.dut.cycle() - start) / kPackets;
  b.run();
  MESSAGE("clocks per 64-byte WRITE: ", clocks, ", ACKs: ", b.answers.size());
  CHECK(clocks < 6.0);
  CHECK(b.answers.size() < kPackets / 4);  // RSP-11
  CHECK(b.answers.back().psn == 0x1000 + kPackets - 1);
  CHECK(b.answers.back().msn == kPackets);
  for (unsigned i = 0; i < kPackets; ++i) CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
}

/// Sends `packets` 64-byte SENDs to the queue pairs from 1 to `qps` in turns of `turn`; each posts
/// a receive when one is completed. Clocks per SEND.
double send_clocks(Rig& b, unsigned qps, unsigned turn, unsigned packets,
                   const std::vector<Bench::Sge>& list, Attr attr = {}) {
  std::vector<unsigned> psn(qps + 1, attr.rq_psn);
  for (unsigned q = 1; q <= qps; ++q) {
    b.connect(q, attr);
    for (unsigned i = 0; i < 16; ++i) b.post(q, list);
  }
  b.run();
  std::size_t seen = 0;
  std::map<unsigned, unsigned> open;  // sent and not completed
  unsigned sent = 0;
  const std::uint64_t start = b.dut.cycle();
  while (sent < packets || !b.requests.empty()) {
    const unsigned q = sent / turn % qps + 1;
    if (sent < packets && b.requests.size() < 8 && open[q] < 16) {
      Request r;
      r.qpn = q;
      r.opcode = kSendOnly;
      r.psn = psn[q]++;
      r.payload = Rig::pattern(64, sent++);
      b.send(r);
      ++open[q];
    }
    b.clock();
    for (; seen < b.completions.size(); ++seen) {
      const unsigned from = b.completions[seen].qpn;
      --open[from];
      b.post(from, list);
    }
  }
  const double clocks = static_cast<double>(b.dut.cycle() - start) / packets;
  b.run();
  CHECK(b.completions.size() == packets);
  for (const Completion& c : b.completions) CHECK(c.status == 0);
  for (const Answer& answer : b.answers) CHECK(answer.syndrome == 0x1F);  // no RNR NAK
  return clocks;
}

TEST_CASE("rq: 64-byte SENDs: clocks per packet") {
  const std::vector<Bench::Sge> one = {{Rig::kIova + 0x100000, 64, kRegion}};
  {
    Rig b;
    b.read_delay = 100;
    const double clocks = send_clocks(b, 12, 1, 2000, one);
    MESSAGE("clocks per 64-byte SEND, 12 queue pairs: ", clocks);
    CHECK(clocks < 4.0);
  }
  {
    Rig b;
    b.read_delay = 200;
    const double clocks = send_clocks(b, 12, 16, 12 * 16 * 10, one);
    MESSAGE("in turns of 16, receives read in 200 clocks: ", clocks);
    CHECK(clocks < 4.0);
  }
  {
    const std::vector<Bench::Sge> two = {{Rig::kIova + 0x100000, 40, kRegion},
                                         {Rig::kIova + 0x100040, 24, kRegion}};
    Attr attr;
    attr.stride = 1;
    Rig b;
    const double clocks = send_clocks(b, 6, 1, 600, two, attr);
    MESSAGE("clocks per SEND to two pieces: ", clocks);
    CHECK(clocks < 12.0);
  }
  {
    Rig b;
    const double clocks = send_clocks(b, 1, 1, 500, one);
    MESSAGE("one queue pair, receives read in 20 clocks: ", clocks);
    CHECK(clocks < 6.0);
  }
  {
    Rig b;
    b.read_delay = 200;
    const double clocks = send_clocks(b, 1, 1, 500, one);
    MESSAGE("one queue pair, receives read in 200 clocks: ", clocks);
    CHECK(clocks < 16.0);
  }
}

TEST_CASE("rq: 64-byte READs: clocks per packet") {
  Attr attr;
  attr.max_dest = 16;
  Rig b(attr);
  constexpr unsigned kPackets = 160;
  const std::uint64_t start = b.dut.cycle();
  for (unsigned i = 0; i < kPackets; ++i) {
    b.read(0x100000 + 64 * i, 64);
    while (b.answers.size() + 14 < i) b.clock();
  }
  b.run();
  MESSAGE("clocks per 64-byte READ, 14 outstanding: ",
          static_cast<double>(b.dut.cycle() - start) / kPackets);
  CHECK(b.answers.size() == kPackets);
}

TEST_CASE("rq: WRITEs of every number of packets, with immediate or without (RSP-17, RSP-18)") {
  for (bool imm : {false, true}) {
    Rig b;
    unsigned count = 0;
    for (std::size_t n : {0u, 1u, 255u, 256u, 257u, 512u, 777u, 1500u}) {
      CAPTURE(n);
      if (imm) b.post(3, {});
      const Bytes data = Rig::pattern(n, static_cast<unsigned>(n));
      b.message(true, data, 0x110000 + count, imm);
      b.run();
      ++count;
      CHECK(b.holds(0x110000 + count - 1, data));
      REQUIRE(!b.answers.empty());
      CHECK(b.answers.back().psn == ((b.psn - 1) & 0xFFFFFF));
      CHECK(b.answers.back().msn == count);
      REQUIRE(b.completions.size() == (imm ? count : 0));
      if (!imm) continue;
      const Completion& c = b.completions.back();
      CHECK(c.status == 0);
      CHECK(c.opcode == 129);
      CHECK(c.byte_len == n);
      CHECK(c.imm == 0xCAFE0000 + n);
      CHECK(c.with_imm);
      CHECK(c.index == count - 1);
      CHECK(c.cqn == 103);
    }
  }
}

TEST_CASE("rq: SENDs scatter over lists of every stride (RSP-19)") {
  for (unsigned stride : {0u, 1u, 2u}) {
    Attr attr;
    attr.stride = stride;
    Rig b(attr);
    const std::vector<std::vector<Bench::Sge>> lists = {{{Rig::kIova + 0x100001, 1600, kRegion}},
                                                        {{Rig::kIova + 0x100000, 10, kRegion},
                                                         {0, 0, 0},
                                                         {Rig::kIova + 0x101000, 333, kRegion},
                                                         {Rig::kIova + 0x102003, 4000, kRegion}},
                                                        {{Rig::kIova + 0x100000, 100, kRegion},
                                                         {Rig::kIova + 0x101000, 100, kRegion},
                                                         {Rig::kIova + 0x102000, 100, kRegion},
                                                         {Rig::kIova + 0x103000, 100, kRegion},
                                                         {Rig::kIova + 0x104000, 100, kRegion},
                                                         {Rig::kIova + 0x105000, 100, kRegion},
                                                         {Rig::kIova + 0x106000, 100, kRegion},
                                                         {Rig::kIova + 0x107000, 1000, kRegion}}};
    unsigned count = 0;
    for (unsigned round = 0; round < 12; ++round) {
      for (std::size_t n : {608u, 0u, 1u, 256u, 1100u}) {
        const auto& list = lists[(round + n) % (stride + 1)];
        CAPTURE(n);
        CAPTURE(stride);
        b.post(3, list);
        const Bytes before = b.memory, data = Rig::pattern(n, round);
        b.message(false, data, 0, n == 1);
        b.run();
        Bytes expected = before;
        std::size_t at = 0;
        for (auto& sge : list) {
          const std::size_t take = std::min<std::size_t>(sge.length, n - at);
          std::copy_n(data.begin() + at, take, expected.begin() + (sge.addr - Rig::kIova));
          at += take;
        }
        CHECK(b.memory == expected);
        REQUIRE(b.completions.size() == ++count);
        const Completion& c = b.completions.back();
        CHECK(c.status == 0);
        CHECK(c.opcode == 128);
        CHECK(c.byte_len == n);
        CHECK(c.with_imm == (n == 1));
        CHECK(c.index == count - 1);
      }
    }
  }
}

TEST_CASE("rq: receives are fetched ahead, over the end of the ring") {
  for (unsigned log : {0u, 1u, 2u, 4u}) {
    Attr attr;
    attr.rq_log = log;
    Rig b(attr);
    for (unsigned i = 0; i < 40;) {
      const unsigned batch = std::min(1u << log, 40 - i);
      for (unsigned k = 0; k < batch; ++k)
        b.post(3, {{Rig::kIova + 0x100000 + 64 * (i + k), 64, kRegion}});
      for (unsigned k = 0; k < batch; ++k) b.message(false, Rig::pattern(64, i + k));
      b.run();
      i += batch;
    }
    REQUIRE(b.completions.size() == 40);
    for (unsigned i = 0; i < 40; ++i) {
      CHECK(b.completions[i].index == i);
      CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
    }
  }
}

TEST_CASE(
    "rq: SENDs that are not executed do not shift the receives of those behind (RSP-06, RSP-19)") {
  for (bool stalls : {false, true}) {
    Attr attr;
    attr.stride = 1;
    Rig b(attr);
    b.random_stalls = stalls;
    constexpr unsigned kSends = 24;
    for (unsigned i = 0; i < kSends; ++i) {  // one piece, or two, or the first too small
      const std::uint64_t at = Rig::kIova + 0x100000 + 64 * i;
      if (i % 3 == 0) b.post(3, {{at, 64, kRegion}});
      if (i % 3 == 1) b.post(3, {{at, 40, kRegion}, {at + 40, 24, kRegion}});
      if (i % 3 == 2) b.post(3, {{at, 64, kRegion}, {at, 64, kOtherRegion}});
      if (i % 12 == 11) {
        b.run();
        for (unsigned k = i - 11; k <= i; ++k) {
          b.message(false, Rig::pattern(64, k));
          for (unsigned n = b.random() % 4; n != 0; --n) {  // copies of it or of an older one
            b.requests.push_back(b.requests.back());
            b.requests.back().psn -= b.random() % 2;
          }
        }
        b.run();
      }
    }
    REQUIRE(b.completions.size() == kSends);
    for (unsigned i = 0; i < kSends; ++i) {
      CHECK(b.completions[i].index == i);
      CHECK(b.completions[i].status == 0);
      CHECK(b.completions[i].byte_len == 64);
      CHECK(b.holds(0x100000 + 64 * i, Rig::pattern(64, i)));
    }
  }
}

TEST_CASE("rq: one NAK per gap, a new one for a later gap (RSP-03, RSP-04)") {
  Rig b;
  auto at = [&](std::uint32_t psn) {
    b.psn = psn;
    b.write_only(Rig::pattern(8, psn), 0x100000);
    b.run();
  };
  for (std::uint32_t psn : {0x1001u, 0x1002u, 0x1003u}) at(psn);
  REQUIRE(b.answers.size() == 1);
  b.ack_is(0, 0x60, 0x1000, 0);
  CHECK(b.drops[9] == 2);
  at(0x1000);
  at(0x1005);
  REQUIRE(b.answers.size() == 3);
  b.ack_is(1, 0x1F, 0x1000, 1);
  b.ack_is(2, 0x60, 0x1001, 1);
  CHECK(b.counters[3][6] == 2);
}

TEST_CASE("rq: the duplicate half is 2^23 PSNs, modulo 2^24 (RSP-08, RSP-09)") {
  for (std::uint32_t start : {0x1000u, 0u, 0xFFFFFFu}) {
    Attr attr;
    attr.rq_psn = start;
    Rig b(attr);
    b.psn = (start + 0x800000) & 0xFFFFFF;  // start - 2^23
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.run();
    b.ack_is(0, 0x1F, start - 1, 0);
    b.psn = (start + 0x7FFFFF) & 0xFFFFFF;
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.run();
    b.ack_is(1, 0x60, start, 0);
    b.psn = start;
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.write_only(Rig::pattern(8, 2), 0x100000);
    b.run();
    CHECK(b.answers.back().psn == ((start + 1) & 0xFFFFFF));
    CHECK(b.answers.back().msn == 2);
    CHECK(b.holds(0x100000, Rig::pattern(8, 2)));
  }
}

TEST_CASE("rq: a duplicate SEND or WRITE is not executed again but acknowledged (RSP-06, RSP-07)") {
  Rig b;
  b.post(3, {{Rig::kIova + 0x101000, 64, kRegion}});
  b.post(3, {{Rig::kIova + 0x101000, 64, kRegion}});
  b.write_only(Rig::pattern(8, 1), 0x100000);
  b.message(false, Rig::pattern(40, 2));
  b.run();
  CHECK(b.completions.size() == 1);
  const Bytes before = b.memory;
  for (int i = 0; i < 5; ++i) {
    b.psn = 0x1000;
    b.write_only(Rig::pattern(8, 9), 0x100000);
    b.message(false, Rig::pattern(40, 9));
  }
  b.run();
  CHECK(b.memory == before);
  CHECK(b.completions.size() == 1);
  CHECK(b.answers.back().psn == 0x1001);
  CHECK(b.answers.back().msn == 2);
  // Behind a READ the ACK names the newest WRITE, not the READ.
  b.psn = 0x1002;
  b.read(0x100000, 600);
  b.run();
  b.psn = 0x1001;
  b.message(false, Rig::pattern(40, 9));
  b.run();
  b.ack_is(b.answers.size() - 1, 0x1F, 0x1001, 3);
}

TEST_CASE(
    "rq: no receive: RNR NAK, silence ahead, then the packet again (RSP-05, RSP-16, RSP-17)") {
  for (unsigned kind = 0; kind < 4; ++kind) {
    Rig b;
    const Bytes data = Rig::pattern(kind % 2 ? 0 : 600, 5);
    const bool write = kind >= 2;
    b.message(write, data, 0x100000, write);
    const std::uint32_t next = b.psn;
    b.run();
    const std::uint32_t refused = write ? next - 1 : 0x1000;
    b.ack_is(b.answers.size() - 1, 0x20 | 12, refused, 0);
    const std::size_t n = b.answers.size();
    if (write || data.empty()) CHECK(n == (data.empty() ? 1 : n));
    b.psn = next + 3;
    b.write_only(data.empty() ? Bytes(1) : data.size() > 256 ? Bytes(4) : data, 0x100000);
    b.run();
    CHECK(b.answers.size() == n);
    CHECK(b.completions.empty());
    b.post(3, {{Rig::kIova + 0x120000, 1000, kRegion}});
    b.run();
    b.psn = refused;
    if (write && !data.empty())
      b.packet(kWriteLastImm, Bytes(data.begin() + 512, data.end()), 0, 0, 77);
    else
      b.message(write, data, 0x100000, write);
    b.run();
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == 0);
    CHECK(b.completions[0].byte_len == data.size());
    CHECK(b.holds(write ? 0x100000 : 0x120000, data));
    b.ack_is(b.answers.size() - 1, 0x1F, next - 1, 1);
  }
}

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
    "rq: a READ behind a WRITE returns the data; an ACK behind a READ comes after it (RSP-12, "
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

TEST_CASE("rq: a request may take the slot of a replay that is still under way") {
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

TEST_CASE("rq: stores of the send side and atomics share the unit") {
  Rig b;
  b.store_jobs = 40;
  for (int i = 0; i < 4; ++i) b.atomic(kFetchAdd, 0x100000, 1);
  b.run();
  CHECK(b.dut->store_done_o == 40);
  CHECK(b.answers.size() == 4);
  for (unsigned n = 1; n <= 40; ++n) CHECK(b.word(0x1F0000 + 24 * (n % 64) + 3) == n);
}

TEST_CASE("rq: opcodes out of sequence end the connection (RSP-22)") {
  const Bytes full = Rig::pattern(256, 1), part = Rig::pattern(100, 2);
  struct Case {
    unsigned before, op;
  };
  for (Case c : {Case{99, kSendMiddle},
                 {99, kSendLast},
                 {99, kSendLastImm},
                 {99, kWriteMiddle},
                 {99, kWriteLast},
                 {99, kWriteLastImm},
                 {kSendFirst, kSendFirst},
                 {kSendFirst, kSendOnly},
                 {kSendFirst, kWriteLast},
                 {kSendFirst, kWriteOnly},
                 {kSendFirst, kWriteOnlyImm},
                 {kSendFirst, kReadRequest},
                 {kSendFirst, kCmpSwap},
                 {kWriteFirst, kWriteFirst},
                 {kWriteFirst, kSendLast},
                 {kWriteFirst, kSendOnly},
                 {kWriteFirst, kWriteOnly},
                 {kWriteFirst, kReadRequest},
                 {kWriteFirst, kFetchAdd},
                 {kWriteFirst, kSendLastInv},
                 {kWriteFirst, kSendOnlyInv},
                 {kSendFirst, kSendOnlyInv},
                 {99, kSendLastInv},
                 {99, kReserved}}) {
    CAPTURE(c.before);
    CAPTURE(c.op);
    Rig b;
    for (int i = 0; i < 3; ++i) b.post(3, {{Rig::kIova + 0x100000, 1000, kRegion}});
    if (c.before != 99) b.packet(c.before, full, 0x100000, 600);
    const std::uint32_t bad = b.psn;
    const bool none = c.op == kReadRequest || c.op == kCmpSwap || c.op == kFetchAdd;
    const bool whole =
        c.op == kSendFirst || c.op == kSendMiddle || c.op == kWriteFirst || c.op == kWriteMiddle;
    b.packet(c.op, none ? Bytes() : whole ? full : part, 0x100000, whole ? 600 : 100);
    b.dies(0x61, 4);
    CHECK(b.answers.back().psn == bad);
    REQUIRE(b.completions.size() == 3);  // RSP-51
    CHECK(b.completions[0].status == (c.before == kSendFirst ? 9 : 5));
    CHECK(b.completions[1].status == 5);
    CHECK(b.completions[2].status == 5);
    for (unsigned i = 0; i < 3; ++i) CHECK(b.completions[i].index == i);
  }
}

TEST_CASE("rq: SEND packets of a wrong length (RSP-25)") {
  struct Case {
    bool first;
    unsigned op, len;
  };
  for (Case c : {Case{false, kSendOnly, 257},
                 {false, kSendOnly, 260},
                 {false, kSendFirst, 252},
                 {false, kSendFirst, 260},
                 {false, kSendFirst, 0},
                 {true, kSendMiddle, 100},
                 {true, kSendLast, 0},
                 {true, kSendLast, 260}}) {
    CAPTURE(c.op);
    CAPTURE(c.len);
    Rig b;
    b.post(3, {{Rig::kIova + 0x100000, 1000, kRegion}});
    if (c.first) b.packet(kSendFirst, Rig::pattern(256, 1));
    b.packet(c.op, Rig::pattern(c.len, 1));
    b.dies(0x61, 4);
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == 9);
  }
}

TEST_CASE("rq: WRITE packets of a wrong length (RSP-26, RSP-27, RSP-28)") {
  struct Case {
    bool first;
    unsigned op, len;
    std::uint32_t dma;
  };
  for (Case c : {Case{false, kWriteOnly, 100, 101},
                 {false, kWriteOnly, 100, 99},
                 {false, kWriteOnly, 64, 61},
                 {false, kWriteOnly, 4, 0},
                 {false, kWriteOnly, 260, 260},
                 {false, kWriteFirst, 256, 256},
                 {false, kWriteFirst, 256, 200},
                 {false, kWriteFirst, 200, 600},
                 {true, kWriteLast, 256, 600},
                 {true, kWriteLast, 88, 600},
                 {true, kWriteMiddle, 200, 600},
                 {true, kWriteMiddle, 256, 512},
                 {true, kWriteLast, 0, 257},
                 {false, kWriteFirst, 256, 0x80000001},
                 {false, kReadRequest, 0, 0x80000001},
                 {false, kReadRequest, 4, 4},
                 {false, kFetchAdd, 8, 0}}) {
    CAPTURE(c.op);
    CAPTURE(c.len);
    CAPTURE(c.dma);
    Rig b;
    b.regions.push_back({kOtherRegion, 7, 15, 0, ~0ull, 0});
    const Bytes before = b.memory;
    if (c.first)
      b.packet(kWriteFirst, Bytes(before.begin() + 0x100000, before.begin() + 0x100100), 0x100000,
               c.dma);
    b.packet(c.op, Rig::pattern(c.len, 1), 0x100000, c.dma);
    b.dies(0x61, 4);
    CHECK(b.memory == before);
  }
}

TEST_CASE("rq: keys, bounds and rights of the peer (RSP-24, RSP-29 to RSP-31, RSP-41, RSP-42)") {
  struct Case {
    unsigned op;
    std::uint64_t addr;
    std::uint32_t len, key;
    unsigned region, qp, syndrome, kind;
  };
  for (Case c : {Case{kWriteOnly, 0x13FFFF, 1, kRegion, 15, 15, 0, 0},
                 {kWriteOnly, 0x100000, 1, kRegion, 15, 15, 0, 0},
                 {kWriteOnly, 0x100000, 0, kOtherRegion, 15, 15, 0, 0},
                 {kReadRequest, 0, 0, kOtherRegion, 15, 15, 0, 0},
                 {kWriteOnly, 0x13FFFF, 2, kRegion, 15, 15, 0x62, 5},
                 {kWriteOnly, 0x0FFFFF, 2, kRegion, 15, 15, 0x62, 5},
                 {kWriteOnly, 0x100000, 8, kRegion + 1, 15, 15, 0x62, 5},
                 {kWriteOnly, 0x100000, 8, kRegion, 13, 15, 0x62, 5},
                 {kWriteOnly, 0x100000, 8, kRegion, 15, 13, 0x61, 4},
                 {kReadRequest, 0x100000, 0x40001, kRegion, 15, 15, 0x62, 5},
                 {kReadRequest, 0x100000, 8, kRegion, 11, 15, 0x62, 5},
                 {kReadRequest, 0x100000, 8, kRegion, 15, 11, 0x61, 4},
                 {kFetchAdd, 0x100000, 0, kRegion, 7, 15, 0x62, 5},
                 {kFetchAdd, 0x100000, 0, kRegion, 15, 7, 0x61, 4},
                 {kFetchAdd, 0x100001, 0, kRegion, 15, 15, 0x61, 5},
                 {kCmpSwap, 0x100004, 0, kRegion, 15, 15, 0x61, 5},
                 {kCmpSwap, 0x140000, 0, kRegion, 15, 15, 0x62, 5}}) {
    CAPTURE(c.op);
    CAPTURE(c.addr);
    Attr attr;
    attr.access = c.qp;
    Rig b(attr);
    b.regions[0].access = c.region;
    const Bytes before = b.memory;
    Request r = b.base(c.op);
    r.va = Rig::kIova + c.addr;
    r.length = c.len;
    r.rkey = c.key;
    r.swap_add = 3;
    if (c.op == kWriteOnly) r.payload = Rig::pattern(c.len, 200);
    b.send(r);
    if (c.syndrome) {
      b.dies(c.syndrome, c.kind);
      CHECK(b.memory == before);
    } else {
      b.run();
      CHECK(b.answers.size() == 1);
      CHECK(b.answers[0].syndrome == 0x1F);
    }
  }
}

TEST_CASE("rq: a bad key behind WRITE with immediate ends its receive, too (RSP-51, WC-08)") {
  Rig b;
  b.post(3, {});
  b.post(3, {});
  Request r = b.base(kWriteOnlyImm);
  r.payload = Rig::pattern(8, 1);
  r.length = 8;
  r.va = 5;
  b.send(r);
  b.dies(0x62, 5);
  REQUIRE(b.completions.size() == 2);
  CHECK(b.completions[0].status == 8);
  CHECK(b.completions[1].status == 5);
}

TEST_CASE("rq: receives too small or with a bad list (RSP-20, RSP-21, WC-02, WC-04)") {
  struct Case {
    std::vector<Bench::Sge> list;
    unsigned syndrome, kind, status;
  };
  const Bench::Sge good{Rig::kIova + 0x100000, 300, kRegion};
  for (const Case& c :
       {Case{{good}, 0x61, 4, 1}, Case{{{Rig::kIova + 0x100000, 300, kOtherRegion}}, 0x63, 3, 4},
        Case{{{Rig::kIova + 0x13FFFF, 900, kRegion}}, 0x63, 3, 4}, Case{{good, good}, 0x63, 3, 2}}) {
    Rig b;
    b.post(3, c.list);
    b.post(3, {good});
    const Bytes before = b.memory;
    b.message(false, Rig::pattern(512, 1));
    b.dies(c.syndrome, c.kind);
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[0].status == c.status);
    CHECK(b.completions[1].status == 5);
    if (c.kind == 3)
      CHECK(b.memory == before);
    else
      CHECK(std::equal(before.begin() + 0x10012C, before.end(), b.memory.begin() + 0x10012C));
  }
}

TEST_CASE("rq: entering ERR flushes posted receives, those posted later, too (QP-11)") {
  Rig b;
  for (int i = 0; i < 7; ++i) b.post(3, {{Rig::kIova + 0x100000, 1000, kRegion}});
  b.packet(kSendFirst, Rig::pattern(256, 1));
  b.run();
  b.set_state(3, kErr);
  b.event(3, 2);
  b.run();
  REQUIRE(b.completions.size() == 7);
  b.post(3, {});
  b.run();
  REQUIRE(b.completions.size() == 8);
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(b.completions[i].index == i);
    CHECK(b.completions[i].status == 5);
  }
  b.answers.clear();
  b.write_only(Rig::pattern(8, 1), 0x100000);
  b.run();
  CHECK(b.answers.empty());
  CHECK(b.fails.empty());
}

TEST_CASE("rq: ERR from INIT flushes; a new life starts afresh") {
  Bench b;
  b.regions.push_back({kRegion, 7, 15, 0, kMemorySize, 0});
  b.create(5);
  b.post(5, {});
  b.post(5, {});
  b.run();
  b.set_state(5, kErr);
  b.event(5, 2);
  b.run();
  CHECK(b.completions.size() == 2);
  Attr attr;
  attr.rq_psn = 0xABC;
  b.connect(5, attr);
  b.post(5, {{0x100000, 64, kRegion}});
  Request r;
  r.qpn = 5;
  r.opcode = kSendOnly;
  r.psn = 0xABC;
  r.payload = Bytes(10, 1);
  b.send(r);
  b.run();
  REQUIRE(b.completions.size() == 3);
  CHECK(b.completions[2].index == 0);
  CHECK(b.completions[2].status == 0);
  CHECK(b.answers.back().msn == 1);
}

TEST_CASE("rq: a doorbell further ahead than the ring fails the queue pair") {
  Rig b;
  b.doorbell(3, 17);
  b.run();
  REQUIRE(b.fails.size() == 1);
  CHECK(b.fails[0] == std::make_pair(3u, 3u));
  CHECK(b.completions.empty());
}

TEST_CASE("rq: failing host reads: of a receive, of an atomic (RSP-56)") {
  for (bool atomic : {false, true}) {
    Rig b;
    b.read_errors = true;
    if (atomic) {
      b.atomic(kFetchAdd, 0x100000, 1);
    } else {
      b.post(3, {{Rig::kIova + 0x100000, 64, kRegion}});
      b.message(false, Rig::pattern(8, 1));
    }
    b.run();
    REQUIRE(b.fails.size() == 1);
    CHECK(b.fails[0].first == 3);
    REQUIRE(b.completions.size() == (atomic ? 0 : 1));
    if (!atomic) CHECK(b.completions[0].status == 5);
    REQUIRE(b.answers.size() == (atomic ? 1 : 0));
    if (atomic) b.ack_is(0, 0x63, 0x1000, 0);
  }
}

TEST_CASE("rq: READ responses of several queue pairs take turns; an ACK passes them") {
  Bench b;
  b.regions.push_back({kRegion, 7, 15, 0, kMemorySize, 0});
  for (unsigned q = 0; q < 4; ++q) b.connect(q);
  for (unsigned q = 0; q < 4; ++q) {
    Request r;
    r.qpn = q;
    r.psn = 0x1000;
    r.rkey = kRegion;
    r.opcode = q == 3 ? kWriteOnly : kReadRequest;
    r.va = 0x100000;
    r.length = q == 3 ? 8 : 256 * 50;
    if (q == 3) r.payload = Bytes(8, 9);
    b.send(r);
  }
  b.run();
  std::array<unsigned, 4> seen{};
  for (std::size_t i = 0; i < b.answers.size(); ++i) {
    const unsigned q = b.answers[i].qpn;
    ++seen[q];
    if (q == 3) CHECK(i < 60);
    if (q < 3 && i > 10 && i < 130)
      for (unsigned p = 0; p < 3; ++p) CHECK(seen[q] <= seen[p] + 6);
  }
  CHECK(seen[0] == 50);
  CHECK(seen[2] == 50);
  CHECK(seen[3] == 1);
}

TEST_CASE("rq: pause holds requests back and lets the block become idle") {
  Rig b;
  b.dut->pause_i = 1;
  b.write_only(Rig::pattern(8, 1), 0x100000);
  for (int i = 0; i < 50; ++i) b.clock();
  CHECK(b.dut->idle_o);
  CHECK(b.requests.size() == 1);
  b.dut->pause_i = 0;
  b.run();
  CHECK(b.answers.size() == 1);
}

TEST_CASE("rq: six queue pairs over a link that loses and repeats packets") {
  for (unsigned seed : {1u, 2u, 3u}) {
    MESSAGE("seed ", seed);
    Bench b;
    b.random.seed(seed);
    b.random_stalls = true;
    b.write_delay = 60;
    std::deque<Peer> peers;
    for (unsigned q = 0; q < 6; ++q) {
      Attr attr;
      attr.pmtu = 1 + b.random() % 3;
      attr.max_dest = 1 + b.random() % 16;
      attr.stride = b.random() % 3;
      attr.rq_log = b.random() % 3;
      attr.rq_psn = (0xFFFFF0 + static_cast<unsigned>(b.random() % 64)) & 0xFFFFFF;
      const std::uint64_t home = 0x100000 + 0x10000 * q;
      b.regions.push_back({0x100 + q, 7, 15, home, 0x10000, home});
      b.connect(q, attr);
      peers.emplace_back(b, q, attr, home, 150);
    }
    std::size_t answers = 0, completions = 0;
    std::uint64_t limit = b.dut.cycle() + 1000000;
    for (bool done = false; !done;) {
      b.clock();
      if (b.random() % 200 == 0 && b.store_jobs == 0) b.store_jobs = 1;
      for (; answers < b.answers.size(); ++answers) {
        // Its payload comes with the segment, which may be later.
        if (b.payload_missing(answers)) break;
        peers[b.answers[answers].qpn].answer(b.answers[answers]);
      }
      for (; completions < b.completions.size(); ++completions) {
        Peer& p = peers[b.completions[completions].qpn];
        p.keep(p.completed());
        p.completion(b.completions[completions]);
      }
      peers[b.random() % peers.size()].step();
      done = std::all_of(peers.begin(), peers.end(), [](const Peer& p) { return p.done(); });
      REQUIRE(b.dut.cycle() < limit);
    }
    b.run();
    unsigned retries = 0;
    for (auto& p : peers) {
      p.check_memory();
      retries += p.retries();
    }
    CHECK(b.fails.empty());
    MESSAGE("clocks ", b.dut.cycle(), ", requests ", b.requests_taken, ", times gone back ",
            retries);
  }
}

}  // namespace
