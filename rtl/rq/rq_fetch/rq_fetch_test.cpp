// SPDX-License-Identifier: Apache-2.0
// Receives of queue pairs: order, fetches ahead, resets, failed reads.
#include "rtl/rq/rq_fetch/rq_fetch_rig.hpp"

using namespace rq_fetch_rig;

TEST_CASE("rq_fetch: receives come in order, over ring ends and 4 KiB, for every stride") {
  for (unsigned stride = 0; stride < 3; ++stride) {
    for (unsigned log : {0u, 1u, 3u, 7u}) {
      CAPTURE(stride);
      CAPTURE(log);
      Rig r;
      r.create(5, log, stride);
      r.cmd(5, ReceiveOp::kInit);
      unsigned prod = 0;
      for (unsigned index = 0; index < 300; ++index) {
        if (prod == index) r.doorbell(5, prod += 1u << log);
        auto rsp = r.cmd(5, ReceiveOp::kPeek);
        for (int wait = 0; !rsp.fetched; ++wait) {
          REQUIRE(wait < 30);  // commands go before fetches, so some clocks without one are needed
          for (int i = 0; i < 5; ++i) r.clock();
          rsp = r.cmd(5, ReceiveOp::kPeek);
        }
        CHECK(rsp.posted);
        CHECK(rsp.index == index);
        const std::uint64_t at = 6 * kRingBytes + 64ull * ((index & ((1u << log) - 1)) << stride);
        CHECK(r.entry(5, index, stride, 0) == at + 3);  // sge0 ends block 0
        if (stride > 0) CHECK(r.entry(5, index, stride, 4) == at + 64 + 3);
        if (stride > 1) CHECK(r.entry(5, index, stride, 12) == at + 192 + 3);
        r.cmd(5, ReceiveOp::kFree);
      }
      CHECK(r.crossing == 0);
      CHECK(r.fails == 0);
    }
  }
}

TEST_CASE(
    "rq_fetch: several queue pairs are fetched at once; from doorbell to read in few clocks") {
  Rig r;
  for (unsigned q = 0; q < 8; ++q) {
    r.create(q, 4, 0);
    r.cmd(q, ReceiveOp::kInit);
  }
  r.delay = 200;
  const std::uint64_t start = r.dut.cycle();
  r.doorbell(0, 4);
  while (r.reads == 0) r.clock();
  MESSAGE("clocks from doorbell to read: ", r.dut.cycle() - start);
  CHECK(r.dut.cycle() - start < 10);
  for (unsigned q = 1; q < 8; ++q) r.doorbell(q, 4);
  r.run();
  CHECK(r.dut.cycle() - start < 268 + 8 * 4 * bus::kBlockBeats);
  CHECK(r.reads == 8);
  for (unsigned q = 0; q < 8; ++q) CHECK(r.cmd(q, ReceiveOp::kPeek).fetched);
}

TEST_CASE("rq_fetch: doorbells that are invalid (too far ahead, in RESET) or late") {
  Rig r;
  r.create(2, 2, 0);
  r.cmd(2, ReceiveOp::kInit);
  r.doorbell(2, 5);
  r.run();
  CHECK(r.fails == 1);
  CHECK(!r.cmd(2, ReceiveOp::kPeek).posted);
  r.doorbell(2, 4);
  r.doorbell(2, 3);  // an older one
  r.run();
  for (int i = 0; i < 4; ++i) {
    CHECK(r.cmd(2, ReceiveOp::kPeek).posted);
    r.cmd(2, ReceiveOp::kFree);
  }
  CHECK(!r.cmd(2, ReceiveOp::kPeek).posted);
  CHECK(r.fails == 1);
  r.state(2, QpState::kReset);
  r.doorbell(2, 1);
  CHECK(!r.cmd(2, ReceiveOp::kPeek).posted);
}

TEST_CASE("rq_fetch: a block that arrives late for an old generation is not used for the new one") {
  Rig r;
  r.create(4, 4, 0);
  r.cmd(4, ReceiveOp::kInit);
  r.delay = 300;
  r.doorbell(4, 4);
  for (int i = 0; i < 20; ++i) r.clock();
  CHECK(r.reads == 1);
  r.create(4, 4, 2);
  r.doorbell(4, 1);
  r.cmd(4, ReceiveOp::kInit);
  while (r.reads < 2) r.clock();
  while (r.blocks.size() > 4) r.clock();
  for (int i = 0; i < 4; ++i) r.clock();
  CHECK(!r.cmd(4, ReceiveOp::kPeek).fetched);
  r.run();
  CHECK(r.cmd(4, ReceiveOp::kPeek).fetched);
  CHECK(r.cmd(4, ReceiveOp::kPeek).index == 0);
}

TEST_CASE("rq_fetch: receives after the next one can be looked at") {
  const std::pair<bool, bool> none{false, false}, posted{true, false}, here{true, true};
  Rig r;
  r.create(6, 5, 0);
  CHECK(r.see(6, 0) == none);
  r.doorbell(6, 20);
  CHECK(r.see(6, 0) == none);  // nothing is fetched before Init
  r.delay = 300;
  r.cmd(6, ReceiveOp::kInit);
  for (int i = 0; i < 20; ++i) r.clock();
  for (unsigned i = 0; i < 20; ++i) CHECK(r.see(6, i) == posted);
  CHECK(r.see(6, 20) == none);
  r.run();
  for (unsigned i = 0; i < 20; ++i) {
    for (unsigned ahead = 0; ahead <= 4; ++ahead)  // below 0 the base goes round
      CHECK(r.see(6, i, ahead) == (i < 16 ? here : posted));
  }
  for (unsigned ahead = 0; ahead <= 4; ++ahead) CHECK(r.see(6, 20, ahead) == none);
  r.cmd(6, ReceiveOp::kFree);
  r.run();
  CHECK(r.see(6, 16) == here);
  CHECK(r.see(6, 17) == posted);
  r.state(6, QpState::kReset);
  CHECK(r.see(6, 16) == none);
  r.cmd(6, ReceiveOp::kFree);  // from the generation before
  r.state(6, QpState::kInit);
  r.doorbell(6, 1);
  CHECK(r.cmd(6, ReceiveOp::kPeek).index == 0);
  CHECK(r.cmd(6, ReceiveOp::kPeek).posted);
}

TEST_CASE("rq_fetch: doorbells and commands for several queue pairs, an operation a clock") {
  Rig r;
  constexpr unsigned kReceives = 400;
  for (unsigned q = 0; q < 8; ++q) {
    r.create(q, 7, 0);
    r.cmd(q, ReceiveOp::kInit);
    r.doorbell(q, 16);
  }
  r.run();
  port::put(r.dut->cmd_i, layout::receive_cmd::op, ReceiveOp::kFree);
  unsigned freed = 0, rung = 0;
  const std::uint64_t start = r.dut.cycle();
  while (freed < kReceives || rung < kReceives) {
    r.dut->cmd_valid_i = freed < kReceives && r.dut.cycle() - start >= 3 * freed;
    port::put(r.dut->cmd_i, layout::receive_cmd::qpn, freed % 8);
    r.dut->doorbell_valid_i = rung < kReceives && r.dut.cycle() - start >= 3 * rung;
    port::put(r.dut->doorbell_i, layout::doorbell::qpn, rung % 8);
    port::put(r.dut->doorbell_i, layout::doorbell::index, 17 + rung / 8);
    r.dut.settle();
    freed += r.dut->cmd_valid_i && r.dut->cmd_ready_o;
    rung += r.dut->doorbell_valid_i && r.dut->doorbell_ready_o;
    r.clock();
  }
  r.dut->cmd_valid_i = r.dut->doorbell_valid_i = 0;
  const double clocks = static_cast<double>(r.dut.cycle() - start) / kReceives;
  MESSAGE("clocks per receive freed, posted and fetched: ", clocks);
  CHECK(clocks < std::max(3u, bus::kBlockBeats) + 0.5);
  r.run();
  CHECK(r.fails == 0);
  for (unsigned q = 0; q < 8; ++q) {
    const auto rsp = r.cmd(q, ReceiveOp::kPeek);
    CHECK(rsp.index == kReceives / 8);
    CHECK(rsp.fetched);
    CHECK(r.see(q, rsp.index + 15) == std::make_pair(true, true));
  }
}

TEST_CASE("rq_fetch: what follows a doorbell in the next clock sees it, or a reset between") {
  const std::pair<bool, bool> none{false, false}, posted{true, false};
  Rig r;
  auto ring = [&](unsigned qpn, unsigned index) {  // up to the clock in which it acts
    port::put(r.dut->doorbell_i, layout::doorbell::qpn, qpn);
    port::put(r.dut->doorbell_i, layout::doorbell::index, index);
    r.dut->doorbell_valid_i = 1;
    r.dut.settle();
    while (!r.dut->doorbell_ready_o) {
      r.clock();
      r.dut.settle();
    }
  };
  for (unsigned qpn = 0; qpn < 4; ++qpn) {
    r.create(qpn, 4, 0);
    r.cmd(qpn, ReceiveOp::kInit);
  }
  for (unsigned index = 1; index < 200; ++index) {
    const unsigned qpn = index % 4, other = (qpn + 1) % 4;
    CAPTURE(index);
    ring(qpn, index);
    // An order is chosen in the clock in which the doorbell acts: of this queue pair or another.
    const unsigned order = index % 3 ? qpn : other;
    port::put(r.dut->cmd_i, layout::receive_cmd::qpn, order);
    port::put(r.dut->cmd_i, layout::receive_cmd::op, ReceiveOp::kPeek);
    r.dut->cmd_valid_i = 1;
    r.clock();
    r.dut->doorbell_valid_i = 0;
    const auto rsp = r.cmd(order, ReceiveOp::kPeek);
    CHECK(rsp.posted == (order == qpn));
    CHECK(r.see(qpn, index - 1).first);
    CHECK(r.see(qpn, index) == none);
    r.run();
    while (r.cmd(qpn, ReceiveOp::kPeek).posted) r.cmd(qpn, ReceiveOp::kFree);
    CHECK(r.cmd(qpn, ReceiveOp::kPeek).index == index);
  }
  // A reset in the clock of the doorbell, or in the one after it, when the word is written.
  for (unsigned later = 0; later < 3; ++later) {
    CAPTURE(later);
    r.create(5, 4, 0);
    r.cmd(5, ReceiveOp::kInit);
    r.doorbell(5, 2);
    CHECK(r.see(5, 1) == posted);
    ring(5, 4);
    for (unsigned i = 0; i < later; ++i) {
      r.clock();
      r.dut->doorbell_valid_i = 0;
    }
    r.state(5, QpState::kReset);
    r.dut->doorbell_valid_i = 0;
    CHECK(r.see(5, 0) == none);
    CHECK(r.see(5, 3) == none);
    r.state(5, QpState::kInit);
    CHECK(!r.cmd(5, ReceiveOp::kPeek).posted);
    CHECK(r.see(5, 0) == none);
    r.cmd(5, ReceiveOp::kInit);
    CHECK(r.see(5, 0) == none);
    r.run();
  }
  CHECK(r.fails == 0);
}

TEST_CASE("rq_fetch: doorbells whose index goes round") {
  Rig r;
  r.create(3, 4, 0);
  unsigned next = 0;  // receive; nothing is fetched without Init
  for (; next < 0xFFF8; ++next) {
    if (next % 8 == 0) r.doorbell(3, next + 8);
    r.cmd(3, ReceiveOp::kFree);
  }
  r.doorbell(3, 0xFFFC);
  r.doorbell(3, 4);       // past 65,535
  r.doorbell(3, 0xFFFE);  // an older one
  r.run();
  CHECK(r.fails == 0);
  r.doorbell(3, 9);  // 17 ahead in a ring of 16
  r.run();
  CHECK(r.fails == 1);
  for (int i = 0; i < 12; ++i, ++next) {
    const auto rsp = r.cmd(3, ReceiveOp::kPeek);
    CHECK(rsp.posted);
    CHECK(rsp.index == (next & 0xFFFF));
    r.cmd(3, ReceiveOp::kFree);
  }
  CHECK(!r.cmd(3, ReceiveOp::kPeek).posted);
}

TEST_CASE("rq_fetch: a failed read fails the queue pair; doorbells in ERR are reported") {
  Rig r;
  r.create(1, 4, 0);
  r.cmd(1, ReceiveOp::kInit);
  r.bad = true;
  r.doorbell(1, 2);
  r.run();
  CHECK(r.fails == 1);
  CHECK(!r.cmd(1, ReceiveOp::kPeek).fetched);
  r.cmd(1, ReceiveOp::kFlush);
  CHECK(r.posted == 0);
  r.doorbell(1, 3);
  r.run();
  CHECK(r.posted == 1);
  CHECK(r.reads == 1);
}
