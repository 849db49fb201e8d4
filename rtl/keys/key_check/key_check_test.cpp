// SPDX-License-Identifier: Apache-2.0
// Lookups in the key table.
#include "rtl/keys/key_check/key_check_bench.hpp"

using namespace key_check_bench;

TEST_CASE("key_check: no key is valid after reset") {
  Bench bench;
  for (std::uint32_t index = 0; index < kKeys; ++index) CHECK_FALSE(bench.ask({index << 8, 0, 1}));
}

TEST_CASE("key_check: a reset in operation leaves no key valid, and takes a request after that") {
  Bench bench;
  for (std::uint32_t index = 0; index < kKeys; ++index) {
    bench.write(index, {0, 4096, 0, 0xF, 7, 0x5A, 0});
    CHECK(bench.ask({index << 8 | 0x5A, 0, 8, 7}));
  }
  bench.dut->rst_ni = 0;
  bench.dut.tick();
  bench.dut->rst_ni = 1;
  bench.table.clear();
  bench.dut.settle();
  CHECK_FALSE(bench.dut->idle_o);
  bench.dut->key_req_valid_i = 1;
  for (std::uint32_t index = 0; index < kKeys; ++index) {
    bench.dut.settle();
    CHECK(bench.dut->key_req_ready_o == 0);
    bench.dut.tick();
  }
  bench.dut->key_req_valid_i = 0;
  bench.dut.settle();
  CHECK(bench.dut->idle_o);
  for (std::uint32_t index = 0; index < kKeys; ++index) {
    CHECK_FALSE(bench.ask({index << 8 | 0x5A, 0, 8, 7}));
  }
}

TEST_CASE("key_check: MR-01: index and each bit of the variant must match") {
  Bench bench;
  bench.write(5, {0x1000, 64, 0x9000, access::kLocalWrite | kRemote, 7, 0x5A, 3});
  const Request good{0x55A, 0x1000, 64, 7, 0};
  CHECK(bench.ask(good));
  for (unsigned i = 0; i < 32; ++i) {
    Request bad = good;
    bad.key ^= 1u << i;
    CHECK_FALSE(bench.ask(bad));
  }
}

TEST_CASE("key_check: MR-02, MR-04: protection domain and every right must match") {
  Bench bench;
  for (unsigned access = 0; access < 16; ++access) {
    bench.write(1, {0, 4096, 0, access, 0x1234, 0, 0});
    for (unsigned wanted = 0; wanted < 16; ++wanted) {
      CHECK(bench.ask({0x100, 0, 8, 0x1234, wanted}) == ((wanted & ~access) == 0));
    }
  }
  for (unsigned i = 0; i < 16; ++i) CHECK_FALSE(bench.ask({0x100, 0, 8, 0x1234 ^ bit(i), 0}));
}

TEST_CASE("key_check: MR-03: bounds without wrap-around") {
  Bench bench;
  const std::uint64_t iova = 0x1234567890;
  bench.write(2, {iova, 1000, 0xABCD000, 0, 0, 0, 0});
  CHECK(bench.ask({0x200, iova, 1000}));
  CHECK(bench.ask({0x200, iova + 999, 1}));
  CHECK_FALSE(bench.ask({0x200, iova - 1, 1}));
  CHECK_FALSE(bench.ask({0x200, iova - 1, 1000}));
  CHECK_FALSE(bench.ask({0x200, iova + 1, 1000}));
  CHECK_FALSE(bench.ask({0x200, iova + 1000, 1}));
  CHECK_FALSE(bench.ask({0x200, iova, 1001}));
  CHECK_FALSE(bench.ask({0x200, iova, 0xFFFFFFFF}));
  CHECK_FALSE(bench.ask({0x200, ~std::uint64_t{0}, 2}));
  CHECK_FALSE(bench.ask({0x200, ~std::uint64_t{0}, 0xFFFFFFFF}));
  bench.write(3, {~std::uint64_t{0} - 9, 10, 0, 0, 0, 0, 0});  // to the last byte there is
  CHECK(bench.ask({0x300, ~std::uint64_t{0} - 9, 10}));
  CHECK_FALSE(bench.ask({0x300, ~std::uint64_t{0} - 8, 10}));
  bench.write(4, {0, ~std::uint64_t{0}, 0, 0, 0, 0, 0});
  CHECK(bench.ask({0x400, 0, 0xFFFFFFFF}));
  CHECK(bench.ask({0x400, ~std::uint64_t{0} - 1, 1}));
  CHECK_FALSE(bench.ask({0x400, ~std::uint64_t{0}, 1}));
}

TEST_CASE("key_check: MR-07: a key that was made invalid fails at once") {
  Bench bench;
  Region region{0, 4096, 0, 0, 0, 0, 0};
  bench.write(9, region);
  CHECK(bench.ask({0x900, 0, 8}));
  region.valid = false;
  bench.write(9, region);
  CHECK_FALSE(bench.ask({0x900, 0, 8}));
}

TEST_CASE("key_check: rows of other tables and beyond the end change nothing") {
  Bench bench;
  for (auto& word : bench.dut->row_write_i.m_storage) word = ~0u;
  bench.dut->row_write_valid_i = 1;
  port::put(bench.dut->row_write_i, layout::row_write::index, 1);
  for (unsigned table = 0; table < 16; ++table) {
    if (table == layout::number(Table::kKey)) continue;
    port::put(bench.dut->row_write_i, layout::row_write::table_id, table);
    bench.tick();
  }
  port::put(bench.dut->row_write_i, layout::row_write::table_id, Table::kKey);
  port::put(bench.dut->row_write_i, layout::row_write::index, kKeys + 1);
  bench.tick();
  bench.dut->row_write_valid_i = 0;
  CHECK_FALSE(bench.ask({0x1FF, ~std::uint64_t{0}, 1, 0xFFFF, 0}));
}

TEST_CASE("key_check: all clients at once, one lookup a clock, all clients in turn") {
  Bench bench;
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < kKeys; ++i) {
    bench.write(i, {random() >> (random() % 64), random() >> (random() % 64), random(),
                    unsigned(random() % 16), unsigned(random() % 2), unsigned(random() % 2),
                    unsigned(random() % 4096), random() % 8 != 0});
  }
  const auto request = [&] {
    const std::uint32_t index = random() % (kKeys + 2);
    const Region region = index < kKeys ? bench.table.at(index) : Region{};
    Request r;
    r.key = index << 8 | (random() % 4 ? region.variant : random() % 2);
    r.pd = random() % 4 ? region.pd : random() % 2;
    r.access = region.access & random();
    r.len = 1 + (random() >> (32 + random() % 32));
    switch (random() % 3) {
      case 0:
        r.va = region.iova + random() % 3 - 1;
        break;
      case 1:
        r.va = region.iova + region.length - r.len + random() % 3 - 1;
        break;
      default:
        r.va = region.iova + (region.length ? random() % region.length : 0);
    }
    return r;
  };
  for (auto& client : bench.asked) {
    for (int i = 0; i < 500; ++i) client.push_back(request());
  }
  for (int i = 0; i < 1990; ++i) {
    bench.tick();
    const auto [low, high] = std::minmax({bench.asked[0].size(), bench.asked[1].size(),
                                          bench.asked[2].size(), bench.asked[3].size()});
    CHECK(high - low <= 1);
  }
  CHECK(bench.served_in_a_row == 1990);
  for (int i = 0; i < 20; ++i) bench.tick();
  for (auto& client : bench.asked) {
    for (int i = 0; i < 1000; ++i) {
      if (random() % 3 == 0) {
        client.push_back(request());
      } else {
        client.push_back({});
      }
    }
  }
  for (int i = 0; i < 2500; ++i) bench.tick();
  CHECK(bench.dut->idle_o);
}

TEST_CASE(
    "key_check: MR-10, MR-11: a window has no local key, type 2 serves its queue pair alone") {
  Bench bench;
  const unsigned remote_write = access::kRemoteWrite;
  Region window{0x1000, 64, 0x9000, remote_write, 7, 0x5A, 3};
  window.kind = KeyKind::kWindowType1;
  window.remote_only = true;
  bench.write(5, window);
  CHECK(bench.ask({0x55A, 0x1000, 64, 7, remote_write, 3}));
  CHECK_FALSE(bench.ask({0x55A, 0x1000, 64, 7, 0, 3}));  // gather of a SEND
  CHECK_FALSE(bench.ask({0x55A, 0x1000, 65, 7, remote_write, 3}));
  CHECK_FALSE(bench.ask({0x55A, 0xFFF, 1, 7, remote_write, 3}));
  CHECK_FALSE(bench.ask({0x55A, 0x1000, 1, 7, access::kRemoteRead, 3}));
  window.kind = KeyKind::kWindowType2;
  window.qpn = 0x123456;
  bench.write(5, window);
  CHECK(bench.ask({0x55A, 0x1000, 64, 7, remote_write, 0x123456}));
  for (unsigned i = 0; i < 24; ++i) {
    CHECK_FALSE(bench.ask({0x55A, 0x1000, 64, 7, remote_write, 0x123456 ^ bit(i)}));
  }
}

TEST_CASE(
    "key_check: MR-13: a lookup in the clock of the result finds the binding, one before does "
    "not") {
  Bench bench;
  const unsigned remote_read = access::kRemoteRead;
  Region region{0x1000, 4096, 0x9000, access::kLocalWrite | access::kMwBind, 7, 0x11, 3};
  bench.write(2, region);
  Region window;
  window.kind = KeyKind::kWindowType2;
  window.remote_only = true;
  window.valid = false;
  window.pd = 7;
  bench.write(3, window);
  auto& dut = bench.dut;
  constexpr unsigned kOp = 0;  // the first client's request
  port::put(dut->key_op_req_i, layout::key_op_req::op, layout::KeyOp::kBind, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::key, 0x3AB, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::qpn, 9, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::pd, 7, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::region, 0x211, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::va, 0x1100, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::length, 256, kOp);
  port::put(dut->key_op_req_i, layout::key_op_req::access, remote_read, kOp);
  dut->key_op_req_valid_i = 1;
  dut->key_row_ready_i = 1;
  // Lookups are taken in each clock except for those in which the operation reads.
  std::vector<std::uint64_t> lookups;
  std::deque<bool> seen;
  std::uint64_t completed = 0;
  bool bus = false;
  port::put(dut->key_req_i, layout::key_req::key, 0x3AB);
  port::put(dut->key_req_i, layout::key_req::va, 0x1100);
  port::put(dut->key_req_i, layout::key_req::len, 256);
  port::put(dut->key_req_i, layout::key_req::pd, 7);
  port::put(dut->key_req_i, layout::key_req::access, remote_read);
  port::put(dut->key_req_i, layout::key_req::qpn, 9);
  for (int i = 0; i < 40; ++i) {
    dut->key_req_valid_i = 1;
    dut.settle();
    if (dut->key_req_ready_o & 1) lookups.push_back(dut.cycle());
    if (dut->key_rsp_valid_o & 1) seen.push_back(port::get(dut->key_rsp_o, layout::key_rsp::ok));
    if (dut->key_op_rsp_valid_o & 1) {
      completed = dut.cycle();
      CHECK(port::get(dut->key_op_rsp_o, layout::key_op_rsp::ok));
    }
    const bool taken = dut->key_op_req_ready_o & 1;
    const bool to_bus = dut->key_row_valid_o;
    dut->row_write_valid_i = bus;
    port::put(dut->row_write_i, layout::row_write::table_id, Table::kKey);
    port::put(dut->row_write_i, layout::row_write::index, 3);
    dut.settle();
    bus = to_bus;
    std::uint64_t row[5] = {};
    for (int w = 0; w < 5; ++w) {
      row[w] = port::get(dut->key_row_o, 64 * w, w == 4 ? layout::key::kBits - 256 : 64);
    }
    dut.tick();
    if (bus) {
      for (int w = 0; w < 5; ++w) port::put(dut->row_write_i, 64 * w, 64, row[w]);
    }
    if (taken) dut->key_op_req_valid_i = 0;
  }
  REQUIRE(completed != 0);
  CHECK(40 - lookups.size() == 2);  // clocks in which the operation read
  unsigned good = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    good += seen[i];
    CHECK(seen[i] == (lookups[i] >= completed));
  }
  CHECK(good > 10);
}
