// SPDX-License-Identifier: Apache-2.0
// Datagrams: sending, delivery, what is dropped.
#include "testbench/verify/conform/tests/unreliable.hpp"

namespace roci::conform {
using namespace packet;

namespace {

constexpr std::size_t kGrh = 40;
constexpr unsigned kMost = 4096;

using Datagrams = Unreliable<driver::Service::kUd>;

Bytes bytes_at(Fixture& dut, std::size_t offset, std::size_t count) {
  return Bytes(dut.local(offset), dut.local(offset) + count);
}

/// Takes a delivered datagram and compares it.
Completion delivered(Fixture& dut, Connection& c, const Bytes& payload, std::size_t at = 0) {
  const Completion done = c.received();
  same("byte_len", done.byte_len, kGrh + payload.size());
  require(done.with_grh, "a completion with a GRH", "none");
  require(bytes_at(dut, at + kGrh, payload.size()) == payload, "the payload after the GRH",
          "other bytes");
  return done;
}

/// Sends a datagram that does not fit into the receive of kMost bytes at 0. The receive's own bytes
/// are free for the adapter; ours do not touch them.
void not_delivered(Fixture& dut, Connection& c, const Bytes& payload, const std::string& what) {
  const Bytes frame = c.datagram(kUdSendOnly, 0, payload).build();
  if (dut.adapter().in_bench()) return dut.takes_no_notice(frame, what);
  const Bytes after = bytes_at(dut, kMost, 256);
  dut.feed(frame);
  dut.sleep(10_us);
  require(bytes_at(dut, kMost, 256) == after, "no byte past the buffer by " + what, "written");
  c.no_completion();
  c.is_in(QpState::kRts);
}

std::uint64_t violations(Fixture& dut) { return dut.context().port_counters().qkey_violations; }

}  // namespace

TEST_THAT_NEEDS(kUd, "UD-01", "datagrams of any PSN are delivered, sends count up") {
  Datagrams c(dut);
  for (const std::uint32_t psn : {7u, 7u, 3u}) {
    c.receive(2048);
    const Bytes data = payload_of(100, psn);
    c.feed(c.datagram(kUdSendOnly, psn, data));
    delivered(dut, c, data);
  }
  for (unsigned i = 0; i < 4; ++i) {
    driver::SendRequest request = c.work(i % 2 == 0 ? Opcode::kSend : Opcode::kSendImm, 300 * i);
    request.imm = 0x01020304 + i;
    request.solicited = i == 3;
    c.post(request);
    const Frame frame = c.expect(packet_of(i % 2 == 0 ? kUdSendOnly : kUdSendOnlyImm, c.sq(i)));
    const Parsed p = frame.parsed();
    same("payload", p.payload.size, 300 * i);
    same("source queue pair", p.deth().src_qp(), c.number());
    same("Q_Key", p.deth().qkey(), c.options().qkey);
    same("SE", p.bth().solicited(), i == 3);
    same("AckReq", p.bth().ack_req(), 0);
    if (i % 2 != 0) same("immediate", p.imm_dt().immediate(), 0x01020304 + i);
    c.sent();
  }
}

TEST_THAT_NEEDS(kUd, "UD-01", "opcodes that datagrams do not have are dropped") {
  Datagrams c(dut);
  c.receive(2048);
  for (const std::uint8_t opcode : {kRcSendOnly, kUcSendOnly}) {
    dut.drops_silently(c.send_request(opcode, 0, payload_of(64)), "another service");
  }
  Bytes reserved = c.datagram(kUdSendOnly, 0, payload_of(64)).build();
  reserved[parse(reserved).bth_at] = 0x60;
  require(seal(&reserved), "a BTH");
  dut.drops_silently(reserved, "opcode 0x60");
  const Bytes data = payload_of(64);
  c.feed(c.datagram(kUdSendOnlyImm, 0, data).imm_dt(0xA1B2C3D4));
  const Completion done = delivered(dut, c, data);
  require(done.with_imm, "immediate data", "none");
  same("immediate", done.imm, 0xA1B2C3D4);
}

TEST_THAT_NEEDS(kUd, "UD-02", "the path MTU of the port bounds a datagram") {
  same("path MTU code of the port", dut.context().query_port().active_mtu, 5);
  Datagrams c(dut);
  c.send(kMost);
  same("payload", c.expect(packet_of(kUdSendOnly, c.sq(0))).parsed().payload.size, kMost);
  c.sent();
  c.send(kMost + 1);
  // C10-93.1.1 forbids an error; our engines report one, others may not.
  if (dut.adapter().in_bench()) {
    c.sent(Status::kLocLenErr);
    c.is_in(QpState::kSqe);
  }
  c.expect_silence();
}

TEST_THAT_NEEDS(kUd, "UD-03", "a Q_Key with any bit wrong is dropped and counted") {
  Datagrams c(dut);
  c.receive(2048);
  const std::uint64_t before = violations(dut);
  for (unsigned bit = 0; bit < 32; ++bit) {
    dut.takes_no_notice(c.datagram(kUdSendOnly, bit, payload_of(64))
                            .deth(c.options().qkey ^ 1u << bit, c.peer_number())
                            .build(),
                        "a wrong Q_Key");
    same("violations", violations(dut), before + bit + 1);
  }
  const Bytes data = payload_of(64, 5);
  c.feed(c.datagram(kUdSendOnly, 40, data));
  delivered(dut, c, data);
  // A new Q_Key takes the place of the old one.
  driver::QpAttributes a = c.attributes();
  a.qkey = 0x77;
  c.qp().modify(a, driver::mask::kQkey);
  same("Q_Key of the query", c.qp().query().qkey, 0x77);
  c.receive(2048);
  dut.takes_no_notice(c.datagram(kUdSendOnly, 41, data).build(), "the old Q_Key");
  c.feed(c.datagram(kUdSendOnly, 42, data).deth(0x77, c.peer_number()));
  delivered(dut, c, data);
}

TEST_THAT_NEEDS(kUd, "UD-04", "bit 31 of a request's Q_Key selects the queue pair's") {
  Datagrams c(dut, [](Options& o) { o.qkey = 0x80005A5A; });
  driver::SendRequest request = c.work(Opcode::kSend, 16);
  for (const auto& [given, sent] : {std::pair{0x80000001u, 0x80005A5Au},
                                    {0xFFFFFFFFu, 0x80005A5Au},
                                    {0x7FFFFFFFu, 0x7FFFFFFFu},
                                    {0u, 0u}}) {
    request.qkey = given;
    c.post(request);
    const auto frame = c.next();
    require(frame.has_value(), "a packet", "none");
    same("Q_Key", frame->parsed().deth().qkey(), sent);
    c.sent();
  }
}

TEST_THAT_NEEDS(kUd, "UD-05 UD-06", "datagrams of all sizes over IPv4 and IPv6") {
  for (const std::uint8_t gid : {std::uint8_t{0}, std::uint8_t{1}}) {
    Datagrams c(dut, [=](Options& o) { o.sgid_index = gid; });
    for (const unsigned bytes : {0u, 1u, 3u, 1000u, kMost}) {
      std::fill_n(dut.local(), kGrh + kMost + 64, 0);
      c.receive(kGrh + kMost);
      const Bytes data = payload_of(bytes, bytes + 1);
      const Bytes frame = c.datagram(kUdSendOnly, bytes, data).traffic_class(0x28).build();
      dut.feed(frame);
      delivered(dut, c, data);
      const Parsed p = parse(frame);
      const std::size_t header = p.ipv6 ? 40 : 20;
      require(bytes_at(dut, kGrh - header, header) == p.frame.sub(p.ip_at, header).copy(),
              "the IP header before the payload", "other bytes");
      require(bytes_at(dut, kGrh + bytes, 16) == Bytes(16), "nothing after the payload", "bytes");
    }
  }
}

TEST_THAT_NEEDS(kUd, "UD-05 RSP-54", "datagrams take receives of a shared receive queue") {
  driver::SharedReceiveQueue srq(dut.pd());
  Datagrams a(dut, [&](Options& o) { o.qp.srq = &srq; });
  Datagrams b(dut, [&](Options& o) { o.qp.srq = &srq; });
  for (unsigned i = 0; i < 2; ++i) srq.receive({i + 1, {dut.memory().sge(4096 * i, 4096)}});
  const Bytes first = payload_of(70, 1), second = payload_of(80, 2);
  a.feed(a.datagram(kUdSendOnly, 0, first));
  delivered(dut, a, first);
  b.feed(b.datagram(kUdSendOnly, 0, second));
  same("identifier", delivered(dut, b, second, 4096).id, 2);
}

TEST_THAT_NEEDS(kUd, "UD-07", "any sender is accepted and named") {
  Datagrams c(dut);
  for (std::uint32_t i = 0; i < 3; ++i) {
    c.receive(2048);
    const Bytes data = payload_of(32, i);
    driver::Gid from = c.peer_gid();
    from[15] = static_cast<std::uint8_t>(from[15] + i);
    c.feed(c.datagram(kUdSendOnly, 0, data)
               .deth(c.options().qkey, 5 + i)
               .gids(from, dut.adapter().gid(0)));
    same("source queue pair", delivered(dut, c, data).src_qp, 5 + i);
  }
}

TEST_THAT_NEEDS(kUd, "UD-08", "a datagram without a receive is lost, the next one is not") {
  Datagrams c(dut);
  dut.takes_no_notice(c.datagram(kUdSendOnly, 0, payload_of(64)).build(), "no receive");
  c.receive(2048);
  const Bytes data = payload_of(64, 2);
  c.feed(c.datagram(kUdSendOnly, 1, data));
  delivered(dut, c, data);
}

TEST_THAT_NEEDS(kUd, "UD-09", "a datagram longer than its buffer or the path MTU is dropped") {
  Datagrams c(dut);
  const std::uint64_t id = c.receive(kMost);
  not_delivered(dut, c, payload_of(kMost), "no room for the GRH");
  not_delivered(dut, c, payload_of(kMost - 39), "one byte more");
  const Bytes data = payload_of(kMost - kGrh, 3);
  c.feed(c.datagram(kUdSendOnly, 1, data));
  same("identifier", delivered(dut, c, data).id, id);
  c.receive(8192);
  dut.takes_no_notice(c.datagram(kUdSendOnly, 2, payload_of(kMost + 4)).build(), "over the MTU");
  c.is_in(QpState::kRts);
}

TEST_THAT_NEEDS(kUd, "UD-11", "a failed datagram leads to SQE and from there to RTS") {
  Datagrams c(dut);
  c.receive(2048);
  driver::SendRequest bad = c.work(Opcode::kSend, 64);
  bad.sges[0].key ^= 1;
  c.post(bad);
  c.send(64);
  c.sent_in_error(Status::kLocProtErr);
  c.sent(Status::kWrFlushErr);
  c.is_in(QpState::kSqe);
  c.send(64);
  c.sent(Status::kWrFlushErr);
  dut.expect_no_event(c.number());
  const Bytes data = payload_of(64, 9);
  c.feed(c.datagram(kUdSendOnly, 0, data));
  delivered(dut, c, data);
  c.move(QpState::kRts, driver::mask::kState);
  c.expect_silence();
  c.send(64);
  c.expect(packet_of(kUdSendOnly, c.sq(0)));
  c.sent();
}

TEST_THAT_NEEDS(kUd, "UD-12", "datagrams to another address or partition are dropped") {
  Datagrams c(dut);
  c.receive(2048);
  driver::Gid other = dut.adapter().gid(0);
  other[15] = static_cast<std::uint8_t>(other[15] + 1);
  const Bytes data = payload_of(64);
  dut.drops_silently(c.datagram(kUdSendOnly, 0, data).gids(c.peer_gid(), other), "another address");
  // An adapter without VLANs takes a tagged frame for none of RoCE, and does not count it.
  const Bytes tagged = c.datagram(kUdSendOnly, 0, data).vlan(100).build();
  if (dut.context().limits().lacks(layout::Option::kNetworks)) {
    dut.takes_no_notice(tagged, "a VLAN");
  } else {
    dut.drops_silently(tagged, "a VLAN");
  }
  dut.drops_silently(c.datagram(kUdSendOnly, 0, data).pkey(0x8001), "another partition");
  c.feed(c.datagram(kUdSendOnly, 0, data));
  delivered(dut, c, data);
}

TEST_THAT_NEEDS(kUd, "UD-13", "an address handle is checked when it is used") {
  driver::ProtectionDomain foreign(dut.context());
  const driver::AddressHandle handle(foreign, Datagrams(dut).peer_address());
  std::uint32_t gone = 0;
  {
    Datagrams c(dut);
    const driver::AddressHandle short_lived(dut.pd(), c.peer_address());
    gone = short_lived.number();
    driver::SendRequest request = c.work(Opcode::kSend, 8);
    request.ah = gone;
    c.post(request);
    c.expect(packet_of(kUdSendOnly, c.sq(0)));
    c.sent();
  }
  for (const std::uint32_t number : {handle.number(), gone, 0xFFFFu}) {
    Datagrams c(dut);
    driver::SendRequest request = c.work(Opcode::kSend, 8);
    request.ah = number;
    c.post(request);
    c.sent(Status::kLocQpOpErr);
    c.expect_silence();
  }
}

}  // namespace roci::conform
