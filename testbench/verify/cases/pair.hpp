// SPDX-License-Identifier: Apache-2.0
// Two connected sides for test programs: each has a region, completion queues and queue pairs, and
// sees the other's, since both are in one process.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "testbench/verify/cases/engines.hpp"
#include "testbench/world.hpp"

namespace roci::testbench {

struct PairOptions {
  unsigned queue_pairs = 1;
  std::size_t region_bytes = 1 << 20;
  std::uint32_t region_access = driver::access::kAll;
  driver::QpOptions qp;
  driver::ConnectOptions connect;
  std::uint32_t first_psn = 0xFFFFF0;  ///< first PSN of both directions; near the wrap by default
};

/// Objects of one node.
struct Side {
  Side(Node& n, const PairOptions& options)
      : node(n),
        pd(n.context()),
        send_cq(n.context(), 1024),
        receive_cq(n.context(), 1024),
        region(pd, options.region_bytes, options.region_access) {
    for (unsigned i = 0; i < options.queue_pairs; ++i) {
      qps.push_back(std::make_unique<driver::QueuePair>(pd, send_cq, receive_cq, options.qp));
    }
  }
  driver::QueuePair& qp(unsigned i = 0) { return *qps[i]; }
  std::uint8_t* data(std::size_t offset = 0) { return region.data() + offset; }

  /// Takes one completion or fails the test.
  driver::Completion sent() { return take(send_cq); }
  driver::Completion received() { return take(receive_cq); }

  Node& node;
  driver::ProtectionDomain pd;
  driver::CompletionQueue send_cq, receive_cq;
  driver::MemoryRegion region;
  std::vector<std::unique_ptr<driver::QueuePair>> qps;

 private:
  static driver::Completion take(driver::CompletionQueue& cq) {
    const auto completion = cq.wait();
    REQUIRE(completion);
    return *completion;
  }
};

/// Runs a program on each of two connected sides.
class Pair {
 public:
  using Program = std::function<void(Side& self, Side& peer)>;

  explicit Pair(const Config& config, const PairOptions& options = {})
      : world(with_engines(config)), options_(options) {
    MESSAGE("seed ", config.seed);
  }

  /// Connects, runs both, and takes everything down when both are done.
  void run(
      const Program& on_0, const Program& on_1 = [](Side&, Side&) {}) {
    steps_ = {};
    world.run([&](Node& node) {
      const unsigned me = node.index();
      Side side(node, options_);
      sides_[me] = &side;
      meet(me);
      Side& peer = *sides_[1 - me];
      driver::ConnectOptions connect = options_.connect;
      if (connect.dst_mac == 0) connect.dst_mac = peer.node.mac();
      for (unsigned i = 0; i < options_.queue_pairs; ++i) {
        side.qp(i).connect({peer.qp(i).number(), options_.first_psn, peer.node.gid()},
                           options_.first_psn, connect);
      }
      meet(me);
      (me == 0 ? on_0 : on_1)(side, peer);
      meet(me);  // nobody takes down what the other still reaches
    });
    for (const std::string& violation : world.violations()) FAIL_CHECK(violation);
  }

  /// Waits until the other side calls it as well.
  void meet(unsigned me) {
    ++steps_[me];
    world.node(1 - me).device().wake();
    world.node(me).device().wait([&] { return steps_[1 - me] >= steps_[me]; },
                                 driver::Device::kForever);
  }

  World world;

 private:
  PairOptions options_;
  std::array<Side*, 2> sides_{};
  std::array<unsigned, 2> steps_{};
};

/// Byte of a payload, a function of message and offset (I3).
inline std::uint8_t pattern(std::uint64_t message, std::uint64_t offset) {
  std::uint64_t x = (message + 1) * 0x9E3779B97F4A7C15u + offset * 0xD6E8FEB86659FD93u;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  return static_cast<std::uint8_t>(x >> 37);
}
inline void fill(std::uint8_t* at, std::size_t bytes, std::uint64_t message) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = pattern(message, i);
}
/// First byte that is not what it should be; `bytes` when all are.
inline std::size_t first_wrong(const std::uint8_t* at, std::size_t bytes, std::uint64_t message) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != pattern(message, i)) return i;
  }
  return bytes;
}

/// A request on `self`'s region at `local` for `bytes`, towards `remote` in the peer's.
inline driver::SendRequest request(driver::Opcode opcode, Side& self, std::size_t local,
                                   std::uint32_t bytes, Side& peer, std::size_t remote) {
  driver::SendRequest r;
  r.opcode = opcode;
  if (bytes != 0) r.sges = {self.region.sge(local, bytes)};
  r.remote_address = peer.region.address() + remote;
  r.remote_key = peer.region.key();
  return r;
}

}  // namespace roci::testbench
