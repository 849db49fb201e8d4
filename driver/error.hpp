// SPDX-License-Identifier: Apache-2.0
// What a refused admin command throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "driver/layout.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::driver {

using layout::AdminStatus;

/// A command that the adapter refused, or an adapter that does not answer. Nothing has changed.
class Error : public std::runtime_error {
 public:
  Error(AdminStatus status, std::uint32_t detail, const std::string& text)
      : std::runtime_error(text), status_(status), detail_(detail) {}

  AdminStatus status() const { return status_; }
  /// Byte offset in the command of the field that was wrong, where there is one.
  std::uint32_t detail() const { return detail_; }

 private:
  AdminStatus status_;
  std::uint32_t detail_;
};

}  // namespace roci::driver
