// SPDX-License-Identifier: Apache-2.0
// The requester and NAKs: retransmission from their PSN, errors, reserved codes.
#include "testbench/verify/conform/tests/take_packets.hpp"

namespace roci::conform {
using namespace packet;

TEST("RQ-20 WIRE-49", "retransmitted packets equal the first transmission") {
  Connection c(dut, [](Options& o) {
    o.timeout = 6;
    o.max_rd_atomic = 16;
  });
  const Bytes data = payload_of(2000, 20);
  std::copy(data.begin(), data.end(), dut.local());
  c.send(700);
  c.write(301);
  driver::SendRequest r = c.work(Opcode::kSendImm, 5);
  r.imm = 77;
  c.post(r);
  c.fetch_add(3, 4096);
  c.cmp_swap(1, 2, 4104);
  c.read(600, 8192);
  std::vector<Bytes> first;
  for (unsigned i = 0; i < 9; ++i) {
    const auto frame = c.next();
    require(frame.has_value(), "packet " + std::to_string(i), "silence");
    first.push_back(frame->bytes);
  }
  for (unsigned i = 0; i < 9; ++i) {
    const auto frame = c.next(2_ms);
    require(frame.has_value(), "packet " + std::to_string(i) + " again", "silence");
    Bytes was = first[i], is = frame->bytes;
    require(packet::parse(is).icrc_ok, "a right ICRC", "a wrong one");
    // AckReq may be added, and the identification may differ.
    for (Bytes* bytes : {&was, &is}) {
      const packet::Parsed p = packet::parse(*bytes);
      MutableBth(bytes->data() + p.bth_at).set_ack_req(true);
      MutableIpv4(bytes->data() + p.ip_at).set_identification(0);
      packet::seal(bytes);
    }
    require(was == is, "packet " + std::to_string(i) + " as before", "another");
  }
}

TEST("RQ-21", "NAK sequence error restarts at its PSN at once and acknowledges what is before") {
  Connection c(dut);
  c.write(100);
  c.write(1024);
  take_packets(c, 5);
  c.nak(kNakSequence, c.sq(2));
  c.expect(packet_of(kRcWriteMiddle, c.sq(2)), 10_us);
  c.expect(packet_of(kRcWriteMiddle, c.sq(3)), 10_us);
  c.expect(packet_of(kRcWriteLast, c.sq(4)), 10_us);
  same("wr_id", c.sent().id, 1);
  c.ack(c.sq(4));
  same("wr_id", c.sent().id, 2);
}

TEST("RQ-21 RQ-33", "a sequence NAK consumes a retry") {
  Connection c(dut, [](Options& o) {
    o.retry_cnt = 1;
    o.timeout = 5;
  });
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.nak(kNakSequence, c.sq(0));
  c.expect(packet_of(kRcWriteOnly, c.sq(0)), 10_us);
  c.sent(Status::kRetryExcErr, 2_ms);  // by the timer, without another try
  c.expect_silence();
}

TEST("RQ-22", "NAKs of PSNs acknowledged or never sent are ignored") {
  Connection c(dut);
  two_writes_one_acknowledged(c);
  for (const std::uint8_t syndrome : {kNakSequence, kNakInvalid, kNakAccess, kNakOperational,
                                      static_cast<std::uint8_t>(kRnrNak | 1)}) {
    for (const std::int64_t at : {1, 0, 4, 12}) c.nak(syndrome, c.sq(at));
  }
  c.expect_silence(100_us);
  c.no_completion();
  c.is_in(QpState::kRts);
  c.ack(c.sq(3));
  c.sent();
}

TEST("RQ-23 WC-09", "a fatal NAK ends the request that owns its PSN") {
  struct Case {
    std::uint8_t syndrome;
    Status status;
  };
  for (const Case& one :
       {Case{kNakInvalid, Status::kRemInvReqErr}, Case{kNakAccess, Status::kRemAccessErr},
        Case{kNakOperational, Status::kRemOpErr}}) {
    Connection c(dut);
    for (unsigned i = 0; i < 3; ++i) c.write(600);
    take_packets(c, 9);
    c.nak(one.syndrome, c.sq(3));
    same("wr_id", c.sent().id, 1);
    same("wr_id", c.sent(one.status).id, 2);
    same("wr_id", c.sent(Status::kWrFlushErr).id, 3);
    c.is_in(QpState::kErr);
  }
}

TEST("RQ-24 WC-07", "reserved NAK codes and syndromes end the request in error") {
  for (const unsigned syndrome : {0x64, 0x65, 0x6A, 0x7F, 0x40, 0x5F, 0x80, 0xA0, 0xC0, 0xFF}) {
    Connection c(dut);
    c.write(10);
    c.write(10);
    take_packets(c, 2);
    c.ack(c.sq(0), static_cast<std::uint8_t>(syndrome));
    const auto bad = c.send_cq().wait(1_ms);
    require_status(bad, {Status::kBadRespErr, Status::kRemOpErr},
                   "BadRespErr or RemOpErr for syndrome " + hex(syndrome));
    c.sent(Status::kWrFlushErr);
    c.is_in(QpState::kErr);
  }
}

TEST("RQ-47", "unsignaled requests complete only in error") {
  Connection c(dut);
  for (unsigned i = 0; i < 10; ++i) {
    driver::SendRequest r = c.work(Opcode::kWrite, 10);
    r.signaled = i == 9;
    c.post(r);
  }
  take_packets(c, 10);
  c.ack(c.sq(9));
  same("wr_id", c.sent().id, 10);
  c.no_completion(20_us);
  driver::SendRequest r = c.work(Opcode::kWrite, 10);
  r.signaled = false;
  c.post(r);
  take_packets(c, 1, 10);
  c.nak(kNakAccess, c.sq(10));
  same("wr_id", c.sent(Status::kRemAccessErr).id, 11);
}

TEST("RQ-51", "an arbitrary MSN changes nothing") {
  Connection c(dut);
  c.write(10);
  c.read(10);
  take_packets(c, 2);
  c.feed(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 0xABCDEF));
  c.sent();
  c.feed(c.from_peer(kRcReadRespOnly, c.sq(1)).aeth(kAck, 0x123456).payload(payload_of(10)));
  c.sent();
}

}  // namespace roci::conform
