// SPDX-License-Identifier: Apache-2.0
#include "sim/server/cm_service.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "driver/verbs/tree.hpp"
#include "sim/server/cm_frames.hpp"
#include "sim/server/next_hop.hpp"

namespace roci::sim {

namespace {

// Linux waits 4.3 s (20) for a response, which is what a lost message costs; here it is 1.1 s, as
// the network is in one process. For a program that takes longer, a repeated REQ or REP gets an MRA
// (12.6.6); a SIDR_REQ, which has no MRA, is repeated for 17 s.
constexpr std::uint8_t kTimeout = 18;
constexpr std::size_t kMostPeers = 4096;
constexpr std::uint32_t kFirstId = 1;

}  // namespace

CmService::CmService(Fabric& fabric, SimulatedTime& time, const ExternalPorts& external_ports)
    : fabric_(fabric), time_(time), external_ports_(external_ports) {
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
    // With simulated time each run is the same.
    config.first_id = time.on() ? kFirstId : random();
    nodes_.emplace_back();
    nodes_[i].ucm = std::make_unique<cm::Ucm>(
        config, [this, i](const cm::MadPath& path) { return way_to(path, i); },
        [this, i](cm::Ucm::ChannelId channel) { announce(i, channel); });
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

std::uint64_t CmService::deadline() const {
  std::uint64_t first = cm::kNever;
  for (const Node& node : nodes_) first = std::min(first, node.ucm->deadline());
  return first;
}

void CmService::expire(std::uint64_t now) {
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

std::uint64_t CmService::next_hop(const cm::MadPath& path, unsigned node) const {
  if (const std::uint64_t mac = mac_of(path.remote)) return mac;
  const auto peer = peers_.find({index_of(path, node), path.remote});
  return peer == peers_.end() ? 0 : peer->second;
}

cm::Way CmService::way_to(const cm::MadPath& path, unsigned node) {
  if (mac_of(path.remote) != 0) return cm::Way::kKnown;
  if (!fabric_.middle().has_external_port(index_of(path, node))) return cm::Way::kNone;
  ask(path, node);
  return cm::Way::kAsked;
}

/// As often as an identifier waits for it; another command of the adapter may come between.
void CmService::ask(const cm::MadPath& path, unsigned node) {
  const unsigned index = index_of(path, node);
  if (!asked_.insert({index, path.gid_index, path.remote}).second) return;
  fabric_.submit(index, [this, path, node, index](driver::Context& context) {
    const std::uint64_t mac =
        ask_next_hop(context, fabric_.adapter(index), external_ports_.plan(index).netdev,
                     path.gid_index, path.remote);
    asked_.erase({index, path.gid_index, path.remote});
    if (mac == 0) {
      if (nodes_[node].ucm->awaits(path)) ask(path, node);
      return;
    }
    learn(index, path.remote, mac);
    nodes_[node].ucm->resolved(path, time_.clock_ns());
  });
}

void CmService::learn(unsigned index, const cm::Gid& remote, std::uint64_t mac) {
  if (peers_.size() >= kMostPeers) peers_.clear();  // they are asked for again
  peers_[{index, remote}] = mac;
}

void CmService::remove(unsigned index) {
  nodes_[fabric_.names().node_of(index)].ucm->remove(fabric_.names().place_of(index),
                                                     time_.clock_ns());
}

bool CmService::flush(std::uint64_t now_ns) {
  bool any = false;
  for (unsigned i = 0; i < nodes_.size(); ++i) {
    for (const cm::Outgoing& one : nodes_[i].ucm->take_outgoing()) {
      FabricAdapter& from = adapter(one.path, i);
      const std::uint64_t to = next_hop(one.path, i);
      if (to == 0) {  // lost, as on any network; the next one finds the way
        if (fabric_.middle().has_external_port(from.index())) ask(one.path, i);
        continue;
      }
      fabric_.middle().from(from.index()).inject(now_ns, frame_of(one, to, from.mac()));
      any = true;
    }
  }
  return any;
}

FabricAdapter& CmService::adapter(const cm::MadPath& path, unsigned node) {
  return fabric_.adapter(index_of(path, node));
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
  // A peer gets its response where its datagram came from, as with ibv_create_ah_from_wc.
  if (fabric_.middle().has_external_port(index) && mac_of(path.remote) == 0) {
    learn(index, path.remote, datagram.from);
  }
  nodes_[node].ucm->receive(path, datagram.bytes.data, datagram.bytes.size, time_.clock_ns());
  return true;
}

}  // namespace roci::sim
