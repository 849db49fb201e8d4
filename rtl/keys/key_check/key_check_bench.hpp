// SPDX-License-Identifier: Apache-2.0
// Lookups in the key table, compared with the rules in numbers that do not wrap.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "Vroci_key_check.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace key_check_bench {

using layout::KeyKind;
using layout::Table;
namespace access = layout::access;

inline constexpr unsigned kClients = 4;
inline constexpr unsigned kKeys = 64;
inline constexpr unsigned kReqBits = layout::key_req::kBits;
inline constexpr unsigned kLatency = 3;
inline constexpr unsigned kRemote =
    access::kRemoteWrite | access::kRemoteRead | access::kRemoteAtomic;

struct Region {
  std::uint64_t iova = 0, length = 0, addr = 0;
  unsigned access = 0, pd = 0, variant = 0, pasid = 0;
  bool valid = true;
  KeyKind kind = KeyKind::kRegion;
  bool remote_only = false;
  unsigned qpn = 0;
};
struct Request {
  std::uint32_t key = 0;
  std::uint64_t va = 0;
  std::uint32_t len = 1;
  unsigned pd = 0, access = 0, qpn = 0;
};
struct Result {
  bool ok;
  std::uint64_t addr;
  unsigned pasid;
};

struct Bench {
  Dut<Vroci_key_check> dut;
  std::map<std::uint32_t, Region> table;
  std::deque<std::optional<Request>> asked[kClients];  // without a value: no request for a clock
  std::deque<Request> open[kClients];
  std::deque<std::uint64_t> due[kClients];
  std::deque<Result> results;
  unsigned served_in_a_row = 0;

  Bench() {
    dut->row_write_valid_i = 0;
    port::clear(dut->key_req_i);
    dut->key_req_valid_i = 0;
    for (int i = 0; !dut->idle_o && i < 1000; ++i) dut.tick();
    CHECK(dut->idle_o);
  }

  void write(std::uint32_t index, const Region& region) {
    table[index] = region;
    bus::clear_data(dut->row_write_i);
    dut->row_write_valid_i = 1;
    port::put(dut->row_write_i, layout::row_write::table_id, Table::kKey);
    port::put(dut->row_write_i, layout::row_write::index, index);
    port::put(dut->row_write_i, layout::key::valid, region.valid);
    port::put(dut->row_write_i, layout::key::variant, region.variant);
    port::put(dut->row_write_i, layout::key::pd, region.pd);
    port::put(dut->row_write_i, layout::key::access, region.access);
    port::put(dut->row_write_i, layout::key::pasid, region.pasid);
    port::put(dut->row_write_i, layout::key::iova, region.iova);
    port::put(dut->row_write_i, layout::key::length, region.length);
    port::put(dut->row_write_i, layout::key::addr, region.addr);
    port::put(dut->row_write_i, layout::key::kind, region.kind);
    port::put(dut->row_write_i, layout::key::remote_only, region.remote_only);
    port::put(dut->row_write_i, layout::key::qpn, region.qpn);
    tick();
    dut->row_write_valid_i = 0;
  }

  /// Whether the rules allow an access, in 128-bit numbers.
  bool allowed(const Request& r) const {
    const auto at = table.find(r.key >> 8);
    if (at == table.end() || r.key >> 8 >= kKeys) return false;
    const Region& region = at->second;
    using Wide = unsigned __int128;
    const Wide first = r.va, end = first + r.len;
    return region.valid && region.variant == (r.key & 0xFF) && region.pd == r.pd &&
           (region.access & r.access) == r.access &&
           (!region.remote_only || (r.access & kRemote) != 0) &&
           (region.kind != KeyKind::kWindowType2 || region.qpn == r.qpn) && first >= region.iova &&
           end <= Wide{region.iova} + region.length && end <= Wide{1} << 64;
  }

  void tick() {
    for (unsigned c = 0; c < kClients; ++c) {
      const bool ask = !asked[c].empty() && asked[c].front();
      port::put(dut->key_req_valid_i, c, 1, ask);
      if (!ask) continue;
      const Request& r = *asked[c].front();
      const unsigned base = c * kReqBits;
      port::put(dut->key_req_i, layout::key_req::key, r.key, base);
      port::put(dut->key_req_i, layout::key_req::va, r.va, base);
      port::put(dut->key_req_i, layout::key_req::len, r.len, base);
      port::put(dut->key_req_i, layout::key_req::pd, r.pd, base);
      port::put(dut->key_req_i, layout::key_req::access, r.access, base);
      port::put(dut->key_req_i, layout::key_req::qpn, r.qpn, base);
    }
    dut.settle();
    unsigned taken = 0;
    for (unsigned c = 0; c < kClients; ++c) {
      const bool expected = !due[c].empty() && due[c].front() == dut.cycle();
      REQUIRE(bool(port::get(dut->key_rsp_valid_o, c, 1)) == expected);
      if (expected) {
        const Request r = open[c].front();
        const Result result{port::get(dut->key_rsp_o, layout::key_rsp::ok),
                            port::get(dut->key_rsp_o, layout::key_rsp::addr),
                            port::get(dut->key_rsp_o, layout::key_rsp::pasid)};
        CHECK(result.ok == allowed(r));
        if (result.ok) {
          const Region& region = table.at(r.key >> 8);
          CHECK(result.addr == region.addr + (r.va - region.iova));
          CHECK(result.pasid == region.pasid);
        }
        results.push_back(result);
        open[c].pop_front();
        due[c].pop_front();
      }
      if (asked[c].empty()) continue;
      if (!asked[c].front()) {
        asked[c].pop_front();
      } else if (port::get(dut->key_req_ready_o, c, 1)) {
        ++taken;
        open[c].push_back(*asked[c].front());
        due[c].push_back(dut.cycle() + kLatency);
        asked[c].pop_front();
      }
    }
    CHECK(taken <= 1);
    served_in_a_row = taken ? served_in_a_row + 1 : 0;
    dut.tick();
  }

  bool ask(const Request& request) {
    asked[0].push_back(request);
    results.clear();
    for (int i = 0; i < 10 && results.empty(); ++i) tick();
    REQUIRE(results.size() == 1);
    return results[0].ok;
  }
};

inline constexpr unsigned bit(unsigned number) { return 1u << number; }

}  // namespace key_check_bench
