// SPDX-License-Identifier: Apache-2.0
#include "firmware/net/neighbours.hpp"

namespace roci::fw {

Neighbours::Entry* Neighbours::find(const Gid& gid, const Lan& lan) {
  for (Entry& entry : entry_) {
    if (entry.state != State::kFree && entry.gid == gid && entry.own.lan == lan) return &entry;
  }
  return nullptr;
}

Neighbours::Entry* Neighbours::replace() {
  Entry* oldest = &entry_[0];
  for (Entry& entry : entry_) {
    if (entry.state == State::kFree) return &entry;
    if (static_cast<int32_t>(entry.used - oldest->used) < 0) oldest = &entry;
  }
  return oldest;
}

void Neighbours::send_request(Entry* entry, uint64_t now) {
  uint8_t frame[kFrameRoom];
  port_->send_frame(frame, make_request(frame, entry->own, mac_, entry->gid));
  entry->next = now + entry->wait;
  entry->wait *= 2;
  ++entry->tries;
}

Resolution Neighbours::resolve(const GidEntry& own, const Gid& target, Mac* mac) {
  if (gids_->owns(target, own.lan)) {
    *mac = mac_;
    return Resolution::kDone;
  }
  Entry* entry = find(target, own.lan);
  if (entry == nullptr) {
    entry = replace();
    *entry = Entry();
    entry->state = State::kWaiting;
    entry->gid = target;
    entry->own = own;
    entry->wait = config_.first_wait_ns;
    entry->used = ++clock_;
    send_request(entry, port_->now());
    awaited_ = entry;
    return Resolution::kWaiting;
  }
  entry->used = ++clock_;
  switch (entry->state) {
    case State::kKnown:
      *mac = entry->mac;
      return Resolution::kDone;
    case State::kFailed:
      entry->state = State::kFree;
      return Resolution::kFailed;
    default:
      awaited_ = entry;
      return Resolution::kWaiting;
  }
}

void Neighbours::learn(const NeighbourMessage& message, bool for_us) {
  if (message.sender.is_zero() || message.sender.is_multicast() ||
      !is_unicast(message.sender_mac) || gids_->owns(message.sender, message.lan)) {
    return;
  }
  Entry* entry = find(message.sender, message.lan);
  if (entry == nullptr) {
    // A node that requests our address will soon be addressed (RFC 826); others are not stored.
    if (!for_us) return;
    entry = replace();
    *entry = Entry();
    entry->gid = message.sender;
    entry->own.lan = message.lan;
    entry->used = ++clock_;
  }
  entry->state = State::kKnown;
  entry->mac = message.sender_mac;
}

void Neighbours::receive(const uint8_t* frame, size_t bytes) {
  NeighbourMessage message;
  if (!read_neighbour_frame(frame, bytes, &message)) return;
  const bool for_us = message.request && gids_->owns(message.target, message.lan);
  learn(message, for_us);
  // No reply goes to an ARP request without a hardware address, or to a frame from a group.
  if (!for_us ||
      !is_unicast(message.target.is_ipv4() ? message.sender_mac : message.ethernet_src)) {
    return;
  }
  uint8_t reply[kFrameRoom];
  port_->send_frame(reply, make_reply(reply, mac_, message));
}

void Neighbours::tick(uint64_t now) {
  for (Entry& entry : entry_) {
    if (entry.state != State::kWaiting || now < entry.next) continue;
    if (entry.tries < config_.tries) {
      send_request(&entry, now);
    } else {
      entry.state = State::kFailed;
    }
  }
}

bool Neighbours::waiting() const {
  return awaited_ != nullptr && awaited_->state == State::kWaiting;
}

uint64_t Neighbours::deadline() const {
  uint64_t first = ~uint64_t{0};
  for (const Entry& entry : entry_) {
    if (entry.state == State::kWaiting && entry.next < first) first = entry.next;
  }
  return first;
}

}  // namespace roci::fw
