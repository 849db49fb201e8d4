// Frames: Ethernet, IP and UDP.
#include <set>

#include "testbench/conform/connection.hpp"
#include "testbench/conform/edit.hpp"

namespace roci::conform {
using namespace packet;

namespace {

constexpr std::uint8_t kIpv6Index = 1;

Options& on_ipv6(Options& o) {
  o.sgid_index = kIpv6Index;
  return o;
}

/// A good SEND of 100 bytes at the PSN expected.
Builder good_send(Connection& c) { return c.send_request(kRcSendOnly, c.rq(0), payload_of(100)); }

}  // namespace

TEST("WIRE-01 WIRE-08", "the family of frames follows the GIDs") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
    });
    c.receive(100);
    c.send(10);
    c.feed(good_send(c));
    for (unsigned i = 0; i < 2; ++i) {
      const auto frame = c.next();
      require(frame.has_value(), "a SEND and an ACK", "silence");
      const Parsed p = frame->parsed();
      same("EtherType", p.ethernet().ethertype(), ipv6 ? 0x86DD : 0x0800);
      require(p.dst() == c.peer_gid(), "the peer's GID as destination", to_string(p.dst()));
      require(p.src() == dut.adapter().gid(ipv6 ? 1 : 0), "the own GID as source",
              to_string(p.src()));
    }
    c.ack(c.sq(0));
    c.sent();
    c.received();
  }
}

TEST("WIRE-01", "a RoCE v1 frame for a GID of RoCE v2 is not taken") {
  Connection c(dut, [](Options& o) { on_ipv6(o); });
  c.receive(100);
  dut.drops_silently(good_send(c).roce_v1(), "a RoCE v1 frame");
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-01", "a GID of RoCE v1 speaks RoCE v1 and takes nothing else") {
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

TEST("WIRE-02 WIRE-03", "a GID on a VLAN tags its frames and takes none of another") {
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
    c.expect(answer(kAck, c.rq(0)).with(vlan(100, 3)));
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

TEST("WIRE-02", "a GID without VLAN takes no tagged frame") {
  Connection c(dut);
  c.receive(100);
  Builder tagged = good_send(c);
  dut.drops_silently(tagged.vlan(100), "a tagged frame");
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-04", "the IPv4 header of a SEND and of an ACK") {
  Connection c(dut);
  c.receive(100);
  c.send(61);
  c.feed(good_send(c));
  for (unsigned i = 0; i < 2; ++i) {
    const auto frame = c.next();
    require(frame.has_value(), "a SEND and an ACK", "silence");
    const std::uint8_t* ip = frame->bytes.data() + 14;
    same("version and IHL", ip[0], 0x45);
    same("flags and offset", ip[6] << 8 | ip[7], 0x4000);
    same("protocol", ip[9], 17);
    same("total length", static_cast<unsigned>(ip[2] << 8 | ip[3]), frame->bytes.size() - 14);
    unsigned sum = 0;
    for (unsigned k = 0; k < 20; k += 2) sum += static_cast<unsigned>(ip[k] << 8 | ip[k + 1]);
    same("sum of the header", (sum & 0xFFFF) + (sum >> 16), 0xFFFF);
  }
  c.ack(c.sq(0));
  c.sent();
  c.received();
}

TEST("WIRE-05", "IPv4 with options or fragmented is not taken for RoCE") {
  Connection c(dut);
  c.receive(100);
  Edit more(good_send(c));
  more.ipv4().set_flags(1);
  dut.takes_no_notice(more.sealed(), "a first fragment");
  Edit offset(good_send(c));
  offset.ipv4().set_flags(0);
  offset.ipv4().set_fragment_offset(185);
  dut.takes_no_notice(offset.sealed(), "a later fragment");
  // Four bytes of no-operation options.
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

TEST("WIRE-07", "IPv6 goes straight to UDP, and nothing else is taken") {
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
  // Hop-by-hop header of 8 bytes: next header UDP, PadN.
  Edit hop(good_send(c));
  const Bytes header = {17, 0, 1, 4, 0, 0, 0, 0};
  hop.frame().insert(hop.frame().begin() + static_cast<std::ptrdiff_t>(hop.udp_at()),
                     header.begin(), header.end());
  hop.ipv6().set_next_header(0);
  hop.ipv6().set_payload_length(static_cast<std::uint16_t>(hop.ipv6().payload_length() + 8));
  dut.takes_no_notice(hop.as_it_is(), "a hop-by-hop header");
  c.still_works(c.rq(0), c.sq(1));
}

TEST("WIRE-09 WIRE-10", "traffic class and hop limit are as given, on requests and answers") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
      o.traffic_class = 0x6A;
      o.hop_limit = 7;
    });
    c.receive(100);
    c.send(10);
    c.feed(good_send(c));
    for (unsigned i = 0; i < 2; ++i) {
      const auto frame = c.next();
      require(frame.has_value(), "a SEND and an ACK", "silence");
      same("traffic class", frame->parsed().traffic_class(), 0x6A);
      same("hop limit", frame->parsed().hop_limit(), 7);
    }
  }
}

TEST("WIRE-11 WIRE-14", "the flow label stands in IPv6 and makes the source port") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
      o.flow_label = 0x12345;
    });
    c.send(10);
    const Frame frame = c.expect(packet_of(kRcSendOnly, c.sq(0)));
    if (ipv6) same("flow label", frame.parsed().ipv6_header().flow_label(), 0x12345);
    same("source port", frame.parsed().udp().src_port(), 0xE341);
  }
}

TEST("WIRE-12", "everything goes to port 4791 and nothing is taken at another") {
  Connection c(dut);
  c.receive(100);
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
  c.ack(c.sq(0));
  c.sent();
  c.feed(good_send(c));
  c.expect(answer(kAck, c.rq(0)));
  c.received();
  for (const Frame& frame : dut.adapter().sent()) {
    const Parsed p = frame.parsed();
    if (p.has_bth && !p.roce_v1) same("destination port", p.udp().dst_port(), 4791);
  }
  Edit other(c.send_request(kRcSendOnly, c.rq(1), payload_of(10)));
  other.udp().set_dst_port(4790);
  dut.takes_no_notice(other.sealed(), "a frame to port 4790");
  c.still_works(c.rq(1), c.sq(1));
}

TEST("WIRE-13", "source ports are in range, constant for a connection, and spread") {
  driver::CompletionQueue send_cq(dut.context(), 64), receive_cq(dut.context(), 64);
  std::set<unsigned> ports;
  std::vector<std::unique_ptr<Connection>> connections;
  for (unsigned i = 0; i < 100; ++i) {
    connections.push_back(std::make_unique<Connection>(dut, [&](Options& o) {
      o.send_cq = &send_cq;
      o.receive_cq = &receive_cq;
      o.qp.send_entries = o.qp.receive_entries = 4;
      o.timeout = 4;
    }));
    Connection& c = *connections.back();
    c.write(600);
    std::set<unsigned> own;
    for (unsigned k = 0; k < 9; ++k) {  // three packets, and twice more by the timer
      const auto frame = c.next(1_ms);
      require(frame.has_value(), "nine packets", "silence");
      own.insert(frame->parsed().udp().src_port());
    }
    c.ack(c.sq(2));
    same("source ports of a connection", own.size(), 1);
    require(*own.begin() >= 0xC000, "a port from 0xC000 on", hex(*own.begin()));
    ports.insert(*own.begin());
    c.sent();
  }
  require(ports.size() >= 90, "at least 90 different ports", std::to_string(ports.size()));
}

TEST("WIRE-15", "any source port is taken, also one that changes") {
  Connection c(dut);
  c.receive(600);
  Builder first = c.send_request(kRcSendFirst, c.rq(0), payload_of(256));
  Builder last = c.send_request(kRcSendLast, c.rq(1), payload_of(100));
  c.feed(first.src_port(1000));
  c.feed(last.src_port(0xFFFF));
  same("byte_len", c.received().byte_len, 356);
}

TEST("WIRE-16", "the UDP checksum is sent as 0 and taken as 0 or right") {
  for (const bool ipv6 : {false, true}) {
    Connection c(dut, [=](Options& o) {
      if (ipv6) on_ipv6(o);
    });
    c.receive(100);
    c.receive(100);
    c.send(10);
    same("UDP checksum", c.expect(packet_of(kRcSendOnly, c.sq(0))).parsed().udp().checksum(), 0);
    c.ack(c.sq(0));
    c.sent();
    const auto with_sum = [&](const Builder& builder) {
      Edit edit(builder);
      const ByteView frame(edit.frame());
      const ByteView ip = frame.sub(edit.ip_at(), edit.udp_at() - edit.ip_at());
      const ByteView datagram = frame.sub(edit.udp_at(), edit.udp().length());
      edit.udp().set_checksum(static_cast<std::uint16_t>(~udp_sum(ip, datagram, ipv6)));
      return edit;
    };
    const Edit right = with_sum(good_send(c));
    require(Edit(right).udp().checksum() != 0, "a checksum that is not 0");
    dut.feed(right.as_it_is());
    c.received();
    c.expect(answer(kAck, c.rq(0)));
    Edit wrong = with_sum(c.send_request(kRcSendOnly, c.rq(1), payload_of(100)));
    wrong.udp().set_checksum(wrong.udp().checksum() ^ 0x0100);
    dut.drops_silently(wrong.as_it_is(), "a wrong UDP checksum");
    c.feed(c.send_request(kRcSendOnly, c.rq(1), payload_of(100)));
    c.received();
  }
}

TEST("WIRE-17", "a UDP length that disagrees with the IP length is dropped") {
  for (const bool ipv6 : {false, true}) {
    for (const int by : {4, -4}) {
      Connection c(dut, [=](Options& o) {
        if (ipv6) on_ipv6(o);
      });
      c.receive(100);
      Edit edit(good_send(c));
      edit.udp().set_length(static_cast<std::uint16_t>(edit.udp().length() + by));
      dut.drops_silently(edit.sealed(), "a UDP length off by " + std::to_string(by));
      c.still_works(c.rq(0), c.sq(0));
    }
  }
}

TEST("WIRE-18", "bytes behind the datagram are ignored") {
  Connection c(dut);
  c.receive(100);
  c.receive(100);
  Bytes frame = c.send_request(kRcSendOnly, c.rq(0), payload_of(4)).build();
  frame.insert(frame.end(), 6, std::uint8_t{0xEE});
  dut.feed(frame);
  same("byte_len", c.received().byte_len, 4);
  Bytes empty = c.send_request(kRcSendOnly, c.rq(1), {}).build();
  same("bytes of the smallest frame", empty.size(), 58);
  empty.resize(60);
  dut.feed(empty);
  same("byte_len", c.received().byte_len, 0);
  c.expect_acked(c.rq(1));
}

}  // namespace roci::conform
