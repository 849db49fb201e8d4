// SPDX-License-Identifier: Apache-2.0
#include "testbench/board/agent.hpp"

#include <cstdio>
#include <exception>
#include <memory>

#include "testbench/board/device.hpp"
#include "testbench/cocotb/library/verbs_agent.hpp"
#include "testbench/verify/conform/target/mirror.hpp"

namespace roci::testbench {
namespace {

/// Memory that is released is used again: a run has many tests.
class AgentDevice final : public BoardDevice {
 public:
  AgentDevice(const BoardBus& bus, std::uint8_t* memory, std::uint64_t bytes, std::uint64_t address)
      : BoardDevice(bus, memory, bytes, address), pool_(address, bytes, memory) {}
  driver::DmaMemory allocate(std::size_t bytes, std::size_t alignment) override {
    return pool_.allocate(bytes, alignment);
  }
  void release(const driver::DmaMemory& memory) override { pool_.release(memory); }

 private:
  conform::Mirror pool_;
};

cocotb::VerbsAgentOptions options_of(std::uint32_t ipv4, std::uint64_t next_hop,
                                     std::uint64_t bytes) {
  cocotb::VerbsAgentOptions options;
  options.gids = {driver::gid_of_ipv4(ipv4)};
  options.next_hop = next_hop;
  options.memory_bytes = bytes / 2;  // the rest is for the queues
  return options;
}

}  // namespace
}  // namespace roci::testbench

using roci::testbench::AgentDevice;
using roci::testbench::options_of;

struct BoardAgent {
  BoardAgent(const BoardBus& to, std::uint8_t* memory, std::uint64_t bytes, std::uint64_t address,
             std::uint32_t ipv4, std::uint64_t next_hop)
      : bus(to),
        device(bus, memory, bytes, address),
        verbs(device, options_of(ipv4, next_hop, bytes)) {}

  const BoardBus bus;
  AgentDevice device;
  roci::cocotb::VerbsAgent verbs;
  roci::conform::AgentReply reply;
};

BoardAgent* board_agent_open(const BoardBus* bus, std::uint8_t* memory, std::uint64_t bytes,
                             std::uint64_t address, std::uint32_t ipv4, std::uint64_t next_hop,
                             char* reason, std::uint64_t reason_bytes) {
  try {
    return new BoardAgent(*bus, memory, bytes, address, ipv4, next_hop);
  } catch (const std::exception& error) {
    std::snprintf(reason, reason_bytes, "%s", error.what());
    return nullptr;
  }
}

void board_agent_close(BoardAgent* agent) { delete agent; }

std::uint8_t* board_agent_memory(BoardAgent* agent) { return agent->verbs.memory(); }

int board_agent_request(BoardAgent* agent, std::uint32_t operation, const std::uint64_t* words,
                        std::uint64_t count, const std::uint8_t* bytes, std::uint64_t byte_count,
                        BoardReply* reply) {
  roci::conform::AgentReply& is = agent->reply;
  is = agent->verbs.request(static_cast<agent_op>(operation), {words, words + count}, bytes,
                            byte_count);
  *reply = {is.words.data(), is.words.size(), is.bytes.data(), is.bytes.size()};
  return is.error;
}

void board_agent_work(BoardAgent* agent) { agent->device.work(1); }
