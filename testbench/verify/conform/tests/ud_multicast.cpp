// SPDX-License-Identifier: Apache-2.0
// Datagrams to multicast groups. The MAC addresses are those of RFC 1112 (6.4) and RFC 2464 (7).
#include <set>

#include "testbench/verify/conform/tests/unreliable.hpp"

namespace roci::conform {
using namespace packet;

namespace {

constexpr std::size_t kGrh = 40;
constexpr std::uint32_t kMulticastQpn = 0xFFFFFF;

using Datagrams = Unreliable<driver::Service::kUd>;

struct Group {
  const char* text;
  driver::Gid gid;
  Mac mac;
};

driver::Gid ipv6_group(std::uint32_t low) {
  driver::Gid gid{0xFF, 0x0E};
  for (unsigned i = 0; i < 4; ++i) gid[12 + i] = static_cast<std::uint8_t>(low >> (24 - 8 * i));
  return gid;
}

// Both IPv4 groups of 23 equal low bits have one MAC address.
const Group kGroup = {"224.0.0.251", driver::gid_of_ipv4(0xE00000FB), 0x01005E0000FB};
const Group kSameMac = {"239.128.0.251", driver::gid_of_ipv4(0xEF8000FB), 0x01005E0000FB};
const Group kHigh = {"239.255.255.250", driver::gid_of_ipv4(0xEFFFFFFA), 0x01005E7FFFFA};
const Group kIpv6 = {"ff0e::8182:8384", ipv6_group(0x81828384), 0x333381828384};

Builder to_group(Datagrams& c, Fixture& dut, const Group& group, std::uint32_t psn,
                 const Bytes& data) {
  const driver::Gid own = c.options().sgid_index == 0 ? c.peer_gid() : dut.adapter().gid(1);
  return c.datagram(kUdSendOnly, psn, data)
      .ethernet(group.mac, Connection::kPeerMac)
      .gids(own, group.gid)
      .bth(kUdSendOnly, kMulticastQpn, transport::Psn(psn));
}

void delivered(Fixture& dut, Connection& c, const Bytes& data, std::size_t at,
               std::uint32_t source) {
  const Completion done = c.received();
  same("byte_len", done.byte_len, kGrh + data.size());
  same("source queue pair", done.src_qp, source);
  require(std::equal(data.begin(), data.end(), dut.local(at + kGrh)), "the payload", "other bytes");
}

/// The frame that the adapter sent last.
Frame last_sent(Fixture& dut, std::size_t before) {
  require(dut.wait([&] { return dut.adapter().sent().size() > before; }, 100_us), "a frame",
          "none");
  return dut.adapter().sent().back();
}

}  // namespace

TEST_THAT_NEEDS(kGroups, "UD-10", "a datagram to a group reaches every queue pair attached") {
  Datagrams a(dut), b(dut), outside(dut);
  Datagrams other_key(dut, [](Options& o) { o.qkey = 0x55AA; });
  for (Datagrams* one : {&a, &b, &other_key}) one->qp().attach(kGroup.gid);
  a.qp().attach(kGroup.gid);  // again: one copy nevertheless
  std::size_t at = 0;
  for (Datagrams* one : {&a, &b, &other_key, &outside}) {
    one->receive(2048, at);
    one->receive(2048, at + 2048);
    at += 4096;
  }
  const auto violations = [&] {
    return dut.adapter().in_bench() ? dut.context().port_counters().qkey_violations : 0;
  };
  const std::uint64_t before = violations();
  const Bytes data = payload_of(300, 1), next = payload_of(44, 2);
  dut.feed(to_group(a, dut, kGroup, 5, data));
  delivered(dut, a, data, 0, a.peer_number());
  delivered(dut, b, data, 4096, a.peer_number());
  if (dut.adapter().in_bench()) same("violations", violations(), before + 1);
  other_key.no_completion();
  outside.no_completion();
  b.qp().detach(kGroup.gid);
  dut.feed(to_group(a, dut, kGroup, 6, next));
  delivered(dut, a, next, 2048, a.peer_number());
  b.no_completion(10_us);
  a.no_completion();
}

TEST_THAT_NEEDS(kGroups, "UD-10", "the address of a group gives the MAC address of a frame") {
  Datagrams c(dut), d(dut, [](Options&o) { o.sgid_index = 1; });
  for (const auto& [from, group] :
       {std::pair{&c, kGroup}, {&c, kSameMac}, {&c, kHigh}, {&d, kIpv6}}) {
    driver::Address address = from->peer_address();
    address.dgid = group.gid;
    address.dst_mac = 0;
    const driver::AddressHandle handle(dut.pd(), address);
    driver::SendRequest request = from->work(Opcode::kSend, 64);
    request.ah = handle.number();
    request.remote_qpn = kMulticastQpn;
    const std::size_t before = dut.adapter().sent().size();
    from->post(request);
    const Frame frame = last_sent(dut, before);
    const Parsed p = frame.parsed();
    same(std::string("MAC of ") + group.text, Ethernet(frame.bytes.data()).dst_mac(), group.mac);
    require(p.dst() == group.gid, group.text, "another destination");
    same("queue pair", p.bth().dest_qp(), kMulticastQpn);
    from->sent();
  }
}

TEST_THAT_NEEDS(kGroups, "UD-10",
                "attached queue pairs of the sender's adapter get its datagrams") {
  Datagrams a(dut), b(dut);
  driver::Address address = a.peer_address();
  address.dgid = kGroup.gid;
  address.dst_mac = 0;
  const driver::AddressHandle handle(dut.pd(), address);
  const auto send = [&] {
    driver::SendRequest request = a.work(Opcode::kSend, 100, 32768);
    request.ah = handle.number();
    request.remote_qpn = kMulticastQpn;
    a.post(request);
    a.sent();
  };
  const Bytes data = payload_of(100, 3);
  std::copy(data.begin(), data.end(), dut.local(32768));
  a.receive(2048, 0);
  b.receive(2048, 4096);
  const bool counts = dut.adapter().in_bench();
  const std::uint64_t before = counts ? dut.drops() : 0;
  send();  // nobody is attached
  if (counts) same("drops", dut.drops(), before);
  a.qp().attach(kGroup.gid);
  b.qp().attach(kGroup.gid);
  send();
  delivered(dut, a, data, 0, a.number());  // the sender itself too, as with Soft-RoCE
  delivered(dut, b, data, 4096, a.number());
}

TEST_THAT_NEEDS(kGroups, "UD-10 UD-12 WIRE-26", "what is not for the group is dropped") {
  Datagrams a(dut);
  const Bytes data = payload_of(64);
  a.receive(2048);
  dut.drops_silently(to_group(a, dut, kGroup, 0, data), "nobody is attached");
  a.qp().attach(kGroup.gid);
  dut.drops_silently(to_group(a, dut, kSameMac, 0, data), "another group of the same MAC address");
  dut.drops_silently(to_group(a, dut, kGroup, 0, data).vlan(100), "a VLAN");
  dut.drops_silently(to_group(a, dut, kGroup, 0, data).pkey(0x8001), "another partition");
  dut.drops_silently(to_group(a, dut, kGroup, 0, data).gids(a.peer_gid(), dut.adapter().gid(0)),
                     "queue pair 0xFFFFFF at the port's address");
  dut.drops_silently(a.datagram(kUdSendOnly, 0, data).gids(a.peer_gid(), kGroup.gid),
                     "the number of a queue pair at the address of the group");
  for (const std::uint8_t opcode : {kRcSendOnly, kUcSendOnly}) {
    dut.drops_silently(a.send_request(opcode, 0, data)
                           .gids(a.peer_gid(), kGroup.gid)
                           .bth(opcode, kMulticastQpn, transport::Psn(0)),
                       "another service");
  }
  dut.feed(to_group(a, dut, kGroup, 1, data));
  delivered(dut, a, data, 0, a.peer_number());
}

TEST_THAT_NEEDS(kGroups, "UD-10", "attachments: their number, and what is rejected") {
  Datagrams a(dut);
  Connection reliable(dut);
  const auto status_of = [](const std::function<void()>& action) {
    try {
      action();
    } catch (const driver::Error& error) {
      return error.status();
    }
    return driver::AdminStatus::kOk;
  };
  const auto attach = [&](driver::QueuePair& qp, const driver::Gid& gid) {
    return status_of([&] { qp.attach(gid); });
  };
  using driver::AdminStatus;
  require(attach(reliable.qp(), kGroup.gid) == AdminStatus::kBadParameter, "UD alone");
  for (const driver::Gid& gid : {a.peer_gid(), driver::gid_of_ipv4(0xFFFFFFFF), driver::Gid{}}) {
    require(attach(a.qp(), gid) == AdminStatus::kBadParameter, "no group to be rejected");
  }
  require(status_of([&] { a.qp().detach(kGroup.gid); }) == AdminStatus::kBadHandle,
          "a detach without an attachment to be rejected");
  std::set<driver::Gid> groups;
  // How many a foreign adapter has depends on its host.
  const bool all = dut.adapter().in_bench();
  constexpr std::uint32_t kLeast = 16;
  const std::uint32_t most = all ? dut.context().limits().max_attachments : kLeast;
  require(most >= kLeast, "attachments");
  for (std::uint32_t i = 0; i < most; ++i) {
    groups.insert(driver::gid_of_ipv4(0xE1000000 + i));
    a.qp().attach(driver::gid_of_ipv4(0xE1000000 + i));
  }
  if (all) require(attach(a.qp(), kGroup.gid) == AdminStatus::kNoResource, "a full table");
  require(attach(a.qp(), *groups.begin()) == AdminStatus::kOk, "the same group again");
  for (const driver::Gid& gid : groups) a.qp().detach(gid);
  require(attach(a.qp(), kGroup.gid) == AdminStatus::kOk, "room again");
}

TEST_THAT_NEEDS(mixed(kGroups), "UD-10 UD-03",
                "random datagrams to a group change nothing for others") {
  Datagrams attacked(dut), witness(dut);
  Connection connected(dut);
  attacked.qp().attach(kGroup.gid);
  std::mt19937_64& random = dut.random();
  unsigned posted = 0;
  for (unsigned round = 0; round < dut.times(100, 50'000); ++round) {
    for (; posted < 4; ++posted) attacked.receive(1024);
    for (unsigned i = 0; i < 20; ++i) {
      Bytes frame =
          to_group(attacked, dut, random() % 4 == 0 ? kSameMac : kGroup,
                   static_cast<std::uint32_t>(random()), payload_of(random() % 1400, random()))
              .deth(random() % 2 == 0 ? attacked.options().qkey
                                      : static_cast<std::uint32_t>(random()),
                    static_cast<std::uint32_t>(random()))
              .build();
      for (unsigned bits = random() % 4; bits != 0; --bits) {
        const std::size_t at = parse(frame).bth_at;
        const std::size_t changed = at + random() % 24;
        if (at != 0 && changed < frame.size()) {
          frame[changed] = static_cast<std::uint8_t>(frame[changed] ^ 1u << random() % 8);
        }
      }
      if (random() % 4 != 0) seal(&frame);
      dut.feed(frame);
    }
    const Bytes data = payload_of(round % 900, round);
    witness.receive(kGrh + 900, 8192);
    witness.feed(witness.datagram(kUdSendOnly, round, data));
    delivered(dut, witness, data, 8192, witness.peer_number());
    while (const auto done = attacked.receive_cq().poll()) {
      require(done->ok() && done->byte_len >= kGrh && done->byte_len <= 1024, "what fits",
              driver::name_of(done->status));
      --posted;
    }
  }
  connected.still_works(connected.rq(0), connected.sq(0));
  attacked.is_in(QpState::kRts);
}

}  // namespace roci::conform
