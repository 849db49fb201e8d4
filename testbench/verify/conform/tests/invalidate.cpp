// SPDX-License-Identifier: Apache-2.0
// Invalidation and fast registration.
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "testbench/verify/conform/tests/window.hpp"

namespace roci::conform {
using namespace packet;

TEST("RQ-54 CQ-04", "WRITE, bind, invalidate and SEND complete in order") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  c.write(10);
  const std::uint32_t key =
      post_bind(c, window, place, place.window(), kBytes, access::kRemoteWrite);
  window.set_key(key);
  driver::SendRequest r;
  r.opcode = Opcode::kLocalInv;
  r.remote_key = key;
  c.post(r);
  c.send(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.no_completion(20_us);
  c.ack(c.sq(0));
  for (unsigned i = 1; i <= 3; ++i) same("wr_id", c.sent().id, i);
  c.expect(packet_of(kRcSendOnly, c.sq(1)));
  c.ack(c.sq(1));
  same("wr_id", c.sent().id, 4);
}

TEST("MR-14", "local invalidate ends a key in order, and a wrong key ends the queue pair") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t key = bind(c, window, place);
  invalidate(c, key);
  same("syndrome", try_write(c, c.rq(0), place.window(), key, 64), kNakAccess);
  for (const std::uint32_t wrong : {key, key ^ 1, 0xFFFFFF00u, place.region.key()}) {
    Connection d(dut);
    driver::SendRequest r;
    r.opcode = Opcode::kLocalInv;
    r.remote_key = wrong;
    d.post(r);
    const auto done = d.send_cq().wait(1_ms);
    require_status(done, {Status::kLocQpOpErr, Status::kMwBindErr},
                   "LocQpOpErr or MwBindErr for key " + hex(wrong));
    d.is_in(QpState::kErr);
  }
}

TEST("MR-15", "fast registration works on a free key only, with a variant of the consumer") {
  using driver::Body;
  const std::uint32_t key = static_cast<std::uint32_t>(
      dut.context()
          .execute(layout::AdminOp::kAllocFastMr,
                   Body()
                       .put(layout::alloc_fast_mr::pd, dut.pd().number())
                       .put(layout::alloc_fast_mr::pasid, dut.context().device().pasid()),
                   "allocate fast region")
          .get(layout::alloc_fast_mr_reply::key));
  driver::SendRequest r;
  r.opcode = Opcode::kRegMr;
  r.remote_address = 0x5000;
  r.swap_add = 4096;
  r.compare = access::kAll;
  r.dma_address = dut.target_address();
  {
    Connection c(dut);
    r.remote_key = (key & ~0xFFu) | 0x77;
    c.post(r);
    same("operation", static_cast<unsigned>(c.sent().opcode),
         static_cast<unsigned>(driver::WcOpcode::kRegMr));
    same("syndrome", try_write(c, c.rq(0), 0x5010, r.remote_key, 64), kAck);
    const Bytes data = payload_of(64);
    require(std::equal(data.begin(), data.end(), dut.target(0x10)), "the WRITE in memory", "not");
    invalidate(c, r.remote_key);
    c.post(r);
    c.sent();
    c.post(r);  // a second time without invalidate
    const auto done = c.send_cq().wait(1_ms);
    require_error(done, "an error");
    c.is_in(QpState::kErr);
  }
  Connection c(dut);
  same("syndrome of another variant", try_write(c, c.rq(0), 0x5010, r.remote_key ^ 1, 64),
       kNakAccess);
  dut.context().execute(layout::AdminOp::kDeregMr, Body().put(layout::dereg_mr::key, r.remote_key),
                        "free fast region");
}

TEST("RSP-46 CQ-05 MR-11", "SEND with invalidate ends the key before its receive completes") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t key = bind(c, window, place);
  same("syndrome", try_write(c, c.rq(0), place.window(), key, 64), kAck);
  c.receive(100);
  const Bytes data = payload_of(100);
  c.feed(c.send_request(kRcSendOnlyInv, c.rq(1), data).ieth(key));
  const Completion done = c.received();
  require(done.with_inv, "WITH_INV", "not");
  same("key invalidated", done.imm, key);
  same("byte_len", done.byte_len, 100);
  require(std::equal(data.begin(), data.end(), dut.local()), "the payload in memory", "not");
  c.expect(acknowledge(kAck, c.rq(1)));
  same("syndrome afterwards", try_write(c, c.rq(2), place.window(), key, 64), kNakAccess);
}

TEST("RSP-46", "SEND with invalidate of many packets, and requests after it") {
  Place place(dut);
  Connection c(dut);
  MemoryWindow window(dut.pd(), WindowType::kType2);
  const std::uint32_t key = bind(c, window, place);
  c.receive(1000);
  c.feed(c.send_request(kRcSendFirst, c.rq(0), payload_of(256)));
  c.feed(c.send_request(kRcSendLastInv, c.rq(1), payload_of(100)).ieth(key));
  same("byte_len", c.received().byte_len, 356);
  c.expect_acked(c.rq(1));
  window.set_key(key);
  bind(c, window, place);  // the window is unbound
  c.still_works(c.rq(2), c.sq(0));
}

namespace {

/// Ends a key of `window`, by a SEND of the peer at the `next` PSN or by the consumer; then the
/// region has other contents.
void end_key(Connection& c, Place& place, std::uint32_t key, bool by_peer, std::uint32_t& next) {
  if (by_peer) {
    c.receive(10);
    c.feed(c.send_request(kRcSendOnlyInv, c.rq(next), payload_of(10)).ieth(key));
    c.expect_acked(c.rq(next++));
    c.received();
  } else {
    invalidate(c, key);
  }
  std::fill(place.region.data(), place.region.data() + place.region.size(), std::uint8_t{0x99});
}

/// Nothing happened.
void check_untouched(Connection& c, Place& place, std::uint32_t next) {
  for (std::size_t i = 0; i < place.region.size(); ++i) same("byte", place.region.data()[i], 0x99);
  c.is_in(QpState::kRts);
  c.still_works(c.rq(next), c.sq(0));
}

}  // namespace

TEST("RSP-35", "a duplicate READ with an invalidated key is dropped") {
  for (const bool by_peer : {true, false}) {
    Place place(dut, kRegionRights);
    Connection c(dut);
    MemoryWindow window(dut.pd(), WindowType::kType2);
    const std::uint32_t key = bind(c, window, place, access::kRemoteRead);
    const auto read = [&] {
      return c.from_peer(kRcReadRequest, c.rq(0)).ack_req().reth(place.window(), key, kBytes);
    };
    c.feed(read());
    c.expect(packet_of(kRcReadRespOnly, c.rq(0)).with(payload_bytes(kBytes)));
    std::uint32_t next = 1;
    end_key(c, place, key, by_peer, next);
    // It would read memory without access rights.
    dut.takes_no_notice(read().build(), "a READ with an invalidated key");
    check_untouched(c, place, next);
  }
}

TEST("RSP-43", "a duplicate atomic with an invalidated key keeps its response") {
  for (const bool by_peer : {true, false}) {
    Place place(dut, kRegionRights);
    Connection c(dut);
    MemoryWindow window(dut.pd(), WindowType::kType2);
    const std::uint32_t key = bind(c, window, place, access::kRemoteAtomic);
    const auto add = [&] {
      return c.from_peer(kRcFetchAdd, c.rq(0)).ack_req().atomic_eth(place.window(), key, 7, 0);
    };
    c.feed(add());
    c.expect(packet_of(kRcAtomicAck, c.rq(0)).with(atomic_ack(0)));
    std::uint32_t next = 1;
    end_key(c, place, key, by_peer, next);
    c.feed(add());
    if (const auto frame = c.next(10_us)) {
      require(frame->parsed().bth().opcode() == kRcAtomicAck, "silence or the saved value",
              "another response");
      same("saved value", frame->parsed().atomic_ack_eth().original(), 0);
    }
    check_untouched(c, place, next);
  }
}

TEST_THAT_NEEDS(with(layout::Option::kKeyOps), "RSP-47",
                "SEND with invalidate of a key that cannot be invalidated") {
  Place place(dut);
  for (const std::uint32_t key : {0xDEADBE00u, place.region.key()}) {
    Connection c(dut);
    for (int i = 0; i < 3; ++i) c.receive(100);
    c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(10)));
    c.feed(c.send_request(kRcSendOnlyInv, c.rq(1), payload_of(10)).ieth(key));
    c.feed(c.send_request(kRcSendOnly, c.rq(2), payload_of(10)));
    c.expect_acked(c.rq(0));
    c.received();
    const auto done = c.receive_cq().wait(100_us);
    require_status(done, {Status::kRemInvReqErr, Status::kLocAccessErr},
                   "RemInvReqErr or LocAccessErr");
    c.received(Status::kWrFlushErr);
    c.is_in(QpState::kErr);
    while (const auto frame = c.next(10_us)) {
      const Parsed& p = frame->parsed();
      require(
          p.bth().opcode() == kRcAck && p.aeth().syndrome() < kRnrNak && p.bth().psn() != c.rq(2),
          "no NAK, and no ACK of the next request", hex(p.aeth().syndrome()));
    }
  }
}

TEST("RQ-05 WIRE-29", "SEND with invalidate carries its key on the last packet") {
  Connection c(dut);
  driver::SendRequest r = c.work(Opcode::kSendInv, 300);
  r.imm = 0x11223344;
  c.post(r);
  c.expect(packet_of(kRcSendFirst, c.sq(0)));
  c.expect(packet_of(kRcSendLastInv, c.sq(1)).with(invalidates(0x11223344)));
  r = c.work(Opcode::kSendInv, 30);
  r.imm = 0x55667788;
  c.post(r);
  c.expect(packet_of(kRcSendOnlyInv, c.sq(2)).with(invalidates(0x55667788)));
  c.ack(c.sq(2));
  c.sent();
  same("operation", static_cast<unsigned>(c.sent().opcode),
       static_cast<unsigned>(driver::WcOpcode::kSend));
}
}  // namespace roci::conform
