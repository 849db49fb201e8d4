// SPDX-License-Identifier: Apache-2.0
// Tables and computations of the transport that requester, responder and tests share.
#pragma once

#include <cstdint>

#include "model/spec/codes.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::transport {

/// Returns the payload bytes of a full packet by path MTU code: 1 = 256 to 5 = 4096.
constexpr std::uint32_t pmtu_bytes(unsigned code) { return std::uint32_t{128} << code; }

/// Returns the packets of a message or READ response (RQ-02, RQ-03); an empty one has one packet.
constexpr std::uint32_t packets_of(std::uint64_t bytes, std::uint32_t pmtu) {
  return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + pmtu - 1) / pmtu);
}

/// Returns the transport timeout T of a code in ns; 0: no timer (RQ-31).
constexpr std::uint64_t timeout_ns(unsigned code) {
  return code == 0 ? 0 : std::uint64_t{4096} << code;
}

/// Returns the RNR delay of a timer code in ns (RQ-27).
std::uint64_t rnr_ns(unsigned code);

/// Returns the receives that a credit code of an AETH stands for (RSP-15). Code 31, no limit, is
/// not permitted here.
std::uint32_t credits_of(unsigned code);
inline constexpr unsigned kNoLimit = 31;
/// Returns the largest code that stands for no more than `posted` receives.
unsigned credit_code(std::uint32_t posted);

/// Returns the kind of response that an AETH syndrome says: its bits 7 to 5 (9.7.5.2.1). A
/// reserved kind is none of the enumerators.
constexpr layout::AethKind aeth_kind(unsigned syndrome) {
  return static_cast<layout::AethKind>(syndrome >> 5);
}

/// Whether P_Keys match: the low 15 bits are equal and not 0, and one side is a full member
/// (WIRE-23).
constexpr bool pkeys_match(std::uint16_t a, std::uint16_t b) {
  constexpr std::uint16_t kFull = 0x8000;
  return ((a ^ b) & ~kFull & 0xFFFF) == 0 && (a & ~kFull & 0xFFFF) != 0 && ((a | b) & kFull) != 0;
}

/// Kind of a message, which determines the opcodes of its packets.
enum class MessageKind : std::uint8_t {
  kSend,
  kSendImm,
  kSendInv,
  kWrite,
  kWriteImm,
  kRead,
  kCmpSwap,
  kFetchAdd
};

/// Returns the BTH opcode of a message's packet that is its first, its last, both or neither
/// (RQ-05).
std::uint8_t opcode_for(MessageKind kind, bool first, bool last);
/// Returns the BTH opcode of a packet of a READ response (RSP-32).
std::uint8_t read_response_opcode(bool first, bool last);

}  // namespace roci::transport
