// SPDX-License-Identifier: Apache-2.0
// Runs the schedules (options of doctest choose them: -tc='F-0*'); `--docs` writes docs/faults.md.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>

#include "testbench/verify/faults/registry.hpp"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--docs") == 0) {
    std::fputs(roci::testbench::faults::document().c_str(), stdout);
    return 0;
  }
  doctest::Context context(argc, argv);
  return context.run();
}

TEST_CASE("every schedule has a test or a reason, every test runs schedules") {
  for (const std::string& wrong : roci::testbench::faults::check_coverage()) FAIL_CHECK(wrong);
}
