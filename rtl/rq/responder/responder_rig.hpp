// SPDX-License-Identifier: Apache-2.0
// The responder between blocks that respond at once, or stall on request.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <random>
#include <vector>

#include "Vroci_responder.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/headers.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace responder_rig {

using namespace layout::opcode;
using namespace layout::syndrome;
using layout::EventKind;
using layout::QpEvent;
using layout::QpState;
using layout::ReceiveOp;
using layout::Status;
using layout::Table;

inline constexpr unsigned kPsnMask = 0xFFFFFF;
inline constexpr unsigned kFirst = 0xFFFFFE;  // first PSN of every queue pair
inline constexpr unsigned kRnrTimer = 12;     // code in RNR NAKs

struct Request {
  unsigned qpn, opcode;
  std::uint32_t psn;
  unsigned len = 0;          // bytes of payload
  std::uint32_t length = 0;  // bytes of the message, for a READ or WRITE
  std::uint64_t addr = 0;    // result of the key table
  bool key_ok = true;
};
struct Segment {
  std::uint64_t addr;
  unsigned len;
  bool drop;
};
struct Packet {
  unsigned qpn, opcode, psn, syndrome, msn, len;
};
struct Completion {
  unsigned index;
  Status status;
  unsigned len, ticket;
};

/// The responder between models of the blocks around it.
struct Rig {
  static constexpr std::uint64_t kList = 0xA000;  // address in the list of every receive
  Dut<Vroci_responder> dut;
  std::deque<Request> requests;
  std::vector<Segment> segments, sources;
  std::vector<Packet> acks, packets;
  std::vector<Completion> completions;
  using Event = std::pair<EventKind, unsigned>;
  std::vector<Event> fails, events;
  std::array<unsigned, 4> posted{}, used{};  // receives of each queue pair
  unsigned ticket = 0, landed = 0;
  bool hold_acks = false;
  unsigned take = 100;  // percent of clocks in which outputs are taken
  std::mt19937 random{7};

  Rig() {
    for (int i = 0; i < 40; ++i) clock();
    for (unsigned q = 0; q < 4; ++q) {
      state(q, QpState::kReset);
      attributes(q);
      state(q, QpState::kInit);
      state(q, QpState::kRtr);
      event(q, QpEvent::kInitResponder);
    }
  }
  void attributes(unsigned qpn) {
    bus::clear_data(dut->row_write_i);
    auto set = [&](auto field, auto v) { port::put(dut->row_write_i, field, v); };
    namespace access = layout::access;
    set(layout::qp_attr::access,
        access::kLocalWrite | access::kRemoteWrite | access::kRemoteRead | access::kRemoteAtomic);
    set(layout::qp_attr::pmtu, 1);
    set(layout::qp_attr::max_dest_rd_atomic, 4);
    set(layout::qp_attr::min_rnr_timer, kRnrTimer);
    set(layout::qp_attr::recv_cqn, 9);
    set(layout::qp_attr::rq_psn, kFirst);
    row(Table::kQpAttr, qpn);
  }
  void state(unsigned qpn, QpState state) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::qp_state::state, state);
    row(Table::kQpState, qpn);
  }
  void row(Table table, unsigned qpn) {
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, table);
    port::put(dut->row_write_i, layout::row_write::index, qpn);
    clock();
    dut->row_write_valid_i = 0;
  }
  void event(unsigned qpn, QpEvent kind) {
    port::put(dut->qp_event_i, layout::qp_event::qpn, qpn);
    port::put(dut->qp_event_i, layout::qp_event::kind, kind);
    dut->qp_event_valid_i = 1;
    for (drive(); !dut->qp_event_ready_o; drive()) sample();
    sample();
    dut->qp_event_valid_i = 0;
  }
  bool now() { return random() % 100 < take; }

  void drive() {
    dut->meta_valid_i = !requests.empty();
    dut->meta_more_i = requests.size() > 1;
    if (!requests.empty()) {
      const Request& r = requests.front();
      if (!offered_ && r.len != 0) ++ticket;
      offered_ = true;
      port::clear(dut->meta_i);
      auto set = [&](auto field, auto v) { port::put(dut->meta_i, field, v); };
      set(layout::rx_meta::qpn, r.qpn);
      set(layout::rx_meta::opcode, r.opcode);
      set(layout::rx_meta::psn, r.psn & kPsnMask);
      set(layout::rx_meta::ack_req, 1);
      set(layout::rx_meta::payload_len, r.len);
      set(layout::rx_meta::ticket, ticket & 0xFFFF);
      port::put(dut->meta_i, layout::rx_meta::ext, layout::reth::va, r.addr);
      port::put(dut->meta_i, layout::rx_meta::ext, layout::reth::dma_length, r.length);
      port::put(dut->key_i, layout::key_rsp::ok, r.key_ok);
      port::put(dut->key_i, layout::key_rsp::addr, r.addr);
    }
    dut->wr_done_i = landed & 0xFFFF;
    dut->cmd_ready_i = 1;
    dut.settle();
    const auto qp = port::get(dut->cmd_o, layout::receive_cmd::qpn) % 4;
    port::put(dut->rsp_i, layout::receive_rsp::posted, posted[qp] != used[qp]);
    port::put(dut->rsp_i, layout::receive_rsp::fetched, 1);
    port::put(dut->rsp_i, layout::receive_rsp::index, used[qp]);
    dut->list_num_sge_i = 1;
    dut->walk_ready_i = walk_ == 0;
    dut->walk_seg_valid_i = walk_ == 1;
    dut->walk_done_i = walk_ == 2;
    dut->walk_status_i = layout::number(Status::kSuccess);
    port::put(dut->walk_seg_i, layout::seg::addr, walk_at_);
    port::put(dut->walk_seg_i, layout::seg::len, walk_len_);
    port::put(dut->walk_seg_i, layout::seg::last, 1);
    dut->job_ready_i = dut->count_ready_i = dut->fail_ready_i = dut->event_ready_i = 1;
    dut->cqe_ready_i = now();
    dut->req_seg_ready_i = now();
    dut->desc_ready_i = now();
    dut->seg_ready_i = now();
    dut->ack_ready_i = !hold_acks && now();
    dut->sent_i = in_tx_ != 0 && now();
    dut.settle();
  }
  void sample() {
    auto get = [](const auto& p, auto field) { return static_cast<unsigned>(port::get(p, field)); };
    Vroci_responder& d = *dut;
    if (d.meta_valid_i && d.meta_ready_o) {
      requests.pop_front();
      offered_ = false;
    }
    if (walk_ == 1 && d.walk_seg_ready_o)
      walk_ = 2;
    else if (walk_ == 2)
      walk_ = 0;
    if (d.walk_valid_o && d.walk_ready_i) {
      walk_ = 1;
      walk_at_ = kList + d.walk_offset_o;
      walk_len_ = d.walk_len_o;
    }
    if (d.cmd_valid_o && d.cmd_ready_i &&
        static_cast<ReceiveOp>(get(d.cmd_o, layout::receive_cmd::op)) == ReceiveOp::kFree)
      ++used[get(d.cmd_o, layout::receive_cmd::qpn) % 4];
    if (d.req_seg_valid_o && d.req_seg_ready_i)
      segments.push_back({get(d.req_seg_o, layout::seg::addr), get(d.req_seg_o, layout::seg::len),
                          get(d.req_seg_o, layout::seg::drop) != 0});
    auto packet = [&](const auto& p) {
      const auto ext = layout::tx_desc::ext;
      return Packet{get(p, layout::tx_desc::qpn),         get(p, layout::tx_desc::opcode),
                    get(p, layout::tx_desc::psn),         port::get(p, ext, layout::aeth::syndrome),
                    port::get(p, ext, layout::aeth::msn), get(p, layout::tx_desc::payload_len)};
    };
    if (d.ack_valid_o && d.ack_ready_i) acks.push_back(packet(d.ack_o));
    in_tx_ -= d.sent_i;
    if (d.desc_valid_o && d.desc_ready_i) {
      packets.push_back(packet(d.desc_o));
      ++in_tx_;
    }
    if (d.seg_valid_o && d.seg_ready_i)
      sources.push_back({get(d.seg_o, layout::seg::addr), get(d.seg_o, layout::seg::len), false});
    if (d.cqe_valid_o && d.cqe_ready_i)
      completions.push_back({get(d.cqe_o, layout::cqe_req::wqe_index),
                             static_cast<Status>(get(d.cqe_o, layout::cqe_req::status)),
                             get(d.cqe_o, layout::cqe_req::byte_len),
                             get(d.cqe_o, layout::cqe_req::ticket)});
    if (d.fail_valid_o && d.fail_ready_i)
      fails.emplace_back(static_cast<EventKind>(get(d.fail_o, layout::event_req::kind)),
                         get(d.fail_o, layout::event_req::number));
    if (d.event_valid_o && d.event_ready_i)
      events.emplace_back(static_cast<EventKind>(get(d.event_o, layout::event_req::kind)),
                          get(d.event_o, layout::event_req::number));
    dut.tick();
  }
  void clock() {
    drive();
    sample();
  }
  void clocks(int n) {
    while (n-- > 0) clock();
  }
  void write(unsigned qpn, std::uint32_t psn, std::uint64_t addr) {
    requests.push_back({qpn, kRcWriteOnly, psn, 64, 64, addr});
  }
  bool fault(unsigned qpn, std::uint32_t psn, bool response, int limit = 20) {
    port::put(dut->fault_i, layout::fault::qpn, qpn);
    port::put(dut->fault_i, layout::fault::psn, psn & kPsnMask);
    port::put(dut->fault_i, layout::fault::response, response);
    dut->fault_valid_i = 1;
    for (drive(); !dut->fault_ready_o && --limit > 0; drive()) sample();
    const bool taken = dut->fault_ready_o;
    sample();
    dut->fault_valid_i = 0;
    return taken;
  }

 private:
  bool offered_ = false;
  unsigned walk_ = 0, in_tx_ = 0, walk_len_ = 0;
  std::uint64_t walk_at_ = 0;
};

}  // namespace responder_rig
