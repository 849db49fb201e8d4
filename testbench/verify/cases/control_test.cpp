// SPDX-License-Identifier: Apache-2.0
// What commands and events promise while traffic runs: overflow, rings that move, draining, regions
// and windows that change, partitions.
#include <set>

#include "driver/memory_window.hpp"
#include "testbench/verify/cases/pair.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::EventKind;
using driver::Opcode;
using driver::QpState;
using driver::Status;

namespace {

Config narrow() {
  Config config;
  config.width = 64;
  return config;
}

driver::SendRequest message(std::uint64_t id, Opcode opcode, Side& self, std::uint32_t bytes,
                            Side& peer, std::size_t at = 0) {
  driver::SendRequest r = request(opcode, self, at, bytes, peer, at);
  r.id = id;
  return r;
}

driver::ReceiveRequest place(std::uint64_t id, Side& self, std::size_t at, std::uint32_t bytes) {
  return {id, {self.region.sge(at, bytes)}};
}

void modify(driver::QueuePair& qp, QpState state, std::uint32_t more = 0, bool notify = false) {
  driver::QpAttributes a;
  a.state = state;
  a.sqd_notify = notify;
  qp.modify(a, driver::mask::kState | more);
}

/// All events up to one of `last`, which must come.
std::vector<driver::Event> events_until(Side& self, EventKind last) {
  std::vector<driver::Event> seen;
  do {
    const auto event = self.node.context().events().wait();
    REQUIRE(event);
    seen.push_back(*event);
  } while (seen.back().kind != last);
  return seen;
}

}  // namespace

TEST_CASE("control: CQ-13 a ring moves with what was not polled; below that it is refused") {
  Pair pair(narrow());
  constexpr unsigned kMessages = 60;
  pair.run(
      [&](Side& self, Side& peer) {
        pair.meet(0);
        for (unsigned i = 0; i < kMessages; ++i) {
          self.qp().send(message(i, Opcode::kSend, self, 64, peer));
          CHECK(self.sent().status == Status::kSuccess);
          if (i == 4) pair.meet(0);
        }
        pair.meet(0);
      },
      [&](Side& self, Side&) {
        for (unsigned i = 0; i < kMessages; ++i) self.qp().receive(place(i, self, 64 * i, 64));
        pair.meet(1);
        pair.meet(1);
        // Five wait in the ring.
        CHECK_THROWS_AS(self.receive_cq.resize(1), driver::Error);
        unsigned next = 0;
        for (const unsigned entries : {24u, 512u, 6u, 100u}) {
          if (next != 0) self.node.sleep(3000);  // some more wait
          try {
            self.receive_cq.resize(entries);
          } catch (const driver::Error& error) {
            CHECK(entries < 64);  // more are waiting
            CHECK(error.status() == driver::AdminStatus::kBadParameter);
          }
          for (unsigned i = 0; i < 5; ++i) {
            const driver::Completion one = self.received();
            CHECK(one.status == Status::kSuccess);
            CHECK(one.id == next++);
          }
        }
        while (next < kMessages) CHECK(self.received().id == next++);
        pair.meet(1);
        CHECK_FALSE(self.receive_cq.poll());
      });
}

TEST_CASE(
    "control: CQ-07 an overflow keeps what is there and takes every queue pair of the queue") {
  Config config = narrow();
  config.strict = false;  // completions are lost, as they must
  Pair pair(config);
  std::array<std::array<driver::QueuePair*, 2>, 2> qps{};
  std::array<Side*, 2> sides{};
  pair.world.run([&](Node& node) {
    const unsigned me = node.index();
    Side self(node, {});
    driver::CompletionQueue small(node.context(), 1);  // a ring of two
    driver::QueuePair first(self.pd, self.send_cq, small), second(self.pd, small, self.receive_cq);
    qps[me] = {&first, &second};
    sides[me] = &self;
    pair.meet(me);
    driver::ConnectOptions options;
    options.dst_mac = sides[1 - me]->node.mac();
    for (unsigned i = 0; i < 2; ++i) {
      qps[me][i]->connect({qps[1 - me][i]->number(), 7, sides[1 - me]->node.gid()}, 7, options);
    }
    if (me == 1) {
      for (unsigned i = 0; i < 4; ++i) first.receive(place(i, self, 64 * i, 64));
    }
    pair.meet(me);
    if (me == 0) {
      for (unsigned i = 0; i < 3; ++i) first.send(message(i, Opcode::kSend, self, 64, *sides[1]));
      for (unsigned i = 0; i < 2; ++i) CHECK(self.sent().status == Status::kSuccess);
    } else {
      std::set<std::uint32_t> failed;
      unsigned errors = 0;
      while (failed.size() < 2 || errors == 0) {
        const auto event = node.context().events().wait();
        REQUIRE(event);
        if (event->kind == EventKind::kCqError) {
          ++errors;
          CHECK(event->number == small.number());
        } else if (event->kind == EventKind::kQpFatal) {
          CHECK(failed.insert(event->number).second);
        }
      }
      CHECK(failed == std::set<std::uint32_t>{first.number(), second.number()});
      CHECK(errors == 1);
      CHECK(first.query().state == QpState::kErr);
      CHECK(second.query().state == QpState::kErr);
      for (unsigned i = 0; i < 2; ++i) {
        const auto kept = small.poll();
        REQUIRE(kept);
        CHECK(kept->id == i);
        CHECK(kept->status == Status::kSuccess);
      }
      CHECK_FALSE(small.poll());
    }
    pair.meet(me);
  });
}

TEST_CASE("control: QP-12, QP-13 SQD finishes what was begun, tells, and goes on") {
  Pair pair(narrow());
  pair.run(
      [&](Side& self, Side& peer) {
        self.qp().send(message(1, Opcode::kSend, self, 100, peer));  // no receive is posted
        self.node.sleep(20'000);
        modify(self.qp(), QpState::kSqd, driver::mask::kEnSqdAsyncNotify, true);
        self.qp().send(message(2, Opcode::kWrite, self, 100, peer));
        CHECK(self.qp().query().sq_draining);
        try {
          modify(self.qp(), QpState::kRts);
          FAIL_CHECK("left SQD before it had drained");
        } catch (const driver::Error& error) {
          CHECK(error.status() == driver::AdminStatus::kBadState);
        }
        CHECK_FALSE(self.send_cq.poll());
        pair.meet(0);
        const auto events = events_until(self, EventKind::kSqDrained);
        CHECK(events.back().number == self.qp().number());
        const auto first = self.send_cq.poll();  // its completion came before the event
        REQUIRE(first);
        CHECK(first->id == 1);
        CHECK(first->status == Status::kSuccess);
        CHECK(self.qp().query().state == QpState::kSqd);
        CHECK_FALSE(self.qp().query().sq_draining);
        self.node.sleep(100'000);
        CHECK_FALSE(self.send_cq.poll());  // what was posted later waits
        modify(self.qp(), QpState::kRts);
        const driver::Completion second = self.sent();
        CHECK(second.id == 2);
        CHECK(second.status == Status::kSuccess);
        CHECK_FALSE(self.node.context().events().poll());
      },
      [&](Side& self, Side&) {
        pair.meet(1);
        self.qp().receive(place(7, self, 0, 100));
        CHECK(self.received().status == Status::kSuccess);
      });
}

TEST_CASE("control: MR-07 a changed region is what it says now, a dead key is refused") {
  for (const unsigned how : {0u, 1u, 2u, 3u}) {
    CAPTURE(how);
    Pair pair(narrow());
    std::uint32_t key = 0;
    std::uint64_t address = 0;
    pair.run(
        [&](Side& self, Side& peer) {
          pair.meet(0);
          driver::SendRequest write = message(1, Opcode::kWrite, self, 600, peer);
          fill(self.data(), 600, 1);
          write.remote_key = key;
          write.remote_address = address;
          self.qp().send(write);
          CHECK(self.sent().status == Status::kSuccess);
          pair.meet(0);
          pair.meet(0);
          fill(self.data(), 600, 2);
          self.qp().send(write);
          CHECK(self.sent().status == Status::kRemAccessErr);
        },
        [&](Side& self, Side&) {
          const driver::DmaMemory memory = self.node.device().allocate(8192, 4096);
          driver::ProtectionDomain other(self.node.context());
          {
            driver::MemoryRegion region(self.pd, memory, driver::access::kAll, 0x1234567890);
            key = region.key();
            address = region.address();
            pair.meet(1);
            pair.meet(1);
            const std::uint32_t local = driver::access::kLocalWrite;
            const driver::DmaMemory half{memory.host + 4096, memory.dma + 4096, 4096};
            if (how == 0) region.deregister();
            if (how == 1) region.change(nullptr, 0, nullptr, &local);
            if (how == 2) region.change(nullptr, 0, &other, nullptr);
            if (how == 3) region.change(&half, address + 4096, nullptr, nullptr);
            pair.meet(1);
            self.node.sleep(200'000);
            CHECK(first_wrong(memory.host, 600, 1) == 600);  // nothing of the second
          }
          self.node.device().release(memory);
        });
  }
}

TEST_CASE("control: WIRE-23, WIRE-24 partition keys") {
  // Entries of both tables, and whether packets pass: one side must be a full member.
  const struct {
    std::uint16_t here, there;
    bool pass;
  } cases[] = {{0x8001, 0x8001, true},
               {0x8001, 0x0001, true},
               {0x0001, 0x0001, false},
               {0x8001, 0x8002, false}};
  for (const auto& one : cases) {
    CAPTURE(one.here);
    CAPTURE(one.there);
    PairOptions options;
    options.connect.timeout = 6;
    options.connect.retry_cnt = 1;
    Pair pair(narrow(), options);
    const auto join = [](Side& self, Side& peer, std::uint16_t pkey) {
      self.node.context().set_pkey(5, pkey);
      CHECK(self.node.context().query_pkey(5) == pkey);
      driver::QpAttributes a;
      a.pkey_index = 5;
      a.access = driver::access::kAll;
      a.dest_qpn = peer.qp().number();
      a.dgid = peer.node.gid();
      a.dst_mac = peer.node.mac();
      a.timeout = 6;
      a.retry_cnt = 1;
      modify(self.qp(), QpState::kReset);
      a.state = QpState::kInit;
      self.qp().modify(a, driver::mask::kInit);
      a.state = QpState::kRtr;
      self.qp().modify(a, driver::mask::kRtr);
      a.state = QpState::kRts;
      self.qp().modify(a, driver::mask::kRts);
    };
    constexpr unsigned kPkeyDrops = code_of(spec::kDropCauses, "Pkey");
    pair.run(
        [&](Side& self, Side& peer) {
          join(self, peer, one.here);
          pair.meet(0);
          self.qp().send(message(1, Opcode::kWrite, self, 100, peer));
          CHECK(self.sent().status == (one.pass ? Status::kSuccess : Status::kRetryExcErr));
          pair.meet(0);
        },
        [&](Side& self, Side& peer) {
          join(self, peer, one.there);
          pair.meet(1);
          pair.meet(1);
          CHECK((self.node.context().port_counters().drops[kPkeyDrops] == 0) == one.pass);
        });
  }
}

TEST_CASE("control: MR-08 to MR-11 windows of both types through queue pairs") {
  for (const auto type : {driver::WindowType::kType1, driver::WindowType::kType2}) {
    CAPTURE(static_cast<int>(type));
    PairOptions options;
    options.region_access = driver::access::kAll | driver::access::kMwBind;
    Pair pair(narrow(), options);
    std::uint32_t key = 0;
    pair.run(
        [&](Side& self, Side& peer) {
          pair.meet(0);
          fill(self.data(), 64, 3);
          driver::SendRequest write = message(1, Opcode::kWrite, self, 64, peer, 0);
          write.remote_address = peer.region.address() + 4096;
          write.remote_key = key;
          self.qp().send(write);
          CHECK(self.sent().status == Status::kSuccess);
          pair.meet(0);
          pair.meet(0);
          self.qp().send(write);  // the window is free, or bound anew
          CHECK(self.sent().status == Status::kRemAccessErr);
          pair.meet(0);
        },
        [&](Side& self, Side&) {
          driver::MemoryWindow window(self.pd, type);
          key = window.next_key();
          driver::SendRequest bind =
              driver::MemoryWindow::bind(key, self.region.key(), self.region.address() + 4096, 64,
                                         driver::access::kRemoteWrite);
          bind.id = 5;
          self.qp().send(bind);
          const driver::Completion bound = self.sent();
          CHECK(bound.status == Status::kSuccess);
          CHECK(bound.opcode == driver::WcOpcode::kBindMw);
          window.set_key(key);
          pair.meet(1);
          pair.meet(1);
          CHECK(first_wrong(self.data(4096), 64, 3) == 64);
          CHECK_THROWS_AS(self.region.deregister(), driver::Error);  // MR-08
          if (type == driver::WindowType::kType2) {
            driver::SendRequest free;
            free.opcode = Opcode::kLocalInv;
            free.remote_key = key;
            self.qp().send(free);
          } else {
            bind.remote_key = window.next_key();
            self.qp().send(bind);
            window.set_key(bind.remote_key);
          }
          CHECK(self.sent().status == Status::kSuccess);
          std::memset(self.data(4096), 0, 64);
          pair.meet(1);
          pair.meet(1);
          CHECK(self.data(4096)[0] == 0);
        });
  }
}
