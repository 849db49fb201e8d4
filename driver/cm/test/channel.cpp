// SPDX-License-Identifier: Apache-2.0
#include "driver/cm/test/channel.hpp"

#include <cstring>

namespace roci::cm {
namespace {

constexpr std::uint64_t kService = 0x0000000001061C06, kNobody = 0x0000000001061C07;
constexpr std::uint8_t kTimeout = 10, kAckTimeout = 8, kRetries = 7, kServiceTimeout = 12;
constexpr Time kPath = Time{4096} << kAckTimeout, kResponse = (Time{4096} << kTimeout) + kPath;
constexpr Time kSpacing = kResponse / 50;  // between two connections
constexpr Time kHold = 4 * kResponse;      // longest duration of a connection

Gid address(std::uint8_t host) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, host};
}

ManagerConfig config_of(unsigned node) {
  ManagerConfig config;
  config.guid = 0xA0 + node;
  config.first_id = 0x1000 + 0x80000000u * node;
  config.service_timeout = kServiceTimeout;
  config.sidr_timeout = kTimeout;
  config.sidr_retries = kRetries;
  return config;
}

/// Which news may follow which; kTimeWaitOver stands for none at the beginning.
bool may_follow(bool active, News before, News after) {
  switch (after) {
    case News::kRequest:
      return !active && before == News::kTimeWaitOver;
    case News::kReply:
      return active && before == News::kTimeWaitOver;
    case News::kEstablished:
      return !active && before == News::kRequest;
    case News::kRejected:
      return before == News::kTimeWaitOver || before == News::kRequest || before == News::kReply ||
             before == News::kEstablished;
    case News::kUnreachable:
      return before == (active ? News::kTimeWaitOver : News::kRequest);
    case News::kDisconnecting:
      return before == News::kEstablished || before == News::kReply || before == News::kRequest;
    case News::kDisconnected:
      return before == News::kEstablished || before == News::kReply;
    case News::kTimeWaitOver:
      return true;
  }
  return false;
}

}  // namespace

Channel::Channel(const ChannelConfig& config) : config_(config), random_(config.seed) {
  for (unsigned node = 0; node < 2; ++node) {
    nodes_.push_back({Manager(config_of(node)), address(static_cast<std::uint8_t>(node + 1)), {}});
    nodes_[node].manager.listen(kService);
  }
  for (unsigned i = 0; i < config.connections; ++i) {
    plan(i * kSpacing, static_cast<unsigned>(below(2)), Deed::kConnect, 0);
  }
}

bool Channel::chance(double probability) {
  return static_cast<double>(random_() >> 11) < probability * static_cast<double>(1ull << 53);
}

void Channel::fail(std::string what) {
  if (wrong_.empty()) wrong_ = std::to_string(now_) + " ns: " + std::move(what);
}

void Channel::plan(Time at, unsigned node, Deed deed, std::uint32_t id) {
  happenings_.push({at, order_++, node, false, deed, id, {}, {}});
}

std::string Channel::run() {
  const Time limit = config_.connections * kSpacing + 1000 * kResponse;
  while (wrong_.empty()) {
    const Time next = happenings_.empty() ? kNever : happenings_.top().at;
    const Time expiry = std::min(nodes_[0].manager.deadline(), nodes_[1].manager.deadline());
    if (std::min(next, expiry) == kNever) break;
    now_ = std::min(next, expiry);
    if (now_ > limit) {
      fail("connections do not end: " + std::to_string(nodes_[0].manager.size()) + " and " +
           std::to_string(nodes_[1].manager.size()) + ", next " + std::to_string(next) +
           ", deadline " + std::to_string(expiry));
      break;
    }
    if (expiry <= next) {
      for (Node& node : nodes_) node.manager.expire(now_);
    } else {
      const Happening happening = happenings_.top();
      happenings_.pop();
      perform(happening);
    }
    carry(0);
    carry(1);
  }
  for (const Node& node : nodes_) {
    if (wrong_.empty() && node.manager.size() != 0) return "connections are stuck";
  }
  return wrong_;
}

void Channel::perform(const Happening& happening) {
  Manager& manager = nodes_[happening.node].manager;
  if (happening.datagram) {
    return manager.receive(happening.path, happening.bytes.data(), happening.bytes.size(), now_);
  }
  if (happening.deed == Deed::kConnect) return connect(happening.node);
  Program& program = nodes_[happening.node].programs[happening.id];
  if (program.gone) return;
  // Whether the deed is still possible is for the manager to say.
  switch (happening.deed) {
    case Deed::kAccept: {
      Accept accept;
      program.qpn = accept.rep.qpn = next_qpn_++;
      accept.rep.ca_guid = config_of(happening.node).guid;
      manager.post(happening.id, accept, now_);
      break;
    }
    case Deed::kReady:
      if (manager.post(happening.id, Ready{}, now_)) check_pair(happening.node, happening.id);
      break;
    case Deed::kReject:
      manager.post(happening.id, Reject{}, now_);
      break;
    case Deed::kDelay:
      manager.post(happening.id, Delay{kServiceTimeout}, now_);
      break;
    case Deed::kDisconnect:
      manager.post(happening.id, Disconnect{}, now_);
      break;
    case Deed::kGone:
      program.gone = true;
      manager.release(happening.id, now_);
      break;
    case Deed::kConnect:
      break;
  }
}

void Channel::connect(unsigned node) {
  Req req;
  req.service_id = !config_.polite && chance(0.05) ? kNobody : kService;
  req.ca_guid = config_of(node).guid;
  req.qpn = next_qpn_++;
  req.remote_timeout = req.local_timeout = kTimeout;
  req.cm_retries = kRetries;
  req.mtu = 5;
  req.primary = {0xFFFF, 0xFFFF, nodes_[node].gid, nodes_[1 - node].gid, 0, 0, 0, 64,
                 0,      false,  kAckTimeout};
  const MadPath path{0, 0, nodes_[node].gid, nodes_[1 - node].gid};
  const std::uint32_t id = nodes_[node].manager.connect(path, {req, 0}, now_);
  if (id == 0) return fail("no connection");
  Program program;
  program.active = true;
  program.qpn = req.qpn;
  nodes_[node].programs[id] = program;
  if (!config_.polite && chance(0.1)) plan(now_ + below(kHold), node, Deed::kGone, id);
}

/// Puts what a manager sends on the way, and gives the programs their news.
void Channel::carry(unsigned node) {
  for (const Outgoing& one : nodes_[node].manager.take_outgoing()) {
    ++counts_.sent;
    if (one.path.remote != nodes_[1 - node].gid) continue;  // to the third host
    if (chance(config_.loss)) {
      ++counts_.lost;
    } else {
      put(1 - node, one);
    }
    if (chance(config_.duplicates)) {
      ++counts_.duplicated;
      put(1 - node, one);
    }
    for (unsigned i = 0; i < config_.hostile; ++i) insult(1 - node, one.bytes);
  }
  for (const Delivery& news : nodes_[node].manager.take_deliveries()) listen_to(node, news);
}

void Channel::put(unsigned to, const Outgoing& one) {
  const MadPath path{one.path.adapter, 0, one.path.remote, one.path.local};
  const Time delay = 1 + below(kPath / 2 - 1);  // reorders at will, within what a path may take
  happenings_.push({now_ + delay, order_++, to, true, Deed::kGone, 0, path, one.bytes});
}

/// A datagram of a third host that has seen one of the two, with some of its bytes changed.
void Channel::insult(unsigned to, const MadBytes& seen) {
  MadPath path{0, 0, nodes_[to].gid, address(9)};
  MadBytes bytes = seen;
  for (Time i = below(4); i-- != 0;) bytes[below(64)] = static_cast<std::uint8_t>(random_());
  happenings_.push({now_ + 1 + below(kPath), order_++, to, true, Deed::kGone, 0, path, bytes});
  ++counts_.hostile;
}

void Channel::listen_to(unsigned node, const Delivery& news) {
  if (news.sidr) return nodes_[node].manager.release(news.id, now_);  // the third host sent it
  Program& program = nodes_[node].programs[news.id];
  if (program.gone) return fail("news for a program that is gone");
  if (!may_follow(program.active, program.last, news.news)) {
    return fail(std::string(to_string(news.news)) + " after " + to_string(program.last));
  }
  if (news.news == News::kTimeWaitOver) program.gone = true;
  program.last = news.news;
  const MadPath* path = nodes_[node].manager.path_of(news.id);
  if (path != nullptr && path->remote != nodes_[1 - node].gid) {
    return plan(now_, node, Deed::kGone, news.id);  // a request of the third host
  }
  respond(node, news.id, news.news, program);
}

void Channel::respond(unsigned node, std::uint32_t id, News news, Program& program) {
  // Mostly at once, sometimes so late that the peer retransmits.
  const auto think = [&] { return now_ + (chance(0.9) ? below(kPath) : below(2 * kResponse)); };
  const auto leave = [&] { plan(now_ + below(kHold), node, Deed::kDisconnect, id); };
  const bool polite = config_.polite;
  switch (news) {
    case News::kRequest:
      ++counts_.requests;
      if (!polite && chance(0.1)) plan(think(), node, Deed::kDelay, id);
      plan(think(), node, polite || chance(0.85) ? Deed::kAccept : Deed::kReject, id);
      if (!polite && chance(0.05)) plan(now_ + below(kHold), node, Deed::kGone, id);
      break;
    case News::kReply:
      if (!polite && chance(0.1)) plan(think(), node, Deed::kDelay, id);
      plan(think(), node, polite || chance(0.95) ? Deed::kReady : Deed::kReject, id);
      break;
    case News::kEstablished:
      check_pair(node, id);
      leave();
      break;
    case News::kDisconnecting:
      plan(think(), node, Deed::kDisconnect, id);
      break;
    case News::kRejected:
      ++counts_.rejected;
      break;
    case News::kUnreachable:
      ++counts_.unreachable;
      break;
    case News::kDisconnected:
      ++counts_.disconnected;
      break;
    case News::kTimeWaitOver:
      break;
  }
  (void)program;
}

/// A side is established: if the other is as well, both must mean the same connection.
void Channel::check_pair(unsigned node, std::uint32_t id) {
  ++counts_.established;
  const Connection* here = nodes_[node].manager.find(id);
  if (here == nullptr || here->state != State::kEstablished) return fail("not established");
  // Politely, not before the RTU has arrived.
  const Time least = config_.polite ? kPath : 0;
  if (here->active) plan(now_ + least + below(kHold), node, Deed::kDisconnect, id);
  const Connection* there = nodes_[1 - node].manager.find(here->remote_id);
  if (there == nullptr || there->state != State::kEstablished) return;
  ++counts_.both;
  if (there->remote_id != id || there->remote_qpn != here->local_qpn ||
      there->local_qpn != here->remote_qpn || there->active == here->active) {
    fail("the sides do not agree");
  }
}

}  // namespace roci::cm
