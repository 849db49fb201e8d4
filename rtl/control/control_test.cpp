// SPDX-License-Identifier: Apache-2.0
// The control block over its register bus, as firmware, driver and engines see it.

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "rtl/control/bench.hpp"

using namespace control_bench;

namespace {

/// Bits of a register that keep what is written; the rest reads 0. From the field texts.
std::uint32_t kept_bits(std::string_view name) {
  if (name == "Control") return 0x3;
  if (name == "AdminSize") return 0xFFFFF00F;
  if (name == "EqSize") return 0xFFFFF01F;
  if (name == "AdminDoorbell" || name == "AdminDone" || name == "EqConsumer") return 0xFFFF;
  if (name == "MacHi") return 0xFFFF;
  if (name == "CounterSelect") return 0xF;
  return 0xFFFFFFFF;
}

/// Commands act when written; they have tests of their own.
bool is_command(std::string_view name) {
  return name == "TableCommand" || name == "FenceCommand" || name == "DmaCommand" ||
         name == "TxFrameCommand";
}

}  // namespace

TEST_CASE(
    "control: registers reset to their values, keep their bits and ignore what is not theirs") {
  Bench bench;
  for (const auto& r : spec::kRegisters) {
    INFO(std::string(r.name));
    if (r.name == "Parameters") {
      CHECK(bench.read(r.offset) == ((DATA_WIDTH / 8) | 4 << 8 | 5 << 16 | 4 << 24));
    } else if (r.name == "Parameters2") {
      CHECK(bench.read(r.offset) == 3);
    } else if (r.name != "TimeLo" && r.name != "TimeHi") {
      CHECK(bench.read(r.offset) == r.reset);
    }
  }
  for (const auto& r : spec::kRegisters) {
    if (r.access != "rw" || is_command(r.name)) continue;
    INFO(std::string(r.name));
    for (unsigned bit = 0; bit < 32; ++bit) {
      if (r.name == "EqSize" && bit == 4) continue;
      bench.write(r.offset, 1u << bit);
      CHECK(bench.read(r.offset) == (1u << bit & kept_bits(r.name)));
      bench.write(r.offset, ~(1u << bit) & ~(r.name == "EqSize" ? 1u << 4 : 0));
      CHECK(bench.read(r.offset) ==
            (~(1u << bit) & kept_bits(r.name) & ~(r.name == "EqSize" ? 1u << 4 : 0)));
    }
    bench.write(r.offset, 0);
  }
  for (const auto& r : spec::kRegisters) {  // read-only ones do not take writes
    if (r.access != "ro" || r.name == "TimeLo" || r.name == "TimeHi") continue;
    const std::uint32_t before = bench.read(r.offset);
    bench.write(r.offset, ~before);
    CHECK(bench.read(r.offset) == before);
  }
  bench.write("Control", 3);
  bench.write(reg("Control"), 0, 0x7);  // a byte is missing
  CHECK(bench.read("Control") == 3);
  CHECK(bench.dut->enable_o == 1);
  std::set<std::uint32_t> mapped;
  for (const auto& r : spec::kRegisters) mapped.insert(r.offset);
  for (std::uint32_t a = 0; a < 0x1100; a += 4) {
    if (mapped.count(a)) continue;
    bench.write(a, 0xFFFFFFFF);
    CHECK(bench.read(a) == 0);
  }
  for (std::uint32_t a :
       {0x1180u, 0x2600u, 0x27FCu, 0x3600u, 0x4000u, 0x100000u, 0x180004u, 0x3FFFFCu}) {
    bench.write(a, 0xFFFFFFFF);
    CHECK(bench.read(a) == 0);
  }
}

TEST_CASE("control: windows keep their words") {
  Bench bench;
  for (const char* name : {"TableData", "DmaData", "TxFrameData"}) {
    const std::uint32_t base = window(name);
    const unsigned words = std::string(name) == "TxFrameData" ? 384 : 16;
    std::vector<std::uint32_t> expect(words);
    for (unsigned i = 0; i < words; ++i) bench.write(base + 4 * i, expect[i] = bench.random());
    for (unsigned i = 0; i < words; ++i) CHECK(bench.read(base + 4 * i) == expect[i]);
  }
}

TEST_CASE("control: TimeLo latches TimeHi") {
  Bench bench;
  bench.dut->now_i = 0x1FFFFFFF0ull;
  bench.now_step = 0;
  CHECK(bench.read("TimeLo") == 0xFFFFFFF0u);
  bench.dut->now_i = 0x2000000000ull;
  CHECK(bench.read("TimeHi") == 1);
}

TEST_CASE("control: a doorbell is taken each clock and reaches its engine in order") {
  Bench bench;
  unsigned taken = 0;
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned qpn = i % (kNumQps + 4), receive = i / 4 % 2;
    bench.dut->s_axil_awaddr_i = window("QpDoorbell") + 16 * qpn + 4 * receive;
    bench.dut->s_axil_wdata_i = 1000 + i;
    bench.dut->s_axil_wstrb_i = 15;
    bench.dut->s_axil_awvalid_i = 1;
    bench.dut->s_axil_wvalid_i = 1;
    bench.dut.settle();
    taken += bench.dut->s_axil_awready_o && bench.dut->s_axil_wready_o;
    bench.step();
  }
  bench.dut->s_axil_awvalid_i = 0;
  bench.dut->s_axil_wvalid_i = 0;
  bench.run(10);
  CHECK(taken == 64);
  std::vector<unsigned> sq, rq;
  for (unsigned i = 0; i < 64; ++i) {
    if (i % (kNumQps + 4) < kNumQps) (i / 4 % 2 ? rq : sq).push_back(i);
  }
  REQUIRE(bench.sq_doorbells.size() == sq.size());
  REQUIRE(bench.rq_doorbells.size() == rq.size());
  for (std::size_t i = 0; i < sq.size(); ++i) {
    CHECK(bench.sq_doorbells[i].qpn == sq[i] % (kNumQps + 4));
    CHECK(bench.sq_doorbells[i].index == 1000 + sq[i]);
  }
  for (std::size_t i = 0; i < rq.size(); ++i) CHECK(bench.rq_doorbells[i].index == 1000 + rq[i]);
}

TEST_CASE("control: doorbells wait for an engine that is not ready, and none is lost") {
  Bench bench;
  std::vector<unsigned> sent;
  unsigned i = 0;
  while (sent.size() < 200) {
    bench.dut->sq_doorbell_ready_i = bench.random() % 3 == 0;
    const bool aw = bench.random() % 2, w = bench.random() % 2;
    bench.dut->s_axil_awvalid_i = bench.dut->s_axil_awvalid_i || aw;
    bench.dut->s_axil_wvalid_i = bench.dut->s_axil_wvalid_i || w;
    bench.dut->s_axil_bready_i = bench.random() % 2;
    bench.dut->s_axil_awaddr_i = window("QpDoorbell") + 16 * (i % kNumQps);
    bench.dut->s_axil_wdata_i = i;
    bench.dut->s_axil_wstrb_i = 15;
    bench.dut.settle();
    const bool taken = bench.dut->s_axil_awvalid_i && bench.dut->s_axil_awready_o;
    CHECK(taken == (bench.dut->s_axil_wvalid_i && bench.dut->s_axil_wready_o));
    bench.step();
    if (taken) {
      sent.push_back(i++);
      bench.dut->s_axil_awvalid_i = 0;
      bench.dut->s_axil_wvalid_i = 0;
    }
  }
  bench.dut->s_axil_awvalid_i = 0;
  bench.dut->s_axil_wvalid_i = 0;
  bench.dut->sq_doorbell_ready_i = 1;
  bench.run(20);
  REQUIRE(bench.sq_doorbells.size() == sent.size());
  for (std::size_t k = 0; k < sent.size(); ++k) CHECK(bench.sq_doorbells[k].index == k);
}

TEST_CASE("control: a fence waits for silence of every block") {
  Bench bench;
  bench.dut->all_idle_i = 0;
  bench.write("FenceCommand", 1);
  CHECK(bench.dut->pause_o == 1);
  bench.run(100);
  CHECK(bench.read("FenceCommand") == 1);
  bench.dut->all_idle_i = 1;
  bench.run(3);
  bench.dut->all_idle_i = 0;
  bench.run(20);
  CHECK(bench.dut->pause_o == 1);
  bench.dut->all_idle_i = 1;
  bench.run(20);
  CHECK(bench.dut->pause_o == 0);
  CHECK(bench.read("FenceCommand") == 0);
  bench.write("FenceCommand", 0);
  CHECK(bench.dut->pause_o == 0);
}

TEST_CASE("control: the admin doorbell calls firmware until it has caught up") {
  Bench bench;
  bench.write("AdminDoorbell", 3);
  CHECK(bench.read("Attention") == 1);
  bench.write("AdminDone", 2);
  CHECK(bench.read("Attention") == 1);
  bench.write("AdminDone", 3);
  CHECK(bench.read("Attention") == 0);
}
