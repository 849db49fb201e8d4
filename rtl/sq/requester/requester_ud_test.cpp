// SPDX-License-Identifier: Apache-2.0
// Datagrams: one packet each, to the destination of the request.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

namespace {

constexpr unsigned kSends = layout::number(layout::FailKind::kSends);
constexpr unsigned kHandles = 16;  // NumQps
constexpr unsigned kHandle = 9, kQkey = 0x1234567, kDest = 0xABCDEF;

struct Datagrams : Rig {
  Datagrams() : Rig(0, 0, 0, Service::kUd) { handle(kHandle, 0); }
  /// The domain of the queue pair is 0.
  void handle(unsigned number, unsigned pd, bool valid = true) {
    bus::clear_data(dut->row_write_i);
    port::put(dut->row_write_i, layout::ah::pd, pd);
    port::put(dut->row_write_i, layout::ah::valid, valid);
    row(Table::kAh, number);
  }
  static Plan datagram(unsigned index, WrOp opcode = WrOp::kSend, unsigned len = 64) {
    Plan p{index, opcode, len};
    p.qkey = kQkey;
    p.dest_qpn = kDest;
    p.ah = kHandle;
    p.imm = 0x600D0000 + index;
    return p;
  }
  void fails_with(const Plan& p, Status status, VendorErr vendor) {
    plan(p);
    run(40);
    CHECK(packets.empty());
    REQUIRE(done.size() == 1);
    CHECK(done[0].status == status);
    CHECK(done[0].vendor == vendor);
    CHECK(fails == 1);
    CHECK(failure == kSends);
    CHECK(dut->idle_o);
  }
};

}  // namespace

TEST_CASE("requester: UD-01: a datagram is one packet, complete when it has left") {
  Datagrams r;
  r.leaving = false;
  for (unsigned i = 0; i < 4; ++i) {
    r.plan(Datagrams::datagram(i, i % 2 == 0 ? WrOp::kSend : WrOp::kSendImm, i * 80));
  }
  r.run(60);
  REQUIRE(r.packets.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    const Packet& p = r.packets[i];
    CHECK(p.opcode == (i % 2 == 0 ? kUdSendOnly : kUdSendOnlyImm));
    CHECK(p.ext_len == (i % 2 == 0 ? 8 : 12));
    CHECK(p.len == i * 80);
    CHECK_FALSE(p.ack);
    CHECK(p.qkey == kQkey);
    CHECK(p.src_qp == kRow);
    CHECK(p.imm == (i % 2 == 0 ? 0 : 0x600D0000 + i));
    CHECK(p.dest_qpn == kDest);
    CHECK(p.ah == kHandle);
  }
  CHECK(r.psns() == List{kFirst, 0xFFFFFF, 0, 1});
  CHECK(r.done.empty());
  r.leaving = true;
  r.run(60);
  REQUIRE(r.done.size() == 4);
  for (const Completion& c : r.done) {
    CHECK(c.status == Status::kSuccess);
    CHECK(c.opcode == WcOp::kSend);
  }
  CHECK(r.dut->idle_o);
}

TEST_CASE("requester: UD-04: bit 31 of the request's Q_Key selects the queue pair's") {
  Datagrams r;
  for (const unsigned qkey : {0u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    Plan p = Datagrams::datagram(static_cast<unsigned>(r.packets.size()));
    p.qkey = qkey;
    r.plan(p);
    r.run(20);
    REQUIRE(!r.packets.empty());
    CHECK(r.packets.back().qkey == ((qkey >> 31) != 0 ? kOwnQkey : qkey));
  }
}

TEST_CASE("requester: UD-02: a message longer than the path MTU fails") {
  {
    Datagrams r;  // the path MTU is 256 bytes
    r.plan(Datagrams::datagram(0, WrOp::kSend, 256));
    r.run(40);
    CHECK(r.packets.size() == 1);
  }
  for (const unsigned size : {257u, 512u, 0x80000000u}) {
    Datagrams r;
    Plan p = Datagrams::datagram(0, WrOp::kSend, 256);
    p.msg_len = size;
    p.last = false;
    r.fails_with(p, Status::kLocLenErr, VendorErr::kLocalLength);
  }
}

TEST_CASE("requester: UD-13: an address handle that is not there, or of another domain") {
  for (unsigned which = 0; which < 5; ++which) {
    Datagrams r;
    Plan p = Datagrams::datagram(0);
    if (which == 0) p.ah = kHandle - 1;
    if (which == 1) p.ah = kHandle + kHandles;
    if (which == 2) p.ah = kHandle + 0x8000;
    if (which == 3) r.handle(kHandle, 1);
    if (which == 4) r.handle(kHandle, 0, false);
    r.handle(kHandle + kHandles, 0);  // no such row
    if (which == 4) r.handle(kHandle, 0, false);
    r.fails_with(p, Status::kLocQpOpErr, VendorErr::kAddressHandle);
  }
}

TEST_CASE("requester: UD: operations that datagrams do not have") {
  for (const WrOp opcode :
       {WrOp::kWrite, WrOp::kWriteImm, WrOp::kRead, WrOp::kCmpSwap, WrOp::kFetchAdd, WrOp::kSendInv,
        WrOp::kLocalInv, WrOp::kBindMw, WrOp::kRegMr}) {
    Datagrams r;
    Plan p = Datagrams::datagram(0, opcode);
    p.segments = false;
    r.fails_with(p, Status::kLocQpOpErr, VendorErr::kLocalFormat);
    CHECK(r.operations == 0);
  }
}

TEST_CASE("requester: UD: which error a request with several has") {
  // As the model has it: format, length, address handle, list.
  Plan p = Datagrams::datagram(0);
  p.ah = kHandle + 1;
  p.msg_len = 300;
  p.status = Status::kFatalErr;
  Datagrams().fails_with(p, Status::kFatalErr, VendorErr::kLocalFetch);
  p.status = Status::kLocQpOpErr;
  Datagrams().fails_with(p, Status::kLocQpOpErr, VendorErr::kLocalFormat);
  p.status = Status::kLocProtErr;
  Datagrams().fails_with(p, Status::kLocLenErr, VendorErr::kLocalLength);
  p.msg_len = 64;
  Datagrams().fails_with(p, Status::kLocQpOpErr, VendorErr::kAddressHandle);
  p.ah = kHandle;
  Datagrams().fails_with(p, Status::kLocProtErr, VendorErr::kLocalKey);
}

TEST_CASE("requester: UD: datagrams and handles do not concern a connection") {
  Rig r;
  Plan p{0};
  p.ah = 5;  // part of its remote address
  p.msg_len = 512;
  p.len = 256;
  p.last = false;
  r.plan(p);
  r.run(40);
  REQUIRE(r.packets.size() == 1);
  CHECK(r.packets[0].opcode == kRcWriteFirst);
}
