// SPDX-License-Identifier: Apache-2.0
// Tests of the soak itself: its seed reproduces it, and it detects errors.
#include <doctest/doctest.h>

#include <set>

#include "model/packet/builder.hpp"
#include "testbench/verify/soak/round.hpp"

using namespace roci;
using namespace roci::soak;
using testbench::Engine;

namespace {

/// Returns every byte that a round put on the link, with its time.
struct Digest final : testbench::FrameTap {
  void frame(const testbench::FrameEvent& event) override {
    value = mix(value ^ event.time_ns ^ std::uint64_t{event.node} << 60);
    for (std::size_t i = 0; i < event.parsed.frame.size; ++i) {
      value = value * 0x100000001B3u ^ event.parsed.frame.data[i];
    }
  }
  std::uint64_t value = 1;
};

}  // namespace

TEST_CASE("pattern: the bytes are the same from every offset") {
  std::uint8_t whole[100], part[50];
  fill(whole, sizeof whole, 7);
  for (std::size_t at = 0; at < 50; ++at) {
    fill(part, sizeof part, 7, at);
    CHECK(std::equal(part, part + sizeof part, whole + at));
    CHECK(first_wrong(whole + at, 50, 7, at) == 50);
  }
  whole[33] ^= 4;
  CHECK(first_wrong(whole, sizeof whole, 7) == 33);
  CHECK(first_wrong(whole + 30, 10, 7, 30) == 3);
}

TEST_CASE("coverage: each cell has its own count and name") {
  std::set<std::string> names;
  Coverage coverage;
  for (const Cell& cell : Coverage::cells()) {
    CHECK(coverage.count(cell) == 0);
    coverage.hit(cell);
    names.insert(Coverage::text(cell));
  }
  CHECK(names.size() == Coverage::cells().size());
  for (const Cell& cell : Coverage::cells()) CHECK(coverage.count(cell) == 1);
}

TEST_CASE("round: a seed reproduces the same frames at the same times") {
  const RoundPlan plan = plan_of(5, 3, Engine::kModel, {});
  Digest one, two, other;
  const Outcome first = run_round(plan, &one);
  CHECK_MESSAGE(first.passed, first.failure);
  CHECK(run_round(plan, &two).passed);
  CHECK(one.value == two.value);
  CHECK(run_round(plan_of(5, 4, Engine::kModel, {}), &other).passed);
  CHECK(one.value != other.value);
}

TEST_CASE("link ledger: a payload of another message is detected") {
  std::string seen;
  LinkLedger ledger([&](const std::string& text) { seen = text; });
  FlowTrace trace;
  trace.connection = trace.from = 0;
  trace.requester = 5;
  trace.responder = 6;
  trace.first = transport::Psn(0xFFFFFF);
  trace.pmtu = 256;
  FlowTrace& opened = ledger.open(trace);
  FlowTrace::Entry entry;
  entry.kind = Kind::kWrite;
  entry.bytes = 300;
  entry.key = 9;
  ledger.posted(opened, entry);
  packet::Bytes payload(44);
  fill(payload.data(), payload.size(), 9, 256);
  const auto send = [&] {
    const packet::Bytes frame = packet::Builder()
                                    .ethernet(1, 2)
                                    .ipv4(0x0A000001, 0x0A000002)
                                    .bth(packet::kRcWriteLast, 6, transport::Psn(0))
                                    .payload(payload)
                                    .build();
    const packet::Parsed parsed = packet::parse(frame);
    const std::string fault = "lost";
    ledger.frame({0, 10, parsed, fault, false, false});
  };
  send();
  CHECK(seen.empty());
  CHECK(ledger.payloads() == 1);
  // The second packet of the message, after the wrap, in its first transmission.
  CHECK(ledger.coverage().count(
            {Phase::kFirst, Fault::kLoss, Kind::kWrite, Position::kLast, true}) == 1);
  payload[43] ^= 1;
  send();
  CHECK(seen.find("I7: byte 43") != std::string::npos);
}
