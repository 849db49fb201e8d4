// SPDX-License-Identifier: Apache-2.0
// Unreliable connections: nothing is repaired, and a message arrives whole or not at all (9.8.2).
#include <algorithm>
#include <optional>

#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

constexpr std::uint32_t kFour = 1000, kOne = 100;  // bytes: four packets, one
constexpr unsigned kPackets = 4, kReceives = 8;
constexpr std::size_t kSlot = 8192;
constexpr std::uint64_t kOld = 0x0D, kWaitNs = 1'000'000, kLateNs = 20'000;

/// Messages with a fault on one of their packets, and those that must arrive.
struct UcPlan {
  std::vector<Message> messages;
  std::uint32_t psn = kMiddle;
  unsigned packet = 0;  ///< which packet has the fault, from the first of all on
  FaultRule fault;
  bool together = true;          ///< posted with one doorbell; else each when the link is empty
  std::vector<unsigned> arrive;  ///< messages that arrive, in this order
  unsigned placed = 0;           ///< packets of a message that does not arrive that reach memory
  std::optional<unsigned> discards;  ///< packets that the receiver discards
};

/// A connection of UC from node 0 to node 1.
class UcRun {
 public:
  UcRun(ScheduleRunner& runner, const UcPlan& plan)
      : runner_(runner), plan_(plan), c_(runner.world().node(0), runner.world().node(1), uc()) {
    const std::uint32_t from = c_.self.qp().number(), to = c_.peer.qp().number();
    runner_.watch().connect(0, from, to, plan.psn);
    c_.connect(0, plan.psn, uc().connect);
    FaultRule rule = plan.fault;
    rule.psn = (plan.psn + plan.packet) & 0xFFFFFF;
    rule.qpn = to;
    rules().push_back(rule);
    fill(c_.peer.data(), c_.peer.region.size(), kOld);
    for (unsigned i = 0; i < kReceives; ++i) {
      c_.peer.qp().receive({i, {c_.peer.region.sge(buffer(i), kSlot)}});
    }
  }

  void run() {
    const std::uint64_t discarded = discards();
    std::vector<driver::SendRequest> list;
    for (unsigned i = 0; i < plan_.messages.size(); ++i) {
      const Message& m = plan_.messages[i];
      fill(c_.self.data(i * kSlot), m.bytes, i + 1);
      runner_.watch().message(0, c_.peer.qp().number(), m, i + 1);
      list.push_back(request(m.op, c_.self, i * kSlot, m.bytes, c_.peer, target(i)));
      list.back().id = list.back().imm = i;
    }
    const std::size_t step = plan_.together ? list.size() : 1;
    for (std::size_t at = 0; at < list.size(); at += step) {
      CHECK(c_.self.qp().post_send(&list[at], step));
      for (std::size_t i = at; i < at + step; ++i) {
        INFO("UC-01: send ", i, " completes when it has left");
        const auto done = c_.self.send_cq.wait(kWaitNs);
        REQUIRE(done);
        CHECK(done->id == i);
        CHECK(done->ok());
      }
      settle();
    }
    arrivals();
    targets();
    const Seen& seen = runner_.watch().seen(0, c_.peer.qp().number());
    INFO("responses and repeated packets on the link");
    CHECK(seen.repeats + seen.acks + seen.sequence_naks + seen.rnr_naks + seen.fatal_naks == 0);
    CHECK(rules().at(0).hits == 1);
    if (plan_.discards) CHECK(discards() - discarded == *plan_.discards);
    for (Endpoint* side : {&c_.self, &c_.peer}) {
      CHECK(side->qp().query().state == driver::QpState::kRts);
    }
    rules().clear();
  }

 private:
  static ConnectionOptions uc() {
    ConnectionOptions options;
    options.qp.service = driver::Service::kUc;
    options.connect = SchedulePlan::fast();
    options.region_bytes = 2 * kReceives * kSlot;
    return options;
  }
  static std::size_t buffer(unsigned receive) { return receive * kSlot; }
  static std::size_t target(unsigned message) { return (kReceives + message) * kSlot; }
  std::vector<FaultRule>& rules() { return runner_.world().link(0).faults().rules; }
  std::uint64_t discards() { return c_.peer.node.context().port_counters().discards; }
  void settle() {
    do {
      c_.self.node.sleep(2 * kLateNs);
    } while (!runner_.world().link(0).empty());
  }

  /// Receives are used in order, by the messages that arrive alone.
  void arrivals() {
    unsigned receive = 0;
    for (const unsigned i : plan_.arrive) {
      const Message& m = plan_.messages[i];
      if (!m.receives()) continue;
      INFO("UC-03: message ", i, " arrives in receive ", receive);
      const auto got = c_.peer.receive_cq.poll();
      REQUIRE(got);
      CHECK(got->id == receive);
      CHECK(got->ok());
      CHECK(got->byte_len == m.bytes);
      if (m.op != Opcode::kSend) CHECK(got->imm == i);
      if (m.send()) CHECK(first_wrong(c_.peer.data(buffer(receive)), m.bytes, i + 1) == m.bytes);
      ++receive;
    }
    CHECK_FALSE(c_.peer.receive_cq.poll());
  }

  void targets() {
    for (unsigned i = 0; i < plan_.messages.size(); ++i) {
      const Message& m = plan_.messages[i];
      if (m.send()) continue;
      const bool whole =
          std::find(plan_.arrive.begin(), plan_.arrive.end(), i) != plan_.arrive.end();
      const std::size_t bytes =
          whole ? m.bytes : std::min<std::size_t>(m.bytes, plan_.placed * kPmtu);
      INFO("target of message ", i, ": ", bytes, " bytes are written, and none after them");
      CHECK(first_wrong(c_.peer.data(target(i)), bytes, i + 1) == bytes);
      CHECK(first_wrong(c_.peer.data(target(i) + bytes), kSlot - bytes, kOld, target(i) + bytes) ==
            kSlot - bytes);
    }
  }

  ScheduleRunner& runner_;
  UcPlan plan_;
  Connection c_;
};

void play(ScheduleRunner& runner, const UcPlan& plan) {
  INFO(std::string(name_of(plan.messages[0].op)), ", fault on packet ", plan.packet, ", first PSN ",
       plan.psn);
  runner.run({{0, [&](Node&) { UcRun(runner, plan).run(); }}});
  runner.watch().forget();
}

/// Each operation of UC, far from the PSN wrap and over it.
template <typename Body>
void each_of_uc(const Body& body) {
  for (const Opcode op : {Opcode::kSend, Opcode::kSendImm, Opcode::kWrite, Opcode::kWriteImm}) {
    for (const std::uint32_t psn : {kMiddle, 0xFFFFFEu}) {
      if (!thorough() && (psn == kMiddle) != (op == Opcode::kSend || op == Opcode::kWriteImm)) {
        continue;
      }
      UcPlan plan;
      plan.psn = psn;
      plan.messages = {{op, kFour}, {op, kFour}, {op, kOne}, {op, kFour}};
      body(plan);
    }
  }
}

constexpr unsigned kOnly = 2 * kPackets;  // the packet of the third message

FaultRule fault(FaultKind kind, std::uint64_t delay_ns = 0) {
  FaultRule rule;
  rule.kind = kind;
  rule.delay_ns = delay_ns;
  return rule;
}

}  // namespace

SCHEDULE("F-41 F-27", "UC: the first, a middle, the last or the only packet of a message is lost",
         "this message is dropped, its receive serves the next; nothing is sent twice") {
  ScheduleRunner runner;
  each_of_uc([&](UcPlan plan) {
    plan.fault = fault(FaultKind::kDrop);
    for (unsigned k = 0; k < kPackets; ++k) {
      plan.packet = plan.placed = k;
      plan.arrive = {1, 2, 3};
      plan.discards = kPackets - 1 - k;
      play(runner, plan);
    }
    plan.packet = kOnly;
    plan.placed = 0;
    plan.discards = 0;
    plan.arrive = {0, 1, 3};
    play(runner, plan);
  });
}

SCHEDULE("F-42 F-27", "UC: a packet arrives twice, at once or when the link is empty",
         "a first or only packet is a new message; any other ends the message in progress") {
  ScheduleRunner runner;
  each_of_uc([&](UcPlan plan) {
    for (const bool late : {false, true}) {
      plan.fault = fault(FaultKind::kDuplicate, late ? kLateNs : 0);
      plan.together = !late;
      for (unsigned k = 0; k < kPackets; ++k) {
        const bool middle = k != 0 && k != kPackets - 1;
        plan.packet = k;
        plan.placed = k + 1;
        plan.arrive = {0, 1, 2, 3};
        if (middle && !late) plan.arrive.erase(plan.arrive.begin());
        plan.discards = k == 0 ? 0 : late ? 1 : kPackets - k;
        play(runner, plan);
      }
      plan.packet = kOnly;
      plan.discards = 0;
      plan.arrive = {0, 1, 2, 2, 3};
      play(runner, plan);
    }
  });
}

SCHEDULE("F-43 F-27", "UC: a packet comes after those that follow it",
         "its message is dropped, unless it is the only packet; one in progress ends") {
  ScheduleRunner runner;
  each_of_uc([&](UcPlan plan) {
    plan.fault = fault(FaultKind::kDelay, kLateNs);
    plan.together = false;
    for (unsigned k = 0; k < kPackets; ++k) {
      plan.packet = k;
      // A first packet that comes late is written, though its message is not complete.
      plan.placed = k == 0 ? 1 : k;
      plan.arrive = {1, 2, 3};
      if (k == kPackets - 1) plan.arrive.insert(plan.arrive.begin(), 0);
      play(runner, plan);
    }
    plan.packet = kOnly;
    plan.arrive = {0, 1, 2, 3};
    play(runner, plan);

    const Opcode op = plan.messages[0].op;
    plan.together = true;
    plan.packet = 0;
    plan.fault = fault(FaultKind::kDelay, 900);
    plan.messages = {{op, kOne}, {op, kOne}};
    plan.arrive = {1, 0};
    play(runner, plan);
  });
}

SCHEDULE("F-44", "UC: payload that arrives cannot be written: WRITE, WRITE with immediate, SEND",
         "QpFatal, ERR and no response; the sender sees nothing") {
  ScheduleRunner runner;
  for (const Opcode op : {Opcode::kWrite, Opcode::kWriteImm, Opcode::kSend}) {
    CAPTURE(std::string(name_of(op)));
    runner.run({{0, [&](Node&) {
                   ConnectionOptions options;
                   options.qp.service = driver::Service::kUc;
                   options.connect = SchedulePlan::fast();
                   Connection c(runner.world().node(0), runner.world().node(1), options);
                   c.connect(0, kMiddle, options.connect);
                   driver::MemoryRegion broken(c.peer.pd, kSlot, driver::access::kAll);
                   c.peer.node.poison(broken.address(), kSlot);
                   c.peer.qp().receive({0, {broken.sge(0, kSlot)}});
                   driver::EventQueue& events = c.peer.node.context().events();
                   while (events.poll()) {
                   }
                   driver::SendRequest r = request(op, c.self, 0, 600, c.peer, 0);
                   r.remote_address = broken.address();
                   r.remote_key = broken.key();
                   c.self.qp().send(r);
                   CHECK(c.self.sent().ok());
                   unsigned fatal = 0;
                   while (const auto event = events.wait(100'000)) {
                     fatal += event->kind == driver::EventKind::kQpFatal &&
                              event->number == c.peer.qp().number();
                   }
                   CHECK(fatal == 1);
                   CHECK(c.peer.qp().query().state == driver::QpState::kErr);
                   CHECK(c.self.qp().query().state == driver::QpState::kRts);
                   CHECK(c.peer.qp().counters().naks_sent == 0);
                   const auto got = c.peer.receive_cq.wait(100'000);
                   REQUIRE(got);
                   CHECK_FALSE(got->ok());
                   CHECK_FALSE(c.peer.receive_cq.poll());
                 }}});
  }
}
