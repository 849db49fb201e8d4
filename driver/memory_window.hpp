// SPDX-License-Identifier: Apache-2.0
// Memory windows (10.6.7): access rights to a part of a region, granted and revoked by work
// requests.
#pragma once

#include "driver/memory.hpp"
#include "driver/types.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::driver {

enum class WindowType : std::uint8_t {
  kType1 = layout::number(layout::KeyKind::kWindowType1),  ///< every queue pair of the domain
  kType2 = layout::number(layout::KeyKind::kWindowType2),  ///< the queue pair that bound it (2B)
};

/// A memory window, not bound when created. Must be destroyed before its regions are deregistered.
class MemoryWindow {
 public:
  MemoryWindow(ProtectionDomain& pd, WindowType type);
  /// When it returns, no access through the window can follow.
  ~MemoryWindow();
  MemoryWindow(const MemoryWindow&) = delete;
  MemoryWindow& operator=(const MemoryWindow&) = delete;

  WindowType type() const { return type_; }
  /// As last bound, or as allocated.
  std::uint32_t key() const { return key_; }
  /// The key with the next variant number, which the next bind may use.
  std::uint32_t next_key() const { return (key_ & ~0xFFu) | ((key_ + 1) & 0xFF); }
  /// Records that a bind with this key was posted.
  void set_key(std::uint32_t key) { key_ = key; }

  /// Request that binds the window with `key` to `bytes` (0 unbinds) from `address` on of the
  /// region named `region_key`.
  static SendRequest bind(std::uint32_t key, std::uint32_t region_key, std::uint64_t address,
                          std::uint64_t bytes, std::uint32_t rights);

 private:
  Context& context_;
  WindowType type_;
  std::uint32_t allocated_;  ///< always names the window, whichever binds have failed
  std::uint32_t key_;
};

}  // namespace roci::driver
