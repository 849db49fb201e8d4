// SPDX-License-Identifier: Apache-2.0
// Two connection managers, joined by a channel that loses, duplicates and reorders, with programs
// at both sides that do at random what programs may do. Time is simulated.
#pragma once

#include <map>
#include <queue>
#include <random>
#include <string>

#include "driver/cm/connection/manager.hpp"

namespace roci::cm {

struct ChannelConfig {
  std::uint64_t seed = 1;
  unsigned connections = 1000;
  double loss = 0, duplicates = 0;
  bool polite = false;   ///< programs accept, get ready, disconnect, and nothing else
  unsigned hostile = 0;  ///< datagrams of a third host for each connection
};

struct ChannelCounts {
  std::uint64_t sent = 0, lost = 0, duplicated = 0, hostile = 0;
  std::uint64_t established = 0, rejected = 0, unreachable = 0, disconnected = 0, requests = 0;
  std::uint64_t both = 0;  ///< times that both sides were established at once
};

class Channel {
 public:
  explicit Channel(const ChannelConfig& config);

  /// Runs until nothing happens any more. Empty, or what went wrong.
  std::string run();
  const ChannelCounts& counts() const { return counts_; }
  const Manager& manager(unsigned node) const { return nodes_[node].manager; }

 private:
  /// What a program does once its think time is over.
  enum class Deed : std::uint8_t { kConnect, kAccept, kReady, kReject, kDelay, kDisconnect, kGone };

  struct Program {
    bool active = false;
    bool gone = false;
    News last = News::kTimeWaitOver;  ///< the last news, none: kTimeWaitOver
    std::uint32_t qpn = 0;
  };
  struct Node {
    Manager manager;
    Gid gid;
    std::map<std::uint32_t, Program> programs;
  };
  struct Happening {
    Time at;
    std::uint64_t order;
    unsigned node;
    bool datagram;
    Deed deed;
    std::uint32_t id;
    MadPath path;
    MadBytes bytes;
    bool operator<(const Happening& other) const {
      return std::tie(other.at, other.order) < std::tie(at, order);
    }
  };

  void plan(Time at, unsigned node, Deed deed, std::uint32_t id);
  void perform(const Happening& happening);
  void connect(unsigned node);
  void carry(unsigned node);
  void put(unsigned to, const Outgoing& one);
  void insult(unsigned to, const MadBytes& seen);
  void listen_to(unsigned node, const Delivery& news);
  void respond(unsigned node, std::uint32_t id, News news, Program& program);
  void check_pair(unsigned node, std::uint32_t id);
  void fail(std::string what);
  bool chance(double probability);
  Time below(Time limit) { return random_() % limit; }

  ChannelConfig config_;
  std::mt19937_64 random_;
  std::vector<Node> nodes_;
  std::priority_queue<Happening> happenings_;
  Time now_ = 0;
  std::uint64_t order_ = 0;
  std::uint32_t next_qpn_ = 2;
  ChannelCounts counts_;
  std::string wrong_;
};

}  // namespace roci::cm
