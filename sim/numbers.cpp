// SPDX-License-Identifier: Apache-2.0
#include "sim/numbers.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace roci::sim {
namespace {

/// The error text for a whole number that no option can hold; empty: any other text.
std::string range_error(const std::string& text) {
  const bool negative = !text.empty() && text[0] == '-';
  const char* digits = text.c_str() + (negative ? 1 : 0);
  if (*digits == 0 || std::strspn(digits, "0123456789") != std::strlen(digits)) return {};
  errno = 0;
  std::strtoull(digits, nullptr, 10);
  return negative || errno == ERANGE ? fmt::format("{} is out of range", text) : std::string();
}

}  // namespace

void reject_numbers_that_wrap(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      if (!option->get_positional() && option->get_items_expected_max() != 0) {
        option->check(range_error);
      }
    }
  }
}

}  // namespace roci::sim
