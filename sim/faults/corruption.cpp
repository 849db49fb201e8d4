// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/corruption.hpp"

#include <fmt/format.h>

#include "model/packet/builder.hpp"
#include "model/spec/layout/headers.hpp"

namespace roci::sim::faults {

bool can_corrupt(const Rule& rule, const packet::Parsed& parsed) {
  if (!parsed.ok()) return false;
  if (rule.payload) return rule.offset < parsed.payload.size;
  return !rule.field || rule.field->is_in(parsed);
}

packet::Bytes corrupted(const Rule& rule, const packet::Parsed& parsed, std::string& text) {
  packet::Bytes frame(parsed.frame.data, parsed.frame.data + parsed.frame.size);
  if (rule.payload) {
    const auto at = static_cast<std::size_t>(parsed.payload.data - parsed.frame.data) + rule.offset;
    frame[at] ^= 1;
    text = fmt::format("corrupted: byte {} of the payload", rule.offset);
  } else if (rule.field) {
    const HeaderField& field = *rule.field;
    std::uint8_t* header = &frame[parsed.bth_at];
    if (const auto ext = field.header_in(parsed)) {
      header += packet::Bth::kBytes + parsed.op->offset_of(*ext);
    }
    const std::uint64_t before = layout::get_wire(header, field.place);
    layout::put_wire(header, field.place, rule.value.value_or(before ^ 1));
    text = fmt::format("corrupted: {} {:#x} instead of {:#x}", field.name,
                       layout::get_wire(header, field.place), before);
  } else {
    frame[parsed.icrc_at] ^= 1;
    text = "corrupted: ICRC";
  }
  if (rule.repair) {
    packet::seal(&frame);
    text += ", ICRC right";
  }
  return frame;
}

bool can_mark(const packet::Parsed& parsed) { return parsed.ok() && !parsed.roce_v1; }

packet::Bytes marked(const packet::Parsed& parsed) {
  constexpr std::uint8_t kCongestionExperienced = 3;  // RFC 3168, section 5
  packet::Bytes frame(parsed.frame.data, parsed.frame.data + parsed.frame.size);
  std::uint8_t* header = &frame[parsed.ip_at];
  const auto value = static_cast<std::uint8_t>(parsed.traffic_class() | kCongestionExperienced);
  if (parsed.ipv6) {
    packet::MutableIpv6(header).set_traffic_class(value);
  } else {
    packet::MutableIpv4(header).set_tos(value);
    packet::MutableIpv4(header).set_checksum(packet::ipv4_checksum({header, packet::Ipv4::kBytes}));
  }
  return frame;
}

}  // namespace roci::sim::faults
