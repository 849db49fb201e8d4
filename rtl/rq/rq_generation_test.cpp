// SPDX-License-Identifier: Apache-2.0
// Generations of queue pairs, flushes, pause, and a lossy link.
#include "rtl/rq/rq_peer.hpp"
#include "rtl/rq/rq_rig.hpp"

namespace {

using namespace rq;

TEST_CASE("rq: entering ERR flushes posted receives, and those posted later (QP-11)") {
  Rig b;
  for (int i = 0; i < 7; ++i) b.post(3, {{Rig::kIova + 0x100000, 1000, kRegion}});
  b.packet(kRcSendFirst, Rig::pattern(256, 1));
  b.run();
  b.set_state(3, QpState::kErr);
  b.event(3, QpEvent::kFlush);
  b.run();
  REQUIRE(b.completions.size() == 7);
  b.post(3, {});
  b.run();
  REQUIRE(b.completions.size() == 8);
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(b.completions[i].index == i);
    CHECK(b.completions[i].status == Status::kWrFlushErr);
  }
  b.responses.clear();
  b.write_only(Rig::pattern(8, 1), 0x100000);
  b.run();
  CHECK(b.responses.empty());
  CHECK(b.fails.empty());
}

TEST_CASE("rq: ERR from INIT flushes; a new generation starts at index 0") {
  Bench b;
  b.regions.push_back({kRegion, kPd, kEveryRight, 0, kMemorySize, 0});
  b.create(5);
  b.post(5, {});
  b.post(5, {});
  b.run();
  b.set_state(5, QpState::kErr);
  b.event(5, QpEvent::kFlush);
  b.run();
  CHECK(b.completions.size() == 2);
  Attr attr;
  attr.rq_psn = 0xABC;
  b.connect(5, attr);
  b.post(5, {{0x100000, 64, kRegion}});
  Request r;
  r.qpn = 5;
  r.opcode = kRcSendOnly;
  r.psn = 0xABC;
  r.payload = Bytes(10, 1);
  b.send(r);
  b.run();
  REQUIRE(b.completions.size() == 3);
  CHECK(b.completions[2].index == 0);
  CHECK(b.completions[2].status == Status::kSuccess);
  CHECK(b.responses.back().msn == 1);
}

TEST_CASE("rq: a doorbell further ahead than the ring fails the queue pair") {
  Rig b;
  b.doorbell(3, 17);
  b.run();
  REQUIRE(b.fails.size() == 1);
  CHECK(b.fails[0] == Bench::Event(EventKind::kQpFatal, 3));
  CHECK(b.completions.empty());
}

TEST_CASE("rq: failing host reads: of a receive, of an atomic (RSP-56)") {
  for (bool atomic : {false, true}) {
    Rig b;
    b.read_errors = true;
    if (atomic) {
      b.atomic(kRcFetchAdd, 0x100000, 1);
    } else {
      b.post(3, {{Rig::kIova + 0x100000, 64, kRegion}});
      b.message(false, Rig::pattern(8, 1));
    }
    b.run();
    REQUIRE(b.fails.size() == 1);
    CHECK(b.fails[0].first == EventKind::kQpFatal);
    REQUIRE(b.completions.size() == (atomic ? 0 : 1));
    if (!atomic) CHECK(b.completions[0].status == Status::kWrFlushErr);
    REQUIRE(b.responses.size() == (atomic ? 1 : 0));
    if (atomic) b.ack_is(0, kNakOperational, 0x1000, 0);
  }
}

TEST_CASE("rq: READ responses of several queue pairs take turns; an ACK overtakes them") {
  Bench b;
  b.regions.push_back({kRegion, kPd, kEveryRight, 0, kMemorySize, 0});
  for (unsigned q = 0; q < 4; ++q) b.connect(q);
  for (unsigned q = 0; q < 4; ++q) {
    Request r;
    r.qpn = q;
    r.psn = 0x1000;
    r.rkey = kRegion;
    r.opcode = q == 3 ? kRcWriteOnly : kRcReadRequest;
    r.va = 0x100000;
    r.length = q == 3 ? 8 : 256 * 50;
    if (q == 3) r.payload = Bytes(8, 9);
    b.send(r);
  }
  b.run();
  std::array<unsigned, 4> seen{};
  for (std::size_t i = 0; i < b.responses.size(); ++i) {
    const unsigned q = b.responses[i].qpn;
    ++seen[q];
    if (q == 3) CHECK(i < 60);
    if (q < 3 && i > 10 && i < 130)
      for (unsigned p = 0; p < 3; ++p) CHECK(seen[q] <= seen[p] + 6);
  }
  CHECK(seen[0] == 50);
  CHECK(seen[2] == 50);
  CHECK(seen[3] == 1);
}

TEST_CASE("rq: pause holds doorbells back; requests that rx admitted are served") {
  Rig b;
  b.write_delay = 100;
  // An atomic blocks more WRITEs than rq has room for.
  b.atomic(kRcFetchAdd, 0x100000, 1);
  for (unsigned i = 0; i < 12; ++i) b.write_only(Rig::pattern(8, i), 0x101000 + 8 * i);
  for (int i = 0; i < 20; ++i) b.clock();
  REQUIRE(b.requests.size() > 2);
  b.dut->pause_i = 1;
  b.post(3, {{Rig::kIova + 0x110000, 100, kRegion}});
  for (int i = 0; i < 3000 && !(b.dut->idle_o && b.requests.empty()); ++i) b.clock();
  CHECK(b.requests.empty());
  CHECK(b.dut->idle_o);
  for (unsigned i = 0; i < 12; ++i) CHECK(b.holds(0x101000 + 8 * i, Rig::pattern(8, i)));
  b.dut->pause_i = 0;
  b.message(false, Rig::pattern(50, 2));
  b.run();
  CHECK(b.completions.size() == 1);
}

TEST_CASE("rq: six queue pairs over a link that loses and repeats packets") {
  for (unsigned seed : {1u, 2u, 3u}) {
    MESSAGE("seed ", seed);
    Bench b;
    b.random.seed(seed);
    b.random_stalls = true;
    b.write_delay = 60;
    std::deque<Peer> peers;
    for (unsigned q = 0; q < 6; ++q) {
      Attr attr;
      attr.pmtu = 1 + b.random() % 3;
      attr.max_dest = 1 + b.random() % 16;
      attr.stride = b.random() % 3;
      attr.rq_log = b.random() % 3;
      attr.rq_psn = (0xFFFFF0 + static_cast<unsigned>(b.random() % 64)) & kPsnMask;
      const std::uint64_t home = 0x100000 + 0x10000 * q;
      b.regions.push_back({0x100 + q, kPd, kEveryRight, home, 0x10000, home});
      b.connect(q, attr);
      peers.emplace_back(b, q, attr, home, 150);
    }
    std::size_t responses = 0, completions = 0;
    std::uint64_t limit = b.dut.cycle() + 1000000;
    for (bool done = false; !done;) {
      b.clock();
      if (b.random() % 200 == 0 && b.store_jobs == 0) b.store_jobs = 1;
      for (; responses < b.responses.size(); ++responses) {
        // The payload comes with the segment, which may be later.
        if (b.payload_missing(responses)) break;
        peers[b.responses[responses].qpn].response(b.responses[responses]);
      }
      for (; completions < b.completions.size(); ++completions) {
        Peer& p = peers[b.completions[completions].qpn];
        p.keep(p.completed());
        p.completion(b.completions[completions]);
      }
      peers[b.random() % peers.size()].step();
      done = std::all_of(peers.begin(), peers.end(), [](const Peer& p) { return p.done(); });
      REQUIRE(b.dut.cycle() < limit);
    }
    b.run();
    unsigned retries = 0;
    for (auto& p : peers) {
      p.check_memory();
      retries += p.retries();
    }
    CHECK(b.fails.empty());
    MESSAGE("clocks ", b.dut.cycle(), ", requests ", b.requests_taken, ", returns ", retries);
  }
}

}  // namespace
