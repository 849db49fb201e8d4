// SPDX-License-Identifier: Apache-2.0
// A program on the simulator that `roci up` started: opens the adapters of n0 and n1, and writes
// from the one into memory of the other.
//
// usage: roci exec n0 -- write_to_peer
#include <cstdio>
#include <cstring>
#include <exception>

#include "driver/device/remote.hpp"
#include "driver/queue_pair.hpp"

using namespace roci::driver;

namespace {

constexpr std::uint32_t kBytes = 65536;
constexpr std::uint32_t kFirstPsn = 100;
constexpr std::uint64_t kPatienceNs = 10'000'000'000;

/// An adapter with the objects of verbs.
struct Side {
  explicit Side(const RemoteDevice::Place& place)
      : device(place),
        context(device),
        domain(context),
        queue(context, 64),
        region(domain, kBytes, access::kAll),
        pair(domain, queue, queue) {}

  Endpoint endpoint() { return {pair.number(), kFirstPsn, context.query_gid(0)}; }

  RemoteDevice device;
  Context context;
  ProtectionDomain domain;
  CompletionQueue queue;
  MemoryRegion region;
  QueuePair pair;
};

int run() {
  RemoteDevice::Place place = RemoteDevice::place_from_environment();
  Side from(place);
  place.node = "n1";
  Side to(place);
  from.pair.connect(to.endpoint(), kFirstPsn);
  to.pair.connect(from.endpoint(), kFirstPsn);

  std::memset(from.region.data(), 0x5A, kBytes);
  SendRequest request;
  request.opcode = Opcode::kWrite;
  request.sges = {from.region.sge(0, kBytes)};
  request.remote_address = to.region.address();
  request.remote_key = to.region.key();
  from.pair.send(request);
  const auto done = from.queue.wait(kPatienceNs);
  const bool equal = std::memcmp(from.region.data(), to.region.data(), kBytes) == 0;
  std::printf("%s, %s\n", done ? name_of(done->status) : "no completion",
              equal ? "memory equal" : "memory differs");
  return equal ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_to_peer: %s\n", error.what());
    return 1;
  }
}
