// SPDX-License-Identifier: Apache-2.0
// Tables and sums of the transport that requester, responder and tests share.
#pragma once

#include <cstdint>

#include "model/spec/codes.hpp"

namespace roci::transport {

/// Payload bytes of a full packet, by path MTU code: 1 = 256 to 5 = 4096.
constexpr std::uint32_t pmtu_bytes(unsigned code) { return std::uint32_t{128} << code; }

/// Packets of a message or READ response (RQ-02, RQ-03): an empty one has one as well.
constexpr std::uint32_t packets_of(std::uint64_t bytes, std::uint32_t pmtu) {
  return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + pmtu - 1) / pmtu);
}

/// T of a transport timeout code, ns; 0: no timer (RQ-31).
constexpr std::uint64_t timeout_ns(unsigned code) {
  return code == 0 ? 0 : std::uint64_t{4096} << code;
}

/// Waiting time that an RNR NAK with this timer code asks for, ns (RQ-27).
std::uint64_t rnr_ns(unsigned code);

/// Receives that a credit code of an AETH stands for (RSP-15); code 31 is no limit and not in it.
std::uint32_t credits_of(unsigned code);
inline constexpr unsigned kNoLimit = 31;
/// Largest code that stands for no more than `posted` receives.
unsigned credit_code(std::uint32_t posted);

/// P_Keys match: the low 15 bits are equal and not 0, and one side is a full member (WIRE-23).
constexpr bool pkeys_match(std::uint16_t a, std::uint16_t b) {
  constexpr std::uint16_t kFull = 0x8000;
  return ((a ^ b) & ~kFull & 0xFFFF) == 0 && (a & ~kFull & 0xFFFF) != 0 && ((a | b) & kFull) != 0;
}

/// Kind of a message, which says how its packets are named.
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

/// BTH opcode of the packet of a message that is its first, its last, both or neither (RQ-05).
std::uint8_t opcode_for(MessageKind kind, bool first, bool last);
/// The same for packets of a READ response (RSP-32).
std::uint8_t read_response_opcode(bool first, bool last);

}  // namespace roci::transport
