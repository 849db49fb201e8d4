// SPDX-License-Identifier: Apache-2.0
// ResizeCq: software reads from the new ring what it would have read from the old one.
#include <doctest/doctest.h>

#include <random>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

constexpr std::uint64_t kOld = 0x123456789000, kNew = 0x200000001000;

/// A completion queue with `unread` entries up to the 17-bit index `producer`.
struct Ring : Bench {
  std::uint32_t cqn;
  unsigned log;
  std::uint32_t producer, unread;

  Ring(unsigned log_entries, std::uint32_t end, std::uint32_t left)
      : log(log_entries), producer(end), unread(left) {
    cqn = run_ok(AdminOp::kCreateCq, cq_body().put(create_cq::log_entries, log),
                 create_cq_reply::cqn);
    // The whole ring has been written before; unread entries have the owner bit of their pass.
    for (std::uint32_t i = 0; i < 1u << log; ++i) put(kOld, log, producer - 1 - i);
    live(producer, producer - unread);
  }
  std::uint32_t* entry(std::uint64_t base, unsigned ring_log, std::uint32_t index) {
    const std::uint64_t at = base + (index & ((1u << ring_log) - 1)) * cqe::kBytes;
    return nic.memory[at / 64 * 64].data() + at % 64 / 4;
  }
  void put(std::uint64_t base, unsigned ring_log, std::uint32_t index) {
    std::uint32_t* words = entry(base, ring_log, index);
    for (unsigned i = 0; i < 8; ++i) words[i] = (index & 0x1FFFF) * 8 + i;
    put_bits(words, cqe::owner, (index >> ring_log & 1) == 0);
  }
  void live(std::uint32_t end, std::uint32_t known, bool overflowed = false) {
    Block& row = nic.row(Table::kCqLive, cqn);
    row.put(cq_live::producer, end);
    row.put(cq_live::pass, end >> 16 & 1);
    row.put(cq_live::consumer, known);
    row.put(cq_live::overflowed, overflowed);
  }
  Body resize(unsigned to) const {
    return Body()
        .put(resize_cq::cqn, cqn)
        .put(resize_cq::log_entries, to)
        .put(resize_cq::consumer, (producer - unread) & 0xFFFF)
        .put(resize_cq::base, kNew);
  }
  /// Checks that every unread entry is in the new ring, with the owner bit that its reader expects.
  void check_moved(unsigned to, std::uint32_t end) {
    for (std::uint32_t index = producer - unread; index != end; ++index) {
      std::uint32_t expected[8];
      for (unsigned i = 0; i < 8; ++i) expected[i] = (index & 0x1FFFF) * 8 + i;
      put_bits(expected, cqe::owner, (index >> to & 1) == 0);
      for (unsigned i = 0; i < 8; ++i) CHECK(entry(kNew, to, index)[i] == expected[i]);
    }
  }
};

}  // namespace

TEST_CASE("ResizeCq: entries keep order and content at every index and size (CQ-13)") {
  std::mt19937 random(5);
  for (const std::uint32_t end :
       {0x20000u, 0x20001u, 0x20005u, 0x2FFFFu, 0x30000u, 0x30003u, 0x3FFFEu}) {
    for (unsigned log = 1; log <= 6; ++log) {
      for (unsigned to = 1; to <= 6; ++to) {
        const std::uint32_t room = std::min(1u << log, 1u << to);
        const std::uint32_t unread = random() % (room + 1);
        CAPTURE(end);
        CAPTURE(log);
        CAPTURE(to);
        CAPTURE(unread);
        Ring ring(log, end, unread);
        // Memory after the ring does not change.
        const std::uint64_t after_ring = kNew + (cqe::kBytes << to);
        ring.nic.memory[after_ring / 64 * 64][15] = 0x5A5A5A5A;
        const std::size_t before = ring.nic.actions.size();
        REQUIRE(ring.run(AdminOp::kResizeCq, ring.resize(to)).status == AdminStatus::kOk);
        const Block& row = ring.nic.row(Table::kCq, ring.cqn);
        CHECK(row.get(cq::base) == kNew);
        CHECK(row.get(cq::log) == to);
        CHECK(row.get(cq::resize) == 1);
        CHECK(row.get(cq::pasid) == 0xABCDE);
        ring.check_moved(to, end);
        CHECK(ring.nic.memory[after_ring / 64 * 64][15] == 0x5A5A5A5A);
        // The adapter gets the consumer index; then the ring moves; then the old ring is complete.
        REQUIRE(ring.nic.actions.size() == before + 3);
        CHECK(ring.nic.actions[before].kind == Action::kCqDoorbell);
        CHECK(ring.nic.actions[before].value == ((end - unread) & 0xFFFF));
        CHECK(ring.nic.actions[before].row == ring.cqn);
        CHECK(ring.nic.actions[before + 1].kind == Action::kRow);
        CHECK(ring.nic.actions[before + 2].kind == Action::kFence);
        // The next resize starts from that ring.
        CHECK(ring.run(AdminOp::kResizeCq, ring.resize(to)).status == AdminStatus::kBadParameter);
      }
    }
  }
}

TEST_CASE("ResizeCq: moderation stays") {
  Ring ring(4, 0x20007, 3);
  ring.run(
      AdminOp::kModifyCq,
      Body().put(modify_cq::cqn, ring.cqn).put(modify_cq::count, 9).put(modify_cq::period, 77));
  CHECK(ring.run(AdminOp::kResizeCq, ring.resize(5)).status == AdminStatus::kOk);
  CHECK(ring.nic.row(Table::kCq, ring.cqn).get(cq::moderation_count) == 9);
  CHECK(ring.nic.row(Table::kCq, ring.cqn).get(cq::moderation_period) == 77);
  // A later change of moderation keeps the new ring.
  ring.run(AdminOp::kModifyCq, Body().put(modify_cq::cqn, ring.cqn));
  CHECK(ring.nic.row(Table::kCq, ring.cqn).get(cq::base) == kNew);
  CHECK(ring.nic.row(Table::kCq, ring.cqn).get(cq::log) == 5);
}

TEST_CASE(
    "ResizeCq: a ring that is too small, overlaps or has a wrong consumer index is rejected") {
  Ring ring(4, 0x20007, 5);
  ring.reject(AdminOp::kResizeCq, ring.resize(2), AdminStatus::kBadParameter,
              resize_cq::log_entries);
  ring.reject(AdminOp::kResizeCq, ring.resize(0), AdminStatus::kBadParameter,
              resize_cq::log_entries);
  ring.reject(AdminOp::kResizeCq, ring.resize(17), AdminStatus::kBadParameter,
              resize_cq::log_entries);
  ring.reject(AdminOp::kResizeCq, ring.resize(4).put(resize_cq::cqn, 9), AdminStatus::kBadHandle,
              resize_cq::cqn);
  for (const std::uint64_t base : {kNew + 8, kOld, ~std::uint64_t{0} << 12}) {
    ring.reject(AdminOp::kResizeCq, ring.resize(8).put(resize_cq::base, base),
                AdminStatus::kBadParameter, resize_cq::base);
  }
  ring.reject(AdminOp::kResizeCq, ring.resize(9).put(resize_cq::base, kOld - 0x1000),
              AdminStatus::kBadParameter, resize_cq::base);
  // Entries that software has reported as read, or that do not exist yet.
  for (const unsigned consumer : {1u, 8u}) {
    ring.reject(AdminOp::kResizeCq, ring.resize(6).put(resize_cq::consumer, consumer),
                AdminStatus::kBadParameter, resize_cq::consumer);
  }
  ring.live(0x20007, 2, true);
  ring.reject(AdminOp::kResizeCq, ring.resize(6), AdminStatus::kBadState, resize_cq::cqn);
  ring.live(0x20007, 2);
  CHECK(ring.run(AdminOp::kResizeCq, ring.resize(3)).status == AdminStatus::kOk);
}

TEST_CASE("ResizeCq: a completion during the move is found in either ring") {
  for (const bool in_old : {true, false}) {
    Ring ring(4, 0x20007, 5);
    // It is written between the query and the move, and the producer advances.
    if (in_old) {
      ring.put(kOld, 4, 0x20007);
    } else {
      ring.put(kNew, 5, 0x20007);
    }
    ring.nic.before_doorbell = [&] { ring.live(0x20008, 2); };
    CHECK(ring.run(AdminOp::kResizeCq, ring.resize(5)).status == AdminStatus::kOk);
    ring.check_moved(5, 0x20008);
  }
}
