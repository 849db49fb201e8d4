// SPDX-License-Identifier: Apache-2.0
// Requester: RNR, timeouts and retry counts.
#include <algorithm>

#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

/// Shortest wait of each RNR timer code, us.
constexpr std::uint64_t kRnrTimes[32] = {
    655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,   320,
    480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240, 15360,
    20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};

/// `dut` may add to the time until the test sees a frame.
void same_within(Fixture& dut, const std::string& what, Time seen, Time least, Time most) {
  most += dut.adapter().jitter_ns();
  require(seen >= least && seen <= most,
          what + " of " + std::to_string(least) + " to " + std::to_string(most) + " ns",
          std::to_string(seen) + " ns");
}

Time timeout_of(unsigned code) { return Time{4096} << code; }

}  // namespace

TEST("RQ-25", "an RNR NAK acknowledges what is before it and pauses the queue pair") {
  Connection c(dut);
  for (unsigned i = 0; i < 4; ++i) c.send(10);
  for (unsigned i = 0; i < 4; ++i) c.expect(packet_of(kRcSendOnly, c.sq(i)));
  const Time start = dut.now();
  c.rnr(10, c.sq(2));  // 320 us
  same("wr_id", c.sent().id, 1);
  same("wr_id", c.sent().id, 2);
  c.send(10);  // this one waits as well
  if (dut.adapter().in_bench()) c.expect_silence(300_us);
  const Frame again = c.expect(packet_of(kRcSendOnly, c.sq(2)), 1_ms);
  same_within(dut, "pause", again.time_ns - start, 320_us, 740_us);
  c.expect(packet_of(kRcSendOnly, c.sq(3)));
  c.expect(packet_of(kRcSendOnly, c.sq(4)));
  c.ack(c.sq(4));
  for (unsigned i = 3; i <= 5; ++i) same("wr_id", c.sent().id, i);
}

TEST("RQ-26", "the transport timer does not retransmit during an RNR wait") {
  Connection c(dut, [](Options& o) { o.timeout = 10; });  // 4.2 ms
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
  c.rnr(28, c.sq(0));  // 163.84 ms
  c.expect_silence(163_ms);
  c.expect(packet_of(kRcSendOnly, c.sq(0)), 200_ms);
  c.ack(c.sq(0));
  c.sent();
}

TEST("RQ-26", "the transport timer begins anew after an RNR wait") {
  Connection c(dut, [](Options& o) { o.timeout = 16; });  // 268 ms
  c.send(10);
  c.expect(packet_of(kRcSendOnly, c.sq(0)));
  c.rnr(28, c.sq(0));  // 163.84 ms
  const Frame again = c.expect(packet_of(kRcSendOnly, c.sq(0)), 200_ms);
  const Time least = timeout_of(c.options().timeout), late = dut.adapter().jitter_ns();
  const Frame last = c.expect(packet_of(kRcSendOnly, c.sq(0)), 5 * least);
  same_within(dut, "time to the next one", last.time_ns - again.time_ns, least - late, 4 * least);
  c.ack(c.sq(0));
  c.sent();
}

TEST("RQ-27", "each RNR timer code waits its time") {
  Connection c(dut, [](Options& o) { o.timeout = 0; });
  for (unsigned code = 0; code < 32; ++code) {
    c.send(10);
    c.expect(packet_of(kRcSendOnly, c.sq(code)));
    const Time start = dut.now();
    c.rnr(static_cast<std::uint8_t>(code), c.sq(code));
    const Time least = kRnrTimes[code] * 1_us;
    const Frame again = c.expect(packet_of(kRcSendOnly, c.sq(code)), 2 * least + 1_ms);
    same_within(dut, "wait for code " + std::to_string(code), again.time_ns - start, least,
                2 * least + 100_us);
    c.ack(c.sq(code));
    c.sent();
  }
}

TEST("RQ-28 WC-10", "rnr_retry 0, 2 and 7") {
  for (const unsigned retries : {0u, 2u, 6u}) {
    Connection c(dut, [=](Options& o) { o.rnr_retry = static_cast<std::uint8_t>(retries); });
    c.send(10);
    c.send(10);
    for (unsigned i = 0; i <= retries; ++i) {
      c.expect(packet_of(kRcSendOnly, c.sq(0)), 1_ms);
      c.expect(packet_of(kRcSendOnly, c.sq(1)), 1_ms);
      c.rnr(1, c.sq(0));
    }
    same("wr_id", c.sent(Status::kRnrRetryExcErr).id, 1);
    same("wr_id", c.sent(Status::kWrFlushErr).id, 2);
    c.expect_silence(100_us);
    c.is_in(QpState::kErr);
  }
  Connection c(dut, [](Options& o) { o.rnr_retry = 7; });
  c.send(10);
  for (unsigned i = 0; i < 20; ++i) {
    c.expect(packet_of(kRcSendOnly, c.sq(0)), 1_ms);
    c.rnr(1, c.sq(0));
  }
  c.expect(packet_of(kRcSendOnly, c.sq(0)), 1_ms);
  c.ack(c.sq(0));
  c.sent();
}

TEST("RQ-29", "an RNR NAK of a READ or atomic has the same effect") {
  Connection c(dut);
  c.read(600);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  Time start = dut.now();
  c.rnr(8, c.sq(0));  // 160 us
  Frame again = c.expect(packet_of(kRcReadRequest, c.sq(0)), 1_ms);
  same_within(dut, "pause", again.time_ns - start, 160_us, 420_us);
  c.read_response(kRcReadRespFirst, c.sq(0), payload_of(256));
  c.read_response(kRcReadRespMiddle, c.sq(1), payload_of(256));
  c.read_response(kRcReadRespLast, c.sq(2), payload_of(88));
  c.sent();
  c.fetch_add(1);
  c.expect(packet_of(kRcFetchAdd, c.sq(3)));
  start = dut.now();
  c.rnr(8, c.sq(3));
  again = c.expect(packet_of(kRcFetchAdd, c.sq(3)), 1_ms);
  same_within(dut, "pause", again.time_ns - start, 160_us, 420_us);
  c.atomic_response(c.sq(3), 2);
  c.sent();
}

TEST("RQ-30", "progress restores the retries") {
  Connection c(dut, [](Options& o) {
    o.retry_cnt = 1;
    o.timeout = 4;
  });
  c.write(6 * 256);
  // In each round the timer retransmits the rest, and its first packet is acknowledged.
  for (unsigned round = 0; round < 7; ++round) {
    for (unsigned i = round == 0 ? 0 : round - 1; i < 6; ++i) {
      const auto frame = c.next(2_ms);
      require(frame.has_value(), "packet " + std::to_string(i), "silence");
      same("PSN", frame->parsed().bth().psn(), c.sq(i));
    }
    if (round != 0) c.ack(c.sq(round - 1));
  }
  c.sent();
}

TEST("RQ-30", "RNR NAKs and timeouts are counted apart, and progress restores both") {
  Connection c(dut, [](Options& o) {
    o.rnr_retry = 1;
    o.retry_cnt = 1;
    o.timeout = 5;
  });
  for (unsigned i = 0; i < 4; ++i) {
    c.send(10);
    c.expect(packet_of(kRcSendOnly, c.sq(i)));
    c.rnr(1, c.sq(i));
    c.expect(packet_of(kRcSendOnly, c.sq(i)), 1_ms);
    c.expect(packet_of(kRcSendOnly, c.sq(i)), 2_ms);  // by the timer
    c.ack(c.sq(i));
    c.sent();
  }
}

TEST("RQ-31", "the first retry comes between T and 4 T after the last packet") {
  for (const unsigned code : {10u, 13u, 15u}) {
    Connection c(dut, [=](Options& o) { o.timeout = static_cast<std::uint8_t>(code); });
    c.write(10);
    const Frame first = c.expect(packet_of(kRcWriteOnly, c.sq(0)));
    const Frame again =
        c.expect(packet_of(kRcWriteOnly, c.sq(0)), 5 * timeout_of(c.options().timeout));
    // A frame that is seen late makes the time to the next look shorter.
    const Time least = timeout_of(c.options().timeout), late = dut.adapter().jitter_ns();
    same_within(dut, "wait at code " + std::to_string(c.options().timeout),
                again.time_ns - first.time_ns, least - std::min(least, late), 4 * least);
    c.ack(c.sq(0));
    c.sent();
  }
}

TEST("RQ-31", "timeout 0 never retries") {
  Connection c(dut, [](Options& o) { o.timeout = 0; });
  c.write(300);
  c.expect(packet_of(kRcWriteFirst, c.sq(0)));
  c.expect(packet_of(kRcWriteLast, c.sq(1)));
  c.expect_silence(1500_ms);
  c.ack(c.sq(1));
  c.sent();
}

TEST("RQ-32", "steady ACKs keep the timer from firing") {
  Connection c(dut, [](Options& o) { o.timeout = 6; });  // 262 us
  c.write(20 * 256);
  for (unsigned i = 0; i < 20; ++i) {
    c.expect(packet_of(i == 0 ? kRcWriteFirst : i == 19 ? kRcWriteLast : kRcWriteMiddle, c.sq(i)));
  }
  for (unsigned i = 0; i < 20; ++i) {
    dut.sleep(131_us);
    c.ack(c.sq(i));
  }
  c.sent();
  c.expect_silence(5_us);
  if (dut.adapter().in_bench()) same("timeouts", c.qp().counters().timeouts, 0);
}

TEST("RQ-33 WC-10 WC-11", "retry_cnt N sends N + 1 times, then the queue pair fails") {
  for (const unsigned retries : {0u, 2u, 3u}) {
    Connection c(dut, [=](Options& o) {
      o.timeout = 5;
      o.retry_cnt = static_cast<std::uint8_t>(retries);
    });
    c.write(10);
    for (unsigned i = 0; i <= retries; ++i) c.expect(packet_of(kRcWriteOnly, c.sq(0)), 1_ms);
    c.write(10);
    c.ignore_packets();
    same("wr_id", c.sent(Status::kRetryExcErr).id, 1);
    same("wr_id", c.sent(Status::kWrFlushErr).id, 2);
    c.is_in(QpState::kErr);
  }
}

TEST("RQ-34", "retry_cnt 7 is seven retries, not unlimited") {
  Connection c(dut, [](Options& o) {
    o.timeout = 5;
    o.retry_cnt = 7;
  });
  c.write(10);
  for (unsigned i = 0; i < 8; ++i) c.expect(packet_of(kRcWriteOnly, c.sq(0)), 1_ms);
  c.sent(Status::kRetryExcErr, 2_ms);
  c.expect_silence(2_ms);
}

}  // namespace roci::conform
