// SPDX-License-Identifier: Apache-2.0
// Composable checks of a frame.
//
//   CHECK(check(frame, ipv4(src("10.0.0.1"), ttl(64)),
//               bth(opcode(kRcWriteOnly), psn(0x17), ack_req(true)),
//               reth(va(0x1000), dma_length(64)), payload(data)));
//
// The result converts to bool; its text lists what differs.
#pragma once

#include <functional>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "model/packet/parser.hpp"

namespace roci::packet {

/// Result of a check: empty, or sentences about the differences.
class Verdict {
 public:
  explicit operator bool() const { return faults_.empty(); }
  const std::vector<std::string>& faults() const { return faults_; }
  void add(std::string fault) { faults_.push_back(std::move(fault)); }
  /// Adds "`what` is `got`, not `want`" when they differ.
  void expect(std::string_view what, std::uint64_t got, std::uint64_t want);
  friend std::ostream& operator<<(std::ostream& out, const Verdict& verdict);

 private:
  std::vector<std::string> faults_;
};

using Check = std::function<void(const Parsed&, Verdict*)>;

/// Applies checks to a frame. A frame that reception would drop fails at once.
Verdict check(ByteView frame, const std::vector<Check>& checks);
template <typename... Checks>
Verdict check(ByteView frame, Checks... checks) {
  return check(frame, std::vector<Check>{checks...});
}

/// A check of a field of one header; the type prevents `ttl` in `bth(...)`.
template <int kHeader>
struct Part {
  Check check;
};
using EthernetPart = Part<0>;
using IpPart = Part<1>;
using UdpPart = Part<2>;
using BthPart = Part<3>;
using RethPart = Part<4>;
using AtomicPart = Part<5>;
using AethPart = Part<6>;

// Each function checks the fields of one header. A missing header fails.
Check ethernet(std::initializer_list<EthernetPart> parts);
Check vlan(std::uint16_t vid, std::uint8_t pcp);
Check untagged();
Check ipv4(std::initializer_list<IpPart> parts);
Check ipv6(std::initializer_list<IpPart> parts);
/// The GRH of RoCE v1.
Check grh(std::initializer_list<IpPart> parts);
Check udp(std::initializer_list<UdpPart> parts);
Check bth(std::initializer_list<BthPart> parts);
Check reth(std::initializer_list<RethPart> parts);
Check atomic_eth(std::initializer_list<AtomicPart> parts);
Check aeth(std::initializer_list<AethPart> parts);
template <typename... Parts>
Check ethernet(EthernetPart first, Parts... rest) {
  return ethernet({first, rest...});
}
template <typename... Parts>
Check ipv4(IpPart first, Parts... rest) {
  return ipv4({first, rest...});
}
template <typename... Parts>
Check ipv6(IpPart first, Parts... rest) {
  return ipv6({first, rest...});
}
template <typename... Parts>
Check grh(IpPart first, Parts... rest) {
  return grh({first, rest...});
}
template <typename... Parts>
Check udp(UdpPart first, Parts... rest) {
  return udp({first, rest...});
}
template <typename... Parts>
Check bth(BthPart first, Parts... rest) {
  return bth({first, rest...});
}
template <typename... Parts>
Check reth(RethPart first, Parts... rest) {
  return reth({first, rest...});
}
template <typename... Parts>
Check atomic_eth(AtomicPart first, Parts... rest) {
  return atomic_eth({first, rest...});
}
template <typename... Parts>
Check aeth(AethPart first, Parts... rest) {
  return aeth({first, rest...});
}
Check atomic_ack(std::uint64_t original);
Check immediate(std::uint32_t value);
Check invalidates(std::uint32_t rkey);
Check deth(std::uint32_t qkey, std::uint32_t src_qp);
Check payload(Bytes bytes);
Check payload_bytes(std::size_t count);

EthernetPart dst_mac(Mac value);
EthernetPart src_mac(Mac value);
/// The text has the syntax of inet_pton.
IpPart src(std::string_view address);
IpPart dst(std::string_view address);
IpPart src(const Gid& address);
IpPart dst(const Gid& address);
IpPart traffic_class(std::uint8_t value);
IpPart ttl(std::uint8_t value);  ///< or hop limit
IpPart flow_label(std::uint32_t value);
UdpPart src_port(std::uint16_t value);
UdpPart src_port_in_range();  ///< 0xC000 and above
BthPart opcode(std::uint8_t value);
BthPart psn(std::uint32_t value);
BthPart psn(transport::Psn value);
BthPart dest_qp(std::uint32_t value);
BthPart ack_req(bool value);
BthPart solicited(bool value);
BthPart pkey(std::uint16_t value);
BthPart pad_count(std::uint8_t value);
BthPart mig_req(bool value);
RethPart va(std::uint64_t value);
RethPart rkey(std::uint32_t value);
RethPart dma_length(std::uint32_t value);
AtomicPart atomic_va(std::uint64_t value);
AtomicPart atomic_rkey(std::uint32_t value);
AtomicPart swap_add(std::uint64_t value);
AtomicPart compare(std::uint64_t value);
AethPart syndrome(std::uint8_t value);
AethPart msn(std::uint32_t value);

}  // namespace roci::packet
