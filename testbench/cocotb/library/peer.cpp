// SPDX-License-Identifier: Apache-2.0
#include "testbench/cocotb/library/peer.hpp"

#include <algorithm>
#include <cstring>

namespace roci::cocotb {
namespace {

constexpr std::uint64_t kBase = 0x10'0000'0000;  ///< where the adapter sees its memory
constexpr unsigned kLogQps = 10, kLogKeys = 12, kLogCqs = 10, kLogSrqs = 8;

}  // namespace

PeerDevice::PeerDevice(std::uint64_t mac, unsigned port_mtu, std::size_t memory_bytes)
    : memory_(memory_bytes),
      pool_(kBase, memory_bytes, memory_.data()),
      model_({kLogQps, kLogKeys, kLogCqs, kLogSrqs}, *this,
             {[this](packet::Bytes&& frame) { frames_.push_back(std::move(frame)); },
              [](packet::ByteView) {}}),
      firmware_(mac, port_mtu, [this](bool write, std::uint32_t offset, std::uint32_t value) {
        if (!write) return model_.read32(offset);
        model_.write32(offset, value);
        return std::uint32_t{0};
      }) {
  firmware_.run();
}

void PeerDevice::work() {
  for (bool more = true; more;) {
    more = false;
    if (model_.attention() || now_ns_ >= firmware_deadline_) {
      firmware_deadline_ = firmware_.run();
      more = !firmware_.idle();
    }
    while (model_.step()) more = true;
  }
}

void PeerDevice::set_time(std::uint64_t now_ns) {
  now_ns_ = std::max(now_ns_, now_ns);
  model_.set_time(now_ns_);
}

std::uint64_t PeerDevice::deadline() const {
  return std::min(model_.next_deadline(), firmware_deadline_);
}

void PeerDevice::receive(packet::ByteView frame) { model_.receive(frame); }

std::deque<packet::Bytes>& PeerDevice::frames() {
  work();
  return frames_;
}

bool PeerDevice::wait(const std::function<bool()>& ready, std::uint64_t) {
  work();
  return ready();
}

std::uint8_t* PeerDevice::find(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t at = address - kBase;
  return at <= memory_.size() && bytes <= memory_.size() - at ? memory_.data() + at : nullptr;
}

bool PeerDevice::read(std::uint32_t, std::uint64_t address, std::uint8_t* to, std::size_t bytes,
                      nic::MemoryUse) {
  const std::uint8_t* from = find(address, bytes);
  if (from != nullptr) std::memcpy(to, from, bytes);
  return from != nullptr;
}

bool PeerDevice::write(std::uint32_t, std::uint64_t address, const std::uint8_t* from,
                       std::size_t bytes, nic::MemoryUse) {
  std::uint8_t* to = find(address, bytes);
  if (to != nullptr) std::memcpy(to, from, bytes);
  return to != nullptr;
}

}  // namespace roci::cocotb
