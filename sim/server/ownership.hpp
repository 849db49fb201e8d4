// SPDX-License-Identifier: Apache-2.0
// The objects of an adapter that a process owns, and the commands that it may send for them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "driver/device/command_port.hpp"
#include "driver/error.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::sim {

/// In the order in which they are destroyed, each after the objects that use it.
enum class Owned {
  kAttachment,
  kQueuePair,
  kSharedReceiveQueue,
  kAddressHandle,
  kWindow,
  kRegion,
  kCompletionQueue,
  kDomain
};
inline constexpr std::size_t kOwnedKinds = 8;

/// A command with handles checked and PASID set, or the status of its reply.
struct Checked {
  driver::AdminStatus status = driver::AdminStatus::kOk;
  std::uint32_t detail = 0;
};

class Ownership {
 public:
  /// Checks a command of the process: whether processes may send it, and own its handles.
  /// Sets its address space to `pasid`.
  Checked check(layout::AdminOp opcode, driver::Body& body, std::uint32_t pasid) const;
  /// Records the objects of a command that the adapter has executed.
  void done(layout::AdminOp opcode, const driver::Body& body, const driver::Body& reply);

  /// Whether the command destroys an object.
  static bool destroys(layout::AdminOp opcode);

  bool has(Owned kind, std::uint32_t number) const { return of(kind).count(number) != 0; }
  const std::set<std::uint32_t>& of(Owned kind) const {
    return numbers_[static_cast<std::size_t>(kind)];
  }
  bool empty() const;

  /// Returns the command that destroys the next object, and removes that object from here.
  struct TakeDown {
    layout::AdminOp opcode;
    driver::Body body;
    Owned kind;
    std::uint32_t number;
  };
  std::optional<TakeDown> destroy_next();

 private:
  std::array<std::set<std::uint32_t>, kOwnedKinds> numbers_;  ///< keys by index
  std::map<std::uint32_t, std::uint32_t> keys_;               ///< as made, by index
};

}  // namespace roci::sim
