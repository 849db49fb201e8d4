// SPDX-License-Identifier: Apache-2.0
// Frames to firmware and to the host, at full rate and with pauses.
#include <Vroci_fw_frame.h>
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/registers.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

constexpr unsigned kBeat = DATA_WIDTH / 8;
using Frame = std::vector<std::uint8_t>;
namespace ethertype = layout::ethertype;
namespace rx_frame_status = layout::reg::rx_frame_status;
constexpr std::uint32_t kValid = layout::mask(rx_frame_status::valid);
constexpr unsigned kIcmpV6 = 58;                               // next header
constexpr unsigned kSolicitation = 135, kAdvertisement = 136;  // types of ICMPv6

struct Bench {
  Dut<Vroci_fw_frame> dut;
  std::mt19937 random{31};
  std::deque<Frame> in;
  std::vector<Frame> host;
  Frame part;
  std::size_t at = 0;
  unsigned percent_source = 100, percent_sink = 100;
  std::uint64_t last_beat = 0;
  bool showing = false;

  void step() {
    showing = !in.empty() && (showing || random() % 100 < percent_source);
    dut->s_axis_rx_tvalid_i = showing;
    if (showing) {
      std::uint64_t keep = 0;
      for (unsigned i = 0; i < kBeat; ++i) {
        const bool inside = at + i < in.front().size();
        // Lanes that are not kept hold the type of neighbour discovery.
        port::put_byte(dut->s_axis_rx_tdata_i, i, inside ? in.front()[at + i] : kSolicitation);
        keep |= std::uint64_t{inside} << i;
      }
      port::put(dut->s_axis_rx_tkeep_i, 0, kBeat, keep);
      dut->s_axis_rx_tlast_i = at + kBeat >= in.front().size();
    }
    dut->m_axis_host_tready_i = random() % 100 < percent_sink;
    dut.settle();
    if (showing && dut->s_axis_rx_tready_o) {
      showing = false;
      at += kBeat;
      if (dut->s_axis_rx_tlast_i) {
        at = 0;
        in.pop_front();
      }
    }
    if (dut->m_axis_host_tvalid_o && dut->m_axis_host_tready_i) {
      last_beat = dut.cycle();
      for (unsigned i = 0; i < kBeat; ++i) {
        if (port::get(dut->m_axis_host_tkeep_o, i, 1))
          part.push_back(port::byte(dut->m_axis_host_tdata_o, i));
      }
      if (dut->m_axis_host_tlast_o) {
        host.push_back(part);
        part.clear();
      }
    }
    dut.tick();
  }
  std::uint32_t rx_word(unsigned address) {
    dut->read_i = 1;
    dut->read_addr_i = address;
    dut.tick();
    dut->read_i = 0;
    return dut->rx_data_o;
  }
};

Frame random_frame(std::mt19937& random, unsigned length) {
  Frame f(length);
  for (auto& b : f) b = static_cast<std::uint8_t>(random());
  f[12] = 0x08;
  f[13] = 0x00;
  return f;
}

}  // namespace

TEST_CASE("fw_frame: frames for the host pass one beat a clock") {
  Bench bench;
  bench.dut->to_firmware_i = 1;
  std::vector<Frame> sent;
  unsigned beats = 0;
  for (unsigned i = 0; i < 40; ++i) {
    sent.push_back(random_frame(bench.random, 60 + bench.random() % 1460));
    beats += (static_cast<unsigned>(sent.back().size()) + kBeat - 1) / kBeat;
    bench.in.push_back(sent.back());
  }
  const std::uint64_t start = bench.dut.cycle();
  for (unsigned i = 0; i < beats + 40; ++i) bench.step();
  CHECK(bench.host == sent);
  CHECK(bench.last_beat - start <= beats + 9);
}

TEST_CASE("fw_frame: the decision looks at the frame's own bytes only") {
  Bench bench;
  bench.dut->to_firmware_i = 1;
  bench.percent_source = 60;
  bench.percent_sink = 60;
  std::vector<Frame> theirs;
  unsigned mine = 0, taken = 0;
  for (unsigned i = 0; i < 400; ++i) {
    // EtherType, next header and type are picked among those that decide, with or without a tag.
    const bool tag = bench.random() % 2;
    Frame f = random_frame(bench.random, 18 + bench.random() % 80);
    const unsigned shift = tag ? 4 : 0;
    const unsigned types[] = {ethertype::kArp, ethertype::kIpv6, ethertype::kIpv4,
                              ethertype::kVlan};
    const unsigned type = types[bench.random() % 4];
    const auto put = [&f](unsigned at, unsigned value) {
      if (at < f.size()) f[at] = static_cast<std::uint8_t>(value);
    };
    if (tag) {
      put(12, 0x81);
      put(13, 0x00);
    }
    put(12 + shift, type >> 8);
    put(13 + shift, type);
    const unsigned next = bench.random() % 2 ? kIcmpV6 : layout::protocol::kIpUdp,
                   icmp = 133 + bench.random() % 5;
    put(20 + shift, next);
    put(54 + shift, icmp);
    // The EtherType after a second tag does not count; untagged 0x8100 is a tag with a random type.
    if (!tag && type == ethertype::kVlan) {
      put(16, 0x08);
      put(17, 0x00);
    }
    const bool firmware = type == ethertype::kArp ||
                          (type == ethertype::kIpv6 && f.size() > 54 + shift && next == kIcmpV6 &&
                           (icmp == kSolicitation || icmp == kAdvertisement));
    if (firmware)
      ++mine;
    else
      theirs.push_back(f);
    bench.in.push_back(f);
    for (int k = 0; k < 200 && (!bench.in.empty() || k < 60); ++k) bench.step();
    REQUIRE(bench.in.empty());
    CHECK(layout::get(bench.dut->rx_status_o, rx_frame_status::valid) == firmware);
    if (firmware) {
      ++taken;
      CHECK(layout::get(bench.dut->rx_status_o, rx_frame_status::bytes) == f.size());
      for (unsigned k = 0; k < f.size(); k += 4) {
        const std::uint32_t word = bench.rx_word(k);
        for (unsigned b = 0; b < 4 && k + b < f.size(); ++b)
          CHECK((word >> 8 * b & 0xFF) == f[k + b]);
      }
      bench.dut->rx_pop_i = 1;
      bench.step();
      bench.dut->rx_pop_i = 0;
    }
  }
  CHECK(bench.host == theirs);
  CHECK(taken == mine);
  CHECK(mine > 50);
}

TEST_CASE("fw_frame: the rest of a dropped frame is dropped although the buffer falls free") {
  Bench bench;
  bench.dut->to_firmware_i = 1;
  Frame arp = random_frame(bench.random, 1500);
  arp[13] = 0x06;
  bench.in = {arp, arp};
  while (bench.in.size() == 2 || bench.at < 10 * kBeat) bench.step();
  CHECK((bench.dut->rx_status_o & kValid) != 0);
  bench.dut->rx_pop_i = 1;
  bench.step();
  bench.dut->rx_pop_i = 0;
  for (int i = 0; i < 300; ++i) bench.step();
  CHECK(bench.in.empty());
  CHECK(bench.dut->rx_status_o == 0);
  CHECK(bench.dut->idle_o == 1);
  bench.in.push_back(arp);
  for (int i = 0; i < 300; ++i) bench.step();
  CHECK(layout::get(bench.dut->rx_status_o, rx_frame_status::bytes) == arp.size());
  CHECK((bench.rx_word(1496) & 0xFF) == arp[1496]);
}
