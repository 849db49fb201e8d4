// SPDX-License-Identifier: Apache-2.0
// The host's end of the bus: latency, order, bounds, guards.
#include <doctest/doctest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <map>
#include <systemc>

#include "testbench/host/axi.hpp"
#include "testbench/host/memory.hpp"

using namespace roci::testbench;

int sc_main(int, char**) { return 1; }

namespace {

constexpr unsigned kBeat = 64;
constexpr std::uint64_t kClock = 4;

/// An AxiHost over 64 KiB of memory at kBase of address space 5, with a master that always takes
/// what it is given.
struct Bench {
  static constexpr std::uint64_t kBase = 0x100000;
  static constexpr std::uint32_t kOther = 7;  ///< the same memory without pointers
  explicit Bench(AxiConfig config = {})
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

/// Binds the memory, as TLM wants it.
struct Master : sc_core::sc_module {
  explicit Master(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<Master> socket;
};

}  // namespace

TEST_CASE("axi: a read takes both ways and brings the bytes of its beats") {
  Bench bench;
  for (unsigned i = 0; i < 4096; ++i) *bench.at(i) = static_cast<std::uint8_t>(i * 7);
  bench.axi.prepare(0);
  CHECK(bench.axi.ar_ready);
  bench.axi.address_read(0, 9, Bench::kBase + 70, 2, 5);
  bench.drain();
  CHECK(bench.first_read_ns == 800);
  REQUIRE(bench.read[9].size() == 3 * kBeat);
  CHECK(std::memcmp(bench.read[9].data(), bench.at(64), 3 * kBeat) == 0);
  CHECK(bench.faults.empty());
}

TEST_CASE("axi: memory without pointers is reached by one call for each run of bytes") {
  Bench bench;
  for (unsigned i = 0; i < 4096; ++i) *bench.at(i) = static_cast<std::uint8_t>(i * 7);
  bench.axi.prepare(0);
  bench.axi.address_read(0, 9, Bench::kBase + 70, 2, Bench::kOther);
  bench.drain();
  REQUIRE(bench.read[9].size() == 3 * kBeat);
  CHECK(std::memcmp(bench.read[9].data(), bench.at(64), 3 * kBeat) == 0);
  CHECK(bench.calls.size() == 1);

  std::vector<std::uint8_t> beat(kBeat, 0xEE);
  bench.calls.clear();
  bench.axi.prepare(bench.now);
  bench.axi.address_write(bench.now, 1, Bench::kBase + 128, 1, Bench::kOther);
  bench.axi.write_data(bench.now, beat.data(), ~std::uint64_t{0} << 10, false);
  bench.axi.write_data(bench.now, beat.data(), 0x83, true);
  bench.drain();
  using Call = std::pair<std::uint64_t, std::size_t>;
  CHECK(bench.calls == std::vector<Call>{{Bench::kBase + 138, 56}, {Bench::kBase + 199, 1}});
  for (unsigned i = 0; i < 2 * kBeat; ++i) {
    const bool named = (i >= 10 && i < 66) || i == 71;
    CHECK(*bench.at(128 + i) == (named ? 0xEE : static_cast<std::uint8_t>((128 + i) * 7)));
  }
  CHECK(bench.resp == 0);

  // What a call cannot reach is an error of the bus and not a fault of the adapter.
  bench.axi.prepare(bench.now);
  bench.axi.address_read(bench.now, 2, 0x40, 0, Bench::kOther);
  bench.drain();
  CHECK(bench.resp == 3);
  CHECK(bench.faults.empty());
}

TEST_CASE("axi: many reads are under way at once, a beat a clock comes back") {
  Bench bench;
  for (unsigned i = 0; i < 100; ++i) {
    bench.axi.prepare(bench.now);
    bench.axi.address_read(bench.now, static_cast<std::uint8_t>(i), Bench::kBase + 64 * i, 0, 5);
  }
  bench.drain();
  CHECK(bench.order.size() == 100);
  CHECK(bench.now <= 800 + 101 * kClock);
  CHECK(bench.axi.counts().most_reads == 100);
}

TEST_CASE("axi: a write lands after one way and is answered after two") {
  Bench bench;
  std::uint8_t beat[kBeat];
  std::memset(beat, 0xAB, sizeof beat);
  bench.axi.prepare(0);
  bench.axi.address_write(0, 1, Bench::kBase + 128, 0, 5);
  bench.axi.write_data(0, beat, 0x00000000000FFF00, true);
  while (bench.now < 400) bench.clock();
  CHECK(*bench.at(128 + 8) == 0);
  bench.clock();
  CHECK(bench.axi.wrote());
  CHECK_FALSE(bench.axi.wrote());
  CHECK(*bench.at(128 + 7) == 0);
  CHECK(*bench.at(128 + 8) == 0xAB);
  CHECK(*bench.at(128 + 19) == 0xAB);
  CHECK(*bench.at(128 + 20) == 0);
  bench.drain();
  REQUIRE(bench.responses.size() == 1);
  CHECK(bench.responses[0] == 800);
  REQUIRE(bench.landed.size() == 1);
  CHECK(bench.landed[0].first == Bench::kBase + 136);
  CHECK(bench.landed[0].second == 12);
}

TEST_CASE("axi: data may come before its address, and strobes may have holes") {
  Bench bench;
  std::uint8_t beat[kBeat];
  std::memset(beat, 0x11, sizeof beat);
  bench.axi.write_data(0, beat, 0b1011, true);
  bench.axi.address_write(4, 1, Bench::kBase, 0, 5);
  bench.drain();
  const std::uint8_t expected[5] = {0x11, 0x11, 0, 0x11, 0};
  CHECK(std::memcmp(bench.at(0), expected, 5) == 0);
}

TEST_CASE("axi: accesses outside what is mapped are named and answered with an error (I6)") {
  Bench bench;
  std::uint8_t beat[kBeat] = {1};
  bench.axi.address_read(0, 1, Bench::kBase + 65536, 0, 5);
  CHECK(bench.faults.empty());
  bench.drain();
  CHECK(bench.faults.size() == 1);
  CHECK(bench.resp == 3);
  bench.axi.address_read(bench.now, 1, Bench::kBase, 0, 6);  // another address space
  bench.drain();
  CHECK(bench.faults.size() == 2);
  bench.axi.address_write(bench.now, 1, Bench::kBase - 64, 0, 5);
  bench.axi.write_data(bench.now, beat, ~std::uint64_t{0}, true);
  bench.axi.address_write(bench.now, 1, Bench::kBase, 0, 5);
  bench.axi.write_data(bench.now, beat, ~std::uint64_t{0}, true);
  bench.drain();
  CHECK(bench.faults.size() == 3);
  CHECK(*bench.at(0) == 1);
  CHECK(*bench.at(-1) == 0);
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

TEST_CASE("axi: errors that a test asked for are no fault (F-80 to F-82)") {
  Bench bench;
  bench.axi.address_read(0, 1, 0xBAD, 0, 5);
  bench.drain();
  CHECK(bench.resp == 3);
  CHECK(bench.faults.empty());
}

TEST_CASE("axi: a burst over 4 KiB or a last beat in the wrong place is a fault") {
  Bench bench;
  bench.axi.address_read(0, 1, Bench::kBase + 4096 - 64, 1, 5);
  CHECK(bench.faults.size() == 1);
  std::uint8_t beat[kBeat] = {};
  bench.axi.address_write(0, 1, Bench::kBase, 1, 5);
  bench.axi.write_data(0, beat, 1, true);
  CHECK(bench.faults.size() == 2);
}

TEST_CASE("axi: out of order between ids, in order within one; stalls lose nothing (F-83)") {
  AxiConfig config;
  config.out_of_order = true;
  config.stall = 0.1;
  config.seed = 7;
  MESSAGE("seed 7");
  Bench bench(config);
  for (unsigned i = 0; i < 65536; ++i) *bench.at(i) = static_cast<std::uint8_t>(i / 64);
  unsigned sent = 0;
  while (sent < 256) {
    bench.clock();
    bench.axi.prepare(bench.now);
    if (!bench.axi.ar_ready) continue;
    bench.axi.address_read(bench.now, static_cast<std::uint8_t>(sent % 8), Bench::kBase + 64 * sent,
                           0, 5);
    ++sent;
  }
  bench.drain();
  bool moved = false;
  for (unsigned i = 1; i < bench.order.size(); ++i) {
    moved |= bench.order[i] != (bench.order[i - 1] + 1) % 8;
  }
  CHECK(moved);
  for (unsigned id = 0; id < 8; ++id) {
    REQUIRE(bench.read[id].size() == 32 * kBeat);
    for (unsigned i = 0; i < 32; ++i) CHECK(bench.read[id][i * kBeat] == 8 * i + id);
  }
}

TEST_CASE("memory: guards, addresses used once, ranges by address space") {
  HostMemory memory("memory", 1ull << 40, 1);
  Master master("master");
  master.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto a = memory.allocate(1, 100, 4096);
  const auto b = memory.allocate(1, 100, 64);
  CHECK(a.dma % 4096 == 0);
  CHECK(b.dma >= a.dma + 100 + 4096);
  CHECK(a.host[99] == 0);
  CHECK(memory.check_guards().empty());
  a.host[100] ^= 1;
  CHECK(memory.check_guards().size() == 1);
  a.host[100] ^= 1;
  b.host[-1] ^= 0x80;
  memory.release(1, b);
  CHECK(memory.check_guards().size() == 1);
  const auto c = memory.allocate(1, 100, 64);
  CHECK(c.dma > b.dma);
  CHECK_THROWS_AS(memory.release(2, c), std::logic_error);
}

TEST_CASE("axi: a completion is told as one write at any width") {
  for (const unsigned width : {8u, 64u}) {
    CAPTURE(width);
    AxiConfig config;
    config.bytes = width;
    Bench bench(config);
    std::vector<std::uint8_t> beat(width, 0x5A);
    bench.axi.prepare(0);
    const unsigned beats = width == 8 ? 4 : 1;
    bench.axi.address_write(0, 1, Bench::kBase + 64, beats - 1, 5);
    for (unsigned i = 0; i < beats; ++i) {
      bench.axi.write_data(0, beat.data(), width == 8 ? 0xFF : 0xFFFFFFFF, i + 1 == beats);
    }
    bench.drain();
    using Landed = std::pair<std::uint64_t, unsigned>;
    CHECK(bench.landed == std::vector<Landed>{{Bench::kBase + 64, 32}});
  }
}
