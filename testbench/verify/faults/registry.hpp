// SPDX-License-Identifier: Apache-2.0
// The schedules of the fault plan, and the tests that run them.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace roci::testbench::faults {

struct Schedule {
  const char* id;
  const char* text;
  std::vector<const char*>
      conform;         ///< titles of tests of testbench/verify/conform that test it as well
  const char* waived;  ///< reason why no test runs it; nullptr: one must
};

/// Returns all schedules, in order.
const std::vector<Schedule>& schedules();

struct Entry {
  std::vector<std::string> ids;
  const char* title;
  const char* seen;  ///< outcome that the test requires
};
const std::vector<Entry>& entries();

struct Registrar {
  Registrar(const char* ids, const char* title, const char* seen);
};

/// Returns docs/faults.md.
std::string document();
/// Returns contradictions between the list, the tests and the tests of conformance; empty: none.
std::vector<std::string> check_coverage();

}  // namespace roci::testbench::faults

#define ROCI_FAULTS_JOIN2(a, b) a##b
#define ROCI_FAULTS_JOIN(a, b) ROCI_FAULTS_JOIN2(a, b)
/// SCHEDULE("F-01 F-27", "what happens", "what must be seen") { ... }: a test case of doctest.
#define SCHEDULE(ids, title, seen)                                                             \
  static const ::roci::testbench::faults::Registrar ROCI_FAULTS_JOIN(registrar_, __COUNTER__)( \
      ids, title, seen);                                                                       \
  TEST_CASE(ids ": " title)
