// SPDX-License-Identifier: Apache-2.0
// roci_processor with programs of a few instructions: what it reaches, when it sleeps, what stops
// it.
#include <Vroci_processor.h>
#include <doctest/doctest.h>
#include <unistd.h>
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "testbench/firmware/rv32/fault_text.hpp"

namespace {

using roci::testbench::text_of_fault;
using Program = std::vector<std::uint32_t>;

// Instructions of RV32I (unprivileged specification, chapter 24).
constexpr std::uint32_t lui(unsigned rd, std::uint32_t value) {
  return (value & 0xFFFFF000) | rd << 7 | 0x37;
}
constexpr std::uint32_t addi(unsigned rd, unsigned rs, std::uint32_t value) {
  return value << 20 | rs << 15 | rd << 7 | 0x13;
}
constexpr std::uint32_t lw(unsigned rd, std::uint32_t offset, unsigned rs) {
  return offset << 20 | rs << 15 | 2 << 12 | rd << 7 | 0x03;
}
constexpr std::uint32_t store(unsigned width, unsigned rs2, std::uint32_t offset, unsigned rs1) {
  return (offset >> 5) << 25 | rs2 << 20 | rs1 << 15 | width << 12 | (offset & 31) << 7 | 0x23;
}
constexpr std::uint32_t sw(unsigned rs2, std::uint32_t offset, unsigned rs1) {
  return store(2, rs2, offset, rs1);
}
constexpr std::uint32_t sb(unsigned rs2, std::uint32_t offset, unsigned rs1) {
  return store(0, rs2, offset, rs1);
}
constexpr std::uint32_t kEbreak = 0x00100073, kLoop = 0x0000006F;  // jal x0, .
constexpr std::uint32_t kData = 0x10000000, kAdapter = 0x40000000, kOwn = 0x80000000;
constexpr std::uint32_t kMacLo = 0x00, kMacHi = 0x04, kMtu = 0x08, kTimeLo = 0x0C, kTimeHi = 0x10,
                        kWakeLo = 0x14, kWakeHi = 0x18, kSleep = 0x1C, kDoze = 0x20, kAlive = 0x24,
                        kHalt = 0x28;

struct Bench {
  explicit Bench(const Program& program) : model(load(program), "") {
    model.rst_ni = 0;
    for (int i = 0; i < 4; ++i) clock();
    std::remove(file.c_str());
    model.rst_ni = 1;
  }

  VerilatedContext* load(const Program& program) {
    file = "/tmp/roci-processor-" + std::to_string(getpid()) + ".hex";
    std::ofstream out(file);
    out << std::hex;
    for (const std::uint32_t word : program) out << word << '\n';
    out.close();
    const std::string text = "+text=" + file;
    const char* words[] = {"test", text.c_str()};
    context.commandArgs(2, words);
    return &context;
  }

  /// One clock; the slave takes everything at once and responds in the next clock.
  void clock() {
    model.m_axil_awready_i = model.m_axil_wready_i = model.m_axil_arready_i = 1;
    model.m_axil_bvalid_i = written;
    model.m_axil_rvalid_i = read;
    model.m_axil_bresp_i = model.m_axil_rresp_i = response;
    model.clk_i = 0;
    model.eval();
    written = model.m_axil_wvalid_o != 0;
    read = model.m_axil_arvalid_o != 0;
    if (written) writes.emplace_back(model.m_axil_awaddr_o, model.m_axil_wdata_o);
    if (read) {
      reads.push_back(model.m_axil_araddr_o);
      model.m_axil_rdata_i = model.m_axil_araddr_o + 1;
    }
    model.clk_i = 1;
    model.eval();
    model.now_i += 4;
    ++clocks;
  }
  void run(int count) {
    for (int i = 0; i < count && model.fault_o == 0; ++i) clock();
  }
  bool sleeping() {
    model.clk_i = 0;
    model.eval();
    return model.sleeping_o != 0;
  }
  std::string fault() {
    return text_of_fault(model.fault_o, model.fault_pc_o, model.fault_value_o);
  }

  std::string file;
  VerilatedContext context;
  Vroci_processor model;
  bool written = false, read = false;
  std::uint8_t response = 0;
  int clocks = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> writes;
  std::vector<std::uint32_t> reads;
};

/// What a program is stopped with, within 1000 clocks.
std::string stopped(const Program& program, std::uint32_t watchdog = 0) {
  Bench bench(program);
  bench.model.watchdog_i = watchdog;
  bench.run(1000);
  REQUIRE(bench.model.fault_o != 0);
  std::string text = bench.fault();
  // It stays so, and nothing else happens.
  bench.model.attention_i = 1;
  for (int i = 0; i < 100; ++i) bench.clock();
  CHECK(bench.fault() == text);
  return text;
}

}  // namespace

TEST_CASE("processor: reaches registers and data, and keeps the other bytes of a word") {
  Bench bench({lui(1, kAdapter), lui(2, kData), addi(3, 0, 0x123), sw(3, 0x40, 1), lw(4, 0x44, 1),
               sw(4, 8, 2), sb(3, 9, 2), lw(5, 8, 2), sw(5, 0x48, 1), kLoop});
  bench.run(200);
  REQUIRE(bench.writes.size() == 2);
  CHECK(bench.writes[0] == std::make_pair(std::uint32_t{0x40}, std::uint32_t{0x123}));
  CHECK(bench.reads == std::vector<std::uint32_t>{0x44});
  CHECK(bench.writes[1] == std::make_pair(std::uint32_t{0x48}, std::uint32_t{0x2345}));
  CHECK(bench.model.fault_o == 0);
}

TEST_CASE("processor: reads its address, the MTU and the time") {
  Bench bench({lui(1, kAdapter), lui(2, kOwn), lw(3, kMacLo, 2), sw(3, 0, 1), lw(3, kMacHi, 2),
               sw(3, 0, 1), lw(3, kMtu, 2), sw(3, 0, 1), lw(4, kTimeLo, 2), lw(3, kTimeHi, 2),
               sw(3, 0, 1), sw(4, 0, 1), kLoop});
  bench.model.mac_i = 0x525400123456;
  bench.model.mtu_i = 4200;
  bench.model.now_i = 0x7FFFFFE00;  // the lower half has no carry while it is read
  bench.run(300);
  REQUIRE(bench.writes.size() == 5);
  CHECK(bench.writes[0].second == 0x00123456);
  CHECK(bench.writes[1].second == 0x5254);
  CHECK(bench.writes[2].second == 4200);
  CHECK(bench.writes[3].second == 7);
  CHECK(bench.writes[4].second > 0xFFFFFE00);
}

TEST_CASE("processor: sleeps until attention or the deadline, dozes until the deadline") {
  for (const bool doze : {false, true}) {
    Bench bench({lui(1, kAdapter), lui(2, kOwn), addi(3, 0, 1000), sw(3, kWakeLo, 2),
                 sw(0, kWakeHi, 2), lw(4, doze ? kDoze : kSleep, 2), sw(3, 0, 1), kLoop});
    bench.model.watchdog_i = 100;  // a sleeping processor does not hang
    bench.model.now_i = 0;
    bench.run(100);
    CAPTURE(doze);
    CHECK(bench.sleeping());
    CHECK(bench.model.wake_o == 1000);
    CHECK(bench.writes.empty());
    bench.model.now_i = 900;
    bench.model.attention_i = 1;
    CHECK(bench.sleeping() == doze);
    bench.run(10);
    CHECK(bench.writes.size() == (doze ? 0 : 1));
    bench.model.now_i = 1000;
    bench.run(20);
    CHECK(bench.writes.size() == 1);
  }
}

TEST_CASE("processor: without a deadline only attention wakes") {
  Bench bench({lui(1, kAdapter), lui(2, kOwn), lw(4, kSleep, 2), sw(0, 0, 1), kLoop});
  bench.run(50);
  bench.model.now_i = ~std::uint64_t{0};
  CHECK(bench.sleeping());
  bench.model.attention_i = 1;
  bench.run(10);
  CHECK(bench.writes.size() == 1);
}

TEST_CASE("processor: a fault stops it, with cause and pc") {
  CHECK(stopped({addi(1, 0, 1), 0xFFFFFFFF}) == "illegal instruction (0xffffffff), pc 0x00000004");
  CHECK(stopped({addi(1, 0, 1), kEbreak}) == "ebreak (0x00100073), pc 0x00000004");
  CHECK(stopped({addi(1, 0, 2), lw(2, 0, 1)}) == "misaligned access (0x0000a103), pc 0x00000004");
  CHECK(stopped({lui(1, 0x20000000), lw(2, 0, 1)}) ==
        "access to 0x20000000, where nothing is, pc 0x00000004");
  CHECK(stopped({lui(1, 0x10F00000), sw(0, 0, 1)}) ==
        "access to 0x10f00000, where nothing is, pc 0x00000004");
  CHECK(stopped({addi(1, 0, 0x40), sw(0, 4, 1)}) ==
        "write to the text at 0x00000044, pc 0x00000004");
  CHECK(stopped({lui(2, kOwn), addi(1, 0, 7), sw(1, kHalt, 2)}) ==
        "it stopped itself with 0x00000007, pc 0x00000008");
  CHECK(stopped({addi(1, 0, 1), kLoop}, 500) ==
        "it hangs: its loop has not come round, pc 0x00000004");
}

TEST_CASE("processor: an error response of the adapter stops it") {
  for (const bool write : {false, true}) {
    Bench bench({lui(1, kAdapter), write ? sw(0, 8, 1) : lw(2, 8, 1), kLoop});
    bench.response = 2;
    bench.run(100);
    CHECK(bench.fault() == "error response of the adapter at 0x40000008, pc 0x00000004");
  }
}

TEST_CASE("processor: a write to Alive restarts the watchdog") {
  const std::uint32_t back = 0xFFDFF06F;  // jal x0, -4
  Bench bench({lui(2, kOwn), sw(0, kAlive, 2), back});
  bench.model.watchdog_i = 40;
  bench.run(1000);
  CHECK(bench.model.fault_o == 0);
  CHECK(bench.clocks > 1000);
}
