// SPDX-License-Identifier: Apache-2.0
// Frames of Linux for address resolution, and a bench that owns addresses.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "firmware/test/bench.hpp"

namespace roci::fw::test {

using namespace roci::layout;

inline Frame from_hex(std::string_view text) {
  Frame bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Request and reply of Linux, from rc_send_mtu256.pcap and (tagged) rc_vlan100.pcap.
inline const Frame kArpRequest = from_hex(
    "ffffffffffff52540000000108060001080006040001525400000001"
    "0a0000010000000000000a000002");
inline const Frame kArpReply = from_hex(
    "52540000000152540000000208060001080006040002525400000002"
    "0a0000025254000000010a000001");
inline const Frame kArpRequestVlan = from_hex(
    "ffffffffffff525400000001810000640806000108000604000152540000"
    "00010a0064010000000000000a006402");
inline const Frame kArpReplyVlan = from_hex(
    "525400000001525400000002810000640806000108000604000252540000"
    "00020a0064025254000000010a006401");
// Written field by field from RFC 4861; Wireshark accepts the checksums.
inline const Frame kNdSolicitation = from_hex(
    "3333ff00000252540000000186dd6000000000203afffd000000000000000000000000000001ff02"
    "00000000000000000001ff00000287002d4300000000fd0000000000000000000000000000020101"
    "525400000001");
inline const Frame kNdAdvertisement = from_hex(
    "52540000000152540000000286dd6000000000203afffd000000000000000000000000000002fd00"
    "00000000000000000000000000018800cc4560000000fd0000000000000000000000000000020201"
    "525400000002");
inline const Frame kNdSolicitationForUs = from_hex(
    "3333ff00000152540000000286dd6000000000203afffd000000000000000000000000000002ff02"
    "00000000000000000001ff00000187002d4300000000fd0000000000000000000000000000010101"
    "525400000002");
inline const Frame kNdAdvertisementOurs = from_hex(
    "52540000000252540000000186dd6000000000203afffd000000000000000000000000000001fd00"
    "00000000000000000000000000028800cc4760000000fd0000000000000000000000000000010201"
    "525400000001");
inline const Frame kProbe = from_hex(
    "3333ff00000152540000000286dd6000000000183aff00000000000000000000000000000000ff02"
    "00000000000000000001ff00000187007da500000000fd000000000000000000000000000001");
inline const Frame kProbeReply = from_hex(
    "33330000000152540000000186dd6000000000203afffd000000000000000000000000000001ff02"
    "000000000000000000000000000188000a4720000000fd0000000000000000000000000000010201"
    "525400000001");

/// A bench that owns 10.0.0.1, fd00::1, and 10.0.100.1 in VLAN 100.
class NetBench : public Bench {
 public:
  NetBench() {
    set_gid(0, kOwnIpv4);
    set_gid(1, kOwnIpv6);
    set_gid(2, gid_of_ipv4(0x0A006401), 100);
  }
  void resolve(std::uint32_t index, const Gid& gid) {
    give(AdminOp::kResolveAddress, Body()
                                       .put(resolve_address::sgid_index, index)
                                       .put(resolve_address::dgid_hi, gid.hi)
                                       .put(resolve_address::dgid_lo, gid.lo));
  }
  void receive(const Frame& frame) {
    nic.received.push_back(frame);
    CHECK(firmware->poll());
    CHECK(nic.received.empty());
  }
};

}  // namespace roci::fw::test
