// SPDX-License-Identifier: Apache-2.0
// Key operations against the rules of 10.6.7, written here a second time in numbers that do not
// wrap.
#pragma once

#include <Vroci_key_op.h>
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace key_op_bench {

using layout::KeyKind;
using layout::KeyOp;
namespace access = layout::access;

inline constexpr unsigned kRows = 16;  // as in block.cmake
inline constexpr unsigned kReqBits = layout::key_op_req::kBits;
inline constexpr unsigned kWrites = access::kRemoteWrite | access::kRemoteAtomic;

struct Row {
  bool valid = false;
  unsigned variant = 0, pd = 0, access = 0, pasid = 0;
  std::uint64_t iova = 0, length = 0, addr = 0;
  KeyKind kind = KeyKind::kRegion;
  bool remote_only = false;
  unsigned qpn = 0, parent = 0;
};

/// Calls `each(field, member)` for every field of a row.
template <typename R, typename F>
void each_field(R& row, F each) {
  each(layout::key::valid, row.valid);
  each(layout::key::variant, row.variant);
  each(layout::key::pd, row.pd);
  each(layout::key::access, row.access);
  each(layout::key::pasid, row.pasid);
  each(layout::key::iova, row.iova);
  each(layout::key::length, row.length);
  each(layout::key::addr, row.addr);
  each(layout::key::kind, row.kind);
  each(layout::key::remote_only, row.remote_only);
  each(layout::key::qpn, row.qpn);
  each(layout::key::parent, row.parent);
}

struct Request {
  KeyOp op = KeyOp::kInvalidate;
  std::uint32_t key = 0;
  unsigned qpn = 0, pd = 0;
  std::uint32_t region = 0;
  std::uint64_t va = 0, length = 0;
  unsigned access = 0;
  std::uint64_t addr = 0;
};

using Table = std::array<Row, kRows>;

/// What the operation makes of the table; false: rejected.
inline bool expect(Table& table, const Request& r) {
  using Wide = unsigned __int128;
  const Wide top = Wide{1} << 64;
  if (r.key >> 8 >= kRows) return false;
  Row& row = table[r.key >> 8];
  if (row.pd != r.pd) return false;
  const bool writes = (r.access & kWrites) != 0;
  Row next;
  next.variant = r.key & 0xFF;
  next.pd = row.pd;
  next.kind = row.kind;
  next.remote_only = row.remote_only;
  next.pasid = row.pasid;
  if (r.op == KeyOp::kInvalidate) {
    if (!row.valid || row.variant != (r.key & 0xFF)) return false;
    if (row.kind != KeyKind::kFastRegion &&
        !(row.kind == KeyKind::kWindowType2 && row.qpn == r.qpn))
      return false;
  } else if (r.op == KeyOp::kRegister) {
    if (row.kind != KeyKind::kFastRegion || row.valid || r.length == 0) return false;
    if (Wide{r.va} + r.length > top || Wide{r.addr} + r.length > top) return false;
    if (writes && !(r.access & access::kLocalWrite)) return false;
    next.valid = true;
    next.access = r.access & (access::kLocalWrite | kWrites | access::kRemoteRead);
    next.iova = r.va;
    next.length = r.length;
    next.addr = r.addr;
  } else if (r.op == KeyOp::kBind) {
    if (row.kind != KeyKind::kWindowType1 && row.kind != KeyKind::kWindowType2) return false;
    if (row.kind == KeyKind::kWindowType2 && (row.valid || r.length == 0)) return false;
    if (r.length != 0) {
      if (r.region >> 8 >= kRows) return false;
      const Row& region = table[r.region >> 8];
      if (!region.valid || region.kind != KeyKind::kRegion || region.variant != (r.region & 0xFF) ||
          region.pd != r.pd || !(region.access & access::kMwBind) ||
          (writes && !(region.access & access::kLocalWrite))) {
        return false;
      }
      const Wide end = Wide{r.va} + r.length;
      if (r.va < region.iova || end > Wide{region.iova} + region.length || end > top) return false;
      next.valid = true;
      next.access = r.access & (kWrites | access::kRemoteRead | access::kZeroBased);
      next.pasid = region.pasid;
      next.iova = r.access & access::kZeroBased ? 0 : r.va;
      next.length = r.length;
      next.addr = region.addr + (r.va - region.iova);
      next.qpn = row.kind == KeyKind::kWindowType2 ? r.qpn : 0;
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
  Table table{};     ///< what the row bus has written
  Table expected{};  ///< by the rules
  std::mt19937_64 random;
  unsigned percent_ready = 100;
  std::uint64_t taken = 0;  ///< clock
  explicit Bench(std::uint64_t seed = 1) : random(seed) {}

  void set(unsigned index, const Row& row) { table[index] = expected[index] = row; }

  void put(unsigned client, const Request& r) {
    const unsigned base = client * kReqBits;
    port::put(dut->req_i, layout::key_op_req::op, r.op, base);
    port::put(dut->req_i, layout::key_op_req::key, r.key, base);
    port::put(dut->req_i, layout::key_op_req::qpn, r.qpn, base);
    port::put(dut->req_i, layout::key_op_req::pd, r.pd, base);
    port::put(dut->req_i, layout::key_op_req::region, r.region, base);
    port::put(dut->req_i, layout::key_op_req::va, r.va, base);
    port::put(dut->req_i, layout::key_op_req::length, r.length, base);
    port::put(dut->req_i, layout::key_op_req::access, r.access, base);
    port::put(dut->req_i, layout::key_op_req::addr, r.addr, base);
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
      each_field(row, [&](auto field, auto& member) {
        member = static_cast<std::decay_t<decltype(member)>>(port::get(dut->row_o, field));
      });
      if (dut->row_ready_i) {
        on_bus_ = true;
        bus_row_ = row;
        bus_index_ = dut->row_index_o;
      }
    }
    const Row row_read = reads ? table[read_row] : Row{};
    dut.tick();
    if (reads) {
      port::clear(dut->row_i);
      each_field(row_read, [&](auto field, auto member) { port::put(dut->row_i, field, member); });
    } else if (random() % 2) {
      port::put(dut->row_i, layout::key::iova, random());  // the row of a lookup
    }
    dut.settle();
  }

  bool same_tables() const {
    for (unsigned i = 0; i < kRows; ++i) {
      std::array<std::uint64_t, 5> words[2] = {};
      for (int side = 0; side < 2; ++side) {
        const Row& row = side ? table[i] : expected[i];
        each_field(row, [&](auto field, auto member) {
          words[side][field.offset / 64] =
              words[side][field.offset / 64] * 0x9E3779B97F4A7C15u + std::uint64_t(member);
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
    // A lookup that is taken in the clock of the result finds the row.
    if (on_bus_) FAIL("the result came before the row was in the table");
    CHECK(same_tables());
    tick();
    return ok;
  }

 private:
  bool on_bus_ = false;
  Row bus_row_;
  unsigned bus_index_ = 0;
};

inline Row region() {
  Row row;
  row.valid = true;
  row.variant = 0x11;
  row.pd = 5;
  row.access = access::kLocalWrite | access::kRemoteWrite | access::kRemoteRead | access::kMwBind;
  row.pasid = 0xABCDE;
  row.iova = 0x10000;
  row.length = 0x1000;
  row.addr = 0x7F0000012340;
  return row;
}
inline Row window(KeyKind kind) {
  Row row;
  row.kind = kind;
  row.pd = 5;
  row.remote_only = true;
  return row;
}
inline constexpr std::uint32_t kRegionKey = 2 << 8 | 0x11;
inline Request bind(unsigned variant = 0x22) {
  return {KeyOp::kBind, 3u << 8 | variant, 9, 5, kRegionKey, 0x10040, 64, access::kRemoteWrite, 0};
}

}  // namespace key_op_bench
