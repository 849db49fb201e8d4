// SPDX-License-Identifier: Apache-2.0
// Responder: NAKs of invalid requests.
#include "testbench/verify/conform/tests/expect_nak.hpp"

namespace roci::conform {
using namespace packet;

TEST("RSP-02", "of two violated rules the earlier one decides") {
  {
    // The order is checked before the key: LAST first, of a WRITE to a bad address; and a bad
    // length.
    Connection c(dut);
    expect_nak(c, {c.send_request(kRcWriteLast, c.rq(0), payload_of(4))}, kNakInvalid, c.rq(0),
               "LAST first");
  }
  {
    // The right on the queue pair is checked before the key.
    Connection c(dut, [](Options& o) { o.access = driver::access::kLocalWrite; });
    expect_nak(c, {c.from_peer(kRcReadRequest, c.rq(0)).reth(0, 0xDEADBEEF, 100)}, kNakInvalid,
               c.rq(0), "a READ that is not allowed, by a bad key");
  }
  {
    // The receive is checked before the length: a SEND that is too long for the path, with no
    // receive.
    Connection c(dut);
    c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(300)));
    c.expect(acknowledge(kRnrNak, c.rq(0)));
  }
  {
    // The length is checked before the key.
    Connection c(dut);
    expect_nak(
        c, {c.from_peer(kRcWriteOnly, c.rq(0)).reth(0, 0xDEADBEEF, 100).payload(payload_of(64))},
        kNakInvalid, c.rq(0), "a WRITE of a wrong length, by a bad key");
  }
}

TEST("RSP-20 WC-02", "a SEND longer than its receive") {
  Connection c(dut, [](Options& o) { o.path_mtu = 3; });
  std::fill(dut.local(600), dut.local(4096), std::uint8_t{0xA5});
  c.receive(600);
  c.receive(600, 8192);
  expect_nak(c, {c.send_request(kRcSendOnly, c.rq(0), payload_of(1000))}, kNakInvalid, c.rq(0),
             "a SEND too long");
  same("wr_id", c.received(Status::kLocLenErr).id, 1);
  same("wr_id", c.received(Status::kWrFlushErr).id, 2);
  for (std::size_t i = 600; i < 4096; ++i) same("byte after", dut.local(i)[0], 0xA5);
}

TEST("RSP-20", "a SEND of many packets that exceeds its receive") {
  Connection c(dut);
  std::fill(dut.local(300), dut.local(4096), std::uint8_t{0xA5});
  c.receive(300);
  expect_nak(c,
             {c.send_request(kRcSendFirst, c.rq(0), payload_of(256)),
              c.send_request(kRcSendLast, c.rq(1), payload_of(45))},
             kNakInvalid, c.rq(1), "a SEND that exceeds its receive");
  c.received(Status::kLocLenErr);
  for (std::size_t i = 300; i < 4096; ++i) same("byte after", dut.local(i)[0], 0xA5);
}

TEST("RSP-21 WC-04", "a receive list with a bad key or range") {
  driver::MemoryRegion readable(dut.pd(), 4096, driver::access::kRemoteRead);
  const driver::Sge lists[] = {
      {dut.memory().address(), 100, dut.memory().key() ^ 0x100},
      {dut.memory().address() + Fixture::kMemory - 50, 100, dut.memory().key()},
      {readable.address(), 100, readable.key()}};
  for (const driver::Sge& sge : lists) {
    Connection c(dut);
    c.receive({sge});
    const Untouched memory(dut);
    expect_nak(c, {c.send_request(kRcSendOnly, c.rq(0), payload_of(100))}, kNakOperational, c.rq(0),
               "a bad receive list");
    c.received(Status::kLocProtErr);
    memory.check("a SEND into a bad receive list");
  }
}

TEST("RSP-22 RSP-51", "opcodes out of order") {
  struct Case {
    const char* what;
    std::vector<std::uint8_t> opcodes;
  };
  const std::vector<Case> cases = {{"SEND MIDDLE first", {kRcSendMiddle}},
                                   {"SEND LAST first", {kRcSendLast}},
                                   {"WRITE MIDDLE first", {kRcWriteMiddle}},
                                   {"WRITE LAST first", {kRcWriteLast}},
                                   {"SEND FIRST twice", {kRcSendFirst, kRcSendFirst}},
                                   {"SEND FIRST, ONLY", {kRcSendFirst, kRcSendOnly}},
                                   {"WRITE FIRST twice", {kRcWriteFirst, kRcWriteFirst}},
                                   {"WRITE FIRST, ONLY", {kRcWriteFirst, kRcWriteOnly}},
                                   {"SEND FIRST, WRITE LAST", {kRcSendFirst, kRcWriteLast}},
                                   {"WRITE FIRST, SEND LAST", {kRcWriteFirst, kRcSendLast}},
                                   {"WRITE FIRST, SEND ONLY", {kRcWriteFirst, kRcSendOnly}},
                                   {"SEND FIRST, READ", {kRcSendFirst, kRcReadRequest}},
                                   {"WRITE FIRST, READ", {kRcWriteFirst, kRcReadRequest}},
                                   {"SEND FIRST, atomic", {kRcSendFirst, kRcFetchAdd}},
                                   {"WRITE FIRST, atomic", {kRcWriteFirst, kRcCmpSwap}}};
  for (const Case& one : cases) {
    Connection c(dut);
    c.receive(2000);
    c.receive(2000);
    std::vector<Builder> packets;
    for (std::size_t i = 0; i < one.opcodes.size(); ++i) {
      const std::uint8_t opcode = one.opcodes[i];
      const std::uint32_t psn = c.rq(static_cast<std::int64_t>(i));
      if (opcode == kRcReadRequest) {
        packets.push_back(c.read_request(psn, 100));
      } else if (opcode == kRcFetchAdd || opcode == kRcCmpSwap) {
        packets.push_back(c.atomic_request(opcode, psn, 1));
      } else {
        packets.push_back(
            c.write_request(opcode, psn, payload_of(256), 0, opcode == kRcWriteFirst ? 512 : 256));
      }
    }
    expect_nak(c, packets, kNakInvalid, c.rq(static_cast<std::int64_t>(packets.size()) - 1),
               one.what);
    const bool in_use = one.opcodes.size() > 1 && one.opcodes[0] == kRcSendFirst;
    same("wr_id", c.received(in_use ? Status::kRemInvReqErr : Status::kWrFlushErr).id, 1);
    same("wr_id", c.received(Status::kWrFlushErr).id, 2);
  }
}

TEST("RSP-24", "operations that the queue pair does not allow") {
  using namespace driver::access;
  {
    Connection c(dut, [](Options& o) { o.access = kLocalWrite | kRemoteRead | kRemoteAtomic; });
    const Untouched memory(dut);
    expect_nak(c, {c.write_request(kRcWriteOnly, c.rq(0), payload_of(10))}, kNakInvalid, c.rq(0),
               "a WRITE not allowed");
    memory.check("a WRITE not allowed");
  }
  {
    Connection c(dut, [](Options& o) { o.access = kLocalWrite | kRemoteWrite | kRemoteAtomic; });
    expect_nak(c, {c.read_request(c.rq(0), 10)}, kNakInvalid, c.rq(0), "a READ not allowed");
  }
  for (const std::uint8_t opcode : {kRcFetchAdd, kRcCmpSwap}) {
    Connection c(dut, [](Options& o) { o.access = kLocalWrite | kRemoteWrite | kRemoteRead; });
    const Untouched memory(dut);
    expect_nak(c, {c.atomic_request(opcode, c.rq(0), 1)}, kNakInvalid, c.rq(0),
               "an atomic not allowed");
    memory.check("an atomic not allowed");
  }
}

TEST("RSP-25", "SEND packets of a wrong length") {
  struct Packet {
    std::uint8_t opcode;
    std::size_t bytes;
  };
  const std::vector<std::vector<Packet>> cases = {
      {{kRcSendOnly, 257}},
      {{kRcSendOnly, 260}},
      {{kRcSendFirst, 252}},
      {{kRcSendFirst, 260}},
      {{kRcSendFirst, 0}},
      {{kRcSendFirst, 253}},
      {{kRcSendFirst, 256}, {kRcSendMiddle, 252}},
      {{kRcSendFirst, 256}, {kRcSendMiddle, 260}},
      {{kRcSendFirst, 256}, {kRcSendLast, 0}},
      {{kRcSendFirst, 256}, {kRcSendLast, 260}},
  };
  for (const auto& packets : cases) {
    Connection c(dut);
    c.receive(4096);
    c.receive(4096);
    std::vector<Builder> frames;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      frames.push_back(c.send_request(packets[i].opcode, c.rq(static_cast<std::int64_t>(i)),
                                      payload_of(packets[i].bytes)));
    }
    const std::string what = std::string(opcode_name(packets.back().opcode)) + " of " +
                             std::to_string(packets.back().bytes) + " bytes";
    expect_nak(c, frames, kNakInvalid, c.rq(static_cast<std::int64_t>(frames.size()) - 1), what);
    const auto first = c.receive_cq().wait(100_us);
    require(first && !first->ok() && first->id == 1, "the receive to end in error after " + what);
    same("wr_id", c.received(Status::kWrFlushErr).id, 2);
  }
}

TEST("RSP-50", "a fatal NAK is sent once") {
  Connection c(dut);
  const Builder bad =
      c.from_peer(kRcWriteOnly, c.rq(0)).ack_req().reth(0, 0xDEADBEEF, 10).payload(payload_of(10));
  expect_nak(c, {bad}, kNakAccess, c.rq(0), "a bad key");
  for (unsigned i = 0; i < 5; ++i) c.feed(bad);
  c.expect_silence();
}

TEST("RSP-51 WC-08 WC-05", "a WRITE with immediate by a bad key, with two receives") {
  Connection c(dut);
  c.receive(10);
  c.receive(10);
  expect_nak(c,
             {c.from_peer(kRcWriteOnlyImm, c.rq(0))
                  .ack_req()
                  .reth(0, 0xDEADBEEF, 10)
                  .imm_dt(1)
                  .payload(payload_of(10))},
             kNakAccess, c.rq(0), "a bad key");
  const auto first = c.receive_cq().wait(100_us);
  require_status(first, {Status::kLocAccessErr, Status::kWrFlushErr},
                 "LocAccessErr or a flush of the first receive");
  same("wr_id", first->id, 1);
  same("wr_id", c.received(Status::kWrFlushErr).id, 2);
}

TEST("RSP-52", "a rejected request without a receive raises its event") {
  {
    Connection c(dut);
    expect_nak(
        c, {c.from_peer(kRcWriteOnly, c.rq(0)).ack_req().reth(0, 5, 10).payload(payload_of(10))},
        kNakAccess, c.rq(0), "a bad key");
    dut.expect_event(EventKind::kQpAccess, c.number());
    dut.expect_no_event(c.number());
  }
  {
    Connection c(dut);
    expect_nak(c, {c.send_request(kRcWriteLast, c.rq(0), payload_of(10))}, kNakInvalid, c.rq(0),
               "LAST first");
    dut.expect_event(EventKind::kQpRequest, c.number());
    dut.expect_no_event(c.number());
  }
  {
    Connection c(dut);
    expect_nak(c, {c.atomic_request(kRcFetchAdd, c.rq(0), 1, 0, 4)}, kNakInvalid, c.rq(0),
               "an atomic not aligned");
    dut.expect_event(EventKind::kQpAccess, c.number());
  }
}

TEST("RSP-53", "the first request in RTR raises one event") {
  Connection c(dut, [](Options& o) { o.up_to = QpState::kRtr; });
  c.receive(100);
  c.receive(100);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
  c.received();
  dut.expect_event(EventKind::kCommEst, c.number());
  c.feed(c.send_request(kRcSendOnly, c.rq(1), payload_of(10)));
  c.received();
  dut.expect_no_event(c.number());
}
}  // namespace roci::conform
