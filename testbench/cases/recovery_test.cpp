// Packets lost, doubled, delayed and corrupted at chosen places (schedules F-xx of the test plan).
#include <algorithm>

#include "packet/builder.hpp"
#include "packet/opcode.hpp"
#include "testbench/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::Status;

namespace {

constexpr std::size_t kTarget = 1 << 19;
constexpr std::uint32_t kPsn = 0xFFFFFE;  // messages run over the wrap (F-27)
constexpr std::uint8_t kTimeout = 6;      // 262 us

FaultRule drop(std::uint8_t opcode, unsigned first = 1, unsigned count = 1) {
  FaultRule rule;
  rule.opcode = opcode;
  rule.first = first;
  rule.count = count;
  return rule;
}

PairOptions fast() {
  PairOptions options;
  options.connect.path_mtu = 1;
  options.connect.timeout = kTimeout;
  options.connect.min_rnr_timer = 5;  // 60 us
  options.first_psn = kPsn;
  return options;
}

/// Runs `program` with one rule for the frames of node `from` and checks that the rule fired.
void with_rule(const FaultRule& rule, unsigned from, const Pair::Program& program,
               PairOptions options = fast()) {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    config.faults[from].rules.push_back(rule);
    Pair pair(config, options);
    pair.run(program);
    CHECK(pair.world.channel(from).faults().rules[0].hits >= 1);
    CHECK(pair.world.counter_checks() == 1);
  }
}

Pair::Program write(std::uint32_t bytes) {
  return [bytes](Side& self, Side& peer) {
    fill(self.data(3), bytes, 9);
    self.qp().send(request(Opcode::kWrite, self, 3, bytes, peer, kTarget + 5));
    CHECK(self.sent().status == Status::kSuccess);
    CHECK(first_wrong(peer.data(kTarget + 5), bytes, 9) == bytes);
  };
}

Pair::Program send(std::uint32_t bytes, unsigned count) {
  return [=](Side& self, Side& peer) {
    for (unsigned i = 0; i < count; ++i) {
      peer.qp().receive({i, {peer.region.sge(kTarget + 8192 * i, 8192)}});
      fill(self.data(8192 * i), bytes, i);
    }
    for (unsigned i = 0; i < count; ++i) {
      self.qp().send(request(Opcode::kSend, self, 8192 * i, bytes, peer, 0));
    }
    for (unsigned i = 0; i < count; ++i) {
      CHECK(self.sent().status == Status::kSuccess);
      const driver::Completion got = peer.received();
      CHECK(got.id == i);
      CHECK(got.byte_len == bytes);
      CHECK(first_wrong(peer.data(kTarget + 8192 * i), bytes, i) == bytes);
    }
    self.node.sleep(2'000'000);  // late duplicates
    CHECK_FALSE(peer.receive_cq.poll());
    CHECK_FALSE(self.send_cq.poll());
  };
}

Pair::Program read(std::uint32_t bytes, unsigned count = 1) {
  return [=](Side& self, Side& peer) {
    for (unsigned i = 0; i < count; ++i) fill(peer.data(kTarget + 8192 * i), bytes, 77 + i);
    for (unsigned i = 0; i < count; ++i) {
      self.qp().send(request(Opcode::kRead, self, 8192 * i + 1, bytes, peer, kTarget + 8192 * i));
    }
    for (unsigned i = 0; i < count; ++i) {
      CHECK(self.sent().status == Status::kSuccess);
      CHECK(first_wrong(self.data(8192 * i + 1), bytes, 77 + i) == bytes);
    }
  };
}

Pair::Program add(unsigned count) {
  return [=](Side& self, Side& peer) {
    std::memset(peer.data(kTarget), 0, 8);
    for (unsigned i = 0; i < count; ++i) {
      driver::SendRequest r = request(Opcode::kFetchAdd, self, 8 * i, 8, peer, kTarget);
      r.swap_add = 1;
      self.qp().send(r);
    }
    for (unsigned i = 0; i < count; ++i) {
      CHECK(self.sent().status == Status::kSuccess);
      std::uint64_t original;
      std::memcpy(&original, self.data(8 * i), 8);
      CHECK(original == i);
    }
    std::uint64_t sum;
    std::memcpy(&sum, peer.data(kTarget), 8);
    CHECK(sum == count);
  };
}

constexpr std::uint8_t kAck = packet::code_of(spec::kSyndromes, "AckNoCredits");
constexpr std::uint8_t kRnrNak = packet::code_of(spec::kSyndromes, "RnrNak");
constexpr std::uint8_t kNakSequence = packet::code_of(spec::kSyndromes, "NakSequence");
constexpr std::uint8_t kNakInvalid = packet::code_of(spec::kSyndromes, "NakInvalid");
constexpr std::uint8_t kNakAccess = packet::code_of(spec::kSyndromes, "NakAccess");
constexpr unsigned kGhost = 7;  // drop cause

std::uint32_t psn(std::int64_t offset) {
  return static_cast<std::uint32_t>(kPsn + offset) & 0xFFFFFF;
}

FaultRule on_syndrome(FaultKind kind, std::uint8_t syndrome, unsigned count = 1) {
  FaultRule rule = drop(packet::kRcAck, 1, count);
  rule.kind = kind;
  rule.when = [=](const packet::Parsed& p, std::uint64_t) {
    return p.aeth().syndrome() == syndrome;
  };
  return rule;
}

/// A frame as `from` would send it to the queue pair of `to`.
packet::Builder frame(Side& from, Side& to, std::uint8_t opcode, std::uint32_t psn) {
  return packet::Builder()
      .ethernet(to.node.mac(), from.node.mac())
      .gids(from.node.gid(), to.node.gid())
      .bth(opcode, to.qp().number(), transport::Psn(psn));
}

/// Frames of node `node` with `opcode` that the adapter itself sent, by PSN and syndrome.
struct Answers : FrameTap {
  explicit Answers(unsigned n) : node(n) {}
  void frame(const FrameEvent& event) override {
    if (event.node != node || event.injected || !event.parsed.ok() ||
        event.parsed.bth().opcode() != packet::kRcAck) {
      return;
    }
    seen.emplace_back(event.parsed.bth().psn(), event.parsed.aeth().syndrome());
  }
  std::ptrdiff_t count(std::uint32_t psn, std::uint8_t syndrome) const {
    return std::count(seen.begin(), seen.end(), std::pair(psn, syndrome));
  }
  unsigned node;
  std::vector<std::pair<std::uint32_t, std::uint8_t>> seen;
};

}  // namespace

TEST_CASE("F-01, F-02, F-03: a packet of a WRITE is lost, first, middle or last") {
  with_rule(drop(packet::kRcWriteFirst), 0, write(1500));
  with_rule(drop(packet::kRcWriteMiddle), 0, write(1500));
  with_rule(drop(packet::kRcWriteMiddle, 3), 0, write(1500));
  with_rule(drop(packet::kRcWriteLast), 0, write(1500));
}

TEST_CASE("F-04: the last packet is lost and the next message finds it out") {
  with_rule(drop(packet::kRcSendLast), 0, send(700, 3));
}

TEST_CASE("F-05: the same packet lost as often as allowed, and once more") {
  PairOptions options = fast();
  options.connect.retry_cnt = 3;
  with_rule(drop(packet::kRcSendOnly, 1, 3), 0, send(100, 1), options);
  with_rule(
      drop(packet::kRcSendOnly, 1, 0), 0,
      [](Side& self, Side& peer) {
        self.qp().send(request(Opcode::kSend, self, 0, 100, peer, 0));
        self.qp().send(request(Opcode::kWrite, self, 0, 100, peer, 0));
        CHECK(self.sent().status == Status::kRetryExcErr);
        CHECK(self.sent().status == Status::kWrFlushErr);
        CHECK(self.qp().query().state == driver::QpState::kErr);
      },
      options);
}

TEST_CASE("F-06, F-07, F-08: acknowledgements lost") {
  with_rule(drop(packet::kRcAck), 1, send(100, 1));
  with_rule(drop(packet::kRcAck), 1, send(1500, 1));
  with_rule(drop(packet::kRcAck, 1, 2), 1, send(100, 3));
  PairOptions options = fast();
  options.connect.retry_cnt = 2;
  with_rule(
      drop(packet::kRcAck, 1, 0), 1,
      [](Side& self, Side& peer) {
        fill(self.data(), 100, 1);
        self.qp().send(request(Opcode::kWrite, self, 0, 100, peer, kTarget));
        CHECK(self.sent().status == Status::kRetryExcErr);
        CHECK(first_wrong(peer.data(kTarget), 100, 1) == 100);
      },
      options);
}

TEST_CASE("F-09: gap and its NAK lost") {
  for (const unsigned width : {512u, 64u}) {
    Config config;
    config.width = width;
    config.faults[0].rules.push_back(drop(packet::kRcWriteMiddle));
    config.faults[1].rules.push_back(drop(packet::kRcAck));
    Pair pair(config, fast());
    pair.run(write(1500));
  }
}

TEST_CASE("F-10: a NAK ten times, and once more a round trip later: the retries are not eaten") {
  for (const unsigned width : {512u, 64u}) {
    for (const std::uint64_t late_ns : {0, 2000, 20000}) {
      CAPTURE(width);
      CAPTURE(late_ns);
      Config config;
      config.width = width;
      config.faults[0].rules.push_back(drop(packet::kRcWriteMiddle, 2));
      FaultRule again = on_syndrome(FaultKind::kDuplicate, kNakSequence);
      again.copies = late_ns == 0 ? 10 : 1;
      again.delay_ns = late_ns;
      config.faults[1].rules.push_back(again);
      PairOptions options = fast();
      options.connect.retry_cnt = 1;
      Pair pair(config, options);
      pair.run([](Side& self, Side& peer) {
        write(8000)(self, peer);
        self.node.sleep(50'000);
        const driver::QpCounters counters = self.qp().counters();
        CHECK(counters.retries == 1);
        CHECK(counters.timeouts == 0);
      });
      CHECK(pair.world.channel(0).faults().rules[0].hits == 1);
      CHECK(pair.world.channel(1).faults().rules[0].hits == 1);
    }
  }
}

TEST_CASE("F-11, F-12: READ request lost; response lost at the first, each middle, the last") {
  with_rule(drop(packet::kRcReadRequest), 0, read(1500));
  with_rule(drop(packet::kRcReadRespFirst), 1, read(1500));
  for (unsigned k = 1; k <= 4; ++k) with_rule(drop(packet::kRcReadRespMiddle, k), 1, read(1500));
  with_rule(drop(packet::kRcReadRespLast), 1, read(1500));
  with_rule(drop(packet::kRcReadRespOnly), 1, read(200));
}

TEST_CASE("F-13, F-15: responses and re-requests lost with three READs outstanding") {
  with_rule(drop(packet::kRcReadRespMiddle, 2), 1, read(1500, 3));
  with_rule(drop(packet::kRcReadRespLast, 2), 1, read(1500, 3));
  Config config;
  config.faults[1].rules.push_back(drop(packet::kRcReadRespMiddle, 2));
  config.faults[0].rules.push_back(drop(packet::kRcReadRequest, 4));
  Pair pair(config, fast());
  pair.run(read(1500, 3));
}

TEST_CASE("F-14: progress gives all retries back; without it they end") {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    for (unsigned k = 1; k <= 4; ++k) {
      // What is asked for again begins with the packet that was lost; when it gets through, the
      // next one is lost.
      FaultRule rule = drop(packet::kRcReadRespMiddle, 2 * k - 1, 2);
      rule.opcode.reset();
      rule.psn = psn(k);
      config.faults[1].rules.push_back(rule);
    }
    PairOptions options = fast();
    options.connect.retry_cnt = 2;
    Pair pair(config, options);
    pair.run([](Side& self, Side& peer) {
      read(1500)(self, peer);
      CHECK(self.qp().counters().retries == 8);
    });
    for (const FaultRule& rule : pair.world.channel(1).faults().rules) CHECK(rule.hits == 2);

    Config ever;
    ever.width = width;
    FaultRule rule = drop(packet::kRcReadRespMiddle, 1, 0);
    rule.opcode.reset();
    rule.psn = psn(2);
    ever.faults[1].rules.push_back(rule);
    Pair lost(ever, options);
    lost.run([](Side& self, Side& peer) {
      self.qp().send(request(Opcode::kRead, self, 1, 1500, peer, kTarget));
      CHECK(self.sent().status == Status::kRetryExcErr);
    });
    CHECK(lost.world.channel(1).faults().rules[0].hits == 3);
  }
}

TEST_CASE("F-16, F-17, F-18: atomics happen once whatever is lost") {
  with_rule(drop(packet::kRcFetchAdd), 0, add(1));
  with_rule(drop(packet::kRcAtomicAck), 1, add(1));
  with_rule(drop(packet::kRcAtomicAck, 1, 3), 1, add(1));
  FaultRule odd = drop(packet::kRcAtomicAck, 1, 1);
  Config config;
  config.faults[1].rules = {odd, drop(packet::kRcAtomicAck, 3, 1)};
  Pair pair(config, fast());
  pair.run(add(4));
}

TEST_CASE("F-19: an atomic is not executed again although its memory has changed") {
  for (const unsigned width : {512u, 64u}) {
    for (const Opcode opcode : {Opcode::kFetchAdd, Opcode::kCmpSwap}) {
      CAPTURE(width);
      Config config;
      config.width = width;
      config.faults[1].rules.push_back(drop(packet::kRcAtomicAck));
      PairOptions options = fast();
      options.queue_pairs = 2;
      Pair pair(config, options);
      pair.run([&](Side& self, Side& peer) {
        constexpr std::uint64_t kBefore = 5, kOther = 1000;
        std::memcpy(peer.data(kTarget), &kBefore, 8);
        std::memcpy(self.data(64), &kOther, 8);
        driver::SendRequest atomic = request(opcode, self, 0, 8, peer, kTarget);
        atomic.compare = opcode == Opcode::kCmpSwap ? kBefore : 0;
        atomic.swap_add = opcode == Opcode::kCmpSwap ? kOther : 1;
        atomic.id = 1;
        self.qp().send(atomic);
        self.node.sleep(50'000);  // executed, and its answer is lost
        driver::SendRequest other = request(Opcode::kWrite, self, 64, 8, peer, kTarget);
        other.id = 2;
        self.qp(1).send(other);
        CHECK(self.sent().id == 2);
        std::memcpy(peer.data(kTarget), &kBefore, 8);  // would match a second comparison
        const driver::Completion done = self.sent();
        CHECK(done.ok());
        CHECK(done.id == 1);
        std::uint64_t original = 0, now = 0;
        std::memcpy(&original, self.data(0), 8);
        std::memcpy(&now, peer.data(kTarget), 8);
        CHECK(original == kBefore);
        CHECK(now == kBefore);
        CHECK(self.qp().counters().timeouts == 1);
      });
      CHECK(pair.world.channel(1).faults().rules[0].hits == 1);
    }
  }
}

TEST_CASE("F-20: replay slots wrap, depth 2, 10% loss each way") {
  Config config;
  config.seed = 20;
  config.faults[0].loss = config.faults[1].loss = 0.1;
  PairOptions options = fast();
  options.connect.max_rd_atomic = options.connect.max_dest_rd_atomic = 2;
  options.qp.send_entries = 512;
  Pair pair(config, options);
  pair.run(add(300));
}

TEST_CASE("F-21: every packet many times") {
  for (const std::uint8_t opcode : {packet::kRcSendOnly, packet::kRcFetchAdd}) {
    FaultRule storm;
    storm.opcode = opcode;
    storm.kind = FaultKind::kDuplicate;
    storm.count = 0;
    storm.copies = 20;
    with_rule(storm, 0, opcode == packet::kRcSendOnly ? send(100, 4) : add(4));
  }
  FaultRule acks;
  acks.opcode = packet::kRcAck;
  acks.kind = FaultKind::kDuplicate;
  acks.count = 0;
  acks.copies = 50;
  with_rule(acks, 1, send(100, 4));
}

TEST_CASE("F-22: a READ request of many packets, 30 times") {
  FaultRule storm;
  storm.opcode = packet::kRcReadRequest;
  storm.kind = FaultKind::kDuplicate;
  storm.copies = 30;
  with_rule(storm, 0, read(8000));
}

TEST_CASE("F-23: a WRITE comes again after its completion; the target keeps its new content") {
  FaultRule ghost;
  ghost.opcode = packet::kRcWriteOnly;
  ghost.kind = FaultKind::kDuplicate;
  ghost.delay_ns = 500'000;
  with_rule(ghost, 0, [](Side& self, Side& peer) {
    self.qp().send(request(Opcode::kWrite, self, 0, 100, peer, kTarget));
    CHECK(self.sent().ok());
    fill(peer.data(kTarget), 100, 5);
    self.node.sleep(1'000'000);
    CHECK(first_wrong(peer.data(kTarget), 100, 5) == 100);
  });
}

TEST_CASE("F-24: ghosts of answers before and behind the window have no effect") {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    PairOptions options = fast();
    options.connect.timeout = 10;  // 4.2 ms
    options.connect.retry_cnt = 1;
    options.connect.rnr_retry = 0;
    Pair pair(config, options);
    unsigned injected = 0;
    pair.run([&](Side& self, Side& peer) {
      Channel& back = pair.world.channel(1);
      Channel& out = pair.world.channel(0);
      // PSNs 0 to 5 are acknowledged; 6 to 11 are out and lost.
      write(1500)(self, peer);
      const std::uint64_t now = self.node.now_ns();
      out.faults().blackouts.push_back({now, now + 2'000'000});
      fill(self.data(5000), 1500, 1);
      fill(peer.data(kTarget + 9000), 200, 2);
      self.qp().send(request(Opcode::kWrite, self, 5000, 1500, peer, kTarget + 5000));
      self.qp().send(request(Opcode::kRead, self, 9000, 200, peer, kTarget + 9000));
      self.node.sleep(20'000);
      const std::uint64_t before = self.node.context().port_counters().drops[kGhost];
      const auto inject = [&](const packet::Builder& builder) {
        back.inject(self.node.now_ns(), builder.build());
        ++injected;
        self.node.sleep(2000);
      };
      // READs take a PSN, 12; 13 was not sent.
      for (const std::int64_t at : {-100, -1, 0, 3, 5, 13, 14, 100, 0x7FFFFF, -0x7FFFFF}) {
        for (const std::uint8_t syndrome : {kAck, kNakSequence, kNakInvalid, kNakAccess,
                                            static_cast<std::uint8_t>(kRnrNak | 1)}) {
          inject(frame(peer, self, packet::kRcAck, psn(at)).aeth(syndrome, 3));
        }
        const packet::Bytes payload(256, 0xEE);
        inject(frame(peer, self, packet::kRcReadRespMiddle, psn(at)).payload(payload));
        inject(frame(peer, self, packet::kRcReadRespOnly, psn(at)).aeth(kAck, 3).payload(payload));
        inject(
            frame(peer, self, packet::kRcAtomicAck, psn(at)).aeth(kAck, 3).atomic_ack_eth(0xEEEE));
      }
      CHECK_FALSE(self.send_cq.poll());
      CHECK(self.qp().query().state == driver::QpState::kRts);
      CHECK(self.qp().counters().retries == 0);
      CHECK(self.node.context().port_counters().drops[kGhost] == before + injected);
      // After the silence the timer brings what was lost, with the one retry there is.
      CHECK(self.sent().ok());
      CHECK(self.sent().ok());
      CHECK(first_wrong(peer.data(kTarget + 5000), 1500, 1) == 1500);
      CHECK(first_wrong(self.data(9000), 200, 2) == 200);
      CHECK(self.qp().counters().retries == 1);
    });
    CHECK(injected == 80);
    CHECK(pair.world.channel(0).counts().dropped == 7);
  }
}

TEST_CASE("F-25: neighbours change places, WRITE and READ response") {
  for (unsigned k = 1; k <= 3; ++k) {
    FaultRule swap = drop(packet::kRcWriteMiddle, k);
    swap.kind = FaultKind::kDelay;
    swap.delay_ns = 40;
    with_rule(swap, 0, write(1500));
    swap.opcode = packet::kRcReadRespMiddle;
    with_rule(swap, 1, read(1500));
  }
}

TEST_CASE("F-26: the ACK of a WRITE overtakes the end of a READ, or the end is lost") {
  FaultRule late = drop(packet::kRcReadRespLast);
  late.kind = FaultKind::kDelay;
  late.delay_ns = 20'000;
  for (const FaultRule& rule : {late, drop(packet::kRcReadRespLast), drop(packet::kRcReadRespOnly),
                                drop(packet::kRcReadRespFirst)}) {
    const std::uint32_t bytes = rule.opcode == packet::kRcReadRespOnly ? 200 : 1500;
    with_rule(rule, 1, [bytes](Side& self, Side& peer) {
      fill(peer.data(kTarget), bytes, 4);
      fill(self.data(5000), 600, 5);
      driver::SendRequest first = request(Opcode::kRead, self, 1, bytes, peer, kTarget);
      driver::SendRequest second = request(Opcode::kWrite, self, 5000, 600, peer, kTarget + 5000);
      first.id = 1;
      second.id = 2;
      const driver::SendRequest both[] = {first, second};
      CHECK(self.qp().post_send(both, 2));
      CHECK(self.sent().id == 1);
      CHECK(first_wrong(self.data(1), bytes, 4) == bytes);  // at its completion, not later
      const driver::Completion done = self.sent();
      CHECK(done.id == 2);
      CHECK(done.ok());
      CHECK(first_wrong(peer.data(kTarget + 5000), 600, 5) == 600);
      self.node.sleep(30'000);  // what is late has come
    });
  }
}

TEST_CASE("F-28: PSNs half the circle away: before is a duplicate, behind is a gap") {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    FaultRule lost = drop(packet::kRcWriteOnly, 1, 1);
    lost.psn = psn(6);
    config.faults[0].rules.push_back(lost);
    PairOptions options = fast();
    options.connect.timeout = 14;
    Answers answers(1);
    Pair pair(config, options);
    pair.world.add_tap(&answers);
    pair.run([&](Side& self, Side& peer) {
      Channel& out = pair.world.channel(0);
      write(1500)(self, peer);
      fill(peer.data(kTarget), 1500, 8);
      const packet::Bytes payload(256, 0xEE);
      const auto inject = [&](std::int64_t at) {
        out.inject(self.node.now_ns(),
                   frame(self, peer, packet::kRcWriteOnly, psn(at))
                       .ack_req()
                       .reth(peer.region.address() + kTarget, peer.region.key(), 256)
                       .payload(payload)
                       .build());
        self.node.sleep(20'000);
      };
      // 6 is expected. It leaves, so that an answer may name it, and is lost.
      self.qp().send(request(Opcode::kWrite, self, 3, 100, peer, kTarget + 3000));
      self.node.sleep(20'000);
      const auto acks = answers.count(psn(5), kAck);
      inject(6 - (1 << 23));
      CHECK(answers.count(psn(5), kAck) == acks + 1);
      CHECK(answers.count(psn(6), kNakSequence) == 0);
      inject(6 + (1 << 23) - 1);
      CHECK(answers.count(psn(6), kNakSequence) == 1);
      CHECK(first_wrong(peer.data(kTarget), 1500, 8) == 1500);
      CHECK(self.sent().ok());  // by the NAK
      CHECK(self.node.now_ns() < 10'000'000);
      CHECK(first_wrong(peer.data(kTarget + 3000), 100, 9) == 100);
    });
    CHECK(pair.world.channel(0).faults().rules[0].hits == 1);
  }
}

TEST_CASE("F-29, F-30: RNR until a receive is posted; RNR for ever") {
  for (const unsigned width : {512u, 64u}) {
    CAPTURE(width);
    Config config;
    config.width = width;
    Pair pair(config, fast());
    pair.run([](Side& self, Side& peer) {
      fill(self.data(), 600, 3);
      for (int i = 0; i < 4; ++i) self.qp().send(request(Opcode::kSend, self, 0, 600, peer, 0));
      self.node.sleep(200'000);
      CHECK_FALSE(self.send_cq.poll());
      for (unsigned i = 0; i < 4; ++i) {
        peer.qp().receive({i, {peer.region.sge(kTarget + 1000 * i, 600)}});
      }
      for (unsigned i = 0; i < 4; ++i) {
        CHECK(self.sent().ok());
        CHECK(peer.received().ok());
        CHECK(first_wrong(peer.data(kTarget + 1000 * i), 600, 3) == 600);
      }
    });
    for (const std::uint8_t retries : {std::uint8_t{0}, std::uint8_t{2}}) {
      PairOptions options = fast();
      options.connect.rnr_retry = retries;
      Pair ever(config, options);
      ever.run([](Side& self, Side& peer) {
        self.qp().send(request(Opcode::kSend, self, 0, 600, peer, 0));
        self.qp().send(request(Opcode::kSend, self, 0, 600, peer, 0));
        CHECK(self.sent().status == Status::kRnrRetryExcErr);
        CHECK(self.sent().status == Status::kWrFlushErr);
      });
    }
  }
}

TEST_CASE("F-32, F-33: corruption is loss") {
  for (const std::uint8_t opcode :
       {packet::kRcWriteFirst, packet::kRcWriteMiddle, packet::kRcWriteLast}) {
    FaultRule rule = drop(opcode);
    rule.kind = FaultKind::kCorrupt;
    with_rule(rule, 0, write(1500));
  }
  FaultRule ack = drop(packet::kRcAck);
  ack.kind = FaultKind::kCorrupt;
  with_rule(ack, 1, write(1500));
}

TEST_CASE("F-34: silent for a while, and for longer than the retries last") {
  Config config;
  config.faults[0].blackouts.push_back({0, 100'000'000});
  PairOptions options = fast();
  Pair pair(config, options);
  pair.run([](Side& self, Side& peer) {
    self.node.sleep(100'000'000 - self.node.now_ns() - 300'000);
    write(1500)(self, peer);
  });
  options.connect.retry_cnt = 1;
  Pair lost(config, options);
  lost.run([](Side& self, Side& peer) {
    self.qp().send(request(Opcode::kWrite, self, 0, 100, peer, kTarget));
    CHECK(self.sent().status == Status::kRetryExcErr);
  });
}

TEST_CASE("F-03: waiting out timeout 14, 67 ms, costs fewer than 20000 clocks in all") {
  for (const unsigned width : {512u, 64u}) {
    Config config;
    config.width = width;
    config.faults[0].rules.push_back(drop(packet::kRcWriteLast));
    PairOptions options;
    options.connect.timeout = 14;
    Pair pair(config, options);
    std::uint64_t before = 0, after = 0;
    pair.run([&](Side& self, Side& peer) {
      before = pair.world.speed().clocks;
      write(10000)(self, peer);
      after = pair.world.speed().clocks;
    });
    const std::uint64_t all = pair.world.speed().clocks;
    MESSAGE("width ", width, ": clocks to the post ", before, ", to the completion ", after,
            ", to the end of both programs ", all, "; simulated ns ", pair.world.now_ns());
    CHECK(pair.world.channel(0).faults().rules[0].hits == 1);
    CHECK(pair.world.now_ns() > 67'000'000);
    CHECK(all < 20000);
  }
}
