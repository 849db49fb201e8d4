// SPDX-License-Identifier: Apache-2.0
// Completion, event and shared receive queues of the reference adapter, through its registers.
#include "model/spec/layout/queues.hpp"

#include "model/nic/test_pair.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/registers.hpp"

using namespace roci::nic;
using namespace roci::nic::test;
namespace packet = roci::packet;
namespace layout = roci::layout;

namespace {

constexpr unsigned kCompletion = layout::number(layout::EventKind::kCompletion);
constexpr unsigned kCqError = layout::number(layout::EventKind::kCqError);
constexpr unsigned kQpFatal = layout::number(layout::EventKind::kQpFatal);

}  // namespace

TEST_CASE(
    "completions: an arm raises one event, for the next entry or for an entry not yet seen (CQ-08, "
    "CQ-10)") {
  Pair pair;
  pair.post(WrOp::kWrite, 8);
  static_cast<void>(pair.take());
  pair.ack(100);
  CHECK(pair.completions().size() == 1);
  pair.arm(1, false);
  CHECK(pair.events().empty());
  pair.post(WrOp::kWrite, 8);
  pair.post(WrOp::kWrite, 8);
  static_cast<void>(pair.take());
  pair.ack(102);
  using Events = std::vector<std::pair<unsigned, unsigned>>;
  CHECK(pair.events() == Events{{kCompletion, 0}});
  CHECK(pair.nic.interrupt());
  pair.nic.write32(layout::reg::kEqConsumer, 1);
  CHECK_FALSE(pair.nic.interrupt());
  pair.arm(1, false);  // two entries that the caller had not seen
  CHECK(pair.events() == Events{{kCompletion, 0}});
}

TEST_CASE("completions: with an arm for solicited entries, others raise no event (CQ-09, CQ-11)") {
  Pair pair;
  pair.receive_posted(4);
  pair.arm(0, true);
  pair.feed(pair.frame(packet::kRcSendOnly, 200));
  CHECK(pair.events().empty());
  pair.feed(pair.frame(packet::kRcSendOnly, 201).solicited());
  CHECK(pair.events().size() == 1);
  pair.arm(2, false);
  pair.arm(2, true);  // does not weaken
  pair.feed(pair.frame(packet::kRcSendOnly, 202));
  CHECK(pair.events().size() == 1);
  pair.arm(3, true);
  pair.state(kQp, QpState::kErr);  // a flush is unsuccessful
  CHECK(pair.events().size() == 1);
}

TEST_CASE("completions: moderation by count and by time") {
  Pair pair;
  pair.row(layout::Table::kCq, 0,
           {{layout::cq::valid, 1},
            {layout::cq::pasid, kPasid},
            {layout::cq::base, Bench::kCqRing},
            {layout::cq::log, Bench::kCqLog},
            {layout::cq::moderation_count, 3},
            {layout::cq::moderation_period, 50}});
  pair.arm(0, false);
  pair.at(1'000'000);
  std::uint32_t psn = 100;
  const auto one = [&] {
    pair.post(WrOp::kWrite, 8);
    static_cast<void>(pair.take());
    pair.ack(psn++);
  };
  one();
  one();
  CHECK(pair.events().empty());
  one();
  CHECK(pair.events().size() == 1);
  pair.arm(3, false);
  one();
  CHECK(pair.nic.next_deadline() <= 1'050'000);
  pair.at(1'049'999);
  static_cast<void>(pair.take());
  CHECK(pair.events().empty());
  pair.at(1'050'000);
  static_cast<void>(pair.take());
  CHECK(pair.events().size() == 1);
}

TEST_CASE("completions: overflow keeps the entries and ends the queue pair (CQ-07)") {
  Pair pair;
  pair.small_cq(2);
  for (unsigned i = 0; i < 6; ++i) pair.post(WrOp::kWrite, 8);
  const Bytes after_ring(pair.memory.data.begin() + Bench::kCqRing + 4 * 32,
                         pair.memory.data.begin() + Bench::kCqRing + 8 * 32);
  static_cast<void>(pair.take());
  pair.ack(105);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(layout::get(&pair.memory.data[Bench::kCqRing + 32 * i], layout::cqe::wqe_index) == i);
  }
  CHECK(std::equal(after_ring.begin(), after_ring.end(),
                   pair.memory.data.begin() + Bench::kCqRing + 4 * 32));
  const std::vector<std::pair<unsigned, unsigned>> expected = {{kCqError, 0}, {kQpFatal, kQp}};
  CHECK(pair.events() == expected);
  CHECK(pair.state(kQp) == QpState::kErr);
}

TEST_CASE("completions: a ring that moves keeps its indices and its arming (CQ-13)") {
  Pair pair;
  pair.small_cq(2);
  pair.post(WrOp::kWrite, 8);
  static_cast<void>(pair.take());
  pair.ack(100);
  pair.arm(1, false);
  constexpr std::uint64_t kNew = 0x200000;
  pair.row(layout::Table::kCq, 0,
           {{layout::cq::valid, 1},
            {layout::cq::pasid, kPasid},
            {layout::cq::base, kNew},
            {layout::cq::log, 4},
            {layout::cq::resize, 1}});
  CHECK(layout::get(pair.read_row(layout::Table::kCqLive, 0).data(), layout::cq_live::producer) ==
        1);
  pair.post(WrOp::kWrite, 8);
  static_cast<void>(pair.take());
  pair.ack(101);
  CHECK(layout::get(&pair.memory.data[kNew + 32], layout::cqe::owner) == 1);
  CHECK(pair.events().size() == 1);
}

TEST_CASE("events: a full queue keeps its entries and notes the loss (CQ-12)") {
  Pair pair;
  const auto post = [&](std::uint32_t number) {
    pair.post_event(layout::EventKind::kSqDrained, number);
  };
  for (unsigned i = 0; i < 16; ++i) post(i);
  CHECK(pair.nic.read32(layout::reg::kEqStatus) == 0);
  post(16);
  CHECK(pair.nic.read32(layout::reg::kEqStatus) == 1);
  const auto events = pair.events();
  REQUIRE(events.size() == 16);
  for (unsigned i = 0; i < 16; ++i) CHECK(events[i].second == i);
  pair.nic.write32(layout::reg::kEqConsumer, 16);
  pair.nic.write32(layout::reg::kEqStatus, 1);
  CHECK(pair.nic.read32(layout::reg::kEqStatus) == 0);
  post(17);
  CHECK(pair.events().size() == 1);
}

TEST_CASE("shared receives: tags complete, the limit fires once, empty is RNR (RSP-54, RSP-55)") {
  Pair pair(true);
  const auto srq = [&](unsigned limit) {
    pair.row(layout::Table::kSrq, 0,
             {{layout::srq::valid, 1},
              {layout::srq::pd, kPd},
              {layout::srq::pasid, kPasid},
              {layout::srq::base, Bench::kSrqRing},
              {layout::srq::log, 3},
              {layout::srq::limit, limit}});
  };
  srq(3);
  for (unsigned i = 0; i < 6; ++i) {
    fill_in(&pair.memory.data[Bench::kSrqRing + 64 * i], {{layout::wqe::num_sge, 1},
                                                          {layout::wqe::imm, 0xA0 + i},
                                                          {layout::wqe::sge0_addr, kData},
                                                          {layout::wqe::sge0_length, 256},
                                                          {layout::wqe::sge0_lkey, kKey}});
  }
  pair.nic.write32(pair.doorbell(0) + 8, 6);
  for (unsigned i = 0; i < 6; ++i) pair.feed(pair.frame(packet::kRcSendOnly, 200 + i));
  const auto done = pair.completions();
  REQUIRE(done.size() == 6);
  for (unsigned i = 0; i < 6; ++i) CHECK(done[i].index == 0xA0 + i);
  const auto limits = pair.events();
  CHECK(std::count_if(limits.begin(), limits.end(), [](const auto& e) {
          return e.first == layout::number(layout::EventKind::kSrqLimit);
        }) == 1);
  CHECK(layout::get(pair.read_row(layout::Table::kSrqLive, 0).data(), layout::srq_live::limit) ==
        0);
  static_cast<void>(pair.take());
  pair.feed(pair.frame(packet::kRcSendOnly, 206));
  const auto responses = pair.take();
  REQUIRE(responses.size() == 1);
  CHECK(responses[0].aeth().syndrome() == (0x20 | 12));
  pair.state(kQp, QpState::kErr);  // QP-16
  const auto last = pair.events();
  REQUIRE(last.size() == 1);
  CHECK(last[0].first == layout::number(layout::EventKind::kQpLastWqe));
}

TEST_CASE("credits: sent as a code, and received as a limit with one probe (RSP-15, RQ-50)") {
  Pair pair(false, true);
  pair.receive_posted(5);
  pair.feed(pair.frame(packet::kRcSendOnly, 200));
  const auto responses = pair.take();
  REQUIRE(responses.size() == 1);
  CHECK(responses[0].aeth().syndrome() == 4);  // four are left
  for (unsigned i = 0; i < 4; ++i) pair.post(WrOp::kSend, 8);
  CHECK(pair.take().size() == 4);  // the peer has not sent credits yet
  pair.ack(103, 0, 4);
  for (unsigned i = 0; i < 4; ++i) pair.post(WrOp::kSend, 8);
  CHECK(pair.take().size() == 1);  // a probe
  pair.ack(104, 2, 5);
  CHECK(pair.take().size() == 2);
  pair.ack(106, 0x1F);
  CHECK(pair.take().size() == 1);
}

TEST_CASE("credits: of an ACK beyond a READ without response, and of a repeated ACK (RQ-50)") {
  for (const bool repeated : {false, true}) {
    Pair pair(false, true);
    pair.post(WrOp::kSend, 8);
    CHECK(pair.take().size() == 1);
    pair.ack(100, 0, 1);
    pair.post(WrOp::kRead, 8);
    pair.post(WrOp::kSend, 8);
    CHECK(pair.take().size() == 1);  // the READ alone
    if (repeated) pair.ack(100, 2, 1);
    if (!repeated) pair.ack(101, 1, 2);
    const auto sent = pair.take();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].bth().opcode() == packet::kRcSendOnly);
  }
}
