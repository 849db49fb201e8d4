// SPDX-License-Identifier: Apache-2.0
// Frames: Ethernet, IP and UDP.
#include <set>

#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/edit.hpp"
#include "testbench/verify/conform/tests/good_send.hpp"

namespace roci::conform {
using namespace packet;

TEST("WIRE-01 WIRE-08", "the family of frames follows the GIDs") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
    });
    for (const Frame& frame : send_and_ack(c, 10)) {
      const Parsed p = frame.parsed();
      same("EtherType", p.ethernet().ethertype(), ipv6 ? 0x86DD : 0x0800);
      require(p.dst() == c.peer_gid(), "the peer's GID as destination", to_string(p.dst()));
      require(p.src() == dut.adapter().gid(ipv6 ? 1 : 0), "the adapter's GID as source",
              to_string(p.src()));
    }
    c.ack(c.sq(0));
    c.sent();
    c.received();
  }
}

TEST("WIRE-01", "a RoCE v1 frame for a GID of RoCE v2 is dropped") {
  Connection c(dut, [](Options& o) { on_ipv6(o); });
  c.receive(100);
  dut.drops_silently(good_send(c).roce_v1(), "a RoCE v1 frame");
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-01", "a GID of RoCE v1 sends RoCE v1 and accepts nothing else") {
  driver::Gid gid{};
  gid[0] = 0xFE;
  gid[1] = 0x80;
  gid[15] = 1;
  dut.context().set_gid(2, gid, {}, true);
  {
    Connection c(dut, [](Options& o) {
      o.sgid_index = 2;
      o.roce_v1 = true;
    });
    c.send(10);
    const Frame frame = c.expect(packet_of(kRcSendOnly, c.sq(0)));
    same("EtherType", frame.parsed().ethernet().ethertype(), 0x8915);
    c.ack(c.sq(0));
    c.sent();
    dut.drops_silently(good_send(c).roce_v1(false), "a RoCE v2 frame");
    c.still_works(c.rq(0), c.sq(1));
  }
  dut.context().set_gid(2, {});
}

TEST("WIRE-02 WIRE-03", "a GID on a VLAN tags its frames and accepts none of another VLAN") {
  dut.context().set_gid(2, driver::gid_of_ipv4(0x0A010001), 100);
  {
    Connection c(dut, [](Options& o) {
      o.sgid_index = 2;
      o.vlan = 100;
      o.sl = 3;
    });
    c.receive(100);
    c.send(10);
    c.expect(packet_of(kRcSendOnly, c.sq(0)).with(vlan(100, 3)));
    c.ack(c.sq(0));
    c.sent();
    c.feed(good_send(c));
    c.expect(acknowledge(kAck, c.rq(0)).with(vlan(100, 3)));
    c.received();
    const Builder next = c.send_request(kRcSendOnly, c.rq(1), payload_of(10));
    Builder other = next, none = c.write_request(kRcWriteOnly, c.rq(1), payload_of(10));
    dut.drops_silently(other.vlan(101), "a frame of another VLAN");
    Edit untagged(none);
    untagged.frame().erase(untagged.frame().begin() + 12, untagged.frame().begin() + 16);
    dut.drops_silently(untagged.as_it_is(), "a frame without tag");
    c.still_works(c.rq(1), c.sq(1));
  }
  dut.context().set_gid(2, {});
}

TEST_THAT_NEEDS(with(layout::Option::kNetworks), "WIRE-02",
                "a GID without VLAN accepts no tagged frame") {
  Connection c(dut);
  c.receive(100);
  Builder tagged = good_send(c);
  dut.drops_silently(tagged.vlan(100), "a tagged frame");
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-04", "the IPv4 header of a SEND and of an ACK") {
  Connection c(dut);
  for (const Frame& frame : send_and_ack(c, 61)) {
    const std::uint8_t* ip = frame.bytes.data() + 14;
    same("version and IHL", ip[0], 0x45);
    same("flags and offset", ip[6] << 8 | ip[7], 0x4000);
    same("protocol", ip[9], 17);
    same("total length", static_cast<unsigned>(ip[2] << 8 | ip[3]), frame.bytes.size() - 14);
    unsigned sum = 0;
    for (unsigned k = 0; k < 20; k += 2) sum += static_cast<unsigned>(ip[k] << 8 | ip[k + 1]);
    same("sum of the header", (sum & 0xFFFF) + (sum >> 16), 0xFFFF);
  }
  c.ack(c.sq(0));
  c.sent();
  c.received();
}

TEST("WIRE-05", "IPv4 with options or fragmented is not treated as RoCE") {
  Connection c(dut);
  c.receive(100);
  Edit more(good_send(c));
  more.ipv4().set_flags(1);
  dut.takes_no_notice(more.sealed(), "a first fragment");
  Edit offset(good_send(c));
  offset.ipv4().set_flags(0);
  offset.ipv4().set_fragment_offset(185);
  dut.takes_no_notice(offset.sealed(), "a later fragment");
  // The options are four bytes of no-operation.
  Edit plain(good_send(c));
  plain.ipv4().set_ihl(6);
  plain.ipv4().set_total_length(static_cast<std::uint16_t>(plain.ipv4().total_length() + 4));
  plain.frame().insert(plain.frame().begin() + static_cast<std::ptrdiff_t>(plain.udp_at()), 4,
                       std::uint8_t{1});
  plain.ipv4().set_checksum(0);
  plain.ipv4().set_checksum(ipv4_checksum(ByteView(plain.frame()).sub(plain.ip_at(), 24)));
  dut.takes_no_notice(plain.as_it_is(), "a frame with IPv4 options");
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-06", "a wrong IPv4 checksum or a short total length is dropped") {
  Connection c(dut);
  c.receive(100);
  Edit sum(good_send(c));
  sum.ipv4().set_checksum(sum.ipv4().checksum() ^ 1);
  dut.drops_silently(sum.as_it_is(), "a wrong IPv4 checksum");
  Edit length(good_send(c));
  length.ipv4().set_total_length(static_cast<std::uint16_t>(length.ipv4().total_length() - 4));
  dut.drops_silently(length.sealed(), "a total length 4 too short");
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-07", "IPv6 is followed by UDP directly, and nothing else is accepted") {
  Connection c(dut, [](Options& o) { on_ipv6(o); });
  c.receive(100);
  c.send(61);
  const auto frame = c.next();
  require(frame.has_value(), "a SEND", "silence");
  const std::uint8_t* ip = frame->bytes.data() + 14;
  same("version", ip[0] >> 4, 6);
  same("next header", ip[6], 17);
  same("payload length", static_cast<unsigned>(ip[4] << 8 | ip[5]), frame->bytes.size() - 54);
  same("UDP length", static_cast<unsigned>(ip[44] << 8 | ip[45]), frame->bytes.size() - 54);
  c.ack(c.sq(0));
  c.sent();
  // A hop-by-hop header of 8 bytes: next header UDP, PadN.
  Edit hop(good_send(c));
  const Bytes header = {17, 0, 1, 4, 0, 0, 0, 0};
  hop.frame().insert(hop.frame().begin() + static_cast<std::ptrdiff_t>(hop.udp_at()),
                     header.begin(), header.end());
  hop.ipv6().set_next_header(0);
  hop.ipv6().set_payload_length(static_cast<std::uint16_t>(hop.ipv6().payload_length() + 8));
  dut.takes_no_notice(hop.as_it_is(), "a hop-by-hop header");
  c.still_works(c.rq(0), c.sq(1));
}

TEST("WIRE-09", "the traffic class is as configured, on requests and responses") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
      o.traffic_class = 0x6A;
    });
    for (const Frame& frame : send_and_ack(c, 10)) {
      same("traffic class", frame.parsed().traffic_class(), 0x6A);
    }
  }
}

TEST("WIRE-10", "the hop limit is as configured, on requests and responses") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
      o.hop_limit = 7;
    });
    for (const Frame& frame : send_and_ack(c, 10)) {
      same("hop limit", frame.parsed().hop_limit(), 7);
    }
  }
}

TEST("WIRE-11", "the flow label is in the IPv6 header") {
  Connection c(dut, [](Options& o) {
    on_ipv6(o);
    o.flow_label = 0x12345;
  });
  for (const Frame& frame : send_and_ack(c, 10)) {
    same("flow label", frame.parsed().ipv6_header().flow_label(), 0x12345);
  }
}

TEST("WIRE-14", "the flow label selects the source port") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
      o.flow_label = 0x12345;
    });
    c.send(10);
    const Frame frame = c.expect(packet_of(kRcSendOnly, c.sq(0)));
    same("source port", frame.parsed().udp().src_port(), 0xE341);
  }
}
}  // namespace roci::conform
