// SPDX-License-Identifier: Apache-2.0
// Tests that lock-step does not follow.
#pragma once

#include <string_view>
#include <vector>

namespace roci::testbench::faults {

struct Apart {
  const char* title;
  const char* why;
};

const std::vector<Apart>& apart();
/// `test_case` as doctest names it: schedules and title.
bool is_apart(std::string_view test_case);

}  // namespace roci::testbench::faults
