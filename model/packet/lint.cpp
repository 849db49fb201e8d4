// SPDX-License-Identifier: Apache-2.0
#include "model/packet/lint.hpp"

#include <algorithm>

#include "model/packet/icrc.hpp"
#include "model/packet/parser.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/transport/rules.hpp"

namespace roci::packet {
namespace {

using Complaints = std::vector<std::string>;

constexpr std::size_t kMinPmtu = 256;
constexpr std::size_t kMaxPmtu = 4096;
constexpr unsigned kFirstPort = 0xC000;

void lint_ip(const Parsed& p, Complaints* out) {
  if (p.roce_v1) return;  // parse() has checked the only length of the GRH and the rest
  const std::size_t header = p.udp_at - p.ip_at;
  std::size_t ip_length = Ipv6::kBytes;
  if (p.ipv6) {
    ip_length += p.ipv6_header().payload_length();
  } else {
    const Ipv4 ip = p.ipv4_header();
    ip_length = ip.total_length();
    if (ones_sum(p.frame.sub(p.ip_at, header)) != 0xFFFF) {
      out->emplace_back("wrong IPv4 checksum (WIRE-04)");
    }
    if (header != Ipv4::kBytes) out->emplace_back("IPv4 options (WIRE-04)");
    if (ip.flags() != 2) out->emplace_back("IPv4 flags are not just DF (WIRE-04)");
  }
  if (ip_length != header + p.udp().length()) {
    out->emplace_back("UDP length disagrees with IP length (WIRE-17)");
  }
  if (p.udp().checksum() != 0) {
    const ByteView datagram = p.frame.sub(p.udp_at, p.udp().length());
    if (udp_sum(p.frame.sub(p.ip_at, header), datagram, p.ipv6) != 0xFFFF) {
      out->emplace_back("wrong non-zero UDP checksum (WIRE-16)");
    }
  }
  if (p.udp().src_port() < kFirstPort) {
    out->emplace_back("UDP source port below 0xC000 (WIRE-13)");
  }
}

void lint_payload(const Parsed& p, Complaints* out) {
  const std::size_t bytes = p.payload.size;
  if (std::any_of(p.pad.begin(), p.pad.end(), [](std::uint8_t byte) { return byte != 0; })) {
    out->emplace_back("pad bytes not zero (WIRE-32)");
  }
  if (!p.op->payload) {
    if (bytes != 0) out->emplace_back("payload on an opcode that has none (WIRE-35)");
    return;
  }
  if (bytes > kMaxPmtu) out->emplace_back("payload above 4096 bytes (WIRE-41)");
  if (!p.op->end && (bytes < kMinPmtu || (bytes & (bytes - 1)) != 0 || p.pad.size != 0)) {
    out->emplace_back("FIRST or MIDDLE does not carry exactly a path MTU (WIRE-41)");
  }
  if (p.op->end && !p.op->start && bytes == 0) {
    out->emplace_back("LAST without payload (WIRE-41)");
  }
}

void lint_bth(const Parsed& p, Complaints* out) {
  const Bth bth = p.bth();
  if (bth.version() != 0) out->emplace_back("TVer not 0 (WIRE-20)");
  if (bth.reserved6() != 0 || bth.reserved7() != 0) {
    out->emplace_back("reserved BTH bits set (WIRE-21)");
  }
  if (p.op == nullptr) {
    out->emplace_back("unknown opcode (WIRE-29)");
    return;
  }
  if ((p.icrc_at - p.bth_at) % 4 != 0) {
    out->emplace_back("BTH to pad is not a multiple of 4 (WIRE-32)");
  }
  if (p.op->response && bth.ack_req()) {
    out->emplace_back("AckReq on a response (WIRE-44)");
  }
  if (bth.solicited() && !p.op->may_solicit) {
    out->emplace_back("SE where it may not be (WIRE-43)");
  }
  if (p.icrc_at - p.bth_at - Bth::kBytes < p.op->ext_bytes) {
    out->emplace_back("too short for its extension headers (WIRE-29)");
    return;
  }
  if (p.payload.data == nullptr) {
    out->emplace_back("pad larger than what is left (WIRE-33)");
    return;
  }
  lint_payload(p, out);
  if (p.has(Ext::kAeth)) {
    const layout::AethKind kind = transport::aeth_kind(p.aeth().syndrome());
    if (kind != layout::AethKind::kAck && kind != layout::AethKind::kRnr &&
        kind != layout::AethKind::kNak) {
      out->emplace_back("reserved AETH syndrome (RSP-14)");
    }
  }
}

}  // namespace

std::vector<std::string> lint(ByteView frame) {
  Complaints out;
  const Parsed p = parse(frame);
  if (p.error == Error::kNotRoce) return out;
  if (!p.has_bth) {
    out.emplace_back(std::string(to_string(p.error)) + " (WIRE-33)");
    return out;
  }
  if (!p.icrc_ok) out.emplace_back("wrong ICRC (WIRE-36)");
  lint_ip(p, &out);
  lint_bth(p, &out);
  return out;
}

}  // namespace roci::packet
