// SPDX-License-Identifier: Apache-2.0
// Isolation of the processes of one node: `hostile watch` sends and checks, and `hostile attack
// SEED KEY ADDRESS` attempts what a process can do to it. Run by callers.py.
//
// The attacker has registrations between pages that it did not register: those pages must not
// change either.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <random>

#include "sim/test/verbs/user.hpp"

namespace roci::user {
namespace {

constexpr std::uint32_t kBytes = 4096;
constexpr unsigned kRounds = 40, kPostsEach = 24;
using Random = std::mt19937_64;

/// Sends and checks until the end of its input; prints its key and address first, its rounds last.
int watch() {
  Device device;
  Pair pair(device);
  Region from(device.pd, 2 * kBytes), into(device.pd, 2 * kBytes), untouched(device.pd, kBytes);
  std::fill(untouched.bytes.begin(), untouched.bytes.end(), 0xA5);
  const std::vector<std::uint8_t> still = untouched.bytes;
  std::printf("ready %u %" PRIu64 "\n", untouched.mr->rkey, untouched.at());
  std::fflush(stdout);
  unsigned rounds = 0;
  for (pollfd input{STDIN_FILENO, POLLIN, 0}; poll(&input, 1, 0) == 0; ++rounds) {
    for (std::size_t i = 0; i < from.bytes.size(); ++i) {
      from.bytes[i] = static_cast<std::uint8_t>(rounds * 31 + i * 7);
    }
    need_zero(pair.b.receive(into.at(), kBytes, into.mr->lkey), "receive");
    need_zero(pair.a.send(from, kBytes), "send");
    ibv_send_wr wr{};
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = into.at(kBytes);
    wr.wr.rdma.rkey = into.mr->rkey;
    need_zero(pair.a.post(wr, from.at(kBytes), kBytes, from.mr->lkey), "write");
    for (const ibv_wc& wc : {pair.a.next(), pair.a.next(), pair.b.next()}) {
      if (wc.status != IBV_WC_SUCCESS) throw std::runtime_error(ibv_wc_status_str(wc.status));
    }
    if (into.bytes != from.bytes) throw std::runtime_error("other bytes arrived");
    if (untouched.bytes != still) throw std::runtime_error("memory of the watcher was changed");
  }
  std::printf("intact %u\n", rounds);
  return 0;
}

struct Mapping {
  std::uint8_t* at;
  std::size_t bytes;
};

/// Writable private memory and rings, or the doorbell page, of this process.
std::vector<Mapping> mappings(bool doorbells) {
  std::vector<Mapping> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t first = 0, last = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &first, &last, rights);
    const bool page = line.find("roci-doorbells") != std::string::npos;
    const bool ring = line.find("roci-rings") != std::string::npos;
    const bool named = line.find('/') != std::string::npos || line.find('[') != std::string::npos;
    if (doorbells ? page : ring || (!named && std::string(rights) == "rw-p")) {
      found.push_back({reinterpret_cast<std::uint8_t*>(first), last - first});
    }
  }
  return found;
}

std::uint64_t choose(Random& random, std::initializer_list<std::uint64_t> among) {
  return among.begin()[random() % among.size()];
}

/// Memory registered in its middle third.
struct Island {
  explicit Island(Device& device) : bytes(3 * kBytes, 0x5A) {
    mr = need(ibv_reg_mr(device.pd, bytes.data() + kBytes, kBytes, kAllAccess), "island");
  }
  ~Island() { ibv_dereg_mr(mr); }
  std::uint64_t at() const { return reinterpret_cast<std::uint64_t>(bytes.data()) + kBytes; }
  bool shores_are_dry() const {
    for (std::size_t i = 0; i < kBytes; ++i) {
      if (bytes[i] != 0x5A || bytes[2 * kBytes + i] != 0x5A) return false;
    }
    return true;
  }
  std::vector<std::uint8_t> bytes;
  ibv_mr* mr;
};

/// Pages of the pair's send queue, found by a remote address that occurs nowhere else in this
/// process.
std::vector<std::uint8_t*> queue_pages(Random& random, Pair& pair, const Island& island) {
  const std::uint64_t mark = island.at() + 8 * (random() % (kBytes / 8));
  ibv_send_wr wr{};
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.wr.rdma = {mark, island.mr->rkey};
  need_zero(pair.a.post(wr, island.at(), 8, island.mr->lkey), "mark");
  std::vector<std::uint8_t*> pages;
  for (const Mapping& m : mappings(false)) {
    for (std::size_t at = 0; at + kBytes <= m.bytes; at += kBytes) {
      if (memmem(m.at + at, kBytes, &mark, 8) != nullptr) pages.push_back(m.at + at);
    }
  }
  pair.a.next();
  return pages;
}

void post_nonsense(Random& random, Pair& pair, const Island& island, std::uint32_t their_key,
                   std::uint64_t their_address) {
  ibv_send_wr wr{};
  constexpr ibv_wr_opcode kOps[] = {IBV_WR_SEND,
                                    IBV_WR_RDMA_WRITE,
                                    IBV_WR_RDMA_READ,
                                    IBV_WR_ATOMIC_FETCH_AND_ADD,
                                    IBV_WR_ATOMIC_CMP_AND_SWP,
                                    IBV_WR_RDMA_WRITE_WITH_IMM};
  wr.opcode = kOps[random() % std::size(kOps)];
  const auto key = [&] {
    return static_cast<std::uint32_t>(choose(
        random, {island.mr->rkey, island.mr->rkey, island.mr->rkey, their_key, random(), 0}));
  };
  const auto address = [&] {
    return choose(random, {island.at(), island.at() + kBytes - 8, island.at() - 4, their_address,
                           island.at() + kBytes, random(), 0, ~std::uint64_t{0} - 8});
  };
  const std::uint64_t remote = address();
  if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
    wr.wr.atomic = {remote, random(), random(), key()};
  } else {
    wr.wr.rdma = {remote, key()};
  }
  const auto length = static_cast<std::uint32_t>(
      choose(random, {8, 8, 64, kBytes, 2 * kBytes, random() & 0x7FFFFFFF, 0}));
  pair.a.post(wr, address(), length, key());
  pair.b.receive(address(), length, key());
}

/// Overwrites the doorbells and pages of its own queues with random data, and rings doorbells.
void scribble(Random& random, const std::vector<std::uint8_t*>& queues) {
  for (std::uint8_t* page : queues) {
    for (std::size_t i = 0; i < kBytes; i += 8) {
      // A random entry is rejected by its first byte; single changed words reach later checks.
      if (random() % 8 != 0) continue;
      auto* word = reinterpret_cast<std::uint64_t*>(page + i);
      *word = random() % 4 == 0 ? random() : *word ^ (std::uint64_t{1} << random() % 64);
    }
  }
  for (const Mapping& page : mappings(true)) {
    for (std::size_t i = 0; i + 8 <= page.bytes; i += 8) {
      const std::uint64_t noise = random();
      std::memcpy(page.at + i, &noise, 8);
    }
    reinterpret_cast<std::uint32_t*>(page.at)[0] = 1;  // the bell; `asleep` follows it
    reinterpret_cast<std::uint32_t*>(page.at)[1] = 1;  // so that the next doorbell wakes
  }
}

int attack(std::uint64_t seed, std::uint32_t their_key, std::uint64_t their_address) {
  Random random(seed);
  Device device;
  Island island(device);
  Region region(device.pd, kBytes);
  std::size_t pages = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    Pair pair(device);
    const std::vector<std::uint8_t*> queues = queue_pages(random, pair, island);
    pages += queues.size();
    for (unsigned i = 0; i < kPostsEach; ++i) {
      post_nonsense(random, pair, island, their_key, their_address);
    }
    scribble(random, queues);
    pair.a.send(region, 64);  // and a doorbell
    usleep(2000);
    if (!island.shores_are_dry()) throw std::runtime_error("memory without registration changed");
  }
  if (pages < kRounds || mappings(true).empty()) throw std::runtime_error("queues not found");
  std::printf("done, %zu pages of queues\n", pages);
  return 0;
}

}  // namespace
}  // namespace roci::user

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "watch") return roci::user::watch();
    if (what == "attack" && argc == 5) {
      return roci::user::attack(std::stoull(argv[2]),
                                static_cast<std::uint32_t>(std::stoul(argv[3])),
                                std::stoull(argv[4]));
    }
    std::fprintf(stderr, "usage: hostile watch | attack SEED KEY ADDRESS\n");
    return 2;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
