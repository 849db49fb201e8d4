// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/runner.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <new>

#include "testbench/verify/conform/fixture.hpp"
#include "testbench/verify/conform/target/agent.hpp"

namespace roci::conform {
namespace {

using Clock = std::chrono::steady_clock;

/// Keeps the frames of a test, however it ends.
class FrameKeeper {
 public:
  FrameKeeper(const Fixture& fixture, Outcome& outcome) : fixture_(fixture), outcome_(outcome) {}
  ~FrameKeeper() { outcome_.frames = fixture_.exchanged(outcome_.omitted); }
  FrameKeeper(const FrameKeeper&) = delete;
  FrameKeeper& operator=(const FrameKeeper&) = delete;

 private:
  const Fixture& fixture_;
  Outcome& outcome_;
};

/// Notes a failure at the frame that it is about, or at the last one.
void note(Outcome& outcome, const packet::Bytes& frame) {
  if (outcome.frames.empty()) return;
  Exchanged* at = &outcome.frames.back();
  for (Exchanged& one : outcome.frames) {
    if (!one.from_peer && !frame.empty() && one.bytes == frame) at = &one;
  }
  at->note = "expected " + outcome.expected + "; seen " + outcome.seen;
}

/// What a foreign adapter lacks for a test; nullptr: nothing.
const char* obstacle(const Test& test, const driver::DeviceLimits& limits) {
  if (test.needs.inside != nullptr) return test.needs.inside;
  if (test.needs.port_mtu != Needs().port_mtu) return "the MTU of the port belongs to its host";
  if (test.needs.absent != 0) return "the test is for an engine that is built without options";
  if (!limits.has(test.needs.service)) return "the device does not have the transport service";
  if ((test.needs.options & limits.absent) != 0) return "the device does not have the operation";
  if (test.needs.multicast && limits.max_attachments == 0) return "the device has no multicast";
  return nullptr;
}

/// Runs a test on a foreign adapter. Returns why it says nothing; empty: it holds.
std::string run_outside(Adapter& adapter, const Test& test, const AdapterOptions& options,
                        Outcome& outcome, bool& ended) {
  ended = true;
  if (const char* why = obstacle(test, adapter.context().limits())) return why;
  ended = false;
  adapter.keep_completions(test.needs.keeps);
  try {
    Fixture fixture(adapter, options.seed, options.thorough);
    const FrameKeeper keeper(fixture, outcome);
    test.body(fixture);
    fixture.finish();
    ended = true;
    return fixture.unseen();
  } catch (const NotTestable& why) {
    return why.what();
  } catch (const std::bad_alloc&) {
    return "the agent has no room for its memory";
  } catch (const driver::Error& error) {
    if (error.status() == driver::AdminStatus::kNoResource ||
        error.status() == driver::AdminStatus::kUnsupported ||
        error.status() == driver::AdminStatus::kUnreachable) {
      return error.what();
    }
    throw;
  }
}

/// Returns whether the adapter has what the test needs; a test that finds out has not `ended`.
bool run_one(Adapter& adapter, const Test& test, const AdapterOptions& options, Outcome& outcome,
             bool& ended) {
  bool has = true;
  adapter.run([&] {
    const driver::DeviceLimits& limits = adapter.context().limits();
    has = limits.has(test.needs.service) && (test.needs.options & limits.absent) == 0 &&
          (test.needs.absent & ~limits.absent) == 0 &&
          (!test.needs.multicast || limits.max_attachments != 0);
    if (!has) return;
    Fixture fixture(adapter, options.seed, options.thorough);
    const FrameKeeper keeper(fixture, outcome);
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

bool Outcome::breaks(std::string_view id) const {
  if (passed || !test->cites(id)) return false;
  if (test->ids.size() == 1) return true;
  const bool subject = test->ids.front() == id && !test->needs.mixed;
  return subject || std::find(broken.begin(), broken.end(), id) != broken.end();
}

std::vector<std::string> Outcome::broken_statements() const {
  std::vector<std::string> found;
  std::copy_if(test->ids.begin(), test->ids.end(), std::back_inserter(found),
               [this](const std::string& id) { return breaks(id); });
  return found;
}

void run_tests(const Maker& make, const AdapterOptions& options, const std::vector<Test>& all,
               const std::function<void(const Outcome&)>& done, std::string& text) {
  std::unique_ptr<Adapter> adapter;
  AdapterOptions is = options;
  const bool outside = !options.target.empty();
  for (const Test& test : all) {
    Outcome outcome;
    outcome.test = &test;
    const std::clock_t start = std::clock();
    const Clock::time_point real_start = Clock::now();
    bool ended = true;
    try {
      if (is.port_mtu != test.needs.port_mtu && !outside) adapter.reset();
      is.port_mtu = test.needs.port_mtu;
      if (!adapter) {
        adapter = make(is);
        text = adapter->text();
      }
      if (outside) {
        outcome.untestable = run_outside(*adapter, test, is, outcome, ended);
        outcome.skipped = !outcome.untestable.empty();
        adapter->confirm();
      } else {
        outcome.skipped = !run_one(*adapter, test, is, outcome, ended);
      }
      outcome.passed = true;
    } catch (const TargetLost& lost) {
      if (!adapter) throw;  // before the test
      outcome.expected = "a target that outlives the test";
      outcome.seen = lost.what();
      note(outcome, {});
      done(outcome);
      throw;
    } catch (const Failure& failure) {
      outcome.expected = failure.expected();
      outcome.seen = failure.seen();
      outcome.broken = failure.broken();
      note(outcome, failure.frame());
    } catch (const std::exception& error) {
      outcome.expected = outside ? "no rejected command or request"
                                 : "no violated rule of the test bench, no rejected command";
      outcome.seen = error.what();
      note(outcome, {});
    }
    if (!outcome.passed || !ended) adapter.reset();  // its state is not known
    outcome.seconds = outside ? std::chrono::duration<double>(Clock::now() - real_start).count()
                              : static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    done(outcome);
  }
}

}  // namespace roci::conform
