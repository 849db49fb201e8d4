// SPDX-License-Identifier: Apache-2.0
// What a refused admin command throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "driver/layout.hpp"
#include "model/spec/commands.hpp"

namespace roci::driver {

/// Statuses of admin commands; names and numbers of spec::kAdminStatuses.
enum class AdminStatus : std::uint16_t {
  kOk = code_of(spec::kAdminStatuses, "Ok"),
  kBadOpcode = code_of(spec::kAdminStatuses, "BadOpcode"),
  kBadHandle = code_of(spec::kAdminStatuses, "BadHandle"),
  kBadParameter = code_of(spec::kAdminStatuses, "BadParameter"),
  kBadState = code_of(spec::kAdminStatuses, "BadState"),
  kNoResource = code_of(spec::kAdminStatuses, "NoResource"),
  kBusy = code_of(spec::kAdminStatuses, "Busy"),
  kUnreachable = code_of(spec::kAdminStatuses, "Unreachable"),
  kHardwareError = code_of(spec::kAdminStatuses, "HardwareError"),
};

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
