// SPDX-License-Identifier: Apache-2.0
// Frames: path MTU, solicited, opcodes and states.
#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/edit.hpp"

namespace roci::conform {
using namespace packet;

TEST("WIRE-41", "messages of all sizes at every path MTU") {
  for (std::uint8_t code = 1; code <= 5; ++code) {
    Connection c(dut, [=](Options& o) { o.path_mtu = code; });
    const unsigned pmtu = c.pmtu();
    std::int64_t at = 0;
    for (const Opcode opcode : {Opcode::kSend, Opcode::kWrite}) {
      for (const unsigned bytes : {0u, 1u, pmtu - 1, pmtu, pmtu + 1, 3 * pmtu + 5}) {
        c.post(c.work(opcode, bytes));
        const unsigned packets = std::max(1u, (bytes + pmtu - 1) / pmtu);
        for (unsigned i = 0; i < packets; ++i) {
          const auto frame = c.next();
          require(frame.has_value(), std::to_string(packets) + " packets", std::to_string(i));
          const Parsed p = frame->parsed();
          same("PSN", p.bth().psn(), c.sq(at++));
          same("payload", p.payload.size, std::min(pmtu, bytes - i * pmtu));
          require(p.op->start == (i == 0) && p.op->end == (i + 1 == packets),
                  "FIRST, MIDDLE, LAST or ONLY by position", std::string(p.op->name));
        }
        c.ack(c.sq(at - 1));
        c.sent();
      }
    }
  }
}

TEST("WIRE-42", "a path MTU above the port's is rejected") {
  const std::uint8_t most = dut.context().query_port().active_mtu;
  require(most >= 1 && most <= 5, "a path MTU code of the port", std::to_string(most));
  for (unsigned code = 1; code <= most; ++code) {
    Connection c(dut, [=](Options& o) { o.path_mtu = static_cast<std::uint8_t>(code); });
    c.is_in(QpState::kRts);
  }
  Connection c(dut, [](Options& o) { o.up_to = QpState::kInit; });
  for (const unsigned code : {most + 1u, 6u, 255u}) {
    driver::QpAttributes a = c.attributes();
    a.path_mtu = static_cast<std::uint8_t>(code);
    a.state = QpState::kRtr;
    require(c.rejects(a, driver::mask::kRtr), "path MTU code " + std::to_string(code) + " rejected",
            "taken");
    c.is_in(QpState::kInit);
  }
}

TEST_THAT_NEEDS((Needs{false, 1500}), "WIRE-42",
                "a port of MTU 1500 accepts a path MTU of 1024 and rejects 2048") {
  same("path MTU code of the port", dut.context().query_port().active_mtu, 3);
  Connection taken(dut, [](Options& o) { o.path_mtu = 3; });
  taken.is_in(QpState::kRts);
  taken.write(1500);
  same("payload", taken.expect(packet_of(kRcWriteFirst, taken.sq(0))).parsed().payload.size, 1024);
  taken.expect(packet_of(kRcWriteLast, taken.sq(1)));
  Connection rejected(dut, [](Options& o) { o.up_to = QpState::kInit; });
  driver::QpAttributes a = rejected.attributes();
  a.path_mtu = 4;
  a.state = QpState::kRtr;
  require(rejected.rejects(a, driver::mask::kRtr), "path MTU 2048 rejected", "taken");
  rejected.is_in(QpState::kInit);
}

TEST("WIRE-43", "SE is set in the last packet of solicited SENDs and WRITEs with immediate only") {
  Connection c(dut, [](Options& o) { o.max_rd_atomic = 16; });
  struct Case {
    Opcode opcode;
    std::uint32_t bytes;
    bool last;
  };
  std::int64_t at = 0;
  for (const Case& one : {Case{Opcode::kSend, 600, true}, Case{Opcode::kSendImm, 600, true},
                          Case{Opcode::kSend, 10, true}, Case{Opcode::kWriteImm, 600, true},
                          Case{Opcode::kWriteImm, 10, true}, Case{Opcode::kWrite, 600, false},
                          Case{Opcode::kWrite, 10, false}, Case{Opcode::kRead, 10, false},
                          Case{Opcode::kFetchAdd, 8, false}}) {
    for (const bool solicited : {true, false}) {
      driver::SendRequest r = c.work(one.opcode, one.bytes);
      r.solicited = solicited;
      c.post(r);
      const unsigned packets =
          one.opcode == Opcode::kRead ? 1 : std::max(1u, (one.bytes + 255) / 256);
      for (unsigned i = 0; i < packets; ++i) {
        const auto frame = c.next();
        require(frame.has_value(), "a packet", "silence");
        same("PSN", frame->parsed().bth().psn(), c.sq(at++));
        same("SE", frame->parsed().bth().solicited(),
             solicited && one.last && i + 1 == packets ? 1 : 0);
      }
    }
  }
}

TEST("WIRE-44", "responses never have AckReq") {
  Connection c(dut);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.feed(c.read_request(c.rq(1), 600));
  c.feed(c.atomic_request(kRcFetchAdd, c.rq(4), 1));
  c.feed(c.send_request(kRcSendOnly, c.rq(5), payload_of(10)));  // RNR NAK
  unsigned responses = 0;
  while (const auto frame = c.next(10_us)) {
    same("AckReq", frame->parsed().bth().ack_req(), 0);
    ++responses;
  }
  require(responses >= 5, "an ACK or more, READ responses, an atomic response, an RNR NAK",
          std::to_string(responses) + " packets");
}

TEST("WIRE-46", "reserved RC opcodes are never executed") {
  for (const unsigned opcode : {0x15u, 0x18u, 0x19u, 0x1Fu}) {
    Connection c(dut);
    c.receive(100);
    std::fill(dut.memory().data(), dut.memory().data() + Fixture::kMemory, std::uint8_t{0x5A});
    Edit edit(c.send_request(kRcSendOnly, c.rq(0), payload_of(64)));
    edit.bth().set_opcode(static_cast<std::uint8_t>(opcode));
    dut.feed(edit.sealed());
    const auto frame = c.next(10_us);
    if (frame) {
      const Parsed p = frame->parsed();
      require(p.bth().opcode() == kRcAck && p.aeth().syndrome() == kNakInvalid,
              "silence or NAK invalid request for " + hex(opcode), "another response");
    }
    const auto done = c.receive_cq().poll();
    require(!done || !done->ok(), "no successful completion", "one");
    for (std::size_t i = 0; i < Fixture::kMemory; ++i) same("byte", dut.local(i)[0], 0x5A);
  }
}

TEST("WIRE-47", "RESET, INIT and ERR drop everything") {
  for (const QpState state : {QpState::kReset, QpState::kInit}) {
    Connection c(dut, [=](Options& o) { o.up_to = state; });
    dut.drops_silently(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)), "a SEND");
    dut.drops_silently(c.read_request(c.rq(0), 10), "a READ");
    dut.drops_silently(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1), "an ACK");
  }
  Connection c(dut);
  c.qp().to_error();
  dut.drops_silently(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)), "a SEND");
  dut.drops_silently(c.write_request(kRcWriteOnly, c.rq(0), payload_of(10)), "a WRITE");
  dut.drops_silently(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1), "an ACK");
}

TEST("WIRE-47", "RTR accepts requests and ignores responses") {
  Connection c(dut, [](Options& o) { o.up_to = QpState::kRtr; });
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.received();
  c.expect(acknowledge(kAck, c.rq(0)));
  dut.takes_no_notice(c.from_peer(kRcAck, c.sq(0)).aeth(kAck, 1).build(), "an ACK");
  dut.takes_no_notice(c.from_peer(kRcAck, c.sq(0)).aeth(kNakAccess, 1).build(), "a NAK");
}

TEST("WIRE-47", "SQD accepts requests and responses") {
  Connection c(dut);
  c.receive(100);
  c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  driver::QpAttributes a;
  a.state = QpState::kSqd;
  c.qp().modify(a, driver::mask::kState);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.received();
  c.expect(acknowledge(kAck, c.rq(0)));
  c.ack(c.sq(0));
  c.sent();
}

TEST("WIRE-48", "after each invalid packet the next valid one is executed") {
  Connection c(dut, [](Options& o) { o.qp.receive_entries = 256; });
  Connection witness(dut, [](Options& o) { o.qp.receive_entries = 64; });
  std::uint32_t at = 0;
  const auto serves = [&] {
    witness.receive(64);
    witness.feed(witness.send_request(kRcSendOnly, witness.rq(at), payload_of(64)));
    witness.received(Status::kSuccess, 20_us);
    witness.expect(acknowledge(kAck, witness.rq(at++)));
  };
  std::vector<Bytes> bad;
  Edit icrc(c.send_request(kRcSendOnly, c.rq(0), payload_of(256)));
  icrc.frame().back() ^= 1;
  bad.push_back(icrc.as_it_is());
  Edit runt(c.send_request(kRcSendOnly, c.rq(0), {}));
  bad.emplace_back(runt.frame().begin(), runt.frame().begin() + 20);
  bad.emplace_back(runt.frame().begin(), runt.frame().begin() + 43);
  Edit truncated(c.write_request(kRcWriteOnly, c.rq(0), payload_of(256)));
  bad.emplace_back(truncated.frame().begin(), truncated.frame().end() - 100);
  Edit opcode(c.send_request(kRcSendOnly, c.rq(0), payload_of(256)));
  opcode.bth().set_opcode(0xFF);
  bad.push_back(opcode.sealed());
  bad.push_back(c.write_request(kRcWriteOnly, c.rq(9), payload_of(64)).build());
  bad.emplace_back(1, 0);
  bad.emplace_back(9018, 0x77);
  for (const Bytes& frame : bad) {
    dut.feed(frame);
    serves();
  }
}

TEST("WIRE-48", "packets of random bits do no harm: a thousand, a million in a long run") {
  Connection c(dut);
  Connection witness(dut);
  std::fill(dut.target(), dut.target(Fixture::kTarget), std::uint8_t{0x5A});
  auto& random = dut.random();
  const unsigned all = dut.times(1000, 1'000'000);
  for (unsigned i = 0; i < all; ++i) {
    Bytes frame = c.write_request(kRcWriteOnly, c.rq(0), payload_of(random() % 256)).build();
    if (random() % 4 == 0) frame.resize(random() % frame.size() + 1);
    for (unsigned k = random() % 6 + 1; k > 0; --k) {
      frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    }
    // One bit of the ICRC is always wrong, so that no valid WRITE occurs by chance.
    if (packet::parse(frame).icrc_ok) frame.back() ^= 1;
    dut.feed(frame);
    constexpr unsigned kAtOnce = 1000;
    if (i % kAtOnce + 1 != kAtOnce) continue;
    dut.sleep(300_us);  // their duration at 10 Gb/s
    for (std::size_t k = 0; k < Fixture::kTarget; ++k) same("byte", dut.target(k)[0], 0x5A);
  }
  witness.still_works(witness.rq(0), witness.sq(0));
}

}  // namespace roci::conform
