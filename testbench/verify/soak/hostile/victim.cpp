// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/soak/hostile/victim.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "driver/completion_queue.hpp"
#include "driver/error.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/opcode.hpp"

namespace roci::soak {
namespace {

constexpr std::size_t kMargin = 4096;  ///< mapped bytes outside any region
constexpr std::uint8_t kSecret[] = {0x5E, 0xC2, 0xE7, 0x9A, 0x31, 0x5E, 0xC2, 0xE7};
constexpr std::uint32_t kNobody = 0x800000;  ///< numbers that the peer does not have

void hide(std::uint8_t* at, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = kSecret[i % sizeof kSecret];
}
bool hidden(const std::uint8_t* at, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != kSecret[i % sizeof kSecret]) return false;
  }
  return true;
}

}  // namespace

Victims::Victims(testbench::Node& node, testbench::Node& peer, unsigned count, std::uint64_t seed)
    : node_(node),
      peer_(peer),
      random_(seed),
      pd_(node.context()),
      other_pd_(node.context()),
      cq_(node.context(), 8192),
      memory_(node.device().allocate(kRegion + 2 * kMargin, 4096)) {
  hide(memory_.host, memory_.bytes);
  driver::DmaMemory middle{memory_.host + kMargin, memory_.dma + kMargin, kRegion};
  std::memset(middle.host, 0, middle.bytes);
  region_ = std::make_unique<driver::MemoryRegion>(pd_, middle, driver::access::kAll, middle.dma);
  secret_ = std::make_unique<driver::MemoryRegion>(other_pd_, kRegion, driver::access::kAll);
  hide(secret_->data(), kRegion);
  driver::QpOptions options;
  options.send_entries = options.receive_entries = 16;
  for (unsigned i = 0; i < count; ++i) {
    Victim v;
    v.qp = std::make_unique<driver::QueuePair>(pd_, cq_, cq_, options);
    v.qpn = v.qp->number();
    v.peer_qpn = kNobody + i;
    v.address = region_->address();
    v.bytes = kRegion;
    v.key = region_->key();
    victims_.push_back(std::move(v));
  }
  for (Victim& v : victims_) revive(v);
}

Victim* Victims::find(std::uint32_t qpn, bool peer) {
  if (peer)
    return qpn >= kNobody && qpn - kNobody < victims_.size() ? &victims_[qpn - kNobody] : nullptr;
  const auto at = std::find_if(victims_.begin(), victims_.end(),
                               [qpn](const Victim& v) { return v.qpn == qpn; });
  return at == victims_.end() ? nullptr : &*at;
}

void Victims::revive(Victim& v) {
  v.alive = false;
  ++revived_;
  v.qp->to_reset();
  const auto first = [&] {
    return random_() % 3 == 0 ? 0xFFFFF0u : static_cast<std::uint32_t>(random_()) & 0xFFFFFF;
  };
  const std::uint32_t theirs = first(), mine = first();
  driver::ConnectOptions connect;
  connect.path_mtu = static_cast<std::uint8_t>(1 + random_() % 3);
  connect.timeout = 0;  // forged responses arrive at any time
  connect.rnr_retry = 7;
  connect.min_rnr_timer = 1;
  connect.max_rd_atomic = connect.max_dest_rd_atomic = 4;
  connect.dst_mac = peer_.mac();
  v.pmtu = 128u << connect.path_mtu;
  v.expected = transport::Psn(theirs);
  v.oldest = v.next = transport::Psn(mine);
  try {
    v.qp->connect({v.peer_qpn, theirs, peer_.gid()}, mine, connect);
  } catch (const driver::Error& error) {
    // A packet moved it to ERR before it was in RTS: it is restored later.
    if (error.status() != driver::AdminStatus::kBadState) throw;
    return;
  }
  feed(v);
  v.alive = true;
}

/// Posts receives, and requests that wait for a response.
void Victims::feed(Victim& v) {
  while (v.qp->receive_room() > 8) {
    driver::ReceiveRequest r;
    r.id = v.qpn;
    if (random_() % 8 != 0) {
      r.sges = {region_->sge(random_() % 4096, static_cast<std::uint32_t>(1 + random_() % 8192))};
    }
    v.qp->receive(r);
  }
  while (v.qp->send_room() > 12) {
    driver::SendRequest r;
    r.id = v.qpn;
    constexpr driver::Opcode kWork[] = {driver::Opcode::kWrite, driver::Opcode::kRead,
                                        driver::Opcode::kSend, driver::Opcode::kFetchAdd,
                                        driver::Opcode::kCmpSwap};
    r.opcode = kWork[random_() % 5];
    const bool atomic =
        r.opcode == driver::Opcode::kFetchAdd || r.opcode == driver::Opcode::kCmpSwap;
    r.sges = {region_->sge(8 * (random_() % 4096),
                           atomic ? 8 : static_cast<std::uint32_t>(1 + random_() % 3000))};
    r.remote_address = random_() & ~7ull;
    r.remote_key = static_cast<std::uint32_t>(random_());
    v.qp->send(r);
  }
}

void Victims::keep() {
  constexpr std::uint64_t kLook = 20'000;
  while (!stop_) {
    node_.device().wait([&] { return stop_ || cq_.ready(); }, kLook);
    while (const auto c = cq_.poll()) {
      ++completions_;
      Victim* v = find(c->qpn, false);
      if (v == nullptr) throw std::runtime_error("I1: a completion of an unknown queue pair");
      if (!c->ok()) v->alive = false;
    }
    while (const auto event = node_.context().events().poll()) {
      Victim* v = find(event->number, false);
      if (v != nullptr && event->kind != driver::EventKind::kCommEst) v->alive = false;
    }
    for (Victim& v : victims_) {
      if (stop_) break;
      if (v.alive) {
        feed(v);
      } else {
        revive(v);
      }
    }
  }
  stopped_ = true;
}

void Victims::stop() {
  stop_ = true;
  node_.device().wake();
}

void Victims::frame(const testbench::FrameEvent& event) {
  const packet::Parsed& p = event.parsed;
  if (event.injected || event.node != node_.index() || !p.ok()) return;
  const std::uint8_t* end = p.payload.data + p.payload.size;
  if (p.payload.size >= sizeof kSecret && leak_.empty() &&
      std::search(p.payload.data, end, kSecret, kSecret + sizeof kSecret) != end) {
    leak_ = "I7: bytes of another region leave: " + packet::describe(p.frame);
  }
  Victim* v = find(p.bth().dest_qp(), true);
  if (v == nullptr) return;
  ++responses_;
  if (!p.op->response) {
    if (!p.psn().before(v->next)) v->next = p.psn() + 1;
    return;
  }
  const bool nak = p.has(packet::Ext::kAeth) && p.aeth().syndrome() >= 0x20;
  naks_ += nak;
  v->expected = nak ? p.psn() : p.psn() + 1;
}

void Victims::end() {
  for (Victim& v : victims_) v.qp.reset();
  if (!leak_.empty()) throw std::runtime_error(leak_);
  if (!hidden(memory_.host, kMargin) ||
      !hidden(memory_.host + kMargin + kRegion, kMargin - kRegion % sizeof kSecret)) {
    throw std::runtime_error("I6: bytes beside a region were written");
  }
  if (!hidden(secret_->data(), kRegion)) {
    throw std::runtime_error("I6: a region of another domain was written");
  }
  region_.reset();
  secret_.reset();
  node_.device().release(memory_);
}

}  // namespace roci::soak
