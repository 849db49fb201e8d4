// SPDX-License-Identifier: Apache-2.0
// Receivers of datagrams that cannot take them, and memory that fails.
#include "driver/shared_receive_queue.hpp"
#include "testbench/verify/faults/datagrams.hpp"
#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

SCHEDULE("F-47", "UD: there is no receive, a shared receive queue is empty, a buffer is too short",
         "the datagram is discarded; a receive that was too short serves the next that fits") {
  ScheduleRunner runner;
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    runner.run({{0, [&](Node&) {
                   Datagrams d(runner, kMiddle);
                   Node& node = runner.world().node(1);
                   driver::ProtectionDomain pd(node.context());
                   std::optional<driver::SharedReceiveQueue> srq;
                   if (shared) srq.emplace(pd);
                   // The queue pair of a shared queue has that one's protection domain and memory.
                   ConnectionOptions options = ud();
                   options.queue_pairs = shared ? 0 : 1;
                   Side peer(node, kMiddle, options);
                   driver::MemoryRegion memory(pd, kSlots * kSlot, driver::access::kAll);
                   if (shared) {
                     driver::QpOptions qp = options.qp;
                     qp.srq = &*srq;
                     peer.qps.push_back(std::make_unique<driver::QueuePair>(pd, peer.send_cq,
                                                                            peer.receive_cq, qp));
                     peer.qp().open(kQkey, kMiddle);
                   }
                   const auto post = [&](unsigned slot, std::size_t bytes) {
                     if (!shared) return peer.qp().receive(peer.into(slot, bytes));
                     srq->receive({slot, {memory.sge(slot * kSlot, bytes)}});
                   };
                   const auto comes = [&](unsigned message, unsigned slot) {
                     const std::uint32_t bytes = kBytes[message % kBytes.size()];
                     const std::uint8_t* at = (shared ? memory : peer.region).data() + slot * kSlot;
                     const auto got = peer.receive_cq.poll();
                     REQUIRE(got);
                     CHECK(got->id == slot);
                     CHECK(got->ok());
                     CHECK(got->imm == message);
                     CHECK(got->byte_len == kGrh + bytes);
                     CHECK(first_wrong(at + kGrh, bytes, message + 1) == bytes);
                     CHECK_FALSE(peer.receive_cq.poll());
                   };
                   d.to(peer);
                   std::uint64_t discarded = port_of(peer).discards;
                   const auto discards = [&](unsigned count) {
                     discarded += count;
                     CHECK(port_of(peer).discards == discarded);
                     CHECK_FALSE(peer.receive_cq.poll());
                   };
                   d.send(0, 5);  // no receive at all
                   discards(5);
                   post(0, kSlot);
                   d.send(1, 2);  // the first of the two has one
                   comes(1, 0);
                   discards(1);
                   post(1, kGrh + 299);  // too short for 300 bytes, and for 4096
                   d.send(1, 2);
                   discards(2);
                   d.send(4, 1);  // 61 bytes
                   comes(4, 1);
                   post(2, kGrh - 1);  // has no room for the GRH
                   d.send(3, 1);
                   discards(1);
                   post(3, kSlot);
                   d.send(0, 3);  // nothing fits into the first one, so the second is not reached
                   discards(3);
                   CHECK(peer.qp().query().state == driver::QpState::kRts);
                 }}});
    runner.watch().forget();
  }
}

SCHEDULE("F-48", "UD: the payload of a datagram cannot be read, or cannot be written",
         "LOC_PROT_ERR and SQE, the rest flushes; QpFatal and ERR at the receiver alone") {
  ScheduleRunner runner;
  runner.run(
      {{0, [&](Node&) {
          Datagrams d(runner, kMiddle);
          Side peer(runner.world().node(1), kMiddle);
          for (unsigned i = 0; i < kReceives; ++i) peer.qp().receive(peer.into(i));
          d.to(peer);
          driver::MemoryRegion broken(d.self.pd, kSlot, driver::access::kAll);
          d.self.node.poison(broken.address(), kSlot);
          driver::SendRequest list[] = {d.work(1), d.work(2), d.work(4)};
          list[1].sges = {broken.sge(0, 300)};
          CHECK(d.self.qp().post_send(list, 3));
          for (const Status status : {Status::kSuccess, Status::kLocProtErr, Status::kWrFlushErr}) {
            const auto done = d.self.send_cq.wait(kWaitNs);
            REQUIRE(done);
            CHECK(std::string(driver::name_of(done->status)) == driver::name_of(status));
          }
          CHECK(d.self.qp().query().state == driver::QpState::kSqe);
          d.settle();
          // The RTL has sent what follows before it knows that a payload could not be read.
          const auto first = peer.receive_cq.poll();
          REQUIRE(first);
          CHECK(first->imm == 1);
          if (const auto next = peer.receive_cq.poll()) {
            CHECK(next->imm == 4);
            CHECK(next->byte_len == kGrh + 61);
            CHECK(first_wrong(peer.data(kSlot + kGrh), 61, 5) == 61);
          }
          CHECK_FALSE(peer.receive_cq.poll());
          CHECK(peer.qp().query().state == driver::QpState::kRts);
        }}});
  runner.watch().forget();
  runner.run({{0, [&](Node&) {
                 Datagrams d(runner, kMiddle);
                 Side peer(runner.world().node(1), kMiddle), other(runner.world().node(1), kMiddle);
                 driver::MemoryRegion broken(peer.pd, kSlot, driver::access::kAll);
                 peer.node.poison(broken.address() + kGrh, kSlot - kGrh);
                 peer.qp().receive({0, {broken.sge(0, kSlot)}});
                 other.qp().receive(other.into(0));
                 driver::EventQueue& events = peer.node.context().events();
                 while (events.poll()) {
                 }
                 d.to(peer);
                 d.send(1, 1);
                 unsigned fatal = 0;
                 while (const auto event = events.wait(100'000)) {
                   fatal += event->kind == driver::EventKind::kQpFatal &&
                            event->number == peer.qp().number();
                 }
                 CHECK(fatal == 1);
                 CHECK(peer.qp().query().state == driver::QpState::kErr);
                 CHECK(d.self.qp().query().state == driver::QpState::kRts);
                 const auto got = peer.receive_cq.wait(100'000);
                 REQUIRE(got);
                 CHECK_FALSE(got->ok());
                 d.to(other);
                 d.send(2, 1);
                 unsigned receive = 0;
                 arrived(other, {2}, d.self.qp().number(), &receive);
               }}});
}

SCHEDULE("F-49", "UD: in a group one has no receive, one a short one, one another Q_Key",
         "each of the others gets every datagram; a lost one is lost for all, a copy comes twice") {
  ScheduleRunner runner;
  const driver::Gid group = driver::gid_of_ipv4(0xEF010203);
  constexpr std::uint64_t kGroupMac = 0x01005E010203;  // RFC 1112
  runner.run({{0, [&](Node&) {
                 Datagrams d(runner, 0xFFFFFE);
                 Node& node = runner.world().node(1);
                 Side a(node, kMiddle), none(node, kMiddle), b(node, kMiddle), brief(node, kMiddle),
                     key(node, kMiddle), outside(node, kMiddle);
                 for (Side* side : {&a, &none, &b, &brief, &key}) side->qp().attach(group);
                 for (Side* side : {&a, &b, &key, &outside}) {
                   for (unsigned i = 0; i < kReceives; ++i) side->qp().receive(side->into(i));
                 }
                 brief.qp().receive(brief.into(0, kGrh + 61));
                 driver::QpAttributes attributes;
                 attributes.qkey = kQkey + 1;
                 key.qp().modify(attributes, driver::mask::kQkey);
                 d.to(kGroupQpn, group, kGroupMac);
                 d.fault(FaultKind::kDrop, 1);
                 d.fault(FaultKind::kDuplicate, 2);
                 const driver::PortCounters before = port_of(a);
                 d.send(0, 5);
                 unsigned in_a = 0, in_b = 0, in_brief = 0;
                 arrived(a, {0, 2, 2, 3, 4}, d.self.qp().number(), &in_a);
                 arrived(b, {0, 2, 2, 3, 4}, d.self.qp().number(), &in_b);
                 arrived(brief, {0}, d.self.qp().number(), &in_brief);
                 for (Side* side : {&none, &key, &outside}) {
                   CHECK_FALSE(side->receive_cq.poll());
                   CHECK(side->qp().query().state == driver::QpState::kRts);
                 }
                 const driver::PortCounters after = port_of(a);
                 CHECK(after.qkey_violations - before.qkey_violations == 5);
                 CHECK(after.discards - before.discards == 5 + 4);
                 d.faults_fired();
                 for (Side* side : {&a, &none, &b, &brief, &key}) side->qp().detach(group);
               }}});
}
