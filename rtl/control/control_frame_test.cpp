// SPDX-License-Identifier: Apache-2.0
// Memory and frames of firmware and host, and what the counters make of them.

#include <doctest/doctest.h>

#include "model/spec/layout/headers.hpp"
#include "rtl/control/bench.hpp"

using namespace control_bench;

namespace {

using Bytes = std::vector<std::uint8_t>;
namespace frame_stat = layout::frame_stat;

constexpr std::uint32_t kGo = layout::mask(reg::dma_command::go),
                        kWrite = layout::mask(reg::dma_command::write),
                        kError = layout::mask(reg::dma_command::error);
constexpr std::uint32_t kSending = layout::mask(reg::tx_frame_command::busy),
                        kReceived = layout::mask(reg::rx_frame_status::valid);
constexpr unsigned kCounters = layout::number(QpCounter::kNaksReceived) + 1;
constexpr unsigned kCauses = layout::number(DropCause::kOutOfSequence) + 1;
constexpr unsigned kEveryCause = (1u << kCauses) - 1, kGhost = layout::number(DropCause::kGhost);
constexpr unsigned kPortCounters = layout::number(PortCounter::kRxEthernet) + 1;
constexpr unsigned kMaxFrame = window::kTxFrameData.bytes;
constexpr std::uint8_t kIcmpV6 = 58;                                            // next header
constexpr std::uint8_t kEcho = 128, kSolicitation = 135, kAdvertisement = 136;  // its types
constexpr unsigned kTag = layout::vlan::kBytes;
constexpr unsigned kNextHeaderAt = layout::ethernet::kBytes + layout::ipv6::next_header.offset / 8;
constexpr unsigned kIcmpAt = layout::ethernet::kBytes + layout::ipv6::kBytes;

/// A random frame with an EtherType.
Bytes frame(std::uint16_t type, unsigned length, std::mt19937& random) {
  Bytes out(length);
  for (auto& b : out) b = static_cast<std::uint8_t>(random() & 0x7F);
  layout::put(out.data(), layout::ethernet::ethertype, type);
  return out;
}
/// The same with a VLAN tag before the EtherType.
Bytes tagged(std::uint16_t type, unsigned length, std::mt19937& random) {
  Bytes out = frame(layout::ethertype::kVlan, length, random);
  layout::put(&out[layout::ethernet::kBytes], layout::vlan::ethertype, type);
  return out;
}
/// A frame of IPv6 with a next header, and the first byte after its header where there is one.
Bytes ipv6(std::uint8_t next_header, std::uint8_t first, unsigned length, std::mt19937& random,
           bool tag = false) {
  Bytes out = tag ? tagged(layout::ethertype::kIpv6, length, random)
                  : frame(layout::ethertype::kIpv6, length, random);
  const unsigned shift = tag ? kTag : 0;
  out[kNextHeaderAt + shift] = next_header;
  if (kIcmpAt + shift < length) out[kIcmpAt + shift] = first;
  return out;
}

/// Waits for the end of an access of the DMA window; what DmaCommand reads then.
std::uint32_t dma_end(Bench& bench) {
  std::uint32_t value = 0;
  do value = bench.read(reg::kDmaCommand);
  while (value & kGo);
  return value;
}

}  // namespace

TEST_CASE("control: firmware reads and writes 64 bytes of host memory") {
  Bench bench;
  const std::uint64_t address = 0x123456789AC0ull;
  std::vector<std::uint32_t> words(layout::kBlockBytes / 4);
  for (unsigned i = 0; i < words.size(); ++i)
    bench.write(window::kDmaData.offset + 4 * i, words[i] = bench.random());
  bench.write(reg::kDmaAddressLo, static_cast<std::uint32_t>(address) | 0x15);
  bench.write(reg::kDmaAddressHi, static_cast<std::uint32_t>(address >> 32));
  bench.percent_ready = 30;
  bench.write(reg::kDmaCommand, kGo | kWrite | 0xABCDE);
  CHECK(bench.read(reg::kDmaCommand) == (kGo | kWrite | 0xABCDE));
  dma_end(bench);
  CHECK(bench.read(window::kDmaData.offset) == 0);  // nothing has been read
  for (unsigned i = 0; i < layout::kBlockBytes; ++i) {
    // Both go to the block around the address.
    CHECK(bench.byte_at(0xABCDE, address + i) == (words[i / 4] >> 8 * (i % 4) & 0xFF));
    bench.memory[Bench::key(0x12345, address + i)] = static_cast<std::uint8_t>(3 * i);
  }
  bench.write(reg::kDmaCommand, kGo | 0x12345);
  CHECK(dma_end(bench) == 0x12345);
  for (unsigned i = 0; i < words.size(); ++i) {
    CHECK(bench.read(window::kDmaData.offset + 4 * i) ==
          (12 * i | (12 * i + 3) << 8 | (12 * i + 6) << 16 | (12 * i + 9) << 24));
  }
  // What was written before the read is still there to be written.
  bench.write(window::kDmaData.offset, words[0] = 0x600D);
  bench.write(reg::kDmaCommand, kGo | kWrite | 0xABCDE);
  dma_end(bench);
  for (unsigned i = 0; i < layout::kBlockBytes; ++i)
    CHECK(bench.byte_at(0xABCDE, address + i) == (words[i / 4] >> 8 * (i % 4) & 0xFF));
  bench.read_error = true;
  bench.write(reg::kDmaCommand, kGo | 0x12345);
  CHECK(dma_end(bench) == (kError | 0x12345));
}

TEST_CASE("control: firmware gets ARP and neighbour discovery, the host all else") {
  Bench bench;
  namespace type = layout::ethertype;
  auto& random = bench.random;
  const std::vector<Bytes> mine = {frame(type::kArp, 60, random),
                                   tagged(type::kArp, 64, random),
                                   ipv6(kIcmpV6, kSolicitation, 86, random),
                                   ipv6(kIcmpV6, kAdvertisement, kMaxFrame, random),
                                   ipv6(kIcmpV6, kAdvertisement, 90, random, true),
                                   frame(type::kArp, 42, random)};
  std::vector<Bytes> theirs = {frame(type::kIpv4, 60, random),
                               frame(type::kIpv4, layout::ethernet::kBytes, random),
                               ipv6(kIcmpV6, kEcho, 86, random),
                               ipv6(layout::protocol::kIpUdp, kSolicitation, 86, random),
                               ipv6(kIcmpV6, 0, kIcmpAt, random),  // ends before the type
                               ipv6(6, kAdvertisement, 90, random, true),
                               frame(0x8806, 9000, random)};
  // ICMP stands where it would without the tag.
  theirs[5][kNextHeaderAt] = kIcmpV6;
  theirs[5][kIcmpAt] = kAdvertisement;
  // With the bit clear everything goes to the host.
  for (const auto& f : mine) bench.rx_frames.push_back(f);
  bench.run(3000);
  CHECK(bench.host_frames == mine);
  bench.host_frames.clear();
  bench.write(reg::kControl, layout::mask(reg::control::neighbours));
  for (unsigned i = 0; i < mine.size(); ++i) {
    bench.rx_frames.push_back(theirs[i]);
    bench.rx_frames.push_back(mine[i]);
    bench.rx_frames.push_back(mine[0]);  // dropped: the buffer is full
    bench.run(700);
    CHECK(bench.read(reg::kAttention) == layout::mask(reg::attention::frame));
    REQUIRE(bench.read(reg::kRxFrameStatus) == (kReceived | mine[i].size()));
    for (unsigned k = 0; k < mine[i].size(); k += 4) {
      const std::uint32_t word = bench.read(window::kRxFrameData.offset + k);
      for (unsigned b = 0; b < 4 && k + b < mine[i].size(); ++b) {
        CHECK((word >> 8 * b & 0xFF) == mine[i][k + b]);
      }
    }
    bench.write(reg::kRxFramePop, 1);
    CHECK(bench.read(reg::kRxFrameStatus) == 0);
    CHECK(bench.read(reg::kAttention) == 0);
  }
  bench.rx_frames.push_back(theirs.back());
  bench.rx_frames.push_back(frame(type::kArp, kMaxFrame + 1, random));  // too long
  bench.run(3000);
  CHECK(bench.read(reg::kRxFrameStatus) == 0);
  CHECK(bench.host_frames == theirs);
  bench.write(reg::kCounterSelect, layout::number(PortCounter::kRxEthernet));
  CHECK(bench.read(reg::kCounterLo) == mine.size() * 3 + theirs.size() + 1);
  CHECK(bench.dut->quiet_o == 1);
}

TEST_CASE("control: a frame for the host keeps its order and bytes under back-pressure") {
  Bench bench(5);
  std::vector<Bytes> sent;
  for (int i = 0; i < 60; ++i) {
    sent.push_back(frame(layout::ethertype::kIpv4, layout::ethernet::kBytes + bench.random() % 200,
                         bench.random));
    bench.rx_frames.push_back(sent.back());
  }
  bench.write(reg::kControl, layout::mask(reg::control::neighbours));
  for (int i = 0; i < 5000; ++i) {
    bench.dut->m_axis_host_tready_i = bench.random() % 2;
    bench.step();
  }
  CHECK(bench.host_frames == sent);
}

TEST_CASE("control: firmware sends frames, one beat a clock") {
  Bench bench;
  for (unsigned length : {1u, 14u, 60u, 64u, 65u, 127u, 128u, 1000u, kMaxFrame}) {
    Bytes bytes(length);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(bench.random());
    for (unsigned k = 0; k < length; k += 4) {
      std::uint32_t word = 0;
      for (unsigned b = 0; b < 4 && k + b < length; ++b)
        word |= std::uint32_t{bytes[k + b]} << 8 * b;
      bench.write(window::kTxFrameData.offset + k, word);
    }
    bench.fw_frames.clear();
    bench.fw_beats = 0;
    bench.dut->m_axis_fw_tready_i = 0;
    bench.write(reg::kTxFrameCommand, length);
    CHECK(bench.read(reg::kTxFrameCommand) == (kSending | length));
    bench.write(reg::kTxFrameCommand, 5);  // busy: ignored
    bench.dut->m_axis_fw_tready_i = 1;
    const unsigned beats = (length + DATA_WIDTH / 8 - 1) / (DATA_WIDTH / 8);
    bench.run(beats);
    CHECK(bench.fw_beats == beats);
    REQUIRE(bench.fw_frames.size() == 1);
    CHECK(bench.fw_frames[0] == bytes);
    CHECK(bench.read(reg::kTxFrameCommand) == length);
    for (unsigned i = 0; i < 2; ++i) {  // again, with pauses
      bench.write(reg::kTxFrameCommand, length);
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
  bench.write(reg::kTxFrameCommand, 0);
  bench.write(reg::kTxFrameCommand, kMaxFrame + 1);
  bench.run(100);
  CHECK(bench.fw_frames.size() == 3);
  CHECK((bench.read(reg::kTxFrameCommand) & kSending) == 0);
}

TEST_CASE("control: counters of queue pairs add up and start anew with a new generation") {
  Bench bench(3);
  std::uint64_t expect[kNumQps][kCounters] = {};
  for (unsigned i = 0; i < 600; ++i) {
    Bench::Count c{static_cast<unsigned>(bench.random() % 3), QpCounter(bench.random() % kCounters),
                   static_cast<unsigned>(bench.random() % 4097)};
    // Bytes come with packets.
    if (c.counter == QpCounter::kTxBytes || c.counter == QpCounter::kRxBytes)
      c.counter = QpCounter::kTxPackets;
    expect[c.qpn][layout::number(c.counter)] += 1;
    if (c.counter == QpCounter::kTxPackets || c.counter == QpCounter::kRxPackets)
      expect[c.qpn][layout::number(c.counter) + 1] += c.bytes;
    bench.counts[i % 2].push_back(c);
  }
  bench.run(600 + 8);
  CHECK(bench.counts[0].empty());  // each side is taken in every other clock
  CHECK(bench.counts[1].empty());
  const auto check = [&](unsigned qpn) {
    const Row row = bench.table_read(Table::kQpCounters, qpn);
    for (unsigned k = 0; k < kCounters; ++k) {
      CHECK((row[2 * k] | static_cast<std::uint64_t>(row[2 * k + 1]) << 32) == expect[qpn][k]);
    }
  };
  for (unsigned q = 0; q < 4; ++q) check(q);
  bench.set_state(1, QpState::kInit);
  bench.table_write(Table::kQpAttr, 1, Row{});  // not RESET: counters stay
  check(1);
  bench.set_state(1, QpState::kReset);
  bench.table_write(Table::kQpAttr, 1, Row{});
  for (auto& v : expect[1]) v = 0;
  for (unsigned q = 0; q < 4; ++q) check(q);
}

TEST_CASE("control: port counters count drops, frames and bytes") {
  Bench bench(4);
  std::uint64_t expect[kPortCounters] = {};
  const auto counter = [&](PortCounter which) -> std::uint64_t& {
    return expect[layout::number(which)];
  };
  for (unsigned i = 0; i < 500; ++i) {
    const unsigned rx = bench.random() & bench.random() & kEveryCause;
    const unsigned rq = bench.random() & bench.random() & kEveryCause & ~(1u << kGhost);
    bench.dut->drop_rx_i = rx;
    bench.dut->drop_rq_i = rq;
    bench.dut->drop_ghost_i = i % 3 == 0;
    bench.dut->rx_ok_i = i % 2;
    port::put(bench.dut->tx_stat_i, frame_stat::ended, i % 5 == 0);
    port::put(bench.dut->tx_stat_i, frame_stat::bytes, i);
    port::put(bench.dut->rx_stat_i, frame_stat::ended, i % 4 == 3);
    port::put(bench.dut->rx_stat_i, frame_stat::bytes, 3 * i);
    for (unsigned k = 0; k < kCauses; ++k) expect[k] += (rx >> k & 1) + (rq >> k & 1);
    expect[kGhost] += i % 3 == 0;
    counter(PortCounter::kRxFrames) += i % 4 == 3;
    counter(PortCounter::kRxBytes) += i % 4 == 3 ? 3 * i : 0;
    counter(PortCounter::kTxFrames) += i % 5 == 0;
    counter(PortCounter::kTxBytes) += i % 5 == 0 ? i : 0;
    counter(PortCounter::kRxRoce) += i % 2;
    bench.step();
  }
  bench.dut->drop_rx_i = bench.dut->drop_rq_i = bench.dut->drop_ghost_i = 0;
  bench.dut->rx_ok_i = 0;
  port::clear(bench.dut->tx_stat_i);
  port::clear(bench.dut->rx_stat_i);
  for (unsigned k = 0; k < kPortCounters; ++k) {
    bench.write(reg::kCounterSelect, k);
    CHECK(bench.read(reg::kCounterLo) == expect[k]);
    CHECK(bench.read(reg::kCounterHi) == 0);
  }
}
