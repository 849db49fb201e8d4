// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/round_context.hpp"

namespace roci::soak {
namespace {

constexpr unsigned kShared = 64;    // receives posted
constexpr unsigned kBuffers = 512;  // some are lost with the generation of a queue pair

}  // namespace

void Tally::add(const Tally& other) {
  posted += other.posted;
  good += other.good;
  bad += other.bad;
  flushed += other.flushed;
  in_doubt += other.in_doubt;
  bytes += other.bytes;
  receives += other.receives;
  atomics += other.atomics;
  generations += other.generations;
  retry_exceeded += other.retry_exceeded;
  rnr_exceeded += other.rnr_exceeded;
  access_errors += other.access_errors;
  invalidations += other.invalidations;
  for (unsigned e = 0; e < kEndings; ++e) endings[e] += other.endings[e];
  for (unsigned k = 0; k < kKinds; ++k) kinds[k] += other.kinds[k];
}

Pool::Pool(driver::ProtectionDomain& pd, const RoundPlan& plan)
    : stride((plan.max_bytes + 127) / 64 * 64),
      queue(pd, {kShared, 1, 0}),
      region(pd, kBuffers * stride, driver::access::kAll),
      bytes(plan.max_bytes) {
  for (std::size_t i = 0; i < kBuffers; ++i) free.push_back(kBuffers - 1 - i);
}

void Pool::refill() {
  while (queue.room() > 0 && !free.empty()) {
    const std::size_t buffer = free.back();
    free.pop_back();
    queue.receive({buffer, {region.sge(buffer * stride, bytes)}});
  }
}

NodeResources::NodeResources(testbench::Node& n, const RoundPlan& plan)
    : node(n), pd(n.context()), commons(pd, 4096, driver::access::kAll) {
  if (!plan.srq[n.index()]) return;
  pool = std::make_unique<Pool>(pd, plan);
  pool->refill();
}

}  // namespace roci::soak
