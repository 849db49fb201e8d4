// SPDX-License-Identifier: Apache-2.0
// Shared receive queues and credits.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

void post(Fixture& dut, driver::SharedReceiveQueue& srq, std::uint64_t id, std::size_t at,
          std::uint32_t bytes = 1024) {
  driver::ReceiveRequest r;
  r.id = id;
  r.sges = {dut.memory().sge(at, bytes)};
  srq.receive(r);
}

/// Returns the receives that a credit code of an AETH stands for.
constexpr std::uint32_t kCredits[31] = {
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

}  // namespace

TEST("RSP-54 RSP-14", "two queue pairs interleave SENDs from one shared receive queue") {
  driver::SharedReceiveQueue srq(dut.pd());
  driver::CompletionQueue cq(dut.context(), 64);
  const auto shared = [&](Options& o) {
    o.qp.srq = &srq;
    o.receive_cq = &cq;
  };
  Connection a(dut, shared), b(dut, shared);
  for (unsigned i = 0; i < 4; ++i) post(dut, srq, 100 + i, 1024 * i);
  const Bytes data_a = payload_of(600, 1), data_b = payload_of(700, 2);
  const auto feed = [](Connection& c, const Bytes& data, unsigned i) {
    const std::size_t at = 256 * i, end = std::min<std::size_t>(at + 256, data.size());
    c.feed(c.send_request(i == 0   ? kRcSendFirst
                          : i == 2 ? kRcSendLast
                                   : kRcSendMiddle,
                          c.rq(i),
                          Bytes(data.begin() + static_cast<std::ptrdiff_t>(at),
                                data.begin() + static_cast<std::ptrdiff_t>(end))));
  };
  feed(a, data_a, 0);
  feed(b, data_b, 0);
  feed(a, data_a, 1);
  feed(b, data_b, 1);
  feed(b, data_b, 2);
  feed(a, data_a, 2);
  for (unsigned i = 0; i < 2; ++i) {
    const auto done = cq.wait(100_us);
    require(done && done->ok(), "two successful receives", "fewer");
    const bool of_a = done->qpn == a.number();
    require(of_a || done->qpn == b.number(), "a receive of one of the two", "another");
    require(done->id == 100 || done->id == 101, "the oldest receives", std::to_string(done->id));
    const Bytes& data = of_a ? data_a : data_b;
    same("byte_len", done->byte_len, data.size());
    require(std::equal(data.begin(), data.end(), dut.local(1024 * (done->id - 100))),
            "each message in its own buffer", "mixed");
  }
  const Frame ack = a.expect_acked(a.rq(2));
  same("syndrome", ack.parsed().aeth().syndrome(), kAck);
  b.expect_acked(b.rq(2));
}

TEST("RSP-54", "an empty shared receive queue causes an RNR NAK") {
  driver::SharedReceiveQueue srq(dut.pd());
  Connection c(dut, [&](Options& o) { o.qp.srq = &srq; });
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.expect(acknowledge(kRnrNak, c.rq(0)));
  post(dut, srq, 7, 0);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  same("wr_id", c.received().id, 7);
  c.expect(acknowledge(kAck, c.rq(0)));
  c.feed(c.write_request(kRcWriteOnlyImm, c.rq(1), payload_of(10)).imm_dt(3));
  c.expect(acknowledge(kRnrNak, c.rq(1)));
}

TEST("RSP-54", "a ring of shared receives wraps") {
  driver::SrqOptions options;
  options.entries = 4;
  driver::SharedReceiveQueue srq(dut.pd(), options);
  Connection c(dut, [&](Options& o) { o.qp.srq = &srq; });
  for (unsigned i = 0; i < 20; ++i) {
    post(dut, srq, i, 64 * (i % 8), 64);
    c.feed(c.send_request(kRcSendOnly, c.rq(i), payload_of(64, i)));
    same("wr_id", c.received().id, i);
    const Bytes data = payload_of(64, i);
    require(std::equal(data.begin(), data.end(), dut.local(64 * (i % 8))), "the payload", "not");
  }
  same("receives left", srq.query().filled, 0);
}

TEST("RSP-55", "the limit event is raised once") {
  driver::SharedReceiveQueue srq(dut.pd());
  Connection c(dut, [&](Options& o) { o.qp.srq = &srq; });
  for (unsigned i = 0; i < 6; ++i) post(dut, srq, i, 64 * i, 64);
  srq.arm_limit(3);
  same("limit", srq.query().limit, 3);
  for (unsigned i = 0; i < 6; ++i) {
    c.feed(c.send_request(kRcSendOnly, c.rq(i), payload_of(8)));
    c.received();
    if (i < 3) dut.expect_no_event(srq.number(), 5_us);
    if (i == 3) dut.expect_event(EventKind::kSrqLimit, srq.number());
  }
  dut.expect_no_event(srq.number());
  same("limit after the event", srq.query().limit, 0);
}

TEST("QP-16",
     "in ERR a queue pair on a shared receive queue raises its event and flushes none of it") {
  driver::SharedReceiveQueue srq(dut.pd());
  Connection c(dut, [&](Options& o) { o.qp.srq = &srq; });
  for (unsigned i = 0; i < 3; ++i) post(dut, srq, i, 64 * i, 64);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(8)));
  c.received();
  while (dut.event(c.number(), 1_us)) {
  }
  // libibverbs does not tell how many there are.
  const bool counts = dut.adapter().in_bench();
  if (counts) same("receives posted", srq.query().filled, 2);
  c.qp().to_error();
  dut.expect_event(EventKind::kQpLastWqe, c.number());
  c.no_completion(10_us);
  if (counts) same("receives posted", srq.query().filled, 2);
  Connection other(dut, [&](Options& o) { o.qp.srq = &srq; });
  other.feed(other.send_request(kRcSendOnly, other.rq(0), payload_of(8)));
  same("wr_id", other.received().id, 1);
}

TEST("RSP-15", "credit codes never report more receives than are posted") {
  Connection c(dut, [](Options& o) {
    o.qp.credits = true;
    o.qp.receive_entries = 512;
  });
  unsigned posted = 0;
  std::uint32_t at = 0;
  for (unsigned code = 1; code < 18; ++code) {
    for (const int by : {-1, 0, 1}) {
      const unsigned n = static_cast<unsigned>(static_cast<int>(kCredits[code]) + by);
      if (n < posted) continue;
      for (; posted < n; ++posted) c.receive(8);
      dut.sleep(2_us);
      c.feed(c.write_request(kRcWriteOnly, c.rq(at), payload_of(8)));
      const Frame ack = c.expect_acked(c.rq(at++));
      const unsigned seen = ack.parsed().aeth().syndrome();
      unsigned best = 0;
      while (best < 30 && kCredits[best + 1] <= n) ++best;
      same("credit code with " + std::to_string(n) + " receives", seen, best);
    }
  }
}

}  // namespace roci::conform
