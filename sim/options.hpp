// SPDX-License-Identifier: Apache-2.0
// Values of options that several commands share, and how they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/command_line.hpp"
#include "testbench/adapter_tap.hpp"
#include "testbench/firmware/management.hpp"
#include "testbench/nic/engine.hpp"

namespace roci::sim {

/// Operation that carries the data.
enum class Operation { kWrite, kSend, kRead };

/// Options that describe the two adapters and the wire between them.
struct WorldOptions {
  testbench::Engine engine = testbench::Engine::kRtl;  ///< engine of both adapters
  testbench::FirmwareOn firmware = testbench::FirmwareOn::kHost;
  unsigned width = 512;           ///< bits of the data path, of kWidths
  unsigned mtu = 1024;            ///< path MTU in bytes
  bool ipv6 = false;              ///< addresses of the nodes
  double loss = 0;                ///< probability that a frame is lost, each way
  double duplicate = 0;           ///< ... comes twice
  double reorder = 0;             ///< ... is overtaken by later ones
  double corrupt = 0;             ///< ... has a bit flipped
  std::uint64_t delay_ns = 100;   ///< delay of the link, one way
  std::uint64_t memory_ns = 400;  ///< latency of host memory, one way
  std::uint64_t seed = 1;
  unsigned timeout = 8;  ///< transport timeout code: 4.096 us * 2^code
  std::string pcap;      ///< files; empty: none
  std::string trace;
  std::string timeline;
  testbench::AdapterTap* tap = nullptr;  ///< observes the adapters; nullptr: nobody does
  std::string plot;
  std::string json;
};

/// Adds the options of `WorldOptions` to a command.
void add_world_options(Command command, WorldOptions& options);
/// Adds --engine.
void add_engine(Command command, testbench::Engine& engine);
/// Adds --firmware.
void add_firmware(Command command, testbench::FirmwareOn& firmware);
/// Adds those of them that a simulator in the background has: engine, firmware, link, seed,
/// capture, trace.
void add_link_options(Command command, WorldOptions& options);
/// Adds --memory-latency.
void add_memory_latency(Command command, WorldOptions& options);
/// Adds --width.
void add_width(Command command, unsigned& width);
/// Adds --mtu.
void add_mtu(Command command, WorldOptions& options);
/// Adds --timeline.
void add_timeline(Command command, WorldOptions& options);
/// Adds the choice of operation.
void add_operation(Command command, Operation& operation);

const char* name_of(Operation operation);
const char* name_of(testbench::Engine engine);
/// Code of a path MTU, 1 = 256 to 5 = 4096 bytes.
std::uint8_t mtu_code(unsigned bytes);

/// "2us", "100ns", "1.5ms", "1s" -> nanoseconds. Throws std::invalid_argument.
std::uint64_t parse_duration(const std::string& text);

/// Adds an option that takes a probability such as "1%" or "0.01".
void add_probability(Command command, const std::string& name, double& target,
                     const std::string& text);
/// Adds such an option that may be absent.
void add_override(Command command, const std::string& name, std::optional<double>& target,
                  const std::string& text);

}  // namespace roci::sim
