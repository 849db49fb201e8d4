// SPDX-License-Identifier: Apache-2.0
// Batches, order of completion, events and counters of transfers.
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::Status;

namespace {

constexpr std::size_t kHalf = 1 << 19;  // the second half of a region is target

}  // namespace

// RQ-47, QP-20, CQ-02
TEST_CASE("queues: many rounds, batches, only the last of a batch signaled") {
  Config config;
  ConnectionOptions options;
  options.qp.send_entries = options.qp.receive_entries = 32;
  Pair pair(config, options);
  pair.run([&](Endpoint& self, Endpoint& peer) {
    for (unsigned round = 0; round < 100; ++round) {
      const unsigned batch = 1 + round * 7 % 32;
      std::vector<driver::SendRequest> sends;
      std::vector<driver::ReceiveRequest> receives;
      for (unsigned i = 0; i < batch; ++i) {
        const std::uint32_t bytes = 1 + (round + 37 * i) % 600;
        fill(self.data(1024 * i), bytes, round * 64 + i);
        sends.push_back(request(Opcode::kSend, self, 1024 * i, bytes, peer, 0));
        sends.back().id = i;
        sends.back().signaled = i + 1 == batch;
        receives.push_back({round * 64 + i, {peer.region.sge(1024 * i, 1024)}});
      }
      REQUIRE(peer.qp().post_receive(receives.data(), batch));
      REQUIRE(self.qp().post_send(sends.data(), batch));
      const driver::Completion done = self.sent();
      CHECK(done.ok());
      CHECK(done.id == batch - 1);
      for (unsigned i = 0; i < batch; ++i) {
        const driver::Completion got = peer.received();
        CHECK(got.ok());
        CHECK(got.id == round * 64 + i);
        CHECK(first_wrong(peer.data(1024 * i), got.byte_len, got.id) == got.byte_len);
      }
    }
  });
}

// I14, RSP-48, RSP-49
TEST_CASE(
    "order: a WRITE is in memory when the SEND after it completes; a READ after a WRITE reads it") {
  Config config;
  config.out_of_order = true;
  config.stall = 0.02;
  Pair pair(config);
  pair.run([&](Endpoint& self, Endpoint& peer) {
    for (unsigned round = 0; round < 60; ++round) {
      const std::uint32_t bytes = 1 + round * 331 % 9000;
      fill(self.data(), bytes, round);
      peer.qp().receive({round, {}});
      driver::SendRequest list[3] = {request(Opcode::kWrite, self, 0, bytes, peer, kHalf),
                                     request(Opcode::kRead, self, 100000, bytes, peer, kHalf),
                                     request(Opcode::kSend, self, 0, 0, peer, 0)};
      REQUIRE(self.qp().post_send(list, 3));
      CHECK(peer.received().ok());
      CHECK(first_wrong(peer.data(kHalf), bytes, round) == bytes);
      for (int i = 0; i < 3; ++i) CHECK(self.sent().ok());
      CHECK(first_wrong(self.data(100000), bytes, round) == bytes);
    }
  });
}

// CQ-08, CQ-09
TEST_CASE("events: an armed queue raises one event for the next completion") {
  Pair pair(Config{});
  pair.run([&](Endpoint& self, Endpoint& peer) {
    auto& events = self.node.context().events();
    while (events.poll()) {
    }
    self.send_cq.arm();
    self.qp().send(request(Opcode::kWrite, self, 0, 8, peer, 0));
    const auto event = events.wait(1'000'000);
    REQUIRE(event);
    CHECK(event->kind == driver::EventKind::kCompletion);
    CHECK(event->number == self.send_cq.number());
    CHECK(self.sent().ok());
    self.qp().send(request(Opcode::kWrite, self, 0, 8, peer, 0));
    CHECK(self.sent().ok());
    CHECK_FALSE(events.wait(20'000));
  });
}

TEST_CASE("counters: packets and bytes of both queue pairs and ports, after loss too (I13)") {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    FaultRule rule;
    rule.opcode = packet::kRcWriteMiddle;
    config.faults[0].rules.push_back(rule);
    ConnectionOptions options;
    options.connect.path_mtu = 1;
    Pair pair(config, options);
    pair.run([&](Endpoint& self, Endpoint& peer) {
      self.qp().send(request(Opcode::kWrite, self, 0, 1000, peer, 0));
      CHECK(self.sent().ok());
      self.qp().send(request(Opcode::kRead, self, 0, 1000, peer, 0));
      CHECK(self.sent().ok());
      const driver::QpCounters mine = self.qp().counters();
      const driver::QpCounters theirs = peer.qp().counters();
      // Packet 1 of 4 is lost and all from there on retransmitted.
      CHECK(mine.retries == 1);
      CHECK(mine.timeouts == 0);
      CHECK(mine.naks_received == 1);
      CHECK(mine.tx_packets == 4 + 3 + 1);
      CHECK(mine.tx_bytes == 1000 + 744);
      CHECK(mine.rx_bytes == 1000);
      CHECK(mine.rx_packets + self.node.context().port_counters().drops[7] == theirs.tx_packets);
      CHECK(theirs.naks_sent == 1);
      CHECK(theirs.rx_bytes == 1000);
      CHECK(theirs.tx_bytes == 1000);
      CHECK(theirs.retries == 0);
      const driver::PortCounters port = peer.node.context().port_counters();
      const LinkDirection::Counts& link = pair.world.link(0).counts();
      CHECK(port.rx_frames == link.delivered);
      CHECK(port.rx_bytes == link.delivered_bytes);
      CHECK(port.rx_roce + port.rx_ethernet == port.rx_frames);
      CHECK(port.tx_frames == pair.world.link(1).counts().frames);
    });
    CHECK(pair.world.link(0).faults().rules[0].hits == 1);
    CHECK(pair.world.counter_checks() == 1);
  }
}
