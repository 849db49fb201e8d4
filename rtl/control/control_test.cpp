// SPDX-License-Identifier: Apache-2.0
// The control block over its register bus, as firmware, driver and engines see it.

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "model/spec/registers.hpp"
#include "rtl/control/bench.hpp"

using namespace control_bench;
namespace spec = roci::spec;

namespace {

using layout::mask;
constexpr std::uint32_t kEqEnable = mask(reg::eq_size::enable);
/// As in block.cmake.
constexpr std::uint32_t kParameters = layout::bits(reg::parameters::beat_bytes, DATA_WIDTH / 8) |
                                      layout::bits(reg::parameters::log_qps, 4) |
                                      layout::bits(reg::parameters::log_keys, 5) |
                                      layout::bits(reg::parameters::log_cqs, 4);

/// Bits of a register that keep what is written; the rest reads 0.
std::uint32_t kept_bits(std::uint32_t offset) {
  switch (offset) {
    case reg::kControl:
      return mask(reg::control::enable) | mask(reg::control::neighbours);
    case reg::kAdminSize:
      return mask(reg::admin_size::log) | mask(reg::admin_size::pasid);
    case reg::kAdminDoorbell:
      return mask(reg::admin_doorbell::index);
    case reg::kAdminDone:
      return mask(reg::admin_done::count);
    case reg::kEqSize:
      return mask(reg::eq_size::log) | kEqEnable | mask(reg::eq_size::pasid);
    case reg::kEqConsumer:
      return mask(reg::eq_consumer::index);
    case reg::kMacHi:
      return mask(reg::mac_hi::high);
    case reg::kCounterSelect:
      return mask(reg::counter_select::counter);
    default:
      return 0xFFFFFFFF;
  }
}

/// Registers that act when they are written have tests of their own.
bool is_command(std::uint32_t offset) {
  return offset == reg::kTableCommand || offset == reg::kFenceCommand ||
         offset == reg::kDmaCommand || offset == reg::kTxFrameCommand;
}

bool is_time(std::uint32_t offset) { return offset == reg::kTimeLo || offset == reg::kTimeHi; }

}  // namespace

TEST_CASE(
    "control: registers reset to their values, keep their bits and ignore what is not theirs") {
  Bench bench;
  for (const auto& r : spec::kRegisters) {
    INFO(std::string(r.name));
    if (r.offset == reg::kParameters) {
      CHECK(bench.read(r.offset) == kParameters);
    } else if (r.offset == reg::kParameters3) {
      CHECK(bench.read(r.offset) == layout::bits(reg::parameters3::log_attachments, 8));
    } else if (r.offset == reg::kParameters2) {
      CHECK(bench.read(r.offset) == (3 | mask(reg::parameters2::uc) | mask(reg::parameters2::ud) |
                                     layout::bits(reg::parameters2::log_ahs, 4)));
    } else if (!is_time(r.offset)) {
      CHECK(bench.read(r.offset) == r.reset);
    }
  }
  for (const auto& r : spec::kRegisters) {
    if (r.access != "rw" || is_command(r.offset)) continue;
    INFO(std::string(r.name));
    for (unsigned bit = 0; bit < 32; ++bit) {
      const std::uint32_t off = r.offset == reg::kEqSize ? kEqEnable : 0;  // events stay off
      if (1u << bit == off) continue;
      bench.write(r.offset, 1u << bit);
      CHECK(bench.read(r.offset) == (1u << bit & kept_bits(r.offset)));
      bench.write(r.offset, ~(1u << bit | off));
      CHECK(bench.read(r.offset) == (~(1u << bit | off) & kept_bits(r.offset)));
    }
    bench.write(r.offset, 0);
  }
  for (const auto& r : spec::kRegisters) {  // read-only registers do not take writes
    if (r.access != "ro" || is_time(r.offset)) continue;
    const std::uint32_t before = bench.read(r.offset);
    bench.write(r.offset, ~before);
    CHECK(bench.read(r.offset) == before);
  }
  bench.write(reg::kControl, kept_bits(reg::kControl));
  bench.write(reg::kControl, 0, 0x7);  // a byte is missing
  CHECK(bench.read(reg::kControl) == kept_bits(reg::kControl));
  CHECK(bench.dut->enable_o == 1);
  std::set<std::uint32_t> mapped;
  for (const auto& r : spec::kRegisters) mapped.insert(r.offset);
  for (std::uint32_t a = 0; a < window::kTableData.offset; a += 4) {
    if (mapped.count(a)) continue;
    bench.write(a, 0xFFFFFFFF);
    CHECK(bench.read(a) == 0);
  }
  for (std::uint32_t a :
       {window::kDmaData.offset + window::kDmaData.bytes,
        window::kTxFrameData.offset + window::kTxFrameData.bytes, 0x27FCu,
        window::kRxFrameData.offset + window::kRxFrameData.bytes, 0x4000u,
        layout::sq_doorbell_offset(0), layout::cq_arm_doorbell_offset(0), 0x3FFFFCu}) {
    bench.write(a, 0xFFFFFFFF);
    CHECK(bench.read(a) == 0);
  }
}

TEST_CASE("control: the row of the table port keeps its words; a frame to send is not read back") {
  Bench bench;
  const std::uint32_t base = window::kTableData.offset;
  const unsigned words = window::kTableData.bytes / 4;
  std::vector<std::uint32_t> expect(words);
  for (unsigned i = 0; i < words; ++i) bench.write(base + 4 * i, expect[i] = bench.random());
  for (unsigned i = 0; i < words; ++i) CHECK(bench.read(base + 4 * i) == expect[i]);
  for (unsigned i = 0; i < words; ++i) {
    bench.write(window::kTxFrameData.offset + 4 * i, ~0u);
    CHECK(bench.read(window::kTxFrameData.offset + 4 * i) == 0);
  }
}

TEST_CASE("control: TimeLo latches TimeHi") {
  Bench bench;
  bench.dut->now_i = 0x1FFFFFFF0ull;
  bench.now_step = 0;
  CHECK(bench.read(reg::kTimeLo) == 0xFFFFFFF0u);
  bench.dut->now_i = 0x2000000000ull;
  CHECK(bench.read(reg::kTimeHi) == 1);
}

TEST_CASE("control: a doorbell is taken each clock and reaches its engine in order") {
  Bench bench;
  unsigned taken = 0;
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned qpn = i % (kNumQps + 4), receive = i / 4 % 2;
    bench.dut->s_axil_awaddr_i =
        receive ? layout::rq_doorbell_offset(qpn) : layout::sq_doorbell_offset(qpn);
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
    bench.dut->s_axil_awaddr_i = layout::sq_doorbell_offset(i % kNumQps);
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

TEST_CASE("control: a fence waits until every block is idle") {
  Bench bench;
  bench.dut->all_idle_i = 0;
  bench.write(reg::kFenceCommand, 1);
  CHECK(bench.dut->pause_o == 1);
  bench.run(100);
  CHECK(bench.read(reg::kFenceCommand) == 1);
  bench.dut->all_idle_i = 1;
  bench.run(3);
  bench.dut->all_idle_i = 0;
  bench.run(20);
  CHECK(bench.dut->pause_o == 1);
  bench.dut->all_idle_i = 1;
  bench.run(20);
  CHECK(bench.dut->pause_o == 0);
  CHECK(bench.read(reg::kFenceCommand) == 0);
  bench.write(reg::kFenceCommand, 0);
  CHECK(bench.dut->pause_o == 0);
}

TEST_CASE("control: Attention reports the admin doorbell until AdminDone has caught up") {
  Bench bench;
  bench.write(reg::kAdminDoorbell, 3);
  CHECK(bench.read(reg::kAttention) == mask(reg::attention::admin));
  bench.write(reg::kAdminDone, 2);
  CHECK(bench.read(reg::kAttention) == mask(reg::attention::admin));
  bench.write(reg::kAdminDone, 3);
  CHECK(bench.read(reg::kAttention) == 0);
}
