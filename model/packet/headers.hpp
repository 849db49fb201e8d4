// SPDX-License-Identifier: Apache-2.0
// Views of headers: an accessor per field over bytes that the view does not own. The position of a
// field comes from the tables of model/spec.
//
//   Bth bth(frame + at);            bth.psn()
//   MutableBth bth(frame + at);     bth.set_psn(7)
#pragma once

#include <algorithm>

#include "model/packet/bytes.hpp"
#include "model/spec/layout/headers.hpp"

namespace roci::packet {

/// Base of all views. `Byte` is std::uint8_t, or const std::uint8_t for a view that only reads.
template <typename Byte, unsigned kBits>
class HeaderView {
 public:
  static constexpr std::size_t kBytes = kBits / 8;
  explicit HeaderView(Byte* bytes) : bytes_(bytes) {}
  Byte* bytes() const { return bytes_; }

 private:
  Byte* bytes_;
};

// The views are formatted as a table.
// clang-format off

// Macros for a field of at most 64 bits, and for one of 128.
#define ROCI_FIELD(type, table, name)                                                              \
  type name() const { return static_cast<type>(layout::get(this->bytes(), layout::table::name)); } \
  void set_##name(type value) { layout::put(this->bytes(), layout::table::name, value); }
#define ROCI_ADDRESS(table, name)                                                         \
  Gid name() const {                                                                      \
    Gid gid;                                                                              \
    std::copy_n(this->bytes() + layout::table::name.offset / 8, gid.size(), gid.begin()); \
    return gid;                                                                           \
  }                                                                                       \
  void set_##name(const Gid& gid) {                                                       \
    std::copy(gid.begin(), gid.end(), this->bytes() + layout::table::name.offset / 8);    \
  }
// Macro for the class of a header and its two views.
#define ROCI_VIEW(Name, table)                                       \
  template <typename Byte>                                           \
  class Name##View;                                                  \
  using Name = Name##View<const std::uint8_t>;                       \
  using Mutable##Name = Name##View<std::uint8_t>;                    \
  template <typename Byte>                                           \
  class Name##View : public HeaderView<Byte, layout::table::kBits> { \
   public:                                                           \
    using HeaderView<Byte, layout::table::kBits>::HeaderView;

ROCI_VIEW(Ethernet, ethernet)
ROCI_FIELD(Mac, ethernet, dst_mac)
ROCI_FIELD(Mac, ethernet, src_mac)
ROCI_FIELD(std::uint16_t, ethernet, ethertype)
};

ROCI_VIEW(Vlan, vlan)
ROCI_FIELD(std::uint8_t, vlan, pcp)
ROCI_FIELD(bool, vlan, dei)
ROCI_FIELD(std::uint16_t, vlan, vid)
ROCI_FIELD(std::uint16_t, vlan, ethertype)
};

ROCI_VIEW(Ipv4, ipv4)
ROCI_FIELD(std::uint8_t, ipv4, version)
ROCI_FIELD(std::uint8_t, ipv4, ihl)
ROCI_FIELD(std::uint8_t, ipv4, tos)
ROCI_FIELD(std::uint16_t, ipv4, total_length)
ROCI_FIELD(std::uint16_t, ipv4, identification)
ROCI_FIELD(std::uint8_t, ipv4, flags)
ROCI_FIELD(std::uint16_t, ipv4, fragment_offset)
ROCI_FIELD(std::uint8_t, ipv4, ttl)
ROCI_FIELD(std::uint8_t, ipv4, protocol)
ROCI_FIELD(std::uint16_t, ipv4, checksum)
ROCI_FIELD(std::uint32_t, ipv4, src_ip)
ROCI_FIELD(std::uint32_t, ipv4, dst_ip)
};

ROCI_VIEW(Ipv6, ipv6)
ROCI_FIELD(std::uint8_t, ipv6, version)
ROCI_FIELD(std::uint8_t, ipv6, traffic_class)
ROCI_FIELD(std::uint32_t, ipv6, flow_label)
ROCI_FIELD(std::uint16_t, ipv6, payload_length)
ROCI_FIELD(std::uint8_t, ipv6, next_header)
ROCI_FIELD(std::uint8_t, ipv6, hop_limit)
ROCI_ADDRESS(ipv6, src_ip)
ROCI_ADDRESS(ipv6, dst_ip)
};

ROCI_VIEW(Udp, udp)
ROCI_FIELD(std::uint16_t, udp, src_port)
ROCI_FIELD(std::uint16_t, udp, dst_port)
ROCI_FIELD(std::uint16_t, udp, length)
ROCI_FIELD(std::uint16_t, udp, checksum)
};

ROCI_VIEW(Bth, bth)
ROCI_FIELD(std::uint8_t, bth, opcode)
ROCI_FIELD(bool, bth, solicited)
ROCI_FIELD(bool, bth, mig_req)
ROCI_FIELD(std::uint8_t, bth, pad_count)
ROCI_FIELD(std::uint8_t, bth, version)
ROCI_FIELD(std::uint16_t, bth, pkey)
ROCI_FIELD(bool, bth, fecn)
ROCI_FIELD(bool, bth, becn)
ROCI_FIELD(std::uint8_t, bth, reserved6)
ROCI_FIELD(std::uint32_t, bth, dest_qp)
ROCI_FIELD(bool, bth, ack_req)
ROCI_FIELD(std::uint8_t, bth, reserved7)
ROCI_FIELD(std::uint32_t, bth, psn)
};

ROCI_VIEW(Reth, reth)
ROCI_FIELD(std::uint64_t, reth, va)
ROCI_FIELD(std::uint32_t, reth, rkey)
ROCI_FIELD(std::uint32_t, reth, dma_length)
};

ROCI_VIEW(AtomicEth, atomic_eth)
ROCI_FIELD(std::uint64_t, atomic_eth, va)
ROCI_FIELD(std::uint32_t, atomic_eth, rkey)
ROCI_FIELD(std::uint64_t, atomic_eth, swap_add)
ROCI_FIELD(std::uint64_t, atomic_eth, compare)
};

ROCI_VIEW(Aeth, aeth)
ROCI_FIELD(std::uint8_t, aeth, syndrome)
ROCI_FIELD(std::uint32_t, aeth, msn)
};

ROCI_VIEW(AtomicAckEth, atomic_ack_eth)
ROCI_FIELD(std::uint64_t, atomic_ack_eth, original)
};

ROCI_VIEW(ImmDt, imm_dt)
ROCI_FIELD(std::uint32_t, imm_dt, immediate)
};

ROCI_VIEW(Ieth, ieth)
ROCI_FIELD(std::uint32_t, ieth, rkey)
};

ROCI_VIEW(Deth, deth)
ROCI_FIELD(std::uint32_t, deth, qkey)
ROCI_FIELD(std::uint32_t, deth, src_qp)
};

ROCI_VIEW(Arp, arp)
ROCI_FIELD(std::uint16_t, arp, hardware_type)
ROCI_FIELD(std::uint16_t, arp, protocol_type)
ROCI_FIELD(std::uint8_t, arp, hardware_length)
ROCI_FIELD(std::uint8_t, arp, protocol_length)
ROCI_FIELD(std::uint16_t, arp, operation)
ROCI_FIELD(Mac, arp, sender_mac)
ROCI_FIELD(std::uint32_t, arp, sender_ip)
ROCI_FIELD(Mac, arp, target_mac)
ROCI_FIELD(std::uint32_t, arp, target_ip)
};

#undef ROCI_VIEW
#undef ROCI_ADDRESS
#undef ROCI_FIELD

// clang-format on

}  // namespace roci::packet
