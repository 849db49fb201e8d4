// SPDX-License-Identifier: Apache-2.0
// Frames that met congestion, and the notifications that they may bring.
#include <algorithm>

#include "model/packet/describe.hpp"
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

constexpr std::uint8_t kEct = 2, kCe = 3;  ///< codepoints of ECN

void check_cnp(const Connection& c, const Frame& frame) {
  const Parsed p = frame.parsed();
  const auto expect = [&](bool holds, const char* what) {
    if (!holds)
      throw Failure(std::string("a CNP with ") + what, describe(frame.bytes), frame.bytes);
  };
  expect(p.ok(), "a right ICRC");
  expect(p.bth().becn() && !p.bth().fecn(), "BECN alone");
  expect(p.bth().dest_qp() == c.peer_number(), "the number of the sender's queue pair");
  expect(p.psn() == transport::Psn(0) && !p.bth().ack_req(), "PSN 0, without AckReq");
  const std::uint8_t* end = p.frame.data + p.bth_at + Bth::kBytes;
  for (unsigned i = 0; i < 16; ++i) expect(end[i] == 0, "16 bytes of 0");
}

}  // namespace

TEST("CC-01", "frames of all codepoints of ECN are executed, also in the middle of a message") {
  Connection c(dut, [](Options& o) { o.traffic_class = kEct; });
  std::uint32_t at = 0;
  const Bytes data = payload_of(3 * 256, 7);
  for (const std::uint8_t ecn : {0, 1, 2, 3}) {
    std::fill_n(dut.target(), data.size(), std::uint8_t{0});
    for (unsigned i = 0; i < 3; ++i) {
      const Bytes part(data.begin() + i * 256, data.begin() + (i + 1) * 256);
      const std::uint8_t opcode = i == 0 ? kRcWriteFirst : i == 1 ? kRcWriteMiddle : kRcWriteLast;
      Builder frame = c.from_peer(opcode, c.rq(at++));
      if (i == 0) frame.reth(dut.target_address(), dut.memory().key(), 3 * 256);
      if (i == 2) frame.ack_req();
      c.feed(frame.traffic_class(i == 1 ? ecn : kEct).payload(part));
    }
    c.expect_acked(c.rq(at - 1));
    require(std::equal(data.begin(), data.end(), dut.target()), "the WRITE in memory",
            "not with ECN " + std::to_string(ecn));
  }
  c.is_in(QpState::kRts);
}

TEST("CC-02", "CNPs for marked frames") {
  Connection c(dut, [](Options& o) { o.traffic_class = kEct; });
  constexpr unsigned kMarked = 64;
  unsigned cnps = 0;
  const auto collect = [&](Time within) {
    while (const auto frame = c.next_if_any(within)) {
      if (frame->parsed().bth().opcode() != kCnp) continue;
      ++cnps;
      check_cnp(c, *frame);
    }
  };
  c.feed(c.write_request(kRcWriteOnly, c.rq(0), payload_of(64)).traffic_class(kEct));
  collect(200_us);
  same("CNPs without a mark", cnps, 0);
  for (unsigned i = 1; i <= kMarked; ++i) {
    c.feed(c.write_request(kRcWriteOnly, c.rq(i), payload_of(64)).traffic_class(kCe));
  }
  collect(200_us);
  require(cnps <= kMarked, "at most 64 CNPs for 64 frames", std::to_string(cnps));
  const unsigned before = cnps;
  // A CNP brings none, also one that met congestion itself.
  c.feed(c.from_peer(kCnp, 0).congestion(false, true).mig_req(false).traffic_class(kCe));
  collect(200_us);
  same("CNPs for a CNP", cnps - before, 0);
  c.still_works(c.rq(kMarked + 1), c.sq(0));
  if (cnps == 0 && !dut.adapter().in_bench()) throw NotTestable("the adapter sends no CNPs");
}

}  // namespace roci::conform
