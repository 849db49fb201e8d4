// SPDX-License-Identifier: Apache-2.0
#include "model/transport/rules.hpp"

#include <doctest/doctest.h>

#include <iterator>

using namespace roci::transport;

TEST_CASE("rules: RNR waiting times (RQ-27)") {
  // The values of 9.7.5.2.8 in units of 10 us.
  constexpr std::uint64_t kHundredths[] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                           16,    24,   32,   48,    64,    96,    128,   192,
                                           256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                           4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};
  for (unsigned code = 0; code < 32; ++code) CHECK(rnr_ns(code) == kHundredths[code] * 10'000);
}

TEST_CASE("rules: credit codes never promise more than is posted (RSP-15)") {
  constexpr std::uint32_t kValues[] = {
      0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
      256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
  for (unsigned code = 0; code < std::size(kValues); ++code) {
    CAPTURE(code);
    const std::uint32_t n = kValues[code];
    CHECK(credits_of(code) == n);
    CHECK(credit_code(n) == code);
    if (n > 0) CHECK(credits_of(credit_code(n - 1)) <= n - 1);
    CHECK(credits_of(credit_code(n + 1)) <= n + 1);
    CHECK(credit_code(n + 1) ==
          (code + 1 < std::size(kValues) && kValues[code + 1] == n + 1 ? code + 1 : code));
  }
}

TEST_CASE("rules: packets of a message at each path MTU (RQ-02, WIRE-41)") {
  for (unsigned code = 1; code <= 5; ++code) {
    const std::uint32_t p = pmtu_bytes(code);
    CHECK(p == 256u << (code - 1));
    CHECK(packets_of(0, p) == 1);
    CHECK(packets_of(1, p) == 1);
    CHECK(packets_of(p - 1, p) == 1);
    CHECK(packets_of(p, p) == 1);
    CHECK(packets_of(p + 1, p) == 2);
    CHECK(packets_of(3 * p + 5, p) == 4);
  }
  CHECK(packets_of(std::uint64_t{1} << 31, 256) == 1u << 23);
}

TEST_CASE("rules: timeout codes (RQ-31)") {
  CHECK(timeout_ns(0) == 0);
  CHECK(timeout_ns(1) == 8192);
  CHECK(timeout_ns(14) == 67'108'864);
  CHECK(timeout_ns(31) == 8'796'093'022'208);
}

TEST_CASE("rules: partition keys (WIRE-23)") {
  CHECK(pkeys_match(0xFFFF, 0xFFFF));
  CHECK(pkeys_match(0xFFFF, 0x7FFF));
  CHECK(pkeys_match(0x7FFF, 0xFFFF));
  CHECK_FALSE(pkeys_match(0x7FFF, 0x7FFF));
  CHECK_FALSE(pkeys_match(0xFFFF, 0x8001));
  CHECK_FALSE(pkeys_match(0xFFFF, 0x0000));
  CHECK_FALSE(pkeys_match(0xFFFF, 0x8000));
  CHECK_FALSE(pkeys_match(0x8000, 0x8000));
}

TEST_CASE("rules: opcodes by position in the message (RQ-05, WIRE-29)") {
  CHECK(opcode_for(MessageKind::kSend, true, false) == 0x00);
  CHECK(opcode_for(MessageKind::kSendImm, false, false) == 0x01);
  CHECK(opcode_for(MessageKind::kSendImm, false, true) == 0x03);
  CHECK(opcode_for(MessageKind::kSendInv, false, true) == 0x16);
  CHECK(opcode_for(MessageKind::kSendInv, true, true) == 0x17);
  CHECK(opcode_for(MessageKind::kWrite, true, true) == 0x0A);
  CHECK(opcode_for(MessageKind::kWriteImm, true, false) == 0x06);
  CHECK(opcode_for(MessageKind::kWriteImm, false, true) == 0x09);
  CHECK(opcode_for(MessageKind::kRead, true, false) == 0x0C);
  CHECK(opcode_for(MessageKind::kCmpSwap, true, true) == 0x13);
  CHECK(opcode_for(MessageKind::kFetchAdd, true, true) == 0x14);
  CHECK(read_response_opcode(true, false) == 0x0D);
  CHECK(read_response_opcode(false, false) == 0x0E);
  CHECK(read_response_opcode(false, true) == 0x0F);
  CHECK(read_response_opcode(true, true) == 0x10);
}

TEST_CASE("rules: kinds of AETH syndromes (RSP-14)") {
  using roci::layout::AethKind;
  // Bits 7 to 5 of the table in 9.7.5.2.1; the low bits are credits, a timer or a code of a NAK.
  CHECK(aeth_kind(0x1F) == AethKind::kAck);
  CHECK(aeth_kind(0x20) == AethKind::kRnr);
  CHECK(aeth_kind(0x3F) == AethKind::kRnr);
  CHECK(aeth_kind(0x60) == AethKind::kNak);
  CHECK(aeth_kind(0x64) == AethKind::kNak);
  for (const unsigned reserved : {0x40U, 0x5FU, 0x80U, 0xFFU}) {
    CHECK(aeth_kind(reserved) != AethKind::kAck);
    CHECK(aeth_kind(reserved) != AethKind::kRnr);
    CHECK(aeth_kind(reserved) != AethKind::kNak);
  }
}
