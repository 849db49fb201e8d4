// SPDX-License-Identifier: Apache-2.0
// Requester: numbers, order and form of its packets.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

TEST("RQ-01 WIRE-41", "a SEND of four packets over the PSN wrap") {
  Connection c(dut);
  c.send(1000);
  const std::uint8_t opcodes[] = {kRcSendFirst, kRcSendMiddle, kRcSendMiddle, kRcSendLast};
  const std::uint32_t psns[] = {0xFFFFFD, 0xFFFFFE, 0xFFFFFF, 0};
  for (unsigned i = 0; i < 4; ++i) {
    c.expect(packet_of(opcodes[i], psns[i]).with(payload_bytes(i == 3 ? 1000 - 3 * 256 : 256)));
  }
  c.ack(0);
  c.sent();
}

TEST("RQ-02", "a READ uses as many PSNs as it has responses") {
  Connection c(dut, [](Options& o) { o.path_mtu = 2; });
  c.read(3000);
  c.write(10);
  c.expect(packet_of(kRcReadRequest, c.sq(0)).with(reth(dma_length(3000))));
  c.expect(packet_of(kRcWriteOnly, c.sq(6)));
}

TEST("RQ-03", "empty messages and atomics take one PSN") {
  Connection c(dut, [](Options& o) { o.max_rd_atomic = 16; });
  c.send(0);
  c.write(0);
  c.read(0);
  c.fetch_add(1);
  c.cmp_swap(1, 2);
  c.send(1);
  const std::uint8_t opcodes[] = {kRcSendOnly, kRcWriteOnly, kRcReadRequest,
                                  kRcFetchAdd, kRcCmpSwap,   kRcSendOnly};
  for (unsigned i = 0; i < 6; ++i) c.expect(packet_of(opcodes[i], c.sq(i)));
}

TEST("RQ-04", "mixed requests leave in order, packets of two messages never mixed") {
  Connection c(dut, [](Options& o) { o.max_rd_atomic = 16; });
  struct Posted {
    Opcode opcode;
    std::uint32_t bytes;
  };
  const Posted posted[] = {{Opcode::kSend, 600},  {Opcode::kWrite, 300}, {Opcode::kRead, 700},
                           {Opcode::kWrite, 256}, {Opcode::kSend, 0},    {Opcode::kFetchAdd, 8},
                           {Opcode::kSend, 513},  {Opcode::kWrite, 1024}};
  for (const Posted& p : posted) c.post(c.work(p.opcode, p.bytes));
  std::uint32_t psn = 0;
  for (const Posted& p : posted) {
    const std::uint32_t packets = std::max(1u, (p.bytes + 255) / 256);
    if (p.opcode == Opcode::kRead || p.opcode == Opcode::kFetchAdd) {
      c.expect(packet_of(p.opcode == Opcode::kRead ? kRcReadRequest : kRcFetchAdd, c.sq(psn)));
      psn += packets;
      continue;
    }
    const bool send = p.opcode == Opcode::kSend;
    for (std::uint32_t i = 0; i < packets; ++i, ++psn) {
      const bool first = i == 0, last = i + 1 == packets;
      const std::uint8_t opcode = first && last ? (send ? kRcSendOnly : kRcWriteOnly)
                                  : first       ? (send ? kRcSendFirst : kRcWriteFirst)
                                  : last        ? (send ? kRcSendLast : kRcWriteLast)
                                                : (send ? kRcSendMiddle : kRcWriteMiddle);
      c.expect(packet_of(opcode, c.sq(psn)));
    }
  }
}

TEST("RQ-05 WIRE-29 WIRE-31", "immediate data is in the last or only packet") {
  Connection c(dut);
  driver::SendRequest r = c.work(Opcode::kSendImm, 300);
  r.imm = 0x11223344;
  c.post(r);
  c.expect(packet_of(kRcSendFirst, c.sq(0)));
  c.expect(packet_of(kRcSendLastImm, c.sq(1)).with(immediate(0x11223344)));
  r = c.work(Opcode::kSendImm, 30);
  r.imm = 5;
  c.post(r);
  c.expect(packet_of(kRcSendOnlyImm, c.sq(2)).with(immediate(5)));
  r = c.work(Opcode::kWriteImm, 600);
  r.imm = 6;
  c.post(r);
  c.expect(packet_of(kRcWriteFirst, c.sq(3)));
  c.expect(packet_of(kRcWriteMiddle, c.sq(4)));
  c.expect(packet_of(kRcWriteLastImm, c.sq(5)).with(immediate(6)));
  r = c.work(Opcode::kWriteImm, 60);
  r.imm = 7;
  c.post(r);
  c.expect(packet_of(kRcWriteOnlyImm, c.sq(6))
               .with(reth(va(Connection::kRemoteAddress), dma_length(60)))
               .with(immediate(7)));
}

TEST("RQ-06", "the RETH is in the first packet and has the whole length") {
  Connection c(dut);
  c.write(3000);
  c.expect(packet_of(kRcWriteFirst, c.sq(0))
               .with(reth(va(Connection::kRemoteAddress), rkey(Connection::kRemoteKey),
                          dma_length(3000))));
  for (unsigned i = 1; i < 11; ++i) c.expect(packet_of(kRcWriteMiddle, c.sq(i)));
  c.expect(packet_of(kRcWriteLast, c.sq(11)));
}

TEST("RQ-07", "payload is gathered in list order, empty entries included") {
  Connection c(dut, [](Options& o) {
    o.qp.send_sges = 4;
    o.path_mtu = 3;
  });
  const Bytes data = payload_of(2000);
  std::copy(data.begin(), data.end(), dut.local());
  for (const Opcode opcode : {Opcode::kSend, Opcode::kWrite}) {
    driver::SendRequest r = c.work(opcode, 0);
    r.sges = {dut.memory().sge(1000, 7), dut.memory().sge(50, 0), dut.memory().sge(13, 300),
              dut.memory().sge(600, 301)};
    c.post(r);
    Bytes expected(dut.local(1000), dut.local(1007));
    expected.insert(expected.end(), dut.local(13), dut.local(313));
    expected.insert(expected.end(), dut.local(600), dut.local(901));
    const std::uint8_t only = opcode == Opcode::kSend ? kRcSendOnly : kRcWriteOnly;
    c.expect(packet_of(only, c.sq(opcode == Opcode::kSend ? 0 : 1)).with(payload(expected)));
  }
}

TEST("RQ-08",
     "AckReq is in the last packet; a long WRITE ends with a peer that acknowledges only it") {
  Connection c(dut);
  c.write(256 * 256);
  for (unsigned i = 0; i < 256; ++i) {
    const auto frame = c.next();
    require(frame.has_value(), "packet " + std::to_string(i) + " of 256", "silence");
    const Bth bth(frame->bytes.data() + frame->parsed().bth_at);
    same("PSN", bth.psn(), c.sq(i));
    if (i == 255) require(bth.ack_req(), "AckReq on the last packet", "none");
    if (bth.ack_req()) c.ack(bth.psn());
  }
  c.sent();
}

TEST("RQ-09", "no more than max_rd_atomic READs are outstanding, and they block later requests") {
  Connection c(dut, [](Options& o) { o.max_rd_atomic = 2; });
  for (unsigned i = 0; i < 8; ++i) c.read(100);
  c.write(10);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  c.expect(packet_of(kRcReadRequest, c.sq(1)));
  c.expect_silence(100_us);
  c.read_response(kRcReadRespOnly, c.sq(0), payload_of(100));
  c.expect(packet_of(kRcReadRequest, c.sq(2)));
  c.expect_silence(100_us);
}

TEST("RQ-09", "atomics count among the outstanding READs") {
  Connection c(dut, [](Options& o) { o.max_rd_atomic = 2; });
  c.fetch_add(1);
  c.read(10);
  c.fetch_add(1);
  c.expect(packet_of(kRcFetchAdd, c.sq(0)));
  c.expect(packet_of(kRcReadRequest, c.sq(1)));
  c.expect_silence(100_us);
  c.atomic_response(c.sq(0), 7);
  c.expect(packet_of(kRcFetchAdd, c.sq(2)));
}

TEST("RQ-10", "max_rd_atomic 3 and 5 are accepted without rounding") {
  for (const std::uint8_t depth : {3, 5}) {
    Connection c(dut, [=](Options& o) { o.max_rd_atomic = depth; });
    for (unsigned i = 0; i < 8; ++i) c.read(100);
    for (unsigned i = 0; i < depth; ++i) c.expect(packet_of(kRcReadRequest, c.sq(i)));
    c.expect_silence(100_us);
  }
}

TEST("RQ-11", "a peer that never responds stops the sender long before 2^23 packets") {
  Connection c(dut, [](Options& o) {
    o.qp.send_entries = 512;
    o.timeout = 0;
  });
  for (unsigned i = 0; i < 512; ++i) c.write(64 * 1024);  // 2^17 packets
  unsigned packets = 0;
  while (c.next_if_any(20_us)) ++packets;
  require(packets >= 1 && packets < 1u << 17, "the sender to stop", std::to_string(packets));
  c.no_completion();
}

TEST("RQ-45", "an empty WRITE and an empty READ succeed whatever their key and address are") {
  Connection c(dut);
  for (const Opcode opcode : {Opcode::kWrite, Opcode::kRead}) {
    driver::SendRequest r = c.work(opcode, 0);
    r.remote_address = 0;
    r.remote_key = 0;
    c.post(r);
  }
  c.expect(packet_of(kRcWriteOnly, c.sq(0)).with(reth(va(0), rkey(0), dma_length(0))));
  c.expect(packet_of(kRcReadRequest, c.sq(1)).with(reth(va(0), rkey(0), dma_length(0))));
  c.ack(c.sq(0));
  c.read_response(kRcReadRespOnly, c.sq(1), {});
  same("byte_len", c.sent().byte_len, 0);
  same("byte_len", c.sent().byte_len, 0);
}

TEST("RQ-46", "inline data is copied when posted and needs no key") {
  Connection c(dut, [](Options& o) { o.qp.max_inline = 64; });
  Bytes data = payload_of(60);
  const Bytes before = data;
  driver::SendRequest r = c.work(Opcode::kSend, 0);
  r.inline_data = data.data();
  r.inline_bytes = 60;
  c.post(r);
  std::fill(data.begin(), data.end(), std::uint8_t{0});
  c.expect(packet_of(kRcSendOnly, c.sq(0)).with(payload(before)));
}

TEST("RQ-48", "a fenced request waits for the READs and atomics before it") {
  Connection c(dut);
  c.read(600);
  c.fetch_add(1, 1024);
  driver::SendRequest r = c.work(Opcode::kSend, 10);
  r.fence = true;
  c.post(r);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  c.expect(packet_of(kRcFetchAdd, c.sq(3)));
  c.expect_silence(100_us);
  c.read_response(kRcReadRespFirst, c.sq(0), payload_of(256));
  c.read_response(kRcReadRespMiddle, c.sq(1), payload_of(256));
  c.read_response(kRcReadRespLast, c.sq(2), payload_of(88));
  c.expect_silence(100_us);
  c.atomic_response(c.sq(3), 1);
  c.expect(packet_of(kRcSendOnly, c.sq(4)));
}

}  // namespace roci::conform
