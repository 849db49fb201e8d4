// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include "Vroci_responder_decide.h"
#include "model/spec/codes.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

// Verdicts, by the table kVerdicts.
enum Verdict : unsigned {
  kIgnore,
  kAhead,
  kGap,
  kReack,
  kReplay,
  kPeek,
  kRnr,
  kNak,
  kSend,
  kWrite,
  kRead,
  kAtomic
};
constexpr unsigned kSendOnly = 0x04, kWriteFirst = 0x06, kWriteLast = 0x08, kWriteOnly = 0x0A,
                   kWriteOnlyImm = 0x0B, kReadRequest = 0x0C, kFetchAdd = 0x14;

struct Rig {
  Dut<Vroci_responder_decide> dut;
  Rig() {
    dut->access_i = 15;
    dut->pmtu_i = 1;
    dut->max_dest_rd_atomic_i = 1;
    dut->slot_free_i = 1;
    dut->key_ok_i = 1;
    dut->epsn_i = 100;
    dut->psn_i = 100;
  }
  unsigned verdict(unsigned opcode, unsigned len = 0, std::uint32_t dma = 0) {
    dut->opcode_i = opcode;
    dut->payload_len_i = len;
    dut->dma_length_i = dma;
    dut.tick();
    return dut->verdict_o;
  }
};

TEST_CASE("responder_decide: the first rule that fails decides (RSP-02)") {
  Rig r;
  r.dut->va_i = 1;
  r.dut->key_ok_i = 0;
  r.dut->message_i = 2;
  r.dut->access_i = 0;
  CHECK(r.verdict(kFetchAdd) == kNak);  // sequence before rights: both give the same verdict
  CHECK(r.dut->syndrome_o == 0x61);
  CHECK(r.dut->access_event_o == 0);
  r.dut->message_i = 0;
  r.dut->access_i = 15;
  CHECK(r.verdict(kFetchAdd) == kNak);  // alignment before key
  CHECK(r.dut->syndrome_o == 0x61);
  CHECK(r.dut->access_event_o == 1);
  r.dut->va_i = 0;
  CHECK(r.verdict(kFetchAdd) == kNak);
  CHECK(r.dut->syndrome_o == 0x62);
  CHECK(r.verdict(kWriteOnlyImm, 8, 9) == kPeek);  // receive before length and key
  r.dut->peeked_i = 1;
  CHECK(r.verdict(kWriteOnlyImm, 8, 9) == kRnr);
  r.dut->posted_i = 1;
  CHECK(r.verdict(kWriteOnlyImm, 8, 9) == kNak);
  CHECK(r.dut->syndrome_o == 0x61);
  CHECK(r.verdict(kWriteOnlyImm, 8, 8) == kNak);
  CHECK(r.dut->syndrome_o == 0x62);
  CHECK(r.dut->status_o == 8);
}

TEST_CASE("responder_decide: PSN classes at their edges, anywhere in the circle (RSP-08, RSP-09)") {
  Rig r;
  for (std::uint32_t epsn : {0u, 1u, 100u, 0x7FFFFFu, 0x800000u, 0xFFFFFFu}) {
    r.dut->epsn_i = epsn;
    auto at = [&](std::uint32_t ahead) {
      r.dut->psn_i = (epsn + ahead) & 0xFFFFFF;
      return r.verdict(kWriteOnly, 4, 4);
    };
    CHECK(at(0) == kWrite);
    CHECK(at(1) == kGap);
    CHECK(at(0x7FFFFF) == kGap);
    CHECK(at(0x800000) == kReack);
    CHECK(at(0xFFFFFF) == kReack);
    r.dut->nak_sent_i = 1;
    CHECK(at(0x7FFFFF) == kAhead);
    CHECK(at(0) == kWrite);
    r.dut->nak_sent_i = 0;
    r.dut->dead_i = 1;
    CHECK(at(0) == kIgnore);
    CHECK(at(0x800000) == kIgnore);
    r.dut->dead_i = 0;
  }
}

TEST_CASE("responder_decide: what executes is inside the WRITE, for random packets") {
  Rig r;
  std::mt19937 random(20240611);
  unsigned executed = 0;
  for (int i = 0; i < 200000; ++i) {
    r.dut->message_i = random() % 3;
    r.dut->pmtu_i = 1 + random() % 5;
    const std::uint32_t mtu = 128u << r.dut->pmtu_i;
    r.dut->write_left_i = random() % (3 * mtu);
    const unsigned len = random() % 2 ? mtu : random() % (mtu + 5);
    const unsigned opcode = random() % 32;
    const std::uint32_t dma = random() % 3 ? len : random() % (3 * mtu);
    r.dut->peeked_i = r.dut->posted_i = random() % 2;
    if (r.verdict(opcode, len, dma) < kSend) continue;
    ++executed;
    CHECK(len <= mtu);
    if (r.dut->verdict_o != kWrite) continue;
    const std::uint32_t left =
        opcode == kWriteFirst || opcode >= kWriteOnly ? dma : r.dut->write_left_i;
    CHECK(len <= left);
    CHECK((len == left) == (opcode >= kWriteLast));
  }
  CHECK(executed > 1000);
  CHECK(r.verdict(kSendOnly) == (r.dut->peeked_i ? kSend : kPeek));
  r.dut->message_i = 0;
  CHECK(r.verdict(kReadRequest) == kRead);
}

}  // namespace
