// SPDX-License-Identifier: Apache-2.0
#include "model/transport/rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace roci::transport {
namespace {

constexpr std::uint64_t kUs = 1000;

// Table of 9.7.5.2.8 in units of 10 us.
constexpr std::uint32_t kRnrTens[] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                      16,    24,   32,   48,    64,    96,    128,   192,
                                      256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                      4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};
static_assert(std::size(kRnrTens) == 32);

// Table of 9.7.7.2: from code 3 on, each value is twice the value two codes before.
constexpr std::uint32_t kCredits[] = {
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
static_assert(std::size(kCredits) == kNoLimit);

constexpr std::uint8_t rc(std::string_view name) {
  for (const spec::Opcode& code : spec::kOpcodes) {
    if (code.name == name) return code.value;
  }
  throw "no such opcode";
}

/// Opcodes of one kind: first, middle, last, only.
using Names = std::array<std::uint8_t, 4>;
std::uint8_t pick(const Names& names, bool first, bool last) {
  return first ? names[last ? 3 : 0] : names[last ? 2 : 1];
}
constexpr Names single(std::uint8_t opcode) { return {opcode, opcode, opcode, opcode}; }

constexpr Names kNames[] = {
    {rc("RcSendFirst"), rc("RcSendMiddle"), rc("RcSendLast"), rc("RcSendOnly")},
    {rc("RcSendFirst"), rc("RcSendMiddle"), rc("RcSendLastImm"), rc("RcSendOnlyImm")},
    {rc("RcSendFirst"), rc("RcSendMiddle"), rc("RcSendLastInv"), rc("RcSendOnlyInv")},
    {rc("RcWriteFirst"), rc("RcWriteMiddle"), rc("RcWriteLast"), rc("RcWriteOnly")},
    {rc("RcWriteFirst"), rc("RcWriteMiddle"), rc("RcWriteLastImm"), rc("RcWriteOnlyImm")},
    single(rc("RcReadRequest")),
    single(rc("RcCmpSwap")),
    single(rc("RcFetchAdd")),
};
constexpr Names kReadResponse = {rc("RcReadRespFirst"), rc("RcReadRespMiddle"),
                                 rc("RcReadRespLast"), rc("RcReadRespOnly")};

}  // namespace

std::uint64_t rnr_ns(unsigned code) { return kRnrTens[code & 31] * 10 * kUs; }

std::uint32_t credits_of(unsigned code) { return kCredits[std::min(code, kNoLimit - 1)]; }

unsigned credit_code(std::uint32_t posted) {
  const auto above = std::upper_bound(std::begin(kCredits), std::end(kCredits), posted);
  return static_cast<unsigned>(above - std::begin(kCredits)) - 1;
}

std::uint8_t opcode_for(MessageKind kind, bool first, bool last) {
  return pick(kNames[static_cast<unsigned>(kind)], first, last);
}

std::uint8_t read_response_opcode(bool first, bool last) {
  return pick(kReadResponse, first, last);
}

}  // namespace roci::transport
