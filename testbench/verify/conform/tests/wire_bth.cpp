// SPDX-License-Identifier: Apache-2.0
// Frames: BTH, extension headers, pad and ICRC.
#include "model/spec/layout/codes.hpp"
#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/edit.hpp"
#include "testbench/verify/conform/tests/good_send.hpp"

namespace roci::conform {
using namespace packet;

TEST("WIRE-19 WIRE-25 WIRE-29 WIRE-32", "the bytes of a BTH") {
  Connection c(dut, [](Options& o) { o.sq_psn = 0xA1B2C3; });
  driver::SendRequest r = c.work(Opcode::kSend, 61);
  r.solicited = true;
  c.post(r);
  const Frame frame = c.expect(packet_of(kRcSendOnly, 0xA1B2C3));
  const std::uint8_t* bth = frame.bytes.data() + 14 + 20 + 8;
  const std::uint32_t qpn = c.peer_number();
  const std::uint8_t expected[] = {0x04,
                                   0x80 | 3u << 4,
                                   0xFF,
                                   0xFF,
                                   0,
                                   static_cast<std::uint8_t>(qpn >> 16),
                                   static_cast<std::uint8_t>(qpn >> 8),
                                   static_cast<std::uint8_t>(qpn),
                                   0x80,
                                   0xA1,
                                   0xB2,
                                   0xC3};
  for (unsigned i = 0; i < 12; ++i) {
    const unsigned mask = i == 1 ? 0xBF : 0xFF;  // MigReq may have either value
    same("byte " + std::to_string(i) + " of the BTH", bth[i] & mask, expected[i] & mask);
  }
  same("bytes of the frame", frame.bytes.size(), 14 + 20 + 8 + 12 + 61 + 3 + 4);
}

TEST("WIRE-20", "a TVer that is not 0 is dropped in requests and responses") {
  Connection c(dut);
  c.receive(100);
  for (const std::uint8_t version : {1, 8, 15}) {
    Edit edit(good_send(c));
    edit.bth().set_version(version);
    dut.drops_silently(edit.sealed(), "TVer " + std::to_string(version));
  }
  post_write(c, 0);
  Edit edit(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1));
  edit.bth().set_version(1);
  dut.drops_silently(edit.sealed(), "an ACK of TVer 1");
  c.ack(c.sq(0));
  c.sent();
}

TEST("WIRE-21", "reserved BTH bits are ignored; seven are in the ICRC, six are not") {
  Connection c(dut);
  for (unsigned i = 0; i < 3; ++i) c.receive(100);
  Edit seven(good_send(c, 0));
  seven.bth().set_reserved7(0x7F);
  dut.feed(seven.sealed());
  c.received();
  Edit six(good_send(c, 1));
  six.bth().set_reserved6(0x3F);
  six.bth().set_fecn(true);
  six.bth().set_becn(true);
  dut.feed(six.as_it_is());
  c.received();
  Edit unsealed(good_send(c, 2));
  unsealed.bth().set_reserved7(1);
  c.expect_acked(c.rq(1));
  dut.drops_silently(unsealed.as_it_is(), "a change of the seven bits without a new ICRC");
}

TEST("WIRE-22", "MigReq is ignored and sent constant") {
  Connection c(dut);
  c.receive(100);
  c.receive(100);
  c.feed(good_send(c, 0).mig_req(false));
  c.received();
  c.feed(good_send(c, 1).mig_req(true));
  c.received();
  c.expect_acked(c.rq(1));
  c.send(600);
  c.read(10);
  std::vector<bool> seen;
  for (unsigned i = 0; i < 4; ++i) {
    const auto frame = c.next();
    require(frame.has_value(), "four packets", "silence");
    seen.push_back(frame->parsed().bth().mig_req());
  }
  require(seen == std::vector<bool>(4, seen[0]), "one value of MigReq", "both");
}

TEST("WIRE-23 WIRE-24", "P_Keys that match the default partition, and those that do not") {
  Connection c(dut);
  c.receive(100);
  c.receive(100);
  const std::uint64_t before = dut.drops(layout::DropCause::kPkey);
  for (const std::uint16_t pkey : {0x8001, 0x0000, 0x8000, 0x7FFE, 0x0001, 0xFFFE}) {
    dut.drops_silently(good_send(c).pkey(pkey), "P_Key " + hex(pkey));
  }
  same("P_Key violations", dut.drops(layout::DropCause::kPkey), before + 6);
  c.feed(good_send(c, 0).pkey(0x7FFF));
  c.received();
  c.feed(good_send(c, 1).pkey(0xFFFF));
  c.received();
  c.expect_acked(c.rq(1));
  post_write(c, 0);
  dut.drops_silently(c.from_peer(kRcAck, c.sq(0)).pkey(0x8001).aeth(kAck, 1),
                     "an ACK of another partition");
  c.ack(c.sq(0));
  c.sent();
}

TEST("WIRE-23 WIRE-24", "the key compared and sent is the one at the queue pair's index") {
  struct Case {
    std::uint16_t own;
    std::vector<std::uint16_t> good, bad;
  };
  for (const Case& one : {Case{0x8123, {0x8123, 0x0123}, {0xFFFF, 0x7FFF, 0x8122, 0x0000}},
                          Case{0x0123, {0x8123}, {0x0123, 0xFFFF, 0x8000}}}) {
    dut.context().set_pkey(1, one.own);
    {
      Connection c(dut, [](Options& o) { o.pkey_index = 1; });
      c.send(10);
      c.expect(packet_of(kRcSendOnly, c.sq(0)).with(bth(pkey(one.own))));
      c.feed(c.from_peer(kRcAck, c.sq(0)).pkey(0x8123).aeth(kAck, 1));
      c.sent();
      c.receive(100);
      for (const std::uint16_t key : one.bad) {
        dut.drops_silently(good_send(c).pkey(key), "P_Key " + hex(key) + " at " + hex(one.own));
      }
      unsigned at = 0;
      for (const std::uint16_t key : one.good) {
        if (at != 0) c.receive(100);
        c.feed(good_send(c, at).pkey(key));
        c.received();
        c.expect(acknowledge(kAck, c.rq(at++)).with(bth(pkey(one.own))));
      }
    }
    dut.context().set_pkey(1, 0);
  }
}

TEST("WIRE-25 WIRE-26", "packets for unknown queue pair numbers") {
  Connection c(dut);
  c.receive(100);
  for (const std::uint32_t number : {0xABCDEFu, 0xFFFFFFu, 0u, 1u, 0x000100u | c.number()}) {
    if (number == c.number()) continue;
    Edit edit(good_send(c));
    edit.bth().set_dest_qp(number);
    dut.drops_silently(edit.sealed(), "a packet for " + hex(number));
  }
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-27", "addresses must be the connection's, MAC addresses need not") {
  for (const std::uint8_t index : {0, 1}) {
    Connection c(dut, [=](Options& o) { o.sgid_index = index; });
    c.receive(100);
    driver::Gid own = dut.adapter().gid(index), peer = c.peer_gid(), wrong = peer, not_own = own;
    wrong[15] ^= 1;
    not_own[15] ^= 4;
    dut.drops_silently(good_send(c).gids(wrong, own), "a request from another address");
    // The frame is for another host.
    dut.takes_no_notice(good_send(c).gids(peer, not_own).build(), "a request to another address");
    post_write(c, 0);
    dut.drops_silently(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1).gids(wrong, own),
                       "an ACK from another address");
    c.ack(c.sq(0));
    c.sent();
    c.feed(good_send(c).ethernet(dut.adapter().mac(), 0x020202020202));
    c.received();
  }
}

TEST("WIRE-28 WIRE-45", "opcodes of other transports are dropped") {
  Connection c(dut);
  c.receive(100);
  for (const unsigned opcode : {0x24u, 0x20u, 0x2Au, 0x64u, 0x65u, 0x40u, 0x44u, 0x5Fu, 0xA0u,
                                0xA4u, 0xBFu, 0xC0u, 0xE4u, 0xFFu}) {
    Edit edit(good_send(c));
    edit.bth().set_opcode(static_cast<std::uint8_t>(opcode));
    dut.drops_silently(edit.sealed(), "opcode " + hex(opcode));
  }
  c.still_works(c.rq(0), c.sq(0));
}

TEST("WIRE-30 WIRE-31", "the bytes of RETH, AtomicETH and immediate") {
  Connection c(dut);
  driver::SendRequest r = c.work(Opcode::kWriteImm, 8);
  r.remote_address = 0x1122334455667788;
  r.remote_key = 0x99AABBCC;
  r.imm = 0xD1D2D3D4;
  c.post(r);
  Frame frame = c.expect(packet_of(kRcWriteOnlyImm, c.sq(0)));
  const Bytes reth_imm = from_hex("112233445566778899aabbcc00000008d1d2d3d4");
  require(std::equal(reth_imm.begin(), reth_imm.end(), frame.bytes.begin() + 54),
          "RETH, then immediate, big-endian", "other bytes");
  r = c.work(Opcode::kCmpSwap, 8);
  r.remote_address = 0x1122334455667788;
  r.remote_key = 0x99AABBCC;
  r.swap_add = 0x0102030405060708;
  r.compare = 0x1112131415161718;
  c.post(r);
  frame = c.expect(packet_of(kRcCmpSwap, c.sq(1)));
  const Bytes atomic = from_hex("112233445566778899aabbcc01020304050607081112131415161718");
  require(std::equal(atomic.begin(), atomic.end(), frame.bytes.begin() + 54),
          "AtomicETH, big-endian", "other bytes");
  c.ack(c.sq(0));
  c.atomic_response(c.sq(1), 0);
  c.sent();
  c.sent();
  dut.target()[0] = 0x88;
  dut.target()[7] = 0x11;
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(0), 0));
  frame = c.expect(packet_of(kRcAtomicAck, c.rq(0)));
  const Bytes expected = from_hex("1f0000011100000000000088");
  require(std::equal(expected.begin(), expected.end(), frame.bytes.begin() + 54),
          "AETH, then the original value", "other bytes");
}
}  // namespace roci::conform
