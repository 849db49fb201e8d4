// SPDX-License-Identifier: Apache-2.0
// Datagrams of the connection manager as frames, against those of Linux hosts with Soft-RoCE.
#include "sim/server/cm_frames.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/packet/builder.hpp"
#include "model/packet/capture.hpp"
#include "model/packet/parser.hpp"

using namespace roci;
using sim::datagram_in;
using sim::frame_of;
using sim::FrameKind;
using sim::Incoming;

namespace {

/// Frames to QP1 in a capture.
std::vector<packet::Bytes> frames_of(const std::string& name) {
  std::vector<packet::Bytes> found;
  for (const packet::CapturedFrame& frame :
       packet::read_capture(std::string(CAPTURES "/") + name + ".pcap")) {
    const packet::Parsed parsed = packet::parse(frame.bytes);
    if (parsed.ok() && parsed.bth().opcode() == packet::kUdSendOnly &&
        parsed.bth().dest_qp() == cm::kGsiQpn) {
      found.push_back(frame.bytes);
    }
  }
  return found;
}

cm::Outgoing outgoing_of(const packet::Parsed& parsed) {
  cm::Outgoing one{{0, 0, parsed.src(), parsed.dst()}, {}};
  REQUIRE(parsed.payload.size == one.bytes.size());
  std::copy(parsed.payload.begin(), parsed.payload.end(), one.bytes.begin());
  return one;
}

}  // namespace

TEST_CASE("CM-01: a datagram leaves in the frame in which Linux sends it") {
  // Free: IPv4 identification and checksum, UDP source port; AckReq and the PSN, which UD has not.
  const auto is_free = [](std::size_t at, std::size_t size) {
    return (at >= 18 && at < 20) || (at >= 24 && at < 26) || (at >= 34 && at < 36) ||
           (at >= 50 && at < 54) || at + 4 >= size;
  };
  for (const char* name : {"cm_rping", "cm_reject", "cm_udaddy", "cm_ucmatose"}) {
    CAPTURE(name);
    const auto frames = frames_of(name);
    REQUIRE(!frames.empty());
    for (const packet::Bytes& linux : frames) {
      const packet::Parsed parsed = packet::parse(linux);
      const packet::Bytes ours =
          frame_of(outgoing_of(parsed), parsed.ethernet().dst_mac(), parsed.ethernet().src_mac());
      CHECK(packet::parse(ours).ok());  // its ICRC too
      REQUIRE(ours.size() == linux.size());
      for (std::size_t at = 0; at < ours.size(); ++at) {
        if (is_free(at, ours.size())) continue;
        CAPTURE(at);
        const unsigned mask = at == 43 ? 0xBF : 0xFF;  // MigReq may have either value
        CHECK((ours[at] & mask) == (linux[at] & mask));
      }
    }
  }
}

TEST_CASE("CM-01: frames for QP1, and those that are not") {
  for (const packet::Bytes& linux : frames_of("cm_rping")) {
    Incoming datagram;
    REQUIRE(datagram_in(linux, datagram) == FrameKind::kDatagram);
    const packet::Parsed parsed = packet::parse(linux);
    CHECK(datagram.local == parsed.dst());
    CHECK(datagram.remote == parsed.src());
    CHECK(datagram.bytes == parsed.payload);
    packet::Bytes changed = linux;
    changed[linux.size() - 1] ^= 1;
    CHECK(datagram_in(changed, datagram) == FrameKind::kOther);
    changed = linux;
    changed.push_back(0);
    CHECK(datagram_in(changed, datagram) == FrameKind::kOther);
    const auto built = [&](std::uint32_t qpn, std::uint32_t qkey) {
      return packet::Builder()
          .ethernet(1, 2)
          .gids(parsed.src(), parsed.dst())
          .bth(packet::kUdSendOnly, qpn, transport::Psn(0))
          .deth(qkey, cm::kGsiQpn)
          .payload(parsed.payload)
          .build();
    };
    CHECK(datagram_in(built(cm::kGsiQpn, cm::kGsiQkey), datagram) == FrameKind::kDatagram);
    CHECK(datagram_in(built(cm::kGsiQpn, 0x80010001), datagram) == FrameKind::kForeign);
    CHECK(datagram_in(built(0x11, cm::kGsiQkey), datagram) == FrameKind::kOther);
  }
}
