// SPDX-License-Identifier: Apache-2.0
// Connections of the suites: the objects of an endpoint, and the connection of two queue pairs.
#pragma once

#include <memory>
#include <vector>

#include "driver/completion_queue.hpp"
#include "driver/memory.hpp"
#include "driver/queue_pair.hpp"
#include "testbench/world.hpp"

namespace roci::testbench {

struct ConnectionOptions {
  unsigned queue_pairs = 1;
  std::size_t region_bytes = 1 << 20;
  std::uint32_t region_access = driver::access::kAll;
  driver::QpOptions qp;
  driver::ConnectOptions connect;
  std::uint32_t first_psn = 0xFFFFF0;  ///< first PSN of both directions; near the wrap by default
};

/// Objects of one node: a region, two completion queues, queue pairs.
struct Endpoint {
  Endpoint(Node& n, const ConnectionOptions& options);

  driver::QueuePair& qp(unsigned i = 0) { return *qps[i]; }
  std::uint8_t* data(std::size_t offset = 0) { return region.data() + offset; }
  /// The next completion; throws Violation when there is none.
  driver::Completion sent() { return take(send_cq); }
  driver::Completion received() { return take(receive_cq); }

  Node& node;
  driver::ProtectionDomain pd;
  driver::CompletionQueue send_cq, receive_cq;
  driver::MemoryRegion region;
  std::vector<std::unique_ptr<driver::QueuePair>> qps;

 private:
  static driver::Completion take(driver::CompletionQueue& cq);
};

/// A queue pair of a node, with the first PSN that it sends.
struct QueuePairEnd {
  Node& node;
  driver::QueuePair& qp;
  std::uint32_t psn;
};

/// Connects `self` to `peer`, from RESET to RTS. A `dst_mac` of 0 stands for the peer's.
void connect(const QueuePairEnd& self, const QueuePairEnd& peer, driver::ConnectOptions options);
/// Connects both, `b` first, so that it is ready for requests of `a`.
void connect_both(const QueuePairEnd& a, const QueuePairEnd& b,
                  const driver::ConnectOptions& options);

/// Two endpoints, one on each node. Their queue pairs are in RESET until connect().
struct Connection {
  Connection(Node& requester, Node& responder, const ConnectionOptions& options)
      : self(requester, options), peer(responder, options) {}
  /// Connects queue pair `i` of both.
  void connect(unsigned i, std::uint32_t psn, const driver::ConnectOptions& options) {
    connect_both({self.node, self.qp(i), psn}, {peer.node, peer.qp(i), psn}, options);
  }

  Endpoint self, peer;
};

/// Builds a request on `self`'s region at `local` for `bytes`, to `remote` in the peer's region.
driver::SendRequest request(driver::Opcode opcode, Endpoint& self, std::size_t local,
                            std::uint32_t bytes, Endpoint& peer, std::size_t remote);

}  // namespace roci::testbench
