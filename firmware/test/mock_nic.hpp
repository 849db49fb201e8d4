// SPDX-License-Identifier: Apache-2.0
// Mock of an adapter for firmware: registers, tables, the DMA window, frames, time.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "firmware/firmware.hpp"

namespace roci::fw::test {

using Frame = std::vector<std::uint8_t>;
using layout::bits, layout::mask;
constexpr Mac kOwnMac = 0x525400000001, kPeerMac = 0x525400000002;
constexpr unsigned kLogQps = 4, kLogKeys = 4, kLogCqs = 4, kLogSrqs = 2;

/// One action of firmware on the adapter.
struct Action {
  enum Kind { kRow, kState, kFence, kPost, kCqDoorbell } kind;
  layout::Table table;
  std::uint32_t row;
  std::uint32_t value = 0;  ///< value of a doorbell
};

class MockNic {
 public:
  Hal hal() { return {this, &MockNic::read32, &MockNic::write32}; }

  std::map<std::pair<layout::Table, std::uint32_t>, Block> rows;  ///< by table and row
  std::map<std::uint32_t, layout::QpState> states;                ///< by queue pair
  std::vector<Action> actions;
  std::vector<Frame> sent;
  std::deque<Frame> received;
  std::deque<std::uint32_t> events;          ///< as EngineEvent reads
  std::array<std::uint64_t, 16> counters{};  ///< counters of the port
  std::vector<std::uint64_t> reads, writes;  ///< addresses of DMA accesses
  unsigned accesses = 0;
  std::map<std::uint64_t, std::array<std::uint32_t, 16>> memory;
  std::uint64_t now = 0x1FFFFF000;  ///< the low word wraps soon
  std::uint64_t bad_address = ~std::uint64_t{0};
  std::uint32_t pasid_seen = 0;
  std::uint16_t admin_doorbell = 0;
  std::uint16_t admin_done = 0;
  std::uint32_t admin_log = 1;
  std::uint32_t admin_pasid = 0x54321;
  std::uint64_t admin_base = 0x7F0000001000;
  std::uint64_t admin_reply = 0x7F0000003000;
  std::uint32_t parameters2 = kLogSrqs, parameters3 = 0, control = 3;
  Mac mac = 0;
  std::vector<std::uint32_t> posted;  ///< events for the host, as written to EventPost
  bool table_stuck = false;
  bool fence_stuck = false;
  /// Runs when firmware writes a state, before it takes effect.
  std::function<void(std::uint32_t qpn)> before_state;
  /// Runs when firmware rings the doorbell of a completion queue.
  std::function<void()> before_doorbell;

  Block& row(layout::Table table, std::uint32_t index) { return rows[{table, index}]; }

 private:
  static std::uint32_t read32(void* self, std::uint32_t offset) {
    return static_cast<MockNic*>(self)->read(offset);
  }
  static void write32(void* self, std::uint32_t offset, std::uint32_t value) {
    static_cast<MockNic*>(self)->write(offset, value);
  }

  /// Busy bit 31 or 0 stays set for a few reads, as on a real bus.
  std::uint32_t busy(std::uint32_t* polls, bool stuck, std::uint32_t bit) {
    if (stuck) return bit;
    if (*polls == 0) return 0;
    --*polls;
    return bit;
  }

  std::uint32_t read(std::uint32_t offset) {
    now += 32;
    ++accesses;
    using namespace layout;
    if (window::kTableData.has(offset)) {
      REQUIRE(table_polls_ == 0);
      return table_data_.word[(offset - window::kTableData.offset) / 4];
    }
    if (window::kDmaData.has(offset)) {
      return dma_read_[(offset - window::kDmaData.offset) / 4];
    }
    if (window::kRxFrameData.has(offset)) {
      std::uint32_t word = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const std::size_t at = offset - window::kRxFrameData.offset + i;
        if (at < received.front().size()) word |= std::uint32_t{received.front()[at]} << 8 * i;
      }
      return word;
    }
    switch (offset) {
      case reg::kParameters:
        return bits(reg::parameters::beat_bytes, 8) | bits(reg::parameters::log_qps, kLogQps) |
               bits(reg::parameters::log_keys, kLogKeys) | bits(reg::parameters::log_cqs, kLogCqs);
      case reg::kParameters2:
      case reg::kParameters3:
        return offset == reg::kParameters2 ? parameters2 : parameters3;
      case reg::kControl:
        return control;
      case reg::kTimeLo:
        time_hi_ = static_cast<std::uint32_t>(now >> 32);
        return static_cast<std::uint32_t>(now);
      case reg::kTimeHi:
        return time_hi_;
      case reg::kAdminBaseLo:
        return static_cast<std::uint32_t>(admin_base);
      case reg::kAdminBaseHi:
        return static_cast<std::uint32_t>(admin_base >> 32);
      case reg::kAdminReplyLo:
        return static_cast<std::uint32_t>(admin_reply);
      case reg::kAdminReplyHi:
        return static_cast<std::uint32_t>(admin_reply >> 32);
      case reg::kAdminSize:
        return bits(reg::admin_size::log, admin_log) | bits(reg::admin_size::pasid, admin_pasid);
      case reg::kAdminDoorbell:
        return admin_doorbell;
      case reg::kAdminDone:
        return admin_done;
      case reg::kAttention:
        return bits(reg::attention::admin, admin_doorbell != admin_done) |
               bits(reg::attention::frame, !received.empty()) |
               bits(reg::attention::engine_event, !events.empty());
      case reg::kTableCommand:
        return busy(&table_polls_, table_stuck, mask(reg::table_command::go));
      case reg::kFenceCommand:
        return busy(&fence_polls_, fence_stuck, 1);
      case reg::kDmaCommand:
        return busy(&dma_polls_, false, mask(reg::dma_command::go)) | dma_error_;
      case reg::kEngineEvent: {
        if (events.empty()) return 0;
        const std::uint32_t event = events.front();
        events.pop_front();
        return event;
      }
      case reg::kTxFrameCommand:
        return busy(&tx_polls_, false, mask(reg::tx_frame_command::busy));
      case reg::kRxFrameStatus:
        return received.empty() ? 0
                                : mask(reg::rx_frame_status::valid) |
                                      bits(reg::rx_frame_status::bytes, received.front().size());
      case reg::kCounterLo:
        return static_cast<std::uint32_t>(counters.at(counter_));
      case reg::kCounterHi:
        return static_cast<std::uint32_t>(counters.at(counter_) >> 32);
      case reg::kMacLo:
        return static_cast<std::uint32_t>(mac);
      case reg::kMacHi:
        return static_cast<std::uint32_t>(mac >> 32);
      default:
        FAIL("read of ", offset);
        return 0;
    }
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    now += 16;
    ++accesses;
    using namespace layout;
    if (window::kTableData.has(offset)) {
      table_data_.word[(offset - window::kTableData.offset) / 4] = value;
      return;
    }
    if (window::kDmaData.has(offset)) {
      dma_written_[(offset - window::kDmaData.offset) / 4] = value;
      return;
    }
    if (window::kTxFrameData.has(offset)) {
      for (unsigned i = 0; i < 4; ++i) {
        tx_data_[offset - window::kTxFrameData.offset + i] =
            static_cast<std::uint8_t>(value >> 8 * i);
      }
      return;
    }
    if (window::kCqDoorbell.has(offset)) {
      REQUIRE(offset % 16 == 0);
      if (before_doorbell) before_doorbell();
      actions.push_back({Action::kCqDoorbell,
                         {},
                         (offset - window::kCqDoorbell.offset) / doorbell_word::kStride,
                         value});
      return;
    }
    switch (offset) {
      case reg::kTableCommand:
        table(value);
        break;
      case reg::kFenceCommand:
        REQUIRE(value == 1);
        actions.push_back({Action::kFence, {}, 0});
        fence_polls_ = 3;
        break;
      case reg::kEventPost:
        posted.push_back(value);
        actions.push_back({Action::kPost, {}, value});
        break;
      case reg::kDmaAddressLo:
        dma_address_ = (dma_address_ >> 32 << 32) | value;
        break;
      case reg::kDmaAddressHi:
        dma_address_ = (dma_address_ & 0xFFFFFFFF) | std::uint64_t{value} << 32;
        break;
      case reg::kDmaCommand:
        dma(value);
        break;
      case reg::kTxFrameCommand:
        REQUIRE(tx_polls_ == 0);
        sent.emplace_back(tx_data_.begin(), tx_data_.begin() + value);
        tx_polls_ = 2;
        break;
      case reg::kRxFramePop:
        REQUIRE_FALSE(received.empty());
        received.pop_front();
        break;
      case reg::kAdminDone:
        admin_done = static_cast<std::uint16_t>(value);
        break;
      case reg::kCounterSelect:
        counter_ = value;
        break;
      case reg::kMacLo:
        mac = (mac >> 32 << 32) | value;
        break;
      case reg::kMacHi:
        mac = (mac & 0xFFFFFFFF) | Mac{value} << 32;
        break;
      default:
        FAIL("write to ", offset);
    }
  }

  void table(std::uint32_t value) {
    namespace command = layout::reg::table_command;
    REQUIRE(layout::get(value, command::go));
    const std::uint32_t index = layout::get(value, command::row);
    const auto which = static_cast<layout::Table>(layout::get(value, command::table_id));
    table_polls_ = 2;
    if (!layout::get(value, command::write)) {
      table_data_ =
          which == layout::Table::kQpState ? Block{{number(states[index])}} : row(which, index);
    } else if (which == layout::Table::kQpState) {
      if (before_state) std::exchange(before_state, nullptr)(index);
      // ERR is left by RESET only.
      if (states[index] != layout::QpState::kErr ||
          table_data_.word[0] == number(layout::QpState::kReset)) {
        states[index] = layout::QpState(table_data_.word[0]);
      }
      actions.push_back({Action::kState, which, index});
    } else {
      row(which, index) = table_data_;
      actions.push_back({Action::kRow, which, index});
    }
  }

  void dma(std::uint32_t value) {
    namespace command = layout::reg::dma_command;
    pasid_seen = layout::get(value, command::pasid);
    dma_error_ = bits(command::error, dma_address_ == bad_address);
    dma_polls_ = 2;
    if (dma_error_ != 0) return;
    if (!layout::get(value, command::write)) {
      REQUIRE(dma_address_ % 64 == 0);
      reads.push_back(dma_address_);
      dma_read_ = memory[dma_address_];
    } else {
      const std::uint32_t bytes = layout::get(value, command::bytes);
      REQUIRE(bytes <= 64);
      const std::size_t words = (bytes == 0 ? 64 : bytes) / 4;
      const std::size_t first = dma_address_ % 64 / 4;
      REQUIRE(first + words <= 16);
      std::copy_n(dma_written_.begin(), words, memory[dma_address_ / 64 * 64].begin() + first);
      writes.push_back(dma_address_);
    }
  }

  Block table_data_ = {};
  std::array<std::uint32_t, 16> dma_written_ = {}, dma_read_ = {};
  std::array<std::uint8_t, 1536> tx_data_ = {};
  std::uint64_t dma_address_ = 0;
  std::uint32_t counter_ = 0;
  std::uint32_t time_hi_ = 0;
  std::uint32_t dma_error_ = 0;
  std::uint32_t table_polls_ = 0;
  std::uint32_t dma_polls_ = 0;
  std::uint32_t fence_polls_ = 0;
  std::uint32_t tx_polls_ = 0;
};

}  // namespace roci::fw::test
