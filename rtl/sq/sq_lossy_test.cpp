// SPDX-License-Identifier: Apache-2.0
// A wire that loses packets, and long runs.
#include <doctest/doctest.h>

#include "rtl/sq/sq_works.hpp"

using namespace sq_bench;

namespace {

/// Bytes that a READ of queue pair `q` brings from its peer.
struct Segment {
  unsigned q;
  std::uint64_t into, from;
  unsigned len;
};

/// Every READ is complete, its bytes are in place, and no other byte was written.
void check_reads(const Bench& b, const std::vector<Segment>& segments) {
  for (const Completion& c : b.done) CHECK(c.status == Status::kSuccess);
  for (const Segment& p : segments) {
    CHECK(std::equal(b.memory.begin() + long(p.into), b.memory.begin() + long(p.into + p.len),
                     b.peers[p.q].memory.begin() + long(p.from)));
  }
  CHECK(b.wrong_places == 0);
}

}  // namespace

TEST_CASE("sq: READs over a lossy wire fetch the right bytes") {
  for (unsigned seed : {21u, 22u, 23u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    std::mt19937 random(seed);
    b.random.seed(seed);
    b.loss = 0.04;
    std::vector<unsigned> at(4), len(4);
    std::size_t count = 0;
    for (unsigned q = 0; q < 4; ++q) {
      Attr a;
      a.pmtu = 1 + q % 3;
      a.psn = 0xFFFFF0;
      a.max_rd = 1 + random() % 4;
      b.connect(q, a);
      for (auto& byte : b.peers[q].memory) byte = std::uint8_t(random());
    }
    std::vector<Segment> segments;
    for (unsigned i = 0; i < 20; ++i) {
      for (unsigned q = 0; q < 4; ++q) {
        const Segment p{q, kDataBase + q * 0x100000 + i * 0x4000, random() % 0x10000,
                        unsigned(random() % 0x3000)};
        segments.push_back(p);
        b.post(q, read_of(p.len, p.into, p.from));
        ++count;
      }
    }
    for (unsigned q = 0; q < 4; ++q) b.ring(q);
    REQUIRE(b.until(count, 3000000));
    b.run(100);
    check_reads(b, segments);
  }
}

TEST_CASE("sq: F-17, F-18: lost atomics execute once") {
  Bench b;
  b.random.seed(31);
  b.loss = 0.1;
  Attr a;
  a.max_rd = 4;
  a.sq_log = 8;
  b.connect(1, a);
  for (unsigned i = 0; i < 200; ++i) b.post(1, add_of(1, kDataBase + 8 * i));
  b.ring(1);
  REQUIRE(b.until(200, 3000000));
  b.run(20);
  std::uint64_t sum = 0;
  std::memcpy(&sum, &b.peers[1].memory[64], 8);
  CHECK(sum == 200);
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::uint64_t old = 0;
    std::memcpy(&old, &b.memory[kDataBase + 8 * i], 8);
    CHECK(old == i);
  }
}

TEST_CASE("sq: work request indices and ring wrap") {
  Bench b;
  b.latency = 10;
  Attr a;
  a.sq_log = 2;
  b.connect(1, a);
  for (unsigned i = 0; i < 66000; i += 4) {
    for (unsigned k = 0; k < 4; ++k) {
      Work w = write_of(k);
      w.signaled = k == 3;
      b.post(1, w);
    }
    b.ring(1);
    REQUIRE(b.until(i / 4 + 1));
    REQUIRE(b.done.back().index == ((i + 3) & 0xFFFF));
    b.sent.clear();
  }
}

TEST_CASE("sq: in a pause everything becomes idle, and nothing is lost") {
  Bench b;
  for (unsigned q = 0; q < 8; ++q) b.connect(q);
  for (unsigned i = 0; i < 20; ++i) {
    for (unsigned q = 0; q < 8; ++q) b.post(q, write_of(3000));
  }
  for (unsigned q = 0; q < 8; ++q) b.ring(q);
  for (unsigned k = 0; k < 20; ++k) {
    b.run(37);
    b.dut->pause_i = 1;
    b.run(3000);
    CHECK(b.dut->idle_o);
    const std::size_t sent = b.sent.size();
    b.run(100);
    CHECK(b.sent.size() == sent);
    b.dut->pause_i = 0;
  }
  REQUIRE(b.until(160));
  b.run(100);
  CHECK(b.dut->idle_o);
  for (const Completion& c : b.done) CHECK(c.status == Status::kSuccess);
}

TEST_CASE("sq: READs into lists, of two queue pairs at once, over a lossy wire") {
  for (unsigned seed : {41u, 42u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    std::mt19937 random(seed);
    b.random.seed(seed);
    b.loss = 0.03;
    Attr a;
    a.pmtu = 1;
    a.stride = 2;
    std::vector<Segment> segments;
    for (unsigned q = 0; q < 2; ++q) {
      b.connect(q, a);
      for (auto& byte : b.peers[q].memory) byte = std::uint8_t(random());
    }
    for (unsigned i = 0; i < 10; ++i) {
      for (unsigned q = 0; q < 2; ++q) {
        Work w = read_of(0, 0, random() % 0x10000);
        std::uint64_t from = w.remote;
        const unsigned entries = 1 + random() % 13;
        for (unsigned e = 0; e < entries; ++e) {
          const std::uint32_t len = random() % 4 == 0 ? 0 : random() % 400;
          const std::uint64_t into =
              kDataBase + q * 0x100000 + i * 0x8000 + e * 512 + random() % 100;
          w.list.push_back({into, len});
          segments.push_back({q, into, from, len});
          from += len;
        }
        b.post(q, w);
      }
    }
    b.ring(0);
    b.ring(1);
    REQUIRE(b.until(20, 2000000));
    b.run(100);
    check_reads(b, segments);
  }
}

TEST_CASE(
    "sq: soak over a lossy wire: every work request completes once, in order, with its data") {
  for (unsigned seed : {11u, 12u, 13u, 14u}) {
    std::printf("seed %u\n", seed);
    Bench b;
    std::mt19937 random(seed);
    auto pick = [&](unsigned n) { return unsigned(random() % n); };
    b.random.seed(seed);
    b.loss = seed == 11 ? 0 : 0.03;
    b.desc_every = 1 + seed % 3;
    const unsigned qps = 8;
    std::vector<std::vector<Work>> works(qps);
    for (unsigned q = 0; q < qps; ++q) {
      Attr a;
      a.pmtu = 1 + pick(3);
      a.psn = pick(3) == 0 ? 0xFFFFF0 : random() & 0xFFFFFF;
      a.max_rd = 1 + pick(16);
      b.connect(q, a);
      b.peers[q].rnr = int(pick(3));
    }
    std::vector<unsigned> finished(qps);
    std::vector<std::uint64_t> added(qps);
    std::size_t seen = 0, total = 0;
    const unsigned each = 60;
    for (unsigned clock = 0; clock < 3000000 && total < qps * each; ++clock) {
      const unsigned q = pick(qps);
      if (works[q].size() < each && works[q].size() - finished[q] < 32 && pick(20) == 0) {
        const std::uint64_t local = kDataBase + q * 0x40000 + pick(0x10000);
        const unsigned sizes[] = {0, 1, 3, 255, 256, 257, 1024, 1500, 5000, 20000, 40000};
        const std::uint32_t len = sizes[pick(11)];
        Work w = write_of(len, local, pick(0x8000) + 0x1000);
        const unsigned kind = pick(10);
        w.op = kind < 3    ? WrOp::kWrite
               : kind < 5  ? WrOp::kRead
               : kind < 7  ? WrOp::kSend
               : kind == 7 ? WrOp::kWriteImm
               : kind == 8 ? WrOp::kSendImm
                           : WrOp::kFetchAdd;
        if (w.op == WrOp::kFetchAdd) {
          w = add_of(1 + pick(5), kDataBase + q * 0x40000 + 0x30000 + 8 * works[q].size());
          added[q] += w.swap_add;
        } else if (w.op == WrOp::kRead && len) {
          w.list[0].addr = kDataBase + q * 0x40000 + 0x20000;
        }
        w.fence = pick(8) == 0;
        works[q].push_back(w);
        b.post(q, w);
        b.ring(q);
      }
      b.tick();
      for (; seen < b.done.size(); ++seen) {
        const Completion& c = b.done[seen];
        REQUIRE(c.status == Status::kSuccess);
        REQUIRE(c.index == finished[c.qpn]);
        ++finished[c.qpn];
        ++total;
      }
    }
    REQUIRE(total == qps * each);
    b.loss = 0;
    b.run(500);
    CHECK(b.done.size() == qps * each);
    CHECK(b.wrong_places == 0);
    for (unsigned q = 0; q < qps; ++q) {
      std::size_t send = 0;
      for (const Work& w : works[q]) {
        if (w.op != WrOp::kSend && w.op != WrOp::kSendImm) continue;
        REQUIRE(send < b.peers[q].sends.size());
        const Bytes& got = b.peers[q].sends[send++];
        const std::uint64_t from = w.list.empty() ? kDataBase : w.list[0].addr;
        const std::size_t len = w.list.empty() ? 0 : w.list[0].length;
        REQUIRE(got.size() == len);
        CHECK(std::equal(got.begin(), got.end(), b.memory.begin() + long(from)));
      }
      CHECK(send == b.peers[q].sends.size());
      std::uint64_t sum = 0;
      std::memcpy(&sum, &b.peers[q].memory[64], 8);
      CHECK(sum == added[q]);
      CHECK(b.live(q).idle);
    }
  }
}
