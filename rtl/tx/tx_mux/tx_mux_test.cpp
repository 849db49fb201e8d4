// SPDX-License-Identifier: Apache-2.0
// Headers, payload and frames of four sources in, one stream out.
#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vroci_tx_mux.h"
#include "model/spec/layout/headers.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/stream.hpp"

namespace {

constexpr unsigned kSeed = 6174;
constexpr unsigned kBytes = DATA_WIDTH / 8;
constexpr unsigned kIpv4Headers =
    layout::ethernet::kBytes + layout::ipv4::kBytes + layout::udp::kBytes + layout::bth::kBytes;
/// The longest headers: a tagged atomic over IPv6.
constexpr unsigned kHeaderBytes = layout::ethernet::kBytes + layout::vlan::kBytes +
                                  layout::ipv6::kBytes + layout::udp::kBytes + layout::bth::kBytes +
                                  layout::atomic_eth::kBytes;
using Bytes = std::vector<std::uint8_t>;

enum Source { kDesc, kAck, kEth, kFw, kSources };

/// A frame of a source, with the attributes it is offered with.
struct Frame {
  Bytes bytes;  // header, payload and pad, without ICRC
  unsigned header = 0, payload = 0;
  bool ipv6 = false, v1 = false, vlan = false, poison = false;
};
struct Sent {
  Source source;
  std::uint64_t first, last;
};

struct Bench {
  Dut<Vroci_tx_mux> dut;
  std::mt19937 random{kSeed};
  unsigned gaps = 0, stalls = 0;  // percent
  bool hold_payload = false;
  std::deque<Frame> in[kSources], want[kSources];
  std::deque<std::pair<Bytes, std::uint8_t>> beats;  // payload: bytes; bits last and error
  std::vector<Sent> out;
  unsigned sent = 0, descs = 0;

  Bench() { dut->m_axis_tready_i = 1; }

  /// A frame whose first byte names its source.
  Frame make(Source source, unsigned size, unsigned header = 0) {
    Frame f;
    f.bytes.resize(size);
    for (auto& byte : f.bytes) byte = static_cast<std::uint8_t>(random());
    f.bytes[0] = static_cast<std::uint8_t>(source);
    f.header = header;
    f.ipv6 = random() & 1;
    f.v1 = random() & 1;
    f.vlan = random() & 1;
    return f;
  }
  void desc(unsigned header, unsigned payload, bool poison = false) {
    const unsigned pad = (4 - payload % 4) % 4;
    Frame f = make(kDesc, header + payload + pad, header);
    std::fill(f.bytes.end() - pad, f.bytes.end(), 0);
    f.payload = payload;
    f.poison = poison && payload;
    push(kDesc, f);
    ++descs;
    for (unsigned at = header / kBytes * kBytes; payload && at < header + payload; at += kBytes) {
      Bytes beat(kBytes, 0);
      for (unsigned i = 0; i < kBytes; ++i)
        if (at + i >= header && at + i < header + payload) beat[i] = f.bytes[at + i];
      const bool last = at + kBytes >= header + payload;
      beats.emplace_back(beat, static_cast<std::uint8_t>(last + 2 * (last && f.poison)));
    }
  }
  void ack() {
    const unsigned header = kIpv4Headers + 4 * (1 + random() % 5);
    push(kAck, make(kAck, header, header));
  }
  void frame(Source source, unsigned size) { push(source, make(source, size)); }
  void push(Source source, const Frame& f) {
    in[source].push_back(f);
    want[source].push_back(f);
  }

  void finish() {
    unsigned quiet = 0;
    for (unsigned i = 0; i < 100000 && quiet < 5; ++i) {
      clock();
      quiet = dut->idle_o && in[0].empty() && in[1].empty() && in[2].empty() && in[3].empty()
                  ? quiet + 1
                  : 0;
    }
    CHECK(quiet == 5);
    for (const auto& list : want) CHECK(list.empty());
    CHECK(beats.empty());
    CHECK(sent == descs);
  }

  void clock() {
    auto go = [&](unsigned percent) { return percent == 0 || random() % 100 >= percent; };
    for (unsigned s = 0; s < kSources; ++s) held_[s] = !in[s].empty() && (held_[s] || go(gaps));
    pay_held_ = !beats.empty() && (pay_held_ || (!hold_payload && go(gaps)));
    dut->desc_header_valid_i = held_[kDesc];
    dut->ack_header_valid_i = held_[kAck];
    dut->desc_payload_i = held_[kDesc] && in[kDesc].front().payload != 0;
    stream(kEth, dut->s_axis_eth_tdata_i, dut->s_axis_eth_tkeep_i, dut->s_axis_eth_tlast_i,
           dut->s_axis_eth_tvalid_i);
    stream(kFw, dut->s_axis_fw_tdata_i, dut->s_axis_fw_tkeep_i, dut->s_axis_fw_tlast_i,
           dut->s_axis_fw_tvalid_i);
    dut->pay_tvalid_i = pay_held_;
    for (unsigned i = 0; i < kBytes && pay_held_; ++i)
      port::put_byte(dut->pay_tdata_i, i, beats.front().first[i]);
    dut->pay_tlast_i = pay_held_ && (beats.front().second & 1);
    dut->pay_terror_i = pay_held_ && (beats.front().second & 2);
    dut->m_axis_tready_i = go(stalls);
    dut.settle();
    show(dut->header_ack_o ? kAck : kDesc);
    dut.settle();

    if (held_[kDesc] && dut->desc_header_ready_o) in[kDesc].pop_front(), held_[kDesc] = false;
    if (held_[kAck] && dut->ack_header_ready_o) in[kAck].pop_front(), held_[kAck] = false;
    if (held_[kEth] && dut->s_axis_eth_tready_o) taken(kEth);
    if (held_[kFw] && dut->s_axis_fw_tready_o) taken(kFw);
    if (pay_held_ && dut->pay_tready_o) beats.pop_front(), pay_held_ = false;
    sent += dut->sent_o;
    if (dut->m_axis_tvalid_o && dut->m_axis_tready_i) beat();
    dut.tick();
  }

 private:
  /// Shows the oldest header of a source, or any bits when none is held.
  void show(Source source) {
    CHECK((source == kDesc || held_[kAck]));
    const Frame f = held_[source] ? in[source].front() : make(source, kHeaderBytes, kHeaderBytes);
    header(dut->header_i, f);
    dut->header_len_i = f.header;
    dut->frame_len_i = f.bytes.size();
    dut->short_i = f.bytes.size() <= kBytes;
    dut->ipv6_i = f.ipv6;
    dut->roce_v1_i = f.v1;
    dut->vlan_i = f.vlan;
  }
  template <typename Port>
  void header(Port& port_of, const Frame& f) {
    for (unsigned i = 0; i < kHeaderBytes; ++i)
      port::put_byte(port_of, i, i < f.header ? f.bytes[i] : 0);
  }
  template <typename Data, typename Keep, typename Bit>
  void stream(Source s, Data& data, Keep& keep, Bit& last, Bit& valid) {
    valid = held_[s];
    if (!held_[s]) return;
    const Bytes& bytes = in[s].front().bytes;
    const std::size_t left = bytes.size() - at_[s];
    for (unsigned i = 0; i < kBytes && i < left; ++i) port::put_byte(data, i, bytes[at_[s] + i]);
    port::put(keep, 0, kBytes, left >= 64 ? ~0ull : (1ull << left) - 1);
    last = left <= kBytes;
  }
  void taken(Source s) {
    held_[s] = false;
    at_[s] += kBytes;
    if (at_[s] < in[s].front().bytes.size()) return;
    in[s].pop_front();
    at_[s] = 0;
  }
  void beat() {
    if (got_.empty()) {
      const auto source = static_cast<Source>(port::byte(dut->m_axis_tdata_o, 0));
      REQUIRE(source < kSources);
      REQUIRE(!want[source].empty());
      out.push_back({source, dut.cycle(), 0});
    }
    const Source source = out.back().source;
    const Frame& f = want[source].front();
    stream::take_beat(dut->m_axis_tdata_o, dut->m_axis_tkeep_o, dut->m_axis_tlast_o, kBytes, got_);
    const bool roce = source == kDesc || source == kAck;
    CHECK(bool(dut->m_axis_roce_o) == roce);
    if (roce) {
      CHECK(bool(dut->m_axis_ipv6_o) == f.ipv6);
      CHECK(bool(dut->m_axis_roce_v1_o) == f.v1);
      CHECK(bool(dut->m_axis_vlan_o) == f.vlan);
    }
    if (!dut->m_axis_tlast_o) return;
    if (roce) CHECK(bool(dut->m_axis_poison_o) == f.poison);
    CHECK(got_ == f.bytes);
    out.back().last = dut.cycle();
    want[source].pop_front();
    got_.clear();
  }

  bool held_[kSources] = {}, pay_held_ = false;
  std::size_t at_[kSources] = {};
  Bytes got_;
};

}  // namespace

TEST_CASE("tx_mux: payload meets its header at any byte, with pad after it") {
  Bench bench;
  for (unsigned header = kIpv4Headers; header <= kHeaderBytes; header += 4) {
    for (unsigned payload = 0; payload <= 2 * kBytes + 5; payload += payload < 70 ? 1 : 7)
      bench.desc(header, payload);
  }
  bench.finish();
}

TEST_CASE("tx_mux: frames of all sources, whole and in their order, with random stalls") {
  for (const unsigned stalls : {0u, 30u, 70u}) {
    for (const unsigned gaps : {0u, 50u}) {
      Bench bench;
      bench.stalls = stalls;
      bench.gaps = gaps;
      for (unsigned n = 0; n < 300; ++n) {
        if (bench.random() % 2)
          bench.desc(kIpv4Headers + 4 + 4 * (bench.random() % 13), bench.random() % 500,
                     bench.random() % 5 == 0);
        if (bench.random() % 2) bench.ack();
        if (bench.random() % 3 == 0) bench.frame(kEth, 1 + bench.random() % 300);
        if (bench.random() % 4 == 0) bench.frame(kFw, 1 + bench.random() % 150);
        for (unsigned k = bench.random() % 20; k-- > 0;) bench.clock();
      }
      bench.finish();
    }
  }
}

TEST_CASE("tx_mux: an ACK goes first; after it one of the other sources, in turns") {
  Bench bench;
  for (unsigned n = 0; n < 30; ++n) {
    bench.desc(kIpv4Headers + 8, 40);
    bench.frame(kEth, 100);
    bench.frame(kFw, 60);
    bench.ack();
    bench.ack();
    bench.ack();
  }
  bench.finish();
  // While all sources have frames, every second frame is an ACK.
  unsigned turns[kSources] = {};
  for (unsigned i = 6; i < 100; ++i) {
    CHECK((bench.out[i].source == kAck) != (bench.out[i + 1].source == kAck));
    ++turns[bench.out[i].source];
  }
  CHECK(turns[kDesc] >= 15);
  CHECK(turns[kEth] >= 15);
  CHECK(turns[kFw] >= 14);
}

TEST_CASE("tx_mux: a packet without its payload lets all others pass") {
  Bench bench;
  bench.hold_payload = true;
  bench.desc(kIpv4Headers + 8, 100);
  for (unsigned n = 0; n < 10; ++n) {
    bench.ack();
    bench.frame(kEth, 200);
    bench.frame(kFw, 60);
  }
  for (unsigned i = 0; i < 1500; ++i) bench.clock();
  CHECK(bench.out.size() == 30);
  bench.hold_payload = false;
  bench.finish();
}

TEST_CASE("tx_mux: a beat a clock from every source but firmware, a clock from a header") {
  for (const Source source : {kDesc, kAck, kEth}) {
    CAPTURE(static_cast<int>(source));
    Bench bench;
    unsigned beats = 0;
    for (unsigned n = 0; n < 60; ++n) {
      if (source == kDesc) bench.desc(kIpv4Headers + 8, 50 + n);
      if (source == kAck) bench.ack();
      if (source == kEth) bench.frame(kEth, 60 + n);
      beats += static_cast<unsigned>(bench.in[source].back().bytes.size() + kBytes - 1) / kBytes;
    }
    const std::uint64_t begin = bench.dut.cycle();
    bench.finish();
    CHECK(bench.out.back().last - bench.out.front().first + 1 == beats);
    if (source == kAck) CHECK(bench.out.front().first - begin == 1);
  }
}
