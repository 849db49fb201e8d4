// SPDX-License-Identifier: Apache-2.0
// Tests of the monitors of the link: legal exchanges pass, and each violation is reported.
#include "testbench/scoreboard/egress.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "driver/layout.hpp"
#include "model/packet/builder.hpp"
#include "model/spec/layout/queues.hpp"
#include "testbench/scoreboard/counters.hpp"
#include "testbench/scoreboard/work.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::QpState;

namespace {

/// Two connected queue pairs, 20 on node 0 and 30 on node 1, PMTU 256, PSN 0xFFFFFE on.
struct EgressFixture {
  EgressFixture()
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
  void response(std::uint8_t opcode, std::uint32_t psn, std::size_t bytes, std::uint8_t syndrome) {
    packet::Builder b = base(1, opcode, psn);
    if (opcode != packet::kRcReadRespMiddle) b.aeth(syndrome, 1);
    emit(1, b.payload(packet::Bytes(bytes, 0x44)));
  }
  /// A send of node 0 completes in error, and its queue pair goes from SQE to RTS.
  void fail_and_resume() {
    constexpr std::uint64_t kRing = 0x1000;
    work0.cq_created(1, kRing, 2);
    work0.send_posted(20, 0, {});
    std::uint8_t cqe[layout::cqe::kBytes] = {};
    layout::put(cqe, layout::cqe::status, layout::number(layout::Status::kLocProtErr));
    layout::put(cqe, layout::cqe::qpn, 20);
    layout::put(cqe, layout::cqe::owner, true);
    work0.memory_written(1000, kRing, cqe, sizeof cqe);
    driver::QpAttributes a;
    a.state = QpState::kRts;
    work0.qp_modified(20, a, driver::mask::kState);
  }
  /// Whether the text was reported; the linter may report the same violation.
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

TEST_CASE("egress: messages, a retransmission over the PSN wrap and READs in parts are legal") {
  EgressFixture fixture;
  fixture.send(packet::kRcSendFirst, 0xFFFFFE, 256);
  fixture.send(packet::kRcSendMiddle, 0xFFFFFF, 256);
  fixture.send(packet::kRcSendLast, 0, 1);
  fixture.response(packet::kRcAck, 0xFFFFFF, 0, 0x60);
  fixture.send(packet::kRcSendMiddle, 0xFFFFFF, 256);
  fixture.send(packet::kRcSendLast, 0, 1);
  fixture.response(packet::kRcAck, 0, 0, 0x1F);
  fixture.read(1, 700);
  fixture.response(packet::kRcReadRespFirst, 1, 256, 0x1F);
  fixture.read(2, 444);  // the second packet was lost
  fixture.response(packet::kRcReadRespFirst, 2, 256, 0x1F);
  fixture.response(packet::kRcReadRespLast, 3, 188, 0x1F);
  fixture.send(packet::kRcSendOnly, 4, 0);
  CHECK(fixture.faults.empty());
  CHECK(fixture.monitor.repeated() == 3);
}

TEST_CASE("egress: after a failed send of UC a message begins at a later PSN (UC-01)") {
  EgressFixture fixture;
  fixture.send(packet::kUcSendFirst, 0xFFFFFE, 256);  // the rest could not be read
  fixture.fail_and_resume();
  SUBCASE("a message") {
    fixture.send(packet::kUcSendOnly, 1, 8);
    fixture.send(packet::kUcSendOnly, 2, 8);
    CHECK(fixture.faults.empty());
  }
  SUBCASE("a PSN is used twice") {
    fixture.send(packet::kUcSendOnly, 0xFFFFFE, 8);
    CHECK(fixture.named("UC-01"));
  }
  SUBCASE("the rest of the failed message") {
    fixture.send(packet::kUcSendLast, 0, 8);
    CHECK(fixture.named("is next"));
  }
  SUBCASE("a second jump") {
    fixture.send(packet::kUcSendOnly, 1, 8);
    fixture.send(packet::kUcSendOnly, 3, 8);
    CHECK(fixture.named("is next"));
  }
}

TEST_CASE("egress: datagrams to anybody count up by sender (UD-01)") {
  EgressFixture fixture;
  const auto datagram = [&](std::uint32_t to, std::uint32_t psn) {
    fixture.emit(0, fixture.base(0, packet::kUdSendOnly, psn)
                        .bth(packet::kUdSendOnly, to, transport::Psn(psn))
                        .deth(0x1234, 20)
                        .payload(packet::Bytes(700, 0x33)));
  };
  datagram(30, 0xFFFFFE);
  datagram(77, 0xFFFFFF);
  datagram(30, 0);
  CHECK(fixture.faults.empty());
  SUBCASE("a PSN is used twice") {
    datagram(30, 0);
    CHECK(fixture.named("UD-01"));
  }
  SUBCASE("jump") {
    datagram(30, 2);
    CHECK(fixture.named("is next"));
  }
  SUBCASE("jump after a failed send") {
    fixture.fail_and_resume();
    datagram(30, 2);
    CHECK(fixture.faults.empty());
    datagram(30, 4);
    CHECK(fixture.named("is next"));
  }
}

TEST_CASE("egress: each violation is reported (I12)") {
  EgressFixture fixture;
  SUBCASE("jump") {
    fixture.send(packet::kRcSendOnly, 0xFFFFFF, 1);
    CHECK(fixture.named("is next"));
  }
  SUBCASE("order of opcodes") {
    fixture.send(packet::kRcSendMiddle, 0xFFFFFE, 256);
    CHECK(fixture.named("does not follow"));
  }
  SUBCASE("short middle") {
    fixture.send(packet::kRcSendFirst, 0xFFFFFE, 252);
    CHECK(fixture.named("PMTU"));
  }
  SUBCASE("too long") {
    fixture.send(packet::kRcSendOnly, 0xFFFFFE, 260);
    CHECK(fixture.named("path MTU"));
  }
  SUBCASE("changed when repeated") {
    fixture.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    fixture.send(packet::kRcSendOnly, 0xFFFFFE, 12);
    CHECK(fixture.named("when first sent"));
  }
  SUBCASE("too many READs") {
    fixture.read(0xFFFFFE, 10);
    fixture.read(0xFFFFFF, 10);
    CHECK(fixture.faults.empty());
    fixture.read(0, 10);
    CHECK(fixture.named("allowed are 2"));
  }
  SUBCASE("READ repeated with another end") {
    fixture.read(0xFFFFFE, 700);
    fixture.read(0xFFFFFF, 700);
    CHECK(fixture.named("repeats no READ"));
  }
  SUBCASE("response without a request") {
    fixture.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    fixture.response(packet::kRcAck, 0xFFFFFF, 0, 0x1F);
    CHECK(fixture.named("was not sent"));
  }
  SUBCASE("second NAK for a gap") {
    fixture.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    fixture.response(packet::kRcAck, 0xFFFFFE, 0, 0x60);
    fixture.response(packet::kRcAck, 0xFFFFFE, 0, 0x60);
    CHECK(fixture.named("RSP-04"));
  }
  SUBCASE("READ response from the middle") {
    fixture.read(0xFFFFFE, 700);
    fixture.response(packet::kRcReadRespMiddle, 0xFFFFFF, 256, 0);
    CHECK(fixture.named("continues no READ"));
  }
  SUBCASE("payload of other memory") {
    fixture.monitor.set_payload_check([](const FrameEvent&) { return false; });
    fixture.send(packet::kRcSendOnly, 0xFFFFFE, 8);
    CHECK(fixture.named("I7"));
  }
}

TEST_CASE("I13: the port's counters add up and agree with the link") {
  LinkDirection::Counts out, in;
  out.frames = 30, out.bytes = 3000, out.injected = 2, out.injected_bytes = 200;
  in.delivered = 20, in.delivered_bytes = 2000;
  PortCounterValues good{};
  good[0] = 1, good[1] = 2, good[5] = 3;  // drops of the receive path
  good[7] = 4, good[9] = 1;               // causes of accepted packets
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
  PortCounterValues died = good;  // accepted, then its queue pair failed
  ++died[3];
  CHECK(check_port_counters(died, out, in).empty());
  ++died[14];
  CHECK_FALSE(check_port_counters(died, out, in).empty());
  PortCounterValues late = good;
  late[8] = 8;
  CHECK_FALSE(check_port_counters(late, out, in).empty());
}
