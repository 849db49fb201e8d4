// SPDX-License-Identifier: Apache-2.0
// The rows that ModifyQp writes for a queue pair, and the values that QueryQp reads.
#include "firmware/commands/qp_rows.hpp"

#include <doctest/doctest.h>

#include <set>

#include "firmware/test/qp_bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("ModifyQp: rows first, state last; the rows equal the command") {
  QpBench bench;
  bench.bring(QpState::kInit);
  std::size_t before = bench.nic.actions.size();
  bench.go(QpState::kRtr, kRtrNeeds);
  REQUIRE(bench.nic.actions.size() == before + 3);
  CHECK(bench.nic.actions[before].table == Table::kQpAttr);
  CHECK(bench.nic.actions[before + 1].table == Table::kAv);
  CHECK(bench.nic.actions[before + 2].kind == Action::kState);
  before = bench.nic.actions.size();
  bench.go(QpState::kRts, kRtsNeeds);
  REQUIRE(bench.nic.actions.size() == before + 2);
  CHECK(bench.nic.actions[before].table == Table::kQpAttr);
  CHECK(bench.nic.actions[before + 1].kind == Action::kState);

  const Block& attr = bench.attr();
  CHECK(attr.get(qp_attr::pmtu) == 3);
  CHECK(attr.get(qp_attr::access) == 0xE);
  CHECK(attr.get(qp_attr::retry_cnt) == 6);
  CHECK(attr.get(qp_attr::rnr_retry) == 7);
  CHECK(attr.get(qp_attr::timeout) == 14);
  CHECK(attr.get(qp_attr::min_rnr_timer) == 12);
  CHECK(attr.get(qp_attr::max_rd_atomic) == 5);
  CHECK(attr.get(qp_attr::max_dest_rd_atomic) == 16);
  CHECK(attr.get(qp_attr::sq_psn) == 0xFFFFFD);
  CHECK(attr.get(qp_attr::rq_psn) == 0x123456);
  CHECK(attr.get(qp_attr::sq_base) == 0x7FFF00001000);
  CHECK(attr.get(qp_attr::pd) == bench.domain);

  const Block& av = bench.av();
  CHECK(av.get(av::dst_mac) == kPeerMac);
  CHECK(av.get(av::src_mac) == kOwnMac);
  CHECK(av.get({av::dst_ip.offset, 64}) == 0x0A000002);
  CHECK(av.get({av::dst_ip.offset + 64, 64}) == 0);
  CHECK(av.get({av::src_ip.offset, 64}) == 0x0A000001);
  CHECK(av.get(av::ipv6) == 0);
  CHECK(av.get(av::vlan) == 0);
  CHECK(av.get(av::vlan_tci) == 0);
  CHECK(av.get(av::traffic_class) == 0x6A);
  CHECK(av.get(av::hop_limit) == 7);
  CHECK(av.get(av::pkey) == 0xFFFF);
  CHECK(av.get(av::dest_qpn) == 0xABCDEF);
  CHECK(av.get(av::src_port) >= 0xC000);
}

TEST_CASE("ModifyQp: an IPv6 peer in a VLAN (WIRE-02, WIRE-08, WIRE-14)") {
  QpBench bench;
  bench.bring(QpState::kInit);
  const Body command = attributes(bench.qpn, QpState::kRtr, kRtrNeeds)
                           .put(body::sgid_index, 1)
                           .put(body::dgid_hi, kPeerIpv6.hi)
                           .put(body::dgid_lo, kPeerIpv6.lo)
                           .put(body::flow_label, 0x12345)
                           .put(body::hop_limit, 0);
  REQUIRE(bench.run(AdminOp::kModifyQp, command).status == AdminStatus::kOk);
  const Block& av = bench.av();
  CHECK(av.get(av::ipv6) == 1);
  CHECK(av.get({av::dst_ip.offset + 64, 64}) == kPeerIpv6.hi);
  CHECK(av.get({av::dst_ip.offset, 64}) == kPeerIpv6.lo);
  CHECK(av.get({av::src_ip.offset + 64, 64}) == kOwnIpv6.hi);
  CHECK(av.get(av::vlan) == 1);
  CHECK(av.get(av::vlan_tci) == (3 << 13 | 100));
  CHECK(av.get(av::flow_label) == 0x12345);
  CHECK(av.get(av::src_port) == 0xE341);
  CHECK(av.get(av::hop_limit) == 64);
}

TEST_CASE("source port: in range and different for most queue pairs (WIRE-13)") {
  std::set<std::uint32_t> ports;
  for (std::uint32_t qpn = 2; qpn < 102; ++qpn) {
    const std::uint32_t port = source_port(qpn, 0);
    CHECK(port >= 0xC000);
    CHECK(port <= 0xFFFF);
    ports.insert(port);
  }
  CHECK(ports.size() >= 90);
}

TEST_CASE("ModifyQp: only the low 24 bits of PSNs count (QP-07)") {
  QpBench bench;
  bench.bring(QpState::kInit);
  const Body command = attributes(bench.qpn, QpState::kRtr, kRtrNeeds).put(body::rq_psn, 0x1FFFFFF);
  CHECK(bench.run(AdminOp::kModifyQp, command).status == AdminStatus::kOk);
  CHECK(bench.attr().get(qp_attr::rq_psn) == 0xFFFFFF);
}

TEST_CASE("QueryQp: what ModifyQp set, and live PSNs (QP-17)") {
  QpBench bench;
  CommandReply reply = bench.query();
  CHECK(reply.get(body::state) == number(QpState::kReset));
  bench.bring(QpState::kInit);
  bench.nic.row(Table::kQpLive, bench.qpn)
      .put(qp_live::rq_psn, 0x999999);  // PSN of a former generation
  CHECK(bench.query().get(body::rq_psn) == 0);
  bench.go(QpState::kRtr, kRtrNeeds);
  bench.nic.row(Table::kQpLive, bench.qpn).put(qp_live::rq_psn, 0x123460);
  bench.nic.row(Table::kQpLive, bench.qpn).put(qp_live::sq_psn, 0x777777);
  reply = bench.query();
  CHECK(reply.get(body::rq_psn) == 0x123460);
  CHECK(reply.get(body::sq_psn) == 0);
  bench.go(QpState::kRts, kRtsNeeds);
  bench.nic.row(Table::kQpLive, bench.qpn).put(qp_live::sq_psn, 0x000001);
  reply = bench.query();
  CHECK(reply.get(body::state) == number(QpState::kRts));
  CHECK(reply.get(body::qpn) == bench.qpn);
  CHECK(reply.get(body::path_mtu) == 3);
  CHECK(reply.get(body::access) == 0xE);
  CHECK(reply.get(body::port) == 1);
  CHECK(reply.get(body::timeout) == 14);
  CHECK(reply.get(body::retry_cnt) == 6);
  CHECK(reply.get(body::rnr_retry) == 7);
  CHECK(reply.get(body::min_rnr_timer) == 12);
  CHECK(reply.get(body::max_rd_atomic) == 5);
  CHECK(reply.get(body::max_dest_rd_atomic) == 16);
  CHECK(reply.get(body::hop_limit) == 7);
  CHECK(reply.get(body::traffic_class) == 0x6A);
  CHECK(reply.get(body::dest_qpn) == 0xABCDEF);
  CHECK(reply.get(body::sq_psn) == 1);
  CHECK(reply.get(body::dgid_lo) == kPeerIpv4.lo);
  CHECK(reply.get(body::dst_mac) == kPeerMac);
  CHECK(reply.get(body::sl) == 3);
}

TEST_CASE(
    "ModifyQp: the P_Key is that of the index, as in the table at that time (WIRE-23, WIRE-24)") {
  QpBench bench;
  const auto set_pkey = [&](unsigned index, unsigned pkey) {
    return bench
        .run(AdminOp::kSetPkey, Body().put(set_pkey::index, index).put(set_pkey::pkey, pkey))
        .status;
  };
  CHECK(set_pkey(3, 0x7ABC) == AdminStatus::kOk);
  Body init = attributes(bench.qpn, QpState::kInit, kInitNeeds).put(body::pkey_index, 4);
  bench.reject(AdminOp::kModifyQp, init, AdminStatus::kBadParameter, body::pkey_index);  // empty
  init.put(body::pkey_index, 16);
  bench.reject(AdminOp::kModifyQp, init, AdminStatus::kBadParameter, body::pkey_index);
  init.put(body::pkey_index, 3);
  CHECK(bench.run(AdminOp::kModifyQp, init).status == AdminStatus::kOk);
  bench.go(QpState::kRtr, kRtrNeeds);
  CHECK(bench.av().get(av::pkey) == 0x7ABC);
  CHECK(bench.query().get(body::pkey_index) == 3);
  bench.go(QpState::kRts, kRtsNeeds);
  bench.go(QpState::kSqd, 0);
  bench.drained(true);
  const std::uint64_t address = bench.av().get({96, 64});
  CHECK(
      bench.run(AdminOp::kModifyQp, attributes(bench.qpn, QpState::kSqd, set(qp_mask::kPkeyIndex)))
          .status == AdminStatus::kOk);
  CHECK(bench.av().get(av::pkey) == 0xFFFF);
  CHECK(bench.av().get({96, 64}) == address);
}

TEST_CASE("ModifyQp: a path MTU above the port's is rejected (WIRE-42)") {
  // Pairs of Ethernet MTU and largest path MTU: a packet has 84 bytes more than payload.
  const std::pair<unsigned, unsigned> ports[] = {{1500, 3}, {1108, 3}, {1107, 2}, {4180, 5},
                                                 {4179, 4}, {2132, 4}, {9000, 5}};
  for (const auto& port : ports) {
    const unsigned mtu = port.first, largest = port.second;
    CAPTURE(mtu);
    Config config = Bench::config();
    config.port_mtu = mtu;
    QpBench bench(config);
    CHECK(bench.run(AdminOp::kQueryPort).get(query_port_reply::active_mtu) == largest);
    CHECK(bench.run(AdminOp::kQueryPort).get(query_port_reply::max_mtu) == 5);
    bench.bring(QpState::kInit);
    Body rtr = attributes(bench.qpn, QpState::kRtr, kRtrNeeds);
    rtr.put(body::path_mtu, largest + 1);
    bench.reject(AdminOp::kModifyQp, rtr, AdminStatus::kBadParameter, body::path_mtu);
    rtr.put(body::path_mtu, largest);
    CHECK(bench.run(AdminOp::kModifyQp, rtr).status == AdminStatus::kOk);
  }
}

TEST_CASE("ModifyQp: an address of RoCE v1 carries whole GIDs") {
  QpBench bench;
  bench.run(AdminOp::kSetGid, Bench::gid_body(0, kOwnIpv4).put(set_gid::roce_v1, 1));
  CHECK(bench.run(AdminOp::kQueryGid, Body().put(query_gid::index, 0))
            .get(query_gid_reply::roce_v1) == 1);
  bench.bring(QpState::kRtr);
  CHECK(bench.av().get(av::roce_v1) == 1);
  CHECK(bench.av().get(av::ipv6) == 1);
  CHECK(bench.av().get({av::src_ip.offset, 64}) == kOwnIpv4.lo);
  CHECK(bench.av().get({av::dst_ip.offset, 64}) == kPeerIpv4.lo);
}

TEST_CASE("SetGid: an entry that a queue pair uses stays") {
  QpBench bench;
  bench.bring(QpState::kRtr);
  bench.reject(AdminOp::kSetGid, Bench::gid_body(0, kOwnIpv6), AdminStatus::kBusy, set_gid::index);
  bench.reject(AdminOp::kSetGid, Bench::gid_body(0, {0, 0}), AdminStatus::kBusy, set_gid::index);
  CHECK(bench.set_gid(0, kOwnIpv4).status == AdminStatus::kOk);  // the same GID again: no change
  bench.go(QpState::kReset, 0);
  CHECK(bench.set_gid(0, {0, 0}).status == AdminStatus::kOk);
}
