// SPDX-License-Identifier: Apache-2.0
// Verdicts of the responder by opcode, PSN, rights and lengths.
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <random>

#include "Vroci_responder_decide.h"
#include "model/spec/layout/codes.hpp"
#include "rtl/common/test/dut.hpp"

namespace {

using namespace layout::opcode;
using namespace layout::syndrome;
using layout::ResponderIn;
using layout::Status;
using layout::Verdict;
namespace access = layout::access;

constexpr unsigned kPsnMask = 0xFFFFFF;
constexpr unsigned kEveryRight =
    access::kLocalWrite | access::kRemoteWrite | access::kRemoteRead | access::kRemoteAtomic;

struct Rig {
  Dut<Vroci_responder_decide> dut;
  Rig() {
    dut->access_i = kEveryRight;
    dut->pmtu_i = 1;
    dut->max_dest_rd_atomic_i = 1;
    dut->key_ok_i = 1;
    dut->judge_i = 1;
    dut->epsn_i = 100;
    dut->psn_i = 100;
  }
  Verdict verdict() { return Verdict{dut->verdict_o}; }
  /// The opcode as the verdict gets it, decoded.
  void kind(unsigned opcode) {
    const auto any = [opcode](std::initializer_list<unsigned> of) {
      return std::find(of.begin(), of.end(), opcode) != of.end();
    };
    const bool send_only = any({kRcSendOnly, kRcSendOnlyImm, kRcSendOnlyInv});
    const bool send_last = any({kRcSendLast, kRcSendLastImm, kRcSendLastInv});
    const bool write_only = any({kRcWriteOnly, kRcWriteOnlyImm});
    const bool write_last = any({kRcWriteLast, kRcWriteLastImm});
    dut->send_i = send_only || send_last || any({kRcSendFirst, kRcSendMiddle});
    dut->write_i = write_only || write_last || any({kRcWriteFirst, kRcWriteMiddle});
    dut->read_i = any({kRcReadRequest});
    dut->atomic_i = any({kRcCmpSwap, kRcFetchAdd});
    dut->first_i = send_only || write_only || any({kRcSendFirst, kRcWriteFirst});
    dut->last_i = send_only || send_last || write_only || write_last;
    dut->imm_write_i = any({kRcWriteLastImm, kRcWriteOnlyImm});
  }
  void message(ResponderIn in) { dut->message_i = layout::number(in); }
  Verdict verdict(unsigned opcode, unsigned len = 0, std::uint32_t dma = 0) {
    kind(opcode);
    dut->payload_len_i = len;
    dut->filled_i = len != 0;
    dut->is_mtu_i = 0;
    dut->fits_mtu_i = 0;
    for (unsigned k = 1; k <= 5; ++k) {
      dut->is_mtu_i |= (len == 128u << k) << (k - 1);
      dut->fits_mtu_i |= (len <= 128u << k) << (k - 1);
    }
    dut->most_i = 0x80000000 - len;
    dut->dma_length_i = dma;
    dut->dma_fits_i = dma <= 0x80000000;
    dut->dma_same_i = dma == len;
    dut->dma_on_i = 0;
    for (unsigned k = 1; k <= 5; ++k) dut->dma_on_i |= (dma > 128u << k) << (k - 1);
    dut.tick();
    return verdict();
  }
};

TEST_CASE("responder_decide: the first rule that fails decides (RSP-02)") {
  Rig r;
  r.dut->va_i = 1;
  r.dut->key_ok_i = 0;
  r.message(ResponderIn::kWrite);
  r.dut->access_i = 0;
  CHECK(r.verdict(kRcFetchAdd) ==
        Verdict::kNak);  // sequence before rights; the verdict is the same
  CHECK(r.dut->syndrome_o == kNakInvalid);
  CHECK(r.dut->access_event_o == 0);
  r.message(ResponderIn::kNothing);
  r.dut->access_i = kEveryRight;
  CHECK(r.verdict(kRcFetchAdd) == Verdict::kNak);  // alignment before key
  CHECK(r.dut->syndrome_o == kNakInvalid);
  CHECK(r.dut->access_event_o == 1);
  r.dut->va_i = 0;
  CHECK(r.verdict(kRcFetchAdd) == Verdict::kNak);
  CHECK(r.dut->syndrome_o == kNakAccess);
  CHECK(r.verdict(kRcWriteOnlyImm, 8, 9) == Verdict::kPeek);  // receive before length and key
  r.dut->peeked_i = 1;
  CHECK(r.verdict(kRcWriteOnlyImm, 8, 9) == Verdict::kRnr);
  r.dut->posted_i = 1;
  CHECK(r.verdict(kRcWriteOnlyImm, 8, 9) == Verdict::kNak);
  CHECK(r.dut->syndrome_o == kNakInvalid);
  CHECK(r.verdict(kRcWriteOnlyImm, 8, 8) == Verdict::kNak);
  CHECK(r.dut->syndrome_o == kNakAccess);
  CHECK(Status{r.dut->status_o} == Status::kLocAccessErr);
}

TEST_CASE("responder_decide: PSN classes at their edges, for PSNs anywhere (RSP-08, RSP-09)") {
  Rig r;
  for (std::uint32_t epsn : {0u, 1u, 100u, 0x7FFFFFu, 0x800000u, 0xFFFFFFu}) {
    r.dut->epsn_i = epsn;
    auto at = [&](std::uint32_t ahead) {
      r.dut->psn_i = (epsn + ahead) & kPsnMask;
      return r.verdict(kRcWriteOnly, 4, 4);
    };
    CHECK(at(0) == Verdict::kWrite);
    CHECK(at(1) == Verdict::kGap);
    CHECK(at(0x7FFFFF) == Verdict::kGap);
    CHECK(at(0x800000) == Verdict::kReack);
    CHECK(at(0xFFFFFF) == Verdict::kReack);
    r.dut->nak_sent_i = 1;
    CHECK(at(0x7FFFFF) == Verdict::kAhead);
    CHECK(at(0) == Verdict::kWrite);
    r.dut->nak_sent_i = 0;
    r.dut->dead_i = 1;
    CHECK(at(0) == Verdict::kIgnore);
    CHECK(at(0x800000) == Verdict::kIgnore);
    r.dut->dead_i = 0;
  }
}

TEST_CASE("responder_decide: UC-02, UC-03: a first packet comes at any PSN, others continue") {
  Rig r;
  r.dut->uc_i = 1;
  for (const ResponderIn in : {ResponderIn::kNothing, ResponderIn::kSend, ResponderIn::kWrite}) {
    r.message(in);
    r.dut->bytes_i = 256;
    r.dut->write_left_i = 256 + 4;
    for (const std::uint32_t ahead : {0u, 1u, 0x7FFFFFu, 0x800000u, 0xFFFFFFu}) {
      r.dut->psn_i = (100 + ahead) & kPsnMask;
      for (const unsigned nak_sent : {0u, 1u}) {
        r.dut->nak_sent_i = nak_sent;
        CHECK(r.verdict(kRcWriteOnly, 4, 4) == Verdict::kWrite);
        CHECK(r.verdict(kRcWriteFirst, 256, 300) == Verdict::kWrite);
        CHECK(r.verdict(kRcSendFirst, 256) == Verdict::kPeek);
        const bool sends = in == ResponderIn::kSend && ahead == 0;
        const bool writes = in == ResponderIn::kWrite && ahead == 0;
        CHECK(r.verdict(kRcSendMiddle, 256) == (sends ? Verdict::kSend : Verdict::kDiscard));
        CHECK(r.verdict(kRcSendLastImm, 9) == (sends ? Verdict::kSend : Verdict::kDiscard));
        CHECK(r.verdict(kRcWriteMiddle, 256) == (writes ? Verdict::kWrite : Verdict::kDiscard));
      }
    }
  }
}

TEST_CASE("responder_decide: UC-04, UC-05, UC-06: what cannot be delivered is discarded") {
  Rig r;
  r.dut->uc_i = 1;
  const unsigned opcodes[] = {kRcReadRequest, kRcCmpSwap, kRcFetchAdd, 0x15};
  for (const unsigned opcode : opcodes) {
    CHECK(r.verdict(opcode) == Verdict::kDiscard);
  }
  CHECK(r.verdict(kRcWriteOnly, 4, 5) == Verdict::kDiscard);
  CHECK(r.verdict(kRcWriteOnly, 257, 257) == Verdict::kDiscard);
  r.dut->key_ok_i = 0;
  CHECK(r.verdict(kRcWriteOnly, 4, 4) == Verdict::kDiscard);
  r.dut->key_ok_i = 1;
  r.dut->access_i = access::kLocalWrite;
  CHECK(r.verdict(kRcWriteOnly, 4, 4) == Verdict::kDiscard);
  r.dut->access_i = kEveryRight;
  r.dut->peeked_i = 1;
  CHECK(r.verdict(kRcSendOnly, 4) == Verdict::kDiscard);
  CHECK(r.verdict(kRcWriteOnlyImm, 4, 4) == Verdict::kDiscard);
  r.dut->posted_i = 1;
  CHECK(r.verdict(kRcSendOnly, 4) == Verdict::kSend);
  CHECK(r.verdict(kRcWriteOnlyImm, 4, 4) == Verdict::kWrite);
  r.dut->dead_i = 1;
  CHECK(r.verdict(kRcSendOnly, 4) == Verdict::kIgnore);
}

TEST_CASE("responder_decide: a packet that is executed lies inside the WRITE, for random packets") {
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
    if (r.verdict(opcode, len, dma) < Verdict::kSend) continue;
    ++executed;
    CHECK(len <= mtu);
    if (r.verdict() != Verdict::kWrite) continue;
    const std::uint32_t left =
        opcode == kRcWriteFirst || opcode >= kRcWriteOnly ? dma : r.dut->write_left_i;
    CHECK(len <= left);
    CHECK((len == left) == (opcode >= kRcWriteLast));
  }
  CHECK(executed > 1000);
  CHECK(r.verdict(kRcSendOnly) == (r.dut->peeked_i ? Verdict::kSend : Verdict::kPeek));
  r.message(ResponderIn::kNothing);
  CHECK(r.verdict(kRcReadRequest) == Verdict::kRead);
}

}  // namespace
