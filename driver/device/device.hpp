// SPDX-License-Identifier: Apache-2.0
// How a process reaches an adapter: registers, memory that both see, and time.
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// Zeroed memory. `alignment` is a power of two, at least 64 is given. Throws std::bad_alloc.
  virtual DmaMemory allocate(std::size_t bytes, std::size_t alignment) = 0;
  /// The adapter must not reach the memory from here on; what it still does there is its fault.
  virtual void release(const DmaMemory& memory) = 0;

  /// Address space of the memory above, 20 bits.
  virtual std::uint32_t pasid() const = 0;

  /// Time of the adapter's time input, nanoseconds.
  virtual std::uint64_t now_ns() const = 0;

  /// Lets time pass until `ready()` holds, and says whether it did within `timeout_ns`. `ready`
  /// reads memory only; it is tried when the adapter wrote memory and when wake() was called.
  virtual bool wait(const std::function<bool()>& ready, std::uint64_t timeout_ns) = 0;
  /// Something other than the adapter changed what a waiting thread's `ready` reads.
  virtual void wake() = 0;

  /// The adapter is not there any more and will not come back: what is outstanding will not be
  /// completed by it. Costs no more than a look at memory.
  virtual bool gone() const { return false; }

  /// A way for admin commands of the device's own; nullptr: the rings behind its registers.
  virtual CommandPort* command_port() { return nullptr; }
  /// Events of a device that has such a way.
  virtual std::unique_ptr<EventQueue> open_events();
};

}  // namespace roci::driver
