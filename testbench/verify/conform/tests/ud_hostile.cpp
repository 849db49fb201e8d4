// SPDX-License-Identifier: Apache-2.0
// Datagrams with random lengths, keys and bits, and witnesses beside them.
#include "testbench/verify/conform/tests/unreliable.hpp"

namespace roci::conform {
using namespace packet;

namespace {

constexpr std::size_t kGrh = 40, kRoom = 1024;
constexpr unsigned kEach = 20, kPosted = 8;

/// A datagram for the queue pair, with the correct Q_Key or another, of any length; some of its
/// bits are inverted, and half of those have a correct ICRC nevertheless.
Bytes random_datagram(Fixture& dut, Connection& c) {
  std::mt19937_64& random = dut.random();
  const std::size_t bytes = random() % 4 == 0 ? random() % 4200 / 4 * 4 : random() % 1200;
  Bytes frame = c.datagram(random() % 2 == 0 ? kUdSendOnly : kUdSendOnlyImm,
                           static_cast<std::uint32_t>(random()), payload_of(bytes, random()))
                    .deth(random() % 4 == 0 ? static_cast<std::uint32_t>(random()) | 1u << 31
                                            : c.options().qkey,
                          static_cast<std::uint32_t>(random()))
                    .build();
  const Parsed whole = parse(frame);
  const auto kind = static_cast<unsigned>(random() % 4);
  if (kind == 0) frame.resize(whole.bth_at + random() % (frame.size() - whole.bth_at));
  for (unsigned i = 0; kind >= 2 && i < 1 + random() % 3; ++i) {
    const std::size_t header = whole.ip_at + random() % 64;
    const std::size_t at = header < frame.size() ? header : frame.size() - 1;
    frame[at] = static_cast<std::uint8_t>(frame[at] ^ 1u << random() % 8);
  }
  if (kind == 3) seal(&frame);
  return frame;
}

}  // namespace

TEST_THAT_NEEDS(mixed(kUd), "UD-03 UD-09 UD-12", "random datagrams change nothing for others") {
  Unreliable<driver::Service::kUd> attacked(dut);
  Unreliable<driver::Service::kUd> witness(dut, [](Options& o) { o.qkey = 0x0F0F0F0F; });
  Connection connected(dut);
  unsigned posted = 0;
  const unsigned rounds = dut.times(100, 50'000);
  for (unsigned round = 0; round < rounds; ++round) {
    for (; posted < kPosted; ++posted) attacked.receive(kRoom);
    for (unsigned i = 0; i < kEach; ++i) dut.feed(random_datagram(dut, attacked));
    const Bytes data = payload_of(round % 900, round);
    witness.receive(kGrh + 900, 4096);
    witness.feed(witness.datagram(kUdSendOnly, round, data));
    same("byte_len", witness.received().byte_len, kGrh + data.size());
    require(std::equal(data.begin(), data.end(), dut.local(4096 + kGrh)),
            "the payload of the witness", "other bytes");
    while (const auto done = attacked.receive_cq().poll()) {
      require(done->ok() && done->byte_len >= kGrh && done->byte_len <= kRoom,
              "deliveries that fit", driver::name_of(done->status));
      --posted;
    }
  }
  connected.still_works(connected.rq(0), connected.sq(0));
  for (Connection* one :
       {static_cast<Connection*>(&attacked), static_cast<Connection*>(&witness), &connected}) {
    one->is_in(QpState::kRts);
  }
}

}  // namespace roci::conform
