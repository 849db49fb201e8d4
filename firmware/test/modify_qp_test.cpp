// ModifyQp and QueryQp: the state machine of 10.3.1 with the attributes of 11.2.5.2.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "firmware/commands/qp_rows.hpp"
#include "mock_nic.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

namespace body = roci::layout::qp_attributes;

constexpr std::uint32_t kSqe = 5;
constexpr std::uint32_t kStates[] = {kQpReset, kQpInit, kQpRtr, kQpRts, kQpSqd, kQpErr};

/// A good value for every attribute.
Body attributes(std::uint32_t qpn, std::uint32_t state, std::uint32_t mask) {
  return Body()
      .put(body::qpn, qpn)
      .put(body::attr_mask, mask | mask_of(kQpMaskState))
      .put(body::state, state)
      .put(body::path_mtu, 3)
      .put(body::access, 0xE)
      .put(body::pkey_index, 0)
      .put(body::port, 1)
      .put(body::timeout, 14)
      .put(body::retry_cnt, 6)
      .put(body::rnr_retry, 7)
      .put(body::min_rnr_timer, 12)
      .put(body::max_rd_atomic, 5)
      .put(body::max_dest_rd_atomic, 16)
      .put(body::sgid_index, 0)
      .put(body::hop_limit, 7)
      .put(body::traffic_class, 0x6A)
      .put(body::dest_qpn, 0xABCDEF)
      .put(body::sq_psn, 0xFFFFFD)
      .put(body::rq_psn, 0x123456)
      .put(body::flow_label, 0)
      .put(body::dgid_hi, kPeerIpv4.hi)
      .put(body::dgid_lo, kPeerIpv4.lo)
      .put(body::dst_mac, kPeerMac)
      .put(body::sl, 3);
}

template <typename... Bits>
std::uint32_t set(Bits... bits) {
  return (0u | ... | mask_of(bits));
}

const std::uint32_t kInitNeeds = set(kQpMaskPkeyIndex, kQpMaskPort, kQpMaskAccessFlags);
const std::uint32_t kRtrNeeds = set(kQpMaskAv, kQpMaskPathMtu, kQpMaskDestQpn, kQpMaskRqPsn,
                                    kQpMaskMaxDestRdAtomic, kQpMaskMinRnrTimer);
const std::uint32_t kRtsNeeds =
    set(kQpMaskSqPsn, kQpMaskTimeout, kQpMaskRetryCnt, kQpMaskRnrRetry, kQpMaskMaxQpRdAtomic);

std::uint32_t needs(std::uint32_t from, std::uint32_t to) {
  if (from == kQpReset && to == kQpInit) return kInitNeeds;
  if (from == kQpInit && to == kQpRtr) return kRtrNeeds;
  if (from == kQpRtr && to == kQpRts) return kRtsNeeds;
  return 0;
}

/// A bench with a queue pair in any state.
class QpBench : public Bench {
 public:
  explicit QpBench(const Config& config = Bench::config()) : Bench(config) {
    set_gid(0, kOwnIpv4);
    set_gid(1, kOwnIpv6, 100);
    domain = pd();
    queue = cq();
    qpn = qp(domain, queue);
  }
  Answer modify(std::uint32_t to, std::uint32_t mask) {
    return run(kAdminOpModifyQp, attributes(qpn, to, mask));
  }
  void bring(std::uint32_t state) {
    if (state == kQpReset) return;
    go(kQpInit, kInitNeeds);
    if (state == kQpErr) return go(kQpErr, 0);
    if (state == kQpInit) return;
    go(kQpRtr, kRtrNeeds);
    if (state == kQpRtr) return;
    go(kQpRts, kRtsNeeds);
    if (state == kQpRts) return;
    go(kQpSqd, 0);
    drained(true);
  }
  void go(std::uint32_t to, std::uint32_t mask) {
    REQUIRE(modify(to, mask).status == kAdminStatusOk);
    REQUIRE(nic.states[qpn] == to);
  }
  void drained(bool yes) { nic.row(kTableQpLive, qpn).put(qp_live::sq_idle, yes); }
  Answer query() { return run(kAdminOpQueryQp, Body().put(query_qp::qpn, qpn)); }
  Block& av() { return nic.row(kTableAv, qpn); }
  Block& attr() { return nic.row(kTableQpAttr, qpn); }

  std::uint32_t domain = 0;
  std::uint32_t queue = 0;
  std::uint32_t qpn = 0;
};

}  // namespace

TEST_CASE("ModifyQp: the 42 pairs of states, as Linux has them (QP-01)") {
  // Rows from qpstate.json of the Soft-RoCE captures: 1 allowed, for targets RESET, INIT, RTR, RTS,
  // SQD, SQE, ERR.
  const std::map<std::uint32_t, const char*> linux_matrix = {
      {kQpReset, "1100000"}, {kQpInit, "1110001"}, {kQpRtr, "1001001"},
      {kQpRts, "1001101"},   {kQpSqd, "1001101"},  {kQpErr, "1000001"}};
  for (const std::uint32_t from : kStates) {
    for (std::uint32_t to = kQpReset; to <= kQpErr; ++to) {
      CAPTURE(from);
      CAPTURE(to);
      QpBench bench;
      bench.bring(from);
      const bool allowed = linux_matrix.at(from)[to] == '1';
      if (allowed) {
        bench.go(to, needs(from, to));
      } else {
        bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, to, needs(from, to)),
                     kAdminStatusBadState, body::state);
        CHECK(bench.nic.states[bench.qpn] == from);
      }
    }
  }
  QpBench bench;
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, 7, 0), kAdminStatusBadState, body::state);
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kSqe, 0), kAdminStatusBadState, body::state);
}

TEST_CASE("ModifyQp: each missing attribute is refused (QP-02, QP-03, QP-04)") {
  const std::pair<std::uint32_t, std::uint32_t> steps[] = {
      {kQpReset, kQpInit}, {kQpInit, kQpRtr}, {kQpRtr, kQpRts}};
  for (const auto& step : steps) {
    const std::uint32_t from = step.first;
    const std::uint32_t to = step.second;
    const std::uint32_t all = needs(from, to);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((all & mask_of(bit)) == 0) continue;
      CAPTURE(to);
      CAPTURE(bit);
      QpBench bench;
      bench.bring(from);
      bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, to, all & ~mask_of(bit)),
                   kAdminStatusBadState, body::attr_mask);
    }
  }
}

TEST_CASE(
    "ModifyQp: attributes that do not belong are refused, optional ones taken (QP-05, QP-06)") {
  // What each transition may have besides what it needs (core/verbs.c).
  const std::uint32_t while_up = set(kQpMaskCurState, kQpMaskAccessFlags, kQpMaskMinRnrTimer);
  const struct {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t optional;
  } cases[] = {
      {kQpReset, kQpInit, 0},
      {kQpInit, kQpInit, kInitNeeds},
      {kQpInit, kQpRtr, set(kQpMaskPkeyIndex, kQpMaskAccessFlags)},
      {kQpRtr, kQpRts, while_up},
      {kQpRts, kQpRts, while_up},
      {kQpRts, kQpSqd, set(kQpMaskEnSqdAsyncNotify)},
      {kQpSqd, kQpRts, while_up},
      {kQpSqd, kQpSqd,
       kInitNeeds | set(kQpMaskAv, kQpMaskTimeout, kQpMaskRetryCnt, kQpMaskRnrRetry,
                        kQpMaskMaxQpRdAtomic, kQpMaskMaxDestRdAtomic, kQpMaskMinRnrTimer)},
      {kQpRts, kQpErr, 0},
      {kQpRts, kQpReset, 0},
  };
  const std::uint32_t known[] = {
      kQpMaskEnSqdAsyncNotify, kQpMaskCurState, kQpMaskAccessFlags, kQpMaskPkeyIndex,      kQpMaskPort,
      kQpMaskAv,       kQpMaskPathMtu,     kQpMaskTimeout,        kQpMaskRetryCnt,
      kQpMaskRnrRetry, kQpMaskRqPsn,       kQpMaskMaxQpRdAtomic,  kQpMaskMinRnrTimer,
      kQpMaskSqPsn,    kQpMaskDestQpn,     kQpMaskMaxDestRdAtomic};
  for (const auto& one : cases) {
    for (const std::uint32_t bit : known) {
      const std::uint32_t base = needs(one.from, one.to);
      if ((base & mask_of(bit)) != 0) continue;
      CAPTURE(one.from);
      CAPTURE(one.to);
      CAPTURE(bit);
      QpBench bench;
      bench.bring(one.from);
      const Body command =
          attributes(bench.qpn, one.to, base | mask_of(bit)).put(body::cur_state, one.from);
      if ((one.optional & mask_of(bit)) != 0) {
        CHECK(bench.run(kAdminOpModifyQp, command).status == kAdminStatusOk);
      } else {
        bench.refuse(kAdminOpModifyQp, command, kAdminStatusBadState, body::attr_mask);
      }
    }
  }
  QpBench bench;
  for (const unsigned bit : {6u, 14u, 18u, 19u, 21u, 31u}) {  // Q_Key, alternate path, ...
    bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kQpInit, kInitNeeds | mask_of(bit)),
                 kAdminStatusBadParameter, body::attr_mask);
  }
}

TEST_CASE("ModifyQp: values out of range are refused and change nothing (QP-07)") {
  const struct {
    std::uint32_t from;
    std::uint32_t to;
    Place field;
    std::uint64_t value;
    std::uint32_t status;
  } cases[] = {
      {kQpReset, kQpInit, body::pkey_index, 1, kAdminStatusBadParameter},
      {kQpReset, kQpInit, body::port, 0, kAdminStatusBadParameter},
      {kQpReset, kQpInit, body::port, 2, kAdminStatusBadParameter},
      {kQpReset, kQpInit, body::access, 0x10, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::path_mtu, 0, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::path_mtu, 6, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::min_rnr_timer, 32, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::max_dest_rd_atomic, 17, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dest_qpn, 0x1000000, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::sgid_index, 2, kAdminStatusBadHandle},
      {kQpInit, kQpRtr, body::sgid_index, 16, kAdminStatusBadHandle},
      {kQpInit, kQpRtr, body::flow_label, 0x100000, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::sl, 8, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dgid_lo, 0xFFFFE0000001, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dgid_hi, 0xFD00ull << 48, kAdminStatusBadParameter},
      {kQpInit, kQpRtr, body::dst_mac, 0x010000000000, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::timeout, 32, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::retry_cnt, 8, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::rnr_retry, 8, kAdminStatusBadParameter},
      {kQpRtr, kQpRts, body::max_rd_atomic, 17, kAdminStatusBadParameter},
  };
  for (const auto& one : cases) {
    CAPTURE(one.field.offset);
    CAPTURE(one.value);
    QpBench bench;
    bench.bring(one.from);
    const Body command =
        attributes(bench.qpn, one.to, needs(one.from, one.to)).put(one.field, one.value);
    // A GID of the wrong family is blamed on its first byte.
    Place blamed = one.field;
    if (one.field.offset == body::dgid_lo.offset) blamed = body::dgid_hi;
    bench.refuse(kAdminOpModifyQp, command, one.status, blamed);
  }
  QpBench bench;
  bench.bring(kQpRts);
  bench.refuse(kAdminOpModifyQp,
               attributes(bench.qpn, kQpRts, set(kQpMaskCurState)).put(body::cur_state, kQpRtr),
               kAdminStatusBadState, body::cur_state);
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn + 1, kQpErr, 0), kAdminStatusBadHandle,
               body::qpn);
  bench.refuse(kAdminOpModifyQp, attributes(0, kQpErr, 0), kAdminStatusBadHandle, body::qpn);
}

TEST_CASE("ModifyQp: rows first, state last; the rows say what was given") {
  QpBench bench;
  bench.bring(kQpInit);
  std::size_t before = bench.nic.actions.size();
  bench.go(kQpRtr, kRtrNeeds);
  REQUIRE(bench.nic.actions.size() == before + 3);
  CHECK(bench.nic.actions[before].table == kTableQpAttr);
  CHECK(bench.nic.actions[before + 1].table == kTableAv);
  CHECK(bench.nic.actions[before + 2].kind == Action::kState);
  before = bench.nic.actions.size();
  bench.go(kQpRts, kRtsNeeds);
  REQUIRE(bench.nic.actions.size() == before + 2);
  CHECK(bench.nic.actions[before].table == kTableQpAttr);
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
  bench.bring(kQpInit);
  const Body command = attributes(bench.qpn, kQpRtr, kRtrNeeds)
                           .put(body::sgid_index, 1)
                           .put(body::dgid_hi, kPeerIpv6.hi)
                           .put(body::dgid_lo, kPeerIpv6.lo)
                           .put(body::flow_label, 0x12345)
                           .put(body::hop_limit, 0);
  REQUIRE(bench.run(kAdminOpModifyQp, command).status == kAdminStatusOk);
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

TEST_CASE("ModifyQp: PSNs are cut to 24 bits (QP-07)") {
  QpBench bench;
  bench.bring(kQpInit);
  const Body command = attributes(bench.qpn, kQpRtr, kRtrNeeds).put(body::rq_psn, 0x1FFFFFF);
  CHECK(bench.run(kAdminOpModifyQp, command).status == kAdminStatusOk);
  CHECK(bench.attr().get(qp_attr::rq_psn) == 0xFFFFFF);
}

TEST_CASE("QueryQp: what ModifyQp set, and live PSNs (QP-17)") {
  QpBench bench;
  Answer answer = bench.query();
  CHECK(answer.get(body::state) == kQpReset);
  bench.bring(kQpInit);
  bench.nic.row(kTableQpLive, bench.qpn).put(qp_live::rq_psn, 0x999999);  // of an older life
  CHECK(bench.query().get(body::rq_psn) == 0);
  bench.go(kQpRtr, kRtrNeeds);
  bench.nic.row(kTableQpLive, bench.qpn).put(qp_live::rq_psn, 0x123460);
  bench.nic.row(kTableQpLive, bench.qpn).put(qp_live::sq_psn, 0x777777);
  answer = bench.query();
  CHECK(answer.get(body::rq_psn) == 0x123460);
  CHECK(answer.get(body::sq_psn) == 0);
  bench.go(kQpRts, kRtsNeeds);
  bench.nic.row(kTableQpLive, bench.qpn).put(qp_live::sq_psn, 0x000001);
  answer = bench.query();
  CHECK(answer.get(body::state) == kQpRts);
  CHECK(answer.get(body::qpn) == bench.qpn);
  CHECK(answer.get(body::path_mtu) == 3);
  CHECK(answer.get(body::access) == 0xE);
  CHECK(answer.get(body::port) == 1);
  CHECK(answer.get(body::timeout) == 14);
  CHECK(answer.get(body::retry_cnt) == 6);
  CHECK(answer.get(body::rnr_retry) == 7);
  CHECK(answer.get(body::min_rnr_timer) == 12);
  CHECK(answer.get(body::max_rd_atomic) == 5);
  CHECK(answer.get(body::max_dest_rd_atomic) == 16);
  CHECK(answer.get(body::hop_limit) == 7);
  CHECK(answer.get(body::traffic_class) == 0x6A);
  CHECK(answer.get(body::dest_qpn) == 0xABCDEF);
  CHECK(answer.get(body::sq_psn) == 1);
  CHECK(answer.get(body::dgid_lo) == kPeerIpv4.lo);
  CHECK(answer.get(body::dst_mac) == kPeerMac);
  CHECK(answer.get(body::sl) == 3);
}

TEST_CASE("ModifyQp: a failure between reading and writing the state is not lost") {
  QpBench bench;
  bench.bring(kQpRtr);
  bench.nic.before_state = [&](std::uint32_t qpn) { bench.nic.states[qpn] = kQpErr; };
  bench.modify(kQpRts, kRtsNeeds);
  CHECK(bench.nic.states[bench.qpn] == kQpErr);
}

TEST_CASE("ModifyQp: SQD tells the end of draining once, when asked (QP-12)") {
  for (const bool asked : {true, false}) {
    for (const bool fails : {false, true}) {
      QpBench bench;
      bench.bring(kQpRts);
      bench.drained(false);
      const std::size_t before = bench.nic.actions.size();
      const Body to_sqd =
          attributes(bench.qpn, kQpSqd, set(kQpMaskEnSqdAsyncNotify)).put(body::flags, asked);
      CHECK(bench.run(kAdminOpModifyQp, to_sqd).status == kAdminStatusOk);
      CHECK(bench.nic.actions[before + 1].kind == Action::kState);
      CHECK(bench.nic.actions[before + 2].kind == Action::kFence);  // idleness means something now
      for (int i = 0; i < 100; ++i) bench.firmware->poll();
      CHECK(bench.nic.posted.empty());
      CHECK(bench.query().get(body::flags) == 2);
      bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kQpRts, 0), kAdminStatusBadState,
                   body::state);  // QP-13
      CHECK((bench.firmware->deadline() != ~std::uint64_t{0}) == asked);
      if (fails) bench.nic.states[bench.qpn] = kQpErr;
      bench.drained(true);
      for (int i = 0; i < 100; ++i) {
        bench.nic.now = std::min(bench.firmware->deadline(), bench.nic.now + 1000);
        bench.firmware->poll();
      }
      if (asked && !fails) {
        REQUIRE(bench.nic.posted.size() == 1);
        CHECK(bench.nic.posted[0] == (kEventSqDrained << 24 | bench.qpn));
      } else {
        CHECK(bench.nic.posted.empty());
      }
      CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
      CHECK(bench.query().get(body::flags) == 0);
    }
  }
}

TEST_CASE("ModifyQp, DestroyQp: what leaves SQD before it drained gets no SqDrained") {
  QpBench bench;
  bench.bring(kQpRts);
  bench.drained(false);
  bench.run(kAdminOpModifyQp,
            attributes(bench.qpn, kQpSqd, set(kQpMaskEnSqdAsyncNotify)).put(body::flags, 1));
  bench.go(kQpReset, 0);
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  bench.bring(kQpRts);
  bench.drained(false);
  bench.run(kAdminOpModifyQp,
            attributes(bench.qpn, kQpSqd, set(kQpMaskEnSqdAsyncNotify)).put(body::flags, 1));
  bench.run(kAdminOpDestroyQp, Body().put(destroy_qp::qpn, bench.qpn));
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  CHECK(bench.nic.posted.empty());
}

TEST_CASE("ModifyQp: the P_Key is that of the index, as the table has it then (WIRE-23, WIRE-24)") {
  QpBench bench;
  const auto set_pkey = [&](unsigned index, unsigned pkey) {
    return bench.run(kAdminOpSetPkey,
                     Body().put(set_pkey::index, index).put(set_pkey::pkey, pkey)).status;
  };
  CHECK(set_pkey(3, 0x7ABC) == kAdminStatusOk);
  Body init = attributes(bench.qpn, kQpInit, kInitNeeds).put(body::pkey_index, 4);
  bench.refuse(kAdminOpModifyQp, init, kAdminStatusBadParameter, body::pkey_index);  // empty
  init.put(body::pkey_index, 16);
  bench.refuse(kAdminOpModifyQp, init, kAdminStatusBadParameter, body::pkey_index);
  init.put(body::pkey_index, 3);
  CHECK(bench.run(kAdminOpModifyQp, init).status == kAdminStatusOk);
  bench.go(kQpRtr, kRtrNeeds);
  CHECK(bench.av().get(av::pkey) == 0x7ABC);
  CHECK(bench.query().get(body::pkey_index) == 3);
  bench.go(kQpRts, kRtsNeeds);
  bench.go(kQpSqd, 0);
  bench.drained(true);
  const std::uint64_t address = bench.av().get({96, 64});
  CHECK(bench.run(kAdminOpModifyQp, attributes(bench.qpn, kQpSqd, set(kQpMaskPkeyIndex))).status ==
        kAdminStatusOk);
  CHECK(bench.av().get(av::pkey) == 0xFFFF);
  CHECK(bench.av().get({96, 64}) == address);
}

TEST_CASE("ModifyQp: a path MTU above the port's is refused (WIRE-42)") {
  // Ethernet MTU against the largest path MTU: it needs 84 bytes more than the payload.
  const std::pair<unsigned, unsigned> ports[] = {{1500, 3}, {1108, 3}, {1107, 2}, {4180, 5},
                                                 {4179, 4}, {2132, 4}, {9000, 5}};
  for (const auto& [mtu, largest] : ports) {
    CAPTURE(mtu);
    Config config = Bench::config();
    config.port_mtu = mtu;
    QpBench bench(config);
    CHECK(bench.run(kAdminOpQueryPort).get(query_port_reply::active_mtu) == largest);
    CHECK(bench.run(kAdminOpQueryPort).get(query_port_reply::max_mtu) == 5);
    bench.bring(kQpInit);
    Body rtr = attributes(bench.qpn, kQpRtr, kRtrNeeds);
    rtr.put(body::path_mtu, largest + 1);
    bench.refuse(kAdminOpModifyQp, rtr, kAdminStatusBadParameter, body::path_mtu);
    rtr.put(body::path_mtu, largest);
    CHECK(bench.run(kAdminOpModifyQp, rtr).status == kAdminStatusOk);
  }
}

TEST_CASE("ModifyQp: an address of RoCE v1 carries whole GIDs") {
  QpBench bench;
  bench.run(kAdminOpSetGid, Bench::gid_body(0, kOwnIpv4).put(set_gid::roce_v1, 1));
  CHECK(bench.run(kAdminOpQueryGid, Body().put(query_gid::index, 0)).get(query_gid_reply::roce_v1) ==
        1);
  bench.bring(kQpRtr);
  CHECK(bench.av().get(av::roce_v1) == 1);
  CHECK(bench.av().get(av::ipv6) == 1);
  CHECK(bench.av().get({av::src_ip.offset, 64}) == kOwnIpv4.lo);
  CHECK(bench.av().get({av::dst_ip.offset, 64}) == kPeerIpv4.lo);
}

TEST_CASE("poll: engine events are taken off the queue") {
  QpBench bench;
  bench.nic.events.push_back(mask_of(31) | kEventCommEst << 24 | bench.qpn);
  CHECK(bench.firmware->poll());
  CHECK(bench.nic.events.empty());
  CHECK_FALSE(bench.firmware->poll());
}

TEST_CASE("ModifyQp: RESET forgets, and returns when the old life is over (QP-09)") {
  for (const std::uint32_t from : kStates) {
    QpBench bench;
    bench.bring(from);
    const std::size_t before = bench.nic.actions.size();
    bench.go(kQpReset, 0);
    REQUIRE(bench.nic.actions.size() == before + 2);
    CHECK(bench.nic.actions[before].kind == Action::kState);
    CHECK(bench.nic.actions[before + 1].kind == Action::kFence);
    const Answer answer = bench.query();
    CHECK(answer.get(body::dest_qpn) == 0);
    CHECK(answer.get(body::sq_psn) == 0);
    CHECK(answer.get(body::rq_psn) == 0);
    CHECK(answer.get(body::path_mtu) == 0);
    bench.bring(kQpRts);  // a second life
  }
}

TEST_CASE("ModifyQp: SQD goes on only when drained (QP-13)") {
  QpBench bench;
  bench.bring(kQpRts);
  bench.go(kQpSqd, 0);
  bench.drained(false);
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kQpRts, 0), kAdminStatusBadState,
               body::state);
  bench.refuse(kAdminOpModifyQp, attributes(bench.qpn, kQpSqd, set(kQpMaskTimeout)),
               kAdminStatusBadState, body::state);
  bench.drained(true);
  bench.go(kQpRts, 0);
}

TEST_CASE("ModifyQp: without a new state it changes attributes in place") {
  QpBench bench;
  bench.bring(kQpRts);
  Body command = attributes(bench.qpn, 0, 0);
  command.put(body::attr_mask, set(kQpMaskMinRnrTimer)).put(body::min_rnr_timer, 1);
  const std::size_t before = bench.nic.actions.size();
  CHECK(bench.run(kAdminOpModifyQp, command).status == kAdminStatusOk);
  CHECK(bench.nic.states[bench.qpn] == kQpRts);
  CHECK(bench.nic.actions.size() == before + 1);
  CHECK(bench.attr().get(qp_attr::min_rnr_timer) == 1);
  CHECK(bench.query().get(body::min_rnr_timer) == 1);
}

TEST_CASE("SetGid: an entry that a queue pair uses stays") {
  QpBench bench;
  bench.bring(kQpRtr);
  bench.refuse(kAdminOpSetGid, Bench::gid_body(0, kOwnIpv6), kAdminStatusBusy, set_gid::index);
  bench.refuse(kAdminOpSetGid, Bench::gid_body(0, {0, 0}), kAdminStatusBusy, set_gid::index);
  CHECK(bench.set_gid(0, kOwnIpv4).status == kAdminStatusOk);  // no change
  bench.go(kQpReset, 0);
  CHECK(bench.set_gid(0, {0, 0}).status == kAdminStatusOk);
}
