// SPDX-License-Identifier: Apache-2.0
// Repeats a run that diverged with waveforms. Because waveforms make every run slow, the run is
// repeated by this program as another process, in which the world that diverged is traced, from
// some time before the divergence on.
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
  std::string path;  ///< PATH.n0.fst and PATH.n1.fst; the divergence is reported in PATH.again
};

/// Begins the count of worlds, and sets the arguments with which this program repeats them.
void begin(std::vector<std::string> arguments);
/// Returns the number of a new world.
unsigned next_world();
/// The trace of this process when it is a repetition, from the environment.
const std::optional<Retrace>& retrace();
/// Repeats the run, which takes longer than the run so far. Returns the result for the report.
/// `text` is the divergence, which must occur again.
std::string repeat(const Retrace& retrace, const std::string& text);
/// In a repetition: reports the divergence.
void repeated(const std::string& text);
/// Returns the command that repeats the run.
std::string command(const Retrace& retrace);

}  // namespace roci::testbench::lockstep
