// SPDX-License-Identifier: Apache-2.0
// 10^5 connections over a bad channel: each ends at both sides, and the sides agree.
//
//   cm_channel_test [SEED]
#include "driver/cm/test/channel.hpp"

#include <cstdio>
#include <cstdlib>

using namespace roci::cm;

namespace {

unsigned long long number(std::uint64_t value) { return value; }

bool expect(bool holds, const char* what) {
  if (!holds) std::printf("  WRONG: %s\n", what);
  return holds;
}

/// Prints what happened; false when something is wrong.
bool run(const char* name, const ChannelConfig& config, ChannelCounts& counts) {
  Channel channel(config);
  const std::string wrong = channel.run();
  counts = channel.counts();
  std::printf("%s: %u connections, %llu datagrams, %llu lost, %llu duplicated, %llu hostile\n",
              name, config.connections, number(counts.sent), number(counts.lost),
              number(counts.duplicated), number(counts.hostile));
  std::printf(
      "  established %llu sides (%llu times both), rejected %llu, unreachable %llu, "
      "disconnected %llu\n",
      number(counts.established), number(counts.both), number(counts.rejected),
      number(counts.unreachable), number(counts.disconnected));
  for (unsigned node = 0; node < 2; ++node) {
    const ManagerCounts& manager = channel.manager(node).counts();
    std::printf("  node %u: malformed %llu, unknown %llu, unexpected %llu, stale %llu\n", node,
                number(manager.malformed), number(manager.unknown), number(manager.unexpected),
                number(manager.stale));
  }
  return expect(wrong.empty(), wrong.c_str());
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t seed =
      count > 1 ? std::strtoull(words[1], nullptr, 0) : std::random_device{}();
  std::printf("seed %llu\n", number(seed));
  bool good = true;
  ChannelCounts counts;

  ChannelConfig clean{seed, 10000, 0, 0, true, 0};
  good &= run("clean", clean, counts);
  good &= expect(counts.established == 2ull * clean.connections, "all are established");
  good &= expect(counts.requests == clean.connections, "one request for each connection");
  good &= expect(counts.rejected + counts.unreachable == 0, "none fails");

  ChannelConfig doubled{seed, 10000, 0, 0.3, true, 0};
  good &= run("duplicates", doubled, counts);
  good &= expect(counts.established == 2ull * doubled.connections, "all are established");
  good &= expect(counts.requests == doubled.connections, "one request for each connection");

  ChannelConfig bad{seed, 100000, 0.2, 0.1, false, 0};
  good &= run("bad", bad, counts);
  good &= expect(counts.both > bad.connections / 3, "many are established");

  ChannelConfig dreadful{seed, 10000, 0.6, 0.3, false, 0};
  good &= run("dreadful", dreadful, counts);
  good &= expect(counts.unreachable > 0, "some are unreachable");

  ChannelConfig watched{seed, 10000, 0, 0, true, 10};
  good &= run("hostile", watched, counts);
  good &= expect(counts.established == 2ull * watched.connections, "all are established");
  good &= expect(counts.rejected + counts.unreachable == 0, "none fails");
  return good ? 0 : 1;
}
