// SPDX-License-Identifier: Apache-2.0
// Memory and frames of firmware and host, and what the counters make of them.

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "rtl/control/bench.hpp"

using namespace control_bench;

namespace {

std::vector<std::uint8_t> frame(std::initializer_list<std::pair<unsigned, unsigned>> bytes,
                                unsigned length, std::mt19937& random) {
  std::vector<std::uint8_t> out(length);
  for (auto& b : out) b = static_cast<std::uint8_t>(random() & 0x7F);
  for (const auto& [at, value] : bytes) out[at] = static_cast<std::uint8_t>(value);
  return out;
}

}  // namespace

TEST_CASE("control: firmware reads and writes 64 bytes of host memory") {
  Bench bench;
  const std::uint64_t address = 0x123456789AC0ull;
  std::vector<std::uint32_t> words(16);
  for (unsigned i = 0; i < 16; ++i)
    bench.write(window("DmaData") + 4 * i, words[i] = bench.random());
  bench.write("DmaAddressLo", static_cast<std::uint32_t>(address) | 0x15);
  bench.write("DmaAddressHi", static_cast<std::uint32_t>(address >> 32));
  bench.percent_ready = 30;
  bench.write("DmaCommand", 1u << 31 | 1u << 30 | 0xABCDE);
  CHECK(bench.read("DmaCommand") == (1u << 31 | 1u << 30 | 0xABCDE));
  while (bench.read("DmaCommand") >> 31) {
  }
  for (unsigned i = 0; i < 64; ++i) {
    // A write goes to any address, a read to the block around it.
    CHECK(bench.byte_at(0xABCDE, address + 0x15 + i) == (words[i / 4] >> 8 * (i % 4) & 0xFF));
    bench.memory[Bench::key(0x12345, address + i)] = static_cast<std::uint8_t>(3 * i);
  }
  bench.write("DmaCommand", 1u << 31 | 0x12345);
  while (bench.read("DmaCommand") >> 31) {
  }
  CHECK(bench.read("DmaCommand") == 0x12345);
  for (unsigned i = 0; i < 16; ++i) {
    CHECK(bench.read(window("DmaData") + 4 * i) ==
          (12 * i | (12 * i + 3) << 8 | (12 * i + 6) << 16 | (12 * i + 9) << 24));
  }
  bench.read_error = true;
  bench.write("DmaCommand", 1u << 31 | 0x12345);
  while (bench.read("DmaCommand") >> 31) {
  }
  CHECK(bench.read("DmaCommand") == (1u << 29 | 0x12345));
}

TEST_CASE("control: firmware gets ARP and neighbour discovery, the host all else") {
  Bench bench;
  const std::vector<std::vector<std::uint8_t>> mine = {
      frame({{12, 8}, {13, 6}}, 60, bench.random),
      frame({{12, 0x81}, {13, 0}, {16, 8}, {17, 6}}, 64, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}, {54, 135}}, 86, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}, {54, 136}}, 1536, bench.random),
      frame({{12, 0x81}, {13, 0}, {16, 0x86}, {17, 0xDD}, {24, 58}, {58, 136}}, 90, bench.random),
      frame({{12, 8}, {13, 6}}, 42, bench.random)};
  const std::vector<std::vector<std::uint8_t>> theirs = {
      frame({{12, 8}, {13, 0}}, 60, bench.random),
      frame({{12, 8}, {13, 0}}, 14, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}, {54, 128}}, 86, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 17}, {54, 135}}, 86, bench.random),
      frame({{12, 0x86}, {13, 0xDD}, {20, 58}}, 54, bench.random),
      frame({{12, 0x81}, {13, 0}, {16, 0x86}, {17, 0xDD}, {20, 58}, {24, 6}, {58, 136}, {54, 136}},
            90, bench.random),
      frame({{12, 0x88}, {13, 6}}, 9000, bench.random)};
  // Bit clear: all to the host.
  for (const auto& f : mine) bench.rx_frames.push_back(f);
  bench.run(3000);
  CHECK(bench.host_frames == mine);
  bench.host_frames.clear();
  bench.write("Control", 2);
  for (unsigned i = 0; i < mine.size(); ++i) {
    bench.rx_frames.push_back(theirs[i]);
    bench.rx_frames.push_back(mine[i]);
    bench.rx_frames.push_back(mine[0]);  // dropped: the buffer is full
    bench.run(700);
    CHECK(bench.read("Attention") == 2);
    REQUIRE(bench.read("RxFrameStatus") == (1u << 31 | mine[i].size()));
    for (unsigned k = 0; k < mine[i].size(); k += 4) {
      const std::uint32_t word = bench.read(window("RxFrameData") + k);
      for (unsigned b = 0; b < 4 && k + b < mine[i].size(); ++b) {
        CHECK((word >> 8 * b & 0xFF) == mine[i][k + b]);
      }
    }
    bench.write("RxFramePop", 1);
    CHECK(bench.read("RxFrameStatus") == 0);
    CHECK(bench.read("Attention") == 0);
  }
  bench.rx_frames.push_back(theirs.back());
  bench.rx_frames.push_back(frame({{12, 8}, {13, 6}}, 1537, bench.random));  // too long
  bench.run(3000);
  CHECK(bench.read("RxFrameStatus") == 0);
  CHECK(bench.host_frames == theirs);
  bench.write("CounterSelect", code(spec::kPortCounters, "RxEthernet"));
  CHECK(bench.read("CounterLo") == mine.size() * 3 + theirs.size() + 1);
  CHECK(bench.dut->quiet_o == 1);
}

TEST_CASE("control: a frame for the host keeps its order and bytes under back-pressure") {
  Bench bench(5);
  std::vector<std::vector<std::uint8_t>> sent;
  for (int i = 0; i < 60; ++i) {
    sent.push_back(frame({{12, 8}, {13, 0}}, 14 + bench.random() % 200, bench.random));
    bench.rx_frames.push_back(sent.back());
  }
  bench.write("Control", 2);
  for (int i = 0; i < 5000; ++i) {
    bench.dut->m_axis_host_tready_i = bench.random() % 2;
    bench.step();
  }
  CHECK(bench.host_frames == sent);
}

TEST_CASE("control: firmware sends frames, one beat a clock") {
  Bench bench;
  for (unsigned length : {1u, 14u, 60u, 64u, 65u, 127u, 128u, 1000u, 1536u}) {
    std::vector<std::uint8_t> bytes(length);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(bench.random());
    for (unsigned k = 0; k < length; k += 4) {
      std::uint32_t word = 0;
      for (unsigned b = 0; b < 4 && k + b < length; ++b)
        word |= std::uint32_t{bytes[k + b]} << 8 * b;
      bench.write(window("TxFrameData") + k, word);
    }
    bench.fw_frames.clear();
    bench.fw_beats = 0;
    bench.dut->m_axis_fw_tready_i = 0;
    bench.write("TxFrameCommand", length);
    CHECK(bench.read("TxFrameCommand") == (1u << 31 | length));
    bench.write("TxFrameCommand", 5);  // busy: ignored
    bench.dut->m_axis_fw_tready_i = 1;
    const unsigned beats = (length + DATA_WIDTH / 8 - 1) / (DATA_WIDTH / 8);
    bench.run(beats);
    CHECK(bench.fw_beats == beats);
    REQUIRE(bench.fw_frames.size() == 1);
    CHECK(bench.fw_frames[0] == bytes);
    CHECK(bench.read("TxFrameCommand") == length);
    for (unsigned i = 0; i < 2; ++i) {  // again, with pauses
      bench.write("TxFrameCommand", length);
      for (unsigned n = 0; n < 4 * beats + 20; ++n) {
        bench.dut->m_axis_fw_tready_i = bench.random() % 2;
        bench.step();
      }
      bench.dut->m_axis_fw_tready_i = 1;
      bench.run(beats);
    }
    REQUIRE(bench.fw_frames.size() == 3);
    CHECK(bench.fw_frames[2] == bytes);
  }
  bench.write("TxFrameCommand", 0);
  bench.write("TxFrameCommand", 1537);
  bench.run(100);
  CHECK(bench.fw_frames.size() == 3);
  CHECK((bench.read("TxFrameCommand") >> 31) == 0);
}

TEST_CASE("control: counters of queue pairs add up and start anew with a new life") {
  Bench bench(3);
  std::uint64_t expect[kNumQps][8] = {};
  for (unsigned i = 0; i < 600; ++i) {
    Bench::Count c{static_cast<unsigned>(bench.random() % 3),
                   static_cast<unsigned>(bench.random() % 8),
                   static_cast<unsigned>(bench.random() % 4097)};
    if (c.counter == 1 || c.counter == 3) c.counter = 0;  // bytes come with packets
    expect[c.qpn][c.counter] += 1;
    if (c.counter == 0 || c.counter == 2) expect[c.qpn][c.counter + 1] += c.bytes;
    bench.counts[i % 2].push_back(c);
  }
  bench.run(600 + 8);
  CHECK(bench.counts[0].empty());  // one every other clock from each side
  CHECK(bench.counts[1].empty());
  const auto check = [&](unsigned qpn) {
    const Row row = bench.table_read(table("QpCounters"), qpn);
    for (unsigned k = 0; k < 8; ++k) {
      CHECK((row[2 * k] | static_cast<std::uint64_t>(row[2 * k + 1]) << 32) == expect[qpn][k]);
    }
  };
  for (unsigned q = 0; q < 4; ++q) check(q);
  bench.set_state(1, state("Init"));
  bench.table_write(table("QpAttr"), 1, Row{});  // alive: counters stay
  check(1);
  bench.set_state(1, state("Reset"));
  bench.table_write(table("QpAttr"), 1, Row{});
  for (auto& v : expect[1]) v = 0;
  for (unsigned q = 0; q < 4; ++q) check(q);
}

TEST_CASE("control: port counters count drops, frames and bytes") {
  Bench bench(4);
  std::uint64_t expect[16] = {};
  for (unsigned i = 0; i < 500; ++i) {
    const unsigned rx = bench.random() & bench.random() & 0x3FF;
    const unsigned rq =
        bench.random() & bench.random() & 0x3FF & ~(1u << code(spec::kDropCauses, "Ghost"));
    bench.dut->drop_rx_i = rx;
    bench.dut->drop_rq_i = rq;
    bench.dut->drop_ghost_i = i % 3 == 0;
    bench.dut->rx_ok_i = i % 2;
    bench.dut->tx_frame_i = i % 5 == 0;
    bench.dut->tx_bytes_i = i;
    bench.dut->mac_rx_tvalid_i = i % 4 != 0;
    bench.dut->mac_rx_tlast_i = i % 4 == 3;
    const unsigned last_bytes = 1 + i % (DATA_WIDTH / 8);
    port::put(bench.dut->mac_rx_tkeep_i, 0, DATA_WIDTH / 8,
              last_bytes == 64 ? ~0ull : (1ull << last_bytes) - 1);
    for (unsigned k = 0; k < 10; ++k) expect[k] += (rx >> k & 1) + (rq >> k & 1);
    expect[code(spec::kDropCauses, "Ghost")] += i % 3 == 0;
    expect[10] += i % 4 == 3;
    expect[11] += i % 4 == 3 ? last_bytes : i % 4 != 0 ? DATA_WIDTH / 8 : 0;
    expect[12] += i % 5 == 0;
    expect[13] += i % 5 == 0 ? i : 0;
    expect[14] += i % 2;
    bench.step();
  }
  bench.dut->drop_rx_i = bench.dut->drop_rq_i = bench.dut->drop_ghost_i = 0;
  bench.dut->rx_ok_i = bench.dut->tx_frame_i = bench.dut->mac_rx_tvalid_i = 0;
  for (unsigned k = 0; k < 16; ++k) {
    bench.write("CounterSelect", k);
    CHECK(bench.read("CounterLo") == expect[k]);
    CHECK(bench.read("CounterHi") == 0);
  }
}
