// SPDX-License-Identifier: Apache-2.0
// Shared receive queues and regions that work requests register, through two adapters.
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "testbench/verify/cases/control.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::EventKind;
using driver::Opcode;
using driver::QpState;
using driver::Status;

namespace {

driver::SendRequest send(std::uint64_t id, Endpoint& self, std::uint32_t bytes, Endpoint& peer) {
  driver::SendRequest r = request(Opcode::kSend, self, 0, bytes, peer, 0);
  r.id = id;
  return r;
}

/// Two queue pairs on each side; those of side 1 take their receives from one queue.
struct SharedPair {
  explicit SharedPair(const Config& config) : pair(config) {}

  using Program = std::function<void(Endpoint&, Endpoint&, std::vector<driver::QueuePair*>&,
                                     driver::SharedReceiveQueue&)>;
  void run(const Program& on_0, const Program& on_1) {
    pair.world.run([&](Node& node) {
      const unsigned me = node.index();
      Endpoint self(node, {});
      driver::SrqOptions shared;
      shared.entries = 8;
      driver::SharedReceiveQueue srq(self.pd, shared);
      driver::QpOptions options;
      if (me == 1) options.srq = &srq;
      driver::QueuePair first(self.pd, self.send_cq, self.receive_cq, options),
          second(self.pd, self.send_cq, self.receive_cq, options);
      sides[me] = &self;
      qps[me] = {&first, &second};
      pair.meet(me);
      driver::ConnectOptions timing;
      timing.min_rnr_timer = 1;
      for (unsigned i = 0; i < 2; ++i) {
        connect({node, *qps[me][i], 7}, {sides[1 - me]->node, *qps[1 - me][i], 7}, timing);
      }
      pair.meet(me);
      (me == 0 ? on_0 : on_1)(self, *sides[1 - me], qps[me], srq);
      pair.meet(me);
    });
    for (const std::string& violation : pair.world.violations()) FAIL_CHECK(violation);
  }

  Pair pair;
  std::array<Endpoint*, 2> sides{};
  std::array<std::vector<driver::QueuePair*>, 2> qps{};
};

driver::ReceiveRequest place(std::uint64_t id, Endpoint& self) {
  return {id, {self.region.sge(4096 * id, 4096)}};
}

}  // namespace

TEST_CASE(
    "shared: RSP-54, RSP-55 two queue pairs take from one queue; the limit event comes once") {
  SharedPair shared(narrow());
  shared.run(
      [&](Endpoint& self, Endpoint& peer, auto& qps, driver::SharedReceiveQueue&) {
        shared.pair.meet(0);
        for (unsigned i = 0; i < 8; ++i) {
          fill(self.data(), 3000, i);
          qps[i % 2]->send(send(i, self, 3000, peer));
          CHECK(self.sent().status == Status::kSuccess);
        }
        shared.pair.meet(0);
        // No receive is posted: RNR NAKs until one is.
        fill(self.data(), 100, 77);
        qps[1]->send(send(9, self, 100, peer));
        shared.pair.meet(0);
        CHECK(self.sent().status == Status::kSuccess);
      },
      [&](Endpoint& self, Endpoint&, auto& qps, driver::SharedReceiveQueue& srq) {
        for (unsigned i = 0; i < 8; ++i) srq.receive(place(i, self));
        srq.arm_limit(3);
        CHECK(srq.query().limit == 3);
        CHECK(srq.query().filled == 8);
        shared.pair.meet(1);
        std::array<bool, 8> used{};
        for (unsigned i = 0; i < 8; ++i) {
          const driver::Completion c = self.received();
          CHECK(c.status == Status::kSuccess);
          CHECK(c.byte_len == 3000);
          REQUIRE(c.id < 8);
          CHECK_FALSE(used[c.id]);
          used[c.id] = true;
          CHECK(c.qpn == qps[i % 2]->number());
          CHECK(first_wrong(self.data(4096 * c.id), 3000, i) == 3000);
        }
        shared.pair.meet(1);
        unsigned limits = 0;
        while (const auto event = self.node.context().events().poll()) {
          if (event->kind != EventKind::kSrqLimit) continue;
          ++limits;
          CHECK(event->number == srq.number());
        }
        CHECK(limits == 1);
        CHECK(srq.query().limit == 0);
        CHECK(srq.query().filled == 0);
        self.node.sleep(50'000);
        CHECK_FALSE(self.receive_cq.poll());
        srq.receive(place(5, self));
        CHECK(self.received().id == 5);
        CHECK(first_wrong(self.data(4096 * 5), 100, 77) == 100);
        shared.pair.meet(1);
      });
}

TEST_CASE("shared: QP-16 a queue pair in ERR reports its last receive and leaves the others") {
  SharedPair shared(narrow());
  shared.run(
      [&](Endpoint& self, Endpoint& peer, auto& qps, driver::SharedReceiveQueue&) {
        shared.pair.meet(0);
        qps[1]->send(send(1, self, 50, peer));
        CHECK(self.sent().status == Status::kSuccess);
      },
      [&](Endpoint& self, Endpoint&, auto& qps, driver::SharedReceiveQueue& srq) {
        for (unsigned i = 0; i < 4; ++i) srq.receive(place(i, self));
        qps[0]->to_error();
        for (;;) {
          const auto event = self.node.context().events().wait();
          REQUIRE(event);
          if (event->kind != EventKind::kQpLastWqe) continue;
          CHECK(event->number == qps[0]->number());
          break;
        }
        CHECK_FALSE(self.receive_cq.poll());
        CHECK(srq.query().filled == 4);
        shared.pair.meet(1);
        CHECK(self.received().id == 0);
        CHECK(srq.query().filled == 3);
      });
}

TEST_CASE(
    "shared: MR-14, MR-15, RSP-46 a region registered, used, and freed by SEND with invalidate") {
  Pair pair(narrow());
  std::uint32_t key = 0;
  pair.run(
      [&](Endpoint& self, Endpoint& peer) {
        pair.meet(0);
        fill(self.data(), 500, 1);
        driver::SendRequest write = request(Opcode::kWrite, self, 0, 500, peer, 0);
        write.remote_key = key;
        write.remote_address = 0xABC000;
        self.qp().send(write);
        CHECK(self.sent().status == Status::kSuccess);
        driver::SendRequest free = request(Opcode::kSendInv, self, 0, 20, peer, 0);
        free.imm = key;
        self.qp().send(free);
        self.qp().send(write);  // immediately after it
        CHECK(self.sent().status == Status::kSuccess);
        CHECK(self.sent().status == Status::kRemAccessErr);
      },
      [&](Endpoint& self, Endpoint&) {
        key = static_cast<std::uint32_t>(
            self.node.context()
                .execute(layout::AdminOp::kAllocFastMr,
                         driver::Body()
                             .put(layout::alloc_fast_mr::pd, self.pd.number())
                             .put(layout::alloc_fast_mr::pasid, self.node.device().pasid()),
                         "allocate a fast region")
                .get(layout::alloc_fast_mr_reply::key));
        driver::SendRequest give;
        give.opcode = Opcode::kRegMr;
        give.remote_key = (key & ~0xFFu) | 0x5A;
        give.remote_address = 0xABC000;
        give.swap_add = 4096;
        give.compare = driver::access::kLocalWrite | driver::access::kRemoteWrite;
        give.dma_address = self.region.address() + 8192;
        key = give.remote_key;
        self.qp().send(give);
        const driver::Completion given = self.sent();
        CHECK(given.status == Status::kSuccess);
        CHECK(given.opcode == driver::WcOpcode::kRegMr);
        self.qp().receive({3, {self.region.sge(0, 100)}});
        pair.meet(1);
        const driver::Completion freed = self.received();
        CHECK(freed.status == Status::kSuccess);
        CHECK(freed.with_inv);
        CHECK(freed.imm == key);
        CHECK(first_wrong(self.data(8192), 500, 1) == 500);
        self.node.context().execute(layout::AdminOp::kDeregMr,
                                    driver::Body().put(layout::dereg_mr::key, key),
                                    "free a fast region");
      });
}

TEST_CASE("shared: RSP-47 a SEND with a bad key is not NAKed, what precedes it is acknowledged") {
  for (const unsigned wrong : {0u, 1u}) {  // no such key, and one that is not to be freed
    Pair pair(narrow());
    pair.run(
        [&](Endpoint& self, Endpoint& peer) {
          pair.meet(0);
          fill(self.data(), 3000, 1);
          self.qp().send(request(Opcode::kWrite, self, 0, 3000, peer, 8192));
          self.qp().send(request(Opcode::kSend, self, 0, 20, peer, 0));
          driver::SendRequest free = request(Opcode::kSendInv, self, 0, 20, peer, 0);
          free.imm = wrong == 0 ? 0xDEADBE00 : peer.region.key();
          self.qp().send(free);
          self.qp().send(request(Opcode::kSend, self, 0, 20, peer, 0));
          CHECK(self.sent().status == Status::kSuccess);
          CHECK(self.sent().status == Status::kSuccess);
          CHECK(self.sent().status == Status::kRetryExcErr);
          CHECK(self.sent().status == Status::kWrFlushErr);
        },
        [&](Endpoint& self, Endpoint&) {
          for (unsigned i = 0; i < 3; ++i) self.qp().receive({i, {self.region.sge(0, 100)}});
          pair.meet(1);
          CHECK(self.received().status == Status::kSuccess);
          CHECK(first_wrong(self.data(8192), 3000, 1) == 3000);
          const driver::Completion failed = self.received();
          CHECK(failed.id == 1);
          CHECK(failed.status == Status::kLocAccessErr);
          CHECK(self.received().status == Status::kWrFlushErr);
          CHECK(self.qp().query().state == QpState::kErr);
          CHECK(self.qp().counters().naks_sent == 0);
        });
  }
}
