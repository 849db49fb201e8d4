// SPDX-License-Identifier: Apache-2.0
// Lookups in the key table.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "Vroci_key_check.h"
#include "model/spec/codes.hpp"
#include "model/spec/context.hpp"
#include "model/spec/records.hpp"
#include "rtl/common/test/buses.hpp"
#include "rtl/common/test/dut.hpp"

namespace key_check_bench {

using namespace roci::spec;

inline constexpr unsigned kClients = 4;
inline constexpr unsigned kKeys = 64;
inline constexpr unsigned kReqBits = total_bits(kKeyReq);
inline constexpr unsigned kLatency = 3;
inline constexpr unsigned kTableKey = 3;
inline constexpr unsigned kType2 = code_of(kKeyKinds, "WindowType2");

struct Region {
  std::uint64_t iova = 0, length = 0, addr = 0;
  unsigned access = 0, pd = 0, variant = 0, pasid = 0;
  bool valid = true;
  unsigned kind = 0;
  bool remote_only = false;
  unsigned qpn = 0;
};
struct Request {
  std::uint32_t key = 0;
  std::uint64_t va = 0;
  std::uint32_t len = 1;
  unsigned pd = 0, access = 0, qpn = 0;
};
struct Answer {
  bool ok;
  std::uint64_t addr;
  unsigned pasid;
};

struct Bench {
  Dut<Vroci_key_check> dut;
  std::map<std::uint32_t, Region> table;
  std::deque<std::optional<Request>> asked[kClients];  // without a value: ask nothing for a clock
  std::deque<Request> open[kClients];
  std::deque<std::uint64_t> due[kClients];
  std::deque<Answer> answers;
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
    port::put(dut->row_write_i, bus::kRowTable, kTableKey);
    port::put(dut->row_write_i, bus::kRowIndex, index);
    port::put(dut->row_write_i, place_of(kKey, "valid"), region.valid);
    port::put(dut->row_write_i, place_of(kKey, "variant"), region.variant);
    port::put(dut->row_write_i, place_of(kKey, "pd"), region.pd);
    port::put(dut->row_write_i, place_of(kKey, "access"), region.access);
    port::put(dut->row_write_i, place_of(kKey, "pasid"), region.pasid);
    port::put(dut->row_write_i, place_of(kKey, "iova"), region.iova);
    port::put(dut->row_write_i, place_of(kKey, "length"), region.length);
    port::put(dut->row_write_i, place_of(kKey, "addr"), region.addr);
    port::put(dut->row_write_i, place_of(kKey, "kind"), region.kind);
    port::put(dut->row_write_i, place_of(kKey, "remote_only"), region.remote_only);
    port::put(dut->row_write_i, place_of(kKey, "qpn"), region.qpn);
    tick();
    dut->row_write_valid_i = 0;
  }

  /// The rule in 128-bit numbers.
  bool allowed(const Request& r) const {
    const auto at = table.find(r.key >> 8);
    if (at == table.end() || r.key >> 8 >= kKeys) return false;
    const Region& region = at->second;
    using Wide = unsigned __int128;
    const Wide first = r.va, end = first + r.len;
    return region.valid && region.variant == (r.key & 0xFF) && region.pd == r.pd &&
           (region.access & r.access) == r.access &&
           (!region.remote_only || (r.access & 0xE) != 0) &&
           (region.kind != kType2 || region.qpn == r.qpn) && first >= region.iova &&
           end <= Wide{region.iova} + region.length && end <= Wide{1} << 64;
  }

  void tick() {
    for (unsigned c = 0; c < kClients; ++c) {
      const bool ask = !asked[c].empty() && asked[c].front();
      port::put(dut->key_req_valid_i, c, 1, ask);
      if (!ask) continue;
      const Request& r = *asked[c].front();
      const unsigned base = c * kReqBits;
      port::put(dut->key_req_i, place_of(kKeyReq, "key"), r.key, base);
      port::put(dut->key_req_i, place_of(kKeyReq, "va"), r.va, base);
      port::put(dut->key_req_i, place_of(kKeyReq, "len"), r.len, base);
      port::put(dut->key_req_i, place_of(kKeyReq, "pd"), r.pd, base);
      port::put(dut->key_req_i, place_of(kKeyReq, "access"), r.access, base);
      port::put(dut->key_req_i, place_of(kKeyReq, "qpn"), r.qpn, base);
    }
    dut.settle();
    unsigned taken = 0;
    for (unsigned c = 0; c < kClients; ++c) {
      const bool expected = !due[c].empty() && due[c].front() == dut.cycle();
      REQUIRE(bool(port::get(dut->key_rsp_valid_o, c, 1)) == expected);
      if (expected) {
        const Request r = open[c].front();
        const Answer answer{
            port::get(dut->key_rsp_o, place_of(kKeyRsp, "ok")) != 0,
            port::get(dut->key_rsp_o, place_of(kKeyRsp, "addr")),
            static_cast<unsigned>(port::get(dut->key_rsp_o, place_of(kKeyRsp, "pasid")))};
        CHECK(answer.ok == allowed(r));
        if (answer.ok) {
          const Region& region = table.at(r.key >> 8);
          CHECK(answer.addr == region.addr + (r.va - region.iova));
          CHECK(answer.pasid == region.pasid);
        }
        answers.push_back(answer);
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
    answers.clear();
    for (int i = 0; i < 10 && answers.empty(); ++i) tick();
    REQUIRE(answers.size() == 1);
    return answers[0].ok;
  }
};

inline constexpr unsigned bit(unsigned number) { return 1u << number; }

}  // namespace key_check_bench
