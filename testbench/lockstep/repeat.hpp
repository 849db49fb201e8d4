// SPDX-License-Identifier: Apache-2.0
// A divergence is looked into with waveforms. Writing them always would make every run slow, so the
// run is made again, by this program as another process: the world that diverged is then a traced
// one, from some time before the divergence on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roci::testbench::lockstep {

/// The trace of a repetition, for the worlds in lock-step since begin().
struct Retrace {
  unsigned world = 0;
  std::uint64_t from_ns = 0;
  std::string path;  ///< PATH.n0.fst and PATH.n1.fst; what diverged goes to PATH.again
};

/// Worlds are counted from here on, and the arguments with which this program comes to the same
/// worlds again are these.
void begin(std::vector<std::string> arguments);
/// Number of one more world.
unsigned next_world();
/// Set in a repetition, by the environment.
const std::optional<Retrace>& retrace();
/// Makes the run again, which takes as long as it took so far and more. Returns what came of it for
/// the report, `text`: what diverged, which must diverge again.
std::string repeat(const Retrace& retrace, const std::string& text);
/// In a repetition: reports the divergence.
void repeated(const std::string& text);
/// How to make it by hand.
std::string command(const Retrace& retrace);

}  // namespace roci::testbench::lockstep
