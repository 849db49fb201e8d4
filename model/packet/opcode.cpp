// SPDX-License-Identifier: Apache-2.0
#include "model/packet/opcode.hpp"

#include <array>

#include "model/spec/codes.hpp"
#include "model/spec/layout/headers.hpp"

namespace roci::packet {
namespace {

constexpr std::array<std::size_t, kExtKinds> kExtBytes = {
    layout::deth::kBytes, layout::reth::kBytes,           layout::atomic_eth::kBytes,
    layout::aeth::kBytes, layout::atomic_ack_eth::kBytes, layout::imm_dt::kBytes,
    layout::ieth::kBytes,
};

constexpr std::uint8_t bit(Ext ext) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(ext));
}

constexpr bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The names in the tables are those of 9.2.1 and give the contents of a packet.
constexpr std::uint8_t ext_mask_of(std::string_view name) {
  unsigned mask = 0;
  if (contains(name, "Ud")) mask |= bit(Ext::kDeth);
  if (contains(name, "WriteFirst") || contains(name, "WriteOnly") || contains(name, "ReadRequest"))
    mask |= bit(Ext::kReth);
  if (contains(name, "CmpSwap") || contains(name, "FetchAdd")) mask |= bit(Ext::kAtomicEth);
  if ((contains(name, "ReadResp") && !contains(name, "Middle")) || ends_with(name, "Ack"))
    mask |= bit(Ext::kAeth);
  if (contains(name, "AtomicAck")) mask |= bit(Ext::kAtomicAckEth);
  if (ends_with(name, "Imm")) mask |= bit(Ext::kImmDt);
  if (ends_with(name, "Inv")) mask |= bit(Ext::kIeth);
  return static_cast<std::uint8_t>(mask);
}

constexpr OpcodeInfo info_of(const spec::Opcode& code) {
  const std::string_view name = code.name;
  const bool more_follow = contains(name, "First") || contains(name, "Middle");
  const bool more_before = contains(name, "Middle") || contains(name, "Last");
  const bool end = !more_follow;
  return {name,
          code.ext_bytes,
          code.payload,
          contains(name, "ReadResp") || ends_with(name, "Ack"),
          !more_before,
          end,
          end && (contains(name, "Send") || (contains(name, "Write") && ends_with(name, "Imm"))),
          ext_mask_of(name)};
}

constexpr std::array<OpcodeInfo, 256> make_table() {
  std::array<OpcodeInfo, 256> table{};
  for (const spec::Opcode& code : spec::kOpcodes) table[code.value] = info_of(code);
  for (const spec::Opcode& code : spec::kOtherOpcodes) table[code.value] = info_of(code);
  return table;
}

constexpr std::array<OpcodeInfo, 256> kTable = make_table();

// The sizes derived from the names equal those of the opcode table; a CNP has 16 reserved bytes.
constexpr bool sizes_agree() {
  for (std::size_t opcode = 0; opcode < kTable.size(); ++opcode) {
    std::size_t sum = opcode == kCnp ? 16 : 0;
    for (std::size_t i = 0; i < kExtKinds; ++i) {
      if ((kTable[opcode].ext_mask >> i & 1u) != 0) sum += kExtBytes[i];
    }
    if (sum != kTable[opcode].ext_bytes) return false;
  }
  return true;
}
static_assert(sizes_agree());

}  // namespace

std::size_t ext_header_bytes(Ext ext) { return kExtBytes[static_cast<std::size_t>(ext)]; }

std::size_t OpcodeInfo::offset_of(Ext ext) const {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ext); ++i) {
    if ((ext_mask >> i & 1u) != 0) offset += kExtBytes[i];
  }
  return offset;
}

const OpcodeInfo* find_opcode(std::uint8_t opcode) {
  return kTable[opcode].name.empty() ? nullptr : &kTable[opcode];
}

std::string_view opcode_name(std::uint8_t opcode) {
  return kTable[opcode].name.empty() ? std::string_view("unknown") : kTable[opcode].name;
}

}  // namespace roci::packet
