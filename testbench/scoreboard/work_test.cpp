// SPDX-License-Identifier: Apache-2.0
// Tests of the monitors: each reports the violated invariant, and nothing about correct runs.
#include "testbench/scoreboard/work.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "driver/layout.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/rules.hpp"

using namespace roci;
using namespace roci::testbench;
using driver::Opcode;
using driver::QpState;

namespace {

constexpr std::uint64_t kRing = 0x10000;
constexpr std::uint32_t kQpn = 20;

/// A node with a queue pair in RTS and a completion queue of 4 entries.
struct WorkFixture {
  WorkFixture() : work("n0", [this](const std::string& text) { faults.push_back(text); }) {
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
    layout::put(cqe, layout::cqe::wqe_index, index);
    layout::put(cqe, layout::cqe::opcode, opcode);
    layout::put(cqe, layout::cqe::status, status);
    layout::put(cqe, layout::cqe::byte_len, bytes);
    layout::put(cqe, layout::cqe::qpn, kQpn);
    layout::put(cqe, layout::cqe::owner, (slot / 4) % 2 == 0);
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

TEST_CASE(
    "work: a correct run gives no report; a signaled completion covers unsignaled ones before it") {
  WorkFixture fixture;
  for (unsigned i = 0; i < 10; ++i) {
    fixture.send(2 * i, false);
    fixture.send(2 * i + 1);
    fixture.receive(i);
    fixture.complete(i, 128, 0, 50);
    fixture.complete(2 * i + 1, 1);
  }
  CHECK(fixture.faults.empty());
  CHECK(fixture.work.find(kQpn)->sends.empty());
}

TEST_CASE("work: I1, I2, I8, I9, RQ-47 and CQ-04 are reported") {
  SUBCASE("twice") {
    WorkFixture fixture;
    fixture.send(0);
    fixture.complete(0, 1);
    fixture.complete(0, 1);
    CHECK(fixture.named("I1"));
  }
  SUBCASE("order") {
    WorkFixture fixture;
    fixture.send(0);
    fixture.send(1);
    fixture.complete(1, 1);
    CHECK(fixture.named("I2"));
  }
  SUBCASE("success after an error") {
    WorkFixture fixture;
    fixture.send(0);
    fixture.send(1);
    fixture.complete(0, 1, 12);
    fixture.complete(1, 1, 0);
    CHECK(fixture.named("I9"));
  }
  SUBCASE("unsignaled") {
    WorkFixture fixture;
    fixture.send(0, false);
    fixture.complete(0, 1);
    CHECK(fixture.named("RQ-47"));
  }
  SUBCASE("operation") {
    WorkFixture fixture;
    fixture.send(0, true, Opcode::kRead);
    fixture.complete(0, 1);
    CHECK(fixture.named("CQ-04"));
  }
  SUBCASE("length of a READ") {
    WorkFixture fixture;
    fixture.send(0, true, Opcode::kRead);
    fixture.complete(0, 2, 0, 99);
    CHECK(fixture.named("CQ-04"));
  }
  SUBCASE("longer than the receive") {
    WorkFixture fixture;
    fixture.receive(0);
    fixture.complete(0, 128, 0, 101);
    CHECK(fixture.named("I8"));
  }
  SUBCASE("ring") {
    WorkFixture fixture;
    fixture.send(0);
    fixture.slot = 1;
    fixture.complete(0, 1);
    CHECK(fixture.named("CQ-06"));
  }
  SUBCASE("no progress") {
    WorkFixture fixture;
    fixture.work.set_time(5000);
    fixture.send(0);
    const std::uint64_t t = 4096u << 8;
    fixture.work.check_progress(5000 + 2 * 4 * t, 1000, 0);
    CHECK(fixture.faults.empty());
    fixture.work.check_progress(5000 + 2 * 4 * t + 1001, 1000, 0);
    CHECK(fixture.named("I11"));
  }
}

TEST_CASE("work: RNR times are those of 9.7.5.2.8") {
  CHECK(transport::rnr_ns(0) == 655'360'000);
  CHECK(transport::rnr_ns(1) == 10'000);
  CHECK(transport::rnr_ns(12) == 640'000);
  CHECK(transport::rnr_ns(31) == 491'520'000);
}
