// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/runner.hpp"

#include <ctime>

#include "testbench/verify/conform/fixture.hpp"

namespace roci::conform {
namespace {

/// Returns whether the adapter has what the test needs; a test that finds out has not `ended`.
bool run_one(Adapter& adapter, const Test& test, const AdapterOptions& options, bool& ended) {
  bool has = true;
  adapter.run([&] {
    const driver::DeviceLimits& limits = adapter.context().limits();
    has = limits.has(test.needs.service) && (test.needs.options & limits.absent) == 0 &&
          (test.needs.absent & ~limits.absent) == 0;
    if (!has) return;
    Fixture fixture(adapter, options.seed, options.thorough);
    try {
      test.body(fixture);
    } catch (const driver::Error& error) {
      // An engine without options is a small one: tests of many queue pairs have no room either.
      has = limits.absent == 0 || (error.status() != driver::AdminStatus::kUnsupported &&
                                   error.status() != driver::AdminStatus::kNoResource);
      if (has) throw;
      ended = false;
      return;
    }
    fixture.finish();
  });
  return has;
}

}  // namespace

std::vector<Outcome> run_tests(const AdapterOptions& options, const std::vector<Test>& all,
                               const std::function<void(const Outcome&)>& done) {
  std::vector<Outcome> outcomes;
  std::unique_ptr<Adapter> adapter;
  AdapterOptions is = options;
  for (const Test& test : all) {
    Outcome outcome;
    outcome.test = &test;
    const std::clock_t start = std::clock();
    bool ended = true;
    try {
      if (is.port_mtu != test.needs.port_mtu) adapter.reset();
      is.port_mtu = test.needs.port_mtu;
      if (!adapter) adapter = make_adapter(is);
      outcome.skipped = !run_one(*adapter, test, is, ended);
      outcome.passed = true;
    } catch (const Failure& failure) {
      outcome.expected = failure.expected();
      outcome.seen = failure.seen();
    } catch (const std::exception& error) {
      outcome.expected = "no violated rule of the test bench, no rejected command";
      outcome.seen = error.what();
    }
    if (!outcome.passed || !ended) adapter.reset();  // its state is not known
    outcome.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (done) done(outcome);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace roci::conform
