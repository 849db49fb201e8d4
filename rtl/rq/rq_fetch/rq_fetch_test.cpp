// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vroci_rq_fetch.h"
#include "model/spec/context.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using namespace roci::spec;

enum CmdOp : unsigned { kPeek, kFree, kInit, kFlush };

/// In memory the length of every list entry is the address of its block plus its lane.
struct Rig {
  Dut<Vroci_rq_fetch> dut;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> blocks;  // cycle, address
  unsigned delay = 30, reads = 0, fails = 0, posted = 0, crossing = 0;
  bool bad = false;
  std::vector<unsigned> events;

  Rig() {
    while (!dut->idle_o) clock();
  }
  void clock() {
    dut->br_req_ready_i = dut->fail_ready_i = dut->posted_ready_i = dut->event_ready_i = 1;
    dut->br_rsp_valid_i = !blocks.empty() && blocks.front().first <= dut.cycle();
    port::put(dut->br_rsp_i, bus::kReadError, bad);
    if (dut->br_rsp_valid_i) {
      bus::clear_data(dut->br_rsp_i);
      port::put(dut->br_rsp_i, place_of(kWqe, "num_sge"), blocks.front().second / 64 % 256);
      port::put(dut->br_rsp_i, place_of(kWqe, "imm"), 0xABC00000 + blocks.front().second / 64);
      for (unsigned lane = 0; lane < 4; ++lane)
        port::put(dut->br_rsp_i, 128 * lane + 64, 32, blocks.front().second + lane);
    }
    dut.settle();
    if (dut->br_rsp_valid_i && dut->br_rsp_ready_o) blocks.pop_front();
    if (dut->br_req_valid_o) {
      ++reads;
      crossing += port::get(dut->br_req_o, bus::kReadAddr) / 4096 !=
                  (port::get(dut->br_req_o, bus::kReadAddr) +
                   64 * port::get(dut->br_req_o, bus::kReadCount) - 1) /
                      4096;
      CHECK(port::get(dut->br_req_o, bus::kReadAddr) % 64 == 0);
      for (unsigned i = 0; i < port::get(dut->br_req_o, bus::kReadCount); ++i)
        blocks.push_back({dut.cycle() + delay, port::get(dut->br_req_o, bus::kReadAddr) + 64 * i});
    }
    fails += dut->fail_valid_o;
    if (dut->event_valid_o)
      events.push_back(static_cast<unsigned>(port::get(dut->event_o, place_of(kEventReq, "kind"))));
    posted += dut->posted_valid_o;
    dut.tick();
  }
  void row(unsigned table, unsigned qpn, unsigned log, unsigned stride, unsigned state) {
    bus::clear_data(dut->row_write_i);
    if (table == 0) {
      port::put(dut->row_write_i, place_of(kQpAttr, "rq_base"), 0x10000 * (qpn + 1));
      port::put(dut->row_write_i, place_of(kQpAttr, "rq_log"), log);
      port::put(dut->row_write_i, place_of(kQpAttr, "rq_stride_log"), stride);
    } else {
      port::put(dut->row_write_i, 0, 3, state);
    }
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, qpn);
    clock();
    dut->row_write_valid_i = 0;
  }
  void srq_row(unsigned srqn, unsigned log, unsigned stride, unsigned limit, bool valid = true) {
    bus::clear_data(dut->row_write_i);
    auto set = [&](const char* n, std::uint64_t v) {
      port::put(dut->row_write_i, place_of(kSrq, n), v);
    };
    set("valid", valid);
    set("pd", 0x55);
    set("base", 0x800000 + 0x10000 * srqn);
    set("log", log);
    set("stride_log", stride);
    set("limit", limit);
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, 7);
    port::put(dut->row_write_i, bus::kRowIndex, srqn);
    clock();
    dut->row_write_valid_i = 0;
  }
  /// A queue pair that takes from an SRQ, from RESET to RTR.
  void create_shared(unsigned qpn, unsigned srqn) {
    row(2, qpn, 0, 0, 0);
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, place_of(kQpAttr, "srq"), 1);
    port::put(dut->row_write_i, place_of(kQpAttr, "srqn"), srqn);
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, 0);
    port::put(dut->row_write_i, bus::kRowIndex, qpn);
    clock();
    dut->row_write_valid_i = 0;
    row(2, qpn, 0, 0, 1);
    cmd(qpn, kInit);
  }
  void srq_doorbell(unsigned srqn, unsigned index) {
    port::put(dut->srq_doorbell_i, place_of(kDoorbell, "qpn"), srqn);
    port::put(dut->srq_doorbell_i, place_of(kDoorbell, "index"), index & 0xFFFF);
    dut->srq_doorbell_valid_i = 1;
    dut.settle();
    while (!dut->srq_doorbell_ready_o) {
      clock();
      dut.settle();
    }
    clock();
    dut->srq_doorbell_valid_i = 0;
  }
  void create(unsigned qpn, unsigned log, unsigned stride) {
    row(2, qpn, 0, 0, 0);
    row(0, qpn, log, stride, 0);
    row(2, qpn, 0, 0, 1);
  }
  struct Rsp {
    bool posted, fetched;
    unsigned index;
  };
  Rsp cmd(unsigned qpn, unsigned op) {
    port::put(dut->cmd_i, place_of(kReceiveCmd, "qpn"), qpn);
    port::put(dut->cmd_i, place_of(kReceiveCmd, "op"), op);
    dut->cmd_valid_i = 1;
    dut.settle();
    while (!dut->cmd_ready_o) {
      clock();
      dut.settle();
    }
    const Rsp rsp{port::get(dut->rsp_o, place_of(kReceiveRsp, "posted")) != 0,
                  port::get(dut->rsp_o, place_of(kReceiveRsp, "fetched")) != 0,
                  static_cast<unsigned>(port::get(dut->rsp_o, place_of(kReceiveRsp, "index")))};
    clock();
    dut->cmd_valid_i = 0;
    return rsp;
  }
  void doorbell(unsigned qpn, unsigned index) {
    port::put(dut->doorbell_i, place_of(kDoorbell, "qpn"), qpn);
    port::put(dut->doorbell_i, place_of(kDoorbell, "index"), index & 0xFFFF);
    dut->doorbell_valid_i = 1;
    dut.settle();
    while (!dut->doorbell_ready_o) {
      clock();
      dut.settle();
    }
    clock();
    dut->doorbell_valid_i = 0;
  }
  void run() {
    int limit = 5000;
    while (!dut->idle_o && --limit) clock();
    REQUIRE(limit != 0);
  }
  /// Whether receive `index` is posted, and fetched.
  std::pair<bool, bool> see(unsigned qpn, unsigned index) {
    dut->seen_read_i = 1;
    dut->seen_row_i = qpn;
    clock();
    dut->seen_read_i = 0;
    dut->seen_index_i = index;
    dut.settle();
    return {dut->seen_posted_o, dut->seen_fetched_o};
  }
  /// Address of the block that holds entry `sge` of the list of receive `index`.
  std::uint64_t entry(unsigned qpn, unsigned index, unsigned stride, unsigned sge) {
    dut->list_read_i = 1;
    dut->list_qpn_i = qpn;
    dut->list_block_i = index << stride & 15;
    dut->list_sge_i = sge;
    clock();
    dut->list_read_i = 0;
    dut.settle();
    return port::get(dut->list_sge_o, place_of(kSge, "length"));
  }
};

TEST_CASE("rq_fetch: receives come in order, over ring ends and 4 KiB, for every stride") {
  for (unsigned stride = 0; stride < 3; ++stride) {
    for (unsigned log : {0u, 1u, 3u, 7u}) {
      CAPTURE(stride);
      CAPTURE(log);
      Rig r;
      r.create(5, log, stride);
      r.cmd(5, kInit);
      unsigned prod = 0;
      for (unsigned index = 0; index < 300; ++index) {
        if (prod == index) r.doorbell(5, prod += 1u << log);
        auto rsp = r.cmd(5, kPeek);
        for (int wait = 0; !rsp.fetched; ++wait) {
          REQUIRE(wait < 30);  // orders go before fetches, so they leave some clocks
          for (int i = 0; i < 5; ++i) r.clock();
          rsp = r.cmd(5, kPeek);
        }
        CHECK(rsp.posted);
        CHECK(rsp.index == index);
        const std::uint64_t at = 0x60000 + 64ull * ((index & ((1u << log) - 1)) << stride);
        CHECK(r.entry(5, index, stride, 0) == at + 3);  // sge0 ends block 0
        if (stride > 0) CHECK(r.entry(5, index, stride, 4) == at + 64 + 3);
        if (stride > 1) CHECK(r.entry(5, index, stride, 12) == at + 192 + 3);
        r.cmd(5, kFree);
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
    r.cmd(q, kInit);
  }
  r.delay = 200;
  const std::uint64_t start = r.dut.cycle();
  r.doorbell(0, 4);
  while (r.reads == 0) r.clock();
  MESSAGE("clocks from doorbell to read: ", r.dut.cycle() - start);
  CHECK(r.dut.cycle() - start < 10);
  for (unsigned q = 1; q < 8; ++q) r.doorbell(q, 4);
  r.run();
  CHECK(r.dut.cycle() - start < 300);
  CHECK(r.reads == 8);
  for (unsigned q = 0; q < 8; ++q) CHECK(r.cmd(q, kPeek).fetched);
}

TEST_CASE("rq_fetch: doorbells that cannot be (too far ahead, in RESET) and those that are late") {
  Rig r;
  r.create(2, 2, 0);
  r.cmd(2, kInit);
  r.doorbell(2, 5);
  r.run();
  CHECK(r.fails == 1);
  CHECK(!r.cmd(2, kPeek).posted);
  r.doorbell(2, 4);
  r.doorbell(2, 3);  // an older one
  r.run();
  for (int i = 0; i < 4; ++i) {
    CHECK(r.cmd(2, kPeek).posted);
    r.cmd(2, kFree);
  }
  CHECK(!r.cmd(2, kPeek).posted);
  CHECK(r.fails == 1);
  r.row(2, 2, 0, 0, 0);
  r.doorbell(2, 1);
  CHECK(!r.cmd(2, kPeek).posted);
}

TEST_CASE("rq_fetch: what arrives late from an old life is not taken for the new one's") {
  Rig r;
  r.create(4, 4, 0);
  r.cmd(4, kInit);
  r.delay = 300;
  r.doorbell(4, 4);
  for (int i = 0; i < 20; ++i) r.clock();
  CHECK(r.reads == 1);
  r.create(4, 4, 2);
  r.doorbell(4, 1);
  r.cmd(4, kInit);
  while (r.reads < 2) r.clock();
  while (r.blocks.size() > 4) r.clock();
  for (int i = 0; i < 4; ++i) r.clock();
  CHECK(!r.cmd(4, kPeek).fetched);
  r.run();
  CHECK(r.cmd(4, kPeek).fetched);
  CHECK(r.cmd(4, kPeek).index == 0);
}

TEST_CASE("rq_fetch: receives are seen ahead of the one whose turn it is") {
  const std::pair<bool, bool> none{false, false}, posted{true, false}, here{true, true};
  Rig r;
  r.create(6, 5, 0);
  CHECK(r.see(6, 0) == none);
  r.doorbell(6, 20);
  CHECK(r.see(6, 0) == none);  // nothing is fetched before Init
  r.delay = 300;
  r.cmd(6, kInit);
  for (int i = 0; i < 20; ++i) r.clock();
  for (unsigned i = 0; i < 20; ++i) CHECK(r.see(6, i) == posted);
  CHECK(r.see(6, 20) == none);
  r.run();
  for (unsigned i = 0; i < 20; ++i) CHECK(r.see(6, i) == (i < 16 ? here : posted));
  r.cmd(6, kFree);
  r.run();
  CHECK(r.see(6, 16) == here);
  CHECK(r.see(6, 17) == posted);
  r.row(2, 6, 0, 0, 0);
  CHECK(r.see(6, 16) == none);
  r.cmd(6, kFree);  // of the life before
  r.row(2, 6, 0, 0, 1);
  r.doorbell(6, 1);
  CHECK(r.cmd(6, kPeek).index == 0);
  CHECK(r.cmd(6, kPeek).posted);
}

TEST_CASE("rq_fetch: doorbells and orders on several queue pairs, an operation a clock") {
  Rig r;
  constexpr unsigned kReceives = 400;
  for (unsigned q = 0; q < 8; ++q) {
    r.create(q, 7, 0);
    r.cmd(q, kInit);
    r.doorbell(q, 16);
  }
  r.run();
  port::put(r.dut->cmd_i, place_of(kReceiveCmd, "op"), kFree);
  unsigned freed = 0, rung = 0;
  const std::uint64_t start = r.dut.cycle();
  while (freed < kReceives || rung < kReceives) {
    r.dut->cmd_valid_i = freed < kReceives && r.dut.cycle() - start >= 3 * freed;
    port::put(r.dut->cmd_i, place_of(kReceiveCmd, "qpn"), freed % 8);
    r.dut->doorbell_valid_i = rung < kReceives && r.dut.cycle() - start >= 3 * rung;
    port::put(r.dut->doorbell_i, place_of(kDoorbell, "qpn"), rung % 8);
    port::put(r.dut->doorbell_i, place_of(kDoorbell, "index"), 17 + rung / 8);
    r.dut.settle();
    freed += r.dut->cmd_valid_i && r.dut->cmd_ready_o;
    rung += r.dut->doorbell_valid_i && r.dut->doorbell_ready_o;
    r.clock();
  }
  r.dut->cmd_valid_i = r.dut->doorbell_valid_i = 0;
  const double clocks = static_cast<double>(r.dut.cycle() - start) / kReceives;
  MESSAGE("clocks per receive freed, posted and fetched: ", clocks);
  CHECK(clocks < 3.5);
  r.run();
  CHECK(r.fails == 0);
  for (unsigned q = 0; q < 8; ++q) {
    const auto rsp = r.cmd(q, kPeek);
    CHECK(rsp.index == kReceives / 8);
    CHECK(rsp.fetched);
    CHECK(r.see(q, rsp.index + 15) == std::make_pair(true, true));
  }
}

TEST_CASE("rq_fetch: a failed read fails the queue pair; posts in ERR are reported") {
  Rig r;
  r.create(1, 4, 0);
  r.cmd(1, kInit);
  r.bad = true;
  r.doorbell(1, 2);
  r.run();
  CHECK(r.fails == 1);
  CHECK(!r.cmd(1, kPeek).fetched);
  r.cmd(1, kFlush);
  CHECK(r.posted == 0);
  r.doorbell(1, 3);
  r.run();
  CHECK(r.posted == 1);
  CHECK(r.reads == 1);
}

TEST_CASE(
    "rq_fetch: entries of an SRQ go to the queue pair that asks, whole, with tag and domain") {
  for (unsigned stride = 0; stride < 3; ++stride) {
    for (unsigned log : {1u, 3u, 7u}) {
      CAPTURE(stride);
      CAPTURE(log);
      Rig r;
      r.srq_row(6, log, stride, 0);
      for (unsigned q : {2u, 9u, 15u}) r.create_shared(q, 6);
      unsigned prod = 0, index = 0;
      for (unsigned turn = 0; turn < 60; ++turn) {
        const unsigned q = turn % 3 == 0 ? 2 : turn % 3 == 1 ? 9 : 15;
        if (prod == index) {
          CHECK(!r.cmd(q, kPeek).posted);
          r.srq_doorbell(6, prod += std::min(1u << log, 5u));
        }
        auto rsp = r.cmd(q, kPeek);
        for (int wait = 0; !rsp.fetched; ++wait) {
          CHECK(rsp.posted);
          REQUIRE(wait < 30);
          for (int i = 0; i < 5; ++i) r.clock();
          rsp = r.cmd(q, kPeek);
        }
        const std::uint64_t at = 0x860000 + 64ull * ((index & ((1u << log) - 1)) << stride);
        CHECK(rsp.index == (at / 64 & 0xFFFF));
        CHECK(r.cmd(q, kPeek).index == rsp.index);  // it is held, not taken again
        CHECK(r.entry(q, 0, 0, 0) == at + 3);
        CHECK(r.dut->list_num_sge_o == at / 64 % 256);
        CHECK(r.dut->list_pd_o == 0x55);
        CHECK(r.dut->list_stride_o == stride);
        if (stride > 0) CHECK(r.entry(q, 0, 0, 4) == at + 64 + 3);
        if (stride > 1) CHECK(r.entry(q, 0, 0, 12) == at + 192 + 3);
        r.cmd(q, kFree);
        ++index;
      }
      CHECK(r.fails == 0);
      CHECK(r.events.empty());
      CHECK(r.crossing == 0);
    }
  }
}

TEST_CASE("rq_fetch: the limit of an SRQ raced by takes: one event for each arming (RSP-55)") {
  for (unsigned wait = 0; wait < 24; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.srq_row(1, 4, 0, 3);
    for (unsigned q = 0; q < 4; ++q) r.create_shared(q, 1);
    r.srq_doorbell(1, 4);
    r.run();
    for (unsigned q = 0; q < 4; ++q) r.cmd(q, kPeek);  // leaves 3, 2, 1, 0
    r.run();
    CHECK(r.events == std::vector<unsigned>{8});
    r.events.clear();
    for (unsigned q = 0; q < 4; ++q) r.cmd(q, kFree);
    r.srq_doorbell(1, 8);
    r.run();
    // The row comes while the second of four takes is under way.
    port::put(r.dut->cmd_i, place_of(kReceiveCmd, "op"), kPeek);
    unsigned answers = 0;
    for (unsigned clock = 0; answers < 4; ++clock) {
      port::put(r.dut->cmd_i, place_of(kReceiveCmd, "qpn"), answers);
      r.dut->cmd_valid_i = 1;
      r.dut.settle();
      answers += r.dut->cmd_ready_o;
      if (clock == wait)
        r.srq_row(1, 4, 0, 2);
      else
        r.clock();
    }
    r.dut->cmd_valid_i = 0;
    r.run();
    CHECK(r.events.size() <= 1);
    if (wait < 16) CHECK(r.events == std::vector<unsigned>{8});
  }
}

TEST_CASE("rq_fetch: a queue pair reset while it takes; an SRQ that breaks") {
  for (unsigned wait = 0; wait < 12; ++wait) {
    CAPTURE(wait);
    Rig r;
    r.srq_row(1, 4, 2, 0);
    r.create_shared(3, 1);
    r.create_shared(4, 1);
    r.srq_doorbell(1, 3);
    r.run();
    port::put(r.dut->cmd_i, place_of(kReceiveCmd, "op"), kPeek);
    port::put(r.dut->cmd_i, place_of(kReceiveCmd, "qpn"), 3);
    r.dut->cmd_valid_i = 1;
    bool answered = false;
    for (unsigned clock = 0; !answered || clock <= wait; ++clock) {
      REQUIRE(clock < 40);
      r.dut.settle();
      answered = answered || r.dut->cmd_ready_o;
      const bool over = r.dut->cmd_ready_o;
      if (clock == wait)
        r.row(2, 3, 0, 0, 0);
      else
        r.clock();
      if (over) r.dut->cmd_valid_i = 0;
    }
    CHECK(!r.cmd(3, kPeek).posted);  // in RESET it holds nothing
    CHECK(r.cmd(4, kPeek).fetched);  // and others go on
    r.bad = true;
    r.cmd(4, kFree);
    r.srq_doorbell(1, 5);
    r.run();
    CHECK(r.events == std::vector<unsigned>{10});
    CHECK(r.fails == 0);
    const auto rsp = r.cmd(4, kPeek);
    CHECK(rsp.posted);
    CHECK(!rsp.fetched);
    r.run();
    CHECK(r.fails == 1);
  }
}

}  // namespace
