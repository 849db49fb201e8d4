// SPDX-License-Identifier: Apache-2.0
// Protection domains and memory regions.
#pragma once

#include <cstdint>

#include "driver/context.hpp"

namespace roci::driver {

/// Protection domain (10.2.3). Must outlive what is made in it.
class ProtectionDomain {
 public:
  explicit ProtectionDomain(Context& context);
  ~ProtectionDomain();
  ProtectionDomain(const ProtectionDomain&) = delete;
  ProtectionDomain& operator=(const ProtectionDomain&) = delete;

  Context& context() { return context_; }
  std::uint32_t number() const { return number_; }

 private:
  Context& context_;
  std::uint32_t number_;
};

/// Registered memory (10.6). Work requests and peers address its first byte as address().
class MemoryRegion {
 public:
  /// Allocates `bytes` (not 0) of zeroed memory, aligned to 4 KiB, and registers it with `rights`
  /// (bits of `access`; 11.2.8.2). Throws Error.
  MemoryRegion(ProtectionDomain& pd, std::size_t bytes, std::uint32_t rights);
  /// Registers `memory`, which the caller owns, at `address` for work requests. Throws Error.
  MemoryRegion(ProtectionDomain& pd, const DmaMemory& memory, std::uint32_t rights,
               std::uint64_t address);
  /// When it returns, no access through the key can follow.
  ~MemoryRegion();
  MemoryRegion(const MemoryRegion&) = delete;
  MemoryRegion& operator=(const MemoryRegion&) = delete;

  /// Deregisters the region (11.2.8.3). Throws Error, and the region stays registered, while
  /// windows are bound to it (MR-08).
  void deregister();
  /// Changes the arguments that are not null (11.2.8.6): the range (`memory`, at `address` for work
  /// requests), the protection domain, the access rights. The key stays the same. Not for memory
  /// that the region allocated. Throws Error.
  void change(const DmaMemory* memory, std::uint64_t address, ProtectionDomain* pd,
              const std::uint32_t* rights);

  std::uint8_t* data() { return memory_.host; }
  const std::uint8_t* data() const { return memory_.host; }
  std::size_t size() const { return memory_.bytes; }
  std::uint64_t address() const { return address_; }
  std::uint32_t key() const { return key_; }  ///< local and remote key
  /// Entry of a list that names `length` bytes from `offset` on.
  Sge sge(std::uint64_t offset, std::uint32_t length) const {
    return {address_ + offset, length, key_};
  }

 private:
  void enter(std::uint32_t rights);

  ProtectionDomain* pd_;
  DmaMemory memory_;
  std::uint64_t address_;
  bool owned_;
  bool registered_ = false;
  std::uint32_t key_ = 0;
};

}  // namespace roci::driver
