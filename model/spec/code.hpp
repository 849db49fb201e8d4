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

/// Value of the code called `name` in a group. A name that is not in it does not compile.
template <std::size_t N>
constexpr unsigned code_of(const Code (&group)[N], std::string_view name) {
  for (const Code& code : group) {
    if (code.name == name) return code.value;
  }
  throw "no such code";
}

}  // namespace roci::spec
