// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/runner.hpp"

#include <ctime>

#include "testbench/verify/conform/fixture.hpp"

namespace roci::conform {
namespace {

void run_one(Adapter& adapter, const Test& test, const AdapterOptions& options) {
  adapter.run([&] {
    Fixture fixture(adapter, options.seed, options.thorough);
    test.body(fixture);
    fixture.finish();
  });
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
    try {
      if (is.port_mtu != test.needs.port_mtu) adapter.reset();
      is.port_mtu = test.needs.port_mtu;
      if (!adapter) adapter = make_adapter(is);
      run_one(*adapter, test, is);
      outcome.passed = true;
    } catch (const Failure& failure) {
      outcome.expected = failure.expected();
      outcome.seen = failure.seen();
    } catch (const std::exception& error) {
      outcome.expected = "no violated rule of the test bench, no rejected command";
      outcome.seen = error.what();
    }
    if (!outcome.passed) adapter.reset();  // its state is not known
    outcome.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (done) done(outcome);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace roci::conform
