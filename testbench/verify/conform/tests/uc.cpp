// SPDX-License-Identifier: Apache-2.0
// Unreliable connections.
#include "testbench/verify/conform/tests/unreliable.hpp"

namespace roci::conform {
using namespace packet;

namespace {

using Uc = Unreliable<driver::Service::kUc>;

Bytes part(const Bytes& all, std::size_t at, std::size_t count) {
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
  return Bytes(from, from + static_cast<std::ptrdiff_t>(count));
}

/// Takes the completion of a SEND and compares its payload.
Completion delivered(Fixture& dut, Connection& c, const Bytes& payload, std::size_t at = 0) {
  const Completion done = c.received();
  same("byte_len", done.byte_len, payload.size());
  require(std::equal(payload.begin(), payload.end(), dut.local(at)), "the payload in the receive",
          "other bytes");
  return done;
}

bool written(Fixture& dut, const Bytes& payload) {
  dut.sleep(10_us);
  return std::equal(payload.begin(), payload.end(), dut.target());
}

}  // namespace

TEST_THAT_NEEDS(kUc, "UC-01", "messages to a silent peer succeed, once sent") {
  Uc c(dut);
  c.send(600);
  c.expect(packet_of(kUcSendFirst, c.sq(0)));
  c.expect(packet_of(kUcSendMiddle, c.sq(1)));
  c.expect(packet_of(kUcSendLast, c.sq(2)));
  c.sent();
  c.write(300);
  const Parsed first = c.expect(packet_of(kUcWriteFirst, c.sq(3))).parsed();
  same("length", first.reth().dma_length(), 300);
  same("AckReq", first.bth().ack_req(), 0);
  same("AckReq", c.expect(packet_of(kUcWriteLast, c.sq(4))).parsed().bth().ack_req(), 0);
  c.sent();
  driver::SendRequest immediate = c.work(Opcode::kWriteImm, 10);
  immediate.imm = 77;
  c.post(immediate);
  same("immediate", c.expect(packet_of(kUcWriteOnlyImm, c.sq(5))).parsed().imm_dt().immediate(),
       77);
  c.sent();
  c.expect_silence(10_ms);  // no retransmission
  for (unsigned i = 0; i < 60; ++i) c.send(3000);
  for (unsigned i = 0; i < 60; ++i) c.sent();
}

TEST_THAT_NEEDS(kUc, "UC-02", "a first or only packet begins a message at any PSN") {
  Uc c(dut);
  std::uint32_t psn = c.rq(0);
  for (const std::uint32_t jump : {0u, 0x6000u, 0xFFFFF0u, 1u}) {
    psn = (psn + jump) & 0xFFFFFF;
    const Bytes data = payload_of(400, jump);
    c.receive(1024);
    c.feed(c.send_request(kUcSendFirst, psn, part(data, 0, 256)));
    psn = (psn + 1) & 0xFFFFFF;
    c.feed(c.send_request(kUcSendLast, psn, part(data, 256, 144)));
    delivered(dut, c, data);
    same("expected PSN", c.qp().query().rq_psn, (psn + 1) & 0xFFFFFF);
    psn = (psn + 9) & 0xFFFFFF;
    const Bytes only = payload_of(10, jump);
    c.feed(c.write_request(kUcWriteOnly, psn, only));
    require(written(dut, only), "a WRITE at any PSN", "not written");
  }
  c.expect_silence();
}

TEST_THAT_NEEDS(kUc, "UC-03", "a gap drops the message, and its receive serves the next") {
  for (unsigned lost = 0; lost < 3; ++lost) {
    Uc c(dut);
    const std::uint64_t id = c.receive(1024, 0);
    c.receive(1024, 1024);
    const Bytes data = payload_of(700, lost);
    const std::uint8_t opcodes[] = {kUcSendFirst, kUcSendMiddle, kUcSendLast};
    for (unsigned i = 0; i < 3; ++i) {
      if (i == lost) continue;
      c.feed(c.send_request(opcodes[i], c.rq(i), part(data, 256 * i, i == 2 ? 188 : 256)));
    }
    if (lost == 2) c.feed(c.send_request(kUcSendMiddle, c.rq(7), part(data, 0, 256)));
    dut.sleep(10_us);
    c.no_completion();
    const Bytes good = payload_of(500, 8);
    c.feed(c.send_request(kUcSendFirst, c.rq(3), part(good, 0, 256)));
    c.feed(c.send_request(kUcSendLast, c.rq(4), part(good, 256, 244)));
    same("identifier", delivered(dut, c, good).id, id);
    c.is_in(QpState::kRts);
    c.expect_silence();
  }
}

TEST_THAT_NEEDS(kUc, "UC-03", "a new message ends the one before it, whatever its kind") {
  Uc c(dut);
  const std::uint64_t id = c.receive(1024);
  const Bytes data = payload_of(256, 1), write = payload_of(40, 2);
  c.feed(c.send_request(kUcSendFirst, c.rq(0), data));
  c.feed(c.write_request(kUcWriteOnly, c.rq(1), write));
  require(written(dut, write), "the WRITE", "not written");
  c.feed(c.send_request(kUcSendLast, c.rq(2), payload_of(9)));
  dut.sleep(10_us);
  c.no_completion();
  c.feed(c.send_request(kUcSendOnly, c.rq(3), data));
  same("identifier", delivered(dut, c, data).id, id);
}

TEST_THAT_NEEDS(kUc, "UC-04", "a message without a receive is lost, the next one is not") {
  Uc c(dut);
  const Bytes data = payload_of(300, 4);
  c.feed(c.send_request(kUcSendFirst, c.rq(0), part(data, 0, 256)));
  dut.sleep(10_us);
  // Our engines count what they drop; no packet shows whether an adapter does.
  if (dut.adapter().in_bench()) same("expected PSN", c.qp().query().rq_psn, c.rq(1));
  c.receive(1024);
  c.feed(c.send_request(kUcSendLast, c.rq(1), part(data, 256, 44)));
  dut.sleep(10_us);
  c.no_completion();
  c.feed(c.send_request(kUcSendOnly, c.rq(2), part(data, 0, 200)));
  delivered(dut, c, part(data, 0, 200));
  c.feed(c.write_request(kUcWriteOnlyImm, c.rq(3), payload_of(8)).imm_dt(1));
  dut.sleep(10_us);
  c.no_completion();
  c.is_in(QpState::kRts);
  c.expect_silence();
}

TEST_THAT_NEEDS(kUc, "UC-05", "a wrong key, right or length is dropped, and the queue pair stays") {
  Uc c(dut);
  const Bytes data = payload_of(64, 6);
  std::fill_n(dut.target(), 64, 0);
  c.feed(c.write_request(kUcWriteOnly, c.rq(0), data)
             .reth(dut.target_address(), dut.memory().key() ^ 1, 64));
  c.feed(c.write_request(kUcWriteOnly, c.rq(1), data)
             .reth(dut.target_address(Fixture::kTarget - 63), dut.memory().key(), 64));
  c.feed(c.write_request(kUcWriteOnly, c.rq(2), data, 0, 65));
  c.feed(c.write_request(kUcWriteFirst, c.rq(3), payload_of(255), 0, 300));
  c.feed(c.write_request(kUcWriteOnly, c.rq(4), payload_of(260)));
  dut.sleep(10_us);
  require(std::all_of(dut.target(), dut.target() + 64, [](std::uint8_t b) { return b == 0; }),
          "no byte written", "written");
  const std::uint64_t id = c.receive(100);
  c.feed(c.send_request(kUcSendOnly, c.rq(5), payload_of(104)));
  c.feed(c.send_request(kUcSendOnly, c.rq(6), payload_of(260)));
  dut.sleep(10_us);
  c.no_completion();
  c.feed(c.send_request(kUcSendOnly, c.rq(7), data));
  same("identifier", delivered(dut, c, data).id, id);
  c.feed(c.write_request(kUcWriteOnly, c.rq(8), data));
  require(written(dut, data), "a correct WRITE", "not written");
  Uc closed(dut, [](Options& o) { o.access = 0; });
  std::fill_n(dut.target(), 64, 0);
  closed.feed(closed.write_request(kUcWriteOnly, closed.rq(0), data));
  require(!written(dut, data), "no WRITE without the right", "written");
  for (Connection* one : {static_cast<Connection*>(&c), static_cast<Connection*>(&closed)}) {
    one->is_in(QpState::kRts);
    one->expect_silence();
  }
}

TEST_THAT_NEEDS(kUc, "UC-06", "READ, atomics and SEND with invalidate are not there") {
  Uc c(dut);
  for (const Opcode opcode :
       {Opcode::kRead, Opcode::kCmpSwap, Opcode::kFetchAdd, Opcode::kSendInv}) {
    require(c.qp().check(c.work(opcode, 8)) == driver::PostError::kOpcode, "a rejected request",
            "posted");
  }
  c.receive(1024);
  for (const unsigned opcode : {0x2Cu, 0x33u, 0x34u, 0x36u, 0x37u}) {
    Bytes frame = c.send_request(kUcSendOnly, c.rq(0), payload_of(64)).build();
    frame[parse(frame).bth_at] = static_cast<std::uint8_t>(opcode);
    require(seal(&frame), "a BTH");
    dut.drops_silently(frame, "opcode " + hex(opcode));
  }
  dut.drops_silently(c.read_request(c.rq(0), 64), "a READ of RC");
}

TEST_THAT_NEEDS(kUc, "UC-07", "WRITE with immediate is delivered whole or not") {
  Uc c(dut);
  const std::uint64_t id = c.receive(0);
  const Bytes data = payload_of(600, 7);
  for (const bool whole : {false, true}) {
    const unsigned at = whole ? 3 : 0;
    c.feed(c.write_request(kUcWriteFirst, c.rq(at), part(data, 0, 256), 0, 600));
    if (whole) c.feed(c.write_request(kUcWriteMiddle, c.rq(at + 1), part(data, 256, 256)));
    c.feed(c.write_request(kUcWriteLastImm, c.rq(at + 2), part(data, 512, 88)).imm_dt(0x55));
    dut.sleep(10_us);
    if (!whole) c.no_completion();
  }
  const Completion done = c.received();
  same("identifier", done.id, id);
  same("immediate", done.imm, 0x55);
  same("byte_len", done.byte_len, 600);
  require(written(dut, data), "the payload", "other bytes");
  c.expect_silence();
}

TEST_THAT_NEEDS(kUc, "UD-11 UC-01", "a failed message leads to SQE and from there to RTS") {
  Uc c(dut);
  c.receive(1024);
  driver::SendRequest bad = c.work(Opcode::kSend, 600);
  bad.sges[0].key ^= 1;
  c.post(bad);
  c.write(8);
  c.sent_in_error(Status::kLocProtErr);
  c.sent(Status::kWrFlushErr);
  c.is_in(QpState::kSqe);
  dut.expect_no_event(c.number());
  const Bytes data = payload_of(64, 9);
  c.feed(c.send_request(kUcSendOnly, c.rq(0), data));
  delivered(dut, c, data);
  c.move(QpState::kRts, driver::mask::kState);
  c.write(8);
  c.expect(packet_of(kUcWriteOnly, c.sq(0)));
  c.sent();
}

}  // namespace roci::conform
