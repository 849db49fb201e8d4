// SPDX-License-Identifier: Apache-2.0
// Frames: UDP, and bytes after the datagram.
#include <set>

#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/edit.hpp"
#include "testbench/verify/conform/tests/good_send.hpp"

namespace roci::conform {
using namespace packet;

TEST("WIRE-12", "all frames go to port 4791, and none is accepted at another") {
  Connection c(dut);
  c.receive(100);
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
  c.ack(c.sq(0));
  c.sent();
  c.feed(good_send(c));
  c.expect(acknowledge(kAck, c.rq(0)));
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
    for (unsigned k = 0; k < 9; ++k) {  // three packets, retransmitted twice by the timer
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

TEST("WIRE-15", "any source port is accepted, also one that changes") {
  Connection c(dut);
  c.receive(600);
  Builder first = c.send_request(kRcSendFirst, c.rq(0), payload_of(256));
  Builder last = c.send_request(kRcSendLast, c.rq(1), payload_of(100));
  c.feed(first.src_port(1000));
  c.feed(last.src_port(0xFFFF));
  same("byte_len", c.received().byte_len, 356);
}

TEST("WIRE-16", "the UDP checksum is sent as 0 and accepted as 0 or correct") {
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
    c.expect(acknowledge(kAck, c.rq(0)));
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

TEST("WIRE-18", "bytes after the datagram are ignored") {
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
