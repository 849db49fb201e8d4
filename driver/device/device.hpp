// SPDX-License-Identifier: Apache-2.0
// How a process reaches an adapter: registers, memory that both see, and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

namespace roci::driver {

class CommandPort;
class EventQueue;

/// Memory that the process addresses by `host` and the adapter by `dma` under the device's PASID.
struct DmaMemory {
  std::uint8_t* host = nullptr;
  std::uint64_t dma = 0;
  std::size_t bytes = 0;
};

/// One way to reach one adapter. Offsets are those of model/spec/registers.hpp.
class Device {
 public:
  static constexpr std::uint64_t kForever = ~std::uint64_t{0};

  virtual ~Device() = default;

  virtual std::uint32_t read32(std::uint32_t offset) = 0;
  /// Posted: may return before the adapter has it. Writes and reads reach it in program order.
  virtual void write32(std::uint32_t offset, std::uint32_t value) = 0;

  /// Writes the words of a window from its beginning on, in order, as write32() would; a device may
  /// combine them. `bytes` is a multiple of 4. False, and nothing is written: this device has no
  /// such window.
  virtual bool write_words(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes) {
    static_cast<void>(offset), static_cast<void>(words), static_cast<void>(bytes);
    return false;
  }

  /// Zeroed memory. `alignment` is a power of two, at least 64 is given. Throws std::bad_alloc.
  virtual DmaMemory allocate(std::size_t bytes, std::size_t alignment) = 0;
  /// Ends the adapter's access to the memory: a later access by the adapter is a fault.
  virtual void release(const DmaMemory& memory) = 0;

  /// Address space of the memory above, 20 bits.
  virtual std::uint32_t pasid() const = 0;

  /// Time of the adapter's time input, nanoseconds.
  virtual std::uint64_t now_ns() const = 0;

  /// Waits until `ready()` is true and returns whether that happened within `timeout_ns`
  /// nanoseconds. `ready` reads memory only; it is called when the adapter wrote memory and when
  /// wake() was called.
  virtual bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) = 0;
  /// Makes waiting threads call `ready` again, after memory changed that the adapter did not write.
  virtual void wake() = 0;

  /// The adapter is gone for good and will complete no outstanding request. Takes one load from
  /// memory.
  virtual bool gone() const { return false; }

  /// The device's own port for admin commands; nullptr: they pass through rings in memory.
  virtual CommandPort* command_port() { return nullptr; }
  /// Events of a device that has a command port of its own.
  virtual std::unique_ptr<EventQueue> open_events();

 protected:
  /// Calls `write(offset, value)` for each word, as write_words() has them.
  template <typename Write>
  static void each_word(std::uint32_t offset, const std::uint8_t* words, std::size_t bytes,
                        Write write) {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint32_t)) {
      std::uint32_t value;
      std::memcpy(&value, words + at, sizeof value);
      write(offset + static_cast<std::uint32_t>(at), value);
    }
  }
};

}  // namespace roci::driver
