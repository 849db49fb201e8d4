// SPDX-License-Identifier: Apache-2.0
// Every admin command, good and bad, on a mock adapter.
#include <doctest/doctest.h>

#include <set>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("start: sets the port's MAC address, or takes the one that is there") {
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
  b.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBadHandle,
           dealloc_pd::pd);
  CHECK(a.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
}

TEST_CASE("admin queue: commands are answered in order around the ring and past 2^16") {
  Bench bench;
  bench.nic.admin_doorbell = bench.nic.admin_done = 0xFFFE;
  for (int i = 0; i < 5; ++i) {
    CHECK(bench.run(AdminOp::kQueryPort).status == AdminStatus::kOk);
  }
  CHECK(bench.nic.admin_done == 3);
}

TEST_CASE("admin queue: an unknown opcode is refused") {
  Bench bench;
  for (const unsigned opcode : {0u, 29u, 0xFFFFu}) {
    const Answer answer = bench.run(AdminOp(opcode));
    CHECK(answer.status == AdminStatus::kBadOpcode);
  }
}

TEST_CASE("admin queue: a command that cannot be read is answered with HardwareError") {
  Bench bench;
  bench.nic.bad_address = bench.nic.admin_base;
  bench.give(AdminOp::kAllocPd, Body());
  for (int i = 0; i < 3; ++i) bench.firmware->poll();
  CHECK(bench.nic.admin_done == 1);
  CHECK((bench.nic.memory[bench.nic.admin_reply][0] & 0xFFFF) ==
        number(AdminStatus::kHardwareError));
  // The second block of a command that has one.
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

TEST_CASE("QueryCounters: of the port in order, of a queue pair, and checked") {
  Bench bench;
  for (unsigned i = 0; i < 16; ++i)
    bench.nic.counters[i] = (0x0123456789ABull << 4 | i) % (1ull << 48);
  Answer port = bench.run(AdminOp::kQueryCounters);
  CHECK(port.status == AdminStatus::kOk);
  CHECK(port.get(port_counters_reply::drop_icrc) == bench.nic.counters[number(DropCause::kIcrc)]);
  CHECK(port.get(port_counters_reply::drop_out_of_sequence) ==
        bench.nic.counters[number(DropCause::kOutOfSequence)]);
  CHECK(port.get(port_counters_reply::rx_frames) ==
        bench.nic.counters[number(PortCounter::kRxFrames)]);
  CHECK(port.get(port_counters_reply::tx_bytes) ==
        bench.nic.counters[number(PortCounter::kTxBytes)]);
  CHECK(port.get(port_counters_reply::rx_ethernet) ==
        bench.nic.counters[number(PortCounter::kRxEthernet)]);
  const std::uint32_t qpn = bench.qp(bench.pd(), bench.cq());
  for (unsigned i = 0; i < 16; ++i) bench.nic.row(Table::kQpCounters, qpn).word[i] = 0x1000 + i;
  const Answer qp = bench.run(AdminOp::kQueryCounters,
                              Body().put(query_counters::of_qp, 1).put(query_counters::qpn, qpn));
  CHECK(qp.get(qp_counters_reply::tx_packets) == 0x0000100100001000);
  CHECK(qp.get(qp_counters_reply::naks_received) == 0x0000100F0000100E);
  bench.refuse(AdminOp::kQueryCounters, Body().put(query_counters::of_qp, 2),
               AdminStatus::kBadParameter, query_counters::of_qp);
  bench.refuse(AdminOp::kQueryCounters, Body().put(query_counters::qpn, qpn),
               AdminStatus::kBadParameter, query_counters::qpn);
  bench.refuse(AdminOp::kQueryCounters, Body().put(query_counters::of_qp, 1),
               AdminStatus::kBadHandle, query_counters::qpn);
}

TEST_CASE("QueryDevice and QueryPort: limits and address") {
  Bench bench;
  const Answer device = bench.run(AdminOp::kQueryDevice);
  CHECK(device.get(query_device_reply::max_qp) == 14);
  CHECK(device.get(query_device_reply::max_cq) == 16);
  CHECK(device.get(query_device_reply::max_mr) == 15);
  CHECK(device.get(query_device_reply::max_qp_wr) == 32768);
  CHECK(device.get(query_device_reply::max_cqe) == 65536);
  CHECK(device.get(query_device_reply::max_sge) == 13);
  CHECK(device.get(query_device_reply::max_inline) == 192);
  CHECK(device.get(query_device_reply::max_rd_atomic) == 16);
  CHECK(device.get(query_device_reply::max_gid) == 16);
  CHECK(device.get(query_device_reply::max_message) == 0x80000000);
  CHECK(device.get(query_device_reply::max_srq) == 4);
  CHECK(device.get(query_device_reply::max_srq_wr) == 32768);
  CHECK(device.get(query_device_reply::max_pkeys) == 16);
  CHECK(device.get(query_device_reply::max_mw) == 15);
  const Answer port = bench.run(AdminOp::kQueryPort);
  CHECK(port.get(query_port_reply::state) == 4);
  CHECK(port.get(query_port_reply::max_mtu) == 5);
  CHECK(port.get(query_port_reply::pkey) == 0xFFFF);
  CHECK(port.get(query_port_reply::mac) == kOwnMac);
}

TEST_CASE("SetGid, QueryGid: entries are kept, cleared, and checked") {
  Bench bench;
  CHECK(bench.set_gid(15, kOwnIpv6, 100).status == AdminStatus::kOk);
  Answer gid = bench.run(AdminOp::kQueryGid, Body().put(query_gid::index, 15));
  CHECK(gid.get(query_gid_reply::gid_hi) == kOwnIpv6.hi);
  CHECK(gid.get(query_gid_reply::gid_lo) == kOwnIpv6.lo);
  CHECK(gid.get(query_gid_reply::vlan) == 1);
  CHECK(gid.get(query_gid_reply::vid) == 100);
  CHECK(bench.set_gid(15, {0, 0}).status == AdminStatus::kOk);
  gid = bench.run(AdminOp::kQueryGid, Body().put(query_gid::index, 15));
  CHECK(gid.get(query_gid_reply::gid_lo) == 0);
  CHECK(gid.get(query_gid_reply::vlan) == 0);

  bench.refuse(AdminOp::kSetGid, Bench::gid_body(16, kOwnIpv4), AdminStatus::kBadHandle,
               set_gid::index);
  bench.refuse(AdminOp::kSetGid, Bench::gid_body(0, {0xFF02ull << 48, 1}),
               AdminStatus::kBadParameter, set_gid::gid_hi);
  bench.refuse(AdminOp::kSetGid, Bench::gid_body(0, gid_of_ipv4(0xE0000001)),
               AdminStatus::kBadParameter, set_gid::gid_hi);
  bench.refuse(AdminOp::kSetGid, Bench::gid_body(0, kOwnIpv4, 4095), AdminStatus::kBadParameter,
               set_gid::vid);
  bench.refuse(AdminOp::kSetGid, Bench::gid_body(0, kOwnIpv4, 7).put(set_gid::vlan, 0),
               AdminStatus::kBadParameter, set_gid::vid);
  bench.refuse(AdminOp::kQueryGid, Body().put(query_gid::index, 16), AdminStatus::kBadHandle,
               query_gid::index);
}

TEST_CASE("AllocPd, DeallocPd: 255 domains, refused while in use") {
  Bench bench;
  std::set<std::uint32_t> pds;
  for (int i = 0; i < 255; ++i) pds.insert(bench.pd());
  CHECK(pds.size() == 255);
  CHECK(pds.count(0) == 0);
  CHECK(bench.run(AdminOp::kAllocPd).status == AdminStatus::kNoResource);
  const std::uint32_t pd = *pds.begin();
  const std::uint32_t key = bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pd), reg_mr_reply::key);
  bench.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
               dealloc_pd::pd);
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status == AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
  for (const std::uint32_t bad : {pd, 0u, 256u, 0xFFFFFFFFu}) {
    bench.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, bad), AdminStatus::kBadHandle,
                 dealloc_pd::pd);
  }
}

TEST_CASE("CreateCq, ModifyCq, DestroyCq: the row says what the command says") {
  Bench bench;
  const std::uint32_t cqn = bench.cq();
  Block& row = bench.nic.row(Table::kCq, cqn);
  CHECK(row.get(cq::valid) == 1);
  CHECK(row.get(cq::pasid) == 0xABCDE);
  CHECK(row.get(cq::base) == 0x123456789000);
  CHECK(row.get(cq::log) == 4);
  CHECK(row.get(cq::moderation_period) == 0);
  const Body moderation =
      Body().put(modify_cq::cqn, cqn).put(modify_cq::count, 16).put(modify_cq::period, 50);
  CHECK(bench.run(AdminOp::kModifyCq, moderation).status == AdminStatus::kOk);
  CHECK(row.get(cq::moderation_count) == 16);
  CHECK(row.get(cq::moderation_period) == 50);
  CHECK(row.get(cq::base) == 0x123456789000);
  CHECK(bench.run(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn)).status ==
        AdminStatus::kOk);
  CHECK(row.get(cq::valid) == 0);
  CHECK(bench.nic.actions.back().kind == Action::kFence);

  bench.refuse(AdminOp::kModifyCq, moderation, AdminStatus::kBadHandle, modify_cq::cqn);
  bench.refuse(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn), AdminStatus::kBadHandle,
               destroy_cq::cqn);
  bench.refuse(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, 0xFFFFFFFF),
               AdminStatus::kBadHandle, destroy_cq::cqn);
  for (const unsigned log : {0u, 17u, 255u}) {
    bench.refuse(AdminOp::kCreateCq, Bench::cq_body().put(create_cq::log_entries, log),
                 AdminStatus::kBadParameter, create_cq::log_entries);
  }
  bench.refuse(AdminOp::kCreateCq, Bench::cq_body().put(create_cq::pasid, 1 << 20),
               AdminStatus::kBadParameter, create_cq::pasid);
  for (const std::uint64_t base : {0x1001ull, 0x1800ull, ~0ull << 12}) {
    bench.refuse(AdminOp::kCreateCq,
                 Bench::cq_body().put(create_cq::base, base).put(create_cq::log_entries, 16),
                 AdminStatus::kBadParameter, create_cq::base);
  }
  CHECK(bench.run(AdminOp::kCreateCq, Bench::cq_body().put(create_cq::base, ~0ull << 12)).status ==
        AdminStatus::kOk);  // ends with the last byte there is
  for (int i = 0; i < 15; ++i) bench.cq();
  CHECK(bench.run(AdminOp::kCreateCq, Bench::cq_body()).status == AdminStatus::kNoResource);
}

TEST_CASE("RegMr: the row says what the command says, the key changes at each reuse (MR-01)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  std::set<std::uint32_t> keys;
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t key = bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pd), reg_mr_reply::key);
    CHECK((key >> 8) >= 1);
    CHECK((key >> 8) < 16);
    CHECK(keys.insert(key).second);
    Block& row = bench.nic.row(Table::kKey, key >> 8);
    CHECK(row.get(key::valid) == 1);
    CHECK(row.get(key::variant) == (key & 0xFF));
    CHECK(row.get(key::pd) == pd);
    CHECK(row.get(key::access) == 0xF);
    CHECK(row.get(key::pasid) == 0x12345);
    CHECK(row.get(key::iova) == 0x1234567890);
    CHECK(row.get(key::length) == 0x10001);
    CHECK(row.get(key::addr) == 0x7F0012345678);
    for (unsigned bit = 0; bit < 8; ++bit) {
      bench.refuse(AdminOp::kDeregMr, Body().put(dereg_mr::key, key ^ 1u << bit),
                   AdminStatus::kBadHandle, dereg_mr::key);
    }
    CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status == AdminStatus::kOk);
    CHECK(row.get(key::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);  // MR-07
  }
  for (const std::uint32_t bad : {0u, 0x10101u, 0xFFFFFFFFu}) {
    bench.refuse(AdminOp::kDeregMr, Body().put(dereg_mr::key, bad), AdminStatus::kBadHandle,
                 dereg_mr::key);
  }
}

TEST_CASE("RegMr: rights, bounds and handles are checked (MR-04)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const Body good = Bench::mr_body(pd);
  for (std::uint32_t access = 0; access < 32; ++access) {
    CAPTURE(access);
    const bool remote_without_local = (access & 0b1010) != 0 && (access & 1) == 0;
    if (remote_without_local) {
      bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::access, access),
                   AdminStatus::kBadParameter, reg_mr::access);
    } else {
      const std::uint32_t key =
          bench.run_ok(AdminOp::kRegMr, Body(good).put(reg_mr::access, access), reg_mr_reply::key);
      CHECK(bench.nic.row(Table::kKey, key >> 8).get(key::access) == access);
      bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key));
    }
  }
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::access, 32), AdminStatus::kBadParameter,
               reg_mr::access);
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::pd, pd + 1), AdminStatus::kBadHandle,
               reg_mr::pd);
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::pasid, 1 << 20), AdminStatus::kBadParameter,
               reg_mr::pasid);
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::length, 0), AdminStatus::kBadParameter,
               reg_mr::length);
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::length, ~0ull), AdminStatus::kBadParameter,
               reg_mr::iova);
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::iova, ~0ull - 0x10000),
               AdminStatus::kBadParameter, reg_mr::iova);
  bench.refuse(AdminOp::kRegMr, Body(good).put(reg_mr::addr, ~0ull - 0x10000),
               AdminStatus::kBadParameter, reg_mr::addr);
  CHECK(bench.run(AdminOp::kRegMr, Body(good).put(reg_mr::iova, ~0ull - 0x10001)).status ==
        AdminStatus::kOk);
  for (int i = 0; i < 14; ++i) bench.run_ok(AdminOp::kRegMr, good, reg_mr_reply::key);
  CHECK(bench.run(AdminOp::kRegMr, good).status == AdminStatus::kNoResource);
}

TEST_CASE("CreateQp: the row says what the command says") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  bench.cq();
  const std::uint32_t send_cqn = bench.cq();
  const std::uint32_t recv_cqn = bench.cq();
  const std::uint32_t qpn = bench.run_ok(AdminOp::kCreateQp, Bench::qp_body(pd, send_cqn, recv_cqn),
                                         create_qp_reply::qpn);
  Block& row = bench.nic.row(Table::kQpAttr, qpn);
  CHECK(row.get(qp_attr::pd) == pd);
  CHECK(row.get(qp_attr::pasid) == 0xABCDE);
  CHECK(row.get(qp_attr::send_cqn) == send_cqn);
  CHECK(row.get(qp_attr::recv_cqn) == recv_cqn);
  CHECK(row.get(qp_attr::sq_base) == 0x7FFF00001000);
  CHECK(row.get(qp_attr::sq_log) == 6);
  CHECK(row.get(qp_attr::sq_stride_log) == 1);
  CHECK(row.get(qp_attr::rq_base) == 0x7FFF00042000);
  CHECK(row.get(qp_attr::rq_log) == 7);
  CHECK(row.get(qp_attr::rq_stride_log) == 2);
  CHECK(bench.nic.states[qpn] == QpState::kReset);
  CHECK(bench.nic.actions.back().kind == Action::kState);
  const std::uint32_t busy[] = {send_cqn, recv_cqn};
  for (const std::uint32_t cqn : busy) {
    bench.refuse(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn), AdminStatus::kBusy,
                 destroy_cq::cqn);
  }
  bench.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
               dealloc_pd::pd);
}

TEST_CASE("CreateQp: handles and ranges are checked") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  const Body good = Bench::qp_body(pd, cqn, cqn);
  const struct {
    Place field;
    std::uint64_t value;
    AdminStatus status;
  } cases[] = {
      {create_qp::pd, pd + 1, AdminStatus::kBadHandle},
      {create_qp::send_cqn, cqn + 1, AdminStatus::kBadHandle},
      {create_qp::recv_cqn, 0x10000 + cqn, AdminStatus::kBadHandle},
      {create_qp::pasid, 1 << 20, AdminStatus::kBadParameter},
      {create_qp::sq_log, 0, AdminStatus::kBadParameter},
      {create_qp::sq_log, 16, AdminStatus::kBadParameter},
      {create_qp::sq_stride_log, 3, AdminStatus::kBadParameter},
      {create_qp::rq_log, 0, AdminStatus::kBadParameter},
      {create_qp::rq_log, 16, AdminStatus::kBadParameter},
      {create_qp::rq_stride_log, 255, AdminStatus::kBadParameter},
      {create_qp::sq_base, 0x1040, AdminStatus::kBadParameter},
      {create_qp::sq_base, ~0ull << 12, AdminStatus::kBadParameter},
      {create_qp::rq_base, 0x800, AdminStatus::kBadParameter},
      {create_qp::rq_base, ~0ull << 12, AdminStatus::kBadParameter},
  };
  for (const auto& one : cases) {
    CAPTURE(one.field.offset);
    bench.refuse(AdminOp::kCreateQp, Body(good).put(one.field, one.value), one.status, one.field);
  }
}

TEST_CASE("CreateQp, DestroyQp: numbers from 2 up, reused as late as possible (QP-18, QP-19)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < 14; ++i) {
    last = bench.qp(pd, cqn);
    CHECK(last == 2 + i);
  }
  CHECK(bench.run(AdminOp::kCreateQp, Bench::qp_body(pd, cqn, cqn)).status ==
        AdminStatus::kNoResource);
  for (const std::uint32_t qpn : {9u, 3u}) {
    bench.nic.states[qpn] = QpState::kRts;
    const std::size_t before = bench.nic.actions.size();
    CHECK(bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn)).status ==
          AdminStatus::kOk);
    REQUIRE(bench.nic.actions.size() == before + 2);  // first silent, then fenced
    CHECK(bench.nic.actions[before].kind == Action::kState);
    CHECK(bench.nic.states[qpn] == QpState::kReset);
    CHECK(bench.nic.actions[before + 1].kind == Action::kFence);
  }
  CHECK(bench.qp(pd, cqn) == 9);
  CHECK(bench.qp(pd, cqn) == 3);
  for (const std::uint32_t bad : {0u, 1u, 16u, 1024u, 0xFFFFFFu, 0xFFFFFFFFu}) {
    bench.refuse(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, bad), AdminStatus::kBadHandle,
                 destroy_qp::qpn);
    bench.refuse(AdminOp::kQueryQp, Body().put(query_qp::qpn, bad), AdminStatus::kBadHandle,
                 query_qp::qpn);
  }
  for (std::uint32_t qpn = 2; qpn < 16; ++qpn) {
    CHECK(bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn)).status ==
          AdminStatus::kOk);
  }
  CHECK(bench.run(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn)).status ==
        AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
}

TEST_CASE("hardware that does not answer: HardwareError, and the object is still there") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t key = bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pd), reg_mr_reply::key);
  bench.nic.fence_stuck = true;
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status ==
        AdminStatus::kHardwareError);
  bench.nic.fence_stuck = false;
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status == AdminStatus::kOk);
}
