// SPDX-License-Identifier: Apache-2.0
// Many short generations of queue pairs. In each both sides send all kinds of work at once, until
// one side destroys, resets or fails its queue pairs at a random moment, or neither does. A queue
// pair that exists all the time must not be affected (F-55, F-91, I15). ROCI_GENERATIONS=250 takes
// minutes; from 42 on numbers of queue pairs are reused.
#include <random>

#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::Status;

namespace {

constexpr unsigned kPairs = 6, kRequests = 4;
constexpr std::size_t kSlot = 16384, kTargets = kPairs * kRequests * kSlot,
                      kCounters = 2 * kTargets, kWitness = kCounters + 4096;
constexpr std::uint64_t kWitnessId = 1u << 30;

enum class End { kDestroy, kReset, kError, kNone };

struct Generation {
  unsigned number, victim;
  End end;
  std::uint64_t after_ns;
};

class Program {
 public:
  Program(Pair& pair, std::array<std::vector<std::uint32_t>, 2>& numbers, std::uint64_t seed,
          unsigned generations)
      : pair_(pair), numbers_(numbers), seed_(seed), generations_(generations) {}

  void run(Endpoint& self, Endpoint& peer) {
    const unsigned me = self.node.index();
    std::mt19937_64 common(seed_), own(seed_ * 2 + me + 1);
    for (unsigned n = 0; n < generations_; ++n) {
      CAPTURE(n);
      Generation generation{n, unsigned(common() % 2), End(common() % 4), 0};
      generation.after_ns = common() % (200u << common() % 8);
      run_generation(self, peer, generation, own);
      witness(self, peer, n);
    }
  }

 private:
  std::size_t slot(unsigned q, unsigned i) const { return (q * kRequests + i) * kSlot; }

  void run_generation(Endpoint& self, Endpoint& peer, const Generation& generation,
                      std::mt19937_64& random) {
    const unsigned me = self.node.index();
    const bool victim = me == generation.victim && generation.end != End::kNone;
    std::vector<std::unique_ptr<driver::QueuePair>> qps;
    numbers_[me].clear();
    for (unsigned q = 0; q < kPairs; ++q) {
      qps.push_back(std::make_unique<driver::QueuePair>(self.pd, self.send_cq, self.receive_cq));
      numbers_[me].push_back(qps[q]->number());
    }
    pair_.meet(me);
    driver::ConnectOptions connect;
    connect.timeout = 5;
    connect.retry_cnt = 1;
    connect.dst_mac = peer.node.mac();
    const std::uint32_t psn = (generation.number * 0x123457u) & 0xFFFFFF;
    for (unsigned q = 0; q < kPairs; ++q) {
      qps[q]->connect({numbers_[1 - me][q], psn, peer.node.gid()}, psn, connect);
      for (unsigned i = 0; i < kRequests; ++i) {
        qps[q]->receive({q * kRequests + i, {self.region.sge(kTargets + slot(q, i), kSlot)}});
      }
    }
    pair_.meet(me);

    unsigned posted = 0;
    for (unsigned i = 0; i < kRequests; ++i) {
      for (unsigned q = 0; q < kPairs; ++q) {
        static constexpr std::array kOpcodes{Opcode::kWrite, Opcode::kRead, Opcode::kSend,
                                             Opcode::kFetchAdd, Opcode::kCmpSwap};
        const Opcode opcode = kOpcodes[random() % kOpcodes.size()];
        const bool atomic = opcode == Opcode::kFetchAdd || opcode == Opcode::kCmpSwap;
        const auto bytes = atomic ? 8u : unsigned(random() % (random() % 2 != 0 ? 200 : kSlot));
        driver::SendRequest r =
            request(opcode, self, slot(q, i), bytes, peer,
                    atomic ? kCounters + 8 * (random() % 4) : kTargets + slot(q, i));
        r.id = q * kRequests + i;
        r.swap_add = 1;
        qps[q]->send(r);
        ++posted;
      }
    }

    if (victim) {
      self.node.sleep(generation.after_ns);
      if (generation.end == End::kDestroy) qps.clear();
      for (auto& qp : qps) generation.end == End::kReset ? qp->to_reset() : qp->to_error();
    }
    if (victim && generation.end != End::kError) {
      // The former generation writes no memory any more, whatever is still on the link.
      std::vector<std::uint8_t> mark(kTargets, std::uint8_t(generation.number + 1));
      std::copy(mark.begin(), mark.end(), self.data(kTargets));
      const std::vector<std::uint8_t> sources(self.data(0), self.data(kTargets));
      const std::vector<std::uint8_t> counters(self.data(kCounters), self.data(kCounters + 32));
      pair_.meet(me);
      CHECK(std::memcmp(mark.data(), self.data(kTargets), kTargets) == 0);
      CHECK(std::memcmp(sources.data(), self.data(0), kTargets) == 0);
      CHECK(std::memcmp(counters.data(), self.data(kCounters), 32) == 0);
    } else {
      std::vector<bool> seen(kPairs * kRequests), failed(kPairs);
      for (; posted != 0; --posted) {
        const driver::Completion c = self.sent();
        REQUIRE(c.id < seen.size());
        CHECK_FALSE(seen[c.id]);
        seen[c.id] = true;
        const unsigned q = unsigned(c.id / kRequests);
        if (generation.end == End::kNone) CHECK(c.status == Status::kSuccess);
        if (failed[q]) CHECK(c.status == Status::kWrFlushErr);
        failed[q] = c.status != Status::kSuccess;
      }
      pair_.meet(me);
    }
    qps.clear();
    while (self.receive_cq.poll()) {
    }
    pair_.meet(me);
    CHECK_FALSE(self.send_cq.poll());
  }

  /// Writes from side 0, reads back and counts.
  void witness(Endpoint& self, Endpoint& peer, unsigned n) {
    const unsigned me = self.node.index();
    if (me == 0) {
      fill(self.data(kWitness), 1500, n);
      driver::SendRequest write = request(Opcode::kWrite, self, kWitness, 1500, peer, kWitness);
      driver::SendRequest read =
          request(Opcode::kRead, self, kWitness + 2048, 1500, peer, kWitness);
      driver::SendRequest add =
          request(Opcode::kFetchAdd, self, kWitness + 4096, 8, peer, kWitness + 4096);
      add.swap_add = 1;
      write.id = read.id = add.id = kWitnessId;
      for (const auto* r : {&write, &read, &add}) self.qp().send(*r);
      for (int i = 0; i < 3; ++i) {
        const driver::Completion c = self.sent();
        CHECK(c.id == kWitnessId);
        REQUIRE(c.status == Status::kSuccess);
      }
      CHECK(first_wrong(self.data(kWitness + 2048), 1500, n) == 1500);
      CHECK(first_wrong(peer.data(kWitness), 1500, n) == 1500);
      std::uint64_t before;
      std::memcpy(&before, self.data(kWitness + 4096), 8);
      CHECK(before == n);
    }
    pair_.meet(me);
  }

  Pair& pair_;
  std::array<std::vector<std::uint32_t>, 2>& numbers_;
  std::uint64_t seed_;
  unsigned generations_;
};

void generations(unsigned width, unsigned count, std::uint64_t seed) {
  CAPTURE(seed);
  Config config;
  config.width = width;
  config.seed = seed;
  config.out_of_order = seed % 2 == 0;
  ConnectionOptions options;
  options.region_bytes = kWitness + 8192;
  Pair pair(config, options);
  std::array<std::vector<std::uint32_t>, 2> numbers;
  Program program(pair, numbers, seed, count);
  const auto run = [&](Endpoint& self, Endpoint& peer) { program.run(self, peer); };
  pair.run(run, run);
  MESSAGE(count, " generations, clocks ", pair.world.speed().clocks);
}

}  // namespace

TEST_CASE("generations: queue pairs end at any moment of any work and do not affect others") {
  const char* count = std::getenv("ROCI_GENERATIONS");
  const unsigned n = count != nullptr ? unsigned(std::atoi(count)) : 15;
  generations(64, n, 1);
  generations(512, n, 2);
}
