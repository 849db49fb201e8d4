// SPDX-License-Identifier: Apache-2.0
// Tests of the host's bus: latency, order, bounds, guards.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <systemc>

#include "testbench/host/axi.hpp"

using namespace roci::testbench;

int sc_main(int, char**) { return 1; }

namespace {

constexpr unsigned kBeat = 64;
constexpr std::uint64_t kClock = 4;

/// An AxiHost over 64 KiB of memory at kBase of address space 5, with a master that is always
/// ready.
struct HostFixture {
  static constexpr std::uint64_t kBase = 0x100000;
  static constexpr std::uint32_t kOther = 7;  ///< the same memory without pointers
  explicit HostFixture(AxiConfig config = {})
      : memory(65536 + 2 * kBeat),
        axi(
            config,
            [this](std::uint32_t pasid, std::uint64_t address, DirectRange& range) {
              if (pasid == kOther) return AxiHost::Found::kByCall;
              if (pasid != 5 || address < kBase || address >= kBase + 65536) {
                return address == 0xBAD ? AxiHost::Found::kBroken : AxiHost::Found::kNothing;
              }
              range = {pasid, kBase, kBase + 65535, memory.data() + kBeat};
              return AxiHost::Found::kMapped;
            },
            [this](bool write, std::uint32_t, std::uint64_t address, std::uint8_t* data,
                   std::size_t bytes) {
              calls.emplace_back(address, bytes);
              if (address < kBase || address + bytes > kBase + 65536) return false;
              std::uint8_t* here = at(address - kBase);
              std::memcpy(write ? here : data, write ? data : here, bytes);
              return true;
            },
            [this](const std::string& text) { faults.push_back(text); },
            [this](std::uint64_t address, const std::uint8_t*, unsigned bytes) {
              landed.emplace_back(address, bytes);
            }) {}
  std::uint8_t* at(std::uint64_t offset) { return memory.data() + kBeat + offset; }

  void clock() {
    axi.prepare(now);
    if (axi.r_valid) {
      auto& data = read[axi.r_id];
      data.insert(data.end(), axi.r_data, axi.r_data + kBeat);
      order.push_back(axi.r_id);
      first_read_ns = first_read_ns == 0 ? now : first_read_ns;
      resp |= axi.r_resp;
      axi.read_taken();
    }
    if (axi.b_valid) {
      responses.push_back(now);
      resp |= axi.b_resp;
      axi.response_taken();
    }
    now += kClock;
  }
  void drain() {
    for (int i = 0; i < 10000 && !axi.idle(); ++i) clock();
    CHECK(axi.idle());
  }

  std::vector<std::uint8_t> memory;
  std::vector<std::string> faults;
  std::vector<std::pair<std::uint64_t, unsigned>> landed;
  std::vector<std::pair<std::uint64_t, std::size_t>> calls;
  std::map<unsigned, std::vector<std::uint8_t>> read;
  std::vector<unsigned> order;
  std::vector<std::uint64_t> responses;
  std::uint64_t now = 0, first_read_ns = 0;
  unsigned resp = 0;
  AxiHost axi;
};

}  // namespace

TEST_CASE("axi: a read takes the latency of both ways and returns the bytes of its beats") {
  HostFixture fixture;
  for (unsigned i = 0; i < 4096; ++i) *fixture.at(i) = static_cast<std::uint8_t>(i * 7);
  fixture.axi.prepare(0);
  CHECK(fixture.axi.ar_ready);
  fixture.axi.address_read(0, 9, HostFixture::kBase + 70, 2, 5);
  fixture.drain();
  CHECK(fixture.first_read_ns == 800);
  REQUIRE(fixture.read[9].size() == 3 * kBeat);
  CHECK(std::memcmp(fixture.read[9].data(), fixture.at(64), 3 * kBeat) == 0);
  CHECK(fixture.faults.empty());
}

TEST_CASE("axi: memory without pointers is reached by one call for each contiguous range") {
  HostFixture fixture;
  for (unsigned i = 0; i < 4096; ++i) *fixture.at(i) = static_cast<std::uint8_t>(i * 7);
  fixture.axi.prepare(0);
  fixture.axi.address_read(0, 9, HostFixture::kBase + 70, 2, HostFixture::kOther);
  fixture.drain();
  REQUIRE(fixture.read[9].size() == 3 * kBeat);
  CHECK(std::memcmp(fixture.read[9].data(), fixture.at(64), 3 * kBeat) == 0);
  CHECK(fixture.calls.size() == 1);

  std::vector<std::uint8_t> beat(kBeat, 0xEE);
  fixture.calls.clear();
  fixture.axi.prepare(fixture.now);
  fixture.axi.address_write(fixture.now, 1, HostFixture::kBase + 128, 1, HostFixture::kOther);
  fixture.axi.write_data(fixture.now, beat.data(), ~std::uint64_t{0} << 10, false);
  fixture.axi.write_data(fixture.now, beat.data(), 0x83, true);
  fixture.drain();
  using Call = std::pair<std::uint64_t, std::size_t>;
  CHECK(fixture.calls ==
        std::vector<Call>{{HostFixture::kBase + 138, 56}, {HostFixture::kBase + 199, 1}});
  for (unsigned i = 0; i < 2 * kBeat; ++i) {
    const bool named = (i >= 10 && i < 66) || i == 71;
    CHECK(*fixture.at(128 + i) == (named ? 0xEE : static_cast<std::uint8_t>((128 + i) * 7)));
  }
  CHECK(fixture.resp == 0);

  // An address that a call rejects is an error of the bus, not a fault of the adapter.
  fixture.axi.prepare(fixture.now);
  fixture.axi.address_read(fixture.now, 2, 0x40, 0, HostFixture::kOther);
  fixture.drain();
  CHECK(fixture.resp == 3);
  CHECK(fixture.faults.empty());
}

TEST_CASE("axi: many reads are outstanding at once, and a beat returns each clock") {
  HostFixture fixture;
  for (unsigned i = 0; i < 100; ++i) {
    fixture.axi.prepare(fixture.now);
    fixture.axi.address_read(fixture.now, static_cast<std::uint8_t>(i), HostFixture::kBase + 64 * i,
                             0, 5);
  }
  fixture.drain();
  CHECK(fixture.order.size() == 100);
  CHECK(fixture.now <= 800 + 101 * kClock);
  CHECK(fixture.axi.counts().most_reads == 100);
}

TEST_CASE("axi: a write reaches memory after one way, and its response comes after both") {
  HostFixture fixture;
  std::uint8_t beat[kBeat];
  std::memset(beat, 0xAB, sizeof beat);
  fixture.axi.prepare(0);
  fixture.axi.address_write(0, 1, HostFixture::kBase + 128, 0, 5);
  fixture.axi.write_data(0, beat, 0x00000000000FFF00, true);
  while (fixture.now < 400) fixture.clock();
  CHECK(*fixture.at(128 + 8) == 0);
  fixture.clock();
  CHECK(fixture.axi.wrote());
  CHECK_FALSE(fixture.axi.wrote());
  CHECK(*fixture.at(128 + 7) == 0);
  CHECK(*fixture.at(128 + 8) == 0xAB);
  CHECK(*fixture.at(128 + 19) == 0xAB);
  CHECK(*fixture.at(128 + 20) == 0);
  fixture.drain();
  REQUIRE(fixture.responses.size() == 1);
  CHECK(fixture.responses[0] == 800);
  REQUIRE(fixture.landed.size() == 1);
  CHECK(fixture.landed[0].first == HostFixture::kBase + 136);
  CHECK(fixture.landed[0].second == 12);
}

TEST_CASE("axi: data may come before its address, and strobes may have gaps") {
  HostFixture fixture;
  std::uint8_t beat[kBeat];
  std::memset(beat, 0x11, sizeof beat);
  fixture.axi.write_data(0, beat, 0b1011, true);
  fixture.axi.address_write(4, 1, HostFixture::kBase, 0, 5);
  fixture.drain();
  const std::uint8_t expected[5] = {0x11, 0x11, 0, 0x11, 0};
  CHECK(std::memcmp(fixture.at(0), expected, 5) == 0);
}

TEST_CASE("axi: accesses outside mapped memory are reported and get an error response (I6)") {
  HostFixture fixture;
  std::uint8_t beat[kBeat] = {1};
  fixture.axi.address_read(0, 1, HostFixture::kBase + 65536, 0, 5);
  CHECK(fixture.faults.empty());
  fixture.drain();
  CHECK(fixture.faults.size() == 1);
  CHECK(fixture.resp == 3);
  fixture.axi.address_read(fixture.now, 1, HostFixture::kBase, 0, 6);  // another address space
  fixture.drain();
  CHECK(fixture.faults.size() == 2);
  fixture.axi.address_write(fixture.now, 1, HostFixture::kBase - 64, 0, 5);
  fixture.axi.write_data(fixture.now, beat, ~std::uint64_t{0}, true);
  fixture.axi.address_write(fixture.now, 1, HostFixture::kBase, 0, 5);
  fixture.axi.write_data(fixture.now, beat, ~std::uint64_t{0}, true);
  fixture.drain();
  CHECK(fixture.faults.size() == 3);
  CHECK(*fixture.at(0) == 1);
  CHECK(*fixture.at(-1) == 0);
}

TEST_CASE("axi: the rest of a block of 64 bytes may be read at any width") {
  AxiConfig config;
  config.bytes = 8;
  std::vector<std::uint8_t> memory(192, 7);
  std::vector<std::string> faults;
  AxiHost axi(
      config,
      [&](std::uint32_t pasid, std::uint64_t address, DirectRange& range) {
        if (address < 0x1000 || address >= 0x1008) return AxiHost::Found::kNothing;
        range = {pasid, 0x1000, 0x1007, memory.data() + 64};
        return AxiHost::Found::kMapped;
      },
      {}, [&](const std::string& text) { faults.push_back(text); },
      [](std::uint64_t, const std::uint8_t*, unsigned) {});
  axi.address_read(0, 1, 0x1000, 7, 5);
  axi.prepare(400);
  CHECK(faults.empty());
  axi.address_read(400, 1, 0x1000, 8, 5);
  axi.prepare(800);
  CHECK(faults.size() == 1);
}

TEST_CASE("axi: errors that a test requested are no fault (F-80 to F-82)") {
  HostFixture fixture;
  fixture.axi.address_read(0, 1, 0xBAD, 0, 5);
  fixture.drain();
  CHECK(fixture.resp == 3);
  CHECK(fixture.faults.empty());
}

TEST_CASE("axi: a burst over 4 KiB or a last beat at the wrong position is a fault") {
  HostFixture fixture;
  fixture.axi.address_read(0, 1, HostFixture::kBase + 4096 - 64, 1, 5);
  CHECK(fixture.faults.size() == 1);
  std::uint8_t beat[kBeat] = {};
  fixture.axi.address_write(0, 1, HostFixture::kBase, 1, 5);
  fixture.axi.write_data(0, beat, 1, true);
  CHECK(fixture.faults.size() == 2);
}

TEST_CASE("axi: out of order between ids, in order within an id; stalls lose nothing (F-83)") {
  AxiConfig config;
  config.out_of_order = true;
  config.stall = 0.1;
  config.seed = 7;
  MESSAGE("seed 7");
  HostFixture fixture(config);
  for (unsigned i = 0; i < 65536; ++i) *fixture.at(i) = static_cast<std::uint8_t>(i / 64);
  unsigned sent = 0;
  while (sent < 256) {
    fixture.clock();
    fixture.axi.prepare(fixture.now);
    if (!fixture.axi.ar_ready) continue;
    fixture.axi.address_read(fixture.now, static_cast<std::uint8_t>(sent % 8),
                             HostFixture::kBase + 64 * sent, 0, 5);
    ++sent;
  }
  fixture.drain();
  bool moved = false;
  for (unsigned i = 1; i < fixture.order.size(); ++i) {
    moved |= fixture.order[i] != (fixture.order[i - 1] + 1) % 8;
  }
  CHECK(moved);
  for (unsigned id = 0; id < 8; ++id) {
    REQUIRE(fixture.read[id].size() == 32 * kBeat);
    for (unsigned i = 0; i < 32; ++i) CHECK(fixture.read[id][i * kBeat] == 8 * i + id);
  }
}

TEST_CASE("axi: a completion is reported as one write at any width") {
  for (const unsigned width : {8u, 64u}) {
    CAPTURE(width);
    AxiConfig config;
    config.bytes = width;
    HostFixture fixture(config);
    std::vector<std::uint8_t> beat(width, 0x5A);
    fixture.axi.prepare(0);
    const unsigned beats = width == 8 ? 4 : 1;
    fixture.axi.address_write(0, 1, HostFixture::kBase + 64, beats - 1, 5);
    for (unsigned i = 0; i < beats; ++i) {
      fixture.axi.write_data(0, beat.data(), width == 8 ? 0xFF : 0xFFFFFFFF, i + 1 == beats);
    }
    fixture.drain();
    using Landed = std::pair<std::uint64_t, unsigned>;
    CHECK(fixture.landed == std::vector<Landed>{{HostFixture::kBase + 64, 32}});
  }
}
