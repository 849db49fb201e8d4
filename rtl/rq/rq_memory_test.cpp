// SPDX-License-Identifier: Apache-2.0
// Memory that cannot be written or read.
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE(
    "rq: a WRITE that does not reach memory is NAKed as remote operational error at its PSN "
    "(F-82)") {
  Rig b;
  b.bad_pages = {0x104};
  b.write_only(Rig::pattern(64, 1), 0x103000);
  b.write_only(Rig::pattern(64, 2), 0x104000);  // fails
  b.write_only(Rig::pattern(64, 3), 0x105000);
  const std::uint32_t bad = 0x1001;
  b.fails_with(kNakOperational, EventKind::kQpFatal);
  for (std::size_t i = 0; i + 1 < b.responses.size(); ++i) {  // no ACK at or after it
    CHECK(b.responses[i].syndrome == kAckNoCredits);
    CHECK(b.responses[i].psn < bad);
  }
  CHECK(b.responses.back().psn == bad);
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
        CHECK(b.completions[i].status != Status::kSuccess);
        CHECK(b.completions[i].index == i);
      }
      REQUIRE(!b.responses.empty());
      CHECK(b.responses.back().syndrome == kNakOperational);
      CHECK(b.responses.back().psn == 0x1000 + bad_packet);
      for (std::size_t i = 0; i + 1 < b.responses.size(); ++i)
        CHECK(b.responses[i].psn < 0x1000 + bad_packet);
      REQUIRE(!b.fails.empty());
      CHECK(b.fails[0] == Bench::Event(EventKind::kQpFatal, 3));
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
        REQUIRE(!b.responses.empty());
        b.ack_is(b.responses.size() - 1, kNakOperational, first + 1, before + 2);
      }
    }
  }
}

TEST_CASE("rq: a failed write does not affect other queue pairs (I10)") {
  Rig b;
  b.connect(5);
  b.bad_pages = {0x104};
  b.write_delay = 100;
  for (unsigned i = 0; i < 30; ++i) {
    Request r;
    r.qpn = 5;
    r.opcode = kRcWriteOnly;
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
  for (const Response& a : b.responses) {
    if (a.qpn == 5) {
      CHECK(a.syndrome == kAckNoCredits);
      newest = a.psn;
    } else {
      naks += a.syndrome == kNakOperational;
    }
  }
  CHECK(newest == 0x1000 + 29);
  CHECK(naks == 1);
  for (unsigned i = 0; i < 30; ++i) CHECK(b.holds(0x108000 + 64 * i, Rig::pattern(64, i)));
  CHECK(b.faulted == std::set<unsigned>{3});
}

TEST_CASE(
    "rq: an RNR or fatal NAK waits for the payload before it; a sequence NAK leaves at once") {
  for (unsigned syndrome : {unsigned{kNakSequence}, unsigned{kNakInvalid}, kRnr12}) {
    CAPTURE(syndrome);
    Rig b;
    b.write_delay = 200;
    b.write_only(Rig::pattern(64, 1), 0x100000);
    b.responses.clear();
    if (syndrome == kNakSequence) {
      ++b.psn;
      b.write_only(Rig::pattern(64, 2), 0x100100);
    } else {
      b.packet(syndrome == kNakInvalid ? kRcWriteMiddle : kRcSendOnly, Rig::pattern(64, 2));
    }
    const std::uint64_t start = b.dut.cycle();
    while (b.responses.empty() || b.responses.back().syndrome == kAckNoCredits) b.clock();
    CHECK(b.responses.back().syndrome == syndrome);
    CHECK(b.responses.back().psn == 0x1001);
    CHECK(b.holds(0x100000, Rig::pattern(64, 1)) == (syndrome != kNakSequence));
    if (syndrome == kNakSequence) CHECK(b.dut.cycle() - start < 60);
    b.run();
  }
  SUBCASE("a fatal NAK after a failed write: the NAK of the write leaves") {
    Rig b;
    b.write_delay = 200;
    b.bad_pages = {0x100};
    b.write_only(Rig::pattern(64, 1), 0x100000);
    b.packet(kRcWriteMiddle, Rig::pattern(64, 2), 0x101000);
    b.run();
    REQUIRE(b.responses.size() == 1);
    b.ack_is(0, kNakOperational, 0x1000, 0);
  }
}

TEST_CASE("rq: requests before a failed write are responded to, requests after it are not") {
  Rig b;
  b.bad_pages = {0x104};
  b.read(0x108000, 700);
  b.write_only(Rig::pattern(64, 2), 0x104000);
  b.read(0x108000, 100);
  b.run();
  REQUIRE(b.responses.size() == 4);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(b.responses[i].opcode >= kRcReadRespFirst);
    CHECK(b.responses[i].psn == 0x1000 + i);
  }
  CHECK(b.responses[3].syndrome == kNakOperational);
  CHECK(b.responses[3].psn == 0x1003);
}

TEST_CASE(
    "rq: READ data that cannot be read: a NAK at the PSN of the poisoned response (F-81, RSP-56)") {
  Rig b;
  b.bad_pages = {0x105};
  b.post(3, {});
  b.read(0x104E00, 1024);  // the third response of four
  b.run();
  REQUIRE(!b.responses.empty());
  CHECK(b.responses.back().opcode == kRcAck);
  CHECK(b.responses.back().syndrome == kNakOperational);
  CHECK(b.responses.back().psn == 0x1002);
  REQUIRE(b.fails.size() == 1);
  CHECK(b.fails[0] == Bench::Event(EventKind::kQpFatal, 3));
  REQUIRE(b.completions.size() == 1);
  CHECK(b.completions[0].status == Status::kWrFlushErr);
  const std::size_t n = b.responses.size();
  b.read(0x108000, 10);
  b.run();
  CHECK(b.responses.size() == n);
}

TEST_CASE("rq: an atomic or a store whose result cannot be written (F-82)") {
  SUBCASE("atomic") {
    Rig b;
    b.bad_pages = {0x104};
    b.atomic(kRcFetchAdd, 0x104000, 1);
    b.fails_with(kNakOperational, EventKind::kQpFatal);
  }
  SUBCASE("store of the send side") {
    Rig b;
    b.bad_pages = {0x1F0};
    b.store_jobs = 3;
    b.run();
    REQUIRE(!b.fails.empty());
    CHECK(b.fails[0] == Bench::Event(EventKind::kQpFatal, 7));
    CHECK(b.faulted == std::set<unsigned>{7});
    CHECK(b.dut->store_done_o == 3);  // failed stores do not block later ones
    CHECK(b.responses.empty());
  }
}

}  // namespace
