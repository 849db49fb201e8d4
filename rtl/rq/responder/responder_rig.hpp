// SPDX-License-Identifier: Apache-2.0
// The responder between neighbours that respond at once, or wait on request.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <random>
#include <vector>

#include "Vroci_responder.h"
#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace responder_rig {

using namespace roci::spec;

enum Op : unsigned {  // IBTA table 35
  kSendFirst,
  kSendMiddle,
  kSendLast,
  kSendOnly = 4,
  kWriteFirst = 6,
  kWriteMiddle,
  kWriteLast,
  kWriteOnly = 10,
  kReadRequest = 12,
  kReadFirst,
  kReadMiddle,
  kReadLast,
  kAck = 17,
};

struct Request {
  unsigned qpn, opcode;
  std::uint32_t psn;
  unsigned len = 0;          // of the payload
  std::uint32_t length = 0;  // of a READ or WRITE
  std::uint64_t addr = 0;    // what the key table returns
  bool key_ok = true;
};
struct Piece {
  std::uint64_t addr;
  unsigned len;
  bool drop;
};
struct Packet {
  unsigned qpn, opcode, psn, syndrome, msn, len;
};
struct Completion {
  unsigned index, status, len, ticket;
};

/// The responder alone: its neighbours respond at once, or wait on request.
struct Rig {
  static constexpr std::uint64_t kList = 0xA000;  // where the list of every receive points
  Dut<Vroci_responder> dut;
  std::deque<Request> requests;
  std::vector<Piece> pieces, sources;
  std::vector<Packet> acks, packets;
  std::vector<Completion> completions;
  std::vector<std::pair<unsigned, unsigned>> fails, events;
  std::array<unsigned, 4> posted{}, used{};  // receives of each queue pair
  unsigned ticket = 0, landed = 0;
  unsigned take = 100;  // percent of clocks in which outputs are taken
  std::mt19937 random{7};

  Rig() {
    for (int i = 0; i < 40; ++i) clock();
    for (unsigned q = 0; q < 4; ++q) {
      row(2, q, 0);
      row(0, q, 0);
      row(2, q, 1);
      row(2, q, 2);
      event(q, 1);
    }
  }
  void row(unsigned table, unsigned qpn, unsigned state) {
    bus::clear_data(dut->row_write_i);
    if (table == 0) {
      auto set = [&](const char* n, std::uint64_t v) {
        port::put(dut->row_write_i, place_of(kQpAttr, n), v);
      };
      set("access", 15);
      set("pmtu", 1);
      set("max_dest_rd_atomic", 4);
      set("min_rnr_timer", 12);
      set("recv_cqn", 9);
      set("rq_psn", 0xFFFFFE);
    } else {
      port::put(dut->row_write_i, 0, 3, state);
    }
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, bus::kRowTable, table);
    port::put(dut->row_write_i, bus::kRowIndex, qpn);
    clock();
    dut->row_write_valid_i = 0;
  }
  void event(unsigned qpn, unsigned kind) {
    port::put(dut->qp_event_i, place_of(kQpEvent, "qpn"), qpn);
    port::put(dut->qp_event_i, place_of(kQpEvent, "kind"), kind);
    dut->qp_event_valid_i = 1;
    for (drive(); !dut->qp_event_ready_o; drive()) sample();
    sample();
    dut->qp_event_valid_i = 0;
  }
  bool now() { return random() % 100 < take; }

  void drive() {
    dut->meta_valid_i = !requests.empty();
    if (!requests.empty()) {
      const Request& r = requests.front();
      if (!offered_ && r.len != 0) ++ticket;
      offered_ = true;
      port::clear(dut->meta_i);
      auto set = [&](const char* n, std::uint64_t v) {
        port::put(dut->meta_i, place_of(kRxMeta, n), v);
      };
      set("qpn", r.qpn);
      set("opcode", r.opcode);
      set("psn", r.psn & 0xFFFFFF);
      set("ack_req", 1);
      set("payload_len", r.len);
      set("ticket", ticket & 0xFFFF);
      const unsigned top = place_of(kRxMeta, "ext").offset + 224;
      port::put(dut->meta_i, top - 64, 64, r.addr);
      port::put(dut->meta_i, top - 128, 32, r.length);
      port::put(dut->key_i, place_of(kKeyRsp, "ok"), r.key_ok);
      port::put(dut->key_i, place_of(kKeyRsp, "addr"), r.addr);
    }
    dut->wr_done_i = landed & 0xFFFF;
    dut->cmd_ready_i = 1;
    dut.settle();
    const auto of = port::get(dut->cmd_o, place_of(kReceiveCmd, "qpn")) % 4;
    port::put(dut->rsp_i, place_of(kReceiveRsp, "posted"), posted[of] != used[of]);
    port::put(dut->rsp_i, place_of(kReceiveRsp, "fetched"), 1);
    port::put(dut->rsp_i, place_of(kReceiveRsp, "index"), used[of]);
    dut->list_num_sge_i = 1;
    dut->walk_ready_i = walk_ == 0;
    dut->walk_seg_valid_i = walk_ == 1;
    dut->walk_done_i = walk_ == 2;
    dut->walk_status_i = 0;
    port::put(dut->walk_seg_i, place_of(kSeg, "addr"), walk_at_);
    port::put(dut->walk_seg_i, place_of(kSeg, "len"), walk_len_);
    port::put(dut->walk_seg_i, place_of(kSeg, "last"), 1);
    dut->job_ready_i = dut->count_ready_i = dut->fail_ready_i = dut->event_ready_i = 1;
    dut->cqe_ready_i = now();
    dut->req_seg_ready_i = now();
    dut->desc_ready_i = now();
    dut->seg_ready_i = now();
    dut->ack_ready_i = now();
    dut->sent_i = in_tx_ != 0 && now();
    dut.settle();
  }
  void sample() {
    auto get = [](const auto& p, const auto& table, const char* n) {
      return static_cast<unsigned>(port::get(p, place_of(table, n)));
    };
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
    if (d.cmd_valid_o && d.cmd_ready_i && get(d.cmd_o, kReceiveCmd, "op") == 1)
      ++used[get(d.cmd_o, kReceiveCmd, "qpn") % 4];
    if (d.req_seg_valid_o && d.req_seg_ready_i)
      pieces.push_back({port::get(d.req_seg_o, place_of(kSeg, "addr")),
                        get(d.req_seg_o, kSeg, "len"), get(d.req_seg_o, kSeg, "drop") != 0});
    auto packet = [&](const auto& p) {
      const unsigned top = place_of(kTxDesc, "ext").offset + 224;
      return Packet{get(p, kTxDesc, "qpn"),
                    get(p, kTxDesc, "opcode"),
                    get(p, kTxDesc, "psn"),
                    static_cast<unsigned>(port::get(p, top - 8, 8)),
                    static_cast<unsigned>(port::get(p, top - 32, 24)),
                    get(p, kTxDesc, "payload_len")};
    };
    if (d.ack_valid_o && d.ack_ready_i) acks.push_back(packet(d.ack_o));
    in_tx_ -= d.sent_i;
    if (d.desc_valid_o && d.desc_ready_i) {
      packets.push_back(packet(d.desc_o));
      ++in_tx_;
    }
    if (d.seg_valid_o && d.seg_ready_i)
      sources.push_back(
          {port::get(d.seg_o, place_of(kSeg, "addr")), get(d.seg_o, kSeg, "len"), false});
    if (d.cqe_valid_o && d.cqe_ready_i)
      completions.push_back({get(d.cqe_o, kCqeReq, "wqe_index"), get(d.cqe_o, kCqeReq, "status"),
                             get(d.cqe_o, kCqeReq, "byte_len"), get(d.cqe_o, kCqeReq, "ticket")});
    if (d.fail_valid_o && d.fail_ready_i)
      fails.push_back({get(d.fail_o, kEventReq, "kind"), get(d.fail_o, kEventReq, "number")});
    if (d.event_valid_o && d.event_ready_i)
      events.push_back({get(d.event_o, kEventReq, "kind"), get(d.event_o, kEventReq, "number")});
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
    requests.push_back({qpn, kWriteOnly, psn, 64, 64, addr});
  }
  bool fault(unsigned qpn, std::uint32_t psn, bool response, int limit = 20) {
    port::put(dut->fault_i, place_of(kFault, "qpn"), qpn);
    port::put(dut->fault_i, place_of(kFault, "psn"), psn & 0xFFFFFF);
    port::put(dut->fault_i, place_of(kFault, "response"), response);
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
