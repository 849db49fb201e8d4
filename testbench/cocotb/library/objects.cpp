// SPDX-License-Identifier: Apache-2.0
// Peer and judge of the C interface.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "testbench/cocotb/library/cocotbext_roce.h"
#include "testbench/cocotb/library/peer.hpp"
#include "testbench/cocotb/library/text.hpp"
#include "testbench/verify/judge/judge.hpp"

using namespace roci;

struct roce_peer {
  cocotb::PeerDevice device;
  cocotb::VerbsAgent agent;
  conform::AgentReply reply;

  explicit roce_peer(const roce_peer_options& options)
      : device(options.mac, options.port_mtu, options.memory_bytes + kQueues),
        agent(device, agent_options(options)) {}

 private:
  /// Beside the regions, memory has the queues.
  static constexpr std::size_t kQueues = 16 << 20;

  static cocotb::VerbsAgentOptions agent_options(const roce_peer_options& from) {
    cocotb::VerbsAgentOptions options;
    options.gids.resize(2);
    std::memcpy(options.gids[0].data(), from.gid, sizeof from.gid);
    std::memcpy(options.gids[1].data(), from.second_gid, sizeof from.second_gid);
    if (options.gids[1] == driver::Gid{}) options.gids.pop_back();
    options.next_hop = from.next_hop;
    options.memory_bytes = from.memory_bytes;
    return options;
  }
};

struct roce_judge {
  judge::Judge judge;
  explicit roce_judge(bool connected_once) : judge(connected_once) {}
};

namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30;

nlohmann::json json_of(const judge::Report& report) {
  nlohmann::json all = {{"frames", report.frames},         {"requests", report.requests},
                        {"responses", report.responses},   {"streams", report.streams},
                        {"paired", report.paired},         {"findings", nlohmann::json::array()},
                        {"notes", nlohmann::json::array()}};
  for (const judge::Finding& one : report.findings) {
    all["findings"].push_back({{"frame", one.frame},
                               {"statement", one.statement},
                               {"text", one.text},
                               {"packet", one.packet}});
  }
  for (const judge::Note& one : report.notes) {
    all["notes"].push_back({{"frame", one.frame}, {"text", one.text}});
  }
  return all;
}

}  // namespace

extern "C" {

roce_peer* roce_peer_open(const roce_peer_options* options, size_t size) {
  return cocotb::guarded<roce_peer*>(nullptr, [&] {
    if (size != sizeof *options) throw std::invalid_argument("options of another version");
    if (options->memory_bytes == 0 || options->memory_bytes > kMostMemory) {
      throw std::invalid_argument("a peer has 1 byte to 1 GiB of memory");
    }
    return new roce_peer(*options);
  });
}

void roce_peer_close(roce_peer* peer) { delete peer; }

void roce_peer_time(roce_peer* peer, uint64_t now_ns) { peer->device.set_time(now_ns); }

uint64_t roce_peer_deadline(const roce_peer* peer) { return peer->device.deadline(); }

void roce_peer_receive(roce_peer* peer, const uint8_t* frame, size_t bytes) {
  peer->device.receive({frame, bytes});
}

size_t roce_peer_send(roce_peer* peer, uint8_t* frame, size_t room) {
  std::deque<packet::Bytes>& frames = peer->device.frames();
  if (frames.empty() || frames.front().size() > room) return 0;
  const std::size_t bytes = frames.front().size();
  std::memcpy(frame, frames.front().data(), bytes);
  frames.pop_front();
  return bytes;
}

int roce_peer_request(roce_peer* peer, uint32_t operation, const uint64_t* words, size_t count,
                      const uint8_t* bytes, size_t byte_count, roce_reply* reply) {
  return cocotb::guarded(EIO, [&] {
    peer->reply =
        peer->agent.request(static_cast<agent_op>(operation),
                            std::vector<std::uint64_t>(words, words + count), bytes, byte_count);
    const conform::AgentReply& is = peer->reply;
    *reply = {is.words.data(), is.words.size(), is.bytes.data(), is.bytes.size()};
    return is.error;
  });
}

uint8_t* roce_peer_memory(roce_peer* peer) { return peer->agent.memory(); }

roce_judge* roce_judge_open(int connected_once) { return new roce_judge(connected_once != 0); }

void roce_judge_close(roce_judge* judge) { delete judge; }

void roce_judge_take(roce_judge* judge, uint64_t time_ns, const uint8_t* frame, size_t bytes) {
  judge->judge.take({time_ns, packet::Bytes(frame, frame + bytes), bytes});
}

const char* roce_judge_report(const roce_judge* judge) {
  return cocotb::keep(json_of(judge->judge.report()).dump());
}
}
