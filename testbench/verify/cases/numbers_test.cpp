// SPDX-License-Identifier: Apache-2.0
// As many objects as an adapter has.
#include "driver/error.hpp"
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::CompletionQueue;
using driver::QueuePair;

// QP-18, CQ-01
TEST_CASE("numbers: the last queue pair and completion queue of the tables carry data") {
  Config config;
  config.width = 64;
  Pair pair(config);
  pair.run([&](Endpoint& self, Endpoint& peer) {
    Node& node = self.node;
    const driver::DeviceLimits limits = node.context().limits();
    CHECK(limits.max_qp == 2046);
    CHECK(limits.max_cq == 2048);
    CHECK(limits.max_ah == 2048);
    std::vector<std::unique_ptr<CompletionQueue>> cqs;
    while (cqs.size() < limits.max_cq - 2) {  // the endpoint has two
      cqs.push_back(std::make_unique<CompletionQueue>(node.context(), 1));
    }
    CompletionQueue& cq = *cqs.back();
    driver::QpOptions options;
    options.send_entries = options.receive_entries = 1;
    std::vector<std::unique_ptr<QueuePair>> qps;
    while (qps.size() < limits.max_qp - 1) {  // the endpoint has one
      qps.push_back(std::make_unique<QueuePair>(self.pd, cq, cq, options));
    }
    QueuePair& qp = *qps.back();
    CHECK_THROWS_AS(CompletionQueue(node.context(), 1), driver::Error);
    CHECK_THROWS_AS(QueuePair(self.pd, cq, cq, options), driver::Error);
    CHECK(cq.number() == limits.max_cq - 1);
    CHECK(qp.number() == limits.max_qp + 1);

    peer.qp().to_reset();
    connect_both({node, qp, 7}, {peer.node, peer.qp(), 9}, {});
    constexpr std::uint32_t kBytes = 3000;
    constexpr std::size_t kInto = 8192, kBack = 16384;
    fill(self.data(), kBytes, 1);
    for (const auto& [opcode, from] :
         {std::pair{driver::Opcode::kWrite, std::size_t{0}}, {driver::Opcode::kRead, kBack}}) {
      qp.send(request(opcode, self, from, kBytes, peer, kInto));
      const auto done = cq.wait();
      REQUIRE(done);
      CHECK(done->ok());
      CHECK(done->qpn == qp.number());
    }
    CHECK(first_wrong(self.data(kBack), kBytes, 1) == kBytes);
  });
}
