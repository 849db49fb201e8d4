// SPDX-License-Identifier: Apache-2.0
// BTH opcodes by number: name, extension headers, rules. Numbers come from model/spec/codes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/spec/layout/codes.hpp"

namespace roci::packet {

using namespace layout::opcode;

/// Extension headers in the order of the wire (9.3, WIRE-31).
enum class Ext : std::uint8_t { kDeth, kReth, kAtomicEth, kAeth, kAtomicAckEth, kImmDt, kIeth };
inline constexpr std::size_t kExtKinds = 7;

/// Returns the bytes of an extension header.
std::size_t ext_header_bytes(Ext ext);

/// Properties of one opcode.
struct OpcodeInfo {
  std::string_view name;
  std::size_t ext_bytes;  ///< extension headers between BTH and payload
  bool payload;           ///< may carry payload
  bool response;          ///< goes from responder to requester
  bool start;             ///< FIRST, ONLY or a request of a single packet
  bool end;               ///< LAST, ONLY or a single packet
  bool may_solicit;       ///< SE may be set (9.2.3)
  std::uint8_t ext_mask;  ///< bit i: extension header Ext(i) is present
  bool has(Ext ext) const { return (ext_mask >> static_cast<unsigned>(ext) & 1u) != 0; }
  /// Offset of `ext` from the end of the BTH.
  std::size_t offset_of(Ext ext) const;
};

/// Returns nullptr for an opcode that no table has.
const OpcodeInfo* find_opcode(std::uint8_t opcode);

/// Whether the opcode is one of an RC SEND.
constexpr bool is_send(std::uint8_t opcode) {
  return opcode <= kRcSendOnlyImm || opcode == kRcSendLastInv || opcode == kRcSendOnlyInv;
}
/// Whether the opcode is one of an RC WRITE.
constexpr bool is_write(std::uint8_t opcode) {
  return opcode >= kRcWriteFirst && opcode <= kRcWriteOnlyImm;
}
/// Whether the transport service of the opcode, its bits 7 to 5, is UC (9.2.1).
constexpr bool is_uc(std::uint8_t opcode) { return (opcode & 0xE0) == kUcSendFirst; }
/// Whether the opcode is that of an atomic's request.
constexpr bool is_atomic(std::uint8_t opcode) {
  return opcode == kRcCmpSwap || opcode == kRcFetchAdd;
}
constexpr bool is_read_response(std::uint8_t opcode) {
  return opcode >= kRcReadRespFirst && opcode <= kRcReadRespOnly;
}

/// Returns a name such as "RcSendFirst", or "unknown" for an opcode that no table has.
std::string_view opcode_name(std::uint8_t opcode);

}  // namespace roci::packet
