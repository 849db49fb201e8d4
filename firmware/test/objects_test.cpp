// SPDX-License-Identifier: Apache-2.0
// Windows, fast regions, shared receive queues, P_Keys, rings that move, overflow: on a mock
// adapter.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "firmware/test/mock_nic.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

/// What a work request does: binds the window `key` with a new variant to `region`.
void bind(Bench& bench, std::uint32_t key, std::uint32_t region) {
  Block& row = bench.nic.row(kTableKey, key >> 8);
  row.put(key::valid, 1);
  row.put(key::variant, key & 0xFF);
  row.put(key::parent, region >> 8);
}

Body mr_with_binds(std::uint32_t pd) {
  return Bench::mr_body(pd).put(reg_mr::access, 0xF | mask_of(kAccessMwBind));
}

}  // namespace

TEST_CASE("AllocMw, DeallocMw: an unbound row; the key as allocated or as last bound") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  for (const std::uint32_t kind : {kKeyKindWindowType1, kKeyKindWindowType2}) {
    const std::uint32_t key = bench.window(pd, kind);
    const Block& row = bench.nic.row(kTableKey, key >> 8);
    CHECK(row.get(key::valid) == 0);
    CHECK(row.get(key::variant) == (key & 0xFF));
    CHECK(row.get(key::pd) == pd);
    CHECK(row.get(key::kind) == kind);
    CHECK(row.get(key::remote_only) == 1);
    bench.refuse(kAdminOpDeallocPd, Body().put(dealloc_pd::pd, pd), kAdminStatusBusy,
                 dealloc_pd::pd);
    bench.refuse(kAdminOpDeregMr, Body().put(dereg_mr::key, key), kAdminStatusBadHandle,
                 dereg_mr::key);
    bind(bench, (key & ~0xFFu) | 0x77, 0x500);
    bench.refuse(kAdminOpDeallocMw, Body().put(dealloc_mw::key, (key & ~0xFFu) | 0x78),
                 kAdminStatusBadHandle, dealloc_mw::key);
    CHECK(bench.run(kAdminOpDeallocMw, Body().put(dealloc_mw::key, (key & ~0xFFu) | 0x77)).status ==
          kAdminStatusOk);
    CHECK(bench.nic.row(kTableKey, key >> 8).get(key::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);
    bench.refuse(kAdminOpDeallocMw, Body().put(dealloc_mw::key, key), kAdminStatusBadHandle,
                 dealloc_mw::key);
  }
  CHECK(bench.run(kAdminOpDeallocPd, Body().put(dealloc_pd::pd, pd)).status == kAdminStatusOk);
  const std::uint32_t other = bench.pd();
  bench.refuse(kAdminOpAllocMw, Body().put(alloc_mw::pd, pd).put(alloc_mw::kind, 1),
               kAdminStatusBadHandle, alloc_mw::pd);
  for (const std::uint32_t kind : {kKeyKindRegion, kKeyKindFastRegion, 4u, 0xFFFFFFFFu}) {
    bench.refuse(kAdminOpAllocMw, Body().put(alloc_mw::pd, other).put(alloc_mw::kind, kind),
                 kAdminStatusBadParameter, alloc_mw::kind);
  }
  const std::uint32_t region =
      bench.run_ok(kAdminOpRegMr, Bench::mr_body(other), reg_mr_reply::key);
  bench.refuse(kAdminOpDeallocMw, Body().put(dealloc_mw::key, region), kAdminStatusBadHandle,
               dealloc_mw::key);
}

TEST_CASE("AllocMw: a key that was bound is not given out again for long") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 15 * 100; ++i) {
    const std::uint32_t key = bench.window(pd, kKeyKindWindowType2);
    CHECK(seen.insert(key).second);
    const std::uint32_t bound = (key & ~0xFFu) | ((key + 1) & 0xFF);
    bind(bench, bound, 0x500);
    CHECK(seen.insert(bound).second);
    bench.run(kAdminOpDeallocMw, Body().put(dealloc_mw::key, bound));
  }
}

TEST_CASE("DeregMr, ReregMr: refused while windows are bound, and nothing stays changed (MR-08)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t region = bench.run_ok(kAdminOpRegMr, mr_with_binds(pd), reg_mr_reply::key);
  const std::uint32_t other = bench.run_ok(kAdminOpRegMr, mr_with_binds(pd), reg_mr_reply::key);
  const std::uint32_t window = bench.window(pd, kKeyKindWindowType1);
  bind(bench, window + 1, region);
  const Block before = bench.nic.row(kTableKey, region >> 8);
  for (const std::uint32_t opcode : {kAdminOpDeregMr, kAdminOpReregMr}) {
    const Answer answer = bench.run(
        opcode, Body().put(rereg_mr::key, region).put(rereg_mr::what, 4).put(rereg_mr::access, 1));
    CHECK(answer.status == kAdminStatusBusy);
    CHECK(answer.detail == 8);
    for (unsigned i = 0; i < 16; ++i) {
      CHECK(bench.nic.row(kTableKey, region >> 8).word[i] == before.word[i]);
    }
  }
  // No bind may slip in between the look and the end: MwBind goes first.
  const std::size_t at = bench.nic.actions.size();
  CHECK(bench.run(kAdminOpDeregMr, Body().put(dereg_mr::key, other)).status == kAdminStatusOk);
  REQUIRE(bench.nic.actions.size() == at + 3);
  CHECK(bench.nic.actions[at].row == other >> 8);
  CHECK(bench.nic.actions[at + 1].row == other >> 8);
  CHECK(bench.nic.actions[at + 2].kind == Action::kFence);
  // Unbound, or bound to something else, it is free to go.
  bind(bench, window + 2, 0x700);
  CHECK(bench.run(kAdminOpDeregMr, Body().put(dereg_mr::key, region)).status == kAdminStatusOk);
}

TEST_CASE("ReregMr: range, domain and rights, one by one and together; the key stays") {
  Bench bench;
  const std::uint32_t pds[] = {bench.pd(), bench.pd()};
  for (std::uint32_t what = 1; what < 8; ++what) {
    CAPTURE(what);
    const std::uint32_t key =
        bench.run_ok(kAdminOpRegMr, Bench::mr_body(pds[0]), reg_mr_reply::key);
    const Body change = Body()
                            .put(rereg_mr::key, key)
                            .put(rereg_mr::what, what)
                            .put(rereg_mr::pd, pds[1])
                            .put(rereg_mr::access, 5)
                            .put(rereg_mr::iova, 0x5000)
                            .put(rereg_mr::length, 0x777)
                            .put(rereg_mr::addr, 0x9000);
    const std::size_t at = bench.nic.actions.size();
    CHECK(bench.run(kAdminOpReregMr, change).status == kAdminStatusOk);
    // Dead, fence, new: no access sees a mix.
    REQUIRE(bench.nic.actions.size() == at + 3);
    CHECK(bench.nic.actions[at + 1].kind == Action::kFence);
    const Block& row = bench.nic.row(kTableKey, key >> 8);
    CHECK(row.get(key::valid) == 1);
    CHECK(row.get(key::variant) == (key & 0xFF));
    CHECK(row.get(key::pasid) == 0x12345);
    CHECK(row.get(key::iova) == (what & 1 ? 0x5000 : 0x1234567890));
    CHECK(row.get(key::length) == (what & 1 ? 0x777 : 0x10001));
    CHECK(row.get(key::addr) == (what & 1 ? 0x9000 : 0x7F0012345678));
    CHECK(row.get(key::pd) == (what & 2 ? pds[1] : pds[0]));
    CHECK(row.get(key::access) == (what & 4 ? 5 : 0xF));
    bench.run(kAdminOpDeregMr, Body().put(dereg_mr::key, key));
  }
  const std::uint32_t key = bench.run_ok(kAdminOpRegMr, Bench::mr_body(pds[0]), reg_mr_reply::key);
  const Body good = Body()
                        .put(rereg_mr::key, key)
                        .put(rereg_mr::what, 7)
                        .put(rereg_mr::pd, pds[1])
                        .put(rereg_mr::length, 1);
  const auto refused = [&](Place field, std::uint64_t value, std::uint32_t status, Place blamed) {
    bench.refuse(kAdminOpReregMr, Body(good).put(field, value), status, blamed);
  };
  refused(rereg_mr::key, key + 1, kAdminStatusBadHandle, rereg_mr::key);
  refused(rereg_mr::what, 0, kAdminStatusBadParameter, rereg_mr::what);
  refused(rereg_mr::what, 8, kAdminStatusBadParameter, rereg_mr::what);
  refused(rereg_mr::pd, 99, kAdminStatusBadHandle, rereg_mr::pd);
  refused(rereg_mr::access, 2, kAdminStatusBadParameter, rereg_mr::access);
  refused(rereg_mr::length, 0, kAdminStatusBadParameter, rereg_mr::length);
  refused(rereg_mr::iova, ~0ull, kAdminStatusBadParameter, rereg_mr::iova);
  refused(rereg_mr::addr, ~0ull, kAdminStatusBadParameter, rereg_mr::addr);
  // Both domains are in use by the right number of regions.
  CHECK(bench.run(kAdminOpReregMr, good).status == kAdminStatusOk);
  CHECK(bench.run(kAdminOpDeallocPd, Body().put(dealloc_pd::pd, pds[0])).status == kAdminStatusOk);
  bench.refuse(kAdminOpDeallocPd, Body().put(dealloc_pd::pd, pds[1]), kAdminStatusBusy,
               dealloc_pd::pd);
}

TEST_CASE("AllocFastMr: a free row of its domain and address space") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const Body good = Body().put(alloc_fast_mr::pd, pd).put(alloc_fast_mr::pasid, 0x54321);
  const std::uint32_t key = bench.run_ok(kAdminOpAllocFastMr, good, alloc_fast_mr_reply::key);
  const Block& row = bench.nic.row(kTableKey, key >> 8);
  CHECK(row.get(key::valid) == 0);
  CHECK(row.get(key::kind) == kKeyKindFastRegion);
  CHECK(row.get(key::pasid) == 0x54321);
  CHECK(row.get(key::pd) == pd);
  CHECK(row.get(key::remote_only) == 0);
  bench.refuse(kAdminOpAllocFastMr, Body(good).put(alloc_fast_mr::pasid, 1 << 20),
               kAdminStatusBadParameter, alloc_fast_mr::pasid);
  bench.refuse(kAdminOpAllocFastMr, Body(good).put(alloc_fast_mr::pd, 77), kAdminStatusBadHandle,
               alloc_fast_mr::pd);
  bench.refuse(kAdminOpReregMr, Body().put(rereg_mr::key, key).put(rereg_mr::what, 4),
               kAdminStatusBadHandle, rereg_mr::key);
  // A work request gave it another variant.
  bench.nic.row(kTableKey, key >> 8).put(key::variant, 0xEE);
  CHECK(bench.run(kAdminOpDeregMr, Body().put(dereg_mr::key, (key & ~0xFFu) | 0xEE)).status ==
        kAdminStatusOk);
}

TEST_CASE("SRQ: create, modify, query, destroy; what is in use stays") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t cqn = bench.cq();
  const std::uint32_t srqn = bench.srq(pd);
  const Block& row = bench.nic.row(kTableSrq, srqn);
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
  CHECK(bench.run(kAdminOpModifySrq, modify(64)).status == kAdminStatusOk);
  Block expected = before;
  expected.put(srq::limit, 64);  // nothing else: the ring goes on
  for (unsigned i = 0; i < 16; ++i) CHECK(row.word[i] == expected.word[i]);
  bench.refuse(kAdminOpModifySrq, modify(65), kAdminStatusBadParameter, modify_srq::limit);
  Block& live = bench.nic.row(kTableSrqLive, srqn);
  live.put(srq_live::producer, 5);
  live.put(srq_live::consumer, 0xFFFE);
  live.put(srq_live::limit, 9);
  const Answer query = bench.run(kAdminOpQuerySrq, Body().put(query_srq::srqn, srqn));
  CHECK(query.get(query_srq_reply::filled) == 7);
  CHECK(query.get(query_srq_reply::limit) == 9);

  const Body of_srq = Bench::qp_body(pd, cqn, cqn)
                          .put(create_qp::srq, 1)
                          .put(create_qp::srqn, srqn)
                          .put(create_qp::credits, 1)
                          .put(create_qp::rq_log, 0)
                          .put(create_qp::rq_base, 5);
  const std::uint32_t qpn = bench.run_ok(kAdminOpCreateQp, of_srq, create_qp_reply::qpn);
  const Block& attr = bench.nic.row(kTableQpAttr, qpn);
  CHECK(attr.get(qp_attr::srq) == 1);
  CHECK(attr.get(qp_attr::srqn) == srqn);
  CHECK(attr.get(qp_attr::credits) == 1);
  CHECK(attr.get(qp_attr::rq_base) == 0);
  bench.refuse(kAdminOpDestroySrq, Body().put(destroy_srq::srqn, srqn), kAdminStatusBusy,
               destroy_srq::srqn);
  bench.run(kAdminOpDestroyQp, Body().put(destroy_qp::qpn, qpn));
  bench.refuse(kAdminOpDeallocPd, Body().put(dealloc_pd::pd, pd), kAdminStatusBusy, dealloc_pd::pd);
  CHECK(bench.run(kAdminOpDestroySrq, Body().put(destroy_srq::srqn, srqn)).status ==
        kAdminStatusOk);
  CHECK(bench.nic.row(kTableSrq, srqn).get(srq::valid) == 0);
  CHECK(bench.nic.actions.back().kind == Action::kFence);
  for (const std::uint32_t opcode : {kAdminOpModifySrq, kAdminOpQuerySrq, kAdminOpDestroySrq}) {
    bench.refuse(opcode, Body().put(modify_srq::srqn, srqn), kAdminStatusBadHandle,
                 modify_srq::srqn);
  }
  bench.refuse(kAdminOpCreateQp, of_srq, kAdminStatusBadHandle, create_qp::srqn);
  bench.refuse(kAdminOpCreateQp, Body(of_srq).put(create_qp::srq, 2), kAdminStatusBadParameter,
               create_qp::srq);
  bench.refuse(kAdminOpCreateQp, Body(of_srq).put(create_qp::credits, 2), kAdminStatusBadParameter,
               create_qp::credits);

  const struct {
    Place field;
    std::uint64_t value;
    std::uint32_t status;
  } bad[] = {{create_srq::pd, 99, kAdminStatusBadHandle},
             {create_srq::pasid, 1 << 20, kAdminStatusBadParameter},
             {create_srq::base, 0x1234, kAdminStatusBadParameter},
             {create_srq::base, ~0ull << 12, kAdminStatusBadParameter},
             {create_srq::log, 0, kAdminStatusBadParameter},
             {create_srq::log, 16, kAdminStatusBadParameter},
             {create_srq::stride_log, 3, kAdminStatusBadParameter},
             {create_srq::limit, 65, kAdminStatusBadParameter}};
  for (const auto& one : bad) {
    bench.refuse(kAdminOpCreateSrq, Bench::srq_body(pd).put(one.field, one.value), one.status,
                 one.field);
  }
  for (unsigned i = 0; i < 4; ++i) bench.srq(pd);
  CHECK(bench.run(kAdminOpCreateSrq, Bench::srq_body(pd)).status == kAdminStatusNoResource);
}

TEST_CASE("SetPkey, QueryPkey: sixteen entries, the first a full member from the start") {
  Bench bench;
  const auto query = [&](std::uint32_t index) {
    return bench.run(kAdminOpQueryPkey, Body().put(query_pkey::index, index))
        .get(query_pkey_reply::pkey);
  };
  CHECK(query(0) == 0xFFFF);
  for (std::uint32_t i = 1; i < 16; ++i) CHECK(query(i) == 0);
  const auto pkey = [](std::uint32_t index, std::uint32_t value) {
    return Body().put(set_pkey::index, index).put(set_pkey::pkey, value);
  };
  CHECK(bench.run(kAdminOpSetPkey, pkey(15, 0x8001)).status == kAdminStatusOk);
  CHECK(query(15) == 0x8001);
  CHECK(bench.run(kAdminOpSetPkey, pkey(0, 0x7FFF)).status == kAdminStatusOk);
  CHECK(bench.run(kAdminOpQueryPort).get(query_port_reply::pkey) == 0x7FFF);
  CHECK(bench.run(kAdminOpSetPkey, pkey(15, 0)).status == kAdminStatusOk);
  CHECK(query(15) == 0);
  bench.refuse(kAdminOpSetPkey, pkey(16, 1), kAdminStatusBadHandle, set_pkey::index);
  bench.refuse(kAdminOpSetPkey, pkey(1, 0x8000), kAdminStatusBadParameter, set_pkey::pkey);
  bench.refuse(kAdminOpQueryPkey, Body().put(query_pkey::index, 16), kAdminStatusBadHandle,
               query_pkey::index);
}

TEST_CASE("poll: an overflowed completion queue takes its queue pairs with it (CQ-07)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t broken = bench.cq(), other = bench.cq();
  const std::pair<std::uint32_t, std::uint32_t> queues[] = {
      {broken, other}, {other, broken}, {other, other}, {broken, broken}, {broken, broken}};
  const std::uint32_t states[] = {kQpRts, kQpInit, kQpRts, kQpErr, kQpReset};
  std::vector<std::uint32_t> qps;
  for (int i = 0; i < 5; ++i) {
    qps.push_back(bench.run_ok(kAdminOpCreateQp,
                               Bench::qp_body(pd, queues[i].first, queues[i].second),
                               create_qp_reply::qpn));
    bench.nic.states[qps[i]] = states[i];
  }
  bench.nic.events.push_back(mask_of(31) | kEventQpFatal << 24 | qps[3]);
  bench.nic.events.push_back(mask_of(31) | kEventCqError << 24 | broken);
  CHECK(bench.firmware->poll());
  CHECK(bench.nic.events.empty());
  CHECK(bench.nic.states[qps[0]] == kQpErr);
  CHECK(bench.nic.states[qps[1]] == kQpErr);
  CHECK(bench.nic.states[qps[2]] == kQpRts);
  CHECK(bench.nic.states[qps[4]] == kQpReset);
  CHECK(bench.nic.posted ==
        std::vector<std::uint32_t>{kEventQpFatal << 24 | qps[0], kEventQpFatal << 24 | qps[1]});
}
