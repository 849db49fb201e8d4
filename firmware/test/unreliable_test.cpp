// SPDX-License-Identifier: Apache-2.0
// UC and UD: what an adapter has, the attributes of their transitions, address handles, GIDs.
#include <doctest/doctest.h>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

namespace body = qp_attributes;

constexpr std::uint32_t kAll = bits(reg::parameters2::log_srqs, kLogSrqs) |
                               mask(reg::parameters2::uc) | mask(reg::parameters2::ud) |
                               bits(reg::parameters2::log_ahs, 3);

/// An adapter with all services, a GID and a queue pair of one of them.
struct ServiceBench : Bench {
  explicit ServiceBench(Service service) : Bench(config(), kAll) {
    set_gid(2, kOwnIpv4);
    domain = pd();
    const std::uint32_t cqn = cq();
    qpn = run_ok(AdminOp::kCreateQp, qp_body(domain, cqn, cqn).put(create_qp::service, service),
                 create_qp_reply::qpn);
  }
  AdminStatus modify(QpState state, std::uint32_t attributes) {
    return run(AdminOp::kModifyQp, Body()
                                       .put(body::qpn, qpn)
                                       .put(body::attr_mask, qp_mask::kState | attributes)
                                       .put(body::state, state)
                                       .put(body::cur_state, nic.states[qpn])
                                       .put(body::path_mtu, 3)
                                       .put(body::port, 1)
                                       .put(body::sgid_index, 2)
                                       .put(body::dgid_hi, kPeerIpv4.hi)
                                       .put(body::dgid_lo, kPeerIpv4.lo)
                                       .put(body::dst_mac, kPeerMac)
                                       .put(body::qkey, 0x89ABCDEF))
        .status;
  }
  Body handle(std::uint64_t mac = kPeerMac) const {
    return Body()
        .put(create_ah::pd, domain)
        .put(create_ah::sgid_index, 2)
        .put(create_ah::hop_limit, 9)
        .put(create_ah::traffic_class, 0x28)
        .put(create_ah::flow_label, 0x12345)
        .put(create_ah::dgid_hi, kPeerIpv4.hi)
        .put(create_ah::dgid_lo, kPeerIpv4.lo)
        .put(create_ah::dst_mac, mac);
  }

  std::uint32_t domain = 0, qpn = 0;
};

struct Transition {
  QpState from, to;
  std::uint32_t required, optional;
};

constexpr std::uint32_t kPlace = qp_mask::kPkeyIndex | qp_mask::kPort;
constexpr std::uint32_t kPath =
    qp_mask::kAv | qp_mask::kPathMtu | qp_mask::kDestQpn | qp_mask::kRqPsn;
constexpr std::uint32_t kUcUp = qp_mask::kCurState | qp_mask::kAccessFlags;
constexpr std::uint32_t kUdUp = qp_mask::kCurState | qp_mask::kQkey;

// qp_state_table of Linux (drivers/infiniband/core/verbs.c), without alternate paths.
const std::vector<Transition> kUc = {
    {QpState::kReset, QpState::kInit, kPlace | qp_mask::kAccessFlags, 0},
    {QpState::kInit, QpState::kInit, 0, kPlace | qp_mask::kAccessFlags},
    {QpState::kInit, QpState::kRtr, kPath, qp_mask::kPkeyIndex | qp_mask::kAccessFlags},
    {QpState::kRtr, QpState::kRts, qp_mask::kSqPsn, kUcUp},
    {QpState::kRts, QpState::kRts, 0, kUcUp},
    {QpState::kRts, QpState::kSqd, 0, qp_mask::kEnSqdAsyncNotify},
    {QpState::kSqd, QpState::kRts, 0, kUcUp},
    {QpState::kSqd, QpState::kSqd, 0, qp_mask::kAv | qp_mask::kAccessFlags | qp_mask::kPkeyIndex},
    {QpState::kSqe, QpState::kRts, 0, kUcUp},
};
const std::vector<Transition> kUd = {
    {QpState::kReset, QpState::kInit, kPlace | qp_mask::kQkey, 0},
    {QpState::kInit, QpState::kInit, 0, kPlace | qp_mask::kQkey},
    {QpState::kInit, QpState::kRtr, 0, qp_mask::kPkeyIndex | qp_mask::kQkey},
    {QpState::kRtr, QpState::kRts, qp_mask::kSqPsn, kUdUp},
    {QpState::kRts, QpState::kRts, 0, kUdUp},
    {QpState::kRts, QpState::kSqd, 0, qp_mask::kEnSqdAsyncNotify},
    {QpState::kSqd, QpState::kRts, 0, kUdUp},
    {QpState::kSqd, QpState::kSqd, 0, qp_mask::kPkeyIndex | qp_mask::kQkey},
    {QpState::kSqe, QpState::kRts, 0, kUdUp},
};

void check_transitions(Service service, const std::vector<Transition>& table) {
  for (const Transition& one : table) {
    for (unsigned bit = 1; bit <= 20; ++bit) {
      const std::uint32_t attribute = 1u << bit;
      CAPTURE(number(one.from));
      CAPTURE(number(one.to));
      CAPTURE(bit);
      ServiceBench bench(service);
      bench.nic.states[bench.qpn] = one.from;
      bench.nic.row(Table::kQpLive, bench.qpn).put(qp_live::sq_idle, 1);
      const bool required = (one.required & attribute) != 0;
      const AdminStatus status = bench.modify(one.to, one.required ^ attribute);
      CHECK((status == AdminStatus::kOk) == (!required && (one.optional & attribute) != 0));
      bench.nic.states[bench.qpn] = one.from;
      CHECK(bench.modify(one.to, one.required) == AdminStatus::kOk);
      if (one.from != QpState::kSqe) continue;
      // 10.3.1: what was posted in SQE is flushed, so its doorbells arrive before RTS.
      CHECK((bench.nic.actions.end() - 2)->kind == Action::kFence);
    }
  }
}

}  // namespace

TEST_CASE("an adapter of RC alone makes no queue pairs of UC and UD, and no address handles") {
  Bench bench;
  const std::uint32_t pd = bench.pd(), cqn = bench.cq();
  CHECK(bench.run(AdminOp::kQueryDevice).get(query_device_reply::services) == 1);
  CHECK(bench.run(AdminOp::kQueryDevice).get(query_device_reply::max_ah) == 0);
  for (const Service service : {Service::kUc, Service::kUd}) {
    bench.reject(AdminOp::kCreateQp, Bench::qp_body(pd, cqn, cqn).put(create_qp::service, service),
                 AdminStatus::kUnsupported, create_qp::service);
  }
  bench.reject(AdminOp::kCreateQp, Bench::qp_body(pd, cqn, cqn).put(create_qp::service, 3),
               AdminStatus::kBadParameter, create_qp::service);
  CHECK(bench.run(AdminOp::kCreateAh).status == AdminStatus::kUnsupported);
  bench.qp(pd, cqn);
  bench.set_gid(0, kOwnIpv4);
  for (const Action& action : bench.nic.actions) {
    CHECK_FALSE((action.kind == Action::kRow && number(action.table) >= number(Table::kQpService)));
  }
}

TEST_CASE("an adapter with UC and UD says so") {
  ServiceBench bench(Service::kUd);
  const CommandReply device = bench.run(AdminOp::kQueryDevice);
  CHECK(device.get(query_device_reply::services) == 7);
  CHECK(device.get(query_device_reply::max_ah) == 8);
  CHECK(bench.nic.row(Table::kQpService, bench.qpn).get(qp_service::service) == 2);
  // The next queue pair of that number may have another service.
  CHECK(bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, bench.qpn)).status ==
        AdminStatus::kOk);
  const std::uint32_t cqn = bench.cq();
  for (unsigned i = 0; i < 14; ++i) bench.qp(bench.domain, cqn);
  CHECK(bench.nic.row(Table::kQpService, bench.qpn).get(qp_service::service) == 0);
}

TEST_CASE("ModifyQp: attributes of UC") { check_transitions(Service::kUc, kUc); }
TEST_CASE("ModifyQp: attributes of UD") { check_transitions(Service::kUd, kUd); }

TEST_CASE("ModifyQp: a UD queue pair has a Q_Key, the partition and the path MTU of the port") {
  ServiceBench bench(Service::kUd);
  CHECK(bench.modify(QpState::kInit, kPlace | qp_mask::kQkey) == AdminStatus::kOk);
  CHECK(bench.nic.row(Table::kQpService, bench.qpn).get(qp_service::qkey) == 0x89ABCDEF);
  CHECK(bench.nic.row(Table::kAv, bench.qpn).get(av::pkey) == 0xFFFF);
  CHECK(bench.nic.row(Table::kQpAttr, bench.qpn).get(qp_attr::pmtu) == 5);
  CHECK(bench.run(AdminOp::kQueryQp, Body().put(query_qp::qpn, bench.qpn)).get(body::qkey) ==
        0x89ABCDEF);
  // It uses no GID by itself.
  CHECK(bench.modify(QpState::kRtr, 0) == AdminStatus::kOk);
  CHECK(bench.set_gid(2, kOwnIpv6).status == AdminStatus::kOk);
}

TEST_CASE("CreateAh: the row is that of the address, its objects are in use") {
  ServiceBench bench(Service::kUd);
  const std::uint32_t ah = bench.run_ok(AdminOp::kCreateAh, bench.handle(), create_ah_reply::ah);
  const Block row = bench.nic.row(Table::kAh, ah);
  CHECK(row.get(ah::valid) == 1);
  CHECK(row.get(ah::pd) == bench.domain);
  CHECK(row.get(av::dst_mac) == kPeerMac);
  CHECK(row.get(av::src_mac) == kOwnMac);
  CHECK(row.get({av::dst_ip.offset, 64}) == 0x0A000002);
  CHECK(row.get({av::src_ip.offset, 64}) == 0x0A000001);
  CHECK(row.get(av::hop_limit) == 9);
  CHECK(row.get(av::traffic_class) == 0x28);
  CHECK(bench.set_gid(2, kOwnIpv6).status == AdminStatus::kBusy);
  std::vector<std::uint32_t> all = {ah};
  for (unsigned i = 1; i < 8; ++i) {
    all.push_back(bench.run_ok(AdminOp::kCreateAh, bench.handle(), create_ah_reply::ah));
  }
  CHECK(bench.run(AdminOp::kCreateAh, bench.handle()).status == AdminStatus::kNoResource);
  for (const std::uint32_t one : all) {
    CHECK(bench.run(AdminOp::kDestroyAh, Body().put(destroy_ah::ah, one)).status ==
          AdminStatus::kOk);
    CHECK(bench.nic.row(Table::kAh, one).get(ah::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);
  }
  bench.reject(AdminOp::kDestroyAh, Body().put(destroy_ah::ah, ah), AdminStatus::kBadHandle,
               destroy_ah::ah);
  CHECK(bench.set_gid(2, kOwnIpv6).status == AdminStatus::kOk);
}

TEST_CASE("CreateAh: what it rejects") {
  ServiceBench bench(Service::kUd);
  const auto reject = [&](const Body& command, AdminStatus status, Place field) {
    bench.reject(AdminOp::kCreateAh, command, status, field);
  };
  reject(bench.handle().put(create_ah::pd, 77), AdminStatus::kBadHandle, create_ah::pd);
  reject(bench.handle().put(create_ah::sgid_index, 3), AdminStatus::kBadHandle,
         create_ah::sgid_index);
  reject(bench.handle().put(create_ah::sl, 8), AdminStatus::kBadParameter, create_ah::sl);
  reject(bench.handle().put(create_ah::flow_label, 0x100000), AdminStatus::kBadParameter,
         create_ah::flow_label);
  reject(bench.handle().put(create_ah::dgid_lo, 0), AdminStatus::kBadParameter, create_ah::dgid_hi);
  reject(bench.handle().put(create_ah::dgid_lo, gid_of_ipv4(0xFFFFFFFF).lo),
         AdminStatus::kBadParameter, create_ah::dgid_hi);
  reject(bench.handle().put(create_ah::dgid_hi, 0xFF0E000000000000), AdminStatus::kBadParameter,
         create_ah::dgid_hi);  // a group of another family than the own address
  reject(bench.handle(0x010000000000), AdminStatus::kBadParameter, create_ah::dst_mac);
}

TEST_CASE("SetGid: the adapter learns the GIDs of datagrams") {
  ServiceBench bench(Service::kUd);
  const Block row = bench.nic.row(Table::kGid, 2);
  CHECK(row.get({gid::gid.offset, 64}) == kOwnIpv4.lo);
  CHECK(row.get({gid::gid.offset + 64, 64}) == kOwnIpv4.hi);
  CHECK(row.get(gid::valid) == 1);
  CHECK(row.get(gid::vlan) == 0);
  bench.set_gid(5, kOwnIpv6, 100);
  CHECK(bench.nic.row(Table::kGid, 5).get(gid::vlan) == 1);
  CHECK(bench.nic.row(Table::kGid, 5).get(gid::vid) == 100);
  bench.set_gid(2, Gid());
  CHECK(bench.nic.row(Table::kGid, 2).get(gid::valid) == 0);
}

TEST_CASE("CreateAh: the MAC address of a group follows from its address") {
  ServiceBench bench(Service::kUd);
  bench.set_gid(3, kOwnIpv6);
  struct {
    std::uint32_t sgid_index;
    Gid group;
    Mac mac;  // RFC 1112, 6.4; RFC 2464, 7
  } const kCases[] = {
      {2, gid_of_ipv4(0xE00000FB), 0x01005E0000FB},
      {2, gid_of_ipv4(0xEFFFFFFA), 0x01005E7FFFFA},
      {3, {0xFF0E000000000000, 0x1122334455667788}, 0x333355667788},
  };
  for (const auto& one : kCases) {
    const Body command = bench
                             .handle(0x010000000000)  // not looked at
                             .put(create_ah::sgid_index, one.sgid_index)
                             .put(create_ah::dgid_hi, one.group.hi)
                             .put(create_ah::dgid_lo, one.group.lo);
    const std::uint32_t ah = bench.run_ok(AdminOp::kCreateAh, command, create_ah_reply::ah);
    CHECK(bench.nic.row(Table::kAh, ah).get(av::dst_mac) == one.mac);
  }
}
