// SPDX-License-Identifier: Apache-2.0
#include "sim/server/cm_service.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "driver/verbs/tree.hpp"
#include "sim/server/cm_frames.hpp"

namespace roci::sim {

namespace {

// Linux waits 4.3 s (20) for a response, which is what a lost message costs; here it is 1.1 s, as
// the network is in one process. For a program that takes longer, a repeated REQ or REP gets an MRA
// (12.6.6); a SIDR_REQ, which has no MRA, is repeated for 17 s.
constexpr std::uint8_t kTimeout = 18;

}  // namespace

CmService::CmService(Fabric& fabric, SimulatedTime& time) : fabric_(fabric), time_(time) {
  std::random_device random;
  for (unsigned i = 0; i < fabric.names().nodes; ++i) {
    cm::UcmConfig config;
    config.adapters.clear();
    config.cm_timeout = config.sidr_timeout = kTimeout;
    for (unsigned place = 0; place < fabric.names().adapters_each; ++place) {
      FabricAdapter& one = adapter({place}, i);
      config.adapters.push_back({verbs::guid_of_mac(one.mac())});
      for (const NodeGid& gid : one.gids()) {
        cm::Gid bytes{};
        if (!gid.roce_v1) std::copy(gid.gid.begin(), gid.gid.end(), bytes.begin());
        config.adapters.back().gids.push_back(bytes);
      }
    }
    config.first_id = random();
    const auto reachable = [this](const cm::Gid& gid) { return mac_of(gid) != 0; };
    nodes_.emplace_back();
    nodes_[i].ucm = std::make_unique<cm::Ucm>(
        config, reachable, [this, i](cm::Ucm::ChannelId channel) { announce(i, channel); });
  }
  fabric.middle().set_datagrams(
      [this](unsigned adapter, const packet::Bytes& frame) { return take(adapter, frame); });
}

CmService::Channel CmService::open(unsigned node, int events) {
  const Channel channel{node, nodes_[node].ucm->open()};
  nodes_[node].events[channel.id] = events;
  return channel;
}

void CmService::close(const Channel& channel) {
  Node& node = nodes_[channel.node];
  node.events.erase(channel.id);
  node.owed.erase(channel.id);
  node.ucm->close(channel.id, time_.clock_ns());
}

/// A byte for each event. What the socket does not take is written at the next command.
void CmService::announce(unsigned index, cm::Ucm::ChannelId channel) {
  Node& node = nodes_[index];
  const auto events = node.events.find(channel);
  if (events == node.events.end()) return;
  const char byte = 0;
  time_.news();
  if (send(events->second, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1) ++node.owed[channel];
}

driver::protocol::CmReply CmService::command(const Channel& channel,
                                             const driver::protocol::CmCommand& command) {
  Node& node = nodes_[channel.node];
  for (unsigned owed = std::exchange(node.owed[channel.id], 0); owed != 0; --owed) {
    announce(channel.node, channel.id);
  }
  const std::vector<std::uint8_t> option(command.option, command.option + command.option_bytes);
  const cm::UcmReply done = node.ucm->command(channel.id, command.body, command.bytes, option,
                                              command.other, time_.clock_ns());
  driver::protocol::CmReply reply{};
  reply.header = command.header;
  reply.error = static_cast<std::uint32_t>(done.error);
  reply.address = done.address;
  reply.bytes = static_cast<std::uint32_t>(std::min(done.bytes.size(), sizeof reply.body));
  std::copy_n(done.bytes.begin(), reply.bytes, reply.body);
  return reply;
}

void CmService::remove(unsigned adapter) {
  nodes_[fabric_.names().node_of(adapter)].ucm->remove(fabric_.names().place_of(adapter));
}

std::uint64_t CmService::deadline() const {
  std::uint64_t first = cm::kNever;
  for (const Node& node : nodes_) first = std::min(first, node.ucm->deadline());
  return first;
}

void CmService::expire() {
  if (deadline() == cm::kNever) return;  // asked often, mostly without connections
  const std::uint64_t now = time_.clock_ns();
  for (Node& node : nodes_) {
    if (node.ucm->deadline() <= now) node.ucm->expire(now);
  }
}

std::uint64_t CmService::mac_of(const cm::Gid& gid) const {
  for (unsigned i = 0; i < fabric_.adapters(); ++i) {
    for (const NodeGid& one : fabric_.adapter(i).gids()) {
      if (std::equal(gid.begin(), gid.end(), one.gid.begin())) return fabric_.adapter(i).mac();
    }
  }
  return 0;
}

bool CmService::flush(std::uint64_t now_ns) {
  bool any = false;
  for (unsigned i = 0; i < nodes_.size(); ++i) {
    for (const cm::Outgoing& one : nodes_[i].ucm->take_outgoing()) {
      const std::uint64_t to = mac_of(one.path.remote);
      if (to == 0) continue;  // lost, as on any network
      FabricAdapter& from = adapter(one.path, i);
      fabric_.middle().from(from.index()).inject(now_ns, frame_of(one, to, from.mac()));
      any = true;
    }
  }
  return any;
}

FabricAdapter& CmService::adapter(const cm::MadPath& path, unsigned node) {
  return fabric_.adapter(node * fabric_.names().adapters_each + path.adapter);
}

/// A frame for an adapter. True: it was a datagram for QP1.
bool CmService::take(unsigned index, const packet::Bytes& frame) {
  Incoming datagram;
  const FrameKind kind = datagram_in(frame, datagram);
  if (kind == FrameKind::kOther) return false;
  const unsigned node = fabric_.names().node_of(index);
  const auto& gids = fabric_.adapter(index).gids();
  const cm::Gid own = datagram.local;
  const auto found = std::find_if(gids.begin(), gids.end(), [&](const NodeGid& one) {
    return !one.roce_v1 && std::equal(own.begin(), own.end(), one.gid.begin());
  });
  if (kind == FrameKind::kForeign || found == gids.end()) {
    ++nodes_[node].dropped;
    return true;
  }
  const cm::MadPath path{fabric_.names().place_of(index),
                         static_cast<std::uint8_t>(found - gids.begin()), own, datagram.remote};
  nodes_[node].ucm->receive(path, datagram.bytes.data, datagram.bytes.size, time_.clock_ns());
  return true;
}

}  // namespace roci::sim
