// SPDX-License-Identifier: Apache-2.0
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

constexpr unsigned kQpFatal = 3;

TEST_CASE("rq: a WRITE that does not reach memory is answered with NAK 0x63 at its PSN (F-82)") {
  Rig b;
  b.bad_pages = {0x104};
  b.write_only(Rig::pattern(64, 1), 0x103000);
  b.write_only(Rig::pattern(64, 2), 0x104000);  // fails
  b.write_only(Rig::pattern(64, 3), 0x105000);
  const std::uint32_t bad = 0x1001;
  b.dies(0x63, kQpFatal);
  for (std::size_t i = 0; i + 1 < b.answers.size(); ++i) {  // nothing at or after it is good
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

TEST_CASE("rq: the NAK of a failed write counts the messages before it (F-82, RSP-56)") {
  for (const bool write : {true, false}) {
    for (const unsigned before : {0u, 1u, 5u}) {
      for (const unsigned delay : {5u, 60u, 300u}) {
        CAPTURE(write);
        CAPTURE(before);
        CAPTURE(delay);
        Rig b;
        b.write_delay = delay;
        b.bad_pages = {0x105};
        const std::uint64_t good = 0x103000, bad = 0x105000 - b.mtu();
        for (unsigned i = 0; i < before + 3; ++i) {
          b.post(3, {{Rig::kIova + (i == before ? bad : good), 3 * b.mtu(), kRegion}});
        }
        // READs and messages without payload count, and have no write that could fail.
        b.read(good, 10);
        for (unsigned i = 0; i < before; ++i) b.message(write, Rig::pattern(300, i), good);
        b.write_only({}, good);
        const std::uint32_t first = b.psn;
        b.message(write, Rig::pattern(3 * b.mtu(), 9), bad);  // its second packet fails
        for (unsigned i = 0; i < 2; ++i) b.message(write, Rig::pattern(300, i), good);
        b.run();
        REQUIRE(!b.answers.empty());
        b.ack_is(b.answers.size() - 1, 0x63, first + 1, before + 2);
      }
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

TEST_CASE(
    "rq: an RNR or fatal NAK acknowledges nothing that is not in memory; a sequence NAK goes at "
    "once") {
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
    b.ack_is(0, 0x63, 0x1000, 0);
  }
}

TEST_CASE("rq: requests before a failed write are responded to, requests after it are not") {
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

TEST_CASE("rq: READ data that cannot be read: NAK 0x63 at the poisoned response (F-81, RSP-56)") {
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
    CHECK(b.dut->store_done_o == 3);  // they do not hold up those after
    CHECK(b.answers.empty());
  }
}

}  // namespace
