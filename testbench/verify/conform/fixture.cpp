// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/conform/fixture.hpp"

#include <algorithm>
#include <numeric>

#include "driver/device/protocol.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/lint.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
namespace {

using driver::protocol::object_of;

constexpr Time kSettle = 10_us;  // longer than the delay of any response without a timer
constexpr std::size_t kMostExchanged = 400;

std::string name_of(EventKind kind) {
  const std::string_view name = spec::name_of(spec::kEvents, layout::number(kind));
  return name.empty() ? "event " + std::to_string(layout::number(kind)) : std::string(name);
}

}  // namespace

void require(bool holds, const std::string& expected, const std::string& seen) {
  if (!holds) throw Failure(expected, seen);
}

void same(const std::string& what, std::uint64_t seen, std::uint64_t expected) {
  if (seen == expected) return;
  throw Failure(what + " " + std::to_string(expected) + " (" + hex(expected) + ")",
                std::to_string(seen) + " (" + hex(seen) + ")");
}

std::string hex(std::uint64_t value) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Bytes payload_of(std::size_t count, std::uint64_t seed) {
  Bytes bytes(count);
  std::uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
  for (std::uint8_t& byte : bytes) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::uint8_t>(x >> 56);
  }
  return bytes;
}

Fixture::Fixture(Adapter& adapter, std::uint64_t seed, bool thorough)
    : adapter_(adapter), random_(seed), thorough_(thorough), first_frame_(adapter.sent().size()) {
  while (context().events().poll()) {  // events of earlier tests
  }
  pd_ = std::make_unique<driver::ProtectionDomain>(context());
  memory_ = std::make_unique<driver::MemoryRegion>(*pd_, kMemory, driver::access::kAll);
}

Fixture::~Fixture() = default;

void Fixture::feed(const Bytes& frame) {
  if (fed_.size() == kMostExchanged) {
    fed_.pop_front();
    ++forgotten_;
  }
  fed_.push_back({true, now(), frame, {}});
  adapter_.inject(frame);
}

std::vector<Exchanged> Fixture::exchanged(std::size_t& omitted) const {
  const std::vector<Frame>& sent = adapter_.sent();
  const std::size_t count = sent.size() - first_frame_;
  std::vector<Exchanged> all(fed_.begin(), fed_.end());
  for (std::size_t i = sent.size() - std::min(count, kMostExchanged); i < sent.size(); ++i) {
    all.push_back({false, sent[i].time_ns, sent[i].bytes, {}});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Exchanged& a, const Exchanged& b) { return a.time_ns < b.time_ns; });
  if (all.size() > kMostExchanged) all.erase(all.begin(), all.end() - kMostExchanged);
  omitted = count + fed_.size() + forgotten_ - all.size();
  return all;
}

void Fixture::sleep(Time ns) {
  adapter_.wait_quietly([] { return false; }, ns);
}

std::uint64_t Fixture::drops() {
  const auto counters = context().port_counters().drops;
  return std::accumulate(counters.begin(), counters.end(), std::uint64_t{0});
}

std::uint64_t Fixture::drops(layout::DropCause cause) {
  return context().port_counters().drops[layout::number(cause)];
}

void Fixture::takes_no_notice(const Bytes& frame, const std::string& what) {
  struct Before {
    std::size_t frames;
    QpState state;
    std::uint32_t rq_psn, sq_psn;
  };
  std::vector<Before> before;
  for (Connection* c : connections_) {
    const driver::QpAttributes a = c->qp().query();
    before.push_back({c->find_next(), a.state, a.rq_psn, a.sq_psn});
  }
  const Bytes memory(memory_->data(), memory_->data() + kMemory);
  const std::size_t frames = adapter_.sent().size();
  feed(frame);
  sleep(kSettle);
  if (adapter_.sent().size() != frames) {
    const Bytes& response = adapter_.sent()[frames].bytes;
    throw Failure("no response to " + what, packet::describe(response), response);
  }
  require(std::equal(memory.begin(), memory.end(), memory_->data()), "memory untouched by " + what,
          "written");
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& c = *connections_[i];
    c.no_completion();
    const driver::QpAttributes a = c.qp().query();
    require(a.state == before[i].state, "no change of state by " + what);
    same("expected PSN after " + what, a.rq_psn, before[i].rq_psn);
    same("PSN to send after " + what, a.sq_psn, before[i].sq_psn);
  }
}

void Fixture::drops_silently(const Bytes& frame, const std::string& what) {
  if (!adapter_.in_bench()) {
    takes_no_notice(frame, what);
    unseen_ = "the counters of dropped packets are not visible; nothing else contradicts";
    return;
  }
  const std::uint64_t before = drops();
  takes_no_notice(frame, what);
  same("drops counted after " + what, drops(), before + 1);
}

std::optional<driver::Event> Fixture::take_event(
    const std::function<bool(const driver::Event&)>& wanted, Time ns) {
  const Time end = now() + ns;
  for (std::size_t looked = 0;;) {
    for (; looked < events_.size(); ++looked) {
      if (!wanted(events_[looked])) continue;
      const driver::Event found = events_[looked];
      events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(looked));
      return found;
    }
    const Time at = now();
    // At a real wire another event may take all of a time that is meant for a test bench.
    const Time left = !adapter_.in_bench() ? ns : at < end ? end - at : 0;
    const auto more = context().events().wait(left);
    if (!more) return {};
    events_.push_back(*more);
  }
}

std::optional<driver::Event> Fixture::event(std::uint32_t number, Time ns) {
  return take_event([&](const driver::Event& one) { return one.number == number; }, ns);
}

void Fixture::expect_event(EventKind kind, std::uint32_t number, Time ns) {
  const auto seen = take_event(
      [&](const driver::Event& one) {
        return one.number == number && object_of(one.kind) == object_of(kind);
      },
      ns);
  const std::string expected = name_of(kind) + " event of " + std::to_string(number);
  if (!seen) throw Failure(expected, "none");
  if (seen->kind != kind) throw Failure(expected, name_of(seen->kind));
}

void Fixture::expect_no_event(std::uint32_t number, Time ns) {
  sleep(ns);
  const auto seen = event(number, 0);
  if (seen) throw Failure("no event of " + std::to_string(number), name_of(seen->kind));
}

void Fixture::finish() {
  for (std::size_t i = first_frame_; i < adapter_.sent().size(); ++i) {
    const Bytes& frame = adapter_.sent()[i].bytes;
    const packet::Parsed parsed = packet::parse(frame);
    if (parsed.icrc_inverted()) continue;
    for (const std::string& text : packet::lint(frame)) {
      throw Failure("only legal frames from the adapter", packet::describe(frame) + ": " + text,
                    frame);
    }
  }
}

}  // namespace roci::conform
