// SPDX-License-Identifier: Apache-2.0
// Requests against the rules: sequence, lengths, keys, rights, receives.
#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: opcodes out of sequence end the connection (RSP-22)") {
  const Bytes full = Rig::pattern(256, 1), part = Rig::pattern(100, 2);
  constexpr unsigned kNone = 99;  // no packet before
  struct Case {
    unsigned before, op;
  };
  for (Case c : {Case{kNone, kRcSendMiddle},      {kNone, kRcSendLast},
                 {kNone, kRcSendLastImm},         {kNone, kRcWriteMiddle},
                 {kNone, kRcWriteLast},           {kNone, kRcWriteLastImm},
                 {kRcSendFirst, kRcSendFirst},    {kRcSendFirst, kRcSendOnly},
                 {kRcSendFirst, kRcWriteLast},    {kRcSendFirst, kRcWriteOnly},
                 {kRcSendFirst, kRcWriteOnlyImm}, {kRcSendFirst, kRcReadRequest},
                 {kRcSendFirst, kRcCmpSwap},      {kRcWriteFirst, kRcWriteFirst},
                 {kRcWriteFirst, kRcSendLast},    {kRcWriteFirst, kRcSendOnly},
                 {kRcWriteFirst, kRcWriteOnly},   {kRcWriteFirst, kRcReadRequest},
                 {kRcWriteFirst, kRcFetchAdd},    {kRcWriteFirst, kRcSendLastInv},
                 {kRcWriteFirst, kRcSendOnlyInv}, {kRcSendFirst, kRcSendOnlyInv},
                 {kNone, kRcSendLastInv},         {kNone, kReserved}}) {
    CAPTURE(c.before);
    CAPTURE(c.op);
    Rig b;
    for (int i = 0; i < 3; ++i) b.post(3, {{Rig::kIova + 0x100000, 1000, kRegion}});
    if (c.before != kNone) b.packet(c.before, full, 0x100000, 600);
    const std::uint32_t bad = b.psn;
    const bool none = c.op == kRcReadRequest || is_atomic(c.op);
    const bool whole = c.op == kRcSendFirst || c.op == kRcSendMiddle || c.op == kRcWriteFirst ||
                       c.op == kRcWriteMiddle;
    b.packet(c.op, none ? Bytes() : whole ? full : part, 0x100000, whole ? 600 : 100);
    b.fails_with(kNakInvalid, EventKind::kQpRequest);
    CHECK(b.responses.back().psn == bad);
    REQUIRE(b.completions.size() == 3);  // RSP-51
    CHECK(b.completions[0].status ==
          (c.before == kRcSendFirst ? Status::kRemInvReqErr : Status::kWrFlushErr));
    CHECK(b.completions[1].status == Status::kWrFlushErr);
    CHECK(b.completions[2].status == Status::kWrFlushErr);
    for (unsigned i = 0; i < 3; ++i) CHECK(b.completions[i].index == i);
  }
}

TEST_CASE("rq: SEND packets of a wrong length (RSP-25)") {
  struct Case {
    bool first;
    unsigned op, len;
  };
  for (Case c : {Case{false, kRcSendOnly, 257},
                 {false, kRcSendOnly, 260},
                 {false, kRcSendFirst, 252},
                 {false, kRcSendFirst, 260},
                 {false, kRcSendFirst, 0},
                 {true, kRcSendMiddle, 100},
                 {true, kRcSendLast, 0},
                 {true, kRcSendLast, 260}}) {
    CAPTURE(c.op);
    CAPTURE(c.len);
    Rig b;
    b.post(3, {{Rig::kIova + 0x100000, 1000, kRegion}});
    if (c.first) b.packet(kRcSendFirst, Rig::pattern(256, 1));
    b.packet(c.op, Rig::pattern(c.len, 1));
    b.fails_with(kNakInvalid, EventKind::kQpRequest);
    REQUIRE(b.completions.size() == 1);
    CHECK(b.completions[0].status == Status::kRemInvReqErr);
  }
}

TEST_CASE("rq: WRITE packets of a wrong length (RSP-26, RSP-27, RSP-28)") {
  struct Case {
    bool first;
    unsigned op, len;
    std::uint32_t dma;
  };
  for (Case c : {Case{false, kRcWriteOnly, 100, 101},
                 {false, kRcWriteOnly, 100, 99},
                 {false, kRcWriteOnly, 64, 61},
                 {false, kRcWriteOnly, 4, 0},
                 {false, kRcWriteOnly, 260, 260},
                 {false, kRcWriteFirst, 256, 256},
                 {false, kRcWriteFirst, 256, 200},
                 {false, kRcWriteFirst, 200, 600},
                 {true, kRcWriteLast, 256, 600},
                 {true, kRcWriteLast, 88, 600},
                 {true, kRcWriteMiddle, 200, 600},
                 {true, kRcWriteMiddle, 256, 512},
                 {true, kRcWriteLast, 0, 257},
                 {false, kRcWriteFirst, 256, 0x80000001},
                 {false, kRcReadRequest, 0, 0x80000001},
                 {false, kRcReadRequest, 4, 4},
                 {false, kRcFetchAdd, 8, 0}}) {
    CAPTURE(c.op);
    CAPTURE(c.len);
    CAPTURE(c.dma);
    Rig b;
    b.regions.push_back({kOtherRegion, kPd, kEveryRight, 0, ~0ull, 0});
    const Bytes before = b.memory;
    if (c.first)
      b.packet(kRcWriteFirst, Bytes(before.begin() + 0x100000, before.begin() + 0x100100), 0x100000,
               c.dma);
    b.packet(c.op, Rig::pattern(c.len, 1), 0x100000, c.dma);
    b.fails_with(kNakInvalid, EventKind::kQpRequest);
    CHECK(b.memory == before);
  }
}

TEST_CASE("rq: keys, bounds and rights of the peer (RSP-24, RSP-29 to RSP-31, RSP-41, RSP-42)") {
  struct Case {
    unsigned op;
    std::uint64_t addr;
    std::uint32_t len, key;
    unsigned region, qp, syndrome;
    EventKind kind;
  };
  constexpr unsigned kAll = kEveryRight, kNoWrite = kAll & ~access::kRemoteWrite,
                     kNoRead = kAll & ~access::kRemoteRead,
                     kNoAtomic = kAll & ~access::kRemoteAtomic;
  for (Case c :
       {Case{kRcWriteOnly, 0x13FFFF, 1, kRegion, kAll, kAll, 0, EventKind{}},
        {kRcWriteOnly, 0x100000, 1, kRegion, kAll, kAll, 0, EventKind{}},
        {kRcWriteOnly, 0x100000, 0, kOtherRegion, kAll, kAll, 0, EventKind{}},
        {kRcReadRequest, 0, 0, kOtherRegion, kAll, kAll, 0, EventKind{}},
        {kRcWriteOnly, 0x13FFFF, 2, kRegion, kAll, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcWriteOnly, 0x0FFFFF, 2, kRegion, kAll, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcWriteOnly, 0x100000, 8, kRegion + 1, kAll, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcWriteOnly, 0x100000, 8, kRegion, kNoWrite, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcWriteOnly, 0x100000, 8, kRegion, kAll, kNoWrite, kNakInvalid, EventKind::kQpRequest},
        {kRcReadRequest, 0x100000, 0x40001, kRegion, kAll, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcReadRequest, 0x100000, 8, kRegion, kNoRead, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcReadRequest, 0x100000, 8, kRegion, kAll, kNoRead, kNakInvalid, EventKind::kQpRequest},
        {kRcFetchAdd, 0x100000, 0, kRegion, kNoAtomic, kAll, kNakAccess, EventKind::kQpAccess},
        {kRcFetchAdd, 0x100000, 0, kRegion, kAll, kNoAtomic, kNakInvalid, EventKind::kQpRequest},
        {kRcFetchAdd, 0x100001, 0, kRegion, kAll, kAll, kNakInvalid, EventKind::kQpAccess},
        {kRcCmpSwap, 0x100004, 0, kRegion, kAll, kAll, kNakInvalid, EventKind::kQpAccess},
        {kRcCmpSwap, 0x140000, 0, kRegion, kAll, kAll, kNakAccess, EventKind::kQpAccess}}) {
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
    if (c.op == kRcWriteOnly) r.payload = Rig::pattern(c.len, 200);
    b.send(r);
    if (c.syndrome) {
      b.fails_with(c.syndrome, c.kind);
      CHECK(b.memory == before);
    } else {
      b.run();
      CHECK(b.responses.size() == 1);
      CHECK(b.responses[0].syndrome == kAckNoCredits);
    }
  }
}

TEST_CASE("rq: a WRITE with immediate and a bad key ends its receive, too (RSP-51, WC-08)") {
  Rig b;
  b.post(3, {});
  b.post(3, {});
  Request r = b.base(kRcWriteOnlyImm);
  r.payload = Rig::pattern(8, 1);
  r.length = 8;
  r.va = 5;
  b.send(r);
  b.fails_with(kNakAccess, EventKind::kQpAccess);
  REQUIRE(b.completions.size() == 2);
  CHECK(b.completions[0].status == Status::kLocAccessErr);
  CHECK(b.completions[1].status == Status::kWrFlushErr);
}

TEST_CASE("rq: receives too small or with a bad list (RSP-20, RSP-21, WC-02, WC-04)") {
  struct Case {
    std::vector<Bench::Sge> list;
    unsigned syndrome;
    EventKind kind;
    Status status;
  };
  const Bench::Sge good{Rig::kIova + 0x100000, 300, kRegion};
  for (const Case& c :
       {Case{{good}, kNakInvalid, EventKind::kQpRequest, Status::kLocLenErr},
        Case{{{Rig::kIova + 0x100000, 300, kOtherRegion}},
             kNakOperational,
             EventKind::kQpFatal,
             Status::kLocProtErr},
        Case{{{Rig::kIova + 0x13FFFF, 900, kRegion}},
             kNakOperational,
             EventKind::kQpFatal,
             Status::kLocProtErr},
        Case{{good, good}, kNakOperational, EventKind::kQpFatal, Status::kLocQpOpErr}}) {
    Rig b;
    b.post(3, c.list);
    b.post(3, {good});
    const Bytes before = b.memory;
    b.message(false, Rig::pattern(512, 1));
    b.fails_with(c.syndrome, c.kind);
    REQUIRE(b.completions.size() == 2);
    CHECK(b.completions[0].status == c.status);
    CHECK(b.completions[1].status == Status::kWrFlushErr);
    if (c.kind == EventKind::kQpFatal)
      CHECK(b.memory == before);
    else
      CHECK(std::equal(before.begin() + 0x10012C, before.end(), b.memory.begin() + 0x10012C));
  }
}

}  // namespace
