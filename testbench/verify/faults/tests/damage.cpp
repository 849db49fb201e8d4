// SPDX-License-Identifier: Apache-2.0
// Wrong bits, links that lose everything, and changes that a path may make.
#include "model/packet/builder.hpp"
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

constexpr std::size_t kEthernetBytes = 14, kIpv4Bytes = 20, kUdpBytes = 8;

/// Flips a bit of the frame: `at` counts from the frame's first byte, negative from its end.
FaultRule flip(std::ptrdiff_t at, std::uint8_t bit) {
  FaultRule rule;
  rule.kind = FaultKind::kReplace;
  rule.count = 0;
  rule.replace = [=](const packet::Parsed& p) {
    packet::Bytes frame = p.frame.copy();
    const std::size_t place =
        at >= 0 ? static_cast<std::size_t>(at) : frame.size() - static_cast<std::size_t>(-at);
    frame[place] = static_cast<std::uint8_t>(frame[place] ^ bit);
    return frame;
  };
  return rule;
}

/// Positions in the BTH, the PSN, payload or AETH, and the ICRC.
std::vector<FaultRule> bits() {
  constexpr std::ptrdiff_t kBth = kEthernetBytes + kIpv4Bytes + kUdpBytes;
  return {flip(kBth + 1, 0x80), flip(kBth + 11, 0x01), flip(kBth + 14, 0x10), flip(-6, 0x02),
          flip(-1, 0x80)};
}

template <typename Change>
FaultRule rewrite(Change change) {
  FaultRule rule;
  rule.kind = FaultKind::kReplace;
  rule.count = 0;
  rule.replace = [change](const packet::Parsed& p) mutable {
    packet::Bytes frame = p.frame.copy();
    change(p, frame);
    // Recompute checksum and ICRC; a change of fields that the ICRC excludes does not change it.
    CHECK(packet::seal(&frame));
    return frame;
  };
  return rule;
}

}  // namespace

SCHEDULE("F-32", "one packet of each kind arrives with a wrong bit, in header, payload and ICRC",
         "dropped, and recovered as a loss") {
  ScheduleRunner runner;
  for (FaultRule rule : bits()) {
    rule.count = 1;
    for (const std::uint32_t at : {0u, 2u, 5u}) {
      SchedulePlan plan;
      plan.messages = {{Opcode::kWrite, 1500}};
      rule.psn = plan.psn + at;
      plan.faults = {{Way::kRequests, rule, 1}};
      plan.path = at == 5 ? Path::kTimer : Path::kNak;
      if (at == 2 || thorough()) runner.play(plan);
      plan.messages = {{Opcode::kRead, 1500}};
      plan.faults[0].way = Way::kResponses;
      plan.path = at == 5 ? Path::kTimer : Path::kReread;
      if (at == 5 || thorough()) runner.play(plan);
    }
    for (const Message& m : {Message{Opcode::kSend, 100}, Message{Opcode::kFetchAdd, 8},
                             Message{Opcode::kRead, 100}}) {
      for (const Way way : {Way::kRequests, Way::kResponses}) {
        SchedulePlan plan;
        plan.messages = {m};
        rule.psn = plan.psn;
        plan.faults = {{way, rule, 1}};
        plan.path = Path::kTimer;
        if (way == Way::kResponses || thorough()) runner.play(plan);
      }
    }
  }
}

SCHEDULE("F-33", "all requests, or all responses, arrive with a wrong bit",
         "RETRY_EXC_ERR and flushes; the requests write nothing") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    for (const Way way : {Way::kRequests, Way::kResponses}) {
      plan.connect.retry_cnt = 1;
      plan.messages.resize(1);
      plan.messages.push_back({Opcode::kWrite, 64});
      plan.faults = {{way, flip(-6, 0x40)}};
      plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
      plan.after = [way](ActiveSchedule& run) {
        const Message& m = run.plan().messages[0];
        if (way == Way::kResponses || m.read() || m.atomic()) return;
        INFO("I6: nothing is written");
        const std::size_t at = run.reference().target(0);
        CHECK(first_wrong(run.peer().data(at), m.bytes, run.reference().pattern_of(0)) < 4);
      };
      runner.play(plan);
    }
  });
}

SCHEDULE("F-34", "the link loses all frames for a while, and for longer than the retries last",
         "success; RETRY_EXC_ERR and flushes") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    for (const bool longer : {false, true}) {
      plan.messages.resize(1);
      plan.messages.push_back({Opcode::kWrite, 300});
      const std::uint64_t t = transport::timeout_ns(plan.connect.timeout);
      // 2 T may be one retry or two; 16 T and more are more than four waits of at most 4 T.
      const std::uint64_t silent_ns = longer ? 17 * t : 2 * t;
      if (longer) plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
      const std::uint64_t from = runner.world().now_ns();
      FaultRule lost;
      lost.count = 0;
      auto begin = std::make_shared<std::uint64_t>(0);
      lost.when = [begin, silent_ns, from](const packet::Parsed&, std::uint64_t now) {
        if (*begin == 0) *begin = now;
        return now < *begin + silent_ns && now >= from;
      };
      plan.faults = {{Way::kRequests, lost}};
      plan.path = Path::kTimer;
      runner.play(plan);
    }
  });
}

SCHEDULE("F-34", "400 ms without a frame at timeout 14",
         "success by the timer, with few clocks evaluated") {
  ScheduleRunner runner;
  SchedulePlan plan;
  plan.messages = {{Opcode::kWrite, 10'000}, {Opcode::kRead, 1500}};
  plan.connect.timeout = 14;
  plan.connect.retry_cnt = 7;
  FaultRule lost;
  lost.count = 0;
  auto begin = std::make_shared<std::uint64_t>(0);
  lost.when = [begin](const packet::Parsed&, std::uint64_t now) {
    if (*begin == 0) *begin = now;
    return now < *begin + 400'000'000;
  };
  plan.faults = {{Way::kRequests, lost}};
  plan.path = Path::kTimer;
  runner.play(plan);
}

SCHEDULE("F-38", "TTL, DSCP, ECN and FECN change on every packet",
         "success, nothing retransmitted") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    std::uint8_t value = 0;
    const FaultRule rule = rewrite([value](const packet::Parsed& p, packet::Bytes& frame) mutable {
      ++value;
      packet::MutableIpv4 ip(frame.data() + p.ip_at);
      ip.set_ttl(static_cast<std::uint8_t>(1 + value));
      ip.set_tos(static_cast<std::uint8_t>(value * 37));
      packet::MutableBth bth(frame.data() + p.bth_at);
      bth.set_fecn(value % 2 == 0);
    });
    plan.faults = {{Way::kRequests, rule}, {Way::kResponses, rule}};
    plan.path = Path::kNone;
    runner.play(plan);
  });
}

SCHEDULE("F-39", "source port and MAC address change with every packet",
         "success, nothing retransmitted") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    std::uint16_t value = 0xC000;
    const FaultRule rule = rewrite([value](const packet::Parsed& p, packet::Bytes& frame) mutable {
      value = static_cast<std::uint16_t>(value + 77);
      packet::MutableUdp(frame.data() + p.udp_at).set_src_port(value | 0xC000);
      packet::MutableEthernet(frame.data()).set_src_mac(0x525400000200 + value % 7);
    });
    plan.faults = {{Way::kRequests, rule}, {Way::kResponses, rule}};
    plan.path = Path::kNone;
    runner.play(plan);
  });
}

SCHEDULE("F-40",
         "the retries end while READs and atomics are outstanding; their responses come late",
         "RETRY_EXC_ERR, the rest flushes, the late responses write nothing") {
  ScheduleRunner runner;
  each({Opcode::kWrite, Opcode::kSend}, [&](SchedulePlan plan) {
    plan.connect.retry_cnt = 1;
    plan.messages = {plan.messages[0],
                     {Opcode::kRead, 600},
                     {Opcode::kFetchAdd, 8},
                     {Opcode::kRead, 300},
                     {Opcode::kCmpSwap, 8}};
    FaultRule late;
    late.kind = FaultKind::kDelay;
    late.delay_ns = 4'000'000;  // all waits have ended by then
    late.count = 0;
    plan.faults = {{Way::kResponses, late}};
    plan.statuses = {Status::kRetryExcErr, Status::kWrFlushErr};
    runner.play(plan);
  });
}
