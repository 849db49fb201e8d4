// SPDX-License-Identifier: Apache-2.0
// Windows, fast regions and changes of regions, on a mock adapter.
#include <doctest/doctest.h>

#include <set>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

/// Does the work of a bind request: binds the window `key` with a new variant to `region`.
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
    bench.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd), AdminStatus::kBusy,
                 dealloc_pd::pd);
    bench.reject(AdminOp::kDeregMr, Body().put(dereg_mr::key, key), AdminStatus::kBadHandle,
                 dereg_mr::key);
    bind(bench, (key & ~0xFFu) | 0x77, 0x500);
    bench.reject(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, (key & ~0xFFu) | 0x78),
                 AdminStatus::kBadHandle, dealloc_mw::key);
    CHECK(
        bench.run(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, (key & ~0xFFu) | 0x77)).status ==
        AdminStatus::kOk);
    CHECK(bench.nic.row(Table::kKey, key >> 8).get(key::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);
    bench.reject(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, key), AdminStatus::kBadHandle,
                 dealloc_mw::key);
  }
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pd)).status == AdminStatus::kOk);
  const std::uint32_t other = bench.pd();
  bench.reject(AdminOp::kAllocMw, Body().put(alloc_mw::pd, pd).put(alloc_mw::kind, 1),
               AdminStatus::kBadHandle, alloc_mw::pd);
  for (const std::uint32_t kind :
       {number(KeyKind::kRegion), number(KeyKind::kFastRegion), 4u, 0xFFFFFFFFu}) {
    bench.reject(AdminOp::kAllocMw, Body().put(alloc_mw::pd, other).put(alloc_mw::kind, kind),
                 AdminStatus::kBadParameter, alloc_mw::kind);
  }
  const std::uint32_t region =
      bench.run_ok(AdminOp::kRegMr, Bench::mr_body(other), reg_mr_reply::key);
  bench.reject(AdminOp::kDeallocMw, Body().put(dealloc_mw::key, region), AdminStatus::kBadHandle,
               dealloc_mw::key);
}

TEST_CASE("AllocMw: a key that was bound is not reused for long") {
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

TEST_CASE(
    "DeregMr, ReregMr: rejected while windows are bound, and nothing remains changed (MR-08)") {
  Bench bench;
  const std::uint32_t pd = bench.pd();
  const std::uint32_t region = bench.run_ok(AdminOp::kRegMr, mr_with_binds(pd), reg_mr_reply::key);
  const std::uint32_t other = bench.run_ok(AdminOp::kRegMr, mr_with_binds(pd), reg_mr_reply::key);
  const std::uint32_t window = bench.window(pd, number(KeyKind::kWindowType1));
  bind(bench, window + 1, region);
  const Block before = bench.nic.row(Table::kKey, region >> 8);
  for (const AdminOp opcode : {AdminOp::kDeregMr, AdminOp::kReregMr}) {
    const CommandReply reply = bench.run(
        opcode, Body().put(rereg_mr::key, region).put(rereg_mr::what, 4).put(rereg_mr::access, 1));
    CHECK(reply.status == AdminStatus::kBusy);
    CHECK(reply.detail == 8);
    for (unsigned i = 0; i < 16; ++i) {
      CHECK(bench.nic.row(Table::kKey, region >> 8).word[i] == before.word[i]);
    }
  }
  // No bind may succeed between the check and the end: MwBind is cleared first.
  const std::size_t at = bench.nic.actions.size();
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, other)).status == AdminStatus::kOk);
  REQUIRE(bench.nic.actions.size() == at + 3);
  CHECK(bench.nic.actions[at].row == other >> 8);
  CHECK(bench.nic.actions[at + 1].row == other >> 8);
  CHECK(bench.nic.actions[at + 2].kind == Action::kFence);
  // When the window is unbound or bound to another region, the command succeeds.
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
    // Invalid row, fence, new row: no access sees a mix.
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
  const auto rejected = [&](Place field, std::uint64_t value, AdminStatus status, Place blamed) {
    bench.reject(AdminOp::kReregMr, Body(good).put(field, value), status, blamed);
  };
  rejected(rereg_mr::key, key + 1, AdminStatus::kBadHandle, rereg_mr::key);
  rejected(rereg_mr::what, 0, AdminStatus::kBadParameter, rereg_mr::what);
  rejected(rereg_mr::what, 8, AdminStatus::kBadParameter, rereg_mr::what);
  rejected(rereg_mr::pd, 99, AdminStatus::kBadHandle, rereg_mr::pd);
  rejected(rereg_mr::access, 2, AdminStatus::kBadParameter, rereg_mr::access);
  rejected(rereg_mr::iova, ~0ull, AdminStatus::kBadParameter, rereg_mr::iova);
  rejected(rereg_mr::addr, ~0ull, AdminStatus::kBadParameter, rereg_mr::addr);
  // Both domains count their regions correctly.
  CHECK(bench.run(AdminOp::kReregMr, good).status == AdminStatus::kOk);
  CHECK(bench.run(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pds[0])).status ==
        AdminStatus::kOk);
  bench.reject(AdminOp::kDeallocPd, Body().put(dealloc_pd::pd, pds[1]), AdminStatus::kBusy,
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
  bench.reject(AdminOp::kAllocFastMr, Body(good).put(alloc_fast_mr::pasid, 1 << 20),
               AdminStatus::kBadParameter, alloc_fast_mr::pasid);
  bench.reject(AdminOp::kAllocFastMr, Body(good).put(alloc_fast_mr::pd, 77),
               AdminStatus::kBadHandle, alloc_fast_mr::pd);
  bench.reject(AdminOp::kReregMr, Body().put(rereg_mr::key, key).put(rereg_mr::what, 4),
               AdminStatus::kBadHandle, rereg_mr::key);
  // A work request gave it another variant.
  bench.nic.row(Table::kKey, key >> 8).put(key::variant, 0xEE);
  CHECK(bench.run(AdminOp::kDeregMr, Body().put(dereg_mr::key, (key & ~0xFFu) | 0xEE)).status ==
        AdminStatus::kOk);
}
