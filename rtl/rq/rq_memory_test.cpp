#include "rq/rq_rig.hpp"

namespace {

using namespace rq;

constexpr unsigned kQpFatal = 3, kQpAccess = 5;

// ---------------------------------------------------------------- writes and reads that fail

TEST_CASE("rq: a WRITE that does not reach memory is answered with NAK 0x63 at its PSN (F-82)") {
  Rig b;
  b.bad_pages = {0x104};
  b.write_only(Rig::pattern(64, 1), 0x103000);
  b.write_only(Rig::pattern(64, 2), 0x104000);  // fails
  b.write_only(Rig::pattern(64, 3), 0x105000);
  const std::uint32_t bad = 0x1001;
  b.dies(0x63, kQpFatal);
  for (std::size_t i = 0; i + 1 < b.answers.size(); ++i) {  // nothing at or behind it is good
    CHECK(b.answers[i].syndrome == 0x1F);
    CHECK(b.answers[i].psn < bad);
  }
  CHECK(b.answers.back().psn == bad);
  CHECK(b.holds(0x103000, Rig::pattern(64, 1)));
  CHECK(b.faulted == std::set<unsigned>{3});
}

TEST_CASE("rq: no completion is good for data that did not reach memory (F-82, I8)") {
  for (unsigned bad_packet : {0u, 1u, 2u}) {
    CAPTURE(bad_packet);
    for (unsigned delay : {5u, 60u, 300u}) {
      Attr attr;
      attr.stride = 1;
      Rig b(attr);
      b.write_delay = delay;
      b.bad_pages = {0x110 + bad_packet};
      b.post(3, {{Rig::kIova + 0x110F00, 256, kRegion},
                 {Rig::kIova + 0x111000, 256, kRegion},
                 {Rig::kIova + 0x112000, 1000, kRegion}});
      b.post(3, {{Rig::kIova + 0x120000, 100, kRegion}});
      b.message(false, Rig::pattern(700, 1));
      b.message(false, Rig::pattern(50, 2));
      b.run();
      REQUIRE(b.completions.size() == 2);
      for (unsigned i = 0; i < 2; ++i) {
        CHECK(b.completions[i].status != 0);
        CHECK(b.completions[i].index == i);
      }
      REQUIRE(!b.answers.empty());
      CHECK(b.answers.back().syndrome == 0x63);
      CHECK(b.answers.back().psn == 0x1000 + bad_packet);
      for (std::size_t i = 0; i + 1 < b.answers.size(); ++i)
        CHECK(b.answers[i].psn < 0x1000 + bad_packet);
      REQUIRE(!b.fails.empty());
      CHECK(b.fails[0] == std::make_pair(kQpFatal, 3u));
    }
  }
}

TEST_CASE("rq: other queue pairs do not notice a failed write (I10)") {
  Rig b;
  b.connect(5);
  b.bad_pages = {0x104};
  b.write_delay = 100;
  for (unsigned i = 0; i < 30; ++i) {
    Request r;
    r.qpn = 5;
    r.opcode = kWriteOnly;
    r.psn = 0x1000 + i;
    r.va = Rig::kIova + 0x108000 + 64 * i;
    r.rkey = kRegion;
    r.length = 64;
    r.payload = Rig::pattern(64, i);
    b.send(r);
    if (i % 4 == 1) b.write_only(Rig::pattern(64, i), i == 13 ? 0x104000 : 0x103000);
  }
  b.run();
  unsigned naks = 0;
  std::uint32_t newest = 0;
  for (const Answer& a : b.answers) {
    if (a.qpn == 5) {
      CHECK(a.syndrome == 0x1F);
      newest = a.psn;
    } else {
      naks += a.syndrome == 0x63;
    }
  }
  CHECK(newest == 0x1000 + 29);
  CHECK(naks == 1);
  for (unsigned i = 0; i < 30; ++i) CHECK(b.holds(0x108000 + 64 * i, Rig::pattern(64, i)));
  CHECK(b.faulted == std::set<unsigned>{3});
}

TEST_CASE("rq: an RNR or fatal NAK acknowledges nothing that is not in memory; a sequence NAK goes at once") {
  for (unsigned syndrome : {0x60u, 0x61u, 0x2Cu}) {
    CAPTURE(syndrome);
    Rig b;
    b.write_delay = 200;
    b.write_only(Rig::pattern(64, 1), 0x100000);
    b.answers.clear();
    if (syndrome == 0x60) {
      ++b.psn;
      b.write_only(Rig::pattern(64, 2), 0x100100);
    } else {
      b.packet(syndrome == 0x61 ? kWriteMiddle : kSendOnly, Rig::pattern(64, 2));
    }
    const std::uint64_t start = b.dut.cycle();
    while (b.answers.empty() || b.answers.back().syndrome == 0x1F) b.clock();
    CHECK(b.answers.back().syndrome == syndrome);
    CHECK(b.answers.back().psn == 0x1001);
    CHECK(b.holds(0x100000, Rig::pattern(64, 1)) == (syndrome != 0x60));
    if (syndrome == 0x60) CHECK(b.dut.cycle() - start < 60);
    b.run();
  }
  SUBCASE("fatal, and the write before it fails: the first one counts") {
    Rig b;
    b.write_delay = 200;
    b.bad_pages = {0x100};
    b.write_only(Rig::pattern(64, 1), 0x100000);
    b.packet(kWriteMiddle, Rig::pattern(64, 2), 0x101000);
    b.run();
    REQUIRE(b.answers.size() == 1);
    b.ack_is(0, 0x63, 0x1000, b.answers[0].msn);
  }
}

TEST_CASE("rq: what was asked before a failed write is answered, what was asked behind is not") {
  Rig b;
  b.bad_pages = {0x104};
  b.read(0x108000, 700);
  b.write_only(Rig::pattern(64, 2), 0x104000);
  b.read(0x108000, 100);
  b.run();
  REQUIRE(b.answers.size() == 4);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(b.answers[i].opcode >= kReadFirst);
    CHECK(b.answers[i].psn == 0x1000 + i);
  }
  CHECK(b.answers[3].syndrome == 0x63);
  CHECK(b.answers[3].psn == 0x1003);
}

TEST_CASE("rq: READ data that cannot be read: NAK 0x63 at the spoiled response (F-81, RSP-56)") {
  Rig b;
  b.bad_pages = {0x105};
  b.post(3, {});
  b.read(0x104E00, 1024);  // the third response of four
  b.run();
  REQUIRE(!b.answers.empty());
  CHECK(b.answers.back().opcode == kAck);
  CHECK(b.answers.back().syndrome == 0x63);
  CHECK(b.answers.back().psn == 0x1002);
  REQUIRE(b.fails.size() == 1);
  CHECK(b.fails[0] == std::make_pair(kQpFatal, 3u));
  REQUIRE(b.completions.size() == 1);
  CHECK(b.completions[0].status == 5);
  const std::size_t n = b.answers.size();
  b.read(0x108000, 10);
  b.run();
  CHECK(b.answers.size() == n);
}

TEST_CASE("rq: an atomic whose result cannot be written, a store that cannot (F-82)") {
  SUBCASE("atomic") {
    Rig b;
    b.bad_pages = {0x104};
    b.atomic(kFetchAdd, 0x104000, 1);
    b.dies(0x63, kQpFatal);
  }
  SUBCASE("store of the send side") {
    Rig b;
    b.bad_pages = {0x1F0};
    b.store_jobs = 3;
    b.run();
    REQUIRE(!b.fails.empty());
    CHECK(b.fails[0] == std::make_pair(kQpFatal, 7u));
    CHECK(b.faulted == std::set<unsigned>{7});
    CHECK(b.dut->store_done_o == 3);  // they do not hold up those behind
    CHECK(b.answers.empty());
  }
}

// ---------------------------------------------------------------- keys invalidated by a SEND

TEST_CASE("rq: SEND with invalidate: the key is dead for what comes behind (RSP-46)") {
  for (bool only : {true, false}) {
    CAPTURE(only);
    Rig b;
    b.regions.push_back({kOtherRegion, 7, 15, Rig::kIova + 0x100000, 0x1000, 0x100000});
    b.post(3, {{Rig::kIova + 0x110000, 1000, kRegion}});
    Request w = b.base(kWriteOnly);
    w.rkey = kOtherRegion;
    w.va = Rig::kIova + 0x100000;
    w.payload = Rig::pattern(8, 1);
    w.length = 8;
    b.send(w);
    ++b.psn;
    const Bytes data = Rig::pattern(only ? 40 : 296, 2);
    if (!only) b.packet(kSendFirst, Bytes(data.begin(), data.begin() + 256));
    b.packet(only ? kSendOnlyInv : kSendLastInv, Bytes(data.end() - 40, data.end()), 0, 0,
             kOtherRegion);
    w.psn = b.psn;
    w.payload = Rig::pattern(8, 3);
    b.send(w);
    b.run();
    CHECK(b.holds(0x100000, Rig::pattern(8, 1)));
    CHECK(b.holds(0x110000, data));
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == 0);
    CHECK(b.completions[0].byte_len == data.size());
    CHECK(b.completions[0].with_inv);
    CHECK(!b.completions[0].with_imm);
    CHECK(b.completions[0].imm == kOtherRegion);
    REQUIRE(!b.answers.empty());
    CHECK(b.answers.back().syndrome == 0x62);
    CHECK(b.answers.back().psn == w.psn);
    CHECK(b.invalidations == 1);
  }
}

TEST_CASE("rq: a repeated SEND with invalidate does not ask again") {
  Rig b;
  b.regions.push_back({kOtherRegion, 7, 15, 0, 0x1000, 0x100000});
  b.post(3, {});
  b.post(3, {});
  b.packet(kSendOnlyInv, {}, 0, 0, kOtherRegion);
  b.run();
  for (int i = 0; i < 3; ++i) {
    --b.psn;
    b.packet(kSendOnlyInv, {}, 0, 0, kOtherRegion);
  }
  b.run();
  CHECK(b.invalidations == 1);
  CHECK(b.completions.size() == 1);
  CHECK(b.answers.back().syndrome == 0x1F);
  CHECK(b.fails.empty());
}

TEST_CASE("rq: SEND with a key that stays: its receive ends in error, so does the QP (RSP-47)") {
  for (std::size_t n : {0u, 40u, 120u}) {  // the last one is walked
    CAPTURE(n);
    Attr attr;
    attr.stride = 1;
    Rig b(attr);
    b.post(3, {{Rig::kIova + 0x110000, 100, kRegion}, {Rig::kIova + 0x111000, 100, kRegion}});
    b.post(3, {});
    const Bytes before(b.memory.begin() + 0x100000, b.memory.begin() + 0x100008);
    b.packet(kSendOnlyInv, Rig::pattern(n, 1), 0, 0, 0x999);
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.run();
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[0].status == 8);
    CHECK(b.completions[0].index == 0);
    CHECK(b.completions[1].status == 5);
    REQUIRE(b.fails.size() == 1);
    CHECK(b.fails[0].first == kQpAccess);
    CHECK(b.holds(0x100000, before));
    CHECK(b.answers.back().syndrome == 0x62);
  }
}

// ---------------------------------------------------------------- keys that change

TEST_CASE("rq: nothing is written through a key that went away in mid-message (F-90)") {
  for (bool imm : {false, true}) {
    CAPTURE(imm);
    Rig b;
    b.post(3, {});
    const Bytes data = Rig::pattern(700, 1);
    b.message(true, data, 0x100000, imm);
    const Bytes before = b.memory;
    std::vector<Request> rest(b.requests.begin() + 1, b.requests.end());
    b.requests.resize(1);
    b.run();
    b.regions.clear();
    b.key_row();
    for (auto& request : rest) b.send(request);
    b.run();
    Bytes expected = before;
    std::copy_n(data.begin(), 256, expected.begin() + 0x100000);
    CHECK(b.memory == expected);
    CHECK(b.answers.back().syndrome == 0x62);
    CHECK(b.answers.back().psn == 0x1001);
    CHECK(b.fails[0].first == kQpAccess);
  }
}

TEST_CASE("rq: a key is looked up again only when the table changed, at any clock") {
  for (unsigned wait = 0; wait < 60; ++wait) {
    CAPTURE(wait);
    Rig b;
    const Bytes data = Rig::pattern(2000, 1);
    b.message(true, data, 0x100000);
    for (unsigned i = 0; i < wait; ++i) b.clock();
    b.key_row();  // of another region
    b.run();
    CHECK(b.holds(0x100000, data));
    CHECK(b.answers.back().syndrome == 0x1F);
    CHECK(b.lookups <= 2);
    b.message(true, data, 0x101000);
    b.lookups = 0;
    b.run();
    CHECK(b.lookups == 1);
    CHECK(b.holds(0x101000, data));
  }
}

// ---------------------------------------------------------------- credits

TEST_CASE("rq: ACKs carry the largest code not above the receives posted (RSP-14, RSP-15)") {
  const std::vector<unsigned> table = {  // IBTA table 46
      0,   1,   2,   3,   4,   6,    8,    12,   16,   24,   32,   48,   64,    96,    128,  192,
      256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
  Attr attr;
  attr.credits = true;
  attr.rq_log = 15;
  Rig b(attr);
  unsigned now = 0;
  for (unsigned code = 0; code < table.size(); ++code) {
    for (unsigned n : {table[code] - 1, table[code], table[code] + 1}) {
      if (n > 32768 || n < now) continue;
      CAPTURE(n);
      b.doorbell(3, now = n);
      b.run();
      b.write_only(Rig::pattern(4, n), 0x100000);
      b.run();
      unsigned expected = 0;
      while (expected + 1 < table.size() && table[expected + 1] <= n) ++expected;
      CHECK(b.answers.back().syndrome == expected);
      b.read(0x100000, 4);
      b.run();
      CHECK(b.answers.back().opcode == kReadOnly);
      CHECK(b.answers.back().syndrome == expected);
    }
  }
}

TEST_CASE("rq: credits follow receives used up; none with an SRQ or without the attribute") {
  Attr attr;
  attr.credits = true;
  Rig b(attr);
  for (int i = 0; i < 4; ++i) b.post(3, {});
  for (unsigned left : {3u, 2u, 1u, 0u}) {
    b.packet(kSendOnly, {});
    b.run();
    CHECK(b.answers.back().syndrome == left);
  }
  b.packet(kSendOnly, {});
  b.run();
  CHECK(b.answers.back().syndrome == 0x2C);
  attr.srq = true;
  b.srq_row(0, {});
  b.connect(3, attr);
  b.psn = attr.rq_psn;
  b.write_only(Rig::pattern(4, 1), 0x100000);
  b.run();
  CHECK(b.answers.back().syndrome == 0x1F);
}

}  // namespace
