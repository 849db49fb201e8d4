// SPDX-License-Identifier: Apache-2.0
#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

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

TEST_CASE("rq: a bad key after WRITE with immediate ends its receive, too (RSP-51, WC-08)") {
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
        Case{{{Rig::kIova + 0x13FFFF, 900, kRegion}}, 0x63, 3, 4},
        Case{{good, good}, 0x63, 3, 2}}) {
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

}  // namespace
