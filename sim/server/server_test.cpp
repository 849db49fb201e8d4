// SPDX-License-Identifier: Apache-2.0
// Parts of the server without a simulation: ownership, DMA, the switch.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "model/spec/commands.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "sim/report/files.hpp"
#include "sim/server/client_memory.hpp"
#include "sim/server/external_ports.hpp"
#include "sim/server/ownership.hpp"
#include "sim/server/simulated_time.hpp"
#include "sim/server/switch.hpp"

using namespace roci;
using driver::AdminStatus;
using driver::Body;
using layout::AdminOp;
using layout::Place;
using sim::Owned;
using sim::Ownership;

namespace {

constexpr std::uint32_t kPasid = 0x1234;

/// A process with one object of each kind, all with number 5 (keys: index 5).
Ownership with_all() {
  Ownership owned;
  owned.done(AdminOp::kAllocPd, {}, Body().put(layout::alloc_pd_reply::pd, 5));
  owned.done(AdminOp::kCreateCq, {}, Body().put(layout::create_cq_reply::cqn, 5));
  owned.done(AdminOp::kCreateQp, {}, Body().put(layout::create_qp_reply::qpn, 5));
  owned.done(AdminOp::kCreateSrq, {}, Body().put(layout::create_srq_reply::srqn, 5));
  owned.done(AdminOp::kRegMr, {}, Body().put(layout::reg_mr_reply::key, 0x501));
  owned.done(AdminOp::kAllocMw, {}, Body().put(layout::alloc_mw_reply::key, 0x607));
  return owned;
}

Body create_qp(std::uint32_t pd, std::uint32_t send, std::uint32_t receive) {
  return Body()
      .put(layout::create_qp::pd, pd)
      .put(layout::create_qp::send_cqn, send)
      .put(layout::create_qp::recv_cqn, receive)
      .put(layout::create_qp::pasid, 99);
}

packet::Bytes frame(std::uint64_t to, std::uint8_t mark) {
  packet::Bytes bytes(60, mark);
  for (unsigned i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(to >> (40 - 8 * i));
  return bytes;
}

}  // namespace

TEST_CASE("ownership: a process may use its own objects only") {
  const Ownership owned = with_all();
  Body good = create_qp(5, 5, 5);
  CHECK(owned.check(AdminOp::kCreateQp, good, kPasid).status == AdminStatus::kOk);
  CHECK(good.get(layout::create_qp::pasid) == kPasid);

  for (const auto& [pd, send, receive, field] :
       {std::tuple{6u, 5u, 5u, Place(layout::create_qp::pd)},
        {5u, 6u, 5u, Place(layout::create_qp::send_cqn)},
        {5u, 5u, 6u, Place(layout::create_qp::recv_cqn)}}) {
    Body bad = create_qp(pd, send, receive);
    const auto checked = owned.check(AdminOp::kCreateQp, bad, kPasid);
    CHECK(checked.status == AdminStatus::kBadHandle);
    CHECK(checked.detail == layout::kCommandBodyOffset + field.offset / 8);
  }
  // The shared receive queue is checked when the command uses one.
  Body without = create_qp(5, 5, 5).put(layout::create_qp::srqn, 9);
  CHECK(owned.check(AdminOp::kCreateQp, without, kPasid).status == AdminStatus::kOk);
  Body with = without.put(layout::create_qp::srq, 1);
  CHECK(owned.check(AdminOp::kCreateQp, with, kPasid).status == AdminStatus::kBadHandle);
}

TEST_CASE("ownership: a key is owned by its index, with any variant") {
  const Ownership owned = with_all();
  Body dereg = Body().put(layout::dereg_mr::key, 0x5FF);
  CHECK(owned.check(AdminOp::kDeregMr, dereg, kPasid).status == AdminStatus::kOk);
  Body other = Body().put(layout::dereg_mr::key, 0x701);
  CHECK(owned.check(AdminOp::kDeregMr, other, kPasid).status == AdminStatus::kBadHandle);
  Body rereg = Body().put(layout::rereg_mr::key, 0x501).put(layout::rereg_mr::pd, 8);
  CHECK(owned.check(AdminOp::kReregMr, rereg, kPasid).status == AdminStatus::kOk);
  rereg.put(layout::rereg_mr::what, 2);  // the domain
  CHECK(owned.check(AdminOp::kReregMr, rereg, kPasid).status == AdminStatus::kBadHandle);
}

TEST_CASE("ownership: processes may not write tables of the node") {
  const Ownership owned = with_all();
  for (const AdminOp opcode : {AdminOp::kSetGid, AdminOp::kSetPkey}) {
    Body body;
    CHECK(owned.check(opcode, body, kPasid).status == AdminStatus::kBadOpcode);
  }
  Body body;
  CHECK(owned.check(AdminOp{0}, body, kPasid).status == AdminStatus::kBadOpcode);
  CHECK(owned.check(AdminOp{999}, body, kPasid).status == AdminStatus::kBadOpcode);
}

TEST_CASE("ownership: every command has a rule, or is rejected") {
  const Ownership nothing;
  unsigned open = 0;
  for (const spec::Code& code : spec::kAdminOps) {
    Body body;
    std::memset(body.data(), 0xFF, Body::kBytes);
    const auto status = nothing.check(static_cast<AdminOp>(code.value), body, kPasid).status;
    CHECK_MESSAGE((status == AdminStatus::kOk || status == AdminStatus::kBadHandle ||
                   code.name == "SetGid" || code.name == "SetPkey"),
                  code.name);
    open += status == AdminStatus::kOk;
  }
  // Queries of the device, and commands that create objects without handles.
  CHECK(open == 7);
}

TEST_CASE("ownership: objects are destroyed before the objects that they use") {
  Ownership owned = with_all();
  std::vector<AdminOp> order;
  while (const auto next = owned.destroy_next()) {
    order.push_back(next->opcode);
    if (next->opcode == AdminOp::kDeregMr) {
      CHECK(next->body.get(layout::dereg_mr::key) == 0x501);
    }
  }
  CHECK(order == std::vector<AdminOp>{AdminOp::kDestroyQp, AdminOp::kDestroySrq,
                                      AdminOp::kDeallocMw, AdminOp::kDeregMr, AdminOp::kDestroyCq,
                                      AdminOp::kDeallocPd});
  CHECK(owned.empty());
}

TEST_CASE("switch: frames go to their destination, to all other nodes, or back to the sender") {
  testbench::LinkConfig uplink;
  uplink.delay_ns = 100;
  sim::Switch middle(3, uplink);
  for (unsigned i = 0; i < 3; ++i) middle.set_mac(i, 0x525400000001 + i);
  middle.from(0).inject(0, frame(0x525400000002, 'a'));
  middle.from(0).inject(0, frame(0xFFFFFFFFFFFF, 'b'));
  middle.from(0).inject(0, frame(0x525400000001, 'c'));
  middle.from(0).inject(0, frame(0x525400000009, 'd'));
  CHECK(middle.next_ns() >= 100);
  for (std::uint64_t now = 0; now < 1000; now += 4) middle.forward(now);
  CHECK(middle.next_ns() == testbench::LinkDirection::kNever);
  std::string arrived[3];
  for (unsigned i = 0; i < 3; ++i) {
    packet::Bytes bytes;
    while (middle.to(i).receive(10000, bytes)) arrived[i] += static_cast<char>(bytes[6]);
  }
  CHECK(arrived[0] == "c");
  CHECK(arrived[1] == "ab");
  CHECK(arrived[2] == "b");
  CHECK(middle.drops().unknown == 1);
}

TEST_CASE("switch: a full port drops frames") {
  sim::Switch middle(2, {});
  middle.set_mac(0, 1);
  middle.set_mac(1, 2);
  for (unsigned i = 0; i < 300; ++i) middle.from(0).inject(0, frame(2, 'x'));
  for (std::uint64_t now = 0; now < 100000; now += 4) middle.forward(now);
  CHECK(middle.drops().congested == 300 - 256);
}

TEST_CASE("switch: an external port sends frames to unknown addresses, for its own node alone") {
  sim::Switch middle(2, {});
  middle.set_mac(0, 0x525400000001);
  middle.set_mac(1, 0x525400000002);
  middle.add_external_port(1);
  CHECK_FALSE(middle.has_external_port(0));
  middle.from(1).inject(0, frame(0x525400000009, 'a'));  // unknown address: to the external port
  middle.from(1).inject(0, frame(0xFFFFFFFFFFFF, 'b'));  // group: to n0 and the external port
  middle.from(1).inject(0, frame(0x525400000001, 'c'));  // n0
  middle.from(0).inject(0, frame(0x525400000009, 'd'));  // unknown address: n0 has no external port
  middle.from(0).inject(0, frame(0xFFFFFFFFFFFF, 'e'));  // group: to n1, not to its external port
  middle.arriving(1).inject(0, frame(0x525400000002, 'f'));
  middle.arriving(1).inject(0, frame(0x525400000001, 'g'));  // never to n0, whatever the address
  for (std::uint64_t now = 0; now < 5000; now += 4) middle.forward(now);
  const auto all_of = [](testbench::LinkDirection& channel) {
    std::string marks;
    packet::Bytes bytes;
    while (channel.receive(1000000, bytes)) marks += static_cast<char>(bytes[6]);
    std::sort(marks.begin(), marks.end());
    return marks;
  };
  CHECK(all_of(middle.leaving(1)) == "ab");
  CHECK(all_of(middle.to(0)) == "bc");
  CHECK(all_of(middle.to(1)) == "efg");
  CHECK(middle.drops().unknown == 1);
}

TEST_CASE("switch: a frame from outside does not overtake doorbells that were rung before it") {
  constexpr std::uint64_t kNow = 5000, kDoorbellNs = 400, kAdapterNs = 200;
  sim::Switch middle(1, {});
  middle.set_mac(0, 2);
  middle.add_external_port(0);
  middle.arriving(0).inject(kNow, frame(2, 'x'));
  packet::Bytes bytes;
  std::uint64_t now = kNow;
  for (; now < kNow + 100000 && !middle.to(0).receive(now, bytes); now += 4) middle.forward(now);
  CHECK(now >= kNow + kDoorbellNs + kAdapterNs);
  CHECK(now < kNow + 2000);
}

TEST_CASE("switch: an external port applies back-pressure; no frame is dropped") {
  sim::Switch middle(1, {});
  middle.set_mac(0, 2);
  middle.add_external_port(0);
  for (unsigned i = 0; i < 300; ++i) middle.arriving(0).inject(0, frame(2, 'x'));
  for (std::uint64_t now = 0; now < 100000; now += 4) middle.forward(now);
  CHECK(middle.next_ns() == testbench::LinkDirection::kNever);  // the node must read first
  CHECK(middle.arriving(0).waiting() == 300 - 256);
  packet::Bytes bytes;
  unsigned got = 0;
  for (std::uint64_t now = 100000; now < 300000; now += 4) {
    while (middle.to(0).receive(now, bytes)) ++got;
    middle.forward(now);
  }
  CHECK(got == 300);
  CHECK(middle.drops().congested == 0);
}

TEST_CASE("external ports: each option names a node, each node at most once") {
  const auto why = [](std::vector<std::string> wires, std::vector<std::string> netdevs) {
    try {
      sim::plan_external_ports({std::move(wires), std::move(netdevs), "", 1}, {2, 1});
    } catch (const sim::UserError& error) {
      CHECK(error.status == 2);
      return std::string(error.what());
    }
    return std::string();
  };
  const auto plans =
      sim::plan_external_ports({{"n1=dpdk:net_tap0,iface=x"}, {"n0=tap"}, "", 1}, {2, 1});
  CHECK(plans[0].wire.empty());
  CHECK(plans[0].netdev == "tap");
  CHECK(plans[1].wire == "dpdk:net_tap0,iface=x");
  for (const char* wrong : {"dgram:a,b", "n2=dgram:a,b", "n0", "n0=", "=x", "n00=x", "n-1=x", ""}) {
    CAPTURE(wrong);
    CHECK(why({wrong}, {}).find("names none") != std::string::npos);
    CHECK(why({}, {wrong}).find("names none") != std::string::npos);
  }
  CHECK(why({"n0=a", "n0=b"}, {}).find("has one already") != std::string::npos);
}

TEST_CASE("time: without simulated time, news for processes does not stop the simulation") {
  const std::uint64_t now = 0;
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t look_at = kNever;
  sim::TimeOptions options;
  sim::SimulatedTime real(options, now, look_at);
  real.news();
  CHECK(look_at == kNever);
  options.simulated = true;
  sim::SimulatedTime simulated(options, now, look_at);
  simulated.news();
  CHECK(look_at == 0);
}
