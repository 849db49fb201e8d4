// SPDX-License-Identifier: Apache-2.0
// Queue pairs in multicast groups: the rows of the table, and what is rejected.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

constexpr std::uint32_t kAll = bits(reg::parameters2::log_srqs, kLogSrqs) |
                               mask(reg::parameters2::uc) | mask(reg::parameters2::ud) |
                               bits(reg::parameters2::log_ahs, 3);

/// An adapter with a number of rows for attachments, and queue pairs of UD.
struct GroupBench : Bench {
  GroupBench(unsigned log_attachments, unsigned qps)
      : Bench(config(), kAll, bits(reg::parameters3::log_attachments, log_attachments)) {
    set_gid(2, kOwnIpv4);
    domain = pd();
    const std::uint32_t cqn = cq();
    while (qpns.size() < qps) {
      qpns.push_back(run_ok(AdminOp::kCreateQp,
                            qp_body(domain, cqn, cqn).put(create_qp::service, Service::kUd),
                            create_qp_reply::qpn));
    }
  }

  static Body body(std::uint32_t qpn, const Gid& group) {
    return Body()
        .put(attach_multicast::qpn, qpn)
        .put(attach_multicast::gid_hi, group.hi)
        .put(attach_multicast::gid_lo, group.lo);
  }
  AdminStatus detach(std::uint32_t attachment) {
    return run(AdminOp::kDetachMulticast, Body().put(detach_multicast::attachment, attachment))
        .status;
  }

  std::uint32_t domain = 0;
  std::vector<std::uint32_t> qpns;
};

bool is_of(const Block& row, const Gid& group) {
  return row.get(multicast::valid) != 0 && row.get({multicast::gid.offset, 64}) == group.lo &&
         row.get({multicast::gid.offset + 64, 64}) == group.hi;
}

}  // namespace

TEST_CASE("AttachMulticast and DetachMulticast: rows, repetitions, and what they reject") {
  GroupBench bench(2, 1);
  const std::uint32_t qpn = bench.qpns.front();
  const auto attached = [&](std::uint32_t low) {
    return bench.run_ok(AdminOp::kAttachMulticast, bench.body(qpn, gid_of_ipv4(0xE0000000 | low)),
                        attach_multicast_reply::attachment);
  };
  CHECK(bench.run(AdminOp::kQueryDevice).get(query_device_reply::max_attachments) == 4);
  const std::uint32_t first = attached(1);
  const Block row = bench.nic.row(Table::kMulticast, first);
  CHECK(is_of(row, gid_of_ipv4(0xE0000001)));
  CHECK(row.get(multicast::qpn) == qpn);
  CHECK(attached(1) == first);
  for (std::uint32_t low = 2; low <= 4; ++low) attached(low);
  CHECK(bench.run(AdminOp::kAttachMulticast, bench.body(qpn, gid_of_ipv4(0xE0000005))).status ==
        AdminStatus::kNoResource);
  bench.reject(AdminOp::kAttachMulticast, bench.body(99, gid_of_ipv4(0xE0000001)),
               AdminStatus::kBadHandle, attach_multicast::qpn);
  bench.reject(AdminOp::kAttachMulticast, bench.body(qpn, kPeerIpv4), AdminStatus::kBadParameter,
               attach_multicast::gid_hi);
  const std::uint32_t rc = bench.qp(bench.domain, bench.cq());
  bench.reject(AdminOp::kAttachMulticast, bench.body(rc, gid_of_ipv4(0xE0000001)),
               AdminStatus::kBadParameter, attach_multicast::qpn);
  bench.reject(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn), AdminStatus::kBusy,
               destroy_qp::qpn);
  for (std::uint32_t number = 0; number < 4; ++number) {
    CHECK(bench.detach(number) == AdminStatus::kOk);
    CHECK(bench.nic.row(Table::kMulticast, number).get(multicast::valid) == 0);
    CHECK(bench.nic.actions.back().kind == Action::kFence);
  }
  bench.reject(AdminOp::kDetachMulticast, Body().put(detach_multicast::attachment, first),
               AdminStatus::kBadHandle, detach_multicast::attachment);
  CHECK(bench.run(AdminOp::kDestroyQp, Body().put(destroy_qp::qpn, qpn)).status ==
        AdminStatus::kOk);
}

TEST_CASE("AttachMulticast: a search from the home of a group finds its queue pairs, and ends") {
  constexpr std::uint32_t kRows = 16, kGroups = 12, kQps = 3;
  GroupBench bench(4, kQps);
  // Three groups to a home, the last row among the homes, IPv4 and IPv6.
  const auto group_of = [](std::uint32_t n) {
    const std::uint32_t low = 13 + n / 3 + (n % 3 << 4);
    return n % 2 == 0 ? gid_of_ipv4(0xE00000E0 ^ low) : Gid{0xFF0E0000000000F1, low};
  };
  // What the adapter does.
  const auto search = [&](const Gid& group) {
    std::multiset<std::uint32_t> found;
    std::uint32_t row = 0;
    for (unsigned i = 0; i < 8; ++i) row ^= (group.hi ^ group.lo) >> (8 * i) & 0xFF;
    for (std::uint32_t looked = 0; looked < kRows; ++looked, ++row) {
      const Block& block = bench.nic.row(Table::kMulticast, row % kRows);
      if (is_of(block, group)) found.insert(block.get(multicast::qpn));
      if (block.get(multicast::more) == 0) break;
    }
    return found;
  };
  std::mt19937 random(7);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> attached;  // to their rows
  unsigned full = 0;
  for (unsigned step = 0; step < 2000; ++step) {
    const std::pair<std::uint32_t, std::uint32_t> one(random() % kGroups, random() % kQps);
    if (const auto old = attached.find(one); old != attached.end()) {
      CHECK(bench.detach(old->second) == AdminStatus::kOk);
      attached.erase(old);
    } else {
      const CommandReply reply = bench.run(AdminOp::kAttachMulticast,
                                           bench.body(bench.qpns[one.second], group_of(one.first)));
      CHECK((reply.status == AdminStatus::kOk) == (attached.size() < kRows));
      if (reply.status == AdminStatus::kOk) {
        attached[one] = reply.get(attach_multicast_reply::attachment);
      } else {
        ++full;
      }
    }
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      std::multiset<std::uint32_t> wanted;
      for (const auto& [key, number] : attached) {
        if (key.first == group) wanted.insert(bench.qpns[key.second]);
      }
      REQUIRE(search(group_of(group)) == wanted);
    }
  }
  CHECK(full > 20);
  for (const auto& [key, number] : attached) bench.detach(number);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    CHECK(bench.nic.row(Table::kMulticast, row).get(multicast::more) == 0);
  }
}

TEST_CASE("an adapter without multicast attaches nothing") {
  Bench bench;
  CHECK(bench.run(AdminOp::kQueryDevice).get(query_device_reply::max_attachments) == 0);
  CHECK(bench.run(AdminOp::kAttachMulticast).status == AdminStatus::kUnsupported);
}
