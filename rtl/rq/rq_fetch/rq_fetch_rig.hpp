// SPDX-License-Identifier: Apache-2.0
// Drives rq_fetch by doorbells and orders, over receives in memory, and checks what it reads.
#pragma once

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

namespace rq_fetch_rig {

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

}  // namespace rq_fetch_rig
