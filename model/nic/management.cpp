// SPDX-License-Identifier: Apache-2.0
// Registers of firmware alone: tables, fence, DMA window, frames, counters.
#include <algorithm>

#include "model/nic/nic.hpp"
#include "model/nic/register_map.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::nic {
namespace {

constexpr std::uint32_t kGo = 1u << 31;
constexpr std::uint32_t kDmaError = 1u << 29, kDmaWrite = 1u << 30;
constexpr std::uint32_t kPasidMask = 0xFFFFF;
constexpr unsigned kDmaBytesShift = 20;
constexpr std::uint32_t kDmaBytesMask = 0x7F;
constexpr std::uint32_t kFrameBytesMask = 0x7FF;
}  // namespace

std::uint32_t Nic::read_management(std::uint32_t offset) {
  switch (offset) {
    case layout::reg::kAttention:
      return attention_bits();
    case layout::reg::kFenceCommand:
      return 0;  // nothing begun is left when a call returns
    case layout::reg::kEngineEvent:
      return engine_.events.take();
    case layout::reg::kDmaAddressLo:
      return low(dma_address_);
    case layout::reg::kDmaAddressHi:
      return high(dma_address_);
    case layout::reg::kDmaCommand:
      return dma_failed_ ? kDmaError : 0;
    case layout::reg::kRxFrameStatus:
      return rx_frames_.empty()
                 ? 0
                 : kGo | (static_cast<std::uint32_t>(rx_frames_.front().size()) & kFrameBytesMask);
    case layout::reg::kMacLo:
      return low(mac_);
    case layout::reg::kMacHi:
      return high(mac_);
    case layout::reg::kCounterLo:
      return low(counter_);
    case layout::reg::kCounterHi:
      return high(counter_);
    default:
      return 0;
  }
}

void Nic::write_management(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case layout::reg::kTableCommand:
      if ((value & kGo) != 0) table(value);
      break;
    case layout::reg::kEventPost:
      engine_.events.post(static_cast<std::uint8_t>(value >> 24), value & 0xFFFFFF);
      break;
    case layout::reg::kDmaAddressLo:
      set_low(&dma_address_, value);
      break;
    case layout::reg::kDmaAddressHi:
      set_high(&dma_address_, value);
      break;
    case layout::reg::kDmaCommand:
      if ((value & kGo) != 0) dma(value);
      break;
    case layout::reg::kTxFrameCommand: {
      const std::size_t bytes = std::min<std::size_t>(value & kFrameBytesMask, tx_frame_.size());
      if (bytes != 0) engine_.transmit(packet::Bytes(tx_frame_.begin(), tx_frame_.begin() + bytes));
      break;
    }
    case layout::reg::kRxFramePop:
      if ((value & 1) != 0 && !rx_frames_.empty()) rx_frames_.pop_front();
      break;
    case layout::reg::kMacLo:
      set_low(&mac_, value);
      break;
    case layout::reg::kMacHi:
      set_high(&mac_, value & 0xFFFF);
      break;
    case layout::reg::kCounterSelect:
      counter_ = value < kPortCounters ? engine_.port[value] : 0;
      break;
    default:
      break;
  }
}

void Nic::dma(std::uint32_t command) {
  const std::uint32_t pasid = command & kPasidMask;
  const std::uint64_t block = dma_address_ & ~std::uint64_t{layout::kBlockBytes - 1};
  if ((command & kDmaWrite) != 0) {
    const std::size_t asked = command >> kDmaBytesShift & kDmaBytesMask;
    const std::size_t bytes = asked == 0 ? dma_data_.size() : std::min(asked, dma_data_.size());
    dma_failed_ = !engine_.memory.write(pasid, dma_address_, dma_data_.data(), bytes);
  } else {
    dma_failed_ = !engine_.memory.read(pasid, block, dma_data_.data(), dma_data_.size());
  }
}

}  // namespace roci::nic
