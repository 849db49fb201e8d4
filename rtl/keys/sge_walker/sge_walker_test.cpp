// SPDX-License-Identifier: Apache-2.0
// Walks over scatter/gather lists, compared with a walk in a loop over byte ranges.
#include <doctest/doctest.h>

#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "Vroci_sge_walker.h"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using layout::Status;

constexpr unsigned kAccess = layout::access::kLocalWrite | layout::access::kRemoteAtomic;
constexpr unsigned kPd = 0x1357, kPasid = 0x77;
constexpr unsigned kKeyLatency = 3;
constexpr std::uint32_t kBadKey = 0xBAD;
constexpr std::uint64_t kShift = 0x5000'0000'0000;  // DMA address less virtual address

struct Sge {
  std::uint64_t addr;
  std::uint32_t length;
  std::uint32_t key;
};
struct Walk {
  std::vector<Sge> list;
  std::uint32_t offset, len;
  bool check_only = false;
};
struct Segment {
  std::uint64_t addr;
  std::uint32_t len;
  bool last;
  bool operator==(const Segment& o) const {
    return addr == o.addr && len == o.len && last == o.last;
  }
};

/// The segments and the status that a walk must give.
struct Outcome {
  Status status;
  std::vector<Segment> segments;
};
Outcome expect(const Walk& walk) {
  Outcome out{Status::kSuccess, {}};
  std::uint64_t at = 0, from = walk.offset, to = from + walk.len;
  bool bad = false;
  for (const Sge& sge : walk.list) {
    const std::uint64_t first = std::max(at, from), end = std::min(at + sge.length, to);
    if (first < end) {
      out.segments.push_back(
          {sge.addr + (first - at) + kShift, std::uint32_t(end - first), end == to});
      bad |= sge.key == kBadKey;
    }
    at += sge.length;
  }
  if (bad) {
    out.status = Status::kLocProtErr;
  } else if (walk.len != 0 && at < to) {
    out.status = Status::kLocLenErr;
  }
  if (out.status != Status::kSuccess || walk.check_only) out.segments.clear();
  return out;
}

struct Bench {
  Dut<Vroci_sge_walker> dut;
  std::mt19937 random{7};
  std::vector<Sge> shown;  // the list in the memory of the caller
  unsigned index = 0;
  std::deque<Walk> to_start;
  std::deque<Status> statuses;   // expected
  std::deque<Segment> segments;  // expected
  struct Lookup {
    std::uint64_t due;
    bool ok;
    std::uint64_t addr;
  };
  std::deque<Lookup> lookups;
  unsigned busy_percent = 0, hold_percent = 0;  // stalls of the key table, of the output
  std::uint64_t started = 0, done = 0, first_segment = 0;
  unsigned walks_done = 0;

  void tick() {
    const bool start = !to_start.empty();
    dut->start_valid_i = start;
    if (start) {
      const Walk& walk = to_start.front();
      dut->start_num_sge_i = walk.list.size();
      dut->start_offset_i = walk.offset;
      dut->start_len_i = walk.len;
      dut->start_pd_i = kPd;
      dut->start_access_i = kAccess;
      dut->start_check_only_i = walk.check_only;
    }
    port::clear(dut->sge_i);
    if (index < shown.size()) {
      port::put(dut->sge_i, layout::sge::addr, shown[index].addr);
      port::put(dut->sge_i, layout::sge::length, shown[index].length);
      port::put(dut->sge_i, layout::sge::lkey, shown[index].key);
    } else {
      port::put(dut->sge_i, layout::sge::length, random());
      port::put(dut->sge_i, layout::sge::lkey, kBadKey);
    }
    dut->key_req_ready_i = random() % 100 >= busy_percent;
    dut->seg_ready_i = random() % 100 >= hold_percent;
    dut->key_rsp_valid_i = !lookups.empty() && lookups.front().due == dut.cycle();
    if (dut->key_rsp_valid_i) {
      port::put(dut->key_rsp_i, layout::key_rsp::ok, lookups.front().ok);
      port::put(dut->key_rsp_i, layout::key_rsp::addr, lookups.front().addr);
      port::put(dut->key_rsp_i, layout::key_rsp::pasid, kPasid);
      lookups.pop_front();
    }
    dut.settle();
    index = dut->sge_index_o;
    if (start && dut->start_ready_o) {
      const Walk& walk = to_start.front();
      shown = walk.list;
      const Outcome out = expect(walk);
      statuses.push_back(out.status);
      segments.insert(segments.end(), out.segments.begin(), out.segments.end());
      started = dut.cycle();
      to_start.pop_front();
    }
    if (dut->key_req_valid_o && dut->key_req_ready_i) {
      const auto& req = dut->key_req_o;
      CHECK(port::get(req, layout::key_req::pd) == kPd);
      CHECK(port::get(req, layout::key_req::access) == kAccess);
      CHECK(port::get(req, layout::key_req::len) != 0);
      lookups.push_back({dut.cycle() + kKeyLatency, port::get(req, layout::key_req::key) != kBadKey,
                         port::get(req, layout::key_req::va) + kShift});
    }
    if (dut->done_valid_o) {
      REQUIRE(!statuses.empty());
      CHECK(Status{dut->done_status_o} == statuses.front());
      statuses.pop_front();
      done = dut.cycle();
      ++walks_done;
    }
    if (dut->seg_valid_o && first_segment == 0) first_segment = dut.cycle();
    if (dut->seg_valid_o && dut->seg_ready_i) {
      REQUIRE(!segments.empty());
      const Segment segment{port::get(dut->seg_o, layout::seg::addr),
                            port::get(dut->seg_o, layout::seg::len),
                            port::get(dut->seg_o, layout::seg::last)};
      CHECK(segment == segments.front());
      CHECK(port::get(dut->seg_o, layout::seg::pasid) == kPasid);
      CHECK(port::get(dut->seg_o, layout::seg::drop) == 0);
      segments.pop_front();
    }
    dut.tick();
  }

  void drain() {
    for (int i = 0; i < 40000 && !(to_start.empty() && statuses.empty() && segments.empty()); ++i) {
      tick();
    }
    CHECK(to_start.empty());
    CHECK(statuses.empty());
    CHECK(segments.empty());
    for (int i = 0; i < 5; ++i) tick();
    CHECK(dut->idle_o);
  }

  Status run(const Walk& walk) {
    to_start.push_back(walk);
    const Status status = expect(walk).status;
    drain();
    return status;
  }
};

}  // namespace

TEST_CASE("sge_walker: RQ-07: segments come in order of the list, empty entries give none") {
  Bench bench;
  const std::vector<Sge> list{
      {0x1000, 7, 1}, {0x2000, 0, kBadKey}, {0x3000, 300, 2}, {0x4000, 301, 3}};
  CHECK(bench.run({list, 0, 608}) == Status::kSuccess);
  CHECK(bench.run({list, 5, 400}) == Status::kSuccess);
  CHECK(bench.run({list, 7, 300}) == Status::kSuccess);
  CHECK(bench.run({list, 307, 301}) == Status::kSuccess);
}

TEST_CASE("sge_walker: a list that ends too early is a length error and gives no segments") {
  Bench bench;
  const std::vector<Sge> list{{0x1000, 100, 1}, {0x2000, 100, 2}};
  CHECK(bench.run({list, 0, 201}) == Status::kLocLenErr);
  CHECK(bench.run({list, 200, 1}) == Status::kLocLenErr);
  CHECK(bench.run({list, 4000000000u, 1}) == Status::kLocLenErr);
  CHECK(bench.run({{}, 0, 1}) == Status::kLocLenErr);
  CHECK(bench.run({list, 0, 200}) == Status::kSuccess);
}

TEST_CASE("sge_walker: WC-04: a bad key is a protection error and gives no segments") {
  Bench bench;
  const std::vector<Sge> list{{0x1000, 100, 1}, {0x2000, 100, kBadKey}, {0x3000, 100, 2}};
  CHECK(bench.run({list, 0, 300}) == Status::kLocProtErr);
  CHECK(bench.run({list, 0, 301}) == Status::kLocProtErr);
  CHECK(bench.run({list, 0, 100}) == Status::kSuccess);
  CHECK(bench.run({list, 200, 100}) == Status::kSuccess);
  CHECK(bench.run({list, 199, 1}) == Status::kLocProtErr);
}

TEST_CASE("sge_walker: a walk of no bytes succeeds whatever the list") {
  Bench bench;
  CHECK(bench.run({{}, 0, 0}) == Status::kSuccess);
  CHECK(bench.run({{{0x1000, 100, kBadKey}}, 0, 0}) == Status::kSuccess);
  CHECK(bench.run({{{0x1000, 0, kBadKey}}, 0, 0}) == Status::kSuccess);
}

TEST_CASE("sge_walker: a list of 2^31 bytes can be checked without giving segments") {
  Bench bench;
  CHECK(bench.run({{{0x1000, 0x7FFFFFFF, 1}, {0x9000'0000, 1, 2}}, 0, 0x80000000u, true}) ==
        Status::kSuccess);
  CHECK(bench.run({{{0x1000, 0x7FFFFFFF, 1}}, 0, 0x80000000u, true}) == Status::kLocLenErr);
  CHECK(bench.run({{{0x1000, 0x80000000u, kBadKey}}, 0, 0x80000000u, true}) == Status::kLocProtErr);
}

TEST_CASE("sge_walker: one entry takes seven clocks, and a walk may start every three") {
  Bench bench;
  bench.to_start.push_back({{{0x1000, 4096, 1}}, 0, 4096});
  bench.drain();
  CHECK(bench.first_segment - bench.started == 7);
  CHECK(bench.done - bench.started == 7);
  const auto begin = bench.dut.cycle();
  for (int i = 0; i < 100; ++i) bench.to_start.push_back({{{0x1000, 4096, 1}}, 0, 64});
  while (bench.walks_done < 101) bench.tick();
  CHECK(bench.dut.cycle() - begin <= 3 * 100 + 7);
  bench.drain();
}

TEST_CASE("sge_walker: any lists, with stalls of the key table and of the output") {
  for (unsigned percent : {0u, 30u, 70u}) {
    Bench bench;
    bench.busy_percent = bench.hold_percent = percent;
    for (int n = 0; n < 1500; ++n) {
      Walk walk{{}, 0, 0, bench.random() % 8 == 0};
      const unsigned entries = bench.random() % 14;
      std::uint64_t total = 0;
      for (unsigned i = 0; i < entries; ++i) {
        const std::uint32_t length = bench.random() % 4 ? bench.random() % 600 : 0;
        walk.list.push_back(
            {std::uint64_t{bench.random()} << 16 | i, length, bench.random() % 40 ? i : kBadKey});
        total += length;
      }
      walk.offset = bench.random() % (total + 1);
      walk.len = std::min<std::uint64_t>(4096, bench.random() % (total - walk.offset + 1));
      if (bench.random() % 10 == 0) walk.len = bench.random() % 4097;
      if (bench.random() % 3 == 0) walk.len = std::min<std::uint64_t>(4096, total - walk.offset);
      bench.to_start.push_back(walk);
    }
    bench.drain();
  }
}
