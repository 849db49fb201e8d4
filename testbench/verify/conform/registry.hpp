// SPDX-License-Identifier: Apache-2.0
// The statements that an adapter must meet, and the tests that show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/spec/layout/codes.hpp"

namespace roci::conform {

class Fixture;

/// A statement that must hold.
struct Statement {
  const char* id;  ///< group and number, "RQ-21"
  int priority;    ///< 0: without it no connection works; 1: needed; 2: wanted
  const char* text;
  const char* waived;  ///< reason why no test cites it; nullptr: one must
  /// Source whose test cases cite it in their names, for what is not in the adapter; nullptr: none.
  const char* source = nullptr;
};

/// Returns all statements, by group and number.
const std::vector<Statement>& statements();
/// Returns nullptr when there is none of that name.
const Statement* find_statement(std::string_view id);

/// Requirements of a test on the run and the adapter.
struct Needs {
  bool time = false;         ///< minutes: only in long runs
  unsigned port_mtu = 4200;  ///< bytes that an Ethernet frame of the port may carry
  layout::Service service = layout::Service::kRc;  ///< not run on an adapter without it
  unsigned options = 0;                            ///< bits by Option: likewise
  unsigned absent = 0;  ///< bits by Option: not run on an adapter that has one of them
  /// Why the test says nothing of an adapter outside the test bench; nullptr: it does.
  const char* inside = nullptr;
  bool multicast = false;  ///< not run on an adapter without multicast groups
  /// A failure shows that one of the test's statements is broken, but not which: random or captured
  /// packets. Else it is the first of them.
  bool mixed = false;
  /// Completions stay in the queue of the device until the test takes them.
  bool keeps = false;
};

constexpr Needs mixed(Needs needs = {}) {
  needs.mixed = true;
  return needs;
}

/// About what a completion queue has.
constexpr Needs kept(Needs needs = {}) {
  needs.keeps = true;
  return needs;
}

/// Needs the test bench; `why` completes "not testable here: ...".
constexpr Needs in_bench(const char* why, Needs needs = {}) {
  needs.inside = why;
  return needs;
}

/// Needs an option of the engine, or its absence.
constexpr Needs with(layout::Option option) {
  return {false, 4200, layout::Service::kRc, 1u << static_cast<unsigned>(option), 0};
}
constexpr Needs without(layout::Option option) {
  return {false, 4200, layout::Service::kRc, 0, 1u << static_cast<unsigned>(option)};
}

/// For a test about what is checked before the adapter gets a request.
inline constexpr Needs kOurDriver =
    in_bench("our driver rejects such requests, and the device does not see them");

/// Stimulus and expectation. `body` returns when the statement holds and throws otherwise.
struct Test {
  std::vector<std::string> ids;  ///< statements that it tests, its subject first
  std::string title;
  void (*body)(Fixture&);
  Needs needs;
  bool cites(std::string_view pattern) const;
};

/// Returns all tests of the linked files, in order of their first statement.
std::vector<Test> tests();

/// Whether `id` matches a pattern with `*` and `?`; one without them also matches a group ("RQ").
bool matches(std::string_view pattern, std::string_view id);

/// Returns docs/conformance.md.
std::string document();

/// Returns contradictions between the table and the tests; empty: none.
std::vector<std::string> check_coverage();

struct Registrar {
  Registrar(const char* ids, const char* title, void (*body)(Fixture&), const Needs& needs = {});
};

}  // namespace roci::conform

#define ROCI_CONFORM_JOIN2(a, b) a##b
#define ROCI_CONFORM_JOIN(a, b) ROCI_CONFORM_JOIN2(a, b)
/// TEST("RQ-21 RQ-30", "title") { ... dut ... }
#undef TEST
#define TEST(ids, title) TEST_THAT_NEEDS(::roci::conform::Needs(), ids, title)
/// TEST_THAT_NEEDS(Needs{true}, "RSP-13", "title") { ... }
#define TEST_THAT_NEEDS(needs, ids, title) ROCI_CONFORM_TEST(needs, ids, title, __COUNTER__)
#define ROCI_CONFORM_TEST(needs, ids, title, number)                             \
  static void ROCI_CONFORM_JOIN(test_, number)(::roci::conform::Fixture&);       \
  static const ::roci::conform::Registrar ROCI_CONFORM_JOIN(registrar_, number)( \
      ids, title, &ROCI_CONFORM_JOIN(test_, number), needs);                     \
  static void ROCI_CONFORM_JOIN(test_, number)([[maybe_unused]] ::roci::conform::Fixture & dut)
