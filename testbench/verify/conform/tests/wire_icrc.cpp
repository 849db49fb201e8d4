// SPDX-License-Identifier: Apache-2.0
// Frames: pad, lengths and ICRC.
#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/edit.hpp"
#include "testbench/verify/conform/tests/good_send.hpp"

namespace roci::conform {
using namespace packet;

namespace {

/// Computes the CRC-32 of Ethernet bit by bit: the ICRC of 7.8.1 by another method than that of the
/// codec.
std::uint32_t crc_of(const Bytes& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

/// Returns the bytes that the ICRC of an IPv4 datagram covers, from its IP header on.
Bytes covered(Bytes datagram) {
  for (const std::size_t at : {1u, 8u, 10u, 11u, 26u, 27u, 32u}) datagram[at] = 0xFF;
  datagram.insert(datagram.begin(), 8, std::uint8_t{0xFF});
  return datagram;
}

}  // namespace

TEST("WIRE-32", "pad fills to four bytes, is 0 when sent and ignored when received") {
  Connection c(dut);
  const struct { unsigned bytes, pad; } cases[] = {{1, 3}, {2, 2}, {3, 1}, {61, 3}, {64, 0}};
  std::int64_t at = 0;
  for (const auto& one : cases) {
    std::fill(dut.local(), dut.local(512), std::uint8_t{0xFF});
    c.send(one.bytes);
    const Frame frame = c.expect(packet_of(kRcSendOnly, c.sq(at)));
    const Parsed p = frame.parsed();
    same("pad count", p.bth().pad_count(), one.pad);
    for (const std::uint8_t byte : p.pad) same("pad byte", byte, 0);
    c.ack(c.sq(at));
    c.sent();

    std::fill(dut.local(), dut.local(512), std::uint8_t{0xA5});
    c.receive(512);
    Edit edit(c.send_request(kRcSendOnly, c.rq(at), payload_of(one.bytes)));
    for (std::size_t i = 0; i < one.pad; ++i) edit.frame()[edit.icrc_at() - 1 - i] = 0xFF;
    dut.feed(edit.sealed());
    same("byte_len", c.received().byte_len, one.bytes);
    same("byte after the payload", dut.local(one.bytes)[0], 0xA5);
    c.expect_acked(c.rq(at));
    ++at;
  }
}

TEST("WIRE-33", "packets shorter than their headers state") {
  Connection c(dut);
  c.receive(100);
  Edit pad(c.send_request(kRcSendOnly, c.rq(0), {}));
  pad.bth().set_pad_count(3);
  dut.drops_silently(pad.sealed(), "pad 3 without payload");
  Edit reth(c.write_request(kRcWriteOnly, c.rq(0), {}));
  reth.resize_payload(-8);
  dut.drops_silently(reth.sealed(), "a RETH of 8 bytes");
  Edit aeth(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1));
  aeth.resize_payload(-4);
  dut.drops_silently(aeth.sealed(), "an ACK without AETH");
  for (const int removed :
       {4, 8, 12, 16}) {  // bytes removed of BTH (12) and ICRC (4), down to the UDP header alone
    Edit edit(c.send_request(kRcSendOnly, c.rq(0), {}));
    edit.frame().resize(edit.frame().size() - static_cast<std::size_t>(removed));
    edit.udp().set_length(static_cast<std::uint16_t>(edit.udp().length() - removed));
    edit.ipv4().set_total_length(static_cast<std::uint16_t>(edit.ipv4().total_length() - removed));
    edit.ipv4().set_checksum(0);
    edit.ipv4().set_checksum(ipv4_checksum(ByteView(edit.frame()).sub(edit.ip_at(), 20)));
    dut.drops_silently(edit.as_it_is(), std::to_string(16 - removed) + " bytes of UDP payload");
  }
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-34", "a length that is no multiple of four is never delivered") {
  for (const std::uint8_t opcode : {kRcSendOnly, kRcWriteOnly}) {
    Connection c(dut);
    c.receive(100);
    std::fill(dut.memory().data(), dut.memory().data() + Fixture::kMemory, std::uint8_t{0x5A});
    Edit edit(c.write_request(opcode, c.rq(0), payload_of(64), 0, 61));
    edit.resize_payload(-3);
    edit.bth().set_pad_count(0);
    dut.feed(edit.sealed());
    dut.sleep(10_us);
    const auto frame = c.next(0);
    if (frame) {
      require(frame->parsed().aeth().syndrome() == kNakInvalid, "silence or NAK invalid request");
    }
    const auto done = c.receive_cq().poll();
    require(!done || !done->ok(), "no successful completion", "one");
    for (std::size_t i = 0; i < Fixture::kMemory; ++i) same("byte", dut.local(i)[0], 0x5A);
  }
}

TEST("WIRE-35", "bytes after an opcode without payload") {
  struct Case {
    const char* what;
    std::uint8_t opcode;
    int extra;
  };
  for (const Case& one :
       {Case{"a READ request", kRcReadRequest, 8}, Case{"an atomic", kRcFetchAdd, 8},
        Case{"a compare-and-swap", kRcCmpSwap, 4}}) {
    Connection c(dut);
    Edit edit(one.opcode == kRcReadRequest ? c.read_request(c.rq(0), 10)
                                           : c.atomic_request(one.opcode, c.rq(0), 5));
    edit.resize_payload(one.extra);
    dut.feed(edit.sealed());
    const auto frame = c.next(10_us);
    if (frame) {
      const Parsed p = frame->parsed();
      require(p.bth().opcode() == kRcAck && p.aeth().syndrome() == kNakInvalid,
              std::string("silence or NAK invalid request for ") + one.what, "another response");
    }
    same("word", dut.target()[0], 0);
  }
  Connection c(dut);
  post_write(c, 0);
  Edit edit(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1));
  edit.resize_payload(4);
  dut.drops_silently(edit.sealed(), "an ACK with 4 bytes more");
  c.ack(c.sq(0));
  c.sent();
}

TEST("WIRE-36 WIRE-39", "the ICRC by a bitwise CRC over known vectors and sent packets") {
  // The vectors were captured from Linux Soft-RoCE: an ACK and a SEND of one byte; the last four
  // bytes are the ICRC.
  for (const char* text :
       {"45000030da69400040114c510a0000020a000001c21112b7001c00001100ffff00000017001000001f000001"
        "6d8f4ead",
        "450000307ee440004011a7d60a0000010a000002c21112b7001c00000430ffff000000178010000161000000"
        "f815cf27"}) {
    const Bytes all = from_hex(text);
    const std::uint32_t crc = crc_of(covered(Bytes(all.begin(), all.end() - 4)));
    for (unsigned i = 0; i < 4; ++i) {
      same("ICRC byte of the vector", crc >> 8 * i & 0xFF, all[all.size() - 4 + i]);
    }
  }
  Connection c(dut);
  c.send(1);
  c.send(600);
  c.read(100, 1024);
  c.fetch_add(3, 2048);
  for (unsigned k = 0; k < 6; ++k) {
    const auto frame = c.next();
    require(frame.has_value(), "six packets", "silence");
    const Bytes datagram(frame->bytes.begin() + 14, frame->bytes.end());
    const std::uint32_t crc = crc_of(covered(Bytes(datagram.begin(), datagram.end() - 4)));
    for (unsigned i = 0; i < 4; ++i) {
      same("ICRC byte", datagram[datagram.size() - 4 + i], crc >> 8 * i & 0xFF);
    }
  }
}

TEST("WIRE-37", "fields that a path may change over IPv4 without breaking the ICRC, and others") {
  Connection c(dut);
  for (unsigned i = 0; i < 4; ++i) c.receive(100);
  const auto resum = [](Edit& edit) {
    edit.ipv4().set_checksum(0);
    edit.ipv4().set_checksum(ipv4_checksum(ByteView(edit.frame()).sub(edit.ip_at(), 20)));
    return edit.as_it_is();
  };
  Edit tos(good_send(c, 0));
  tos.ipv4().set_tos(0xFF);
  dut.feed(resum(tos));
  c.received();
  Edit ttl(good_send(c, 1));
  ttl.ipv4().set_ttl(1);
  dut.feed(resum(ttl));
  c.received();
  Edit fecn(good_send(c, 2));
  fecn.bth().set_fecn(true);
  dut.feed(fecn.as_it_is());
  c.received();
  c.expect_acked(c.rq(2));
  Edit id(good_send(c, 3));
  id.ipv4().set_identification(0x1234);
  dut.drops_silently(resum(id), "another identification");
  Edit flags(good_send(c, 3));
  flags.ipv4().set_flags(0);
  dut.drops_silently(resum(flags), "other flags");
}

TEST("WIRE-38", "fields that a path may change over IPv6 without breaking the ICRC, and others") {
  Connection c(dut, [](Options& o) { o.sgid_index = 1; });
  for (unsigned i = 0; i < 2; ++i) c.receive(100);
  Edit edit(good_send(c, 0));
  edit.ipv6().set_traffic_class(0xAB);
  edit.ipv6().set_flow_label(0x54321);
  edit.ipv6().set_hop_limit(1);
  edit.bth().set_becn(true);
  dut.feed(edit.as_it_is());
  c.received();
  c.expect_acked(c.rq(0));
  Edit psn(good_send(c, 2));
  psn.bth().set_psn(c.rq(1));
  dut.drops_silently(psn.as_it_is(), "another PSN");
  // finish() checks the sent frames with the codec; this one also varies the flow label.
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
}

TEST("WIRE-40", "a wrong ICRC is dropped silently, in requests and responses") {
  Connection c(dut);
  c.receive(100);
  Edit one(good_send(c));
  one.frame().back() ^= 0x80;
  dut.drops_silently(one.as_it_is(), "one wrong ICRC bit");
  Edit zero(good_send(c));
  std::fill(zero.frame().end() - 4, zero.frame().end(), std::uint8_t{0});
  dut.drops_silently(zero.as_it_is(), "an ICRC of 0");
  Edit reversed(good_send(c));
  std::reverse(reversed.frame().end() - 4, reversed.frame().end());
  dut.drops_silently(reversed.as_it_is(), "an ICRC byte-reversed");
  Edit bit(good_send(c));
  bit.frame()[bit.bth_at() + 20] ^= 1;
  dut.drops_silently(bit.as_it_is(), "one wrong payload bit");
  post_write(c, 0);
  Edit ack(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1));
  ack.frame().back() ^= 1;
  dut.drops_silently(ack.as_it_is(), "an ACK with a wrong ICRC");
  c.ack(c.sq(0));
  c.sent();
}
}  // namespace roci::conform
