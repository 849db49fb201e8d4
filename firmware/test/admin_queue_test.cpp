// SPDX-License-Identifier: Apache-2.0
// Start, and the rings of commands and replies, on a mock adapter.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("start: sets the port's MAC address, or takes the present one") {
  Bench bench;
  CHECK(bench.nic.mac == kOwnMac);
  MockNic nic;
  nic.mac = 0x02ABCDEF0123;
  const auto firmware = std::make_unique<Firmware>(nic.hal(), Config());
  firmware->start();
  CHECK(nic.mac == 0x02ABCDEF0123);
  CHECK_FALSE(firmware->poll());
  CHECK(firmware->deadline() == ~std::uint64_t{0});
}

TEST_CASE("firmware: two adapters in one process do not mix") {
  Bench a;
  Bench b;
  const std::uint32_t pd = a.pd();
  b.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBadHandle,
           dealloc_pd::pd);
  CHECK(a.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
}

TEST_CASE("admin queue: replies come in order around the ring and past 2^16") {
  Bench bench;
  bench.nic.admin_doorbell = bench.nic.admin_done = 0xFFFE;
  for (int i = 0; i < 5; ++i) {
    CHECK(bench.run(AdminOp::kQueryPort).status == AdminStatus::kOk);
  }
  CHECK(bench.nic.admin_done == 3);
}

TEST_CASE("admin queue: an unknown opcode is rejected") {
  Bench bench;
  for (const unsigned opcode : {0u, 99u, 0xFFFFu}) {
    const CommandReply reply = bench.run(AdminOp(opcode));
    CHECK(reply.status == AdminStatus::kBadOpcode);
  }
}

TEST_CASE("admin queue: a command that cannot be read gets HardwareError") {
  Bench bench;
  bench.nic.bad_address = bench.nic.admin_base;
  bench.give(AdminOp::kAllocPd, Body());
  for (int i = 0; i < 3; ++i) bench.firmware->poll();
  CHECK(bench.nic.admin_done == 1);
  CHECK((bench.nic.memory[bench.nic.admin_reply][0] & 0xFFFF) ==
        number(AdminStatus::kHardwareError));
  // The second block of a long command.
  bench.nic.bad_address = bench.nic.admin_base + 128 + 64;
  bench.give(AdminOp::kModifyQp, Body().put(qp_attributes::attr_mask, qp_mask::kAv));
  for (int i = 0; i < 3; ++i) bench.firmware->poll();
  CHECK(bench.nic.admin_done == 2);
  CHECK((bench.nic.memory[bench.nic.admin_reply + 128][0] & 0xFFFF) ==
        number(AdminStatus::kHardwareError));
}

TEST_CASE("admin queue: one block each way unless a command needs two; the header is last") {
  Bench bench;
  const std::uint32_t qpn = bench.qp(bench.pd(), bench.cq());
  struct Case {
    AdminOp opcode;
    Body body;
    std::size_t reads, writes;
  };
  const std::vector<Case> cases = {
      {AdminOp::kQueryPort, Body(), 1, 1},
      {AdminOp::kQueryDevice, Body(), 1, 2},
      {AdminOp::kQueryQp, Body().put(query_qp::qpn, qpn), 1, 2},
      {AdminOp::kQueryQp, Body().put(query_qp::qpn, 1), 1, 1},
      {AdminOp::kModifyQp, Body().put(qp_attributes::qpn, qpn), 1, 1},
      {AdminOp::kModifyQp,
       Body().put(qp_attributes::qpn, qpn).put(qp_attributes::attr_mask, qp_mask::kAv), 2, 1},
      {AdminOp::kQueryCounters, Body(), 1, 2},
  };
  for (const Case& one : cases) {
    CAPTURE(one.opcode);
    bench.nic.reads.clear();
    bench.nic.writes.clear();
    const std::uint64_t slot = (bench.nic.admin_doorbell & 1) * 128;
    bench.run(one.opcode, one.body);
    REQUIRE(bench.nic.reads.size() == one.reads);
    REQUIRE(bench.nic.writes.size() == one.writes);
    CHECK(bench.nic.reads.front() == bench.nic.admin_base + slot);
    CHECK(bench.nic.writes.back() == bench.nic.admin_reply + slot);
  }
}

TEST_CASE("admin queue: set-up takes at most 110 register accesses a command") {
  Bench bench;
  const auto count = [&](AdminOp opcode, const Body& body) {
    bench.nic.accesses = 0;
    bench.run(opcode, body);
    return bench.nic.accesses;
  };
  CHECK(count(AdminOp::kAllocPd, Body()) < 40);
  CHECK(count(AdminOp::kCreateCq, Bench::cq_body()) < 60);
  CHECK(count(AdminOp::kRegMr, Bench::mr_body(1)) < 70);
  CHECK(count(AdminOp::kCreateQp, Bench::qp_body(1, 0, 0)) < 80);
}

TEST_CASE("hardware that does not respond: HardwareError, and the object remains") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t key = bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pd), reg_mr_reply::key);
  bench.nic.fence_stuck = true;
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status ==
        AdminStatus::kHardwareError);
  bench.nic.fence_stuck = false;
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status == AdminStatus::kOk);
}
