// SPDX-License-Identifier: Apache-2.0
// Tests that are excluded from lock-step.
#pragma once

#include <string_view>
#include <vector>

namespace roci::testbench::faults {

struct Apart {
  const char* title;
  const char* why;
};

const std::vector<Apart>& apart();
/// Whether `test_case`, doctest's name with schedules and title, is excluded.
bool is_apart(std::string_view test_case);

}  // namespace roci::testbench::faults
