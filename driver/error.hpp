// SPDX-License-Identifier: Apache-2.0
// The exception of a rejected admin command.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "driver/layout.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::driver {

using layout::AdminStatus;

/// A command that the adapter rejected, or an adapter that does not reply. The state of the adapter
/// is as before the command.
class Error : public std::runtime_error {
 public:
  Error(AdminStatus status, std::uint32_t detail, const std::string& text)
      : std::runtime_error(text), status_(status), detail_(detail) {}

  AdminStatus status() const { return status_; }
  /// Byte offset in the command of the field that caused the rejection; 0 when there is none.
  std::uint32_t detail() const { return detail_; }

 private:
  AdminStatus status_;
  std::uint32_t detail_;
};

}  // namespace roci::driver
