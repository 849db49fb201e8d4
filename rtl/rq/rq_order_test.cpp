// SPDX-License-Identifier: Apache-2.0
// PSNs: gaps, duplicates, and requests without a receive.
#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: one NAK per gap, a new one for a later gap (RSP-03, RSP-04)") {
  Rig b;
  auto at = [&](std::uint32_t psn) {
    b.psn = psn;
    b.write_only(Rig::pattern(8, psn), 0x100000);
    b.run();
  };
  for (std::uint32_t psn : {0x1001u, 0x1002u, 0x1003u}) at(psn);
  REQUIRE(b.responses.size() == 1);
  b.ack_is(0, kNakSequence, 0x1000, 0);
  CHECK(b.drop(DropCause::kOutOfSequence) == 2);
  at(0x1000);
  at(0x1005);
  REQUIRE(b.responses.size() == 3);
  b.ack_is(1, kAckNoCredits, 0x1000, 1);
  b.ack_is(2, kNakSequence, 0x1001, 1);
  CHECK(b.counters[3][QpCounter::kNaksSent] == 2);
}

TEST_CASE("rq: the duplicate half is 2^23 PSNs, modulo 2^24 (RSP-08, RSP-09)") {
  for (std::uint32_t start : {0x1000u, 0u, kPsnMask}) {
    Attr attr;
    attr.rq_psn = start;
    Rig b(attr);
    b.psn = (start + 0x800000) & kPsnMask;  // start - 2^23
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.run();
    b.ack_is(0, kAckNoCredits, start - 1, 0);
    b.psn = (start + 0x7FFFFF) & kPsnMask;
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.run();
    b.ack_is(1, kNakSequence, start, 0);
    b.psn = start;
    b.write_only(Rig::pattern(8, 1), 0x100000);
    b.write_only(Rig::pattern(8, 2), 0x100000);
    b.run();
    CHECK(b.responses.back().psn == ((start + 1) & kPsnMask));
    CHECK(b.responses.back().msn == 2);
    CHECK(b.holds(0x100000, Rig::pattern(8, 2)));
  }
}

TEST_CASE("rq: a SEND is executed whenever its receive arrives") {
  for (unsigned delay = 1; delay < 60; ++delay) {
    CAPTURE(delay);
    Rig b;
    b.read_delay = delay;
    b.post(3, {{Rig::kIova + 0x101000, 64, kRegion}});
    for (unsigned i = 0; i < 12; ++i) b.clock();
    b.message(false, Rig::pattern(40, 2));
    b.run();
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == Status::kSuccess);
    CHECK(b.holds(0x101000, Rig::pattern(40, 2)));
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
  CHECK(b.responses.back().psn == 0x1001);
  CHECK(b.responses.back().msn == 2);
  // After a READ the ACK has the PSN of the newest WRITE, not of the READ.
  b.psn = 0x1002;
  b.read(0x100000, 600);
  b.run();
  b.psn = 0x1001;
  b.message(false, Rig::pattern(40, 9));
  b.run();
  b.ack_is(b.responses.size() - 1, kAckNoCredits, 0x1001, 3);
}

TEST_CASE(
    "rq: no receive: RNR NAK, no response ahead, then the packet is retransmitted (RSP-05, RSP-16, "
    "RSP-17)") {
  for (unsigned kind = 0; kind < 4; ++kind) {
    Rig b;
    const Bytes data = Rig::pattern(kind % 2 ? 0 : 600, 5);
    const bool write = kind >= 2;
    b.message(write, data, 0x100000, write);
    const std::uint32_t next = b.psn;
    b.run();
    const std::uint32_t naked = write ? next - 1 : 0x1000;
    b.ack_is(b.responses.size() - 1, kRnr12, naked, 0);
    const std::size_t n = b.responses.size();
    if (write || data.empty()) CHECK(n == (data.empty() ? 1 : n));
    b.psn = next + 3;
    b.write_only(data.empty() ? Bytes(1) : data.size() > 256 ? Bytes(4) : data, 0x100000);
    b.run();
    CHECK(b.responses.size() == n);
    CHECK(b.completions.empty());
    b.post(3, {{Rig::kIova + 0x120000, 1000, kRegion}});
    b.run();
    b.psn = naked;
    if (write && !data.empty())
      b.packet(kRcWriteLastImm, Bytes(data.begin() + 512, data.end()), 0, 0, 77);
    else
      b.message(write, data, 0x100000, write);
    b.run();
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == Status::kSuccess);
    CHECK(b.completions[0].byte_len == data.size());
    CHECK(b.holds(write ? 0x100000 : 0x120000, data));
    b.ack_is(b.responses.size() - 1, kAckNoCredits, next - 1, 1);
  }
}

}  // namespace
