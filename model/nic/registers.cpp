// SPDX-License-Identifier: Apache-2.0
// Registers of host and firmware, doorbells.
#include "model/spec/layout/registers.hpp"

#include <algorithm>

#include "model/nic/nic.hpp"
#include "model/nic/register_map.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::nic {
namespace {

namespace doorbell_word = layout::doorbell_word;

constexpr layout::Window kQpDoorbell = layout::window::kQpDoorbell;
constexpr layout::Window kCqDoorbell = layout::window::kCqDoorbell;
constexpr layout::Window kTableData = layout::window::kTableData;
constexpr layout::Window kDmaData = layout::window::kDmaData;
constexpr layout::Window kTxFrameData = layout::window::kTxFrameData;
constexpr layout::Window kRxFrameData = layout::window::kRxFrameData;

constexpr std::uint32_t kManagement = 0x1000;  // offset of the first management register
constexpr std::uint32_t kBeatBytes = 512 / 8;
constexpr std::uint32_t kIndexMask = 0xFFFF;
namespace attention = layout::reg::attention;
namespace parameters = layout::reg::parameters;

constexpr unsigned admin_index(std::uint32_t offset) {
  return (offset - layout::reg::kAdminBaseLo) / 4;
}
constexpr unsigned kDoorbellIndex = admin_index(layout::reg::kAdminDoorbell);
constexpr unsigned kDoneIndex = admin_index(layout::reg::kAdminDone);

std::uint32_t load(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(layout::get_memory(bytes, {0, 32}));
}
}  // namespace

std::uint32_t Nic::attention_bits() const {
  std::uint32_t bits = 0;
  if (((admin_[kDoorbellIndex] ^ admin_[kDoneIndex]) & kIndexMask) != 0)
    bits |= layout::mask(attention::admin);
  if (!rx_frames_.empty()) bits |= layout::mask(attention::frame);
  if (engine_.events.waiting()) bits |= layout::mask(attention::engine_event);
  return bits;
}

/// Registers that lie in a window, as bytes; DmaData is one to write, and another one to read.
bool Nic::window(std::uint32_t offset, Row& dma_data, std::uint8_t** bytes) {
  if (kTableData.has(offset)) {
    *bytes = &table_data_[offset - kTableData.offset];
  } else if (kDmaData.has(offset)) {
    *bytes = &dma_data[offset - kDmaData.offset];
  } else if (kTxFrameData.has(offset)) {
    *bytes = &tx_frame_[offset - kTxFrameData.offset];
  } else if (kRxFrameData.has(offset)) {
    *bytes = &rx_window_[offset - kRxFrameData.offset];
  } else {
    return false;
  }
  return true;
}

std::uint32_t Nic::read32(std::uint32_t offset) {
  offset &= ~std::uint32_t{3};
  std::uint8_t* bytes = nullptr;
  if (kRxFrameData.has(offset)) {
    const std::uint32_t at = offset - kRxFrameData.offset;
    std::fill_n(&rx_window_[at], 4, std::uint8_t{0});
    for (std::size_t i = 0; i < 4 && !rx_frames_.empty() && at + i < rx_frames_.front().size();
         ++i) {
      rx_window_[at + i] = rx_frames_.front()[at + i];
    }
  }
  if (window(offset, dma_read_, &bytes)) return kTxFrameData.has(offset) ? 0 : load(bytes);
  return offset < kManagement ? read_device(offset) : read_management(offset);
}

std::uint32_t Nic::read_device(std::uint32_t offset) {
  switch (offset) {
    case layout::reg::kId:
      return layout::reg::kIdReset;
    case layout::reg::kVersion:
      return layout::reg::kVersionReset;
    case layout::reg::kParameters:
      return layout::bits(parameters::beat_bytes, kBeatBytes) |
             layout::bits(parameters::log_qps, sizes_.log_qps) |
             layout::bits(parameters::log_keys, sizes_.log_keys) |
             layout::bits(parameters::log_cqs, sizes_.log_cqs);
    case layout::reg::kParameters2:
      return layout::bits(layout::reg::parameters2::log_srqs, sizes_.log_srqs) |
             layout::mask(layout::reg::parameters2::uc) |
             layout::mask(layout::reg::parameters2::ud) |
             layout::bits(layout::reg::parameters2::log_ahs, sizes_.log_ahs);
    case layout::reg::kParameters3:
      return layout::bits(layout::reg::parameters3::log_attachments, sizes_.log_attachments);
    case layout::reg::kControl:
      return control_;
    case layout::reg::kTimeLo:
      time_high_ = high(engine_.timers.now());
      return low(engine_.timers.now());
    case layout::reg::kTimeHi:
      return time_high_;
    case layout::reg::kEqBaseLo:
      return low(engine_.events.base());
    case layout::reg::kEqBaseHi:
      return high(engine_.events.base());
    case layout::reg::kEqSize:
      return engine_.events.size();
    case layout::reg::kEqConsumer:
      return engine_.events.consumer();
    case layout::reg::kEqStatus:
      return engine_.events.overflowed();
    default:
      return offset >= layout::reg::kAdminBaseLo && offset <= layout::reg::kAdminDone
                 ? admin_[admin_index(offset)]
                 : 0;
  }
}

void Nic::write32(std::uint32_t offset, std::uint32_t value) {
  offset &= ~std::uint32_t{3};
  std::uint8_t* bytes = nullptr;
  if (kQpDoorbell.has(offset)) {
    queue_doorbell(offset - kQpDoorbell.offset, value);
  } else if (kCqDoorbell.has(offset)) {
    completion_doorbell(offset - kCqDoorbell.offset, value);
  } else if (kRxFrameData.has(offset)) {
    return;
  } else if (window(offset, dma_written_, &bytes)) {
    layout::put_memory(bytes, {0, 32}, value);
  } else if (offset < kManagement) {
    write_device(offset, value);
  } else {
    write_management(offset, value);
  }
}

void Nic::queue_doorbell(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t number = offset / doorbell_word::kStride;
  const std::uint32_t which = offset % doorbell_word::kStride;
  const auto index = static_cast<std::uint16_t>(value);
  if (which == doorbell_word::kSrq) {
    if (engine_.srqs.has(number)) engine_.srqs.doorbell(number, index);
    return;
  }
  QueuePair* qp = find(number);
  if (qp == nullptr) return;
  if (which == doorbell_word::kSq) {
    qp->requester.doorbell(index);
  } else if (which == doorbell_word::kRq) {
    qp->responder.doorbell(index);
  }
  wake(qp);
}

void Nic::completion_doorbell(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t number = offset / doorbell_word::kStride;
  const std::uint32_t which = offset % doorbell_word::kStride;
  if (!engine_.cqs.has(number)) return;
  const auto index = static_cast<std::uint16_t>(value);
  if (which == doorbell_word::kCqConsumer) {
    engine_.cqs.consumed(number, index);
  } else if (which == doorbell_word::kCqArm) {
    engine_.cqs.arm(number, index, (value & doorbell_word::kArmSolicited) != 0);
  }
}

void Nic::write_device(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case layout::reg::kControl:
      control_ = value;
      break;
    case layout::reg::kEqBaseLo:
      engine_.events.set_base_low(value);
      break;
    case layout::reg::kEqBaseHi:
      engine_.events.set_base_high(value);
      break;
    case layout::reg::kEqSize:
      engine_.events.set_size(value);
      break;
    case layout::reg::kEqConsumer:
      engine_.events.set_consumer(static_cast<std::uint16_t>(value));
      break;
    case layout::reg::kEqStatus:
      if ((value & 1) != 0) engine_.events.clear_overflow();
      break;
    default:
      if (offset >= layout::reg::kAdminBaseLo && offset <= layout::reg::kAdminDone) {
        admin_[admin_index(offset)] = value;
      }
      break;
  }
}

}  // namespace roci::nic
