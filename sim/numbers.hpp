// SPDX-License-Identifier: Apache-2.0
// Range of the numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>

namespace roci::sim {

/// Makes the options of all commands reject whole numbers below 0 or above 2^64 - 1. CLI11 alone
/// wraps them around for an option that holds an unsigned number.
void reject_numbers_that_wrap(CLI::App& app);

}  // namespace roci::sim
