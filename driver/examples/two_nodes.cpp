// SPDX-License-Identifier: Apache-2.0
// Two adapters and a link that loses frames, in this process: node 0 writes into node 1's memory.
//
// usage: two_nodes [rtl|model]
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "driver/queue_pair.hpp"
#include "testbench/world.hpp"

using namespace roci;

namespace {

constexpr std::uint32_t kBytes = 1 << 20;

/// The objects of verbs of one node.
struct Side {
  explicit Side(testbench::Node& node)
      : domain(node.context()),
        queue(node.context(), 64),
        region(domain, kBytes, driver::access::kAll),
        pair(domain, queue, queue) {}

  driver::ProtectionDomain domain;
  driver::CompletionQueue queue;
  driver::MemoryRegion region;
  driver::QueuePair pair;
};

}  // namespace

/// SystemC has the symbol `main`; a program may define its own.
int main(int argc, char** argv) {
  testbench::Config config;
  config.width = 64;
  if (argc < 2 || std::string(argv[1]) != "rtl") {
    config.engines = {testbench::Engine::kModel, testbench::Engine::kModel};
  }
  config.faults[0].loss = 0.01;
  testbench::World world(config);

  // Node programs run in simulated time; objects of one run may be used in the next.
  std::unique_ptr<Side> sides[2];
  world.run([&](testbench::Node& node) {
    sides[node.index()] = std::make_unique<Side>(node);
    std::memset(sides[node.index()]->region.data(), node.index() == 0 ? 0x5A : 0, kBytes);
  });
  world.run([&](testbench::Node& node) {
    const Side& peer = *sides[1 - node.index()];
    constexpr std::uint32_t kFirstPsn = 100;
    const driver::Endpoint endpoint = {peer.pair.number(), kFirstPsn,
                                       world.node(1 - node.index()).gid()};
    sides[node.index()]->pair.connect(endpoint, kFirstPsn);
  });

  driver::Status status{};
  world.run({{0, [&](testbench::Node&) {
                driver::SendRequest request;
                request.opcode = driver::Opcode::kWrite;
                request.sges = {sides[0]->region.sge(0, kBytes)};
                request.remote_address = sides[1]->region.address();
                request.remote_key = sides[1]->region.key();
                sides[0]->pair.send(request);
                status = sides[0]->queue.wait()->status;
              }}});
  const bool equal = std::memcmp(sides[0]->region.data(), sides[1]->region.data(), kBytes) == 0;
  std::printf("%s, %s after %.1f us of simulated time\n", driver::name_of(status),
              equal ? "memory equal" : "memory differs",
              static_cast<double>(world.now_ns()) / 1000);
  world.run([&](testbench::Node& node) { sides[node.index()].reset(); });
  return equal ? 0 : 1;
}
