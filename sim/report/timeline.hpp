// SPDX-License-Identifier: Apache-2.0
// Timeline of adapters for Perfetto: what happens on their links, at their buses and in their
// queues, in simulated time. docs/timeline.md describes the tracks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "model/transport/psn.hpp"
#include "sim/report/timeline_blocks.hpp"
#include "sim/report/trace_file.hpp"
#include "testbench/adapter_tap.hpp"

namespace roci::sim {

class Timeline final : public testbench::AdapterTap {
 public:
  /// Throws UserError when the file cannot be written.
  explicit Timeline(const std::string& path) : file_(path) {}

  /// nullptr when `path` is empty.
  static std::unique_ptr<Timeline> open(const std::string& path);

  // AdapterTap
  void begin(const std::vector<std::string>& adapters, double rate_gbps) override;
  void frame(const testbench::FrameEvent& event) override;
  void bus_access(unsigned adapter, const testbench::BusAccess& access) override;
  void register_written(unsigned adapter, std::uint64_t time_ns, std::uint32_t offset,
                        std::uint32_t value) override;
  void block_works(unsigned adapter, testbench::EngineBlock block, std::uint64_t time_ns,
                   bool works) override;
  void record_taken(unsigned adapter, const testbench::EngineRecord& record) override;

  /// Ends what is still open and completes the file. Throws UserError when a write failed.
  void commit();

 private:
  /// Work requests of a send or receive queue that wait for their completions.
  struct Queue {
    std::string name;
    std::uint16_t oldest = 0;        ///< index of the oldest one
    std::deque<std::uint64_t> open;  ///< their ids in the file, in order
  };
  using QueueKey = std::tuple<unsigned, std::uint32_t, bool>;  ///< adapter, number, receives
  /// Packets of an adapter to a queue pair: requests or responses.
  struct Flow {
    unsigned thread;
    bool begun = false;
    transport::Psn newest;
  };
  using FlowKey = std::tuple<unsigned, std::uint32_t, bool>;  ///< sender, number, responses

  unsigned process(unsigned adapter) const { return base_ + adapter; }
  void finish();
  Flow& flow_of(const testbench::FrameEvent& event, bool response);
  void post(unsigned adapter, std::uint32_t number, bool receives, std::uint16_t producer,
            std::uint64_t time_ns);
  void complete(unsigned adapter, const std::uint8_t* entry, std::uint64_t time_ns);
  /// Marks a step of work requests, from `index` on, in the track of a send or receive queue.
  void mark(const QueueKey& key, std::uint16_t index, unsigned count, std::uint64_t time_ns,
            const char* step);
  /// Both queues of a queue pair are empty from now on.
  void reset(unsigned adapter, std::uint32_t number, std::uint64_t time_ns);
  /// Ends the oldest `count` requests of a queue; `arguments` are those of the last.
  void retire(unsigned adapter, Queue& queue, std::size_t count, std::uint64_t time_ns,
              const std::string& arguments);

  TraceFile file_;
  unsigned simulation_ = 0;           ///< number of this one, from 1
  unsigned base_ = 1, adapters_ = 0;  ///< its processes in the file
  double ns_per_byte_ = 0;
  std::uint64_t now_ns_ = 0, next_id_ = 1;
  std::map<QueueKey, Queue> queues_;
  std::map<FlowKey, Flow> flows_;
  std::vector<BlockTracks> blocks_;        ///< by adapter
  std::vector<std::uint32_t> table_word_;  ///< by adapter: first word for the table port
};

}  // namespace roci::sim
