// SPDX-License-Identifier: Apache-2.0
// What an adapter does at its host side, for observers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roci::testbench {

/// What an access of `roci_nic` to host memory is for. Its AXI id says it
/// (rtl/dma/roci_dma_read_mux.sv, roci_dma_write_mux.sv).
enum class BusUse : std::uint8_t {
  kPayloadRead,
  kBlockRead,  ///< work requests, lists and operands, in blocks of 64 bytes
  kPayloadWrite,
  kCompletionWrite,
  kEventWrite,
  kAtomicWrite,
  kFirmwareWrite
};

constexpr BusUse use_of(bool write, std::uint8_t id) {
  constexpr std::uint8_t kBlock = 0x80;
  if (!write) return (id & kBlock) != 0 ? BusUse::kBlockRead : BusUse::kPayloadRead;
  switch (id) {
    case 0:
      return BusUse::kPayloadWrite;
    case 1:
      return BusUse::kCompletionWrite;
    case 2:
      return BusUse::kEventWrite;
    case 3:
      return BusUse::kAtomicWrite;
    default:
      return BusUse::kFirmwareWrite;
  }
}

/// An access to host memory, when the adapter has taken its response.
struct BusAccess {
  BusUse use;
  std::uint32_t pasid;
  std::uint64_t address;     ///< first byte
  std::size_t bytes;         ///< up to the last one
  std::uint64_t from_ns;     ///< the address was taken
  std::uint64_t memory_ns;   ///< memory was read or written
  std::uint64_t to_ns;       ///< the last beat, or the response, was taken
  const std::uint8_t* data;  ///< the bytes
  bool failed;               ///< the response was an error
};

}  // namespace roci::testbench
