// SPDX-License-Identifier: Apache-2.0
// Queue pairs: posting, reset, error, drain, destruction.
#include <set>

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

namespace m = driver::mask;

}  // namespace

TEST_THAT_NEEDS(kOurDriver, "QP-08", "posting before the state allows it is rejected") {
  for (const QpState state : {QpState::kReset, QpState::kInit, QpState::kRtr}) {
    Connection c(dut, [=](Options& o) { o.up_to = state; });
    const driver::SendRequest r = c.work(Opcode::kWrite, 10);
    require(!c.qp().post_send(&r, 1),
            std::string("a send rejected in state ") + std::to_string(static_cast<unsigned>(state)),
            "posted");
    driver::ReceiveRequest receive;
    receive.sges = {dut.memory().sge(0, 10)};
    require(static_cast<bool>(c.qp().post_receive(&receive, 1)) == (state != QpState::kReset),
            "a receive rejected in RESET only",
            "not in state " + std::to_string(static_cast<unsigned>(state)));
    c.no_completion(10_us);
    c.expect_silence(1_us);
  }
}

TEST("QP-09", "RESET clears all state") {
  Connection c(dut);
  c.receive(100);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.received();
  c.expect(acknowledge(kAck, c.rq(0)).with(aeth(msn(1))));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(1), 1));
  c.expect(packet_of(kRcAtomicAck, c.rq(1)));
  c.feed(c.send_request(kRcSendOnly, c.rq(5), payload_of(10)));
  c.expect(acknowledge(kNakSequence, c.rq(2)));
  for (unsigned i = 0; i < 3; ++i) c.write(10);
  for (unsigned i = 0; i < 3; ++i) c.expect(packet_of(kRcWriteOnly, c.sq(i)));
  c.qp().to_reset();
  c.is_in(QpState::kReset);
  c.connect();
  c.no_completion(10_us);
  c.expect_silence();
  // RESET cleared the receives, the gap and the saved atomic.
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kRnrNak, c.rq(0)).with(aeth(msn(0))));
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)).with(aeth(msn(1))));
  c.received();
  c.feed(c.send_request(kRcSendOnly, c.rq(5), payload_of(10)));
  c.expect(acknowledge(kNakSequence, c.rq(1)));
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
}

TEST("QP-11", "a receive posted in ERR flushes") {
  Connection c(dut);
  c.qp().to_error();
  c.receive(10);
  same("wr_id", c.received(Status::kWrFlushErr).id, 1);
}

TEST("QP-12", "SQD ends begun requests, holds the rest, raises an event, and RTS continues") {
  Connection c(dut);
  c.write(10);
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.expect(packet_of(kRcWriteOnly, c.sq(1)));
  driver::QpAttributes a = c.attributes();
  a.state = QpState::kSqd;
  a.sqd_notify = true;
  c.qp().modify(a, m::kState | m::kEnSqdAsyncNotify);
  c.write(10);
  require(c.qp().query().sq_draining, "sq_draining with two requests outstanding", "not");
  c.expect_silence();
  c.ack(c.sq(0));
  same("wr_id", c.sent().id, 1);
  dut.expect_no_event(c.number());
  c.ack(c.sq(1));
  same("wr_id", c.sent().id, 2);
  dut.expect_event(EventKind::kSqDrained, c.number());
  require(!c.qp().query().sq_draining, "no sq_draining when all requests are acknowledged",
          "draining");
  c.expect_silence();
  c.no_completion();
  c.move(QpState::kRts, m::kState);
  c.expect(packet_of(kRcWriteOnly, c.sq(2)));
  c.ack(c.sq(2));
  same("wr_id", c.sent().id, 3);
  dut.expect_no_event(c.number());
}

TEST("QP-12", "an idle queue drains at once, and raises no event unless requested") {
  {
    Connection c(dut);
    driver::QpAttributes a = c.attributes();
    a.state = QpState::kSqd;
    a.sqd_notify = true;
    c.qp().modify(a, m::kState | m::kEnSqdAsyncNotify);
    dut.expect_event(EventKind::kSqDrained, c.number());
  }
  Connection c(dut);
  c.move(QpState::kSqd, m::kState);
  dut.expect_no_event(c.number());
  c.move(QpState::kRts, m::kState);
  c.still_works(c.rq(0), c.sq(0));
}

TEST("QP-13", "SQD cannot be left before it is drained") {
  Connection c(dut);
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.move(QpState::kSqd, m::kState);
  driver::QpAttributes a = c.attributes();
  a.state = QpState::kRts;
  require(c.rejects(a, m::kState), "SQD to RTS rejected with a request outstanding", "taken");
  c.ack(c.sq(0));
  c.sent();
}

TEST("QP-15 WC-11", "an error of one side flushes the other") {
  {
    Connection c(dut);
    c.receive(10);
    c.write(10);
    c.expect(packet_of(kRcWriteOnly, c.sq(0)));
    c.nak(kNakAccess, c.sq(0));
    c.sent(Status::kRemAccessErr);
    c.received(Status::kWrFlushErr);
    c.is_in(QpState::kErr);
  }
  {
    Connection c(dut);
    c.write(10);
    c.expect(packet_of(kRcWriteOnly, c.sq(0)));
    c.feed(c.send_request(kRcSendLast, c.rq(0), payload_of(10)));
    c.expect(acknowledge(kNakInvalid, c.rq(0)));
    c.sent(Status::kWrFlushErr);
    c.is_in(QpState::kErr);
  }
}

TEST("QP-17", "a query returns the attributes that were set, and the present PSNs") {
  Connection c(dut, [](Options& o) {
    o.max_rd_atomic = 5;
    o.max_dest_rd_atomic = 3;
    o.timeout = 9;
    o.retry_cnt = 6;
    o.rnr_retry = 5;
    o.min_rnr_timer = 11;
    o.traffic_class = 0x22;
    o.hop_limit = 33;
    o.flow_label = 0x54321;
  });
  driver::QpAttributes a = c.qp().query();
  same("max_rd_atomic", a.max_rd_atomic, 5);
  same("max_dest_rd_atomic", a.max_dest_rd_atomic, 3);
  same("timeout", a.timeout, c.options().timeout);
  same("retry_cnt", a.retry_cnt, 6);
  same("rnr_retry", a.rnr_retry, 5);
  same("min_rnr_timer", a.min_rnr_timer, 11);
  same("traffic_class", a.traffic_class, 0x22);
  same("hop_limit", a.hop_limit, 33);
  same("flow_label", a.flow_label, 0x54321);
  same("path_mtu", a.path_mtu, 1);
  same("dest_qpn", a.dest_qpn, c.peer_number());
  same("access", a.access, driver::access::kAll);
  same("SQ PSN", a.sq_psn, c.sq(0));
  same("RQ PSN", a.rq_psn, c.rq(0));
  require(a.dgid == c.peer_gid(), "the peer's GID", to_string(a.dgid));
  c.write(600);
  for (unsigned i = 0; i < 3; ++i) require(c.next().has_value(), "three packets");
  c.feed(c.write_request(kRcWriteOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kAck, c.rq(0)));
  a = c.qp().query();
  same("SQ PSN", a.sq_psn, c.sq(3));
  same("RQ PSN", a.rq_psn, c.rq(1));
}

TEST("QP-18", "a queue pair destroyed under load leaves nothing") {
  Builder late_request, late_ack;
  std::uint32_t number = 0;
  {
    Connection c(dut);
    number = c.number();
    for (unsigned i = 0; i < 8; ++i) c.write(2000);
    c.read(4000, 4096);
    c.receive(100);
    c.feed(c.read_request(c.rq(0), 4000));
    late_request = c.send_request(kRcSendOnly, c.rq(16), payload_of(10));
    late_ack = c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1);
    dut.sleep(1_us);
  }
  dut.sleep(5_us);
  dut.drops_silently(late_request, "a late request");
  dut.drops_silently(late_ack, "a late ACK");
  Connection c(dut, [](Options& o) {
    o.sq_psn = 0x400000;
    o.rq_psn = 0x500000;
  });
  c.receive(100);
  if (c.number() == number) {
    c.feed(late_ack);
    c.feed(late_request);
    c.no_completion(10_us);
    c.ignore_packets();
  }
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.received();
}

TEST("QP-19", "numbers of queue pairs are distinct and above 1") {
  driver::CompletionQueue cq(dut.context(), 16);
  std::set<std::uint32_t> numbers;
  std::vector<std::unique_ptr<driver::QueuePair>> all;
  driver::QpOptions options;
  options.send_entries = options.receive_entries = 2;
  for (unsigned i = 0; i < 200; ++i) {
    all.push_back(std::make_unique<driver::QueuePair>(dut.pd(), cq, cq, options));
    const std::uint32_t number = all.back()->number();
    require(number > 1 && number < 0xFFFFFF, "a number of a user's queue pair", hex(number));
    require(numbers.insert(number).second, "a number not in use", hex(number));
  }
}

TEST_THAT_NEEDS(kOurDriver, "QP-20", "a full queue rejects the rest of a list") {
  Connection c(dut, [](Options& o) { o.qp.send_entries = o.qp.receive_entries = 4; });
  std::vector<driver::SendRequest> list(64, c.work(Opcode::kWrite, 10));
  driver::PostResult result = c.qp().post_send(list.data(), list.size());
  require(result.error == driver::PostError::kQueueFull, "QueueFull", "another result");
  require(result.posted >= 4 && result.posted < 64, "4 or a few more posted",
          std::to_string(result.posted));
  for (unsigned i = 0; i < result.posted; ++i) c.expect(packet_of(kRcWriteOnly, c.sq(i)));
  c.expect_silence();
  std::vector<driver::ReceiveRequest> receives(64);
  const driver::PostResult posted = c.qp().post_receive(receives.data(), receives.size());
  require(posted.error == driver::PostError::kQueueFull && posted.posted >= 4, "QueueFull", "not");
  c.ack(c.sq(static_cast<std::int64_t>(result.posted) - 1));
  for (unsigned i = 0; i < result.posted; ++i) c.sent();
}

TEST_THAT_NEEDS(in_bench(kOurDriver.inside, with(layout::Option::kAtomics)), "QP-21",
                "malformed work requests are rejected when posted") {
  using driver::PostError;
  Connection c(dut, [](Options& o) {
    o.qp.send_sges = 2;
    o.qp.max_inline = 64;
  });
  const auto rejected = [&](const driver::SendRequest& r, PostError error,
                            const std::string& what) {
    const driver::PostResult result = c.qp().post_send(&r, 1);
    require(result.error == error && result.posted == 0, what + " rejected", "not");
  };
  driver::SendRequest r = c.work(Opcode::kSend, 0);
  r.sges.assign(3, dut.memory().sge(0, 8));
  rejected(r, PostError::kSges, "three entries");
  Bytes data(4096);
  r = c.work(Opcode::kSend, 0);
  r.inline_data = data.data();
  r.inline_bytes = c.qp().max_inline() + 1;
  rejected(r, PostError::kInline, "too much inline data");
  r = c.work(Opcode::kRead, 0);
  r.inline_data = data.data();
  r.inline_bytes = 8;
  rejected(r, PostError::kInline, "an inline READ");
  rejected(c.work(Opcode::kFetchAdd, 4), PostError::kAtomic, "an atomic of 4 bytes");
  rejected(c.work(Opcode::kCmpSwap, 16), PostError::kAtomic, "an atomic of 16 bytes");
  r = c.work(Opcode::kSend, 8);
  r.opcode = static_cast<Opcode>(77);
  rejected(r, PostError::kOpcode, "an unknown operation");
  c.expect_silence();
  c.still_works(c.rq(0), c.sq(0));
}
}  // namespace roci::conform
