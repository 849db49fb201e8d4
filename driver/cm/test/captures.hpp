// SPDX-License-Identifier: Apache-2.0
// The datagrams of the connection manager in captures of Linux Soft-RoCE.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "driver/cm/mad/message.hpp"
#include "model/packet/capture.hpp"
#include "model/packet/parser.hpp"

namespace roci::cm {

inline constexpr const char* kCaptures[] = {"cm_rcopy", "cm_rdma_server_client", "cm_reject",
                                            "cm_rping", "cm_ucmatose",           "cm_udaddy"};

inline std::vector<packet::CapturedFrame> frames_of(const std::string& name) {
  return packet::read_capture(CAPTURES "/" + name + ".pcap");
}

/// The payload of a datagram to QP1; empty: another frame.
inline packet::ByteView datagram_of(const packet::CapturedFrame& frame) {
  const packet::Parsed parsed = packet::parse(frame.bytes);
  if (!parsed.ok() || parsed.bth().opcode() != packet::kUdSendOnly) return {};
  return parsed.bth().dest_qp() == kGsiQpn ? parsed.payload : packet::ByteView{};
}

/// All datagrams to QP1 of a capture.
inline std::vector<packet::Bytes> datagrams_of(const std::string& name) {
  std::vector<packet::Bytes> found;
  for (const packet::CapturedFrame& frame : frames_of(name)) {
    const packet::ByteView payload = datagram_of(frame);
    if (payload.size != 0) found.push_back(payload.copy());
  }
  return found;
}

}  // namespace roci::cm
