// SPDX-License-Identifier: Apache-2.0
// Set-up through firmware and registers, without packets.
#include <doctest/doctest.h>

#include "driver/queue_pair.hpp"
#include "model/packet/opcode.hpp"
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;

TEST_CASE("world: both nodes open, report their limits and their GIDs") {
  for (const unsigned width : {64u, 512u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    World world(with_engines(config));
    world.run([](Node& node) {
      CHECK(node.context().limits().max_sge == 13);
      CHECK(node.context().query_gid(0) == node.gid());
      CHECK(node.context().query_port().mac == node.mac());
    });
    CHECK(world.violations().empty());
  }
}

TEST_CASE(
    "world: queue pairs are created, connected, queried and destroyed (QP-01 to QP-04, QP-17)") {
  World world(with_engines(Config{}));
  world.run([](Node& node) {
    driver::ProtectionDomain pd(node.context());
    driver::CompletionQueue cq(node.context(), 16);
    driver::MemoryRegion region(pd, 10000, driver::access::kAll);
    driver::QueuePair qp(pd, cq, cq);
    CHECK(qp.number() > 1);  // QP-19
    driver::ConnectOptions options;
    options.dst_mac = node.mac() ^ 3;
    options.max_rd_atomic = 5;
    qp.connect({17, 0x111111, node.gid()}, 0x222222, options);
    const driver::QpAttributes a = qp.query();
    CHECK(a.state == driver::QpState::kRts);
    CHECK(a.max_rd_atomic == 5);
    CHECK(a.dest_qpn == 17);
  });
  CHECK(world.violations().empty());
}

TEST_CASE("world: run rethrows an exception of a program") {
  World world(with_engines(Config{}));
  CHECK_THROWS_WITH(world.run([](Node&) { throw std::runtime_error("on purpose"); },
                              [](Node& node) { node.sleep(1000); }),
                    "on purpose");
}

TEST_CASE("world: idle time costs no clocks") {
  World world(with_engines(Config{}));
  world.run([](Node& node) { node.sleep(10'000); });  // the end of the last command
  const auto before = world.speed().clocks;
  const auto start = world.now_ns();
  world.run([](Node& node) { node.sleep(1'000'000'000); });
  CHECK(world.now_ns() >= start + 1'000'000'000);
  CHECK(world.speed().clocks < before + 100);
}

TEST_CASE("world: programs that wait for an event that never comes get an error (I11)") {
  World world(with_engines(Config{}));
  CHECK_THROWS_AS(world.run([](Node& node) {
    driver::ProtectionDomain pd(node.context());
    driver::CompletionQueue cq(node.context(), 16);
    cq.wait();
  }),
                  Violation);
}

TEST_CASE("world: waiting out timeout 14, 67 ms, costs fewer than 20000 clocks in all") {
  for (const unsigned width : {512u, 64u}) {
    Config config;
    config.width = width;
    FaultRule lost;
    lost.opcode = packet::kRcWriteLast;
    config.faults[0].rules.push_back(lost);
    Pair pair(config);
    pair.run([](Endpoint& self, Endpoint& peer) {
      self.qp().send(request(driver::Opcode::kWrite, self, 0, 10'000, peer, 1 << 19));
      CHECK(self.sent().ok());
    });
    const std::uint64_t all = pair.world.speed().clocks;
    MESSAGE("width ", width, ": clocks ", all, ", simulated ns ", pair.world.now_ns());
    CHECK(pair.world.link(0).faults().rules[0].hits == 1);
    CHECK(pair.world.now_ns() > 67'000'000);
    CHECK(all < 20000);
  }
}
