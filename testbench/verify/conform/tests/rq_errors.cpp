// SPDX-License-Identifier: Apache-2.0
// Requester: local faults, flush, other connections, congestion notices.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

TEST("RQ-43 WC-04 WC-11", "a bad key, range or right of a send list") {
  const std::uint64_t base = dut.memory().address();
  const std::uint32_t key = dut.memory().key();
  struct Case {
    const char* what;
    Opcode opcode;
    driver::Sge sge;
  };
  for (const Case& one :
       {Case{"a wrong variant", Opcode::kSend, {base, 100, key ^ 1}},
        Case{"a wrong index", Opcode::kWrite, {base, 100, key + 0x4000}},
        Case{"an end outside", Opcode::kWrite, {base + Fixture::kMemory - 50, 100, key}},
        Case{"a start outside", Opcode::kSend, {base - 1, 100, key}},
        Case{"a wrap of 2^64", Opcode::kSend, {~std::uint64_t{0} - 10, 100, key}}}) {
    Connection c(dut);
    driver::SendRequest r = c.work(one.opcode, 0);
    r.sges = {one.sge};
    c.post(r);
    c.write(10);
    same("wr_id", c.sent(Status::kLocProtErr).id, 1);
    same("wr_id", c.sent(Status::kWrFlushErr).id, 2);
    c.is_in(QpState::kErr);
    c.expect_silence();
  }
}

TEST("RQ-43", "bytes before a bad entry may be sent, none from it on") {
  Connection c(dut, [](Options& o) { o.qp.send_sges = 2; });
  const Bytes data = payload_of(512);
  std::copy(data.begin(), data.end(), dut.local());
  driver::SendRequest r = c.work(Opcode::kSend, 0);
  r.sges = {dut.memory().sge(0, 512), {dut.memory().address(), 300, dut.memory().key() ^ 2}};
  c.post(r);
  c.sent(Status::kLocProtErr);
  for (unsigned i = 0; const auto frame = c.next(10_us); ++i) {
    require(i < 2, "two good packets at most", "more");
    const Parsed p = frame->parsed();
    same("PSN", p.bth().psn(), c.sq(i));
    require(p.payload == Bytes(data.begin() + 256 * i, data.begin() + 256 * (i + 1)),
            "bytes of the good entry", "others");
  }
}

TEST("RQ-43 MR-04 WC-04", "READs and atomics into memory without local write") {
  driver::MemoryRegion no_write(dut.pd(), 4096, driver::access::kRemoteRead);
  for (const Opcode opcode : {Opcode::kRead, Opcode::kFetchAdd, Opcode::kCmpSwap}) {
    Connection c(dut);
    driver::SendRequest r = c.work(opcode, 0);
    r.sges = {no_write.sge(0, 8)};
    c.post(r);
    // The error is found when posted or when the response comes.
    const auto frame = c.next(10_us);
    if (frame && opcode == Opcode::kRead) {
      c.read_response(kRcReadRespOnly, c.sq(0), payload_of(8));
    } else if (frame) {
      c.atomic_response(c.sq(0), 0x1111);
    }
    c.sent(Status::kLocProtErr);
    for (unsigned i = 0; i < 64; ++i) same("byte", no_write.data()[i], 0);
    c.is_in(QpState::kErr);
  }
}

TEST_THAT_NEEDS(kOurDriver, "RQ-44 WC-02", "a message above 2^31 bytes is rejected") {
  Connection c(dut, [](Options& o) { o.qp.send_sges = 2; });
  driver::SendRequest r = c.work(Opcode::kWrite, 0);
  r.sges = {{dut.memory().address(), 0x80000000, dut.memory().key()},
            {dut.memory().address(), 1, dut.memory().key()}};
  const driver::PostResult result = c.qp().post_send(&r, 1);
  if (result) c.sent(Status::kLocLenErr);
  c.expect_silence();
}

TEST("RQ-49 QP-10 WC-05", "in ERR everything posted flushes once, in order, and later posts too") {
  Connection c(dut, [](Options& o) { o.timeout = 0; });
  for (unsigned i = 0; i < 3; ++i) c.receive(10);
  for (unsigned i = 0; i < 5; ++i) c.write(600);
  dut.sleep(5_us);
  c.qp().to_error();
  c.write(10);
  for (unsigned i = 4; i <= 9; ++i) same("wr_id", c.sent(Status::kWrFlushErr).id, i);
  for (unsigned i = 1; i <= 3; ++i) same("wr_id", c.received(Status::kWrFlushErr).id, i);
  c.no_completion(20_us);
}

TEST("RQ-50", "credits hold SENDs back except for one probe, and more credits release them") {
  Connection c(dut);
  const auto ack = [&](std::int64_t at, std::uint8_t credits, std::uint32_t msn) {
    c.feed(c.from_peer(kRcAck, c.sq(at)).aeth(credits, msn));
  };
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
  ack(0, 0, 1);  // no receive is posted after this one
  c.sent();
  for (unsigned i = 0; i < 6; ++i) c.send(10);
  unsigned out = 0;
  while (c.next(50_us)) ++out;
  require(out <= 1, "at most one probe without credits", std::to_string(out) + " SENDs");
  if (out == 1) ack(1, 2, 2);  // two receives after the probe
  if (out == 0) ack(0, 3, 1);
  for (; out < 3; ++out) c.expect(packet_of(kRcSendOnly, c.sq(1 + out)));
  unsigned beyond = 0;
  while (c.next(50_us)) ++beyond;
  require(beyond <= 1, "at most one probe beyond the credits", std::to_string(beyond) + " SENDs");
  ack(3, kAck, 4);  // no limit from here on
  for (unsigned i = 3 + beyond; i < 6; ++i) c.expect(packet_of(kRcSendOnly, c.sq(1 + i)));
}

TEST("RQ-50", "credits limit WRITEs with immediate and neither WRITEs nor READs") {
  Connection c(dut);
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
  c.feed(c.from_peer(kRcAck, c.sq(0)).aeth(0, 1));
  c.sent();
  for (unsigned i = 0; i < 4; ++i) c.write(10);
  c.read(10, 1024);
  for (unsigned i = 1; i <= 4; ++i) c.expect(packet_of(kRcWriteOnly, c.sq(i)));
  c.expect(packet_of(kRcReadRequest, c.sq(5)));
  for (unsigned i = 0; i < 3; ++i) c.post(c.work(Opcode::kWriteImm, 10));
  unsigned out = 0;
  while (c.next(50_us)) ++out;
  require(out <= 1, "at most one probe without credits", std::to_string(out));
}

TEST("RQ-52 QP-09", "packets of an old connection do nothing to a new one") {
  Connection c(dut);
  c.write(300);
  c.read(100);
  for (unsigned i = 0; i < 3; ++i) require(c.next().has_value(), "three packets", "fewer");
  c.qp().to_reset();
  c.options().sq_psn = (c.options().sq_psn + (1 << 22)) & 0xFFFFFF;
  c.options().rq_psn = (c.options().rq_psn + (1 << 22)) & 0xFFFFFF;
  c.connect();
  const std::int64_t old = -(1 << 22);
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  const Bytes before(dut.local(), dut.local(4096));
  for (unsigned i = 0; i < 3; ++i) {
    c.ack(c.sq(old + i));
    c.read_response(kRcReadRespOnly, c.sq(old + i), payload_of(100));
    c.nak(kNakAccess, c.sq(old + i));
  }
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(old), 1));
  c.no_completion(20_us);
  require(std::equal(before.begin(), before.end(), dut.local()), "memory untouched", "written");
  same("word", dut.target()[0], 0);
  c.ack(c.sq(0));
  c.sent();
}

TEST("RQ-53", "a CNP changes nothing") {
  Connection c(dut);
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.feed(c.from_peer(kCnp, 0).congestion(false, true).mig_req(false));
  c.no_completion(5_us);
  c.expect_silence();
  c.ack(c.sq(0));
  c.sent();
  c.still_works(c.rq(0), c.sq(1));
}

TEST("WC-03", "a READ is malformed when none may be outstanding") {
  for (const Opcode opcode : {Opcode::kRead, Opcode::kFetchAdd}) {
    Connection c(dut, [](Options& o) { o.max_rd_atomic = 0; });
    c.post(c.work(opcode, 8));
    c.sent(Status::kLocQpOpErr);
    c.expect_silence();
  }
}

TEST("WC-12", "the vendor error is the same each time for the same cause") {
  const auto cause = [&](int what) {
    Connection c(dut, [](Options& o) {
      o.retry_cnt = 0;
      o.timeout = 5;
      o.rnr_retry = 0;
    });
    driver::SendRequest r = c.work(Opcode::kWrite, 10);
    if (what == 0) r.sges[0].key ^= 1;
    c.post(r);
    if (what == 1) c.nak(kNakAccess, (c.expect(packet_of(kRcWriteOnly, c.sq(0))), c.sq(0)));
    if (what == 2) c.rnr(1, (c.expect(packet_of(kRcWriteOnly, c.sq(0))), c.sq(0)));
    const auto done = c.send_cq().wait(2_ms);
    require_error(done, "an error");
    return std::pair(done->status, done->vendor_err);
  };
  for (int what = 0; what < 4; ++what) {
    const auto first = cause(what), second = cause(what);
    require(first == second, "the same status and vendor error twice", "others");
  }
}

TEST("WC-01", "a READ whose data cannot be placed is no success") {
  driver::MemoryRegion small(dut.pd(), 64, driver::access::kAll);
  Connection c(dut);
  driver::SendRequest r = c.work(Opcode::kRead, 0);
  r.sges = {{small.address(), 100, small.key()}};
  c.post(r);
  if (c.next(10_us)) c.read_response(kRcReadRespOnly, c.sq(0), payload_of(100));
  c.sent(Status::kLocProtErr);
}

}  // namespace roci::conform
