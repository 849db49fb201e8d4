// SPDX-License-Identifier: Apache-2.0
// Events that wait at the same time: which of them is read while another one is in hand.
#include <doctest/doctest.h>

#include "rtl/sq/requester/requester_rig.hpp"

using namespace requester_rig;

TEST_CASE("requester: a plan comes after the response of its queue pair that waits beside it") {
  for (unsigned opcode : {kRcAck, kRcReadRespOnly}) {
    CAPTURE(opcode);
    Rig r;
    r.plan({0, opcode == kRcAck ? WrOp::kWrite : WrOp::kRead});
    r.run(20);
    r.put_response(opcode, kFirst, opcode == kRcAck ? 0 : 64);
    r.dut->rsp_meta_valid_i = 1;
    for (unsigned i = 1; i < 8; ++i) r.plan({i});
    r.dut->rsp_meta_valid_i = 0;
    r.run(40);
    CHECK(r.packets.size() == 8);
    REQUIRE(r.done.size() == 1);
    CHECK(r.done[0].status == Status::kSuccess);
    CHECK(r.places.size() == (opcode == kRcAck ? 0 : 1));
  }
}

TEST_CASE("requester: a response comes after the report that waits beside it") {
  constexpr unsigned kPlans = 8;
  Rig r;
  r.plan({0});
  r.run(20);
  r.put_response(kRcAck, kFirst, 0);
  r.qp = kRow + 1;
  r.begin(0, 0, 0, Service::kUc);
  r.dut->rsp_meta_valid_i = 1;
  for (unsigned i = 0; i < kPlans; ++i) r.plan({i});
  r.run(60);
  r.dut->rsp_meta_valid_i = 0;
  r.run(40);
  CHECK(r.packets.size() == 1 + kPlans);
  CHECK(r.done.size() == 1 + kPlans);
}
