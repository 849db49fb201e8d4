// SPDX-License-Identifier: Apache-2.0
// The plan of a round, drawn from one seed: seed and round reproduce it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/queue_pair.hpp"
#include "model/transport/rules.hpp"
#include "testbench/connection/pattern.hpp"
#include "testbench/world.hpp"

namespace roci::soak {

using testbench::fill;
using testbench::first_wrong;
using testbench::mix;

using Kind = transport::MessageKind;
inline constexpr unsigned kKinds = 8;
const char* name_of(Kind kind);

/// End of a generation of a connection.
enum class Ending : std::uint8_t { kDone, kError, kReset, kDestroy, kBadKey };
inline constexpr unsigned kEndings = 5;
const char* name_of(Ending ending);

/// Values fixed by the user; the others are drawn.
struct Overrides {
  std::optional<unsigned> queue_pairs;
  std::optional<unsigned> messages;  ///< messages of all queue pairs together
  std::optional<double> loss, burst, duplicate, reorder, corrupt;
  bool atomics_only = false;
  bool one_generation = false;  ///< every connection has one generation
  bool lockstep = false;        ///< the RTL is compared with the reference adapter
  unsigned width = 64;
};

struct RoundPlan {
  std::uint64_t seed = 1;  ///< seed of the round; everything below follows from it
  testbench::Config config;
  bool rtl = false;

  unsigned connections = 1;  ///< connections
  unsigned messages = 0;     ///< messages in each direction of a connection
  unsigned generations = 1;  ///< most generations of a connection
  unsigned depth = 4;        ///< messages outstanding in a direction
  std::uint32_t max_bytes = 0;
  std::array<unsigned, kKinds> weights{};
  driver::ConnectOptions connect;
  bool wrap = false;     ///< first PSN 0xFFFFF0
  bool witness = false;  ///< connection 0 meets no fault and must not be affected by others'
  bool credits = false;
  std::array<bool, 2> srq{};  ///< receives of a node are shared
  double late_receive = 0;    ///< receives posted after their message
  std::uint64_t late_ns = 0;  ///< greatest delay of those
  double unsignaled = 0.2;
  std::array<double, kEndings> endings{};  ///< probability of each, except for the last generation
  double linger = 0;  ///< probability that a peer detects the end by its retries only

  /// Returns one line for the report.
  std::string text() const;
};

/// Returns the plan of round `round` of a run with `seed`.
RoundPlan plan_of(std::uint64_t seed, unsigned round, testbench::Engine engine,
                  const Overrides& overrides);

/// Returns the seed of a round.
std::uint64_t seed_of(std::uint64_t seed, unsigned round);

}  // namespace roci::soak
