// SPDX-License-Identifier: Apache-2.0
// A named number of a group.
#pragma once

#include <cstddef>
#include <string_view>

namespace roci::spec {

/// A named constant of a group.
struct Code {
  std::string_view name;  ///< UpperCamelCase; the RTL adds the group's prefix
  unsigned value;
  std::string_view doc;
};

/// Name of a code for reports; empty for a value that is not in the group.
template <std::size_t N>
constexpr std::string_view name_of(const Code (&group)[N], unsigned value) {
  for (const Code& code : group) {
    if (code.value == value) return code.name;
  }
  return {};
}

}  // namespace roci::spec
