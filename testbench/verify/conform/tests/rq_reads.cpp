// SPDX-License-Identifier: Apache-2.0
// Requester: READ responses and atomic responses, correct and wrong.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

Bytes part(const Bytes& bytes, std::size_t first, std::size_t count) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void holds(Fixture& dut, const Bytes& data, std::size_t offset = 0) {
  require(std::equal(data.begin(), data.end(), dut.local(offset)), "the data in memory",
          "other bytes");
}

/// Checks that the READ or atomic at the SQ PSN failed with the rest flushed, or has not completed.
void must_not_succeed(Connection& c, const std::string& what, Time within = 5_ms) {
  const auto completion = c.send_cq().wait(within);
  require_error(completion, "an error after " + what);
  c.is_in(QpState::kErr);
}

/// Checks, after a response that may be ignored, for an error or another try, and no success.
void error_or_retry(Connection& c, const std::string& what) {
  const auto completion = c.send_cq().wait(1_ms);
  if (completion) {
    require_error(completion, "no success after " + what);
    c.is_in(QpState::kErr);
  } else {
    require(c.next(1_ms).has_value(), "an error or another try after " + what, "neither");
  }
}

}  // namespace

TEST("RQ-35", "a READ is requested anew from the first missing response on") {
  Connection c(dut, [](Options& o) {
    o.path_mtu = 2;
    o.timeout = 6;
  });
  const Bytes data = payload_of(3000);
  c.read(3000);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  c.read_response(kRcReadRespFirst, c.sq(0), part(data, 0, 512));
  c.read_response(kRcReadRespMiddle, c.sq(1), part(data, 512, 512));
  c.expect(packet_of(kRcReadRequest, c.sq(2))
               .with(reth(va(Connection::kRemoteAddress + 1024), rkey(Connection::kRemoteKey),
                          dma_length(1976))),
           2_ms);
  c.read_response(kRcReadRespFirst, c.sq(2), part(data, 1024, 512));
  c.read_response(kRcReadRespMiddle, c.sq(3), part(data, 1536, 512));
  c.read_response(kRcReadRespMiddle, c.sq(4), part(data, 2048, 512));
  c.read_response(kRcReadRespLast, c.sq(5), part(data, 2560, 440));
  same("byte_len", c.sent().byte_len, 3000);
  holds(dut, data);
  c.send(1);
  c.expect(packet_of(kRcSendOnly, c.sq(6)));
}

TEST("RQ-36", "copies of responses have no effect, also after the completion") {
  Connection c(dut);
  const Bytes data = payload_of(600);
  c.read(600, 5);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  for (unsigned i = 0; i < 3; ++i) c.read_response(kRcReadRespFirst, c.sq(0), part(data, 0, 256));
  c.read_response(kRcReadRespMiddle, c.sq(1), part(data, 256, 256));
  c.read_response(kRcReadRespFirst, c.sq(0), payload_of(256, 9));
  c.read_response(kRcReadRespLast, c.sq(2), part(data, 512, 88));
  c.sent();
  holds(dut, data, 5);
  const Bytes now = payload_of(600, 3);
  std::copy(now.begin(), now.end(), dut.local(5));
  c.read_response(kRcReadRespFirst, c.sq(0), part(data, 0, 256));
  c.read_response(kRcReadRespMiddle, c.sq(1), part(data, 256, 256));
  c.read_response(kRcReadRespLast, c.sq(2), part(data, 512, 88));
  c.no_completion(20_us);
  holds(dut, now, 5);
}

TEST("RQ-37", "after a gap in the responses the READ resumes there") {
  Connection c(dut, [](Options& o) { o.timeout = 10; });
  const Bytes data = payload_of(768);
  c.read(768);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  c.read_response(kRcReadRespFirst, c.sq(0), part(data, 0, 256));
  c.read_response(kRcReadRespLast, c.sq(2), part(data, 512, 256));
  c.expect(packet_of(kRcReadRequest, c.sq(1))
               .with(reth(va(Connection::kRemoteAddress + 256), dma_length(512))),
           20_ms);
  c.read_response(kRcReadRespFirst, c.sq(1), part(data, 256, 256));
  c.read_response(kRcReadRespLast, c.sq(2), part(data, 512, 256));
  c.sent();
  holds(dut, data);
}

TEST("RQ-38 WC-01 WC-02 WC-07", "READ responses of a wrong length or order end the READ") {
  struct Response {
    std::uint8_t opcode;
    unsigned at;
    std::size_t bytes;
  };
  struct Case {
    const char* what;
    std::uint32_t bytes;  ///< length of the READ
    Status status;        ///< status of the READ's completion
    std::vector<Response> responses;
  };
  constexpr Status kOrder = Status::kBadRespErr, kLength = Status::kLocLenErr;
  const std::vector<Case> cases = {
      {"a short FIRST", 768, kLength, {{kRcReadRespFirst, 0, 252}}},
      {"a FIRST of two path MTUs", 768, kLength, {{kRcReadRespFirst, 0, 512}}},
      {"a short MIDDLE", 768, kLength, {{kRcReadRespFirst, 0, 256}, {kRcReadRespMiddle, 1, 252}}},
      {"a LAST that is too long",
       600,
       kLength,
       {{kRcReadRespFirst, 0, 256}, {kRcReadRespMiddle, 1, 256}, {kRcReadRespLast, 2, 92}}},
      {"a LAST that is too short",
       600,
       kLength,
       {{kRcReadRespFirst, 0, 256}, {kRcReadRespMiddle, 1, 256}, {kRcReadRespLast, 2, 84}}},
      {"an early LAST", 768, kOrder, {{kRcReadRespFirst, 0, 256}, {kRcReadRespLast, 1, 256}}},
      {"MIDDLE first", 768, kOrder, {{kRcReadRespMiddle, 0, 256}}},
      {"LAST first", 768, kOrder, {{kRcReadRespLast, 0, 256}}},
      {"ONLY for three packets", 768, kOrder, {{kRcReadRespOnly, 0, 256}}},
      {"FIRST twice", 768, kOrder, {{kRcReadRespFirst, 0, 256}, {kRcReadRespFirst, 1, 256}}},
      {"FIRST for one packet", 100, kOrder, {{kRcReadRespFirst, 0, 256}}},
      {"ONLY that is too short", 100, kLength, {{kRcReadRespOnly, 0, 96}}},
      {"ONLY that is too long", 100, kLength, {{kRcReadRespOnly, 0, 104}}},
      {"an empty ONLY", 100, kLength, {{kRcReadRespOnly, 0, 0}}},
      {"a LAST that never ends",
       768,
       kOrder,
       {{kRcReadRespFirst, 0, 256}, {kRcReadRespMiddle, 1, 256}, {kRcReadRespMiddle, 2, 256}}},
  };
  for (const Case& one : cases) {
    Connection c(dut, [](Options& o) {
      o.timeout = 5;
      o.retry_cnt = 2;
    });
    c.read(one.bytes);
    c.expect(packet_of(kRcReadRequest, c.sq(0)));
    for (const Response& r : one.responses) {
      c.read_response(r.opcode, c.sq(r.at), payload_of(r.bytes));
    }
    const auto completion = c.send_cq().wait(5_ms);
    require_status(completion, {one.status},
                   std::string(driver::name_of(one.status)) + " after " + one.what);
    c.is_in(QpState::kErr);
  }
}

TEST("RQ-39 WC-01", "a NAK inside a READ ends it in error") {
  struct Case {
    std::uint8_t syndrome;
    Status status;
  };
  for (const Case& one :
       {Case{kNakOperational, Status::kRemOpErr}, Case{kNakAccess, Status::kRemAccessErr},
        Case{kNakInvalid, Status::kRemInvReqErr}}) {
    Connection c(dut);
    c.read(3000);
    c.expect(packet_of(kRcReadRequest, c.sq(0)));
    c.read_response(kRcReadRespFirst, c.sq(0), payload_of(256));
    c.nak(one.syndrome, c.sq(1));
    c.sent(one.status);
    c.is_in(QpState::kErr);
  }
}

TEST("RQ-40 WC-01", "a response of the wrong kind never completes a request successfully") {
  const auto quick = [](Options& o) { o.timeout = 6; };
  {
    Connection c(dut, quick);
    c.read(100);
    c.expect(packet_of(kRcReadRequest, c.sq(0)));
    c.atomic_response(c.sq(0), 1);
    error_or_retry(c, "an atomic response to a READ");
  }
  {
    Connection c(dut, quick);
    c.write(100);
    c.expect(packet_of(kRcWriteOnly, c.sq(0)));
    c.read_response(kRcReadRespOnly, c.sq(0), payload_of(100));
    error_or_retry(c, "a READ response to a WRITE");
  }
  {
    Connection c(dut, quick);
    c.read(600);
    c.expect(packet_of(kRcReadRequest, c.sq(0)));
    c.ack(c.sq(0));
    error_or_retry(c, "an ACK to a READ");
  }
  {
    Connection c(dut, quick);
    c.fetch_add(1);
    c.expect(packet_of(kRcFetchAdd, c.sq(0)));
    c.ack(c.sq(0));
    error_or_retry(c, "an ACK to an atomic");
  }
  {
    Connection c(dut, quick);
    c.fetch_add(1);
    c.expect(packet_of(kRcFetchAdd, c.sq(0)));
    c.read_response(kRcReadRespOnly, c.sq(0), payload_of(8));
    error_or_retry(c, "a READ response to an atomic");
  }
  {
    Connection c(dut, quick);
    c.send(100);
    c.expect(packet_of(kRcSendOnly, c.sq(0)));
    c.atomic_response(c.sq(0), 1);
    error_or_retry(c, "an atomic response to a SEND");
  }
}

TEST("RQ-40", "an ACK for the first PSN of a READ does not shift its data") {
  Connection c(dut, [](Options& o) { o.timeout = 6; });
  c.read(600);
  c.expect(packet_of(kRcReadRequest, c.sq(0)));
  c.ack(c.sq(0));
  const auto again = c.next(2_ms);
  if (!again) {
    must_not_succeed(c, "an ACK to a READ");
    return;
  }
  const packet::Parsed p = again->parsed();
  same("PSN of the new request", p.bth().psn(), c.sq(0));
  same("address of the new request", p.reth().va(), Connection::kRemoteAddress);
  same("length of the new request", p.reth().dma_length(), 600);
}

TEST("RQ-40 WC-01", "a NAK syndrome in a READ response or an atomic response is no success") {
  for (const unsigned syndrome : {0x60u, 0x62u, 0x63u, 0x21u, 0x40u}) {
    Connection c(dut, [](Options& o) { o.timeout = 6; });
    c.read(100);
    c.expect(packet_of(kRcReadRequest, c.sq(0)));
    c.feed(c.from_peer(kRcReadRespOnly, c.sq(0))
               .aeth(static_cast<std::uint8_t>(syndrome), 1)
               .payload(payload_of(100)));
    error_or_retry(c, "syndrome " + hex(syndrome) + " in a READ response");
    Connection d(dut, [](Options& o) { o.timeout = 6; });
    d.fetch_add(1);
    d.expect(packet_of(kRcFetchAdd, d.sq(0)));
    d.feed(d.from_peer(kRcAtomicAck, d.sq(0))
               .aeth(static_cast<std::uint8_t>(syndrome), 1)
               .atomic_ack_eth(1));
    error_or_retry(d, "syndrome " + hex(syndrome) + " in an atomic response");
  }
}

TEST("RQ-41 WIRE-30", "the value of an atomic's response is stored in host byte order") {
  Connection c(dut);
  c.fetch_add(1, 24);
  const Frame request =
      c.expect(packet_of(kRcFetchAdd, c.sq(0))
                   .with(atomic_eth(atomic_va(Connection::kRemoteAddress),
                                    atomic_rkey(Connection::kRemoteKey), swap_add(1))));
  c.atomic_response(c.sq(0), 0x8877665544332211);
  same("byte_len", c.sent().byte_len, 8);
  const std::uint8_t expected[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
  require(std::equal(expected, expected + 8, dut.local(24)), "11 22 .. 88 in memory", "else");
}

TEST("RQ-42", "an atomic is repeated with the same PSN and operands") {
  Connection c(dut, [](Options& o) { o.timeout = 5; });
  c.cmp_swap(0x1122334455667788, 0x99AABBCCDDEEFF00);
  for (unsigned i = 0; i < 4; ++i) {
    c.expect(packet_of(kRcCmpSwap, c.sq(0))
                 .with(atomic_eth(atomic_va(Connection::kRemoteAddress),
                                  atomic_rkey(Connection::kRemoteKey), swap_add(0x99AABBCCDDEEFF00),
                                  compare(0x1122334455667788))),
             2_ms);
  }
  c.atomic_response(c.sq(0), 5);
  c.sent();
}

}  // namespace roci::conform
