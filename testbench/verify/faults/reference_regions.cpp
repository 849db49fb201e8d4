// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/faults/reference_regions.hpp"

#include <algorithm>

namespace roci::testbench::faults {
namespace {

constexpr unsigned kMostSlots = 32;
constexpr std::size_t kOrderBytes = 2048;
constexpr std::uint64_t kGeneration = 1u << 20, kBackground = 1u << 30, kMarker = 1ull << 40;

unsigned slots_of(const std::vector<Message>& messages) {
  return std::min<unsigned>(kMostSlots, static_cast<unsigned>(messages.size()));
}
std::size_t slot_of(const std::vector<Message>& messages) {
  std::uint32_t most = 64;
  for (const Message& m : messages) most = std::max(most, m.bytes);
  return (most + 2 * 64 - 1) / 64 * 64;
}

}  // namespace

std::size_t ReferenceRegions::region_bytes(const std::vector<Message>& messages) {
  return (2 * slots_of(messages) + 2) * slot_of(messages) + 64 + kOrderBytes;
}

ReferenceRegions::ReferenceRegions(const std::vector<Message>& messages, unsigned generation,
                                   Endpoint& self, Endpoint& peer)
    : messages_(messages),
      tag_(generation * kGeneration),
      self_(self),
      peer_(peer),
      slots_(slots_of(messages)),
      slot_(slot_of(messages)),
      atomic_((2 * slots_ + 2) * slot_),
      order_(atomic_ + 64),
      reference_{{self.data(), self.region.size()}, {peer.data(), peer.region.size()}},
      marked_(messages.size()),
      before_(messages.size()) {
  for (Endpoint* side : {&self_, &peer_}) {
    reference(*side).put(0, side->region.size(), kBackground + tag_ + (side == &self_));
  }
  values_.push_back(reference(peer_).word(atomic_));
}

void ReferenceRegions::atomic_word(std::uint64_t value) {
  std::memcpy(peer_.data(atomic_), &value, 8);
  values_.back() = value;
}

void ReferenceRegions::touched(Endpoint& side, std::size_t at, std::size_t bytes) {
  reference(side).adopt(at, bytes);
}

driver::SendRequest ReferenceRegions::post(unsigned i) {
  const Message& m = messages_[i];
  driver::SendRequest r =
      request(m.op, self_, source(i), m.atomic() ? 8 : m.bytes, peer_, target(i));
  r.id = i;
  r.imm = 0xABC00000 + i;
  if (m.read()) {
    reference(peer_).put(target(i), m.bytes, pattern_of(i));
  } else if (m.atomic()) {
    const std::uint64_t now = values_.back();
    r.remote_address = peer_.region.address() + atomic_;
    r.swap_add = 0x100000003 * (i + 1);
    before_[i] = now;
    if (m.op == Opcode::kCmpSwap) {
      const bool hit = i % 3 != 2;
      r.compare = hit ? now : ~now;
      values_.push_back(hit ? r.swap_add : now);
    } else {
      values_.push_back(now + r.swap_add);
    }
  } else {
    reference(self_).put(source(i), m.bytes, pattern_of(i));
  }
  return r;
}

driver::ReceiveRequest ReferenceRegions::receive(unsigned i) const {
  driver::ReceiveRequest r{i, {}};
  if (messages_[i].send() && messages_[i].bytes != 0) {
    r.sges = {peer_.region.sge(target(i), messages_[i].bytes)};
  }
  return r;
}

driver::ReceiveRequest ReferenceRegions::spare(unsigned k) const {
  return {~std::uint64_t{0} - k,
          {peer_.region.sge((2 * slots_ + k) * slot_, static_cast<std::uint32_t>(slot_))}};
}

void ReferenceRegions::check(Endpoint& side, std::size_t at, std::uint32_t bytes,
                             std::uint64_t pattern, unsigned i, const char* what) {
  const std::size_t wrong = first_wrong(side.data(at), bytes, pattern);
  INFO("message ", i, ", ", std::string(name_of(messages_[i].op)), " of ", bytes, " bytes, ", what);
  CHECK(wrong == bytes);
}

void ReferenceRegions::good(unsigned i, bool late) {
  const Message& m = messages_[i];
  marked_[i] = true;
  if (m.atomic()) {
    std::uint64_t original;
    std::memcpy(&original, self_.data(source(i)), 8);
    INFO("message ", i, ", ", std::string(name_of(m.op)));
    CHECK(original == before_[i]);
    reference(self_).put(source(i), 8, kMarker + pattern_of(i));
    ++atomics_good_;
    return;
  }
  Endpoint& side = m.read() ? self_ : peer_;
  const std::size_t at = m.read() ? source(i) : target(i);
  constexpr std::uint64_t kWriteNs = 2000;
  if (late && first_wrong(side.data(at), m.bytes, pattern_of(i)) != m.bytes) {
    self_.node.sleep(kWriteNs);
  }
  check(side, at, m.bytes, pattern_of(i), i, "I3: at its completion");
  reference(side).put(at, m.bytes, kMarker + pattern_of(i));
}

void ReferenceRegions::received(unsigned i) {
  for (unsigned k = 0; k <= i; ++k) {
    const Message& m = messages_[k];
    if (marked_[k] || m.read() || m.atomic()) continue;
    check(peer_, target(k), m.bytes, pattern_of(k), k, "I14: at a later receive");
  }
}

void ReferenceRegions::finish() {
  for (Endpoint* side : {&self_, &peer_}) {
    ReferenceMemory& expected = reference(*side);
    // Each byte of a message that completed in error may have been written or not.
    for (const unsigned i : doubtful_) {
      const Message& m = messages_[i];
      if ((m.read() || m.atomic()) != (side == &self_)) continue;
      const std::size_t at = side == &self_ ? source(i) : target(i);
      if (m.atomic()) {
        expected.adopt(at, 8);
      } else {
        expected.adopt_either(at, m.bytes, pattern_of(i));
      }
    }
    if (side == &peer_) {
      std::uint64_t now;
      std::memcpy(&now, side->data(atomic_), 8);
      INFO("I4: the atomic word is ", now, ", good atomics ", atomics_good_, " of ",
           values_.size() - 1);
      CHECK(std::find(values_.begin() + atomics_good_, values_.end(), now) != values_.end());
      expected.adopt(atomic_, 8);
    }
    INFO("I3 to I6: ", side == &self_ ? "requester" : "responder", "'s region, ", slots_,
         " slots of ", slot_, " bytes");
    CHECK(expected.first_difference() == expected.size());
  }
}

}  // namespace roci::testbench::faults
