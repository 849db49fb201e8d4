// SPDX-License-Identifier: Apache-2.0
// Key operations against the rules of 10.6.7, written here a second time in numbers that do not
// wrap.
#include <Vroci_key_op.h>
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using namespace roci::spec;

constexpr unsigned kRows = 16;  // as in block.cmake
constexpr unsigned kReqBits = total_bits(kKeyOpReq);
constexpr unsigned kInvalidate = code_of(kKeyOps, "Invalidate"), kBind = code_of(kKeyOps, "Bind"),
                   kRegister = code_of(kKeyOps, "Register");
constexpr unsigned kRegion = code_of(kKeyKinds, "Region"),
                   kType1 = code_of(kKeyKinds, "WindowType1"),
                   kType2 = code_of(kKeyKinds, "WindowType2"),
                   kFast = code_of(kKeyKinds, "FastRegion");
constexpr unsigned bit(std::string_view name) { return 1u << code_of(kAccess, name); }
const unsigned kLocalWrite = bit("LocalWrite"), kRemoteWrite = bit("RemoteWrite"),
               kRemoteRead = bit("RemoteRead"), kMwBind = bit("MwBind"),
               kZeroBased = bit("ZeroBased");

struct Row {
  bool valid = false;
  unsigned variant = 0, pd = 0, access = 0, pasid = 0;
  std::uint64_t iova = 0, length = 0, addr = 0;
  unsigned kind = 0;
  bool remote_only = false;
  unsigned qpn = 0, parent = 0;
};

/// Calls `each(place, member)` for every field of a row.
template <typename R, typename F>
void each_field(R& row, F each) {
  each(place_of(kKey, "valid"), row.valid);
  each(place_of(kKey, "variant"), row.variant);
  each(place_of(kKey, "pd"), row.pd);
  each(place_of(kKey, "access"), row.access);
  each(place_of(kKey, "pasid"), row.pasid);
  each(place_of(kKey, "iova"), row.iova);
  each(place_of(kKey, "length"), row.length);
  each(place_of(kKey, "addr"), row.addr);
  each(place_of(kKey, "kind"), row.kind);
  each(place_of(kKey, "remote_only"), row.remote_only);
  each(place_of(kKey, "qpn"), row.qpn);
  each(place_of(kKey, "parent"), row.parent);
}

struct Request {
  unsigned op = 0;
  std::uint32_t key = 0;
  unsigned qpn = 0, pd = 0;
  std::uint32_t region = 0;
  std::uint64_t va = 0, length = 0;
  unsigned access = 0;
  std::uint64_t addr = 0;
};

using Table = std::array<Row, kRows>;

/// What the operation makes of the table; false: refused.
bool expect(Table& table, const Request& r) {
  using Wide = unsigned __int128;
  const Wide top = Wide{1} << 64;
  if (r.key >> 8 >= kRows) return false;
  Row& row = table[r.key >> 8];
  if (row.pd != r.pd) return false;
  const bool writes = (r.access & (kRemoteWrite | bit("RemoteAtomic"))) != 0;
  Row next;
  next.variant = r.key & 0xFF;
  next.pd = row.pd;
  next.kind = row.kind;
  next.remote_only = row.remote_only;
  next.pasid = row.pasid;
  if (r.op == kInvalidate) {
    if (!row.valid || row.variant != (r.key & 0xFF)) return false;
    if (row.kind != kFast && !(row.kind == kType2 && row.qpn == r.qpn)) return false;
  } else if (r.op == kRegister) {
    if (row.kind != kFast || row.valid || r.length == 0) return false;
    if (Wide{r.va} + r.length > top || Wide{r.addr} + r.length > top) return false;
    if (writes && !(r.access & kLocalWrite)) return false;
    next.valid = true;
    next.access = r.access & 0xF;
    next.iova = r.va;
    next.length = r.length;
    next.addr = r.addr;
  } else if (r.op == kBind) {
    if (row.kind != kType1 && row.kind != kType2) return false;
    if (row.kind == kType2 && (row.valid || r.length == 0)) return false;
    if (r.length != 0) {
      if (r.region >> 8 >= kRows) return false;
      const Row& region = table[r.region >> 8];
      if (!region.valid || region.kind != kRegion || region.variant != (r.region & 0xFF) ||
          region.pd != r.pd || !(region.access & kMwBind) ||
          (writes && !(region.access & kLocalWrite))) {
        return false;
      }
      const Wide end = Wide{r.va} + r.length;
      if (r.va < region.iova || end > Wide{region.iova} + region.length || end > top) return false;
      next.valid = true;
      next.access = r.access & (kRemoteWrite | kRemoteRead | bit("RemoteAtomic") | kZeroBased);
      next.pasid = region.pasid;
      next.iova = r.access & kZeroBased ? 0 : r.va;
      next.length = r.length;
      next.addr = region.addr + (r.va - region.iova);
      next.qpn = row.kind == kType2 ? r.qpn : 0;
      next.parent = r.region >> 8;
    }
  } else {
    return false;
  }
  row = next;
  return true;
}

struct Bench {
  Dut<Vroci_key_op> dut;
  Table table{};     ///< as the row bus has written it
  Table expected{};  ///< as the rules have it
  std::mt19937_64 random;
  unsigned percent_ready = 100;
  std::uint64_t taken = 0;  ///< clock
  explicit Bench(std::uint64_t seed = 1) : random(seed) {}

  void set(unsigned index, const Row& row) { table[index] = expected[index] = row; }

  void put(unsigned client, const Request& r) {
    const unsigned base = client * kReqBits;
    port::put(dut->req_i, place_of(kKeyOpReq, "op"), r.op, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "key"), r.key, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "qpn"), r.qpn, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "pd"), r.pd, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "region"), r.region, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "va"), r.va, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "length"), r.length, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "access"), r.access, base);
    port::put(dut->req_i, place_of(kKeyOpReq, "addr"), r.addr, base);
  }

  /// One clock of table and bus. A row taken from the unit is on the bus in the next clock and in
  /// the table in the one after.
  void tick() {
    dut->read_ready_i = random() % 100 < percent_ready;
    dut->row_ready_i = random() % 100 < percent_ready;
    dut.settle();
    const bool reads = dut->read_valid_o && dut->read_ready_i;
    const unsigned read_row = dut->read_row_o;
    if (reads) CHECK(dut->busy_o == 1);
    if (on_bus_) {
      table[bus_index_] = bus_row_;
      on_bus_ = false;
    }
    if (dut->row_valid_o) {
      CHECK(dut->busy_o == 1);
      REQUIRE(dut->row_index_o < kRows);
      Row row;
      each_field(row, [&](Place place, auto& member) {
        member = static_cast<std::decay_t<decltype(member)>>(port::get(dut->row_o, place));
      });
      if (dut->row_ready_i) {
        on_bus_ = true;
        bus_row_ = row;
        bus_index_ = dut->row_index_o;
      }
    }
    const Row answer = reads ? table[read_row] : Row{};
    dut.tick();
    if (reads) {
      port::clear(dut->row_i);
      each_field(answer, [&](Place place, auto member) { port::put(dut->row_i, place, member); });
    } else if (random() % 2) {
      port::put(dut->row_i, place_of(kKey, "iova"), random());  // a lookup of someone else
    }
    dut.settle();
  }

  bool same_tables() const {
    for (unsigned i = 0; i < kRows; ++i) {
      std::array<std::uint64_t, 5> words[2] = {};
      for (int side = 0; side < 2; ++side) {
        const Row& row = side ? table[i] : expected[i];
        each_field(row, [&](Place place, auto member) {
          words[side][place.offset / 64] =
              words[side][place.offset / 64] * 0x9E3779B97F4A7C15u + std::uint64_t(member);
        });
      }
      if (words[0] != words[1]) return false;
    }
    return true;
  }

  bool run(unsigned client, const Request& r) {
    put(client, r);
    dut->req_valid_i = 1u << client;
    dut.settle();
    for (int i = 0; !(dut->req_ready_o >> client & 1); ++i) {
      REQUIRE(i < 100);
      tick();
    }
    taken = dut.cycle();
    tick();
    dut->req_valid_i = 0;
    dut.settle();
    for (int i = 0; dut->rsp_valid_o == 0; ++i) {
      REQUIRE(i < 1000);
      tick();
    }
    CHECK(dut->rsp_valid_o == 1u << client);
    const bool ok = dut->rsp_o != 0;
    const bool wanted = expect(expected, r);
    CHECK(ok == wanted);
    // A lookup that is taken in the clock of the answer sees the row.
    if (on_bus_) FAIL("answered before the row was in the table");
    CHECK(same_tables());
    tick();
    return ok;
  }

 private:
  bool on_bus_ = false;
  Row bus_row_;
  unsigned bus_index_ = 0;
};

Row region() {
  Row row;
  row.valid = true;
  row.variant = 0x11;
  row.pd = 5;
  row.access = kLocalWrite | kRemoteWrite | kRemoteRead | kMwBind;
  row.pasid = 0xABCDE;
  row.iova = 0x10000;
  row.length = 0x1000;
  row.addr = 0x7F0000012340;
  return row;
}
Row window(unsigned kind) {
  Row row;
  row.kind = kind;
  row.pd = 5;
  row.remote_only = true;
  return row;
}
constexpr std::uint32_t kRegionKey = 2 << 8 | 0x11;
Request bind(unsigned variant = 0x22) {
  return {kBind, 3u << 8 | variant, 9, 5, kRegionKey, 0x10040, 64, kRemoteWrite, 0};
}

}  // namespace

TEST_CASE("key_op: MR-09: a type 1 window is bound, bound again and unbound") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(kType1));
  CHECK(bench.run(0, bind(0x22)));
  CHECK(bench.table[3].addr == 0x7F0000012380);
  CHECK(bench.table[3].pasid == 0xABCDE);
  CHECK(bench.table[3].variant == 0x22);
  CHECK(bench.run(0, bind(0x23)));
  CHECK(bench.table[3].variant == 0x23);  // the old key is dead
  Request unbind = bind(0x24);
  unbind.length = 0;
  unbind.region = 0xFFFFFFFF;
  CHECK(bench.run(0, unbind));
  CHECK_FALSE(bench.table[3].valid);
}

TEST_CASE("key_op: MR-11: a type 2 window is bound once, and freed by its queue pair only") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(kType2));
  CHECK(bench.run(0, bind(0x22)));
  CHECK_FALSE(bench.run(0, bind(0x23)));
  Request zero = bind(0x22);
  zero.length = 0;
  CHECK_FALSE(bench.run(0, zero));
  CHECK_FALSE(bench.run(0, {kInvalidate, 0x323, 9, 5}));  // not its variant
  CHECK_FALSE(bench.run(0, {kInvalidate, 0x322, 8, 5}));  // not its queue pair
  CHECK_FALSE(bench.run(0, {kInvalidate, 0x322, 9, 6}));  // not its domain
  CHECK(bench.run(1, {kInvalidate, 0x322, 9, 5}));
  CHECK_FALSE(bench.table[3].valid);
  CHECK_FALSE(bench.run(1, {kInvalidate, 0x322, 9, 5}));
  CHECK(bench.run(0, bind(0x23)));
}

TEST_CASE("key_op: MR-12: each condition of a bind") {
  const auto refused = [](auto change) {
    Bench bench;
    Row r = region(), w = window(kType1);
    Request request = bind();
    change(r, w, request);
    bench.set(2, r);
    bench.set(3, w);
    CHECK_FALSE(bench.run(0, request));
  };
  refused([](Row& r, Row&, Request&) { r.access &= ~kMwBind; });
  refused([](Row& r, Row&, Request&) { r.access &= ~kLocalWrite; });
  refused([](Row& r, Row&, Request&) { r.valid = false; });
  refused([](Row& r, Row&, Request&) { r.pd = 6; });
  refused([](Row& r, Row&, Request&) { r.kind = kFast; });
  refused([](Row& r, Row&, Request&) { r.variant = 0x12; });
  refused([](Row&, Row& w, Request&) { w.pd = 6; });
  refused([](Row&, Row& w, Request&) { w.kind = kRegion; });
  refused([](Row&, Row& w, Request&) { w.kind = kFast; });
  refused([](Row&, Row&, Request& q) { q.pd = 6; });
  refused([](Row&, Row&, Request& q) { q.va = 0xFFFF; });
  refused([](Row&, Row&, Request& q) { q.length = 0x1000; });
  refused([](Row&, Row&, Request& q) { q.length = ~std::uint64_t{0}; });
  refused([](Row&, Row&, Request& q) { q.key |= 1u << 31; });
  refused([](Row&, Row&, Request& q) { q.region |= 1u << 12; });
  refused([](Row& r, Row&, Request& q) {  // the range would wrap
    r.iova = ~std::uint64_t{0} - 15;
    r.length = 4096;
    q.va = r.iova;
  });
  Bench bench;
  Row r = region();
  r.access &= ~kLocalWrite;
  bench.set(2, r);
  bench.set(3, window(kType1));
  Request read_only = bind();
  read_only.access = kRemoteRead;
  CHECK(bench.run(0, read_only));
}

TEST_CASE("key_op: MR-15: a fast region is registered once, with a new variant") {
  Bench bench;
  Row fast;
  fast.kind = kFast;
  fast.pd = 5;
  fast.pasid = 0x777;
  bench.set(4, fast);
  Request r{kRegister, 0x4AA, 9, 5, 0, 0x5000, 0x3000, kLocalWrite | kRemoteWrite, 0x90000};
  CHECK(bench.run(0, r));
  CHECK(bench.table[4].pasid == 0x777);
  r.key = 0x4AB;
  CHECK_FALSE(bench.run(0, r));
  CHECK(bench.run(0, {kInvalidate, 0x4AA, 1, 5}));
  CHECK(bench.run(0, r));
  CHECK(bench.run(0, {kInvalidate, 0x4AB, 1, 5}));
  r.access = kRemoteWrite;
  CHECK_FALSE(bench.run(0, r));
  r.access = kLocalWrite;
  r.addr = ~std::uint64_t{0} - 100;
  CHECK_FALSE(bench.run(0, r));
}

TEST_CASE("key_op: normal regions and type 1 windows cannot be invalidated") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(kType1));
  CHECK(bench.run(0, bind()));
  CHECK_FALSE(bench.run(1, {kInvalidate, kRegionKey, 9, 5}));
  CHECK_FALSE(bench.run(1, {kInvalidate, 0x322, 9, 5}));
  CHECK_FALSE(bench.run(0, {3, 0x322, 9, 5}));  // no such operation
}

TEST_CASE("key_op: an operation takes 8 clocks, a bind 10, when nothing is in the way") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(kType2));
  CHECK(bench.run(0, bind()));
  CHECK(bench.dut.cycle() - 1 - bench.taken == 9);
  CHECK(bench.run(0, {kInvalidate, 0x322, 9, 5}));
  CHECK(bench.dut.cycle() - 1 - bench.taken == 7);
}

TEST_CASE("key_op: both clients are served when both ask all the time") {
  Bench bench;
  bench.set(2, region());
  bench.set(3, window(kType1));
  unsigned answers[2] = {};
  bench.put(0, bind());
  bench.put(1, {kInvalidate, 0x999, 1, 5});
  bench.dut->req_valid_i = 3;
  for (int i = 0; i < 400; ++i) {
    bench.tick();
    for (int c = 0; c < 2; ++c) answers[c] += bench.dut->rsp_valid_o >> c & 1;
  }
  CHECK(answers[0] > 15);
  CHECK(answers[0] - answers[1] + 1 <= 2);
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
  for (int i = 0; i < 6000; ++i) {
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
      row.kind = random() % 4;
      row.remote_only = row.kind == kType1 || row.kind == kType2;
      row.qpn = random() % 2;
      if (row.kind == kFast || row.remote_only) row.valid = random() % 2;
      bench.set(random() % kRows, row);
    }
    Request r;
    r.op = random() % 3;
    r.key = std::uint32_t(random() % (kRows + 1) << 8 | random() % 2);
    r.region = std::uint32_t(random() % (kRows + 1) << 8 | random() % 2);
    const Row& region = bench.expected[(r.region >> 8) % kRows];
    r.qpn = random() % 2;
    r.pd = random() % 2;
    r.va = region.iova + pick({0, 1, ~std::uint64_t{0}, 0x7FF, region.length - 1, random()});
    r.length = pick({0, 1, 2, region.length, 0x800, 0x801, random()});
    r.access = random() % 64;
    r.addr = pick({0, random(), ~std::uint64_t{0} - r.length, ~std::uint64_t{0} - r.length + 1});
    good[r.op] += bench.run(random() % 2, r);
  }
  CHECK(good[kInvalidate] > 50);
  CHECK(good[kBind] > 20);
  CHECK(good[kRegister] > 50);
}
