// SPDX-License-Identifier: Apache-2.0
// Requests of the agent's protocol on the core, by driver and firmware, with a C interface for
// ctypes. cocotbext-roce makes them for its tests of conformance.
#pragma once

#include <cstdint>

#include "testbench/board/program.hpp"

extern "C" {

struct BoardAgent;

struct BoardReply {
  const std::uint64_t* words;
  std::uint64_t count;
  const std::uint8_t* bytes;
  std::uint64_t byte_count;
};

/// Brings the core up, on memory that it sees from `address` on; `ipv4` becomes its first GID, and
/// `next_hop` is where its frames go. The memory is the bench's. nullptr: `reason` says why.
BoardAgent* board_agent_open(const BoardBus* bus, std::uint8_t* memory, std::uint64_t bytes,
                             std::uint64_t address, std::uint32_t ipv4, std::uint64_t next_hop,
                             char* reason, std::uint64_t reason_bytes);
void board_agent_close(BoardAgent* agent);
/// First byte of the memory that kAgentHello states.
std::uint8_t* board_agent_memory(BoardAgent* agent);
/// Returns 0 or an errno; the reply is valid until the next request.
int board_agent_request(BoardAgent* agent, std::uint32_t operation, const std::uint64_t* words,
                        std::uint64_t count, const std::uint8_t* bytes, std::uint64_t byte_count,
                        BoardReply* reply);
/// What is due for the firmware.
void board_agent_work(BoardAgent* agent);
}
