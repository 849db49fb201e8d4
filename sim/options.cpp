// SPDX-License-Identifier: Apache-2.0
#include "sim/options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testbench/link/widths.hpp"

namespace roci::sim {
namespace {

/// Splits "1.5ms" into 1.5 and "ms". Throws std::invalid_argument.
std::pair<double, std::string> split_unit(const std::string& text) {
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    throw std::invalid_argument(fmt::format("'{}' is not a number", text));
  }
  return {value, text.substr(end)};
}

/// "1%", "0.01" -> 0.01.
double parse_probability(const std::string& text) {
  auto [value, unit] = split_unit(text);
  if (unit == "%") {
    value /= 100;
  } else if (!unit.empty()) {
    throw std::invalid_argument(fmt::format("'{}' is not a probability", text));
  }
  if (!(value >= 0 && value <= 1)) {
    throw std::invalid_argument(fmt::format("{} is not between 0 and 1 (or 0% and 100%)", text));
  }
  return value;
}

Operation parse_operation(const std::string& text) {
  for (Operation operation : {Operation::kWrite, Operation::kSend, Operation::kRead}) {
    if (text == name_of(operation)) return operation;
  }
  throw std::invalid_argument(fmt::format("'{}' is none of write, send, read", text));
}

testbench::Engine parse_engine(const std::string& text) {
  for (testbench::Engine engine : {testbench::Engine::kRtl, testbench::Engine::kModel}) {
    if (text == name_of(engine)) return engine;
  }
  throw std::invalid_argument(fmt::format("'{}' is neither rtl nor model", text));
}

testbench::FirmwareOn parse_firmware(const std::string& text) {
  if (text == "host") return testbench::FirmwareOn::kHost;
  if (text == "rv32") return testbench::FirmwareOn::kRv32;
  throw std::invalid_argument(fmt::format("'{}' is neither host nor rv32", text));
}

/// Adds an option whose text `parse` turns into a value.
template <typename Value>
Option add_parsed(Command command, const std::string& name, Value& target,
                  Value (*parse)(const std::string&), const std::string& text) {
  return command.add_parsed(
      name, [&target, parse](const std::string& value) { target = parse(value); }, text);
}

void add_duration(Command command, const std::string& name, std::uint64_t& target,
                  const std::string& text) {
  add_parsed(command, name, target, parse_duration, text).type_name("T");
}

}  // namespace

std::uint64_t parse_duration(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto [value, unit] = split_unit(text);
  const auto found = kUnits.find(unit);
  if (found == kUnits.end()) {
    throw std::invalid_argument(fmt::format("'{}' is not a time; use ns, us, ms or s", text));
  }
  const double ns = value * found->second;
  if (!(ns >= 0 && ns <= 1e10)) {
    throw std::invalid_argument(fmt::format("{} is not between 0 and 10 s", text));
  }
  return static_cast<std::uint64_t>(std::llround(ns));
}

void add_probability(Command command, const std::string& name, double& target,
                     const std::string& text) {
  add_parsed(command, name, target, parse_probability, text).type_name("P");
}

void add_override(Command command, const std::string& name, std::optional<double>& target,
                  const std::string& text) {
  command
      .add_parsed(
          name, [&target](const std::string& value) { target = parse_probability(value); }, text)
      .type_name("P");
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return "write";
    case Operation::kSend:
      return "send";
    case Operation::kRead:
      return "read";
  }
  return "?";
}

const char* name_of(testbench::Engine engine) {
  return engine == testbench::Engine::kRtl ? "rtl" : "model";
}

std::uint8_t mtu_code(unsigned bytes) {
  std::uint8_t code = 1;
  while (256u << (code - 1) < bytes) ++code;
  return code;
}

void add_engine(Command command, testbench::Engine& engine) {
  add_parsed(command, "--engine", engine, parse_engine,
             "the adapters: rtl, the verilated hardware, or model, the reference [rtl]")
      .type_name("ENGINE");
}

void add_firmware(Command command, testbench::FirmwareOn& firmware) {
  add_parsed(command, "--firmware", firmware, parse_firmware,
             "the firmware: host, compiled for this machine, or rv32, on a RISC-V processor beside "
             "the adapter [host]")
      .type_name("WHERE");
}

void add_memory_latency(Command command, WorldOptions& options) {
  add_duration(command, "--memory-latency", options.memory_ns, "host memory, one way [400ns]");
}

void add_timeline(Command command, WorldOptions& options) {
  command
      .add_option("--timeline", options.timeline,
                  "timeline of the adapters for Perfetto (JSON): docs/timeline.md")
      .type_name("FILE");
}

void add_operation(Command command, Operation& operation) {
  add_parsed(command, "--op", operation, parse_operation,
             "operation that carries the data: write, send or read [write]")
      .type_name("OP");
}

void add_link_options(Command command, WorldOptions& options) {
  add_engine(command, options.engine);
  add_firmware(command, options.firmware);
  add_width(command, options.width);
  add_probability(command, "--loss", options.loss, "frames lost, each way, such as 0.01 or 1%");
  add_probability(command, "--duplicate", options.duplicate, "duplicated frames");
  add_probability(command, "--reorder", options.reorder, "reordered frames");
  add_probability(command, "--corrupt", options.corrupt, "frames with a flipped bit");
  add_duration(command, "--delay", options.delay_ns, "delay of the link, one way [100ns]");
  add_memory_latency(command, options);
  command.add_option("--seed", options.seed, "seed of all randomness")
      .type_name("N")
      .show_default();
  command.add_option("--pcap", options.pcap, "capture of the link (pcapng)").type_name("FILE");
  command.add_option("--trace", options.trace, "waveforms of the adapters (FST)").type_name("FILE");
  add_timeline(command, options);
}

void add_width(Command command, unsigned& width) {
  std::vector<std::string> widths;
  for (const testbench::Width& each : testbench::kWidths) {
    widths.push_back(std::to_string(each.bits));
  }
  const std::string text = fmt::format("data path of the engine: {} bits", fmt::join(widths, ", "));
  command.add_option("--width", width, text).one_of(widths).type_name("BITS").show_default();
}

void add_mtu(Command command, WorldOptions& options) {
  command.add_option("--mtu", options.mtu, "path MTU: 256, 512, 1024, 2048 or 4096 bytes")
      .one_of({256, 512, 1024, 2048, 4096})
      .type_name("BYTES")
      .show_default();
}

void add_world_options(Command command, WorldOptions& options) {
  add_mtu(command, options);
  add_link_options(command, options);
  command.add_flag("--ipv6", options.ipv6, "IPv6 addresses instead of IPv4");
  command.add_option("--timeout", options.timeout, "transport timeout code: 4.096 us * 2^code")
      .range(1, 31)
      .type_name("CODE")
      .show_default();
  command.add_option("--plot", options.plot, "plot (SVG)").type_name("FILE");
  command.add_option("--json", options.json, "write the results as JSON").type_name("FILE");
}

}  // namespace roci::sim
