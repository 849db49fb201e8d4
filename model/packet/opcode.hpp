// SPDX-License-Identifier: Apache-2.0
// BTH opcodes by number: name, extension headers, rules. Numbers come from model/spec/codes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/spec/codes.hpp"
#include "model/spec/headers.hpp"

namespace roci::packet {

/// Number of the opcode called `name`. A name that is not in the tables does not compile.
constexpr std::uint8_t opcode_of(std::string_view name) {
  for (const spec::Opcode& code : spec::kOpcodes) {
    if (code.name == name) return code.value;
  }
  for (const spec::Opcode& code : spec::kOtherOpcodes) {
    if (code.name == name) return code.value;
  }
  throw "no such opcode";
}

using spec::code_of;

/// Opcodes in words of the program.
inline constexpr std::uint8_t kRcSendFirst = opcode_of("RcSendFirst");
inline constexpr std::uint8_t kRcSendMiddle = opcode_of("RcSendMiddle");
inline constexpr std::uint8_t kRcSendLast = opcode_of("RcSendLast");
inline constexpr std::uint8_t kRcSendLastImm = opcode_of("RcSendLastImm");
inline constexpr std::uint8_t kRcSendOnly = opcode_of("RcSendOnly");
inline constexpr std::uint8_t kRcSendOnlyImm = opcode_of("RcSendOnlyImm");
inline constexpr std::uint8_t kRcWriteFirst = opcode_of("RcWriteFirst");
inline constexpr std::uint8_t kRcWriteMiddle = opcode_of("RcWriteMiddle");
inline constexpr std::uint8_t kRcWriteLast = opcode_of("RcWriteLast");
inline constexpr std::uint8_t kRcWriteLastImm = opcode_of("RcWriteLastImm");
inline constexpr std::uint8_t kRcWriteOnly = opcode_of("RcWriteOnly");
inline constexpr std::uint8_t kRcWriteOnlyImm = opcode_of("RcWriteOnlyImm");
inline constexpr std::uint8_t kRcReadRequest = opcode_of("RcReadRequest");
inline constexpr std::uint8_t kRcReadRespFirst = opcode_of("RcReadRespFirst");
inline constexpr std::uint8_t kRcReadRespMiddle = opcode_of("RcReadRespMiddle");
inline constexpr std::uint8_t kRcReadRespLast = opcode_of("RcReadRespLast");
inline constexpr std::uint8_t kRcReadRespOnly = opcode_of("RcReadRespOnly");
inline constexpr std::uint8_t kRcAck = opcode_of("RcAck");
inline constexpr std::uint8_t kRcAtomicAck = opcode_of("RcAtomicAck");
inline constexpr std::uint8_t kRcCmpSwap = opcode_of("RcCmpSwap");
inline constexpr std::uint8_t kRcFetchAdd = opcode_of("RcFetchAdd");
inline constexpr std::uint8_t kRcSendLastInv = opcode_of("RcSendLastInv");
inline constexpr std::uint8_t kRcSendOnlyInv = opcode_of("RcSendOnlyInv");
inline constexpr std::uint8_t kUdSendOnly = opcode_of("UdSendOnly");
inline constexpr std::uint8_t kUdSendOnlyImm = opcode_of("UdSendOnlyImm");
inline constexpr std::uint8_t kCnp = opcode_of("Cnp");

/// Extension headers in the order of the wire (9.3, WIRE-31).
enum class Ext : std::uint8_t { kDeth, kReth, kAtomicEth, kAeth, kAtomicAckEth, kImmDt, kIeth };
inline constexpr std::size_t kExtKinds = 7;

/// Bytes of an extension header.
std::size_t ext_header_bytes(Ext ext);

/// What the codec knows of one opcode.
struct OpcodeInfo {
  std::string_view name;
  std::size_t ext_bytes;  ///< extension headers between BTH and payload
  bool payload;           ///< may carry payload
  bool response;          ///< goes from responder to requester
  bool start;             ///< FIRST, ONLY or a request of a single packet
  bool end;               ///< LAST, ONLY or a single packet
  bool may_solicit;       ///< SE may be set (9.2.3)
  std::uint8_t ext_mask;  ///< bit i: extension header Ext(i) is there
  bool has(Ext ext) const { return (ext_mask >> static_cast<unsigned>(ext) & 1u) != 0; }
  /// Where `ext` begins, counted from the end of the BTH.
  std::size_t offset_of(Ext ext) const;
};

/// nullptr for an opcode that no table has.
const OpcodeInfo* find_opcode(std::uint8_t opcode);

/// A packet of an RC SEND, of any kind.
constexpr bool is_send(std::uint8_t opcode) {
  return opcode <= kRcSendOnlyImm || opcode == kRcSendLastInv || opcode == kRcSendOnlyInv;
}

/// "RcSendFirst", or "unknown" for one that no table has.
std::string_view opcode_name(std::uint8_t opcode);

}  // namespace roci::packet
