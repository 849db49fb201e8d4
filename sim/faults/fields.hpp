// SPDX-License-Identifier: Apache-2.0
// The fields of one table of a script, by kind of value.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "sim/options.hpp"
#include "sim/report/files.hpp"

namespace roci::sim::faults {

/// Largest number in a script.
inline constexpr std::uint64_t kMostNumber = std::numeric_limits<std::int64_t>::max();

template <typename Map>
std::string names_in(const Map& map) {
  std::string text;
  for (const auto& [name, value] : map) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Each function throws UserError with status 2 that names source and line.
class Fields {
 public:
  Fields(const toml::table& table, const std::string& source) : table_(table), source_(source) {}

  [[noreturn]] void fail(unsigned line, const std::string& what) const {
    throw UserError(fmt::format("{}:{}: {}", source_, line, what), 2);
  }
  unsigned line_of(const std::string& name) const {
    const toml::node* node = table_.get(name);
    return node == nullptr ? table_.source().begin.line : node->source().begin.line;
  }
  bool has(const std::string& name) const { return table_.get(name) != nullptr; }

  std::string text(const std::string& name) const {
    if (!has(name)) return {};
    const auto value = table_[name].value_exact<std::string>();
    if (!value || value->empty()) fail(line_of(name), fmt::format("'{}' must be a text", name));
    return *value;
  }
  std::optional<std::uint64_t> number(const std::string& name, std::uint64_t least,
                                      std::uint64_t most) const {
    if (!has(name)) return {};
    const auto value = table_[name].value_exact<std::int64_t>();
    if (value && *value >= 0 && static_cast<std::uint64_t>(*value) >= least &&
        static_cast<std::uint64_t>(*value) <= most) {
      return static_cast<std::uint64_t>(*value);
    }
    fail(line_of(name), fmt::format("'{}' must be a number from {} to {}", name, least, most));
  }
  template <typename Value>
  Value choice(const std::string& name, const std::map<std::string, Value>& values,
               Value otherwise) const {
    if (!has(name)) return otherwise;
    const auto found = values.find(text(name));
    if (found != values.end()) return found->second;
    fail(line_of(name),
         fmt::format("'{}' is no {}; there are {}", text(name), name, names_in(values)));
  }
  template <typename Value>
  Value required_choice(const std::string& name, const std::map<std::string, Value>& values) const {
    if (!has(name)) fail(line_of(name), fmt::format("'{}' is missing", name));
    return choice(name, values, Value{});
  }
  std::uint64_t time(const std::string& name, std::optional<std::uint64_t> otherwise) const {
    if (!has(name)) {
      if (!otherwise) fail(line_of(name), fmt::format("'{}' is missing, such as \"10us\"", name));
      return *otherwise;
    }
    std::uint64_t ns = 0;
    try {
      ns = parse_duration(text(name));
    } catch (const std::invalid_argument& error) {
      fail(line_of(name), fmt::format("'{}': {}", name, error.what()));
    }
    if (ns == 0) fail(line_of(name), fmt::format("'{}' must be longer than 0", name));
    return ns;
  }

 protected:
  const toml::table& table_;
  const std::string& source_;
};

}  // namespace roci::sim::faults
