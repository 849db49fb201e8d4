// SPDX-License-Identifier: Apache-2.0
// The monitors: each names the invariant that is broken, and is silent about good runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "driver/layout.hpp"
#include "model/packet/builder.hpp"
#include "model/spec/queues.hpp"
#include "model/transport/rules.hpp"
#include "testbench/scoreboard/counters.hpp"
#include "testbench/scoreboard/egress.hpp"
#include "testbench/scoreboard/work.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::QpState;

namespace {

constexpr std::uint64_t kRing = 0x10000;
constexpr std::uint32_t kQpn = 20;

/// A node with a queue pair in RTS and a completion queue of 4 entries.
struct Bench {
  Bench() : work("n0", [this](const std::string& text) { faults.push_back(text); }) {
    work.cq_created(3, kRing, 2);
    work.qp_created(kQpn, {});
    driver::QpAttributes a;
    a.state = QpState::kRtr;
    a.dest_qpn = 30;
    work.qp_modified(kQpn, a, driver::mask::kRtr);
    a.state = QpState::kRts;
    a.timeout = 8;
    a.retry_cnt = 1;
    work.qp_modified(kQpn, a, driver::mask::kRts);
  }
  void send(unsigned index, bool signaled = true, Opcode opcode = Opcode::kWrite) {
    driver::SendRequest request;
    request.opcode = opcode;
    request.signaled = signaled;
    request.sges = {{0, 100, 0}};
    work.send_posted(kQpn, static_cast<std::uint16_t>(index), request);
  }
  void receive(unsigned index) {
    driver::ReceiveRequest request;
    request.sges = {{0, 100, 0}};
    work.receive_posted(kQpn, static_cast<std::uint16_t>(index), request);
  }
  void complete(unsigned index, unsigned opcode, unsigned status = 0, unsigned bytes = 100) {
    std::uint8_t cqe[32] = {};
    driver::put(cqe, spec::place_of(spec::kCqe, "wqe_index"), index);
    driver::put(cqe, spec::place_of(spec::kCqe, "opcode"), opcode);
    driver::put(cqe, spec::place_of(spec::kCqe, "status"), status);
    driver::put(cqe, spec::place_of(spec::kCqe, "byte_len"), bytes);
    driver::put(cqe, spec::place_of(spec::kCqe, "qpn"), kQpn);
    driver::put(cqe, spec::place_of(spec::kCqe, "owner"), (slot / 4) % 2 == 0);
    work.memory_written(1000, kRing + 32 * (slot % 4), cqe, 32);
    ++slot;
  }
  bool named(const char* invariant) const {
    return faults.size() == 1 && faults[0].find(invariant) != std::string::npos;
  }
  std::vector<std::string> faults;
  WorkMonitor work;
  unsigned slot = 0;
};

}  // namespace

TEST_CASE("work: a good run is silent; a signaled completion covers unsignaled ones before it") {
  Bench bench;
  for (unsigned i = 0; i < 10; ++i) {
    bench.send(2 * i, false);
    bench.send(2 * i + 1);
    bench.receive(i);
    bench.complete(i, 128, 0, 50);
    bench.complete(2 * i + 1, 1);
  }
  CHECK(bench.faults.empty());
  CHECK(bench.work.find(kQpn)->sends.empty());
}

TEST_CASE("work: I1, I2, I8, I9, RQ-47 and CQ-04 are named") {
  SUBCASE("twice") {
    Bench bench;
    bench.send(0);
    bench.complete(0, 1);
    bench.complete(0, 1);
    CHECK(bench.named("I1"));
  }
  SUBCASE("order") {
    Bench bench;
    bench.send(0);
    bench.send(1);
    bench.complete(1, 1);
    CHECK(bench.named("I2"));
  }
  SUBCASE("good after bad") {
    Bench bench;
    bench.send(0);
    bench.send(1);
    bench.complete(0, 1, 12);
    bench.complete(1, 1, 0);
    CHECK(bench.named("I9"));
  }
  SUBCASE("unsignaled") {
    Bench bench;
    bench.send(0, false);
    bench.complete(0, 1);
    CHECK(bench.named("RQ-47"));
  }
  SUBCASE("operation") {
    Bench bench;
    bench.send(0, true, Opcode::kRead);
    bench.complete(0, 1);
    CHECK(bench.named("CQ-04"));
  }
  SUBCASE("length of a READ") {
    Bench bench;
    bench.send(0, true, Opcode::kRead);
    bench.complete(0, 2, 0, 99);
    CHECK(bench.named("CQ-04"));
  }
  SUBCASE("longer than the receive") {
    Bench bench;
    bench.receive(0);
    bench.complete(0, 128, 0, 101);
    CHECK(bench.named("I8"));
  }
  SUBCASE("ring") {
    Bench bench;
    bench.send(0);
    bench.slot = 1;
    bench.complete(0, 1);
    CHECK(bench.named("CQ-06"));
  }
  SUBCASE("stands still") {
    Bench bench;
    bench.work.set_time(5000);
    bench.send(0);
    const std::uint64_t t = 4096u << 8;
    bench.work.check_progress(5000 + 2 * 4 * t, 1000, 0);
    CHECK(bench.faults.empty());
    bench.work.check_progress(5000 + 2 * 4 * t + 1001, 1000, 0);
    CHECK(bench.named("I11"));
  }
}

TEST_CASE("work: RNR times are those of 9.7.5.2.8") {
  CHECK(transport::rnr_ns(0) == 655'360'000);
  CHECK(transport::rnr_ns(1) == 10'000);
  CHECK(transport::rnr_ns(12) == 640'000);
  CHECK(transport::rnr_ns(31) == 491'520'000);
}

namespace {

/// Two connected queue pairs, 20 on node 0 and 30 on node 1, PMTU 256, PSN 0xFFFFFE on.
struct Wire {
  Wire()
      : work0("n0", [this](const std::string& text) { faults.push_back(text); }),
        work1("n1", [this](const std::string& text) { faults.push_back(text); }),
        monitor(work0, work1, [this](const std::string& text) { faults.push_back(text); }) {
    driver::QpAttributes a;
    a.state = QpState::kRtr;
    a.path_mtu = 1;
    a.rq_psn = a.sq_psn = 0xFFFFFE;
    a.max_rd_atomic = 2;
    a.dest_qpn = 30;
    work0.qp_created(20, {});
    work0.qp_modified(20, a, driver::mask::kRtr | driver::mask::kRts);
    a.dest_qpn = 20;
    work1.qp_created(30, {});
    work1.qp_modified(30, a, driver::mask::kRtr | driver::mask::kRts);
  }
  packet::Builder base(unsigned node, std::uint8_t opcode, std::uint32_t psn) {
    packet::Builder b;
    b.ethernet(2, 1).ipv4(0x0A000001 + node, 0x0A000002 - node);
    b.bth(opcode, node == 0 ? 30 : 20, transport::Psn(psn));
    return b;
  }
  void emit(unsigned node, const packet::Builder& b) {
    const packet::Bytes frame = b.build();
    const packet::Parsed parsed = packet::parse(frame);
    REQUIRE(parsed.ok());
    const std::string none;
    monitor.frame({node, 0, parsed, none, true, false});
  }
  void send(std::uint8_t opcode, std::uint32_t psn, std::size_t bytes) {
    emit(0, base(0, opcode, psn).payload(packet::Bytes(bytes, 0x33)));
  }
  void read(std::uint32_t psn, std::uint32_t bytes) {
    emit(0, base(0, packet::kRcReadRequest, psn).reth(0x1000, 5, bytes));
  }
  void answer(std::uint8_t opcode, std::uint32_t psn, std::size_t bytes, std::uint8_t syndrome) {
    packet::Builder b = base(1, opcode, psn);
    if (opcode != packet::kRcReadRespMiddle) b.aeth(syndrome, 1);
    emit(1, b.payload(packet::Bytes(bytes, 0x44)));
  }
  /// The linter may have its own sentence about the same thing.
  bool named(const char* what) const {
    return std::any_of(faults.begin(), faults.end(), [what](const std::string& fault) {
      return fault.find(what) != std::string::npos;
    });
  }
  std::vector<std::string> faults;
  WorkMonitor work0, work1;
  EgressMonitor monitor;
};

}  // namespace

TEST_CASE("egress: messages, a go-back over the wrap and READs in parts are legal") {
  Wire wire;
  wire.send(packet::kRcSendFirst, 0xFFFFFE, 256);
  wire.send(packet::kRcSendMiddle, 0xFFFFFF, 256);
  wire.send(packet::kRcSendLast, 0, 1);
  wire.answer(packet::kRcAck, 0xFFFFFF, 0, 0x60);
  wire.send(packet::kRcSendMiddle, 0xFFFFFF, 256);
  wire.send(packet::kRcSendLast, 0, 1);
  wire.answer(packet::kRcAck, 0, 0, 0x1F);
  wire.read(1, 700);
  wire.answer(packet::kRcReadRespFirst, 1, 256, 0x1F);
  wire.read(2, 444);  // the second packet was lost
  wire.answer(packet::kRcReadRespFirst, 2, 256, 0x1F);
  wire.answer(packet::kRcReadRespLast, 3, 188, 0x1F);
  wire.send(packet::kRcSendOnly, 4, 0);
  CHECK(wire.faults.empty());
  CHECK(wire.monitor.repeated() == 3);
}

TEST_CASE("egress: each departure is named (I12)") {
  Wire wire;
  SUBCASE("jump") {
    wire.send(packet::kRcSendOnly, 0xFFFFFF, 1);
    CHECK(wire.named("is next"));
  }
  SUBCASE("order of opcodes") {
    wire.send(packet::kRcSendMiddle, 0xFFFFFE, 256);
    CHECK(wire.named("does not follow"));
  }
  SUBCASE("short middle") {
    wire.send(packet::kRcSendFirst, 0xFFFFFE, 252);
    CHECK(wire.named("PMTU"));
  }
  SUBCASE("too long") {
    wire.send(packet::kRcSendOnly, 0xFFFFFE, 260);
    CHECK(wire.named("path MTU"));
  }
  SUBCASE("changed when repeated") {
    wire.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    wire.send(packet::kRcSendOnly, 0xFFFFFE, 12);
    CHECK(wire.named("when first sent"));
  }
  SUBCASE("too many READs") {
    wire.read(0xFFFFFE, 10);
    wire.read(0xFFFFFF, 10);
    CHECK(wire.faults.empty());
    wire.read(0, 10);
    CHECK(wire.named("allowed are 2"));
  }
  SUBCASE("READ repeated with another end") {
    wire.read(0xFFFFFE, 700);
    wire.read(0xFFFFFF, 700);
    CHECK(wire.named("repeats no READ"));
  }
  SUBCASE("answer to nothing") {
    wire.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    wire.answer(packet::kRcAck, 0xFFFFFF, 0, 0x1F);
    CHECK(wire.named("was not sent"));
  }
  SUBCASE("second NAK for a gap") {
    wire.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    wire.answer(packet::kRcAck, 0xFFFFFE, 0, 0x60);
    wire.answer(packet::kRcAck, 0xFFFFFE, 0, 0x60);
    CHECK(wire.named("RSP-04"));
  }
  SUBCASE("READ answer from the middle") {
    wire.read(0xFFFFFE, 700);
    wire.answer(packet::kRcReadRespMiddle, 0xFFFFFF, 256, 0);
    CHECK(wire.named("goes on with no READ"));
  }
  SUBCASE("foreign payload") {
    wire.monitor.set_payload_check([](const FrameEvent&) { return false; });
    wire.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    CHECK(wire.named("I7"));
  }
}

TEST_CASE("I13: the port's counters add up and agree with the wire") {
  LinkDirection::Counts out, in;
  out.frames = 30, out.bytes = 3000, out.injected = 2, out.injected_bytes = 200;
  in.delivered = 20, in.delivered_bytes = 2000;
  PortCounterValues good{};
  good[0] = 1, good[1] = 2, good[5] = 3;  // drops of the receive path
  good[7] = 4, good[9] = 1;               // of accepted packets
  good[10] = 20, good[11] = 2000, good[12] = 28, good[13] = 2800, good[14] = 12, good[15] = 2;
  CHECK(check_port_counters(good, out, in).empty());
  for (const unsigned i : {0u, 1u, 10u, 11u, 12u, 13u, 14u, 15u}) {
    CAPTURE(i);
    PortCounterValues bad = good;
    ++bad[i];
    CHECK_FALSE(check_port_counters(bad, out, in).empty());
    bad[i] -= 2;
    CHECK_FALSE(check_port_counters(bad, out, in).empty());
  }
  PortCounterValues died = good;  // accepted, then its queue pair died
  ++died[3];
  CHECK(check_port_counters(died, out, in).empty());
  ++died[14];
  CHECK_FALSE(check_port_counters(died, out, in).empty());
  PortCounterValues late = good;
  late[8] = 8;
  CHECK_FALSE(check_port_counters(late, out, in).empty());
}
