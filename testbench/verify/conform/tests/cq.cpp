// SPDX-License-Identifier: Apache-2.0
// Completion and event queues.
#include <map>

#include "testbench/verify/conform/connection.hpp"
#include "testbench/verify/conform/tests/deliver.hpp"

namespace roci::conform {
using namespace packet;

TEST("CQ-01", "a queue created with four entries holds four") {
  Connection c(dut, [](Options& o) { o.cq_entries = 4; });
  std::uint32_t at = 0;
  deliver(c, 4, at);
  for (unsigned i = 1; i <= 4; ++i) same("wr_id", c.received().id, i);
  c.is_in(QpState::kRts);
}

TEST("CQ-02 CQ-15", "four queue pairs on one completion queue keep their orders") {
  driver::CompletionQueue cq(dut.context(), 1024);
  std::vector<std::unique_ptr<Connection>> all;
  for (unsigned i = 0; i < 4; ++i) {
    all.push_back(std::make_unique<Connection>(dut, [&](Options& o) {
      o.send_cq = o.receive_cq = &cq;
      o.qp.send_entries = o.qp.receive_entries = 64;
    }));
  }
  constexpr unsigned kRounds = 16;
  for (unsigned k = 0; k < kRounds; ++k) {
    for (auto& c : all) c->receive(64, 64 * k);
    for (auto& c : all) c->write(64);
  }
  for (auto& c : all) {
    for (unsigned k = 0; k < kRounds; ++k) c->expect(packet_of(kRcWriteOnly, c->sq(k)));
  }
  for (unsigned k = 0; k < kRounds; ++k) {
    for (auto& c : all) {
      c->feed(c->send_request(kRcSendOnly, c->rq(k), payload_of(64)));
      c->ack(c->sq(k));
    }
  }
  std::map<std::pair<std::uint32_t, bool>, std::uint64_t> last;
  for (unsigned k = 0; k < 2 * 4 * kRounds; ++k) {
    const auto done = cq.wait(1_ms);
    require(done && done->ok(), "128 successful completions", std::to_string(k));
    std::uint64_t& before = last[{done->qpn, done->receive}];
    require(done->id > before, "identifiers in order", std::to_string(done->id));
    before = done->id;
  }
  same("queues", last.size(), 8);
  require(!cq.poll(), "no completion more", "one");
}

TEST("CQ-04", "successful send completions of each operation") {
  Connection c(dut);
  struct Case {
    Opcode opcode;
    driver::WcOpcode completed;
    std::uint32_t bytes;
  };
  std::int64_t at = 0;
  for (const Case& one : {Case{Opcode::kSend, driver::WcOpcode::kSend, 10},
                          Case{Opcode::kSendImm, driver::WcOpcode::kSend, 10},
                          Case{Opcode::kWrite, driver::WcOpcode::kWrite, 10},
                          Case{Opcode::kWriteImm, driver::WcOpcode::kWrite, 10},
                          Case{Opcode::kRead, driver::WcOpcode::kRead, 10},
                          Case{Opcode::kCmpSwap, driver::WcOpcode::kCmpSwap, 8},
                          Case{Opcode::kFetchAdd, driver::WcOpcode::kFetchAdd, 8}}) {
    const std::uint64_t id = c.post(c.work(one.opcode, one.bytes));
    require(c.next().has_value(), "a request");
    if (one.opcode == Opcode::kRead) {
      c.read_response(kRcReadRespOnly, c.sq(at), payload_of(10));
    } else if (one.opcode == Opcode::kCmpSwap || one.opcode == Opcode::kFetchAdd) {
      c.atomic_response(c.sq(at), 1);
    } else {
      c.ack(c.sq(at));
    }
    const Completion done = c.sent();
    same("wr_id", done.id, id);
    same("operation", static_cast<unsigned>(done.opcode), static_cast<unsigned>(one.completed));
    same("queue pair", done.qpn, c.number());
    if (one.opcode == Opcode::kRead || one.bytes == 8) same("byte_len", done.byte_len, one.bytes);
    ++at;
  }
}

TEST("CQ-05", "successful receive completions of SEND with and without immediate") {
  Connection c(dut);
  c.receive(1000);
  c.receive(1000);
  c.feed(c.send_request(kRcSendOnly, c.rq(0), payload_of(30)).solicited());
  Completion done = c.received();
  same("wr_id", done.id, 1);
  same("byte_len", done.byte_len, 30);
  same("queue pair", done.qpn, c.number());
  require(done.receive && !done.with_imm, "a receive without immediate");
  c.feed(c.send_request(kRcSendFirst, c.rq(1), payload_of(256)));
  c.feed(c.send_request(kRcSendLastImm, c.rq(2), payload_of(44)).imm_dt(0xCAFEF00D));
  done = c.received();
  same("wr_id", done.id, 2);
  same("byte_len", done.byte_len, 300);
  same("immediate", done.imm, 0xCAFEF00D);
  same("operation", static_cast<unsigned>(done.opcode),
       static_cast<unsigned>(driver::WcOpcode::kRecv));
  require(done.with_imm, "WITH_IMM");
}

TEST("CQ-06", "failed completions carry identifier, status and queue pair") {
  Connection c(dut);
  const std::uint64_t receive = c.receive(10);
  const std::uint64_t send = c.write(10);
  c.expect(packet_of(kRcWriteOnly, c.sq(0)));
  c.nak(kNakOperational, c.sq(0));
  Completion done = c.sent(Status::kRemOpErr);
  same("wr_id", done.id, send);
  same("queue pair", done.qpn, c.number());
  done = c.received(Status::kWrFlushErr);
  same("wr_id", done.id, receive);
  same("queue pair", done.qpn, c.number());
}

TEST_THAT_NEEDS(kept(), "CQ-07",
                "an overflow keeps the entries, raises an event and fails the queue pair") {
  driver::CompletionQueue cq(dut.context(), 4);
  Connection c(dut, [&](Options& o) {
    o.receive_cq = &cq;
    o.qp.receive_entries = 64;
  });
  for (unsigned i = 0; i < 40; ++i) c.receive(8);
  for (unsigned i = 0; i < 40; ++i) {
    c.feed(c.send_request(kRcSendOnly, c.rq(i), payload_of(8)));
  }
  dut.expect_event(EventKind::kCqError, cq.number());
  dut.expect_event(EventKind::kQpFatal, c.number());
  c.is_in(QpState::kErr);
  std::uint64_t good = 0;
  while (const auto done = cq.wait(20_us)) {
    if (done->ok()) same("wr_id", done->id, ++good);
  }
  require(good >= 4 && good < 40, "the first four or more", std::to_string(good));
}

TEST_THAT_NEEDS(kept(), "CQ-13",
                "a resize keeps entries and order, and one too small is rejected") {
  Connection c(dut, [](Options& o) { o.cq_entries = 16; });
  std::uint32_t at = 0;
  deliver(c, 13, at);
  for (unsigned i = 1; i <= 7; ++i) same("wr_id", c.received().id, i);
  bool rejected = false;
  try {
    c.receive_cq().resize(3);
  } catch (const driver::Error&) {
    rejected = true;
  }
  require(rejected, "a resize to 3 with 6 entries rejected", "done");
  c.receive_cq().resize(64);
  for (unsigned i = 8; i <= 10; ++i) same("wr_id", c.received().id, i);
  deliver(c, 50, at);
  for (unsigned i = 11; i <= 63; ++i) same("wr_id", c.received().id, i);
  c.no_completion();
  c.is_in(QpState::kRts);
}

TEST_THAT_NEEDS(kept(), "CQ-13", "a resize while completions come loses none") {
  Connection c(dut, [](Options& o) { o.cq_entries = 64; });
  for (unsigned i = 0; i < 48; ++i) c.receive(8);
  for (unsigned i = 0; i < 48; ++i) {
    c.feed(c.send_request(kRcSendOnly, c.rq(i), payload_of(8)));
  }
  for (const unsigned entries : {100u, 60u, 200u}) c.receive_cq().resize(entries);
  for (unsigned i = 1; i <= 48; ++i) same("wr_id", c.received().id, i);
}

TEST("CQ-14 CQ-03", "a small ring wraps a thousand times and no entry is half written") {
  driver::CompletionQueue cq(dut.context(), 4);
  Connection c(dut, [&](Options& o) { o.receive_cq = &cq; });
  std::uint64_t last = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    const std::uint32_t bytes = 1 + i % 64;
    c.receive(64, 64 * (i % 8));
    c.feed(c.send_request(kRcSendOnlyImm, c.rq(i), payload_of(bytes, i)).imm_dt(i * 0x01010101u));
    const auto done = cq.wait(50_us);
    require(done.has_value(), "a completion", "none");
    require(done->ok() && done->receive && done->qpn == c.number(), "a good completion", "another");
    same("wr_id", done->id, ++last);
    same("byte_len", done->byte_len, bytes);
    same("immediate", done->imm, i * 0x01010101u);
    const Bytes data = payload_of(bytes, i);
    require(std::equal(data.begin(), data.end(), dut.local(64 * (i % 8))), "its payload",
            "not yet");
  }
}
}  // namespace roci::conform
