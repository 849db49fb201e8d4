// SPDX-License-Identifier: Apache-2.0
// Copies, unsolicited ACKs and reordered packets.
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

constexpr unsigned kGhost = layout::number(layout::DropCause::kGhost);

FaultRule copies(unsigned count, std::uint64_t delay_ns = 0) {
  FaultRule rule;
  rule.kind = FaultKind::kDuplicate;
  rule.copies = count;
  rule.delay_ns = delay_ns;
  rule.count = 0;
  return rule;
}

}  // namespace

SCHEDULE("F-21 F-27", "every request packet comes 50 times",
         "one delivery, one execution; the witness keeps its traffic") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    if (plan.messages[0].bytes > 600) plan.messages[0].bytes = 600;
    plan.messages.assign(2, plan.messages[0]);
    plan.faults = {{Way::kRequests, copies(49)}};
    runner.play(plan);
  });
}

SCHEDULE("F-21", "every response comes 200 times", "nothing completes twice, no retry") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kWrite, Opcode::kFetchAdd}, [&](SchedulePlan plan) {
    plan.messages.assign(3, plan.messages[0]);
    plan.faults = {{Way::kResponses, copies(199)}};
    plan.path = Path::kNone;
    runner.play(plan);
  });
}

SCHEDULE(
    "F-22", "a READ request of 64 KiB comes a hundred times",
    "bounded work: no more responses than the READ and one repetition; the witness is unaffected") {
  ScheduleRunner runner;
  SchedulePlan plan;
  plan.messages = {{Opcode::kRead, 65536}};
  plan.connect.timeout = 10;
  FaultRule storm = copies(99);
  storm.count = 1;
  storm.opcode = packet::kRcReadRequest;
  plan.faults = {{Way::kRequests, storm, 1}};
  plan.after = [](ActiveSchedule& run) {
    run.sleep(3'000'000);
    INFO("responses ", run.seen().responses);
    CHECK(run.seen().responses >= 256);
    CHECK(run.seen().responses <= 2 * 256);
    CHECK(run.counters().timeouts == 0);
  };
  runner.play(plan);
}

SCHEDULE("F-23 F-27", "packets of a completed message are duplicated after its target was reused",
         "the marker written at the completion stays (I5, by default in every run)") {
  ScheduleRunner runner;
  each(every_operation(), [&](SchedulePlan plan) {
    plan.faults = {{Way::kRequests, copies(1, 150'000)}};
    plan.path = Path::kNone;
    plan.after = [](ActiveSchedule& run) { run.sleep(200'000); };
    runner.play(plan);
  });
}

SCHEDULE("F-24",
         "responses that nobody requested: before the window, in its acknowledged part, after it",
         "all counted as unsolicited ACKs; no completion, no retry, no change of state") {
  ScheduleRunner runner;
  for (const unsigned from : {0u, 1u}) {
    SchedulePlan plan;
    plan.from = from;
    plan.psn = 0xFFFFFE;
    plan.connect.timeout = 10;  // 4.2 ms
    plan.connect.retry_cnt = 1;
    plan.connect.rnr_retry = 0;
    // PSNs 0 to 5 are acknowledged; 6 to 12 are sent and lost.
    plan.messages = {{Opcode::kWrite, 1500}, {Opcode::kWrite, 1500}, {Opcode::kRead, 200}};
    plan.window = 1;
    FaultRule lost;
    lost.count = 0;
    bool silent = true;
    lost.when = [&silent](const packet::Parsed& p, std::uint64_t) {
      return silent && transport::Psn(p.bth().psn()).distance_from(transport::Psn(4)) >= 0;
    };
    plan.faults = {{Way::kRequests, lost, 7}};
    plan.window = 3;
    plan.path = Path::kTimer;
    plan.during = [&silent](ActiveSchedule& run) {
      run.sleep(30'000);
      const driver::QpCounters before = run.counters();
      const std::uint64_t ghosts = run.self().node.context().port_counters().drops[kGhost];
      std::uint64_t injected = 0;
      const auto inject = [&](const packet::Builder& builder) {
        run.inject(Way::kResponses, builder);
        ++injected;
        run.sleep(2000);
      };
      const packet::Bytes payload(256, 0xEE);
      for (const std::int64_t at : {-100, -1, 0, 3, 5, 13, 14, 100, 0x7FFFFF, -0x7FFFFF}) {
        for (const std::uint8_t syndrome : {kAck, kNakSequence, kNakInvalid, kNakAccess,
                                            static_cast<std::uint8_t>(kRnrNak | 1)}) {
          inject(run.response_frame(packet::kRcAck, run.psn(at)).aeth(syndrome, 3));
        }
        inject(run.response_frame(packet::kRcReadRespMiddle, run.psn(at)).payload(payload));
        inject(run.response_frame(packet::kRcReadRespOnly, run.psn(at))
                   .aeth(kAck, 3)
                   .payload(payload));
        inject(run.response_frame(packet::kRcAtomicAck, run.psn(at))
                   .aeth(kAck, 3)
                   .atomic_ack_eth(0xEEEE));
      }
      const driver::QpCounters after = run.counters();
      CHECK(after.retries == before.retries);
      CHECK(run.self().node.context().port_counters().drops[kGhost] == ghosts + injected);
      CHECK(run.qp().query().state == driver::QpState::kRts);
      silent = false;
    };
    plan.after = [](ActiveSchedule& run) { CHECK(run.counters().retries == 1); };
    runner.play(plan);
  }
}

SCHEDULE("F-25 F-27", "two consecutive packets are exchanged, each pair in turn, and all of them",
         "success; one NAK for each gap: an exchange causes one, or two when more packets follow") {
  ScheduleRunner runner;
  each({Opcode::kSend, Opcode::kWrite, Opcode::kRead}, [&](SchedulePlan plan) {
    const Way way = plan.messages[0].read() ? Way::kResponses : Way::kRequests;
    FaultRule swap;
    swap.kind = FaultKind::kDelay;
    swap.delay_ns = 900;  // packets of the witness may lie between
    for (unsigned k = 0; k < 5; ++k) {
      CAPTURE(k);
      swap.psn = (plan.psn + k) & 0xFFFFFF;
      plan.faults = {{way, swap, 1}};
      plan.path = plan.messages[0].read() ? Path::kReread : Path::kNak;
      plan.after = [](ActiveSchedule& run) {
        CHECK(run.seen().sequence_naks <= 2);
        CHECK(run.counters().retries <= 2);
        CHECK(run.counters().timeouts == 0);
      };
      runner.play(plan);
    }
    swap.psn.reset();
    swap.count = 0;
    plan.faults.clear();
    for (unsigned k = 0; k < 5; k += 2) {
      swap.psn = (plan.psn + k) & 0xFFFFFF;
      swap.count = 1;
      plan.faults.push_back({way, swap, 1});
    }
    plan.path = Path::kAny;
    plan.after = [](ActiveSchedule& run) { CHECK(run.seen().sequence_naks <= 6); };
    runner.play(plan);
  });
}

SCHEDULE("F-26 F-27", "the ACK of a WRITE overtakes the end of the READ before it, or it is lost",
         "the READ completes first and with its data") {
  ScheduleRunner runner;
  each({Opcode::kRead}, [&](SchedulePlan plan) {
    for (const bool lost : {false, true}) {
      plan.messages = {{Opcode::kRead, 1500}, {Opcode::kWrite, 600}};
      FaultRule rule = drop_psn(plan.psn + 5);
      if (!lost) {
        rule.kind = FaultKind::kDelay;
        rule.delay_ns = 20'000;
      }
      plan.faults = {{Way::kResponses, rule, 1}};
      plan.path = Path::kReread;
      runner.play(plan);
    }
  });
}

SCHEDULE("F-28", "a request 2^23 PSNs before the expected one, and one as far after it",
         "the first acknowledged, the other NAKed; neither executed") {
  ScheduleRunner runner;
  for (const unsigned from : {0u, 1u}) {
    SchedulePlan plan;
    plan.from = from;
    plan.psn = 0xFFFFFE;
    plan.messages = {{Opcode::kWrite, 1500}, {Opcode::kWrite, 100}};
    plan.connect.timeout = 14;
    plan.faults = {{Way::kRequests, drop_psn(plan.psn + 6), 1}};
    plan.path = Path::kNak;
    plan.during = [](ActiveSchedule& run) {
      run.sleep(20'000);
      const packet::Bytes payload(256, 0xEE);
      const auto inject = [&](std::int64_t at) {
        run.inject(Way::kRequests,
                   run.request_frame(packet::kRcWriteOnly, run.psn(at))
                       .ack_req()
                       .reth(run.peer().region.address() + run.reference().order_at(),
                             run.peer().region.key(), 256)
                       .payload(payload));
        run.sleep(20'000);
      };
      const unsigned acks = run.seen().acks;
      inject(6 - (1 << 23));
      CHECK(run.seen().acks == acks + 1);
      CHECK(run.seen().sequence_naks == 0);
      inject(6 + (1 << 23) - 1);
      CHECK(run.seen().sequence_naks == 1);
    };
    runner.play(plan);
  }
}
