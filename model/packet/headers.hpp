// SPDX-License-Identifier: Apache-2.0
// Views of headers: an accessor per field over bytes that belong to someone else. Where a field
// lies comes from the tables of model/spec.
//
//   Bth bth(frame + at);            bth.psn()
//   MutableBth bth(frame + at);     bth.set_psn(7)
#pragma once

#include <algorithm>

#include "model/packet/bytes.hpp"
#include "model/spec/headers.hpp"

namespace roci::packet {

/// What all views share. `Byte` is std::uint8_t, or const std::uint8_t for a view that only reads.
template <typename Byte, unsigned kBits>
class HeaderView {
 public:
  static constexpr std::size_t kBytes = kBits / 8;
  explicit HeaderView(Byte* bytes) : bytes_(bytes) {}
  Byte* bytes() const { return bytes_; }

 private:
  Byte* bytes_;
};

// clang-format off: a view reads as a table.

// A field of at most 64 bits, and one of 128.
#define ROCI_FIELD(type, table, name)                                  \
  type name() const {                                                  \
    constexpr spec::Place kPlace = spec::place_of(spec::table, #name); \
    return static_cast<type>(spec::get_wire(this->bytes(), kPlace));   \
  }                                                                    \
  void set_##name(type value) {                                        \
    constexpr spec::Place kPlace = spec::place_of(spec::table, #name); \
    spec::put_wire(this->bytes(), kPlace, value);                      \
  }
#define ROCI_ADDRESS(table, name)                                            \
  Gid name() const {                                                         \
    constexpr spec::Place kPlace = spec::place_of(spec::table, #name);       \
    Gid gid;                                                                 \
    std::copy_n(this->bytes() + kPlace.offset / 8, gid.size(), gid.begin()); \
    return gid;                                                              \
  }                                                                          \
  void set_##name(const Gid& gid) {                                          \
    constexpr spec::Place kPlace = spec::place_of(spec::table, #name);       \
    std::copy(gid.begin(), gid.end(), this->bytes() + kPlace.offset / 8);    \
  }
// The class of a header and its two views.
#define ROCI_VIEW(Name, table)                                                \
  template <typename Byte>                                                    \
  class Name##View;                                                           \
  using Name = Name##View<const std::uint8_t>;                                \
  using Mutable##Name = Name##View<std::uint8_t>;                             \
  template <typename Byte>                                                    \
  class Name##View : public HeaderView<Byte, spec::total_bits(spec::table)> { \
   public:                                                                    \
    using HeaderView<Byte, spec::total_bits(spec::table)>::HeaderView;

ROCI_VIEW(Ethernet, kEthernet)
ROCI_FIELD(Mac, kEthernet, dst_mac)
ROCI_FIELD(Mac, kEthernet, src_mac)
ROCI_FIELD(std::uint16_t, kEthernet, ethertype)
};

ROCI_VIEW(Vlan, kVlan)
ROCI_FIELD(std::uint8_t, kVlan, pcp)
ROCI_FIELD(bool, kVlan, dei)
ROCI_FIELD(std::uint16_t, kVlan, vid)
ROCI_FIELD(std::uint16_t, kVlan, ethertype)
}
;

ROCI_VIEW(Ipv4, kIpv4)
ROCI_FIELD(std::uint8_t, kIpv4, version)
ROCI_FIELD(std::uint8_t, kIpv4, ihl)
ROCI_FIELD(std::uint8_t, kIpv4, tos)
ROCI_FIELD(std::uint16_t, kIpv4, total_length)
ROCI_FIELD(std::uint16_t, kIpv4, identification)
ROCI_FIELD(std::uint8_t, kIpv4, flags)
ROCI_FIELD(std::uint16_t, kIpv4, fragment_offset)
ROCI_FIELD(std::uint8_t, kIpv4, ttl)
ROCI_FIELD(std::uint8_t, kIpv4, protocol)
ROCI_FIELD(std::uint16_t, kIpv4, checksum)
ROCI_FIELD(std::uint32_t, kIpv4, src_ip)
ROCI_FIELD(std::uint32_t, kIpv4, dst_ip)
}
;

ROCI_VIEW(Ipv6, kIpv6)
ROCI_FIELD(std::uint8_t, kIpv6, version)
ROCI_FIELD(std::uint8_t, kIpv6, traffic_class)
ROCI_FIELD(std::uint32_t, kIpv6, flow_label)
ROCI_FIELD(std::uint16_t, kIpv6, payload_length)
ROCI_FIELD(std::uint8_t, kIpv6, next_header)
ROCI_FIELD(std::uint8_t, kIpv6, hop_limit)
ROCI_ADDRESS(kIpv6, src_ip)
ROCI_ADDRESS(kIpv6, dst_ip)
}
;

ROCI_VIEW(Udp, kUdp)
ROCI_FIELD(std::uint16_t, kUdp, src_port)
ROCI_FIELD(std::uint16_t, kUdp, dst_port)
ROCI_FIELD(std::uint16_t, kUdp, length)
ROCI_FIELD(std::uint16_t, kUdp, checksum)
}
;

ROCI_VIEW(Bth, kBth)
ROCI_FIELD(std::uint8_t, kBth, opcode)
ROCI_FIELD(bool, kBth, solicited)
ROCI_FIELD(bool, kBth, mig_req)
ROCI_FIELD(std::uint8_t, kBth, pad_count)
ROCI_FIELD(std::uint8_t, kBth, version)
ROCI_FIELD(std::uint16_t, kBth, pkey)
ROCI_FIELD(bool, kBth, fecn)
ROCI_FIELD(bool, kBth, becn)
ROCI_FIELD(std::uint8_t, kBth, reserved6)
ROCI_FIELD(std::uint32_t, kBth, dest_qp)
ROCI_FIELD(bool, kBth, ack_req)
ROCI_FIELD(std::uint8_t, kBth, reserved7)
ROCI_FIELD(std::uint32_t, kBth, psn)
}
;

ROCI_VIEW(Reth, kReth)
ROCI_FIELD(std::uint64_t, kReth, va)
ROCI_FIELD(std::uint32_t, kReth, rkey)
ROCI_FIELD(std::uint32_t, kReth, dma_length)
}
;

ROCI_VIEW(AtomicEth, kAtomicEth)
ROCI_FIELD(std::uint64_t, kAtomicEth, va)
ROCI_FIELD(std::uint32_t, kAtomicEth, rkey)
ROCI_FIELD(std::uint64_t, kAtomicEth, swap_add)
ROCI_FIELD(std::uint64_t, kAtomicEth, compare)
}
;

ROCI_VIEW(Aeth, kAeth)
ROCI_FIELD(std::uint8_t, kAeth, syndrome)
ROCI_FIELD(std::uint32_t, kAeth, msn)
}
;

ROCI_VIEW(AtomicAckEth, kAtomicAckEth)
ROCI_FIELD(std::uint64_t, kAtomicAckEth, original)
}
;

ROCI_VIEW(ImmDt, kImmDt)
ROCI_FIELD(std::uint32_t, kImmDt, immediate)
}
;

ROCI_VIEW(Ieth, kIeth)
ROCI_FIELD(std::uint32_t, kIeth, rkey)
}
;

ROCI_VIEW(Deth, kDeth)
ROCI_FIELD(std::uint32_t, kDeth, qkey)
ROCI_FIELD(std::uint32_t, kDeth, src_qp)
}
;

ROCI_VIEW(Arp, kArp)
ROCI_FIELD(std::uint16_t, kArp, hardware_type)
ROCI_FIELD(std::uint16_t, kArp, protocol_type)
ROCI_FIELD(std::uint8_t, kArp, hardware_length)
ROCI_FIELD(std::uint8_t, kArp, protocol_length)
ROCI_FIELD(std::uint16_t, kArp, operation)
ROCI_FIELD(Mac, kArp, sender_mac)
ROCI_FIELD(std::uint32_t, kArp, sender_ip)
ROCI_FIELD(Mac, kArp, target_mac)
ROCI_FIELD(std::uint32_t, kArp, target_ip)
}
;

#undef ROCI_VIEW
#undef ROCI_ADDRESS
#undef ROCI_FIELD

// clang-format on

}  // namespace roci::packet
