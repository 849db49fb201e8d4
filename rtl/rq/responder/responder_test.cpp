// SPDX-License-Identifier: Apache-2.0
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

namespace {

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
  std::uint64_t addr = 0;    // what the key table answers
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

/// The responder alone: its neighbours answer at once, or not when told to wait.
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

TEST_CASE("responder: an ACK stands for what is in memory, a later one for all (RSP-09, RSP-11)") {
  Rig r;
  for (unsigned i = 0; i < 6; ++i) r.write(1, 0xFFFFFE + i, 0x1000 + 64 * i);
  r.clocks(60);
  REQUIRE(r.pieces.size() == 6);
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(r.pieces[i].addr == 0x1000 + 64 * i);
    CHECK(!r.pieces[i].drop);
  }
  CHECK(r.acks.empty());
  std::uint32_t acked = 0;  // packets
  for (unsigned i = 1; i <= 6; ++i) {
    r.landed = i;
    r.clocks(20);
    for (const Packet& ack : r.acks) acked = ((ack.psn - 0xFFFFFE) & 0xFFFFFF) + 1;
    CHECK(acked <= i);
  }
  CHECK(acked == 6);
  CHECK(r.acks.size() <= 3);
  CHECK(r.acks.back().msn == 6);
  CHECK(r.acks.back().syndrome == 0x1F);
  REQUIRE(r.events.size() == 1);  // RSP-53
  CHECK(r.dut->idle_o);
}

TEST_CASE("responder: nothing is lost when every output stalls") {
  for (unsigned take : {100u, 50u, 10u}) {
    MESSAGE("seed 7");
    Rig r;
    r.take = take;
    std::vector<std::uint32_t> psn(4, 0xFFFFFE);
    unsigned sends = 0;
    for (unsigned i = 0; i < 300; ++i) {
      const unsigned q = r.random() % 4;
      if (r.random() % 3 == 0) {
        r.requests.push_back({q, kSendOnly, psn[q]++, 40});
        ++sends;
        ++r.posted[q];
      } else {
        r.write(q, psn[q]++, 64 * i);
      }
    }
    const std::uint64_t start = r.dut.cycle();
    while (!r.requests.empty()) {
      r.clock();
      if (r.landed < r.pieces.size()) ++r.landed;
    }
    const double clocks = static_cast<double>(r.dut.cycle() - start) / 300;
    MESSAGE("outputs taken in ", take, "% of clocks: ", clocks, " clocks per request");
    for (int i = 0; i < 3000; ++i) {
      r.clock();
      if (r.landed < r.pieces.size()) ++r.landed;
    }
    CHECK(r.pieces.size() == 300);
    REQUIRE(r.completions.size() == sends);
    for (const Completion& c : r.completions) CHECK(c.status == 0);
    std::vector<unsigned> last(4);
    for (const Packet& ack : r.acks) {
      CHECK(ack.syndrome == 0x1F);
      last[ack.qpn] = ack.psn;
    }
    for (unsigned q = 0; q < 4; ++q) CHECK(last[q] == ((psn[q] - 1) & 0xFFFFFF));
    CHECK(r.dut->idle_o);
  }
}

TEST_CASE("responder: a SEND of three packets fills one receive in order (RSP-17, RSP-19)") {
  Rig r;
  r.requests.push_back({2, kSendFirst, 0xFFFFFE, 256});
  r.clocks(20);
  CHECK(r.acks.empty());  // what was dropped counts in its turn
  r.landed = 1;
  r.clocks(20);
  REQUIRE(!r.acks.empty());
  CHECK(r.acks.back().syndrome == 0x2C);  // no receive
  CHECK(r.pieces.size() == 1);
  CHECK(r.pieces[0].drop);
  r.posted[2] = 1;
  r.pieces.clear();
  r.requests = {
      {2, kSendFirst, 0xFFFFFE, 256}, {2, kSendMiddle, 0xFFFFFF, 256}, {2, kSendLast, 0, 10}};
  r.clocks(100);
  REQUIRE(r.pieces.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(r.pieces[i].addr == Rig::kList + 256 * i);
    CHECK(r.pieces[i].len == (i == 2 ? 10 : 256));
  }
  REQUIRE(r.completions.size() == 1);
  CHECK(r.completions[0].len == 522);
  CHECK(r.completions[0].ticket == 4);
}

TEST_CASE("responder: a READ is cut into responses, and a part of it again (RSP-32, RSP-34)") {
  Rig r;
  r.requests.push_back({3, kReadRequest, 0xFFFFFE, 0, 700, 0x5000});
  r.clocks(60);
  REQUIRE(r.packets.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(r.packets[i].opcode == kReadFirst + i);
    CHECK(r.packets[i].psn == ((0xFFFFFE + i) & 0xFFFFFF));
    CHECK(r.packets[i].len == (i == 2 ? 188 : 256));
    CHECK(r.sources[i].addr == 0x5000 + 256 * i);
  }
  CHECK(r.packets[0].msn == 1);
  r.requests.push_back({3, kReadRequest, 0xFFFFFF, 0, 444, 0x5100});
  r.requests.push_back({3, kReadRequest, 0xFFFFFF, 0, 445, 0x5100});  // another one: dropped
  r.clocks(60);
  REQUIRE(r.packets.size() == 5);
  CHECK(r.packets[3].opcode == kReadFirst);
  CHECK(r.packets[3].psn == 0xFFFFFF);
  CHECK(r.sources[3].addr == 0x5100);
  CHECK(r.packets[4].len == 188);
}

TEST_CASE("responder: memory that fails ends the connection with NAK 0x63 (F-81, F-82)") {
  Rig r;
  for (unsigned i = 0; i < 3; ++i) r.write(1, 0xFFFFFE + i, 0x1000);
  r.clocks(30);
  r.landed = 1;
  CHECK(r.fault(1, 0xFFFFFF, false));
  r.landed = 3;
  r.clocks(40);
  REQUIRE(!r.acks.empty());
  CHECK(r.acks.back().syndrome == 0x63);
  CHECK(r.acks.back().psn == 0xFFFFFF);
  for (std::size_t i = 0; i + 1 < r.acks.size(); ++i) CHECK(r.acks[i].psn == 0xFFFFFE);
  REQUIRE(r.fails.size() == 1);
  CHECK(r.fails[0] == std::make_pair(3u, 1u));
  const std::size_t n = r.acks.size();
  CHECK(r.fault(1, 0, false));  // told once
  r.write(1, 1, 0x1000);
  r.clocks(40);
  CHECK(r.acks.size() == n);
  CHECK(r.fails.size() == 1);
  CHECK(r.fault(2, 0x123, true));  // of a READ of this side: no answer
  r.clocks(20);
  CHECK(r.acks.size() == n);
  REQUIRE(r.fails.size() == 2);
  CHECK(r.fails[1] == std::make_pair(3u, 2u));
}

TEST_CASE("responder: a request picked before a reset does not bring the old life back (F-55)") {
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
    "responder: what a reset cuts short is still of the old life: places, PSNs, MSNs (F-55, I15)") {
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
    // The next life begins anew.
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

}  // namespace
