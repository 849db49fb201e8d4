// SPDX-License-Identifier: Apache-2.0
// Responder: expected PSN, duplicates, and PSNs ahead.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

TEST("RSP-01 RSP-13 RSP-14", "the first SEND at the RQ PSN is acknowledged with MSN 1") {
  Connection c(dut);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(100)));
  c.expect(acknowledge(kAck, c.rq(0)).with(aeth(syndrome(kAck), msn(1))));
  c.received();
}

TEST("RSP-03", "requests ahead of the expected PSN are NAKed with the expected PSN") {
  for (const std::int64_t ahead : {1, 100, (1 << 23) - 1}) {
    Connection c(dut);
    c.receive(100);
    c.feed(c.send_request(kRcSendOnly, c.rq(ahead), payload_of(10)));
    c.expect(acknowledge(kNakSequence, c.rq(0)));
    c.no_completion(10_us);
    c.is_in(QpState::kRts);
    c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
    c.received();
  }
}

TEST("RSP-04", "one sequence NAK for a gap, another for the next gap") {
  Connection c(dut);
  for (unsigned i = 0; i < 8; ++i) c.receive(100);
  for (unsigned i = 1; i <= 3; ++i) {
    c.feed(c.send_request(kRcSendOnly, c.rq(i), payload_of(10)));
  }
  c.expect(acknowledge(kNakSequence, c.rq(0)));
  c.expect_silence();
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)));
  c.received();
  c.feed(c.send_request(kRcSendOnly, c.rq(5), payload_of(10)));
  c.expect(acknowledge(kNakSequence, c.rq(1)));
  c.feed(c.send_request(kRcSendOnly, c.rq(5), payload_of(10)));
  c.expect_silence();
  c.no_completion();
}

TEST("RSP-05 RSP-16", "after an RNR NAK the packets after it get no NAK") {
  Connection c(dut);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.feed(c.send_request(kRcSendOnly, c.rq(1), payload_of(10)));
  c.feed(c.send_request(kRcSendOnly, c.rq(2), payload_of(10)));
  c.expect(acknowledge(kRnrNak, c.rq(0)));
  c.expect_silence();
  c.receive(100);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(1), payload_of(10)));
  c.expect_silence();
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)));
  c.received();
}

TEST("RSP-06", "a duplicate WRITE does not write a second time") {
  Connection c(dut);
  c.feed(c.write_request(kRcWriteOnly, c.rq(0), payload_of(100)));
  c.expect(acknowledge(kAck, c.rq(0)));
  const Bytes now = payload_of(100, 5);
  std::copy(now.begin(), now.end(), dut.target());
  for (unsigned i = 0; i < 3; ++i) {
    c.feed(c.write_request(kRcWriteOnly, c.rq(0), payload_of(100)));
  }
  dut.sleep(10_us);
  require(std::equal(now.begin(), now.end(), dut.target()), "the newer bytes", "the old ones");
}

TEST("RSP-06", "five copies of a SEND use one receive and give one completion") {
  Connection c(dut);
  for (unsigned i = 0; i < 5; ++i) c.receive(100);
  for (unsigned i = 0; i < 5; ++i) {
    c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(100)));
  }
  same("wr_id", c.received().id, 1);
  c.no_completion(20_us);
  c.feed(c.send_request(kRcSendOnly, c.rq(1), payload_of(100)));
  same("wr_id", c.received().id, 2);
}

TEST("RSP-07", "a duplicate is acknowledged with the newest executed PSN and the current MSN") {
  Connection c(dut);
  c.receive(2000);
  c.receive(2000);
  const Bytes data = payload_of(256);
  c.feed(c.send_request(kRcSendFirst, c.rq(0), data));
  for (unsigned i = 1; i < 5; ++i) c.feed(c.send_request(kRcSendMiddle, c.rq(i), data));
  c.feed(c.send_request(kRcSendLast, c.rq(5), data));
  c.expect_acked(c.rq(5));
  c.received();
  for (const unsigned again : {5u, 0u, 3u}) {
    c.feed(c.send_request(again == 0   ? kRcSendFirst
                          : again == 5 ? kRcSendLast
                                       : kRcSendMiddle,
                          c.rq(again), data));
    c.expect(acknowledge(kAck, c.rq(5)).with(aeth(syndrome(kAck), msn(1))));
  }
  c.no_completion(10_us);
}

TEST("RSP-08", "the limits of duplicates and of PSNs ahead are 2^23 away") {
  Connection c(dut);
  c.receive(100);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)));
  c.received();
  c.feed(c.send_request(kRcSendOnly, c.rq(1 - (1 << 23)), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)));
  c.feed(c.send_request(kRcSendOnly, c.rq(1 + (1 << 23) - 1), payload_of(10)));
  c.expect(acknowledge(kNakSequence, c.rq(1)));
  c.no_completion(10_us);
}

TEST("RSP-09", "requests cross the PSN wrap, and a gap lies on it") {
  Connection c(dut, [](Options& o) { o.rq_psn = 0xFFFFFF; });
  for (unsigned i = 0; i < 4; ++i) c.receive(100);
  c.feed(c.send_request(kRcSendOnly, 0xFFFFFF, payload_of(10)));
  c.feed(c.send_request(kRcSendOnly, 0, payload_of(10)));
  c.received();
  c.received();
  c.expect_acked(0);
  Connection d(dut, [](Options& o) { o.rq_psn = 0xFFFFFF; });
  for (unsigned i = 0; i < 4; ++i) d.receive(100);
  d.feed(d.send_request(kRcSendOnly, 0xFFFFFF, payload_of(10)));
  d.feed(d.send_request(kRcSendOnly, 1, payload_of(10)));
  for (;;) {
    const auto frame = d.next();
    require(frame.has_value(), "a sequence NAK", "silence");
    if (frame->parsed().aeth().syndrome() == kAck) continue;  // ACK of the first one
    same("syndrome", frame->parsed().aeth().syndrome(), kNakSequence);
    same("PSN", frame->parsed().bth().psn(), 0);
    break;
  }
}

TEST("RSP-10", "a request without AckReq is executed") {
  Connection c(dut);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)).ack_req(false));
  c.received();
  c.feed(c.write_request(kRcWriteOnly, c.rq(1), payload_of(10)));
  c.expect_acked(c.rq(1));
}

TEST("RSP-11", "sixty-four SENDs in a row get ACKs that never exceed the executed PSNs") {
  Connection c(dut);
  for (unsigned i = 0; i < 64; ++i) c.receive(64, 64 * i);
  for (unsigned i = 0; i < 64; ++i) {
    c.feed(c.send_request(kRcSendOnly, c.rq(i), payload_of(64, i)));
  }
  unsigned acks = 0;
  std::int32_t covered = -1;
  while (covered != 63) {
    const auto frame = c.next();
    require(frame.has_value(), "an ACK of all", "silence");
    const packet::Parsed p = frame->parsed();
    same("opcode", p.bth().opcode(), kRcAck);
    const std::int32_t at = p.psn().distance_from(transport::Psn(c.rq(0)));
    require(at >= covered && at < 64, "ACKs in order", std::to_string(at));
    covered = at;
    ++acks;
    same("MSN", p.aeth().msn(), static_cast<std::uint64_t>(at) + 1);
  }
  require(acks >= 1 && acks <= 64, "1 to 64 ACKs", std::to_string(acks));
  for (unsigned i = 0; i < 64; ++i) c.received();
}

TEST("RSP-12 RSP-33 RQ-02", "the ACK of a WRITE after a READ comes after the READ's response") {
  Connection c(dut);
  c.feed(c.read_request(c.rq(0), 3000));
  c.feed(c.write_request(kRcWriteOnly, c.rq(12), payload_of(10), 4096));
  c.expect(packet_of(kRcReadRespFirst, c.rq(0)));
  for (unsigned i = 1; i < 11; ++i) c.expect(packet_of(kRcReadRespMiddle, c.rq(i)));
  c.expect(packet_of(kRcReadRespLast, c.rq(11)));
  c.expect(acknowledge(kAck, c.rq(12)));
}

TEST("RSP-13", "five messages of all kinds count to MSN 5") {
  Connection c(dut);
  c.receive(1000);
  c.feed(c.send_request(kRcSendFirst, c.rq(0), payload_of(256)));
  c.feed(c.send_request(kRcSendLast, c.rq(1), payload_of(256)));
  Frame frame = c.expect_acked(c.rq(1));
  same("MSN", frame.parsed().aeth().msn(), 1);
  c.feed(c.write_request(kRcWriteOnly, c.rq(2), payload_of(256)));
  frame = c.expect_acked(c.rq(2));
  same("MSN", frame.parsed().aeth().msn(), 2);
  c.feed(c.read_request(c.rq(3), 600));
  c.expect(packet_of(kRcReadRespFirst, c.rq(3)));
  c.expect(packet_of(kRcReadRespMiddle, c.rq(4)));
  c.expect(packet_of(kRcReadRespLast, c.rq(5)).with(aeth(msn(3))));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(6), 1));
  c.expect(packet_of(kRcAtomicAck, c.rq(6)).with(aeth(msn(4))));
  c.feed(c.write_request(kRcWriteOnly, c.rq(7), {}));
  frame = c.expect_acked(c.rq(7));
  same("MSN", frame.parsed().aeth().msn(), 5);
}

TEST_THAT_NEEDS(Needs{true}, "RSP-13", "2^24 messages wrap the MSN to 0") {
  constexpr unsigned kAtOnce = 4096;  // the last of them requests an ACK
  constexpr std::uint64_t kAll = (1 << 24) + kAtOnce;
  Connection c(dut);
  for (std::uint64_t i = 0; i < kAll; ++i) {
    Builder request = c.write_request(kRcWriteOnly, c.rq(static_cast<std::int64_t>(i)), {});
    request.ack_req(i % kAtOnce + 1 == kAtOnce);
    c.feed(request);
    if (i % kAtOnce + 1 != kAtOnce) continue;
    const Frame ack = c.expect_acked(c.rq(static_cast<std::int64_t>(i)), 2_ms);
    same("MSN", ack.parsed().aeth().msn(), (i + 1) & 0xFFFFFF);
  }
}

TEST("RSP-23", "a duplicate READ or atomic inside a message does not disturb it") {
  Connection c(dut);
  c.feed(c.read_request(c.rq(0), 10));
  c.expect(packet_of(kRcReadRespOnly, c.rq(0)));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(1), 3, 0, 8192));
  c.expect(packet_of(kRcAtomicAck, c.rq(1)));
  const Bytes data = payload_of(512);
  c.feed(c.write_request(kRcWriteFirst, c.rq(2), Bytes(data.begin(), data.begin() + 256), 0, 512));
  c.feed(c.read_request(c.rq(0), 10));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(1), 3, 0, 8192));
  c.feed(c.write_request(kRcWriteLast, c.rq(3), Bytes(data.begin() + 256, data.end())));
  dut.sleep(10_us);
  c.ignore_packets();
  require(std::equal(data.begin(), data.end(), dut.target()), "the WRITE in memory", "not");
  same("sum", dut.target(8192)[0], 3);
  c.is_in(QpState::kRts);
  c.receive(10);
  c.receive(600);
  c.feed(c.send_request(kRcSendFirst, c.rq(4), payload_of(256)));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(1), 3, 0, 8192));
  c.received_in_error(Status::kLocLenErr);  // into 10 bytes: the message is checked as usual
}

}  // namespace roci::conform
