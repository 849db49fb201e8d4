// SPDX-License-Identifier: Apache-2.0
// Payload of messages of several packets: it may wait for the rest of its message, but no longer.
#include "model/nic/test_pair.hpp"

using namespace roci::nic;
using namespace roci::nic::test;
namespace packet = roci::packet;
namespace layout = roci::layout;

namespace {

constexpr std::size_t kMtu = 256;
constexpr std::uint8_t kAck = 0x1F, kNakOperational = 0x63;

Bytes pattern(std::uint8_t seed) {
  Bytes bytes(kMtu);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(seed + i);
  return bytes;
}

struct Parts : Pair {
  /// A packet of a message, whose payload is pattern(psn).
  void part(std::uint8_t opcode, std::uint32_t psn, bool ack) {
    packet::Builder builder = frame(opcode, psn).ack_req(ack);
    if (opcode == packet::kRcWriteFirst) builder.reth(kData, kKey, 3 * kMtu);
    feed(builder.payload(pattern(static_cast<std::uint8_t>(psn))));
  }
  bool arrived(unsigned packet) const {
    const Bytes wanted = pattern(static_cast<std::uint8_t>(200 + packet));
    return std::equal(wanted.begin(), wanted.end(), &memory.data[kData + packet * kMtu]);
  }
  /// The syndrome of the one response.
  std::uint8_t response() {
    const auto responses = take();
    REQUIRE(responses.size() == 1);
    return responses[0].aeth().syndrome();
  }
};

}  // namespace

TEST_CASE_FIXTURE(Parts, "parts: payload that is acknowledged is in memory") {
  part(packet::kRcWriteFirst, 200, false);
  CHECK(take().empty());
  CHECK_FALSE(arrived(0));  // this memory keeps parts as long as it may
  part(packet::kRcWriteMiddle, 201, true);
  CHECK(response() == kAck);
  CHECK(arrived(0));
  CHECK(arrived(1));
  part(packet::kRcWriteLast, 202, true);
  CHECK(response() == kAck);
  CHECK(arrived(2));
}

TEST_CASE_FIXTURE(Parts, "parts: payload of a SEND is in memory before its completion") {
  fill_in(&memory.data[kRq], {{layout::wqe::num_sge, 1},
                              {layout::wqe::sge0_addr, kData},
                              {layout::wqe::sge0_length, 3 * kMtu},
                              {layout::wqe::sge0_lkey, kKey}});
  nic.write32(doorbell(kQp) + 4, 1);
  part(packet::kRcSendFirst, 200, false);
  part(packet::kRcSendMiddle, 201, false);
  CHECK(memory.waiting.size() == 2);
  part(packet::kRcSendLast, 202, false);
  CHECK(memory.waiting.empty());
  CHECK(completions().size() == 1);
  for (unsigned i = 0; i < 3; ++i) CHECK(arrived(i));
}

TEST_CASE_FIXTURE(Parts, "parts: a list of two segments has no parts: one may fail alone") {
  fill_in(&memory.data[kRq], {{layout::wqe::num_sge, 2},
                              {layout::wqe::sge0_addr, kData},
                              {layout::wqe::sge0_length, 2 * kMtu},
                              {layout::wqe::sge0_lkey, kKey}});
  nic.write32(doorbell(kQp) + 4, 1);
  part(packet::kRcSendFirst, 200, false);
  CHECK(memory.waiting.empty());
}

TEST_CASE_FIXTURE(Parts, "parts: a message whose first part fails is not acknowledged") {
  memory.broken = kData + 5;
  part(packet::kRcWriteFirst, 200, false);
  part(packet::kRcWriteMiddle, 201, false);
  CHECK(take().empty());
  part(packet::kRcWriteLast, 202, true);
  CHECK(response() == kNakOperational);
  CHECK(state(kQp) == QpState::kErr);
}

TEST_CASE_FIXTURE(Parts, "parts: the response of a READ is in memory before its completion") {
  post(WrOp::kRead, 3 * kMtu);
  CHECK(take().size() == 1);
  feed(frame(packet::kRcReadRespFirst, 100).ack_req(false).aeth(kAck, 1).payload(pattern(200)));
  feed(frame(packet::kRcReadRespMiddle, 101).ack_req(false).payload(pattern(201)));
  CHECK(memory.waiting.size() == 2);
  feed(frame(packet::kRcReadRespLast, 102).ack_req(false).aeth(kAck, 1).payload(pattern(202)));
  CHECK(completions().size() == 1);
  for (unsigned i = 0; i < 3; ++i) CHECK(arrived(i));
}

TEST_CASE_FIXTURE(Parts, "parts: a READ of which a part fails does not complete as a success") {
  SUBCASE("the first") { memory.broken = kData + 5; }
  SUBCASE("the last") { memory.broken = kData + 2 * kMtu + 5; }
  post(WrOp::kRead, 3 * kMtu);
  CHECK(take().size() == 1);
  feed(frame(packet::kRcReadRespFirst, 100).ack_req(false).aeth(kAck, 1).payload(pattern(200)));
  feed(frame(packet::kRcReadRespMiddle, 101).ack_req(false).payload(pattern(201)));
  feed(frame(packet::kRcReadRespLast, 102).ack_req(false).aeth(kAck, 1).payload(pattern(202)));
  const auto done = completions();
  REQUIRE(done.size() == 1);
  CHECK(done[0].status == Status::kFatalErr);
}
