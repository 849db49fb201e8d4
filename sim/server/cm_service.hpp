// SPDX-License-Identifier: Apache-2.0
// The connection managers of the nodes: what a kernel would be for /dev/infiniband/rdma_cm. Their
// datagrams pass the switch as frames of QP1, which the adapters do not see.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "driver/cm/abi/ucm.hpp"
#include "driver/device/protocol.hpp"
#include "sim/server/descriptor.hpp"
#include "sim/server/external_ports.hpp"
#include "sim/server/fabric.hpp"
#include "sim/server/simulated_time.hpp"

namespace roci::sim {

class CmService {
 public:
  /// The timeouts are in simulated time when that is on.
  CmService(Fabric& fabric, SimulatedTime& time, const ExternalPorts& external_ports);

  /// A channel of a program, whose read end of `events` becomes readable for each event.
  struct Channel {
    unsigned node = 0;
    cm::Ucm::ChannelId id = 0;
  };
  Channel open(unsigned node, int events);
  void close(const Channel& channel);
  driver::protocol::CmReply command(const Channel& channel,
                                    const driver::protocol::CmCommand& command);

  /// When expire() has something to do, in ns of its clock, which is CLOCK_MONOTONIC unless it is
  /// simulated time; all ones: never.
  std::uint64_t deadline() const;
  /// Does what is due at `now`, by that clock.
  void expire(std::uint64_t now);
  /// Puts datagrams on the links of their nodes. False: there was none.
  bool flush(std::uint64_t now_ns);

  /// The adapter has failed.
  void remove(unsigned adapter);

  const cm::Ucm& device(unsigned node) const { return *nodes_[node].ucm; }
  /// Frames for QP1 of a node that were dropped: a wrong Q_Key, or a GID that is not the node's.
  std::uint64_t dropped(unsigned node) const { return nodes_[node].dropped; }

 private:
  struct Node {
    std::unique_ptr<cm::Ucm> ucm;
    std::map<cm::Ucm::ChannelId, int> events;  ///< sockets of the channels
    std::map<cm::Ucm::ChannelId, unsigned> owed;
    std::uint64_t dropped = 0;
  };

  /// The adapter of the node that the path names.
  FabricAdapter& adapter(const cm::MadPath& path, unsigned node);
  unsigned index_of(const cm::MadPath& path, unsigned node) const {
    return node * fabric_.names().adapters_each + path.adapter;
  }
  bool take(unsigned index, const packet::Bytes& frame);
  void announce(unsigned node, cm::Ucm::ChannelId channel);
  /// 0: no node has the address.
  std::uint64_t mac_of(const cm::Gid& gid) const;
  /// The next hop of a path: of a node, or of a peer at the wire of its adapter. 0: unknown.
  std::uint64_t next_hop(const cm::MadPath& path, unsigned node) const;
  cm::Way way_to(const cm::MadPath& path, unsigned node);
  void ask(const cm::MadPath& path, unsigned node);
  void learn(unsigned index, const cm::Gid& remote, std::uint64_t mac);

  Fabric& fabric_;
  SimulatedTime& time_;
  const ExternalPorts& external_ports_;
  std::vector<Node> nodes_;
  using Peer = std::pair<unsigned, cm::Gid>;  ///< at the wire of this adapter
  std::map<Peer, std::uint64_t> peers_;       ///< their next hops
  std::set<std::tuple<unsigned, std::uint8_t, cm::Gid>> asked_;
};

}  // namespace roci::sim
