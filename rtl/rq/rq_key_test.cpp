// SPDX-License-Identifier: Apache-2.0
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

constexpr unsigned kQpAccess = 5;

// Keys invalidated by a SEND.

TEST_CASE("rq: SEND with invalidate: the key is dead for what comes after (RSP-46)") {
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

// Keys that change.

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

}  // namespace
