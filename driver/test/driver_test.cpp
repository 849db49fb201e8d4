// SPDX-License-Identifier: Apache-2.0
// The driver against a device made of host memory: the entries it writes are compared with the
// bytes that docs/queues.md specifies, and the entries it reads are written by hand.
#include <doctest/doctest.h>

#include <cstring>

#include "driver/test/bench.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/spec/layout/registers.hpp"

using namespace roci;
using namespace roci::driver;
using namespace roci::driver::test;

TEST_CASE("queue pair: connect sends INIT, RTR and RTS with their attributes (QP-02 to QP-04)") {
  Bench bench;
  const std::uint8_t* body = bench.device.command.data() + 8;
  const auto field = [&](layout::Place place) { return layout::get_memory(body, place); };
  CHECK(field(layout::qp_attributes::qpn) == bench.qp.number());
  CHECK(field(layout::qp_attributes::state) == 3);
  CHECK(field(layout::qp_attributes::attr_mask) ==
        (1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16));
  CHECK(field(layout::qp_attributes::sq_psn) == 0xABCDEF);
  const QpAttributes a = bench.qp.query();
  CHECK(a.state == QpState::kRts);
  CHECK(a.dest_qpn == 0x77);
  CHECK(a.rq_psn == 0x123456);
  CHECK(a.dgid == gid_of_ipv4(0x0A000002));
  CHECK(a.timeout == 14);
}

TEST_CASE("queue pair: the entry size is the smallest that holds list and inline data") {
  struct {
    unsigned sges, bytes, log;
  } const cases[] = {{1, 0, 0}, {2, 0, 1},  {5, 0, 1},  {6, 0, 2},   {13, 0, 2},
                     {1, 1, 1}, {1, 64, 1}, {1, 65, 2}, {1, 192, 2}, {13, 192, 2}};
  for (const auto& c : cases) {
    FakeDevice device;
    Context context(device);
    ProtectionDomain pd(context);
    CompletionQueue cq(context, 4);
    QpOptions options;
    options.send_sges = c.sges;
    options.max_inline = c.bytes;
    QueuePair qp(pd, cq, cq, options);
    CHECK(layout::get(device.command.data() + 8, layout::create_qp::sq_stride_log) == c.log);
  }
}

TEST_CASE("queue pair: options out of range are rejected without a command") {
  FakeDevice device;
  Context context(device);
  ProtectionDomain pd(context);
  CompletionQueue cq(context, 4);
  QpOptions options;
  options.send_sges = 14;
  CHECK_THROWS_AS(QueuePair(pd, cq, cq, options), std::invalid_argument);
  options = {};
  options.max_inline = 193;
  CHECK_THROWS_AS(QueuePair(pd, cq, cq, options), std::invalid_argument);
  options = {};
  options.send_entries = 32769;
  CHECK_THROWS_AS(QueuePair(pd, cq, cq, options), std::invalid_argument);
}

TEST_CASE("post: a list of 13 entries lies in blocks 0 to 3 as in docs/queues.md") {
  FakeDevice device;
  Context context(device);
  ProtectionDomain pd(context);
  CompletionQueue cq(context, 4);
  QpOptions options;
  options.send_sges = 13;
  QueuePair qp(pd, cq, cq, options);
  std::uint8_t* ring = sq_ring(device);
  qp.connect({1, 2, {}}, 3);

  SendRequest request = write_of(13);
  request.remote_address = 0x1122334455667788;
  request.remote_key = 0xA1B2C3D4;
  request.fence = true;
  qp.send(request);
  CHECK(ring[0] == 2);               // Write
  CHECK((ring[1] & 0xF) == 0b0101);  // signaled, fence
  CHECK(ring[2] == 13);
  CHECK(layout::get_memory(ring, {64, 32}) == 13 * 10 + 78);
  CHECK(layout::get_memory(ring, {96, 32}) == 0xA1B2C3D4);
  CHECK(layout::get_memory(ring, {128, 64}) == 0x1122334455667788);
  for (unsigned i = 0; i < 13; ++i) {
    const unsigned at = i == 0 ? 48 : 64 * (1 + (i - 1) / 4) + 16 * ((i - 1) % 4);
    CHECK(layout::get_memory(ring + at, {0, 64}) == 0x1000 + i);
    CHECK(layout::get_memory(ring + at, {64, 32}) == 10 + i);
    CHECK(layout::get_memory(ring + at, {96, 32}) == 0x55 + i);
  }
  CHECK(device.registers[layout::sq_doorbell_offset(qp.number())] == 1);
}

TEST_CASE("post: inline data is copied after block 0 (RQ-46)") {
  FakeDevice device;
  Context context(device);
  ProtectionDomain pd(context);
  CompletionQueue cq(context, 4);
  QpOptions options;
  options.max_inline = 100;
  QueuePair qp(pd, cq, cq, options);
  std::uint8_t* ring = sq_ring(device);
  qp.connect({1, 2, {}}, 3);
  std::vector<std::uint8_t> data(192);
  for (unsigned i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i + 1);
  SendRequest request;
  request.inline_data = data.data();
  request.inline_bytes = 192;  // an entry of four blocks has room for more than was requested
  qp.send(request);
  CHECK(std::memcmp(ring + 64, data.data(), 192) == 0);
  CHECK((ring[1] & 8) != 0);
  CHECK(ring[2] == 0);
  CHECK(layout::get_memory(ring, {64, 32}) == 192);
}

TEST_CASE("post: sends are rejected before RTS, receives in RESET only (QP-08)") {
  FakeDevice device;
  Context context(device);
  ProtectionDomain pd(context);
  CompletionQueue cq(context, 4);
  QueuePair qp(pd, cq, cq);
  const SendRequest send = write_of(1);
  const ReceiveRequest receive;
  CHECK(qp.post_send(&send, 1).error == PostError::kState);
  CHECK(qp.post_receive(&receive, 1).error == PostError::kState);
  QpAttributes a;
  for (const QpState state : {QpState::kInit, QpState::kRtr}) {
    a.state = state;
    qp.modify(a, mask::kState);
    CHECK(qp.post_send(&send, 1).error == PostError::kState);
    CHECK(qp.post_receive(&receive, 1));
  }
  for (const QpState state : {QpState::kRts, QpState::kSqd, QpState::kErr}) {
    a.state = state;
    qp.modify(a, mask::kState);
    CHECK(qp.post_send(&send, 1));
    CHECK(qp.post_receive(&receive, 1));
  }
}

TEST_CASE("post: a full queue rejects the next request and keeps the earlier ones (QP-20)") {
  QpOptions options;
  options.send_entries = options.receive_entries = 4;
  Bench bench(options);
  std::vector<SendRequest> list(64, write_of(1));
  const PostResult result = bench.qp.post_send(list.data(), list.size());
  CHECK(result.error == PostError::kQueueFull);
  CHECK(result.posted == 4);
  CHECK(bench.device.registers[layout::sq_doorbell_offset(bench.qp.number())] == 4);
  CHECK(bench.qp.post_send(list.data(), 1).posted == 0);
  CHECK(bench.device.registers[layout::sq_doorbell_offset(bench.qp.number())] == 4);
  const std::vector<ReceiveRequest> receives(64);
  CHECK(bench.qp.post_receive(receives.data(), 64).posted == 4);
  CHECK(bench.device.registers[layout::rq_doorbell_offset(bench.qp.number())] == 4);
}

TEST_CASE("post: malformed requests are rejected (QP-21, RQ-44)") {
  Bench bench;
  const auto error_of = [&](const SendRequest& r) { return bench.qp.post_send(&r, 1).error; };
  CHECK(error_of(write_of(2)) == PostError::kSges);
  SendRequest r;
  std::uint8_t data[200] = {};
  r.inline_data = data;
  r.inline_bytes = 65;
  CHECK(error_of(r) == PostError::kInline);
  r.inline_bytes = 8;
  r.opcode = Opcode::kRead;
  CHECK(error_of(r) == PostError::kInline);
  r = write_of(1);
  r.opcode = static_cast<Opcode>(11);
  CHECK(error_of(r) == PostError::kOpcode);
  r.opcode = Opcode::kFetchAdd;
  r.sges[0].length = 4;
  CHECK(error_of(r) == PostError::kAtomic);
  r.sges[0].length = 8;
  CHECK(error_of(r) == PostError::kNone);
  r.opcode = Opcode::kWrite;
  r.sges[0].length = 0x80000001;
  CHECK(error_of(r) == PostError::kLength);
  r.sges[0].length = 0x80000000;
  CHECK(error_of(r) == PostError::kNone);
  CHECK(bench.device.registers[layout::sq_doorbell_offset(bench.qp.number())] == 2);
}

TEST_CASE(
    "completion queue: identifiers by queue and index, a signaled one frees those before it") {
  QpOptions options;
  options.send_entries = options.receive_entries = 4;
  Bench bench(options);
  for (unsigned i = 0; i < 4; ++i) {
    SendRequest s = write_of(1);
    s.id = 100 + i;
    bench.qp.send(s);
    bench.qp.receive({200 + i, {}});
  }
  CHECK_FALSE(bench.cq.poll());
  bench.complete(0, 2, 0, 1, true);
  bench.complete(1, 0, 0, 128, true);
  bench.complete(2, 3, 5, 0, true);
  bench.complete(3, 1, 5, 128, true);
  Completion out[8];
  REQUIRE(bench.cq.poll(out, 8) == 4);
  CHECK(out[0].id == 102);
  CHECK(out[0].ok());
  CHECK(out[0].opcode == WcOpcode::kWrite);
  CHECK_FALSE(out[0].receive);
  CHECK(out[1].id == 200);
  CHECK(out[1].receive);
  CHECK(out[1].byte_len == 1000);
  CHECK(out[2].id == 103);
  CHECK(out[2].status == Status::kWrFlushErr);
  CHECK(out[3].id == 201);
  CHECK(bench.qp.send_room() == 4);
  CHECK(bench.qp.receive_room() == 2);
}

TEST_CASE("completion queue: a completion without an outstanding request is an error (I1)") {
  Bench bench;
  bench.complete(0, 0, 0, 1, true);
  CHECK_THROWS_AS(bench.cq.poll(), Error);
}

TEST_CASE("completion queue: many passes, owner flips, the consumer index is reported in time") {
  Bench bench;
  const unsigned entries = 1u << bench.rings.cq_log;
  CHECK(entries * 3 / 4 >= 12);  // CQ-01
  for (unsigned i = 0; i < 1000; ++i) {
    bench.qp.send(write_of(1));
    bench.complete(i % entries, i, 0, 1, i / entries % 2 == 0);
    const auto completion = bench.cq.poll();
    REQUIRE(completion);
    CHECK_FALSE(bench.cq.poll());
    const unsigned reported = bench.device.registers[layout::cq_doorbell_offset(bench.cq.number())];
    CHECK(i + 1 - reported < entries / 4);
  }
  bench.cq.arm(true);
  const std::uint32_t armed =
      bench.device.registers[layout::cq_arm_doorbell_offset(bench.cq.number())];
  CHECK(armed ==
        (bits(layout::reg::cq_arm::index, 1000) | bits(layout::reg::cq_arm::solicited, true)));
}

TEST_CASE("queue pair: RESET empties the queues without completions (QP-09)") {
  Bench bench;
  bench.qp.send(write_of(1));
  bench.complete(0, 0, 0, 1, true);
  bench.qp.to_reset();
  CHECK_FALSE(bench.cq.poll());
  CHECK(bench.qp.send_room() == 64);
  const SendRequest send = write_of(1);
  CHECK(bench.qp.post_send(&send, 1).error == PostError::kState);
}

TEST_CASE("queue pair: its completions not polled are dropped with it, those of others stay") {
  Bench bench;
  std::uint32_t other_number = 0;
  {
    QueuePair other(bench.pd, bench.cq, bench.cq);
    other.connect({1, 2, {}}, 3);
    other_number = other.number();
    other.send(write_of(1));
    SendRequest mine = write_of(1);
    mine.id = 42;
    bench.qp.send(mine);
    bench.complete(0, 0, 0, 1, true);
    put(bench.cq_ring, layout::cqe::qpn, other_number);
    bench.complete(1, 0, 0, 1, true);
  }
  const auto completion = bench.cq.poll();
  REQUIRE(completion);
  CHECK(completion->id == 42);
  CHECK_FALSE(bench.cq.poll());
}
