// SPDX-License-Identifier: Apache-2.0
// Requester: effects of ACKs and responses.
#include "testbench/verify/conform/tests/take_packets.hpp"

namespace roci::conform {
using namespace packet;

TEST("RQ-12", "an ACK acknowledges everything before it") {
  Connection c(dut);
  for (unsigned i = 0; i < 3; ++i) c.write(300);
  take_packets(c, 6);
  c.ack(c.sq(5));
  for (unsigned i = 1; i <= 3; ++i) same("wr_id", c.sent().id, i);
}

TEST("RQ-12", "an ACK acknowledges nothing after it") {
  Connection c(dut);
  for (unsigned i = 0; i < 3; ++i) c.send(300);
  take_packets(c, 6);
  c.ack(c.sq(3));
  same("wr_id", c.sent().id, 1);
  same("wr_id", c.sent().id, 2);
  c.no_completion(20_us);
  c.ack(c.sq(5));
  same("wr_id", c.sent().id, 3);
}

TEST("RQ-13", "after an ACK past a READ, the READ is requested anew and nothing completes") {
  Connection c(dut);
  c.read(600);
  c.write(10);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  c.expect(packet_of(kRcWriteOnly, c.sq(3)));
  const Bytes data = payload_of(600);
  c.read_response(kRcReadRespFirst, c.sq(0), Bytes(data.begin(), data.begin() + 256));
  c.ack(c.sq(3));
  c.expect(packet_of(kRcReadRequest, c.sq(1))
               .with(reth(va(Connection::kRemoteAddress + 256), dma_length(344))));
  c.no_completion();
  c.read_response(kRcReadRespFirst, c.sq(1), Bytes(data.begin() + 256, data.begin() + 512));
  c.read_response(kRcReadRespLast, c.sq(2), Bytes(data.begin() + 512, data.end()));
  same("wr_id", c.sent().id, 1);
  require(std::equal(data.begin(), data.end(), dut.local()), "the data read", "other bytes");
}

TEST("RQ-13", "an ACK after an atomic does not complete it") {
  Connection c(dut);
  c.fetch_add(1);
  c.send(10);
  c.expect(packet_of(kRcFetchAdd, c.sq(0)));
  c.expect(packet_of(kRcSendOnly, c.sq(1)));
  c.ack(c.sq(1));
  c.expect(packet_of(kRcFetchAdd, c.sq(0)));
  c.no_completion();
}

TEST("RQ-14 RQ-15", "a READ response acknowledges the WRITEs before it") {
  Connection c(dut);
  c.write(300);
  c.read(100);
  take_packets(c, 3);
  c.read_response(kRcReadRespOnly, c.sq(2), payload_of(100));
  same("wr_id", c.sent().id, 1);
  same("wr_id", c.sent().id, 2);
}

TEST("RQ-14", "an atomic's response acknowledges the SENDs before it") {
  Connection c(dut);
  c.send(300);
  c.fetch_add(5);
  take_packets(c, 3);
  c.atomic_response(c.sq(2), 9);
  same("wr_id", c.sent().id, 1);
  same("wr_id", c.sent().id, 2);
}

TEST("RQ-15", "completions come in posting order although responses come out of order") {
  Connection c(dut);
  c.read(100, 0);
  c.read(100, 200);
  c.fetch_add(1, 400);
  c.write(10);
  take_packets(c, 4);
  // The later responses skip the first READ: it is requested anew.
  c.read_response(kRcReadRespOnly, c.sq(1), payload_of(100, 2));
  c.atomic_response(c.sq(2), 3);
  c.ack(c.sq(3));
  c.no_completion(5_us);
  c.ignore_packets();
  for (unsigned round = 0; round < 3; ++round) {
    c.read_response(kRcReadRespOnly, c.sq(0), payload_of(100, 1));
    dut.sleep(5_us);
    c.read_response(kRcReadRespOnly, c.sq(1), payload_of(100, 2));
    dut.sleep(5_us);
    c.atomic_response(c.sq(2), 3);
    dut.sleep(5_us);
    c.ack(c.sq(3));
  }
  for (unsigned i = 1; i <= 4; ++i) same("wr_id", c.sent().id, i);
}

TEST("RQ-16", "unsolicited ACKs before and after the window have no effect") {
  Connection c(dut, [](Options& o) { o.timeout = 6; });
  two_writes_one_acknowledged(c);
  for (const std::int64_t at : {8, 4, 3 + (1 << 23) - 2, 1, 0, -5}) {
    c.ack(c.sq(at));
    c.read_response(kRcReadRespOnly, c.sq(at), payload_of(64));
    c.atomic_response(c.sq(at), 1);
  }
  c.no_completion(50_us);
  c.is_in(QpState::kRts);
  c.expect(packet_of(kRcWriteFirst, c.sq(2)), 2_ms);  // the normal retry continues
  c.expect(packet_of(kRcWriteLast, c.sq(3)));
  c.ack(c.sq(3));
  c.sent();
}

TEST("RQ-17", "responses with nothing outstanding are ignored") {
  Connection c(dut);
  for (const std::int64_t at : {0, 1, -1}) c.ack(c.sq(at));
  dut.sleep(5_us);
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.no_completion(50_us);
  c.ack(c.sq(0));
  c.sent();
}

TEST("RQ-18", "two hundred copies of an ACK complete one request") {
  Connection c(dut);
  c.write(10);
  c.write(10);
  take_packets(c, 2);
  for (unsigned i = 0; i < 200; ++i) c.ack(c.sq(0));
  same("wr_id", c.sent().id, 1);
  c.no_completion(50_us);
  c.ack(c.sq(1));
  same("wr_id", c.sent().id, 2);
}

TEST("RQ-19", "after a partial ACK the retry begins in the middle of a message") {
  Connection c(dut, [](Options& o) { o.timeout = 6; });
  c.write(768);
  take_packets(c, 3);
  c.ack(c.sq(1));
  c.no_completion(10_us);
  c.expect(packet_of(kRcWriteLast, c.sq(2)).with(payload_bytes(256)), 2_ms);
  c.ack(c.sq(2));
  c.sent();
}

}  // namespace roci::conform
