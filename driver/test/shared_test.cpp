// SPDX-License-Identifier: Apache-2.0
// Shared receive queues, windows, resizing: bytes against docs/queues.md.
#include <doctest/doctest.h>

#include <cstring>

#include "driver/memory_window.hpp"
#include "driver/test/bench.hpp"
#include "model/spec/layout/queues.hpp"

using namespace roci;
using namespace roci::driver;
using namespace roci::driver::test;

namespace {

const std::uint8_t* body_of_last(const FakeDevice& device) { return device.command.data() + 8; }

std::uint64_t word(const std::uint8_t* at, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

struct SharedBench {
  FakeDevice device;
  Bench::Rings rings;
  Context context{device};
  bool observed = (context.set_observer(&rings), true);
  ProtectionDomain pd{context};
  CompletionQueue cq{context, 12};
  SharedReceiveQueue srq{pd, {4, 2, 0}};
  const std::uint8_t* ring =
      reinterpret_cast<const std::uint8_t*>(word(body_of_last(device) + 8, 8));
};

}  // namespace

TEST_CASE(
    "SRQ: entries carry tags, the doorbell is +8, completions free entries in any order (RSP-54)") {
  SharedBench bench;
  QpOptions options;
  options.srq = &bench.srq;
  QueuePair qp(bench.pd, bench.cq, bench.cq, options);
  CHECK(body_of_last(bench.device)[36] == 1);                             // srq
  CHECK(word(body_of_last(bench.device) + 40, 4) == bench.srq.number());  // srqn
  const ReceiveRequest own{9, {}};
  CHECK(qp.post_receive(&own, 1).error == PostError::kShared);

  std::array<unsigned, 4> tags{};
  for (unsigned i = 0; i < 4; ++i) {
    bench.srq.receive({500 + i, {{0x1000, 10, 7}, {0x2000, 20, 8}}});
    const std::uint8_t* wqe = bench.ring + 128 * i;
    CHECK(wqe[2] == 2);                  // num_sge
    CHECK(word(wqe + 48, 8) == 0x1000);  // first entry in block 0
    CHECK(word(wqe + 64, 8) == 0x2000);  // second at the start of block 1
    tags[i] = static_cast<unsigned>(word(wqe + 4, 4));
  }
  CHECK(bench.device.registers[layout::srq_doorbell_offset(bench.srq.number())] == 4);
  const ReceiveRequest more{1, {}};
  CHECK(bench.srq.post_receive(&more, 1).error == PostError::kQueueFull);

  // The third and the first complete; their entries, and no others, are free again.
  for (unsigned n = 0; n < 2; ++n) {
    std::uint8_t* cqe = bench.rings.cq + 32 * n;
    put(cqe, layout::cqe::wqe_index, tags[n == 0 ? 2 : 0]);
    put(cqe, layout::cqe::opcode, 128);
    put(cqe, layout::cqe::qpn, qp.number());
    put(cqe, layout::cqe::owner, 1);
  }
  CHECK(bench.cq.poll()->id == 502);
  CHECK(bench.cq.poll()->id == 500);
  CHECK(bench.srq.room() == 2);
  bench.srq.receive({600, {}});
  CHECK(word(bench.ring + 4, 4) == tags[0]);  // newest free tag, at the ring's fifth entry
  CHECK(bench.device.registers[layout::srq_doorbell_offset(bench.srq.number())] == 5);
}

TEST_CASE("SRQ: a completion of a tag that is not posted is an error (I1)") {
  SharedBench bench;
  QpOptions options;
  options.srq = &bench.srq;
  QueuePair qp(bench.pd, bench.cq, bench.cq, options);
  std::uint8_t* cqe = bench.rings.cq;
  put(cqe, layout::cqe::wqe_index, 3);
  put(cqe, layout::cqe::opcode, 128);
  put(cqe, layout::cqe::qpn, qp.number());
  put(cqe, layout::cqe::owner, 1);
  CHECK_THROWS_AS(bench.cq.poll(), Error);
}

TEST_CASE("SRQ: options out of range, or a list too long, are rejected") {
  SharedBench bench;
  CHECK_THROWS_AS(SharedReceiveQueue(bench.pd, {0, 1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(SharedReceiveQueue(bench.pd, {4, 14, 0}), std::invalid_argument);
  const ReceiveRequest three{1, {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}};
  CHECK(bench.srq.post_receive(&three, 1).error == PostError::kSges);
}

TEST_CASE("window: the next key has the next variant; a bind has the layout of docs/queues.md") {
  Bench bench;
  MemoryWindow window(bench.pd, WindowType::kType2);
  CHECK(word(body_of_last(bench.device) + 4, 4) == 2);  // kind
  window.set_key(0x123FF);
  CHECK(window.next_key() == 0x12300);
  SendRequest bind = MemoryWindow::bind(window.next_key(), 0x777, 0x5000, 0x123456789, 6);
  bind.id = 3;
  QueuePair qp(bench.pd, bench.cq, bench.cq);
  const std::uint8_t* ring = sq_ring(bench.device);
  qp.connect({1, 2, {}}, 3);
  qp.send(bind);
  CHECK(ring[0] == 9);
  CHECK(word(ring + 8, 4) == 0);             // length
  CHECK(word(ring + 12, 4) == 0x12300);      // rkey
  CHECK(word(ring + 16, 8) == 0x5000);       // remote_addr
  CHECK(word(ring + 24, 8) == 0x123456789);  // swap_add
  CHECK(word(ring + 32, 8) == 6);            // compare
  CHECK(word(ring + 60, 4) == 0x777);        // sge0_lkey
  bind.sges.push_back({0, 1, 2});
  CHECK(qp.post_send(&bind, 1).error == PostError::kSges);
}

TEST_CASE("completion queue: resize moves to a new ring; a rejected resize keeps the old one") {
  Bench bench;
  bench.qp.send(write_of(1));
  bench.complete(0, 0, 0, 1, true);
  REQUIRE(bench.cq.poll());
  bench.device.reject_status = 3;
  CHECK_THROWS_AS(bench.cq.resize(100), Error);
  bench.qp.send(write_of(1));
  bench.complete(1, 1, 0, 1, true);
  REQUIRE(bench.cq.poll());
  bench.cq.resize(100);
  const std::uint8_t* body = body_of_last(bench.device);
  CHECK(body[4] == 8);            // log: three quarters of 256 is the first not below 100
  CHECK(word(body + 6, 2) == 2);  // consumer
  CHECK(bench.cq.entries() == 192);
  bench.cq_ring = reinterpret_cast<std::uint8_t*>(word(body + 8, 8));
  bench.qp.send(write_of(1));
  bench.complete(2, 2, 0, 1, true);
  REQUIRE(bench.cq.poll());
}

TEST_CASE(
    "region: a change names its arguments, the key stays; a rejected deregistration keeps it") {
  Bench bench;
  MemoryRegion region(bench.pd, 4096, access::kAll);
  const std::uint32_t key = region.key();
  const std::uint32_t rights = access::kLocalWrite;
  region.change(nullptr, 0, nullptr, &rights);
  CHECK(word(body_of_last(bench.device), 4) == key);
  CHECK(word(body_of_last(bench.device) + 4, 4) == 4);
  CHECK(word(body_of_last(bench.device) + 12, 4) == rights);
  CHECK(region.key() == key);
  bench.device.reject_status = 6;
  CHECK_THROWS_AS(region.deregister(), Error);
  region.deregister();
}
