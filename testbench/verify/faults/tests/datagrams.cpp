// SPDX-License-Identifier: Apache-2.0
// Datagrams on a link that harms them: each arrives whole or not at all (9.8.3).
#include "testbench/verify/faults/datagrams.hpp"

#include "testbench/verify/faults/registry.hpp"
#include "testbench/verify/faults/variants.hpp"

using namespace roci;
using namespace roci::testbench;
using namespace roci::testbench::faults;

namespace {

using Body = std::function<void(ScheduleRunner&, Datagrams&, Side&, std::uint32_t psn)>;

/// Runs a body with a sender and a receiver with receives, far from the PSN wrap and over it.
void each_psn(ScheduleRunner& runner, const Body& body) {
  for (const std::uint32_t psn : {0xFFFFFEu, kMiddle}) {
    if (!thorough() && psn == kMiddle) continue;
    INFO("first PSN ", psn);
    runner.run({{0, [&](Node&) {
                   Datagrams sender(runner, psn);
                   Side peer(runner.world().node(1), psn);
                   for (unsigned i = 0; i < kReceives; ++i) peer.qp().receive(peer.into(i));
                   sender.to(peer);
                   body(runner, sender, peer, psn);
                   sender.faults_fired();
                   CHECK(sender.self.qp().query().state == driver::QpState::kRts);
                 }}});
    runner.watch().forget();
  }
}

}  // namespace

SCHEDULE("F-45 F-27", "UD: a datagram is lost, comes twice, or comes after those that follow it",
         "the others arrive, each in the next receive; no PSN is expected, nothing is sent twice") {
  ScheduleRunner runner;
  for (unsigned k = 0; k < kBytes.size(); ++k) {
    INFO("fault on message ", k);
    each_psn(runner, [&](ScheduleRunner&, Datagrams& d, Side& peer, std::uint32_t) {
      d.fault(FaultKind::kDrop, k);
      std::vector<unsigned> order = {0, 1, 2, 3, 4};
      order.erase(order.begin() + k);
      unsigned receive = 0;
      d.send(0, 5);
      arrived(peer, order, d.self.qp().number(), &receive);
    });
    for (const bool late : {false, true}) {
      each_psn(runner, [&](ScheduleRunner&, Datagrams& d, Side& peer, std::uint32_t) {
        d.fault(FaultKind::kDuplicate, k, late ? kLateNs : 0);
        std::vector<unsigned> order = {0, 1, 2, 3, 4};
        order.insert(order.begin() + k, k);
        unsigned receive = 0;
        d.send(0, 5, !late);
        arrived(peer, order, d.self.qp().number(), &receive);
      });
    }
    each_psn(runner, [&](ScheduleRunner&, Datagrams& d, Side& peer, std::uint32_t) {
      d.fault(FaultKind::kDelay, k, kLateNs);
      std::vector<unsigned> order = {0, 1, 2, 3, 4};
      order.erase(order.begin() + k);
      order.push_back(k);
      unsigned receive = 0;
      d.send(0, 5);
      arrived(peer, order, d.self.qp().number(), &receive);
    });
  }
}

SCHEDULE("F-46", "UD: a datagram comes with a wrong bit, or with another Q_Key and a right ICRC",
         "a drop for its ICRC, or a Q_Key violation; its receive serves the next") {
  ScheduleRunner runner;
  for (unsigned k = 0; k < kBytes.size(); ++k) {
    INFO("fault on message ", k);
    for (const bool repaired : {false, true}) {
      each_psn(runner, [&](ScheduleRunner&, Datagrams& d, Side& peer, std::uint32_t) {
        d.fault(FaultKind::kReplace, k).replace = [repaired, k](const packet::Parsed& p) {
          packet::Bytes frame = p.frame.copy();
          const std::size_t qkey = p.bth_at + packet::Bth::kBytes;
          frame[qkey + k % 4] ^= static_cast<std::uint8_t>(1u << k);
          if (repaired) packet::seal(&frame);
          return frame;
        };
        const driver::PortCounters before = port_of(peer);
        std::vector<unsigned> order = {0, 1, 2, 3, 4};
        order.erase(order.begin() + k);
        unsigned receive = 0;
        d.send(0, 5);
        arrived(peer, order, d.self.qp().number(), &receive);
        const driver::PortCounters after = port_of(peer);
        CHECK(after.qkey_violations - before.qkey_violations == (repaired ? 1 : 0));
        CHECK(after.discards == before.discards);
      });
    }
  }
}
