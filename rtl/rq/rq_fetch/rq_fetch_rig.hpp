// SPDX-License-Identifier: Apache-2.0
// Drives rq_fetch by doorbells and commands over receives in memory, and checks its reads.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <random>
#include <vector>

#include "Vroci_rq_fetch.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/blocks.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace rq_fetch_rig {

using layout::EventKind;
using layout::QpState;
using layout::ReceiveOp;
using layout::Table;

inline constexpr unsigned kRingBytes = 0x10000, kSrqBase = 0x800000, kPd = 0x55;

/// In the memory the length of each list entry is the address of its block plus its lane. `imm` and
/// num_sge follow from the number of the block.
struct Rig {
  Dut<Vroci_rq_fetch> dut;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> blocks;  // cycle and address
  bus::BlockBeats beats;
  unsigned delay = 30, reads = 0, fails = 0, posted = 0, crossing = 0;
  bool bad = false;
  std::vector<EventKind> events;

  Rig() {
    while (!dut->idle_o) clock();
  }
  void clock() {
    dut->br_req_ready_i = dut->fail_ready_i = dut->posted_ready_i = dut->event_ready_i = 1;
    dut->br_rsp_valid_i = !blocks.empty() && blocks.front().first <= dut.cycle();
    if (dut->br_rsp_valid_i) {
      const std::uint64_t number = blocks.front().second / layout::kBlockBytes;
      std::array<std::uint32_t, layout::kBlockBytes / 4> block{};
      port::put(block, layout::wqe::num_sge, number % 256);
      port::put(block, layout::wqe::imm, 0xABC00000 + number);
      for (unsigned lane = 0; lane < 4; ++lane)
        port::put(block, layout::sge::length, blocks.front().second + lane,
                  layout::sge::kBits * lane);
      bus::put_beat(dut->br_rsp_i, reinterpret_cast<const std::uint8_t*>(block.data()), beats.now(),
                    bad, number % bus::kBlockBeats);
    }
    dut.settle();
    if (dut->br_rsp_valid_i && dut->br_rsp_ready_o && beats.taken()) blocks.pop_front();
    if (dut->br_req_valid_o) {
      const std::uint64_t addr = port::get(dut->br_req_o, layout::block_read_req::addr);
      const unsigned count = port::get(dut->br_req_o, layout::block_read_req::count);
      ++reads;
      crossing += addr / 4096 != (addr + layout::kBlockBytes * count - 1) / 4096;
      CHECK(addr % layout::kBlockBytes == 0);
      for (unsigned i = 0; i < count; ++i)
        blocks.push_back({dut.cycle() + delay, addr + layout::kBlockBytes * i});
    }
    fails += dut->fail_valid_o;
    if (dut->event_valid_o)
      events.push_back(EventKind{port::get(dut->event_o, layout::event_req::kind)});
    posted += dut->posted_valid_o;
    dut.tick();
  }
  void row(Table table, unsigned index) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, index);
    clock();
    dut->row_write_valid_i = 0;
  }
  void state(unsigned qpn, QpState state) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, state);
    row(Table::kQpState, qpn);
  }
  void srq_row(unsigned srqn, unsigned log, unsigned stride, unsigned limit, bool valid = true) {
    bus::clear_data(dut->row_write_i);
    auto set = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
    set(layout::srq::valid, valid);
    set(layout::srq::pd, kPd);
    set(layout::srq::base, kSrqBase + kRingBytes * srqn);
    set(layout::srq::log, log);
    set(layout::srq::stride_log, stride);
    set(layout::srq::limit, limit);
    row(Table::kSrq, srqn);
  }
  /// A queue pair that takes from an SRQ, from RESET to RTR.
  void create_shared(unsigned qpn, unsigned srqn) {
    state(qpn, QpState::kReset);
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_attr::srq, 1);
    port::put(dut->row_write_i, layout::qp_attr::srqn, srqn);
    row(Table::kQpAttr, qpn);
    state(qpn, QpState::kInit);
    cmd(qpn, ReceiveOp::kInit);
  }
  void srq_doorbell(unsigned srqn, unsigned index) {
    port::put(dut->srq_doorbell_i, layout::doorbell::qpn, srqn);
    port::put(dut->srq_doorbell_i, layout::doorbell::index, index & 0xFFFF);
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
    state(qpn, QpState::kReset);
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_attr::rq_base, kRingBytes * (qpn + 1));
    port::put(dut->row_write_i, layout::qp_attr::rq_log, log);
    port::put(dut->row_write_i, layout::qp_attr::rq_stride_log, stride);
    row(Table::kQpAttr, qpn);
    state(qpn, QpState::kInit);
  }
  struct Rsp {
    bool posted, fetched;
    unsigned index;
  };
  Rsp cmd(unsigned qpn, ReceiveOp op) {
    port::put(dut->cmd_i, layout::receive_cmd::qpn, qpn);
    port::put(dut->cmd_i, layout::receive_cmd::op, op);
    dut->cmd_valid_i = 1;
    dut.settle();
    while (!dut->cmd_ready_o) {
      clock();
      dut.settle();
    }
    const Rsp rsp{port::get(dut->rsp_o, layout::receive_rsp::posted),
                  port::get(dut->rsp_o, layout::receive_rsp::fetched),
                  port::get(dut->rsp_o, layout::receive_rsp::index)};
    clock();
    dut->cmd_valid_i = 0;
    return rsp;
  }
  void doorbell(unsigned qpn, unsigned index) {
    port::put(dut->doorbell_i, layout::doorbell::qpn, qpn);
    port::put(dut->doorbell_i, layout::doorbell::index, index & 0xFFFF);
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
  /// Whether receive `index` is posted, and fetched; it is `ahead` of the base that is given.
  std::pair<bool, bool> see(unsigned qpn, unsigned index, unsigned ahead = 0) {
    dut->seen_read_i = 1;
    dut->seen_row_i = qpn;
    clock();
    dut->seen_read_i = 0;
    dut->seen_base_i = (index - ahead) & 0xFFFF;
    dut->seen_ahead_i = ahead;
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
    return port::get(dut->list_sge_o, layout::sge::length);
  }
};

}  // namespace rq_fetch_rig
