// SPDX-License-Identifier: Apache-2.0
// Windows, fast regions, shared receive queues, P_Keys, rings that move, overflow: on a mock
// adapter.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

/// What a work request does: binds the window `key` with a new variant to `region`.
void bind(Bench& bench, std::uint32_t key, std::uint32_t region) {
  Block& row = bench.nic.row(Table::kKey, key >> 8);
  row.put(key::valid, 1);
  row.put(key::variant, key & 0xFF);
  row.put(key::parent, region >> 8);
}

Body mr_with_binds(std::uint32_t pd) {
  return Bench::mr_body(pd).put(reg_mr::access, 0xF | access::kMwBind);
}

}  // namespace

TEST_CASE("AllocMw, DeallocMw: an unbound row; the key as allocated or as last bound") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  for (const std::uint32_t kind : {number(KeyKind::kWindowType1), number(KeyKind::kWindowType2)}) {
    const std::uint32_t key = bench.window(pd, kind);
    const Block& row = bench.nic.row(Table::kKey, key >> 8);
    CHECK(row.get(key::valid) == 0);
    CHECK(row.get(key::variant) == (key & 0xFF));
    CHECK(row.get(key::pd) == pd);
    CHECK(row.get(key::kind) == kind);
    CHECK(row.get(key::remote_only) == 1);
    bench.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
                 dealloc_pd::pd);
    bench.refuse(AdminOp::kDeregMr, Body().put(dereg_mr::key, key), AdminStatus::kBadHandle,
                 dereg_mr::key);
    bind(bench, (key & ~0xFFu) | 0x77, 0x500);
    bench.refuse(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, (key & ~0xFFu) | 0x78),
                 AdminStatus::kBadHandle, dealloc_mw::key);
    CHECK(
        bench.run(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, (key & ~0xFFu) | 0x77)).status ==
        AdminStatus::kOk);
    CHECK(bench.nic.row(Table::kKey, key >> 8).get(key::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);
    bench.refuse(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, key), AdminStatus::kBadHandle,
                 dealloc_mw::key);
  }
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
  const std::uint32_t other = bench.pd();
  bench.refuse(AdminOp::kAllocMw, Body().put(alloc_mw::pd, pd).put(alloc_mw::kind, 1),
               AdminStatus::kBadHandle, alloc_mw::pd);
  for (const std::uint32_t kind :
       {number(KeyKind::kRegion), number(KeyKind::kFastRegion), 4u, 0xFFFFFFFFu}) {
    bench.refuse(AdminOp::kAllocMw, Body().put(alloc_mw::pd, other).put(alloc_mw::kind, kind),
                 AdminStatus::kBadParameter, alloc_mw::kind);
  }
  const std::uint32_t region =
      bench.run_ok(AdminOp::kRegMr, Bench::mr_body(other), reg_mr_reply::key);
  bench.refuse(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, region), AdminStatus::kBadHandle,
               dealloc_mw::key);
}

TEST_CASE("AllocMw: a key that was bound is not given out again for long") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 15 * 100; ++i) {
    const std::uint32_t key = bench.window(pd, number(KeyKind::kWindowType2));
    CHECK(seen.insert(key).second);
    const std::uint32_t bound = (key & ~0xFFu) | ((key + 1) & 0xFF);
    bind(bench, bound, 0x500);
    CHECK(seen.insert(bound).second);
    bench.run(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, bound));
  }
}

TEST_CASE("DeregMr, ReregMr: refused while windows are bound, and nothing stays changed (MR-08)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t region = bench.run_ok(AdminOp::kRegMr, mr_with_binds(pd), reg_mr_reply::key);
  const std::uint32_t other = bench.run_ok(AdminOp::kRegMr, mr_with_binds(pd), reg_mr_reply::key);
  const std::uint32_t window = bench.window(pd, number(KeyKind::kWindowType1));
  bind(bench, window + 1, region);
  const Block before = bench.nic.row(Table::kKey, region >> 8);
  for (const AdminOp opcode : {AdminOp::kDeregMr, AdminOp::kReregMr}) {
    const Answer answer = bench.run(
        opcode, Body().put(rereg_mr::key, region).put(rereg_mr::what, 4).put(rereg_mr::access, 1));
    CHECK(answer.status == AdminStatus::kBusy);
    CHECK(answer.detail == 8);
    for (unsigned i = 0; i < 16; ++i) {
      CHECK(bench.nic.row(Table::kKey, region >> 8).word[i] == before.word[i]);
    }
  }
  // No bind may slip in between the look and the end: MwBind goes first.
  const std::size_t at = bench.nic.actions.size();
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, other)).status == AdminStatus::kOk);
  REQUIRE(bench.nic.actions.size() == at + 3);
  CHECK(bench.nic.actions[at].row == other >> 8);
  CHECK(bench.nic.actions[at + 1].row == other >> 8);
  CHECK(bench.nic.actions[at + 2].kind == Action::kFence);
  // Unbound, or bound to something else, it is free to go.
  bind(bench, window + 2, 0x700);
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, region)).status == AdminStatus::kOk);
}

TEST_CASE("ReregMr: range, domain and rights, one by one and together; the key stays") {
  Bench bench;
  const std::uint32_t pds[] = {bench.pd(), bench.pd()};
  for (std::uint32_t what = 1; what < 8; ++what) {
    CAPTURE(what);
    const std::uint32_t key =
        bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pds[0]), reg_mr_reply::key);
    const Body change = Body()
                            .put(rereg_mr::key, key)
                            .put(rereg_mr::what, what)
                            .put(rereg_mr::pd, pds[1])
                            .put(rereg_mr::access, 5)
                            .put(rereg_mr::iova, 0x5000)
                            .put(rereg_mr::length, 0x777)
                            .put(rereg_mr::addr, 0x9000);
    const std::size_t at = bench.nic.actions.size();
    CHECK(bench.run(AdminOp::kReregMr, change).status == AdminStatus::kOk);
    // Dead, fence, new: no access sees a mix.
    REQUIRE(bench.nic.actions.size() == at + 3);
    CHECK(bench.nic.actions[at + 1].kind == Action::kFence);
    const Block& row = bench.nic.row(Table::kKey, key >> 8);
    CHECK(row.get(key::valid) == 1);
    CHECK(row.get(key::variant) == (key & 0xFF));
    CHECK(row.get(key::pasid) == 0x12345);
    CHECK(row.get(key::iova) == (what & 1 ? 0x5000 : 0x1234567890));
    CHECK(row.get(key::length) == (what & 1 ? 0x777 : 0x10001));
    CHECK(row.get(key::addr) == (what & 1 ? 0x9000 : 0x7F0012345678));
    CHECK(row.get(key::pd) == (what & 2 ? pds[1] : pds[0]));
    CHECK(row.get(key::access) == (what & 4 ? 5 : 0xF));
    bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, key));
  }
  const std::uint32_t key =
      bench.run_ok(AdminOp::kRegMr, Bench::mr_body(pds[0]), reg_mr_reply::key);
  const Body good = Body()
                        .put(rereg_mr::key, key)
                        .put(rereg_mr::what, 7)
                        .put(rereg_mr::pd, pds[1])
                        .put(rereg_mr::length, 1);
  const auto refused = [&](Place field, std::uint64_t value, AdminStatus status, Place blamed) {
    bench.refuse(AdminOp::kReregMr, Body(good).put(field, value), status, blamed);
  };
  refused(rereg_mr::key, key + 1, AdminStatus::kBadHandle, rereg_mr::key);
  refused(rereg_mr::what, 0, AdminStatus::kBadParameter, rereg_mr::what);
  refused(rereg_mr::what, 8, AdminStatus::kBadParameter, rereg_mr::what);
  refused(rereg_mr::pd, 99, AdminStatus::kBadHandle, rereg_mr::pd);
  refused(rereg_mr::access, 2, AdminStatus::kBadParameter, rereg_mr::access);
  refused(rereg_mr::length, 0, AdminStatus::kBadParameter, rereg_mr::length);
  refused(rereg_mr::iova, ~0ull, AdminStatus::kBadParameter, rereg_mr::iova);
  refused(rereg_mr::addr, ~0ull, AdminStatus::kBadParameter, rereg_mr::addr);
  // Both domains are in use by the right number of regions.
  CHECK(bench.run(AdminOp::kReregMr, good).status == AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pds[0])).status ==
        AdminStatus::kOk);
  bench.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pds[1]), AdminStatus::kBusy,
               dealloc_pd::pd);
}

TEST_CASE("AllocFastMr: a free row of its domain and address space") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const Body good = Body().put(alloc_fast_mr::pd, pd).put(alloc_fast_mr::pasid, 0x54321);
  const std::uint32_t key = bench.run_ok(AdminOp::kAllocFastMr, good, alloc_fast_mr_reply::key);
  const Block& row = bench.nic.row(Table::kKey, key >> 8);
  CHECK(row.get(key::valid) == 0);
  CHECK(row.get(key::kind) == number(KeyKind::kFastRegion));
  CHECK(row.get(key::pasid) == 0x54321);
  CHECK(row.get(key::pd) == pd);
  CHECK(row.get(key::remote_only) == 0);
  bench.refuse(AdminOp::kAllocFastMr, Body(good).put(alloc_fast_mr::pasid, 1 << 20),
               AdminStatus::kBadParameter, alloc_fast_mr::pasid);
  bench.refuse(AdminOp::kAllocFastMr, Body(good).put(alloc_fast_mr::pd, 77),
               AdminStatus::kBadHandle, alloc_fast_mr::pd);
  bench.refuse(AdminOp::kReregMr, Body().put(rereg_mr::key, key).put(rereg_mr::what, 4),
               AdminStatus::kBadHandle, rereg_mr::key);
  // A work request gave it another variant.
  bench.nic.row(Table::kKey, key >> 8).put(key::variant, 0xEE);
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, (key & ~0xFFu) | 0xEE)).status ==
        AdminStatus::kOk);
}

TEST_CASE("SRQ: create, modify, query, destroy; what is in use stays") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  const std::uint32_t srqn = bench.srq(pd);
  const Block& row = bench.nic.row(Table::kSrq, srqn);
  CHECK(row.get(srq::valid) == 1);
  CHECK(row.get(srq::pd) == pd);
  CHECK(row.get(srq::pasid) == 0xABCDE);
  CHECK(row.get(srq::base) == 0x7FFF00100000);
  CHECK(row.get(srq::log) == 6);
  CHECK(row.get(srq::stride_log) == 1);
  CHECK(row.get(srq::limit) == 3);
  const Block before = row;
  const auto modify = [&](std::uint32_t limit) {
    return Body().put(modify_srq::srqn, srqn).put(modify_srq::limit, limit);
  };
  CHECK(bench.run(AdminOp::kModifySrq, modify(64)).status == AdminStatus::kOk);
  Block expected = before;
  expected.put(srq::limit, 64);  // nothing else: the ring goes on
  for (unsigned i = 0; i < 16; ++i) CHECK(row.word[i] == expected.word[i]);
  bench.refuse(AdminOp::kModifySrq, modify(65), AdminStatus::kBadParameter, modify_srq::limit);
  Block& live = bench.nic.row(Table::kSrqLive, srqn);
  live.put(srq_live::producer, 5);
  live.put(srq_live::consumer, 0xFFFE);
  live.put(srq_live::limit, 9);
  const Answer query = bench.run(AdminOp::kQuerySrq, Body().put(query_srq::srqn, srqn));
  CHECK(query.get(query_srq_reply::filled) == 7);
  CHECK(query.get(query_srq_reply::limit) == 9);

  const Body of_srq = Bench::qp_body(pd, cqn, cqn)
                          .put(create_qp::srq, 1)
                          .put(create_qp::srqn, srqn)
                          .put(create_qp::credits, 1)
                          .put(create_qp::rq_log, 0)
                          .put(create_qp::rq_base, 5);
  const std::uint32_t qpn = bench.run_ok(AdminOp::kCreateQp, of_srq, create_qp_reply::qpn);
  const Block& attr = bench.nic.row(Table::kQpAttr, qpn);
  CHECK(attr.get(qp_attr::srq) == 1);
  CHECK(attr.get(qp_attr::srqn) == srqn);
  CHECK(attr.get(qp_attr::credits) == 1);
  CHECK(attr.get(qp_attr::rq_base) == 0);
  bench.refuse(AdminOp::kDestroySrq, Body().put(destroy_srq::srqn, srqn), AdminStatus::kBusy,
               destroy_srq::srqn);
  bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn));
  bench.refuse(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
               dealloc_pd::pd);
  CHECK(bench.run(AdminOp::kDestroySrq, Body().put(destroy_srq::srqn, srqn)).status ==
        AdminStatus::kOk);
  CHECK(bench.nic.row(Table::kSrq, srqn).get(srq::valid) == 0);
  CHECK(bench.nic.actions.back().kind == Action::kFence);
  for (const AdminOp opcode : {AdminOp::kModifySrq, AdminOp::kQuerySrq, AdminOp::kDestroySrq}) {
    bench.refuse(opcode, Body().put(modify_srq::srqn, srqn), AdminStatus::kBadHandle,
                 modify_srq::srqn);
  }
  bench.refuse(AdminOp::kCreateQp, of_srq, AdminStatus::kBadHandle, create_qp::srqn);
  bench.refuse(AdminOp::kCreateQp, Body(of_srq).put(create_qp::srq, 2), AdminStatus::kBadParameter,
               create_qp::srq);
  bench.refuse(AdminOp::kCreateQp, Body(of_srq).put(create_qp::credits, 2),
               AdminStatus::kBadParameter, create_qp::credits);

  const struct {
    Place field;
    std::uint64_t value;
    AdminStatus status;
  } bad[] = {{create_srq::pd, 99, AdminStatus::kBadHandle},
             {create_srq::pasid, 1 << 20, AdminStatus::kBadParameter},
             {create_srq::base, 0x1234, AdminStatus::kBadParameter},
             {create_srq::base, ~0ull << 12, AdminStatus::kBadParameter},
             {create_srq::log, 0, AdminStatus::kBadParameter},
             {create_srq::log, 16, AdminStatus::kBadParameter},
             {create_srq::stride_log, 3, AdminStatus::kBadParameter},
             {create_srq::limit, 65, AdminStatus::kBadParameter}};
  for (const auto& one : bad) {
    bench.refuse(AdminOp::kCreateSrq, Bench::srq_body(pd).put(one.field, one.value), one.status,
                 one.field);
  }
  for (unsigned i = 0; i < 4; ++i) bench.srq(pd);
  CHECK(bench.run(AdminOp::kCreateSrq, Bench::srq_body(pd)).status == AdminStatus::kNoResource);
}

TEST_CASE("SetPkey, QueryPkey: sixteen entries, the first a full member from the start") {
  Bench bench;
  const auto query = [&](std::uint32_t index) {
    return bench.run(AdminOp::kQueryPkey, Body().put(query_pkey::index, index))
        .get(query_pkey_reply::pkey);
  };
  CHECK(query(0) == 0xFFFF);
  for (std::uint32_t i = 1; i < 16; ++i) CHECK(query(i) == 0);
  const auto pkey = [](std::uint32_t index, std::uint32_t value) {
    return Body().put(set_pkey::index, index).put(set_pkey::pkey, value);
  };
  CHECK(bench.run(AdminOp::kSetPkey, pkey(15, 0x8001)).status == AdminStatus::kOk);
  CHECK(query(15) == 0x8001);
  CHECK(bench.run(AdminOp::kSetPkey, pkey(0, 0x7FFF)).status == AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kQueryPort).get(query_port_reply::pkey) == 0x7FFF);
  CHECK(bench.run(AdminOp::kSetPkey, pkey(15, 0)).status == AdminStatus::kOk);
  CHECK(query(15) == 0);
  bench.refuse(AdminOp::kSetPkey, pkey(16, 1), AdminStatus::kBadHandle, set_pkey::index);
  bench.refuse(AdminOp::kSetPkey, pkey(1, 0x8000), AdminStatus::kBadParameter, set_pkey::pkey);
  bench.refuse(AdminOp::kQueryPkey, Body().put(query_pkey::index, 16), AdminStatus::kBadHandle,
               query_pkey::index);
}

TEST_CASE("poll: an overflowed completion queue takes its queue pairs with it (CQ-07)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t broken = bench.cq(), other = bench.cq();
  const std::pair<std::uint32_t, std::uint32_t> queues[] = {
      {broken, other}, {other, broken}, {other, other}, {broken, broken}, {broken, broken}};
  const QpState states[] = {QpState::kRts, QpState::kInit, QpState::kRts, QpState::kErr,
                            QpState::kReset};
  std::vector<std::uint32_t> qps;
  for (int i = 0; i < 5; ++i) {
    qps.push_back(bench.run_ok(AdminOp::kCreateQp,
                               Bench::qp_body(pd, queues[i].first, queues[i].second),
                               create_qp_reply::qpn));
    bench.nic.states[qps[i]] = states[i];
  }
  bench.nic.events.push_back(mask_of(31) | number(EventKind::kQpFatal) << 24 | qps[3]);
  bench.nic.events.push_back(mask_of(31) | number(EventKind::kCqError) << 24 | broken);
  CHECK(bench.firmware->poll());
  CHECK(bench.nic.events.empty());
  CHECK(bench.nic.states[qps[0]] == QpState::kErr);
  CHECK(bench.nic.states[qps[1]] == QpState::kErr);
  CHECK(bench.nic.states[qps[2]] == QpState::kRts);
  CHECK(bench.nic.states[qps[4]] == QpState::kReset);
  CHECK(bench.nic.posted == std::vector<std::uint32_t>{number(EventKind::kQpFatal) << 24 | qps[0],
                                                       number(EventKind::kQpFatal) << 24 | qps[1]});
}
