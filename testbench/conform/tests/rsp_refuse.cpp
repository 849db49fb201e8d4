// Responder: what bad requests bring.
#include "testbench/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

/// Feeds packets; the last one must be refused with `syndrome`, and the queue pair be in ERR.
void refused(Connection& c, const std::vector<Builder>& packets, std::uint8_t syndrome,
             std::uint32_t psn, const std::string& what) {
  for (const Builder& packet : packets) c.feed(packet);
  for (;;) {
    const auto frame = c.next(50_us);
    const std::string expected = "a NAK " + hex(syndrome) + " for " + what;
    require(frame.has_value(), expected, "silence");
    const packet::Parsed p = frame->parsed();
    const bool ack = p.ok() && p.bth().opcode() == kRcAck;
    // What went before may be acknowledged.
    if (ack && p.aeth().syndrome() == kAck && p.psn().before(transport::Psn(psn))) continue;
    require(ack, expected, "another packet");
    if (p.aeth().syndrome() != syndrome) {
      throw Failure(expected, "syndrome " + hex(p.aeth().syndrome()));
    }
    same("PSN of the NAK for " + what, p.bth().psn(), psn);
    break;
  }
  c.is_in(QpState::kErr);
}

/// Memory of the target part, to compare.
struct Untouched {
  explicit Untouched(Bench& b) : bench(b), before(b.local(), b.local(Bench::kMemory)) {}
  void check(const std::string& what) const {
    require(std::equal(before.begin(), before.end(), bench.local()), "memory untouched by " + what,
            "written");
  }
  Bench& bench;
  Bytes before;
};

}  // namespace

TEST("RSP-02", "of two broken rules the earlier one decides") {
  {
    // Order before key: LAST first, of a WRITE to a bad address; and a bad length.
    Connection c(dut);
    refused(c, {c.send_request(kRcWriteLast, c.rq(0), payload_of(4))}, kNakInvalid, c.rq(0),
            "LAST first");
  }
  {
    // No right on the queue pair before the key.
    Connection c(dut, [](Options& o) { o.access = driver::access::kLocalWrite; });
    refused(c, {c.from_peer(kRcReadRequest, c.rq(0)).reth(0, 0xDEADBEEF, 100)}, kNakInvalid,
            c.rq(0), "a READ that is not allowed, by a bad key");
  }
  {
    // The receive before the length: a SEND that is too long for the path, with no receive.
    Connection c(dut);
    c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(300)));
    c.expect(answer(kRnrNak, c.rq(0)));
  }
  {
    // The length before the key.
    Connection c(dut);
    refused(c,
            {c.from_peer(kRcWriteOnly, c.rq(0)).reth(0, 0xDEADBEEF, 100).payload(payload_of(64))},
            kNakInvalid, c.rq(0), "a WRITE of a wrong length, by a bad key");
  }
}

TEST("RSP-20 WC-02", "a SEND longer than its receive") {
  Connection c(dut, [](Options& o) { o.path_mtu = 3; });
  std::fill(dut.local(600), dut.local(4096), std::uint8_t{0xA5});
  c.receive(600);
  c.receive(600, 8192);
  refused(c, {c.send_request(kRcSendOnly, c.rq(0), payload_of(1000))}, kNakInvalid, c.rq(0),
          "a SEND too long");
  same("wr_id", c.received(Status::kLocLenErr).id, 1);
  same("wr_id", c.received(Status::kWrFlushErr).id, 2);
  for (std::size_t i = 600; i < 4096; ++i) same("byte behind", dut.local(i)[0], 0xA5);
}

TEST("RSP-20", "a SEND of many packets that outgrows its receive") {
  Connection c(dut);
  std::fill(dut.local(300), dut.local(4096), std::uint8_t{0xA5});
  c.receive(300);
  refused(c,
          {c.send_request(kRcSendFirst, c.rq(0), payload_of(256)),
           c.send_request(kRcSendLast, c.rq(1), payload_of(45))},
          kNakInvalid, c.rq(1), "a SEND that outgrows its receive");
  c.received(Status::kLocLenErr);
  for (std::size_t i = 300; i < 4096; ++i) same("byte behind", dut.local(i)[0], 0xA5);
}

TEST("RSP-21 WC-04", "a receive list with a bad key or range") {
  driver::MemoryRegion readable(dut.pd(), 4096, driver::access::kRemoteRead);
  const driver::Sge lists[] = {
      {dut.memory().address(), 100, dut.memory().key() ^ 0x100},
      {dut.memory().address() + Bench::kMemory - 50, 100, dut.memory().key()},
      {readable.address(), 100, readable.key()}};
  for (const driver::Sge& sge : lists) {
    Connection c(dut);
    c.receive({sge});
    const Untouched memory(dut);
    refused(c, {c.send_request(kRcSendOnly, c.rq(0), payload_of(100))}, kNakOperational, c.rq(0),
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
    refused(c, packets, kNakInvalid, c.rq(static_cast<std::int64_t>(packets.size()) - 1), one.what);
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
    refused(c, {c.write_request(kRcWriteOnly, c.rq(0), payload_of(10))}, kNakInvalid, c.rq(0),
            "a WRITE not allowed");
    memory.check("a WRITE not allowed");
  }
  {
    Connection c(dut, [](Options& o) { o.access = kLocalWrite | kRemoteWrite | kRemoteAtomic; });
    refused(c, {c.read_request(c.rq(0), 10)}, kNakInvalid, c.rq(0), "a READ not allowed");
  }
  for (const std::uint8_t opcode : {kRcFetchAdd, kRcCmpSwap}) {
    Connection c(dut, [](Options& o) { o.access = kLocalWrite | kRemoteWrite | kRemoteRead; });
    const Untouched memory(dut);
    refused(c, {c.atomic_request(opcode, c.rq(0), 1)}, kNakInvalid, c.rq(0),
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
    refused(c, frames, kNakInvalid, c.rq(static_cast<std::int64_t>(frames.size()) - 1), what);
    const auto first = c.receive_cq().wait(100_us);
    require(first && !first->ok() && first->id == 1, "the receive to end in error after " + what);
    same("wr_id", c.received(Status::kWrFlushErr).id, 2);
  }
}

TEST("RSP-26 RSP-27", "WRITEs that do not add up to DMALen") {
  struct Packet {
    std::uint8_t opcode;
    std::size_t bytes;
  };
  struct Case {
    std::uint32_t total;
    std::vector<Packet> packets;
  };
  const std::vector<Case> cases = {
      {100, {{kRcWriteOnly, 64}}},
      {32, {{kRcWriteOnly, 64}}},
      {61, {{kRcWriteOnly, 64}}},
      {0, {{kRcWriteOnly, 64}}},
      {64, {{kRcWriteOnly, 0}}},
      {300, {{kRcWriteOnly, 300}}},
      {256, {{kRcWriteFirst, 256}}},
      {100, {{kRcWriteFirst, 256}}},
      {0, {{kRcWriteFirst, 256}}},
      {600, {{kRcWriteFirst, 252}}},
      {600, {{kRcWriteFirst, 260}}},
      {768, {{kRcWriteFirst, 256}, {kRcWriteLast, 256}}},
      {600, {{kRcWriteFirst, 256}, {kRcWriteLast, 100}}},
      {512, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}}},
      {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}, {kRcWriteMiddle, 256}}},
      {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}, {kRcWriteLast, 92}}},
      {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 256}, {kRcWriteLast, 84}}},
      {600, {{kRcWriteFirst, 256}, {kRcWriteMiddle, 252}}},
  };
  for (const Case& one : cases) {
    Connection c(dut);
    std::fill(dut.target(), dut.target(4096), std::uint8_t{0x5A});
    std::vector<Builder> frames;
    std::string what = "DMALen " + std::to_string(one.total) + " with";
    for (std::size_t i = 0; i < one.packets.size(); ++i) {
      const Packet& p = one.packets[i];
      what += " " + std::string(opcode_name(p.opcode)) + " " + std::to_string(p.bytes);
      Builder frame =
          c.send_request(p.opcode, c.rq(static_cast<std::int64_t>(i)), payload_of(p.bytes));
      if (i == 0) frame.reth(dut.target_address(64), dut.memory().key(), one.total);
      frames.push_back(frame);
    }
    refused(c, frames, kNakInvalid, c.rq(static_cast<std::int64_t>(frames.size()) - 1), what);
    dut.sleep(5_us);
    for (std::size_t i = 0; i < 4096; ++i) {
      if (i >= 64 && i < 64 + one.total) continue;
      require(dut.target(i)[0] == 0x5A, "no byte outside the range written by " + what,
              "byte " + std::to_string(i));
    }
  }
}

TEST("RSP-28", "DMALen above 2^31") {
  for (const std::uint8_t opcode : {kRcWriteFirst, kRcReadRequest}) {
    for (const std::uint32_t total : {0x80000001u, 0xFFFFFFFFu}) {
      Connection c(dut);
      const Untouched memory(dut);
      Builder frame = c.from_peer(opcode, c.rq(0))
                          .ack_req()
                          .reth(dut.target_address(), dut.memory().key(), total);
      if (opcode == kRcWriteFirst) frame.payload(payload_of(256));
      c.feed(frame);
      const auto answer = c.next();
      require(answer.has_value(), "a NAK", "silence");
      const unsigned seen = answer->parsed().aeth().syndrome();
      require(seen == kNakInvalid || seen == kNakAccess, "NAK 0x61 or 0x62", hex(seen));
      c.is_in(QpState::kErr);
      memory.check("a WRITE above 2^31 bytes");
    }
  }
}

TEST("RSP-29 MR-01 MR-02 MR-03 WC-09", "key checks of WRITEs and READs") {
  driver::ProtectionDomain other_pd(dut.context());
  driver::MemoryRegion foreign(other_pd, 4096, driver::access::kAll);
  driver::MemoryRegion local_only(dut.pd(), 4096, driver::access::kLocalWrite);
  const std::uint64_t base = dut.memory().address();
  const std::uint32_t key = dut.memory().key();
  struct Case {
    const char* what;
    std::uint64_t va;
    std::uint32_t key;
    std::uint32_t bytes;
  };
  std::vector<Case> cases = {
      {"the last byte one past the region", base + Bench::kMemory - 99, key, 100},
      {"an address one below", base - 1, key, 100},
      {"a range far behind", base + (1ull << 40), key, 100},
      {"a range that wraps 2^64", ~std::uint64_t{0} - 49, key, 100},
      {"an address just below 2^64", ~std::uint64_t{0}, key, 1},
      {"another domain", foreign.address(), foreign.key(), 100},
      {"no remote right", local_only.address(), local_only.key(), 100},
      {"an index never given", base, 0xFFFFFF00, 100},
  };
  for (unsigned bit = 0; bit < 8; ++bit)
    cases.push_back({"a wrong variant", base, key ^ 1u << bit, 100});
  for (const Case& one : cases) {
    for (const std::uint8_t opcode : {kRcWriteOnly, kRcReadRequest}) {
      Connection c(dut);
      const Untouched memory(dut);
      Builder frame = c.from_peer(opcode, c.rq(0)).ack_req().reth(one.va, one.key, one.bytes);
      if (opcode == kRcWriteOnly) frame.payload(payload_of(one.bytes));
      refused(c, {frame}, kNakAccess, c.rq(0), one.what);
      memory.check(one.what);
      if (opcode == kRcWriteOnly) {
        for (unsigned i = 0; i < 4096; ++i) same("byte", foreign.data()[i], 0);
      }
    }
  }
}

TEST("RSP-29", "a WRITE of many packets is refused at the first when its end is outside") {
  Connection c(dut);
  const Untouched memory(dut);
  refused(c,
          {c.from_peer(kRcWriteFirst, c.rq(0))
               .reth(dut.memory().address() + Bench::kMemory - 599, dut.memory().key(), 600)
               .payload(payload_of(256))},
          kNakAccess, c.rq(0), "a WRITE that ends outside");
  memory.check("a WRITE that ends outside");
}

TEST("RSP-39", "max_dest_rd_atomic 0 refuses READs and atomics") {
  for (const std::uint8_t opcode : {kRcReadRequest, kRcFetchAdd, kRcCmpSwap}) {
    Connection c(dut, [](Options& o) { o.max_dest_rd_atomic = 0; });
    refused(c,
            {opcode == kRcReadRequest ? c.read_request(c.rq(0), 10)
                                      : c.atomic_request(opcode, c.rq(0), 1)},
            kNakInvalid, c.rq(0), "a READ or atomic at depth 0");
  }
}

TEST("RSP-41", "atomics at addresses that are no multiple of 8") {
  for (const std::uint8_t opcode : {kRcFetchAdd, kRcCmpSwap}) {
    for (const std::size_t at : {1u, 2u, 4u}) {
      Connection c(dut);
      const Untouched memory(dut);
      refused(c, {c.atomic_request(opcode, c.rq(0), 1, 0, at)}, kNakInvalid, c.rq(0),
              "an atomic not aligned");
      memory.check("an atomic not aligned");
    }
  }
}

TEST("RSP-42", "atomics without the right or out of bounds") {
  driver::MemoryRegion region(
      dut.pd(), 4096,
      driver::access::kLocalWrite | driver::access::kRemoteWrite | driver::access::kRemoteRead);
  driver::DmaMemory memory = dut.context().device().allocate(4096, 4096);
  {
    driver::MemoryRegion odd(dut.pd(), {memory.host, memory.dma, 100}, driver::access::kAll,
                             memory.dma);
    struct Case {
      const char* what;
      std::uint64_t va;
      std::uint32_t key;
    };
    for (const Case& one : {Case{"an atomic without the right", region.address(), region.key()},
                            Case{"an atomic half outside", odd.address() + 96, odd.key()},
                            Case{"an atomic outside", odd.address() + 104, odd.key()}}) {
      Connection c(dut);
      refused(c, {c.from_peer(kRcFetchAdd, c.rq(0)).ack_req().atomic_eth(one.va, one.key, 1, 0)},
              kNakAccess, c.rq(0), one.what);
      for (unsigned i = 0; i < 4096; ++i) same("byte", region.data()[i] | memory.host[i], 0);
    }
  }
  dut.context().device().release(memory);
}

TEST("RSP-50", "a fatal NAK is sent once") {
  Connection c(dut);
  const Builder bad =
      c.from_peer(kRcWriteOnly, c.rq(0)).ack_req().reth(0, 0xDEADBEEF, 10).payload(payload_of(10));
  refused(c, {bad}, kNakAccess, c.rq(0), "a bad key");
  for (unsigned i = 0; i < 5; ++i) c.feed(bad);
  c.expect_silence();
}

TEST("RSP-51 WC-08 WC-05", "a WRITE with immediate by a bad key, with two receives") {
  Connection c(dut);
  c.receive(10);
  c.receive(10);
  refused(c,
          {c.from_peer(kRcWriteOnlyImm, c.rq(0))
               .ack_req()
               .reth(0, 0xDEADBEEF, 10)
               .imm_dt(1)
               .payload(payload_of(10))},
          kNakAccess, c.rq(0), "a bad key");
  const auto first = c.receive_cq().wait(100_us);
  require(first && first->id == 1 &&
              (first->status == Status::kLocAccessErr || first->status == Status::kWrFlushErr),
          "LocAccessErr or a flush of the first receive",
          first ? driver::name_of(first->status) : "nothing");
  same("wr_id", c.received(Status::kWrFlushErr).id, 2);
}

TEST("RSP-52", "a refused request without a receive raises its event") {
  {
    Connection c(dut);
    refused(c,
            {c.from_peer(kRcWriteOnly, c.rq(0)).ack_req().reth(0, 5, 10).payload(payload_of(10))},
            kNakAccess, c.rq(0), "a bad key");
    dut.expect_event(EventKind::kQpAccess, c.number());
    dut.expect_no_event(c.number());
  }
  {
    Connection c(dut);
    refused(c, {c.send_request(kRcWriteLast, c.rq(0), payload_of(10))}, kNakInvalid, c.rq(0),
            "LAST first");
    dut.expect_event(EventKind::kQpRequest, c.number());
    dut.expect_no_event(c.number());
  }
  {
    Connection c(dut);
    refused(c, {c.atomic_request(kRcFetchAdd, c.rq(0), 1, 0, 4)}, kNakInvalid, c.rq(0),
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
