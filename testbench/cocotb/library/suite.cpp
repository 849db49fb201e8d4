// SPDX-License-Identifier: Apache-2.0
// The tests of conformance on an adapter of the bench that calls.
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/packet/describe.hpp"
#include "testbench/cocotb/library/cocotbext_roce.h"
#include "testbench/cocotb/library/text.hpp"
#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/runner.hpp"
#include "testbench/verify/conform/target/make.hpp"

namespace roci::cocotb {
namespace {

using nlohmann::json;

/// The bench does what the tests ask of the adapter.
class BenchAgent final : public conform::Agent {
 public:
  explicit BenchAgent(const roce_target& target) : target_(target) {}

  conform::AgentReply request(agent_op op, const std::vector<std::uint64_t>& words,
                              const std::uint8_t* data, std::size_t bytes) override {
    roce_reply out{};
    conform::AgentReply reply;
    reply.error = target_.request(target_.self, op, words.data(), words.size(), data, bytes, &out);
    const std::string text(reinterpret_cast<const char*>(out.bytes), out.byte_count);
    if (reply.error == ENOSYS) {
      throw conform::NotTestable(text.empty() ? "the bench has no such operation" : text);
    }
    if (reply.error < 0) throw conform::TargetLost(text.empty() ? "the bench ended" : text);
    reply.words.assign(out.words, out.words + out.count);
    reply.bytes.assign(out.bytes, out.bytes + out.byte_count);
    return reply;
  }
  std::uint8_t* memory() override { return target_.memory; }

 private:
  const roce_target& target_;
};

class BenchWay final : public conform::Way {
 public:
  explicit BenchWay(const roce_target& target) : target_(target) {}

  std::uint64_t now_ns() const override { return target_.now_ns(target_.self); }
  void wait(std::uint64_t ns) override { target_.wait_ns(target_.self, ns); }
  bool send(const packet::Bytes& frame) override {
    target_.send(target_.self, frame.data(), frame.size());
    return true;
  }
  bool receive(packet::Bytes& frame) override {
    constexpr std::size_t kRoom = 16384;
    frame.resize(kRoom);
    frame.resize(target_.receive(target_.self, frame.data(), frame.size()));
    return !frame.empty();
  }
  std::uint64_t mac() const override { return target_.mac; }

 private:
  const roce_target& target_;
};

/// The caller has seen enough.
struct Ended {};

const char* verdict_of(const conform::Outcome& outcome) {
  if (!outcome.untestable.empty()) return "not testable here";
  if (outcome.skipped) return "skipped";
  return outcome.passed ? "pass" : "FAIL";
}

json json_of(const conform::Outcome& outcome) {
  json all = {{"ids", outcome.test->ids},       {"title", outcome.test->title},
              {"verdict", verdict_of(outcome)}, {"broken", outcome.broken_statements()},
              {"reason", outcome.untestable},   {"expected", outcome.expected},
              {"seen", outcome.seen},           {"frames", json::array()}};
  for (const conform::Exchanged& frame : outcome.frames) {
    std::string hex;
    constexpr const char* kDigits = "0123456789abcdef";
    for (const std::uint8_t byte : frame.bytes) {
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 0xF];
    }
    all["frames"].push_back({{"ns", frame.time_ns},
                             {"from", frame.from_peer ? "peer" : "adapter"},
                             {"packet", packet::describe(frame.bytes)},
                             {"bytes", hex},
                             {"note", frame.note}});
  }
  return all;
}

std::vector<conform::Test> selected(const std::string& ids) {
  std::vector<std::string> patterns;
  std::istringstream words(ids);
  for (std::string word; words >> word;) patterns.push_back(word);
  std::vector<conform::Test> found;
  for (conform::Test& test : conform::tests()) {
    bool wanted = patterns.empty();
    for (const std::string& pattern : patterns) wanted |= test.cites(pattern);
    if (wanted && !test.needs.time) found.push_back(std::move(test));
  }
  if (found.empty()) throw std::invalid_argument("no test cites such a statement: " + ids);
  return found;
}

int run(const roce_target& target, const roce_run& options,
        const std::function<bool(const std::string&)>& done) {
  conform::Timing timing;
  timing.patience_ns = options.patience_ns;
  timing.quiet_ns = options.quiet_ns;
  timing.jitter_ns = options.jitter_ns;
  timing.look_ns = options.look_ns;
  timing.settle_ns = options.settle_ns;
  timing.least_timeout = static_cast<std::uint8_t>(options.least_timeout);
  timing.calm_timeout = static_cast<std::uint8_t>(options.calm_timeout);
  const auto make = [&](const conform::AdapterOptions&) {
    return conform::make_target(std::make_unique<BenchAgent>(target),
                                std::make_unique<BenchWay>(target), timing);
  };
  conform::AdapterOptions adapter;
  adapter.target = "bench";
  adapter.seed = options.seed;
  std::string text;
  try {
    conform::run_tests(
        make, adapter, selected(options.ids),
        [&](const conform::Outcome& outcome) {
          if (!done(json_of(outcome).dump(-1, ' ', false, json::error_handler_t::replace))) {
            throw Ended();
          }
        },
        text);
  } catch (const Ended&) {
  } catch (const conform::TargetLost& lost) {
    fail(lost.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace roci::cocotb

using namespace roci;

extern "C" {

uint64_t roce_conform_peer_mac(void) { return conform::Connection::kPeerMac; }

int roce_conform(const roce_target* target, size_t target_size, const roce_run* options,
                 size_t run_size, int (*done)(void*, const char*)) {
  return cocotb::guarded(1, [&] {
    if (target_size != sizeof *target || run_size != sizeof *options || options->look_ns == 0) {
      throw std::invalid_argument("a target or a run of another version");
    }
    return cocotb::run(*target, *options, [&](const std::string& outcome) {
      return done(target->self, outcome.c_str()) != 0;
    });
  });
}

const char* roce_conform_statements(void) {
  nlohmann::json all = nlohmann::json::array();
  for (const conform::Statement& one : conform::statements()) {
    all.push_back({{"id", one.id}, {"priority", one.priority}, {"statement", one.text}});
  }
  return cocotb::keep(all.dump());
}

const char* roce_conform_tests(void) {
  nlohmann::json all = nlohmann::json::array();
  for (const conform::Test& one : conform::tests()) {
    if (!one.needs.time) all.push_back({{"ids", one.ids}, {"title", one.title}});
  }
  return cocotb::keep(all.dump());
}
}
