// SPDX-License-Identifier: Apache-2.0
// Tests of the table of statements, of the tests that cite it, and of the choice by pattern.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "testbench/verify/conform/registry.hpp"

using namespace roci::conform;

TEST_CASE("every P0 and P1 statement has a test or a reason, every test cites statements") {
  for (const std::string& wrong : check_coverage()) FAIL_CHECK(wrong);
}

TEST_CASE("a statement with a source is cited by a test case there") {
  for (const Statement& statement : statements()) {
    if (statement.source == nullptr) continue;
    std::ifstream file(std::string(SOURCES "/") + statement.source);
    bool cited = false;
    for (std::string line; std::getline(file, line);) {
      cited |= line.find("TEST_CASE(") != std::string::npos &&
               line.find(statement.id) != std::string::npos;
    }
    CAPTURE(statement.id);
    CHECK(cited);
  }
}

TEST_CASE("patterns") {
  CHECK(matches("RQ", "RQ-21"));
  CHECK(matches("RQ-21", "RQ-21"));
  CHECK(matches("RQ-2*", "RQ-21"));
  CHECK(matches("*-21", "RQ-21"));
  CHECK(matches("R?-21", "RQ-21"));
  CHECK(matches("*", "RQ-21"));
  CHECK(matches("*2*", "RQ-21"));
  CHECK_FALSE(matches("R", "RQ-21"));
  CHECK_FALSE(matches("RQ-2", "RQ-21"));
  CHECK_FALSE(matches("RQ-2?", "RQ-2"));
  CHECK_FALSE(matches("RQ-*1", "RQ-22"));
  CHECK_FALSE(matches("WIRE*", "RQ-21"));
}
