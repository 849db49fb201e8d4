// SPDX-License-Identifier: Apache-2.0
// Responder: execution of valid requests.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

void holds(const std::uint8_t* at, const Bytes& data, const char* what) {
  require(std::equal(data.begin(), data.end(), at), std::string(what) + " in memory",
          "other bytes");
}

Bytes part(const Bytes& bytes, std::size_t first, std::size_t count) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(count, bytes.size() - first))};
}

}  // namespace

TEST("RSP-16", "without a receive, SEND and WRITE with immediate get an RNR NAK") {
  struct Case {
    std::uint8_t opcode;
    std::size_t bytes;
  };
  for (const Case& one : {Case{kRcSendOnly, 100}, Case{kRcSendOnly, 0}, Case{kRcSendOnlyImm, 8},
                          Case{kRcWriteOnlyImm, 100}, Case{kRcWriteOnlyImm, 0}}) {
    Connection c(dut, [](Options& o) { o.min_rnr_timer = 13; });
    const Bytes data = payload_of(one.bytes);
    Builder request = c.write_request(one.opcode, c.rq(0), data);
    if (one.opcode != kRcSendOnly) request.imm_dt(5);
    c.feed(request);
    c.expect(acknowledge(kRnrNak, c.rq(0)).with(aeth(syndrome(kRnrNak | 13), msn(0))));
    same("PSN expected", c.qp().query().rq_psn, c.rq(0));
    c.receive(100);
    c.feed(request);
    c.received();
    c.expect(acknowledge(kAck, c.rq(0)));
  }
}

TEST("RSP-17", "a WRITE with immediate takes its receive at the last packet") {
  Connection c(dut);
  const Bytes data = payload_of(600);
  c.feed(c.write_request(kRcWriteFirst, c.rq(0), part(data, 0, 256), 0, 600).ack_req(false));
  c.feed(c.write_request(kRcWriteMiddle, c.rq(1), part(data, 256, 256)).ack_req(false));
  c.feed(c.write_request(kRcWriteLastImm, c.rq(2), part(data, 512, 88)).imm_dt(9));
  c.expect(acknowledge(kRnrNak, c.rq(2)));
  c.receive(0);
  c.feed(c.write_request(kRcWriteLastImm, c.rq(2), part(data, 512, 88)).imm_dt(9));
  const Completion done = c.received();
  same("byte_len", done.byte_len, 600);
  same("immediate", done.imm, 9);
  holds(dut.target(), data, "the WRITE");
}

TEST("RSP-17", "a SEND of many packets takes its receive at the first packet") {
  Connection c(dut);
  c.feed(c.send_request(kRcSendFirst, c.rq(0), payload_of(256)));
  c.expect(acknowledge(kRnrNak, c.rq(0)));
}

TEST("RSP-18 CQ-05", "a WRITE with immediate writes nothing into its receive") {
  Connection c(dut);
  c.receive(0);
  c.receive(200, 512);
  const Bytes before(dut.local(512), dut.local(712));
  const Bytes data = payload_of(3000);
  c.feed(c.write_request(kRcWriteFirst, c.rq(0), part(data, 0, 256), 0, 3000));
  for (unsigned i = 1; i < 11; ++i) {
    c.feed(c.write_request(kRcWriteMiddle, c.rq(i), part(data, 256 * i, 256)));
  }
  c.feed(c.write_request(kRcWriteLastImm, c.rq(11), part(data, 2816, 256)).imm_dt(0x01020304));
  Completion done = c.received();
  same("byte_len", done.byte_len, 3000);
  same("immediate", done.imm, 0x01020304);
  same("opcode", static_cast<unsigned>(done.opcode),
       static_cast<unsigned>(driver::WcOpcode::kRecvWriteImm));
  require(done.with_imm, "WITH_IMM");
  holds(dut.target(), data, "the WRITE");
  c.feed(c.write_request(kRcWriteOnlyImm, c.rq(12), payload_of(50, 4)).imm_dt(7));
  done = c.received();
  same("byte_len", done.byte_len, 50);
  holds(dut.local(512), before, "the untouched receive buffer");
}

TEST("RSP-19 CQ-05", "SEND data fills the receive list in order") {
  Connection c(dut, [](Options& o) {
    o.qp.receive_sges = 4;
    o.path_mtu = 3;
  });
  std::fill(dut.local(), dut.local(16384), std::uint8_t{0xA5});
  c.receive({dut.memory().sge(100, 10), dut.memory().sge(200, 333), dut.memory().sge(1000, 4000)});
  const Bytes data = payload_of(608);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), data));
  const Completion done = c.received();
  same("byte_len", done.byte_len, 608);
  same("opcode", static_cast<unsigned>(done.opcode),
       static_cast<unsigned>(driver::WcOpcode::kRecv));
  holds(dut.local(100), part(data, 0, 10), "the first segment");
  holds(dut.local(200), part(data, 10, 333), "the second segment");
  holds(dut.local(1000), part(data, 343, 265), "the third segment");
  for (const std::size_t at : {99u, 110u, 199u, 533u, 999u, 1265u}) {
    same("byte " + std::to_string(at), dut.local(at)[0], 0xA5);
  }
}

TEST("RSP-30", "the first and the last byte of a region are accessible") {
  Connection c(dut);
  c.feed(c.from_peer(kRcWriteOnly, c.rq(0))
             .ack_req()
             .reth(dut.memory().address(), dut.memory().key(), 1)
             .payload(Bytes{0x11}));
  c.feed(c.from_peer(kRcWriteOnly, c.rq(1))
             .ack_req()
             .reth(dut.memory().address() + Fixture::kMemory - 1, dut.memory().key(), 1)
             .payload(Bytes{0x22}));
  c.expect_acked(c.rq(1));
  same("first byte", dut.local()[0], 0x11);
  same("last byte", dut.local(Fixture::kMemory - 1)[0], 0x22);
}

TEST("RSP-48 CQ-03", "WRITE data is in memory when the SEND after it completes") {
  Connection c(dut, [](Options& o) { o.path_mtu = 3; });
  std::uint32_t at = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const Bytes data = payload_of(1024, round), note = payload_of(64, 1000 + round);
    c.receive(64, 256);
    c.feed(c.write_request(kRcWriteOnly, c.rq(at++), data, 1024 * (round % 32)));
    c.feed(c.send_request(kRcSendOnly, c.rq(at++), note));
    c.received();
    holds(dut.target(1024 * (round % 32)), data, "the WRITE");
    holds(dut.local(256), note, "the SEND");
  }
}

TEST("RSP-49", "a READ right after a WRITE reads its data") {
  Connection c(dut);
  std::uint32_t at = 0;
  for (unsigned round = 0; round < 50; ++round) {
    const Bytes data = payload_of(200, round);
    c.feed(c.write_request(kRcWriteOnly, c.rq(at++), data).ack_req(false));
    c.feed(c.read_request(c.rq(at++), 200));
    for (;;) {
      const auto frame = c.next();
      require(frame.has_value(), "a READ response", "silence");
      if (frame->parsed().bth().opcode() == kRcAck) continue;
      require(frame->parsed().payload == data, "the written data", "other bytes");
      break;
    }
  }
}
}  // namespace roci::conform
