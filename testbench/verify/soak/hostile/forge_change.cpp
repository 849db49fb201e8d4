// SPDX-License-Identifier: Apache-2.0
// Changes that a Forge makes to a valid packet.
#include <algorithm>

#include "model/packet/parser.hpp"
#include "model/spec/field.hpp"
#include "model/spec/headers.hpp"
#include "model/spec/layout/field.hpp"
#include "testbench/verify/soak/hostile/forge.hpp"

namespace roci::soak {
namespace {

using packet::Bytes;

/// A header of a frame and its fields.
struct Header {
  std::size_t at;
  const spec::Field* fields;
  std::size_t count;
};

template <std::size_t N>
Header header(std::size_t at, const spec::Field (&fields)[N]) {
  return {at, fields, N};
}

}  // namespace

std::uint64_t Forge::edge(unsigned bits, std::uint64_t right) {
  const std::uint64_t max = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  switch (below(8)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return max - 1;
    case 3:
      return max;
    case 4:
      return right + 1;
    case 5:
      return right - 1;
    case 6:
      return right ^ std::uint64_t{1} << below(bits);
    default:
      return random_() & max;
  }
}

/// Sets one field of one header to an edge value.
void Forge::change(Bytes& frame) {
  std::vector<Header> headers = {header(0, spec::kEthernet), header(udp_at_, spec::kUdp),
                                 header(bth_at_, spec::kBth), header(bth_at_, spec::kBth)};
  headers.push_back(ipv6_ ? header(kIpAt, spec::kIpv6) : header(kIpAt, spec::kIpv4));
  const std::size_t ext_at = bth_at_ + packet::Bth::kBytes;
  const packet::OpcodeInfo* info = packet::find_opcode(frame[bth_at_]);
  const auto add = [&](packet::Ext ext, Header h) {
    if (info == nullptr || !info->has(ext)) return;
    h.at = ext_at + info->offset_of(ext);
    if (h.at + packet::ext_header_bytes(ext) + kIcrc > frame.size()) return;
    headers.insert(headers.end(), 3, h);
  };
  add(packet::Ext::kReth, header(0, spec::kReth));
  add(packet::Ext::kAtomicEth, header(0, spec::kAtomicEth));
  add(packet::Ext::kAeth, header(0, spec::kAeth));
  add(packet::Ext::kIeth, header(0, spec::kIeth));
  const Header& h = headers[below(headers.size())];
  const std::size_t field = below(h.count);
  unsigned offset = 0;
  for (std::size_t i = 0; i < field; ++i) offset += h.fields[i].bits;
  const layout::Place place{offset, std::min(h.fields[field].bits, 64u)};
  const std::uint64_t right = layout::get_wire(frame.data() + h.at, place);
  layout::put_wire(frame.data() + h.at, place, edge(place.bits, right));
}

/// Lengthens or shortens the payload and adjusts the lengths.
void Forge::change_length(Bytes& frame) {
  constexpr std::size_t kSteps[] = {0, 1, 2, 3, 4, 5, 8, 64, 255, 256, 257};
  const std::size_t step = kSteps[below(11)];
  const std::size_t least = bth_at_ + packet::Bth::kBytes + kIcrc;
  frame.resize(below(2) == 0 ? std::min(frame.size() + step, kLongest)
                             : std::max(frame.size(), least + step) - step);
  set_length(frame);
}

void Forge::set_length(Bytes& frame) {
  const auto length = [&](std::size_t from) {
    return static_cast<std::uint16_t>(frame.size() - from);
  };
  packet::MutableUdp(frame.data() + udp_at_).set_length(length(udp_at_));
  if (ipv6_) {
    packet::MutableIpv6(frame.data() + kIpAt).set_payload_length(length(udp_at_));
  } else {
    packet::MutableIpv4(frame.data() + kIpAt).set_total_length(length(kIpAt));
  }
}

/// Computes checksum and ICRC for any content; `frame` has the layout with which it was built.
void Forge::seal(Bytes& frame) {
  const packet::ByteView view(frame);
  if (!ipv6_ && below(16) != 0) {
    packet::MutableIpv4 ip(frame.data() + kIpAt);
    ip.set_checksum(0);
    ip.set_checksum(packet::ipv4_checksum(view.sub(kIpAt, udp_at_ - kIpAt)));
  }
  const std::size_t icrc_at = frame.size() - kIcrc;
  const std::uint32_t icrc = packet::icrc(view.sub(kIpAt, icrc_at - kIpAt), bth_at_ - kIpAt,
                                          ipv6_ ? packet::Network::kIpv6 : packet::Network::kIpv4);
  for (std::size_t i = 0; i < kIcrc; ++i) {
    frame[icrc_at + i] = static_cast<std::uint8_t>(icrc >> 8 * i);
  }
  ++sealed_;
}

/// Spares some queue pairs: such a packet would be indistinguishable from one of their peer.
void Forge::aim(Bytes& frame) {
  const packet::Parsed p = packet::parse(frame);
  if (!p.has_bth) return;
  if (std::find(spared_.begin(), spared_.end(), p.bth().dest_qp()) == spared_.end()) return;
  packet::MutableBth(frame.data() + p.bth_at).set_dest_qp(victim().qpn);
}

}  // namespace roci::soak
