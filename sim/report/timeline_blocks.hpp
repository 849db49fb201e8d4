// SPDX-License-Identifier: Apache-2.0
// The tracks of an engine's blocks in a timeline: when each is at work, and what it hands on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/report/trace_file.hpp"
#include "testbench/nic/engine_work.hpp"

namespace roci::sim {

/// The name of an ACK or NAK.
std::string ack_name(std::uint8_t syndrome);
/// The block whose track has a record: the one that hands it on.
testbench::EngineBlock block_of(testbench::EngineRecordKind kind);
/// The name of a record and its arguments in JSON, without those of its time.
std::string name_of(const testbench::EngineRecord& record);
std::string arguments_of(const testbench::EngineRecord& record);

/// The blocks of one adapter. Tracks get the threads from `first_thread` on; each appears with its
/// first entry.
class BlockTracks {
 public:
  static constexpr unsigned kThreads = testbench::kEngineBlocks;

  BlockTracks(TraceFile& file, unsigned process, unsigned first_thread)
      : file_(&file), process_(process), first_thread_(first_thread) {}

  void works(testbench::EngineBlock block, std::uint64_t time_ns, bool works);
  void taken(const testbench::EngineRecord& record);
  /// Ends the work that goes on.
  void finish(std::uint64_t time_ns);

 private:
  struct Track {
    bool named = false;
    std::optional<std::uint64_t> since_ns;  ///< at work
  };

  unsigned thread_of(testbench::EngineBlock block);

  TraceFile* file_;
  unsigned process_, first_thread_;
  std::array<Track, testbench::kEngineBlocks> tracks_;
};

}  // namespace roci::sim
