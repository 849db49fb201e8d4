// SPDX-License-Identifier: Apache-2.0
#include "testbench/connection/connection.hpp"

namespace roci::testbench {

Endpoint::Endpoint(Node& n, const ConnectionOptions& options)
    : node(n),
      pd(n.context()),
      send_cq(n.context(), 1024),
      receive_cq(n.context(), 1024),
      region(pd, options.region_bytes, options.region_access) {
  for (unsigned i = 0; i < options.queue_pairs; ++i) {
    qps.push_back(std::make_unique<driver::QueuePair>(pd, send_cq, receive_cq, options.qp));
  }
}

driver::Completion Endpoint::take(driver::CompletionQueue& cq) {
  const auto completion = cq.wait();
  if (!completion) throw Violation("no completion");
  return *completion;
}

void connect(const QueuePairEnd& self, const QueuePairEnd& peer, driver::ConnectOptions options) {
  if (options.dst_mac == 0) options.dst_mac = peer.node.mac();
  self.qp.connect({peer.qp.number(), peer.psn, peer.node.gid()}, self.psn, options);
}

void connect_both(const QueuePairEnd& a, const QueuePairEnd& b,
                  const driver::ConnectOptions& options) {
  connect(b, a, options);
  connect(a, b, options);
}

driver::SendRequest request(driver::Opcode opcode, Endpoint& self, std::size_t local,
                            std::uint32_t bytes, Endpoint& peer, std::size_t remote) {
  driver::SendRequest r;
  r.opcode = opcode;
  if (bytes != 0) r.sges = {self.region.sge(local, bytes)};
  r.remote_address = peer.region.address() + remote;
  r.remote_key = peer.region.key();
  return r;
}

}  // namespace roci::testbench
