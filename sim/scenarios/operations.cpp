// SPDX-License-Identifier: Apache-2.0
#include "sim/scenarios/operations.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>

#include "sim/scenarios/stream.hpp"

namespace roci::sim {
namespace {

struct Row {
  const char* name;
  Operation operation;
  std::optional<driver::Opcode> opcode;
};

const std::array<Row, 5> kRows = {{
    {"SEND", Operation::kSend, std::nullopt},
    {"WRITE", Operation::kWrite, std::nullopt},
    {"READ", Operation::kRead, std::nullopt},
    {"fetch and add", Operation::kWrite, driver::Opcode::kFetchAdd},
    {"compare and swap", Operation::kWrite, driver::Opcode::kCmpSwap},
}};

constexpr double kClocksPerUs = 250;

}  // namespace

nlohmann::json operations(const WorldOptions& world, bool quick) {
  fmt::print(
      "\nClocks of 4 ns: from post to completion with nothing else outstanding, and for one\n");
  fmt::print("message of a stream over 8 queue pairs with 16 messages outstanding on each\n");
  fmt::print("{:<18} {:>9} {:>20} {:>11}\n", "operation", "#bytes", "post to completion",
             "in a stream");
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : kRows) {
    for (unsigned bytes : {8u, 64u, 256u, 1024u, 4096u, 65536u}) {
      if (row.opcode && bytes != 8) continue;
      StreamPlan plan;
      plan.operation = row.operation;
      plan.opcode = row.opcode;
      plan.bytes = bytes;
      plan.depth = 1;
      plan.messages = quick ? 4 : 16;
      const double alone = stream(world, plan).latency_us * kClocksPerUs;
      plan.queue_pairs = 8;
      plan.depth = 16;
      plan.messages = bytes > 4096 ? 256 : quick ? 256 : 2048;
      const double streamed = stream(world, plan).clocks;
      fmt::print("{:<18} {:>9} {:>20.0f} {:>11.2f}\n", row.name, bytes, alone, streamed);
      std::fflush(stdout);
      rows.push_back({{"operation", row.name},
                      {"bytes", bytes},
                      {"post_to_completion_clocks", alone},
                      {"stream_clocks", streamed}});
    }
  }
  return rows;
}

}  // namespace roci::sim
