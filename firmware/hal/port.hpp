// SPDX-License-Identifier: Apache-2.0
// Functions on the management registers: table port, DMA window, frames, fence, time.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/hal/bits.hpp"
#include "firmware/hal/hal.hpp"

namespace roci::fw {

/// A row of a table, or the content of the DMA window: 64 bytes.
struct Block {
  uint32_t word[layout::kBlockBytes / 4];
  uint64_t get(Place place) const { return get_bits(word, place); }
  template <typename Value>
  void put(Place place, Value value) {
    put_bits(word, place, static_cast<uint64_t>(value));
  }
};

/// Every wait is bounded: a function that returns bool returns false when the adapter does not
/// respond.
class Port {
 public:
  explicit Port(const Hal& hal) : hal_(hal) {}

  uint32_t read(uint32_t offset) { return hal_.read32(hal_.context, offset); }
  void write(uint32_t offset, uint32_t value) { hal_.write32(hal_.context, offset, value); }
  /// Accesses a 64-bit number in two registers, the low one first.
  uint64_t read64(uint32_t low_offset);

  uint64_t now();

  /// Accesses a row; words after the table's layout are neither written nor read.
  bool write_row(layout::Table table, uint32_t row, const Block& block);
  bool read_row(layout::Table table, uint32_t row, Block* block);
  /// Accesses the QpState of a queue pair.
  bool write_state(uint32_t qpn, layout::QpState state);
  bool read_state(uint32_t qpn, layout::QpState* state);

  /// Waits until all work begun before the call has left the engine.
  bool fence();

  /// Puts an event into the host's event queue.
  void post_event(uint32_t kind, uint32_t number);

  /// Starts an access to host memory: `dma_read` fetches the block at `address`, a multiple of 64,
  /// `dma_write` writes `count` words from `address` on. Registers may be used meanwhile.
  void dma_read(uint64_t address, uint32_t pasid);
  void dma_write(uint64_t address, uint32_t pasid, const uint32_t* words, size_t count);
  /// Waits for the end of the access. False also when the access failed.
  bool dma_end();
  /// Returns words `first` to `end - 1` of the block that was read.
  void dma_words(uint32_t* words, size_t first, size_t end);

  /// Reads a port counter (PortCounter).
  uint64_t port_counter(uint32_t counter);

  /// Sends an Ethernet frame without FCS.
  bool send_frame(const uint8_t* frame, size_t bytes);
  /// Takes the waiting frame: copies at most `room` bytes of it and returns their number, 0: none
  /// waits.
  size_t receive_frame(uint8_t* frame, size_t room);

  /// Takes an engine event; false: none waits.
  bool pop_event(uint32_t* number, uint32_t* kind);

 private:
  /// Waits until `busy` reads 0 in the register; `value` is the last value read.
  bool wait(uint32_t offset, uint32_t busy, uint32_t* value);
  bool table_command(layout::Table table, uint32_t row, bool write_it);
  void dma_begin(uint64_t address, uint32_t pasid, uint32_t command);
  void write_words(uint32_t offset, const uint32_t* words, size_t count);
  void read_words(uint32_t offset, uint32_t* words, size_t count);

  Hal hal_;
};

}  // namespace roci::fw
