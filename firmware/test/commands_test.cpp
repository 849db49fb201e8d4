// SPDX-License-Identifier: Apache-2.0
// Admin commands of the port, of domains, completion queues and regions, valid and invalid, on a
// mock adapter.
#include <doctest/doctest.h>

#include <set>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("QueryCounters: of the port in order, of a queue pair, and checked") {
  Bench bench;
  for (unsigned i = 0; i < 16; ++i)
    bench.nic.counters[i] = (0x0123456789ABull << 4 | i) % (1ull << 48);
  CommandReply port = bench.run(AdminOp::kQueryCounters);
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
  const CommandReply qp = bench.run(
      AdminOp::kQueryCounters, Body().put(query_counters::of_qp, 1).put(query_counters::qpn, qpn));
  CHECK(qp.get(qp_counters_reply::tx_packets) == 0x0000100100001000);
  CHECK(qp.get(qp_counters_reply::naks_received) == 0x0000100F0000100E);
  bench.reject(AdminOp::kQueryCounters, Body().put(query_counters::of_qp, 2),
               AdminStatus::kBadParameter, query_counters::of_qp);
  bench.reject(AdminOp::kQueryCounters, Body().put(query_counters::qpn, qpn),
               AdminStatus::kBadParameter, query_counters::qpn);
  bench.reject(AdminOp::kQueryCounters, Body().put(query_counters::of_qp, 1),
               AdminStatus::kBadHandle, query_counters::qpn);
}

TEST_CASE("QueryDevice and QueryPort: limits and address") {
  Bench bench;
  const CommandReply device = bench.run(AdminOp::kQueryDevice);
  CHECK(device.get(query_device_reply::max_qp) == 14);
  CHECK(device.get(query_device_reply::max_cq) == 16);
  CHECK(device.get(query_device_reply::max_mr) == 11);
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
  CHECK(device.get(query_device_reply::max_mw) == 4);
  const CommandReply port = bench.run(AdminOp::kQueryPort);
  CHECK(port.get(query_port_reply::state) == 4);
  CHECK(port.get(query_port_reply::max_mtu) == 5);
  CHECK(port.get(query_port_reply::pkey) == 0xFFFF);
  CHECK(port.get(query_port_reply::mac) == kOwnMac);
}

TEST_CASE("an adapter without options says so and makes nothing that needs them") {
  const auto without = [](Option option) {
    const std::uint32_t absent = bits(reg::parameters2::absent, 1u << number(option));
    return std::make_unique<Bench>(Bench::config(), kLogSrqs | absent);
  };
  const Body window = Body().put(alloc_mw::pd, 1).put(alloc_mw::kind, KeyKind::kWindowType1);
  const auto atomics = without(Option::kAtomics);
  CHECK(atomics->run(AdminOp::kQueryDevice).get(query_device_reply::absent) == 1);
  CHECK(atomics->pd() == 1);
  CHECK(atomics->run(AdminOp::kAllocMw, window).status == AdminStatus::kOk);

  const auto keys = without(Option::kKeyOps);
  CHECK(keys->run(AdminOp::kQueryDevice).get(query_device_reply::absent) == 2);
  CHECK(keys->run(AdminOp::kQueryDevice).get(query_device_reply::max_mw) == 0);
  CHECK(keys->pd() == 1);
  CHECK(keys->run(AdminOp::kAllocMw, window).status == AdminStatus::kUnsupported);
  CHECK(keys->run(AdminOp::kAllocFastMr).status == AdminStatus::kUnsupported);

  const auto srqs = without(Option::kSrq);
  CHECK(srqs->run(AdminOp::kQueryDevice).get(query_device_reply::max_srq) == 0);
  CHECK(srqs->run(AdminOp::kCreateSrq).status == AdminStatus::kUnsupported);

  const auto counters = without(Option::kQpCounters);
  const std::uint32_t qpn = counters->qp(counters->pd(), counters->cq());
  counters->reject(AdminOp::kQueryCounters,
                   Body().put(query_counters::of_qp, 1).put(query_counters::qpn, qpn),
                   AdminStatus::kUnsupported, query_counters::of_qp);
  CHECK(counters->run(AdminOp::kQueryCounters).status == AdminStatus::kOk);

  const auto networks = without(Option::kNetworks);
  CHECK(networks->set_gid(0, kOwnIpv4).status == AdminStatus::kOk);
  CHECK(networks->set_gid(1, kOwnIpv6).status == AdminStatus::kUnsupported);
  CHECK(networks->set_gid(1, kOwnIpv4, 100).status == AdminStatus::kUnsupported);
  const Body version1 = Bench::gid_body(1, kOwnIpv4).put(set_gid::roce_v1, 1);
  CHECK(networks->run(AdminOp::kSetGid, version1).status == AdminStatus::kUnsupported);
  CHECK(networks->set_gid(0, {0, 0}).status == AdminStatus::kOk);
}

TEST_CASE("SetGid, QueryGid: entries are kept, cleared, and checked") {
  Bench bench;
  CHECK(bench.set_gid(15, kOwnIpv6, 100).status == AdminStatus::kOk);
  CommandReply gid = bench.run(AdminOp::kQueryGid, Body().put(query_gid::index, 15));
  CHECK(gid.get(query_gid_reply::gid_hi) == kOwnIpv6.hi);
  CHECK(gid.get(query_gid_reply::gid_lo) == kOwnIpv6.lo);
  CHECK(gid.get(query_gid_reply::vlan) == 1);
  CHECK(gid.get(query_gid_reply::vid) == 100);
  CHECK(bench.set_gid(15, {0, 0}).status == AdminStatus::kOk);
  gid = bench.run(AdminOp::kQueryGid, Body().put(query_gid::index, 15));
  CHECK(gid.get(query_gid_reply::gid_lo) == 0);
  CHECK(gid.get(query_gid_reply::vlan) == 0);

  bench.reject(AdminOp::kSetGid, Bench::gid_body(16, kOwnIpv4), AdminStatus::kBadHandle,
               set_gid::index);
  bench.reject(AdminOp::kSetGid, Bench::gid_body(0, {0xFF02ull << 48, 1}),
               AdminStatus::kBadParameter, set_gid::gid_hi);
  bench.reject(AdminOp::kSetGid, Bench::gid_body(0, gid_of_ipv4(0xE0000001)),
               AdminStatus::kBadParameter, set_gid::gid_hi);
  bench.reject(AdminOp::kSetGid, Bench::gid_body(0, kOwnIpv4, 4095), AdminStatus::kBadParameter,
               set_gid::vid);
  bench.reject(AdminOp::kSetGid, Bench::gid_body(0, kOwnIpv4, 7).put(set_gid::vlan, 0),
               AdminStatus::kBadParameter, set_gid::vid);
  bench.reject(AdminOp::kQueryGid, Body().put(query_gid::index, 16), AdminStatus::kBadHandle,
               query_gid::index);
}

TEST_CASE("AllocPd, DeallocPd: 4,095 domains, rejected while in use") {
  Bench bench;
  std::set<std::uint32_t> pds;
  for (int i = 0; i < 4095; ++i) pds.insert(bench.pd());
  CHECK(pds.size() == 4095);
  CHECK(pds.count(0) == 0);
  CHECK(bench.run(AdminOp::kAllocPd).status == AdminStatus::kNoResource);
  const std::uint32_t pd = *pds.begin();
  const std::uint32_t key = bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pd), reg_mr_reply::key);
  bench.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
               dealloc_pd::pd);
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status == AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
  for (const std::uint32_t bad : {pd, 0u, 4096u, 0xFFFFFFFFu}) {
    bench.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, bad), AdminStatus::kBadHandle,
                 dealloc_pd::pd);
  }
}

TEST_CASE("CreateCq, ModifyCq, DestroyCq: the row equals the command") {
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

  bench.reject(AdminOp::kModifyCq, moderation, AdminStatus::kBadHandle, modify_cq::cqn);
  bench.reject(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, cqn), AdminStatus::kBadHandle,
               destroy_cq::cqn);
  bench.reject(AdminOp::kDestroyCq, Body().put(destroy_cq::cqn, 0xFFFFFFFF),
               AdminStatus::kBadHandle, destroy_cq::cqn);
  for (const unsigned log : {0u, 17u, 255u}) {
    bench.reject(AdminOp::kCreateCq, Bench::cq_body().put(create_cq::log_entries, log),
                 AdminStatus::kBadParameter, create_cq::log_entries);
  }
  bench.reject(AdminOp::kCreateCq, Bench::cq_body().put(create_cq::pasid, 1 << 20),
               AdminStatus::kBadParameter, create_cq::pasid);
  for (const std::uint64_t base : {0x1001ull, 0x1800ull, ~0ull << 12}) {
    bench.reject(AdminOp::kCreateCq,
                 Bench::cq_body().put(create_cq::base, base).put(create_cq::log_entries, 16),
                 AdminStatus::kBadParameter, create_cq::base);
  }
  CHECK(bench.run(AdminOp::kCreateCq, Bench::cq_body().put(create_cq::base, ~0ull << 12)).status ==
        AdminStatus::kOk);  // ends with the last byte of the address space
  for (int i = 0; i < 15; ++i) bench.cq();
  CHECK(bench.run(AdminOp::kCreateCq, Bench::cq_body()).status == AdminStatus::kNoResource);
}

TEST_CASE("RegMr: the row equals the command, the key changes at each reuse (MR-01)") {
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
      bench.reject(AdminOp::kDeregMr, Body().put(dereg_mr::key, key ^ 1u << bit),
                   AdminStatus::kBadHandle, dereg_mr::key);
    }
    CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key)).status == AdminStatus::kOk);
    CHECK(row.get(key::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);  // MR-07
  }
  for (const std::uint32_t bad : {0u, 0x10101u, 0xFFFFFFFFu}) {
    bench.reject(AdminOp::kDeregMr, Body().put(dereg_mr::key, bad), AdminStatus::kBadHandle,
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
      bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::access, access),
                   AdminStatus::kBadParameter, reg_mr::access);
    } else {
      const std::uint32_t key =
          bench.run_ok(AdminOp::kRegMr, Body(good).put(reg_mr::access, access), reg_mr_reply::key);
      CHECK(bench.nic.row(Table::kKey, key >> 8).get(key::access) == access);
      bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key));
    }
  }
  bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::access, 32), AdminStatus::kBadParameter,
               reg_mr::access);
  bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::pd, pd + 1), AdminStatus::kBadHandle,
               reg_mr::pd);
  bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::pasid, 1 << 20), AdminStatus::kBadParameter,
               reg_mr::pasid);
  const std::uint32_t empty =
      bench.run_ok(AdminOp::kRegMr, Body(good).put(reg_mr::length, 0), reg_mr_reply::key);
  CHECK(bench.nic.row(Table::kKey, empty >> 8).get(key::length) == 0);
  bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, empty));
  bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::length, ~0ull), AdminStatus::kBadParameter,
               reg_mr::iova);
  bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::iova, ~0ull - 0x10000),
               AdminStatus::kBadParameter, reg_mr::iova);
  bench.reject(AdminOp::kRegMr, Body(good).put(reg_mr::addr, ~0ull - 0x10000),
               AdminStatus::kBadParameter, reg_mr::addr);
  CHECK(bench.run(AdminOp::kRegMr, Body(good).put(reg_mr::iova, ~0ull - 0x10001)).status ==
        AdminStatus::kOk);
  for (int i = 0; i < 10; ++i) bench.run_ok(AdminOp::kRegMr, good, reg_mr_reply::key);
  CHECK(bench.run(AdminOp::kRegMr, good).status == AdminStatus::kNoResource);
}

TEST_CASE("as many regions and windows as QueryDevice reports exist at once, and no more") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const CommandReply device = bench.run(AdminOp::kQueryDevice);
  const auto regions = static_cast<unsigned>(device.get(query_device_reply::max_mr));
  const auto windows = static_cast<unsigned>(device.get(query_device_reply::max_mw));
  const Body region = Bench::mr_body(pd);
  const Body window = Body().put(alloc_mw::pd, pd).put(alloc_mw::kind, KeyKind::kWindowType2);
  const Body fast = Body().put(alloc_fast_mr::pd, pd).put(alloc_fast_mr::pasid, 1);
  std::uint32_t last_region = 0, last_window = 0;
  for (int round = 0; round < 2; ++round) {
    for (unsigned i = round * (windows - 1); i < windows; ++i) {
      last_window = bench.run_ok(AdminOp::kAllocMw, window, alloc_mw_reply::key);
    }
    CHECK(bench.run(AdminOp::kAllocMw, window).status == AdminStatus::kNoResource);
    for (unsigned i = round * (regions - 1); i < regions; ++i) {
      last_region = bench.run_ok(AdminOp::kRegMr, region, reg_mr_reply::key);
    }
    CHECK(bench.run(AdminOp::kRegMr, region).status == AdminStatus::kNoResource);
    CHECK(bench.run(AdminOp::kAllocFastMr, fast).status == AdminStatus::kNoResource);
    const Body old_window = Body().put(dealloc_mw::key, last_window);
    CHECK(bench.run(AdminOp::kDeallocMw, old_window).status == AdminStatus::kOk);
    const Body old_region = Body().put(dereg_mr::key, last_region);
    CHECK(bench.run(AdminOp::kDeregMr, old_region).status == AdminStatus::kOk);
  }
}
