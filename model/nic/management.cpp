// SPDX-License-Identifier: Apache-2.0
// Registers for firmware only: tables, fence, DMA window, frames, counters.
#include <algorithm>

#include "model/nic/nic.hpp"
#include "model/nic/register_map.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

namespace roci::nic {
namespace {

namespace dma_command = layout::reg::dma_command;
namespace event_post = layout::reg::event_post;
namespace rx_frame_status = layout::reg::rx_frame_status;

}  // namespace

std::uint32_t Nic::read_management(std::uint32_t offset) {
  switch (offset) {
    case layout::reg::kAttention:
      return attention_bits();
    case layout::reg::kFenceCommand:
      return 0;  // every call completes what it begins
    case layout::reg::kEngineEvent:
      return engine_.events.take();
    case layout::reg::kDmaAddressLo:
      return low(dma_address_);
    case layout::reg::kDmaAddressHi:
      return high(dma_address_);
    case layout::reg::kDmaCommand:
      return layout::bits(dma_command::error, dma_failed_);
    case layout::reg::kRxFrameStatus:
      return rx_frames_.empty()
                 ? 0
                 : layout::mask(rx_frame_status::valid) |
                       layout::bits(rx_frame_status::bytes, rx_frames_.front().size());
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
      if (layout::get(value, layout::reg::table_command::go)) table(value);
      break;
    case layout::reg::kEventPost:
      engine_.events.post(layout::get(value, event_post::kind),
                          layout::get(value, event_post::number));
      break;
    case layout::reg::kDmaAddressLo:
      set_low(&dma_address_, value);
      break;
    case layout::reg::kDmaAddressHi:
      set_high(&dma_address_, value);
      break;
    case layout::reg::kDmaCommand:
      if (layout::get(value, dma_command::go)) dma(value);
      break;
    case layout::reg::kTxFrameCommand: {
      const std::size_t bytes = std::min<std::size_t>(
          layout::get(value, layout::reg::tx_frame_command::bytes), tx_frame_.size());
      if (bytes != 0) engine_.transmit(packet::Bytes(tx_frame_.data(), tx_frame_.data() + bytes));
      break;
    }
    case layout::reg::kRxFramePop:
      if ((value & 1) != 0 && !rx_frames_.empty()) rx_frames_.pop_front();
      break;
    case layout::reg::kMacLo:
      set_low(&mac_, value);
      break;
    case layout::reg::kMacHi:
      set_high(&mac_, layout::get(value, layout::reg::mac_hi::high));
      break;
    case layout::reg::kCounterSelect:
      counter_ = value < kPortCounters ? engine_.port[value] : 0;
      break;
    default:
      break;
  }
}

void Nic::dma(std::uint32_t command) {
  const std::uint32_t pasid = layout::get(command, dma_command::pasid);
  const auto at_multiple_of = [this](std::uint64_t bytes) { return dma_address_ & ~(bytes - 1); };
  if (layout::get(command, dma_command::write)) {
    const std::size_t requested = layout::get(command, dma_command::bytes);
    const std::size_t bytes =
        requested == 0 ? dma_written_.size() : std::min(requested, dma_written_.size());
    const std::uint64_t address = at_multiple_of(
        bytes <= layout::kBlockBytes / 2 ? layout::kBlockBytes / 2 : layout::kBlockBytes);
    dma_failed_ =
        !engine_.memory.write(pasid, address, dma_written_.data(), bytes, MemoryUse::kFirmware);
  } else {
    dma_failed_ = !engine_.memory.read(pasid, at_multiple_of(layout::kBlockBytes), dma_read_.data(),
                                       dma_read_.size(), MemoryUse::kFirmware);
  }
}

}  // namespace roci::nic
