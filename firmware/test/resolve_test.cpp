// SPDX-License-Identifier: Apache-2.0
// ResolveAddress and the table of neighbours: waits, timeouts, replacement.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "firmware/test/neighbour_bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("resolve: the wait doubles with each request, then Unreachable; then it begins anew") {
  NetBench bench;
  for (int round = 0; round < 2; ++round) {
    bench.nic.sent.clear();
    const std::uint64_t start = bench.nic.now;
    bench.resolve(0, kPeerIpv4);
    std::vector<std::uint64_t> times;
    CommandReply reply;
    while (!(reply = bench.take(1)).there) {
      if (bench.nic.sent.size() > times.size()) times.push_back(bench.nic.now - start);
      REQUIRE(bench.firmware->deadline() != ~std::uint64_t{0});
      bench.nic.now = std::max(bench.nic.now, bench.firmware->deadline());  // sleep
    }
    CHECK(reply.status == AdminStatus::kUnreachable);
    REQUIRE(bench.nic.sent.size() == 5);
    CHECK(bench.nic.sent[4] == kArpRequest);
    CHECK(bench.nic.now - start > 31000000);  // 1 + 2 + 4 + 8 + 16 ms
    CHECK(bench.nic.now - start < 32000000);
    CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  }
}

TEST_CASE("resolve: while one waits, requests of others get replies") {
  NetBench bench;
  bench.resolve(0, kPeerIpv4);
  CHECK_FALSE(bench.take(5).there);
  bench.receive(kNdSolicitationForUs);
  CHECK(bench.nic.sent.size() == 2);
  CHECK(bench.nic.sent[1] == kNdAdvertisementOurs);
  CHECK_FALSE(bench.take(5).there);
}

TEST_CASE("resolve: Unreachable at once when replies go to an operating system") {
  NetBench bench;
  bench.nic.control = 1;
  bench.resolve(0, kPeerIpv4);
  const CommandReply reply = bench.take(1);
  REQUIRE(reply.there);
  CHECK(reply.status == AdminStatus::kUnreachable);
}

TEST_CASE("resolve: our own address is our own MAC") {
  NetBench bench;
  bench.resolve(0, kOwnIpv4);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kOwnMac);
  CHECK(bench.nic.sent.empty());
}

TEST_CASE("resolve: invalid arguments are rejected") {
  NetBench bench;
  auto body = [](std::uint64_t index, const Gid& gid) {
    return Body()
        .put(resolve_address::sgid_index, index)
        .put(resolve_address::dgid_hi, gid.hi)
        .put(resolve_address::dgid_lo, gid.lo);
  };
  for (const std::uint64_t index : {3ull, 16ull, 0xFFFFFFFFull}) {
    bench.reject(AdminOp::kResolveAddress, body(index, kPeerIpv4), AdminStatus::kBadHandle,
                 resolve_address::sgid_index);
  }
  const Gid bad[] = {{0, 0}, gid_of_ipv4(0xE0000001), {0xFF02ull << 48, 1}, kPeerIpv6};
  for (const Gid& gid : bad) {
    bench.reject(AdminOp::kResolveAddress, body(0, gid), AdminStatus::kBadParameter,
                 resolve_address::dgid_hi);
  }
  bench.reject(AdminOp::kResolveAddress, body(1, kPeerIpv4), AdminStatus::kBadParameter,
               resolve_address::dgid_hi);
}

TEST_CASE("neighbours: beyond 32, the least recently used one is replaced") {
  NetBench bench;
  auto reply_from = [](std::uint32_t ip, Mac mac) {
    Frame frame = kArpReply;
    for (unsigned i = 0; i < 6; ++i) frame[22 + i] = static_cast<std::uint8_t>(mac >> (40 - 8 * i));
    for (unsigned i = 0; i < 4; ++i) frame[28 + i] = static_cast<std::uint8_t>(ip >> (24 - 8 * i));
    return frame;
  };
  for (std::uint32_t i = 0; i < 40; ++i) {
    bench.resolve(0, gid_of_ipv4(0x0A000100 + i));
    CHECK_FALSE(bench.take(3).there);
    bench.receive(reply_from(0x0A000100 + i, 0x020000000000 + i));
    CHECK(bench.take(3).get(resolve_address_reply::mac) == 0x020000000000 + i);
  }
  bench.nic.sent.clear();
  bench.resolve(0, gid_of_ipv4(0x0A000100 + 39));
  CHECK(bench.take(1).there);
  CHECK(bench.nic.sent.empty());
  bench.resolve(0, gid_of_ipv4(0x0A000100));
  CHECK_FALSE(bench.take(3).there);
  CHECK(bench.nic.sent.size() == 1);
}

TEST_CASE("ModifyQp to RTR waits for the address and then continues (dst_mac 0)") {
  NetBench bench;
  const std::uint32_t qpn = bench.qp(bench.pd(), bench.cq());
  namespace body = roci::layout::qp_attributes;
  auto give = [&](QpState state, std::uint32_t mask) {
    bench.give(AdminOp::kModifyQp, Body()
                                       .put(body::qpn, qpn)
                                       .put(body::state, state)
                                       .put(body::attr_mask, mask | 1)
                                       .put(body::port, 1)
                                       .put(body::path_mtu, 3)
                                       .put(body::dgid_hi, kPeerIpv4.hi)
                                       .put(body::dgid_lo, kPeerIpv4.lo));
  };
  give(QpState::kInit, qp_mask::kPkeyIndex | qp_mask::kPort | qp_mask::kAccessFlags);
  CHECK(bench.take().status == AdminStatus::kOk);
  const std::uint32_t rtr = qp_mask::kAv | qp_mask::kPathMtu | qp_mask::kDestQpn | qp_mask::kRqPsn |
                            qp_mask::kMaxDestRdAtomic | qp_mask::kMinRnrTimer;
  const std::size_t actions = bench.nic.actions.size();
  give(QpState::kRtr, rtr);
  CHECK_FALSE(bench.take(5).there);
  CHECK(bench.nic.actions.size() == actions);  // nothing changed so far
  bench.receive(kArpReply);
  CHECK(bench.take().status == AdminStatus::kOk);
  CHECK(bench.nic.states[qpn] == QpState::kRtr);
  CHECK(bench.nic.row(Table::kAv, qpn).get(av::dst_mac) == kPeerMac);
}
