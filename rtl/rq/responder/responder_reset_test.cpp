// SPDX-License-Identifier: Apache-2.0
// A queue pair is reset while an event of it is in progress.
#include "rtl/rq/responder/responder_rig.hpp"

using namespace responder_rig;

TEST_CASE(
    "responder: a request picked before a reset does not bring the old generation back (F-55)") {
  for (int wait = 0; wait < 8; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.write(1, 0xFFFFFE, 0x1000);
    r.clocks(wait);
    r.row(2, 1, 0);
    r.clocks(20);
    r.landed = 1;
    r.row(2, 1, 1);
    r.row(2, 1, 2);  // RTR, and the event is not there yet
    r.pieces.clear();
    r.write(1, 0xFFFFFF, 0x2000);
    r.clocks(30);
    for (const Piece& piece : r.pieces) CHECK(piece.drop);
  }
}

TEST_CASE(
    "responder: what a reset ends early is still of the old generation: places, PSNs, MSNs (F-55, "
    "I15)") {
  constexpr std::uint64_t kTo = 0x40000, kFrom = 0x80000;
  for (int wait = 0; wait < 60; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.posted[1] = 2;
    r.requests.push_back({1, kWriteFirst, 0xFFFFFE, 256, 1024, kTo});
    r.requests.push_back({1, kWriteMiddle, 0xFFFFFF, 256});
    r.requests.push_back({1, kWriteMiddle, 0x1000000, 256});
    r.requests.push_back({1, kWriteLast, 0x1000001, 256});
    r.requests.push_back({1, kReadRequest, 0x1000002, 0, 1024, kFrom});
    r.requests.push_back({1, kSendFirst, 0x1000006, 256});
    r.requests.push_back({1, kSendLast, 0x1000007, 100});
    for (int i = 0; i < wait; ++i) {
      r.landed = r.ticket;
      r.clock();
    }
    r.row(2, 1, 0);
    for (int i = 0; i < 60; ++i) {
      r.landed = r.ticket;
      r.clock();
    }
    CHECK(r.requests.empty());
    for (std::size_t i = 0; i < r.pieces.size(); ++i) {
      if (!r.pieces[i].drop)
        CHECK(r.pieces[i].addr == (i < 4 ? kTo + 256 * i : Rig::kList + 256 * (i - 4)));
    }
    for (std::size_t i = 0; i < r.sources.size(); ++i) CHECK(r.sources[i].addr == kFrom + 256 * i);
    for (std::size_t i = 0; i < r.packets.size(); ++i) {
      if (r.packets[i].opcode == kAck) continue;
      CHECK(r.packets[i].psn == 2 + i);
      CHECK(r.packets[i].opcode == (i == 0 ? kReadFirst : i == 3 ? kReadLast : kReadMiddle));
    }
    for (const Packet& ack : r.acks) {
      CHECK(ack.syndrome == 0x1F);
      const unsigned before = (ack.psn - 0xFFFFFE) & 0xFFFFFF;
      CHECK(before <= 9);
      CHECK(ack.msn == (before < 3 ? 0 : before < 8 ? 1 : before == 8 ? 2 : 3));
    }
    CHECK(r.fails.empty());
    // The next generation begins anew.
    r.pieces.clear();
    r.acks.clear();
    r.row(2, 1, 1);
    r.row(2, 1, 2);
    r.event(1, 1);
    r.write(1, 0xFFFFFE, 0x2000);
    r.clocks(20);
    r.landed = r.ticket;
    r.clocks(20);
    REQUIRE(r.pieces.size() == 1);
    CHECK(r.pieces[0].addr == 0x2000);
    REQUIRE(r.acks.size() == 1);
    CHECK(r.acks[0].msn == 1);
  }
}
