// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/witness.hpp"

namespace roci::testbench::faults {

using driver::Opcode;
namespace {

constexpr std::size_t kTarget = 4096, kWord = 8192;
constexpr std::uint64_t kBoundNs = 2'000'000;  // storms take bandwidth

driver::Completion take(Endpoint& side) {
  const auto done = side.send_cq.wait(kBoundNs);
  if (!done) throw Violation("I10: the witness gets no completion");
  return *done;
}

}  // namespace

void Witness::round(Endpoint& a, Endpoint& b) {
  const std::uint64_t pattern = 0x5A000000 + 2 * rounds_;
  fill(a.data(), 600, pattern);
  a.qp().send(request(Opcode::kWrite, a, 0, 600, b, kTarget));
  fill(b.data(), 300, pattern + 1);
  b.qp().send(request(Opcode::kWrite, b, 0, 300, a, kTarget));
  driver::SendRequest add = request(Opcode::kFetchAdd, a, kWord + 8, 8, b, kWord);
  add.swap_add = 1;
  a.qp().send(add);
  a.qp().send(request(Opcode::kRead, a, 2048, 600, b, kTarget));
  for (unsigned i = 0; i < 3; ++i) CHECK(take(a).status == driver::Status::kSuccess);
  CHECK(take(b).status == driver::Status::kSuccess);
  CHECK(first_wrong(b.data(kTarget), 600, pattern) == 600);
  CHECK(first_wrong(a.data(kTarget), 300, pattern + 1) == 300);
  CHECK(first_wrong(a.data(2048), 600, pattern) == 600);
  std::uint64_t sum;
  std::memcpy(&sum, b.data(kWord), 8);
  CHECK(sum == ++rounds_);
}

void Witness::run(std::uint64_t pause_ns) {
  ConnectionOptions options;
  options.region_bytes = 16384;
  options.connect.path_mtu = 1;
  options.connect.timeout = 10;  // 4 ms: the timeout must not expire
  Connection connection(world_.node(0), world_.node(1), options);
  Endpoint &a = connection.self, &b = connection.peer;
  connect_both({b.node, b.qp(), 0xFFFFF8}, {a.node, a.qp(), 0xFFFFF0}, options.connect);
  while (!stop_) {
    round(a, b);
    a.node.device().wait([this] { return stop_; }, pause_ns);
  }
  round(a, b);  // it still works at the end
  INFO("I10: the witness");
  for (Endpoint* side : {&a, &b}) {
    const driver::QpCounters counters = side->qp().counters();
    CHECK(counters.retries == 0);
    CHECK(counters.naks_sent == 0);
    CHECK_FALSE(side->send_cq.poll());
  }
}

}  // namespace roci::testbench::faults
