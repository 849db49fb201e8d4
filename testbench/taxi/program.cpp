// SPDX-License-Identifier: Apache-2.0
#include "testbench/taxi/program.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "testbench/taxi/scenario.hpp"

int shell_run(const ShellSide* left, const ShellSide* right, const char* scenario, ShellWork* work,
              char* reason, std::uint64_t reason_bytes) {
  using namespace roci::testbench;
  try {
    Pair pair(*left, *right, static_cast<std::uint8_t>(work->mtu));
    if (std::strcmp(scenario, "carry") == 0) {
      carry(pair, *work);
    } else if (std::strcmp(scenario, "interrupt") == 0) {
      interrupt(pair);
    } else if (std::strcmp(scenario, "errors") == 0) {
      errors(pair);
    } else {
      throw std::runtime_error("there is no scenario " + std::string(scenario));
    }
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(reason, reason_bytes, "%s", error.what());
    return 1;
  }
}
