// SPDX-License-Identifier: Apache-2.0
// All clients at once, rates and latencies.
#include <doctest/doctest.h>

#include "rtl/dma/dma_bench.hpp"

namespace {

/// Sources below kTargets, targets above; nothing is ever written twice.
constexpr std::uint64_t kSources = HostModel::kBase;
constexpr std::uint64_t kTargets = HostModel::kBase + 0x40000;

/// Block writes of CQ, EQ, atomic and firmware: most bytes, and what their addresses are multiples
/// of.
constexpr unsigned kStoreBytes[] = {32, 16, 8, 64};
unsigned store_alignment(unsigned client, unsigned bytes) {
  switch (client) {
    case 0:
      return 32;
    case 1:
      return 16;
    case 2:
      return 1;
    default:
      return bytes > 32 ? 64 : 32;
  }
}

class Work {
 public:
  explicit Work(Bench& bench) : bench_(bench) {
    for (auto& byte : bench.host.memory) byte = static_cast<std::uint8_t>(bench.random());
  }

  unsigned pick(unsigned n) { return static_cast<unsigned>(bench_.random() % n); }

  unsigned length() {
    switch (pick(4)) {
      case 0:
        return 1 + pick(16);
      case 1:
        return 1 + pick(128);
      case 2:
        return 4096 - pick(3) * pick(100);
      default:
        return 1 + pick(4096);
    }
  }

  /// A packet of `len` bytes in up to `most` segments; `where(len)` names an address for each.
  template <typename Where>
  Packet packet(unsigned len, unsigned most, bool drops, Where where) {
    Packet packet{{}, pick(kBeat), len, pick(2) != 0, false, {}};
    for (unsigned left = len; left > 0;) {
      const unsigned segment = packet.segments.size() + 1 == most ? left : 1 + pick(left);
      left -= segment;
      const bool drop = drops && pick(8) == 0;
      packet.segments.push_back({where(segment), segment, left == 0, drop});
    }
    return packet;
  }

  std::uint64_t source(unsigned len) {
    return kSources + 0x10000 * pick(4) + pick(0x10000 - len + 1);
  }

  /// The next free target of `len` bytes, with a guard in front, inside a 64 KiB area.
  std::uint64_t target(unsigned len) {
    next_ += 1 + pick(70);
    if ((next_ & 0xFFFF) + len > 0x10000) next_ = (next_ | 0xFFFF) + 1 + pick(64);
    const std::uint64_t addr = next_;
    next_ += len;
    return addr;
  }
  /// The same at a multiple of `alignment`.
  std::uint64_t aligned(unsigned len, unsigned alignment) {
    return (target(len + alignment - 1) + alignment - 1) & ~std::uint64_t{alignment - 1};
  }
  bool room() const { return next_ + 0x3000 < kSources + HostModel::kSize; }

 private:
  Bench& bench_;
  std::uint64_t next_ = kTargets;
};

void everything_at_once(unsigned stall, unsigned host_stall, unsigned jitter, bool errors) {
  Bench bench;
  Work work(bench);
  bench.stall = stall;
  bench.beats_early = stall == 0;
  bench.host.stall = host_stall;
  bench.host.jitter = jitter;
  bench.host.shuffle = true;
  if (errors) {
    for (int i = 0; i < 6; ++i) bench.host.bad_pages.insert((kSources >> 12) + work.pick(64));
    for (int i = 0; i < 30; ++i) bench.host.bad_pages.insert((kTargets >> 12) + work.pick(192));
  }
  const auto source = [&](unsigned len) { return work.source(len); };
  const auto target = [&](unsigned len) { return work.target(len); };
  std::vector<std::uint8_t> expected = bench.host.memory;
  const auto note = [&](std::uint64_t addr, const std::uint8_t* bytes, unsigned len) {
    for (unsigned i = 0; i < len; ++i)
      if (bench.host.bad_pages.count((addr + i) >> 12) == 0)
        expected[addr - HostModel::kBase + i] = bytes[i];
  };
  while (work.room()) {
    if (bench.reads.size() < 40) {
      bench.read(work.packet(work.length(), 1 + work.pick(5), false, source));
    }
    if (bench.headers.size() < 10) {
      bench.write(work.packet(work.length(), 1 + work.pick(9), true, target));
      unsigned at = 0;
      for (const Segment& segment : bench.in_flight.back().segments) {
        if (!segment.drop) note(segment.addr, &bench.in_flight.back().bytes[at], segment.len);
        at += segment.len;
      }
    }
    const unsigned kept = bench.kept_blocks();
    if (bench.reads.size() < 44 && kept >= 3 && work.pick(8) == 0) {
      const unsigned len = 1 + work.pick(192);
      const unsigned last = (len - 1) / layout::kBlockBytes;
      bench.read_inline(work.pick(kBeat), last + work.pick(kept - last), len);
    }
    for (unsigned c = 0; c < kReadClients; ++c) {
      if (bench.requests[c].size() > 3 || work.pick(4)) continue;
      const unsigned count = 1 + work.pick(16);
      if (c == 0 && !bench.has_place(count)) continue;
      // The blocks of one stay until they were read, so that none is asked for before.
      if (c == 0 && count <= 2 && bench.posted_asked == bench.posted_done) {
        ++bench.posted_asked;
        bench.fetch_posted(count);
        continue;
      }
      bench.fetch(c, (work.source(4096) & ~0xFFFull) + 64 * work.pick(65 - count), count);
    }
    for (unsigned c = 0; c < kWriteClients; ++c) {
      if (bench.stores[c].size() > 3 || work.pick(16)) continue;
      const unsigned bytes = 1 + work.pick(kStoreBytes[c]);
      bench.store(c, work.aligned(bytes, store_alignment(c, bytes)), bytes);
      note(bench.stores[c].back().addr, bench.stores[c].back().bytes.data(), bytes);
    }
    bench.clock();
  }
  bench.drain();
  CHECK(bench.host.memory == expected);
  CHECK(bench.reads_done > 100);
  CHECK(bench.inline_done > 100);
  CHECK(bench.posted_done > 15);
  CHECK(bench.posted_done == bench.posted_asked);
  CHECK(bench.host.stalled >= bench.posted_done);
  for (const auto done : bench.blocks_done) CHECK(done > 100);
  for (const auto done : bench.stores_done) CHECK(done > 10);
  CHECK((bench.read_errors > 0) == errors);
  CHECK((bench.faults > 20) == errors);
  CHECK((bench.store_errors > 2) == errors);
}

TEST_CASE("dma: everything at once, no byte wrong, none outside (I6, F-83)") {
  MESSAGE("seed " << kSeed);
  SUBCASE("at full speed") { everything_at_once(0, 0, 0, false); }
  SUBCASE("the engine slow") { everything_at_once(60, 10, 100, false); }
  SUBCASE("memory slow") { everything_at_once(10, 60, 2000, false); }
  SUBCASE("with failing pages (F-80, F-81, F-82)") { everything_at_once(20, 20, 300, true); }
}

/// Clocks per packet of `count` packets of `len` bytes, in the steady state.
double read_rate(unsigned len, unsigned count, unsigned offset, unsigned pos, unsigned latency) {
  Bench bench;
  Work work(bench);
  bench.host.latency = latency;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t addr = kSources + (i * 4096ull + offset) % 0xC000;
    bench.read({{{addr, len, true, false}}, pos, len, false, false, {}});
  }
  while (bench.reads_done < count / 4) bench.clock();
  const std::uint64_t from = bench.dut.cycle(), done = bench.reads_done;
  while (bench.reads_done < count) bench.clock();
  return double(bench.dut.cycle() - from) / double(count - done);
}

double write_rate(unsigned len, unsigned count, unsigned offset, unsigned pos, unsigned latency) {
  Bench bench;
  Work work(bench);
  bench.host.latency = latency;
  bench.beats_early = true;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t addr = kTargets + ((i * 4096ull) % 0xC000) + offset;
    bench.write({{{addr, len, true, false}}, pos, len, i % 3 == 0, false, {}});
  }
  const std::uint64_t from = bench.dut.cycle();
  while (!bench.payload.empty()) bench.clock();
  return double(bench.dut.cycle() - from) / count;
}

constexpr double kWide = 64.0 / kBeat;  // beats of 64 bytes

TEST_CASE("dma: payload reads keep the wire busy over 200 clocks of latency") {
  const unsigned odd = kBeat / 2 + 3;
  const double whole = read_rate(4096, 60, 0, 0, 200);
  const double skewed = read_rate(4096, 60, 37, odd, 200);
  const double small = read_rate(64, 600, 0, odd, 200);
  const double small_skewed = read_rate(64, 600, 37, odd, 200);
  MESSAGE("clocks per packet: 4096 B " << whole << ", unaligned " << skewed << "; 64 B " << small
                                       << ", unaligned " << small_skewed);
  CHECK(whole <= 64 * kWide + 1);
  CHECK(skewed <= 64 * kWide + 2);
  CHECK(small <= (kBeat == 64 ? 3.01 : kWide + 2));
  CHECK(small_skewed <= (kBeat == 64 ? 3.01 : kWide + 2));
}

TEST_CASE("dma: scatter takes a beat a clock") {
  const double whole = write_rate(4096, 60, 0, 0, 200);
  const double skewed = write_rate(4096, 60, 37, 6, 200);
  const double small = write_rate(64, 300, 37, 6, 200);
  const double tiny = write_rate(8, 300, 40, 6 % kBeat, 200);
  MESSAGE("clocks per packet: 4096 B " << whole << ", unaligned " << skewed << "; 64 B unaligned "
                                       << small << "; 8 B " << tiny);
  CHECK(whole <= 64 * kWide + 1);
  CHECK(skewed <= 64 * kWide + 2.5);
  CHECK(small <= kWide + 2.1);
  CHECK(tiny <= 2.1);
}

TEST_CASE("dma: latencies with a memory that responds at once") {
  Bench bench;
  Work work(bench);
  bench.host.latency = 1;
  for (int i = 0; i < 5; ++i) bench.clock();
  std::uint64_t start = bench.dut.cycle();
  bench.read({{{kSources + 5, 20, true, false}}, 3, 20, false, false, {}});
  while (bench.reads_done == 0) bench.clock();
  MESSAGE("segment to address " << bench.host.first_ar_cycle - start << ", to payload "
                                << bench.first_pay_cycle - start << " clocks");
  CHECK(bench.first_pay_cycle - start <= 8);
  start = bench.dut.cycle();
  bench.write({{{kTargets + 5, 20, true, false}}, 3, 20, false, false, {}});
  while (bench.wr_done == 0) bench.clock();
  MESSAGE("payload to write data " << bench.host.first_w_cycle - start << ", to wr_done "
                                   << bench.dut.cycle() - start << " clocks");
  CHECK(bench.host.first_w_cycle - start <= 4);
  bench.host.first_w_cycle = 0;
  start = bench.dut.cycle();
  bench.store(0, kTargets + 64, 32);
  while (bench.stores_done[0] == 0) bench.clock();
  MESSAGE("block write to data " << bench.host.first_w_cycle - start << ", to done "
                                 << bench.dut.cycle() - start << " clocks");
  CHECK(bench.host.first_w_cycle - start <= 4);
  start = bench.dut.cycle();
  bench.fetch(0, kSources, 1);
  while (bench.blocks_done[0] == 0) bench.clock();
  MESSAGE("block read to block " << bench.dut.cycle() - start << " clocks");
  CHECK(bench.dut.cycle() - start <= 8 + 64 / kBeat);
}

TEST_CASE("dma: entries of a completion queue do not wait for a memory of 250 clocks") {
  Bench bench;
  Work work(bench);
  bench.host.latency = 250;
  for (unsigned i = 0; i < 1000; ++i) bench.store(0, kTargets + 32 * i, 32);
  const std::uint64_t start = bench.dut.cycle();
  while (bench.stores_done[0] < 1000) bench.clock();
  const double clocks = static_cast<double>(bench.dut.cycle() - start - 250) / 1000;
  MESSAGE("clocks per entry: ", clocks);
  // At 64 bits an entry has four beats.
  CHECK(clocks < (kBeat == 8 ? 5.1 : 2.6));
}

TEST_CASE("dma: a client that takes nothing blocks no other") {
  Bench bench;
  Work work(bench);
  bench.block_client_stalled[1] = bench.block_client_stalled[3] = true;
  for (int i = 0; i < 80; ++i) {
    for (unsigned c = 0; c < kReadClients; ++c)
      bench.fetch(c, kSources + 1024 * unsigned(i % 64), 16);
    bench.read({{{kSources + 100, 1000, true, false}}, 3, 1000, false, false, {}});
  }
  for (int i = 0; i < 60000 && (!bench.blocks[4].empty() || !bench.reads.empty()); ++i) {
    bench.clock();
  }
  CHECK(bench.reads_done == 80);
  CHECK(bench.blocks_done[0] == 1280);
  CHECK(bench.blocks_done[1] == 0);
  bench.block_client_stalled[1] = bench.block_client_stalled[3] = false;
  bench.drain();
}

TEST_CASE("dma: a dropped packet counts in its turn") {
  Bench bench;
  Work work(bench);
  bench.host.latency = 100;
  bench.write({{{kTargets, 500, true, false}}, 1, 500, false, false, {}});
  bench.write({{{kTargets, 700, true, true}}, 2, 700, true, false, {}});
  for (int i = 0; i < 90; ++i) bench.clock();
  CHECK(bench.wr_done == 0);
  CHECK(bench.dut->idle_o == 0);
  bench.drain();
  CHECK(bench.wr_done == 2);
}

}  // namespace
