// SPDX-License-Identifier: Apache-2.0
// Gives lock-step the command that repeats the present test case.
#include <doctest/doctest.h>

#include "testbench/lockstep/repeat.hpp"

namespace {

class Repeat final : public doctest::IReporter {
 public:
  explicit Repeat(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData& test) override {
    std::string pattern = test.m_name;
    // Characters that separate patterns, or have another meaning for doctest.
    for (char& c : pattern) {
      if (c == ',' || c == '\\' || c == '"' || c == '\'') c = '?';
    }
    roci::testbench::lockstep::begin({"-tc=" + pattern});
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("lockstep", 1, Repeat);

}  // namespace
