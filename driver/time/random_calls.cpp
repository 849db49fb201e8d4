// SPDX-License-Identifier: Apache-2.0
// Programs that begin their random numbers at their process id and the time get the same ones in
// each run in simulated time: PSNs are such numbers, and the adapter asks for ACKs by PSN.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "driver/device/clock.hpp"
#include "driver/time/next.hpp"
#include "driver/time/process_clock.hpp"

namespace roci::timing {
namespace {

constexpr std::uint32_t kPrime = 0x01000193, kBasis = 0x811C9DC5;  // FNV-1a of 32 bits

std::uint32_t add(std::uint32_t hash, const char* text) {
  for (; text != nullptr && *text != 0; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * kPrime;
  }
  return hash;
}

/// Whether a program made the seed of its process id, of the time in seconds, or of both.
bool differs_by_run(const ProcessClock& clock, std::uint32_t seed) {
  const auto pid = static_cast<std::uint32_t>(getpid());
  const std::uint64_t now = clock.realtime_offset() + clock.now();
  const auto second = static_cast<std::uint32_t>(now / driver::kNsPerSecond);
  if (seed == pid) return true;
  const std::uint32_t seconds[] = {second, second - 1};  // it may have passed since
  return std::any_of(std::begin(seconds), std::end(seconds), [&](std::uint32_t time) {
    return seed == time || seed == pid * time || seed == pid + time || seed == (pid ^ time);
  });
}

/// The seed to use in place of `seed`: by node and program where it would be another in each run.
std::uint32_t repeated(std::uint32_t seed) {
  const ProcessClock* clock = ProcessClock::get();
  if (clock == nullptr || !differs_by_run(*clock, seed)) return seed;
  return add(add(kBasis, getenv("ROCI_NODE")), program_invocation_short_name);
}

}  // namespace
}  // namespace roci::timing

#pragma GCC visibility push(default)
extern "C" {

void srand48(long seed) noexcept {
  ROCI_NEXT(srand48);
  real(static_cast<long>(roci::timing::repeated(static_cast<std::uint32_t>(seed))));
}

void srand(unsigned seed) noexcept {
  ROCI_NEXT(srand);
  real(roci::timing::repeated(seed));
}

void srandom(unsigned seed) noexcept {
  ROCI_NEXT(srandom);
  real(roci::timing::repeated(seed));
}

}  // extern "C"
#pragma GCC visibility pop
