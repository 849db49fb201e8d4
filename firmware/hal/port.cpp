// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/port.hpp"

namespace roci::fw {
namespace {

// Many times the length of any access; only defective hardware reaches it.
constexpr uint32_t kMaxPolls = 1u << 20;

namespace table_command = layout::reg::table_command;
namespace dma_command = layout::reg::dma_command;
namespace engine_event = layout::reg::engine_event;
namespace rx_frame_status = layout::reg::rx_frame_status;
constexpr uint32_t kFence = layout::mask(layout::reg::fence_command::go);

/// Returns the words of a row of `table`.
constexpr size_t row_words(layout::Table table) {
  const unsigned bytes = table == layout::Table::kQpAttr    ? layout::qp_attr::kBytes
                         : table == layout::Table::kAv      ? layout::av::kBytes
                         : table == layout::Table::kKey     ? layout::key::kBytes
                         : table == layout::Table::kCq      ? layout::cq::kBytes
                         : table == layout::Table::kQpLive  ? layout::qp_live::kBytes
                         : table == layout::Table::kSrq     ? layout::srq::kBytes
                         : table == layout::Table::kSrqLive ? layout::srq_live::kBytes
                         : table == layout::Table::kCqLive  ? layout::cq_live::kBytes
                                                            : layout::kBlockBytes;
  return (bytes + 3) / 4;
}

}  // namespace

bool Port::wait(uint32_t offset, uint32_t busy, uint32_t* value) {
  for (uint32_t polls = 0; polls < kMaxPolls; ++polls) {
    *value = read(offset);
    if ((*value & busy) == 0) return true;
  }
  return false;
}

uint64_t Port::read64(uint32_t low_offset) {
  const uint64_t low = read(low_offset);
  return low | static_cast<uint64_t>(read(low_offset + 4)) << 32;
}

uint64_t Port::now() { return read64(layout::reg::kTimeLo); }

void Port::write_words(uint32_t offset, const uint32_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i) write(offset + 4 * static_cast<uint32_t>(i), words[i]);
}

void Port::read_words(uint32_t offset, uint32_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i) words[i] = read(offset + 4 * static_cast<uint32_t>(i));
}

bool Port::table_command(layout::Table table, uint32_t row, bool write_it) {
  uint32_t value = 0;
  write(layout::reg::kTableCommand,
        layout::bits(table_command::row, row) | layout::bits(table_command::table_id, table) |
            layout::bits(table_command::write, write_it) | layout::mask(table_command::go));
  return wait(layout::reg::kTableCommand, layout::mask(table_command::go), &value);
}

bool Port::write_row(layout::Table table, uint32_t row, const Block& block) {
  write_words(layout::window::kTableData.offset, block.word, row_words(table));
  return table_command(table, row, true);
}

bool Port::read_row(layout::Table table, uint32_t row, Block* block) {
  if (!table_command(table, row, false)) return false;
  read_words(layout::window::kTableData.offset, block->word, row_words(table));
  return true;
}

bool Port::write_state(uint32_t qpn, layout::QpState state) {
  write(layout::window::kTableData.offset, number(state));
  return table_command(layout::Table::kQpState, qpn, true);
}

bool Port::read_state(uint32_t qpn, layout::QpState* state) {
  if (!table_command(layout::Table::kQpState, qpn, false)) return false;
  const uint32_t word = read(layout::window::kTableData.offset);
  *state = static_cast<layout::QpState>(layout::get(word, layout::qp_state::state));
  return true;
}

bool Port::fence() {
  uint32_t value = 0;
  write(layout::reg::kFenceCommand, kFence);
  return wait(layout::reg::kFenceCommand, kFence, &value);
}

void Port::post_event(uint32_t kind, uint32_t number) {
  write(layout::reg::kEventPost, layout::bits(layout::reg::event_post::kind, kind) |
                                     layout::bits(layout::reg::event_post::number, number));
}

void Port::dma_begin(uint64_t address, uint32_t pasid, uint32_t command) {
  write(layout::reg::kDmaAddressLo, static_cast<uint32_t>(address));
  write(layout::reg::kDmaAddressHi, static_cast<uint32_t>(address >> 32));
  write(layout::reg::kDmaCommand,
        layout::bits(dma_command::pasid, pasid) | command | layout::mask(dma_command::go));
}

void Port::dma_read(uint64_t address, uint32_t pasid) { dma_begin(address, pasid, 0); }

void Port::dma_write(uint64_t address, uint32_t pasid, const uint32_t* words, size_t count) {
  write_words(layout::window::kDmaData.offset, words, count);
  dma_begin(address, pasid,
            layout::mask(dma_command::write) | layout::bits(dma_command::bytes, 4 * count));
}

bool Port::dma_end() {
  uint32_t value = 0;
  return wait(layout::reg::kDmaCommand, layout::mask(dma_command::go), &value) &&
         !layout::get(value, dma_command::error);
}

void Port::dma_words(uint32_t* words, size_t first, size_t end) {
  read_words(layout::window::kDmaData.offset + 4 * static_cast<uint32_t>(first), words,
             end - first);
}

uint64_t Port::port_counter(uint32_t counter) {
  write(layout::reg::kCounterSelect, counter);
  return read64(layout::reg::kCounterLo);
}

bool Port::send_frame(const uint8_t* frame, size_t bytes) {
  uint32_t value = 0;
  if (bytes > layout::window::kTxFrameData.bytes) return false;
  // The previous frame must have been sent.
  const uint32_t busy = layout::mask(layout::reg::tx_frame_command::busy);
  if (!wait(layout::reg::kTxFrameCommand, busy, &value)) return false;
  for (size_t at = 0; at < bytes; at += 4) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && at + i < bytes; ++i) {
      word |= static_cast<uint32_t>(frame[at + i]) << 8 * i;
    }
    write(layout::window::kTxFrameData.offset + static_cast<uint32_t>(at), word);
  }
  write(layout::reg::kTxFrameCommand, static_cast<uint32_t>(bytes));
  return true;
}

size_t Port::receive_frame(uint8_t* frame, size_t room) {
  const uint32_t status = read(layout::reg::kRxFrameStatus);
  if (!layout::get(status, rx_frame_status::valid)) return 0;
  const size_t bytes = layout::get(status, rx_frame_status::bytes);
  const size_t count = bytes < room ? bytes : room;
  for (size_t at = 0; at < count; at += 4) {
    const uint32_t word = read(layout::window::kRxFrameData.offset + static_cast<uint32_t>(at));
    for (size_t i = 0; i < 4 && at + i < count; ++i) {
      frame[at + i] = static_cast<uint8_t>(word >> 8 * i);
    }
  }
  write(layout::reg::kRxFramePop, 1);
  return count;
}

bool Port::pop_event(uint32_t* number, uint32_t* kind) {
  const uint32_t event = read(layout::reg::kEngineEvent);
  if (!layout::get(event, engine_event::valid)) return false;
  *number = layout::get(event, engine_event::number);
  *kind = layout::get(event, engine_event::kind);
  return true;
}

}  // namespace roci::fw
