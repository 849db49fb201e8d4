// SPDX-License-Identifier: Apache-2.0
// Tests of the link: rate, delay, faults by rule and at random.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "testbench/link/link_direction.hpp"

using namespace roci;
using namespace roci::testbench;

namespace {

/// An IPv4 RoCE frame of `bytes` bytes with opcode, destination and PSN; lengths and ICRC are
/// wrong, which the link ignores.
packet::Bytes frame_of(std::size_t bytes, std::uint8_t opcode, std::uint32_t psn,
                       std::uint32_t qpn = 7) {
  packet::Bytes frame(bytes, 0x5A);
  const std::uint8_t head[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x08, 0x00, 0x45, 0};
  std::copy(std::begin(head), std::end(head), frame.begin());
  const std::size_t ip = bytes - 14;
  frame[16] = static_cast<std::uint8_t>(ip >> 8);
  frame[17] = static_cast<std::uint8_t>(ip);
  frame[20] = 0x40;
  frame[21] = 0;
  frame[22] = 64;
  frame[23] = 17;
  frame[36] = 4791 >> 8;
  frame[37] = 4791 & 0xFF;
  frame[38] = static_cast<std::uint8_t>((ip - 20) >> 8);
  frame[39] = static_cast<std::uint8_t>(ip - 20);
  frame[40] = frame[41] = 0;
  unsigned sum = 0;
  frame[24] = frame[25] = 0;
  for (unsigned i = 14; i < 34; i += 2) sum += static_cast<unsigned>(frame[i] << 8 | frame[i + 1]);
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  frame[24] = static_cast<std::uint8_t>(~sum >> 8);
  frame[25] = static_cast<std::uint8_t>(~sum);
  packet::MutableBth bth(frame.data() + 42);
  bth.set_opcode(opcode);
  bth.set_psn(psn);
  bth.set_dest_qp(qpn);
  bth.set_version(0);
  return frame;
}

struct Arrived {
  packet::Bytes frame;
  std::uint64_t first_ns, last_ns;
  std::uint32_t psn() const { return packet::Bth(frame.data() + 42).psn(); }
};

struct Tap : FrameTap {
  void frame(const FrameEvent& event) override {
    faults.push_back(event.fault);
    times.push_back(event.time_ns);
  }
  std::vector<std::string> faults;
  std::vector<std::uint64_t> times;
};

/// Sends frames as fast as the MAC accepts them and collects the arriving ones, for `clocks`
/// clocks.
struct LinkFixture {
  explicit LinkFixture(const LinkConfig& c) : config(c), link(c) { link.add_tap(&tap); }
  void run(const std::vector<packet::Bytes>& frames, unsigned clocks) {
    std::size_t index = 0, at = 0;
    for (unsigned i = 0; i < clocks; ++i, now += 4) {
      LinkDirection::Beat beat{};
      CHECK((link.next_ns() <= now || !link.beat(now, beat)));
      if (link.beat(now, beat)) {
        if (current.frame.empty()) current.first_ns = now;
        current.frame.insert(current.frame.end(), beat.data, beat.data + beat.bytes);
        if (beat.last) {
          current.last_ns = now;
          arrived.push_back(current);
          current = Arrived{};
        }
        link.pop();
      }
      if (index < frames.size() && link.ready(now)) {
        const std::size_t left = frames[index].size() - at;
        const auto bytes = static_cast<unsigned>(std::min<std::size_t>(left, config.bytes));
        link.take(now, frames[index].data() + at, bytes, left <= config.bytes);
        at += bytes;
        if (at == frames[index].size()) {
          ++index;
          at = 0;
        }
      }
    }
    CHECK(index == frames.size());
  }
  LinkConfig config;
  LinkDirection link;
  Tap tap;
  std::uint64_t now = 0;
  Arrived current;
  std::vector<Arrived> arrived;
};

std::vector<packet::Bytes> row(unsigned count, std::size_t bytes, std::uint8_t opcode = 0x07) {
  std::vector<packet::Bytes> frames;
  for (unsigned i = 0; i < count; ++i) frames.push_back(frame_of(bytes, opcode, i));
  return frames;
}

}  // namespace

TEST_CASE("link: frames arrive whole, in order, after delay and their own length") {
  LinkConfig config;
  config.delay_ns = 1000;
  LinkFixture fixture(config);
  const auto frames = row(3, 1098);
  fixture.run(frames, 1000);
  REQUIRE(fixture.arrived.size() == 3);
  for (unsigned i = 0; i < 3; ++i) CHECK(fixture.arrived[i].frame == frames[i]);
  // 8 + 1098 bytes at 80 ps.
  CHECK(fixture.arrived[0].last_ns >= 1000 + 88);
  CHECK(fixture.arrived[0].last_ns <= 1000 + 88 + 8);
  CHECK(fixture.link.counts().underruns == 0);
}

TEST_CASE("link: the rate holds with preamble, FCS and gap, at both widths") {
  struct {
    unsigned bytes;
    double gbps;
    std::size_t frame;
  } const cases[] = {{64, 100, 4154}, {64, 100, 62}, {64, 100, 138}, {8, 10, 138}, {8, 10, 1098}};
  for (const auto& c : cases) {
    CAPTURE(c.frame);
    LinkConfig config;
    config.bytes = c.bytes;
    config.rate_gbps = c.gbps;
    LinkFixture fixture(config);
    const unsigned count = 200;
    const double each_ns = static_cast<double>(c.frame + 24) * 8 / c.gbps;
    fixture.run(row(count, c.frame), static_cast<unsigned>((count * each_ns + 2000) / 4));
    REQUIRE(fixture.arrived.size() == count);
    const auto took =
        static_cast<double>(fixture.arrived.back().last_ns - fixture.arrived[0].last_ns);
    CHECK(std::abs(took / (count - 1) - each_ns) < each_ns * 0.01);
  }
}

TEST_CASE("link: a frame of less than 60 bytes is padded (WIRE-18)") {
  LinkFixture fixture(LinkConfig{});
  fixture.run({frame_of(58, 0x04, 1)}, 1000);
  REQUIRE(fixture.arrived.size() == 1);
  CHECK(fixture.arrived[0].frame.size() == 60);
  CHECK(fixture.arrived[0].frame[59] == 0);
}

TEST_CASE("link: rules choose by opcode, PSN and occurrence, and are logged") {
  LinkConfig config;
  FaultRule rule;
  rule.opcode = 0x07;
  rule.first = 2;
  rule.count = 2;
  config.faults.rules.push_back(rule);
  rule = {};
  rule.psn = 8;
  rule.kind = FaultKind::kDuplicate;
  rule.copies = 2;
  config.faults.rules.push_back(rule);
  rule = {};
  rule.psn = 9;
  rule.kind = FaultKind::kReplace;
  rule.replace = [](const packet::Parsed&) { return frame_of(100, 0x07, 99); };
  config.faults.rules.push_back(rule);
  LinkFixture fixture(config);
  fixture.run(row(10, 100), 2000);
  std::vector<std::uint32_t> psns;
  for (const Arrived& a : fixture.arrived) psns.push_back(a.psn());
  CHECK(psns == std::vector<std::uint32_t>{0, 3, 4, 5, 6, 7, 8, 8, 8, 99});
  const auto& log = fixture.link.log();
  REQUIRE(log.size() == 4);
  CHECK(log[0].psn == 1);
  CHECK(log[1].psn == 2);
  CHECK(log[0].kind == FaultKind::kDrop);
  CHECK(log[2].kind == FaultKind::kDuplicate);
  CHECK(fixture.tap.faults[1] == "lost");
  CHECK(fixture.tap.faults[0].empty());
  CHECK(fixture.link.faults().rules[0].hits == 2);
}

TEST_CASE("link: a delayed frame is overtaken") {
  LinkConfig config;
  FaultRule rule;
  rule.kind = FaultKind::kDelay;
  rule.psn = 1;
  rule.delay_ns = 300;
  config.faults.rules.push_back(rule);
  LinkFixture fixture(config);
  fixture.run(row(3, 1000), 2000);
  REQUIRE(fixture.arrived.size() == 3);
  CHECK(fixture.arrived[1].psn() == 2);
  CHECK(fixture.arrived[2].psn() == 1);
}

TEST_CASE("link: random faults have their rates, and a seed reproduces them") {
  MESSAGE("seed 42");
  std::vector<std::size_t> counts[2];
  for (auto& count : counts) {
    LinkConfig config;
    config.seed = 42;
    config.faults.loss = 0.05;
    config.faults.corrupt = 0.02;
    config.faults.duplicate = 0.03;
    config.faults.reorder = 0.04;
    LinkFixture fixture(config);
    fixture.run(row(20000, 100), 100000);
    const auto& c = fixture.link.counts();
    CHECK(c.dropped > 850);
    CHECK(c.dropped < 1150);
    CHECK(c.corrupted > 300);
    CHECK(c.corrupted < 460);
    CHECK(c.duplicated > 480);
    CHECK(c.delayed > 660);
    CHECK(fixture.arrived.size() == 20000 - c.dropped + c.duplicated);
    count = {c.dropped, c.corrupted, c.duplicated, c.delayed, fixture.arrived.size()};
  }
  CHECK(counts[0] == counts[1]);
}

TEST_CASE("link: losses in bursts have the configured rate and length") {
  MESSAGE("seed 5");
  LinkConfig config;
  config.seed = 5;
  config.faults.loss = 0.05;
  config.faults.mean_burst = 4;
  LinkFixture fixture(config);
  fixture.run(row(50000, 100), 200000);
  const auto lost = static_cast<double>(fixture.link.counts().dropped);
  CHECK(std::abs(lost / 50000 - 0.05) < 0.01);
  unsigned bursts = 0;
  bool before = false;
  for (const std::string& fault : fixture.tap.faults) {
    bursts += !fault.empty() && !before;
    before = !fault.empty();
  }
  CHECK(std::abs(lost / bursts - 4) < 0.6);
}

TEST_CASE("link: pause stops the sender, a blackout loses everything (F-34, F-35)") {
  LinkConfig config;
  config.faults.pauses.push_back({0, 400});
  config.faults.blackouts.push_back({1000, 1200});
  LinkFixture fixture(config);
  const auto frames = row(20, 1000);
  fixture.run(frames, 2000);
  CHECK(fixture.tap.times[0] >= 400);
  unsigned lost = 0;
  for (const std::string& fault : fixture.tap.faults) lost += fault == "lost: link silent";
  CHECK(lost >= 2);
  CHECK(lost <= 4);
  CHECK(fixture.arrived.size() == 20 - lost);
}

TEST_CASE("link: faults do not apply to frames that are not RoCE") {
  LinkConfig config;
  config.faults.loss = 1;
  LinkFixture fixture(config);
  packet::Bytes arp(60, 0);
  arp[12] = 0x08;
  arp[13] = 0x06;
  fixture.run({arp, frame_of(100, 4, 0)}, 1000);
  CHECK(fixture.arrived.size() == 1);
}

/// Holds PSN 1 until two later frames have overtaken it.
struct HoldingScript : FrameScript {
  HoldingScript() { set_active(true); }
  void decide(unsigned, std::uint64_t, const packet::Parsed& parsed,
              ScriptEffect& effect) override {
    if (parsed.bth().psn() != 1) return;
    effect.after = 2;
    effect.text = "held";
  }
};

TEST_CASE("link: a script holds a frame until later ones to its queue pair have overtaken it") {
  HoldingScript script;
  LinkConfig config;
  config.script = &script;
  LinkFixture fixture(config);
  fixture.run({frame_of(100, 4, 0), frame_of(100, 4, 1), frame_of(100, 4, 2),
               frame_of(100, 4, 9, 8), frame_of(100, 4, 3), frame_of(100, 4, 4)},
              1000);
  std::vector<std::uint32_t> psns;
  for (const Arrived& one : fixture.arrived) psns.push_back(one.psn());
  CHECK(psns == std::vector<std::uint32_t>{0, 2, 9, 3, 1, 4});
}
