// SPDX-License-Identifier: Apache-2.0
// Key operations: bind, register, invalidate, on tables that other rows change meanwhile.
#include "rtl/keys/key_op/key_op_bench.hpp"

using namespace key_op_bench;

TEST_CASE("key_op: MR-09: a type 1 window is bound, bound again and unbound") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(KeyKind::kWindowType1));
  CHECK(bench.run(0, bind(0x22)));
  CHECK(bench.table[3].addr == 0x7F0000012380);
  CHECK(bench.table[3].pasid == 0xABCDE);
  CHECK(bench.table[3].variant == 0x22);
  CHECK(bench.run(0, bind(0x23)));
  CHECK(bench.table[3].variant == 0x23);  // the old key is not valid
  Request unbind = bind(0x24);
  unbind.length = 0;
  unbind.region = 0xFFFFFFFF;
  CHECK(bench.run(0, unbind));
  CHECK_FALSE(bench.table[3].valid);
}

TEST_CASE("key_op: MR-11: a type 2 window is bound once, and freed by its queue pair only") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(KeyKind::kWindowType2));
  CHECK(bench.run(0, bind(0x22)));
  CHECK_FALSE(bench.run(0, bind(0x23)));
  Request zero = bind(0x22);
  zero.length = 0;
  CHECK_FALSE(bench.run(0, zero));
  CHECK_FALSE(bench.run(0, {KeyOp::kInvalidate, 0x323, 9, 5}));  // not its variant
  CHECK_FALSE(bench.run(0, {KeyOp::kInvalidate, 0x322, 8, 5}));  // not its queue pair
  CHECK_FALSE(bench.run(0, {KeyOp::kInvalidate, 0x322, 9, 6}));  // not its domain
  CHECK(bench.run(1, {KeyOp::kInvalidate, 0x322, 9, 5}));
  CHECK_FALSE(bench.table[3].valid);
  CHECK_FALSE(bench.run(1, {KeyOp::kInvalidate, 0x322, 9, 5}));
  CHECK(bench.run(0, bind(0x23)));
}

TEST_CASE("key_op: MR-12: each condition of a bind") {
  const auto rejected = [](auto change) {
    Bench bench;
    Row r = region(), w = window(KeyKind::kWindowType1);
    Request request = bind();
    change(r, w, request);
    bench.set(2, r);
    bench.set(3, w);
    CHECK_FALSE(bench.run(0, request));
  };
  rejected([](Row& r, Row&, Request&) { r.access &= ~access::kMwBind; });
  rejected([](Row& r, Row&, Request&) { r.access &= ~access::kLocalWrite; });
  rejected([](Row& r, Row&, Request&) { r.valid = false; });
  rejected([](Row& r, Row&, Request&) { r.pd = 6; });
  rejected([](Row& r, Row&, Request&) { r.kind = KeyKind::kFastRegion; });
  rejected([](Row& r, Row&, Request&) { r.variant = 0x12; });
  rejected([](Row&, Row& w, Request&) { w.pd = 6; });
  rejected([](Row&, Row& w, Request&) { w.kind = KeyKind::kRegion; });
  rejected([](Row&, Row& w, Request&) { w.kind = KeyKind::kFastRegion; });
  rejected([](Row&, Row&, Request& q) { q.pd = 6; });
  rejected([](Row&, Row&, Request& q) { q.va = 0xFFFF; });
  rejected([](Row&, Row&, Request& q) { q.length = 0x1000; });
  rejected([](Row&, Row&, Request& q) { q.length = ~std::uint64_t{0}; });
  rejected([](Row&, Row&, Request& q) { q.key |= 1u << 31; });
  rejected([](Row&, Row&, Request& q) { q.region |= 1u << 12; });
  rejected([](Row& r, Row&, Request& q) {  // the range would wrap
    r.iova = ~std::uint64_t{0} - 15;
    r.length = 4096;
    q.va = r.iova;
  });
  Bench bench;
  Row r = region();
  r.access &= ~access::kLocalWrite;
  bench.set(2, r);
  bench.set(3, window(KeyKind::kWindowType1));
  Request read_only = bind();
  read_only.access = access::kRemoteRead;
  CHECK(bench.run(0, read_only));
}

TEST_CASE("key_op: MR-15: a fast region is registered once, with a new variant") {
  Bench bench;
  Row fast;
  fast.kind = KeyKind::kFastRegion;
  fast.pd = 5;
  fast.pasid = 0x777;
  bench.set(4, fast);
  Request r{
      KeyOp::kRegister, 0x4AA, 9, 5, 0, 0x5000, 0x3000, access::kLocalWrite | access::kRemoteWrite,
      0x90000};
  CHECK(bench.run(0, r));
  CHECK(bench.table[4].pasid == 0x777);
  r.key = 0x4AB;
  CHECK_FALSE(bench.run(0, r));
  CHECK(bench.run(0, {KeyOp::kInvalidate, 0x4AA, 1, 5}));
  CHECK(bench.run(0, r));
  CHECK(bench.run(0, {KeyOp::kInvalidate, 0x4AB, 1, 5}));
  r.access = access::kRemoteWrite;
  CHECK_FALSE(bench.run(0, r));
  r.access = access::kLocalWrite;
  r.addr = ~std::uint64_t{0} - 100;
  CHECK_FALSE(bench.run(0, r));
}

TEST_CASE("key_op: normal regions and type 1 windows cannot be invalidated") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(KeyKind::kWindowType1));
  CHECK(bench.run(0, bind()));
  CHECK_FALSE(bench.run(1, {KeyOp::kInvalidate, kRegionKey, 9, 5}));
  CHECK_FALSE(bench.run(1, {KeyOp::kInvalidate, 0x322, 9, 5}));
  CHECK_FALSE(bench.run(0, {KeyOp(3), 0x322, 9, 5}));  // no such operation
}

TEST_CASE("key_op: an operation takes 10 clocks, a bind 12, when nothing is in the way") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(KeyKind::kWindowType2));
  CHECK(bench.run(0, bind()));
  CHECK(bench.dut.cycle() - 1 - bench.taken == 11);
  CHECK(bench.run(0, {KeyOp::kInvalidate, 0x322, 9, 5}));
  CHECK(bench.dut.cycle() - 1 - bench.taken == 9);
}

TEST_CASE("key_op: both clients are served when both request all the time") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(KeyKind::kWindowType1));
  unsigned results[2] = {};
  bench.put(0, bind());
  bench.put(1, {KeyOp::kInvalidate, 0x999, 1, 5});
  bench.dut->req_valid_i = 3;
  for (int i = 0; i < 400; ++i) {
    bench.tick();
    for (int c = 0; c < 2; ++c) results[c] += bench.dut->rsp_valid_o >> c & 1;
  }
  CHECK(results[0] > 15);
  CHECK(results[0] - results[1] + 1 <= 2);
}

TEST_CASE("key_op: random operations on random tables, with a busy bus") {
  const std::uint64_t seed = 20251120;
  INFO("seed ", seed);
  Bench bench(seed);
  auto& random = bench.random;
  const auto pick = [&](std::initializer_list<std::uint64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  unsigned good[3] = {};
  for (int i = 0; i < 9000; ++i) {
    bench.percent_ready = i % 3 == 0 ? 30 : 100;
    if (i % 4 == 0) {
      Row row;
      row.valid = random() % 4 != 0;
      row.variant = random() % 2;
      row.pd = random() % 2;
      row.access = random() % 4 ? 0x1F : random() % 64;
      row.pasid = random() & 0xFFFFF;
      row.iova = pick({0, 0x1000, ~std::uint64_t{0} - 0xFFF, random()});
      row.length = pick({1, 0x1000, 0x800, random()});
      row.addr = random() >> 8;
      row.kind = KeyKind(random() % 4);
      row.remote_only = row.kind == KeyKind::kWindowType1 || row.kind == KeyKind::kWindowType2;
      row.qpn = random() % 2;
      if (row.kind == KeyKind::kFastRegion || row.remote_only) row.valid = random() % 2;
      bench.set(random() % kRows, row);
    }
    Request r;
    r.op = KeyOp(random() % 3);
    r.key = std::uint32_t(random() % (kRows + 1) << 8 | random() % 2);
    r.region = std::uint32_t(random() % (kRows + 1) << 8 | random() % 2);
    const Row& region = bench.expected[(r.region >> 8) % kRows];
    r.qpn = random() % 2;
    r.pd = random() % 2;
    r.va = region.iova + pick({0, 1, ~std::uint64_t{0}, 0x7FF, region.length - 1, random()});
    r.length = pick({0, 1, 2, region.length, 0x800, 0x801, random()});
    r.access = random() % 64;
    r.addr = pick({0, random(), ~std::uint64_t{0} - r.length, ~std::uint64_t{0} - r.length + 1});
    good[layout::number(r.op)] += bench.run(random() % 2, r);
  }
  CHECK(good[layout::number(KeyOp::kInvalidate)] > 50);
  CHECK(good[layout::number(KeyOp::kBind)] > 20);
  CHECK(good[layout::number(KeyOp::kRegister)] > 50);
}
