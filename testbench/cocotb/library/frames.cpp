// SPDX-License-Identifier: Apache-2.0
// Frames and texts of the C interface.
#include <cstring>
#include <stdexcept>

#include "model/packet/builder.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/lint.hpp"
#include "model/packet/parser.hpp"
#include "testbench/cocotb/library/cocotbext_roce.h"
#include "testbench/cocotb/library/text.hpp"

namespace roci::cocotb {
namespace {

using namespace packet;

thread_local std::string kept, error;

Gid gid_of(const std::uint8_t* bytes) {
  Gid gid;
  std::memcpy(gid.data(), bytes, gid.size());
  return gid;
}

void add_extensions(Builder& builder, const roce_packet& p, const OpcodeInfo& op) {
  if (op.has(Ext::kReth)) builder.reth(p.va, p.rkey, p.dma_length);
  if (op.has(Ext::kAtomicEth)) builder.atomic_eth(p.va, p.rkey, p.swap_add, p.compare);
  if (op.has(Ext::kAeth)) builder.aeth(static_cast<std::uint8_t>(p.syndrome), p.msn);
  if (op.has(Ext::kAtomicAckEth)) builder.atomic_ack_eth(p.original);
  if (op.has(Ext::kImmDt)) builder.imm_dt(p.immediate);
  if (op.has(Ext::kIeth)) builder.ieth(p.invalidated);
  if (op.has(Ext::kDeth)) builder.deth(p.qkey, p.src_qp);
}

Bytes build(const roce_packet& p, ByteView payload) {
  const OpcodeInfo* op = find_opcode(static_cast<std::uint8_t>(p.opcode));
  if (op == nullptr || p.opcode > 0xFF) throw std::invalid_argument("there is no such opcode");
  Builder builder;
  builder.ethernet(p.dst_mac, p.src_mac);
  if (p.vlan != ROCE_NO_VLAN) builder.vlan(static_cast<std::uint16_t>(p.vlan));
  const Gid src = gid_of(p.src_gid), dst = gid_of(p.dst_gid);
  if (p.network == ROCE_IPV4) {
    builder.ipv4(ipv4_of(src), ipv4_of(dst));
  } else if (p.network == ROCE_IPV6) {
    builder.ipv6(src, dst);
  } else if (p.network == ROCE_GRH) {
    builder.gids(src, dst).roce_v1();
  } else {
    throw std::invalid_argument("the network is IPv4, IPv6 or the GRH of RoCE v1");
  }
  builder.traffic_class(static_cast<std::uint8_t>(p.traffic_class))
      .hop_limit(static_cast<std::uint8_t>(p.hop_limit))
      .flow_label(p.flow_label)
      .identification(static_cast<std::uint16_t>(p.identification))
      .src_port(static_cast<std::uint16_t>(p.src_port))
      .bth(static_cast<std::uint8_t>(p.opcode), p.dest_qp, transport::Psn(p.psn))
      .pkey(static_cast<std::uint16_t>(p.pkey))
      .solicited((p.flags & ROCE_SOLICITED) != 0)
      .ack_req((p.flags & ROCE_ACK_REQ) != 0)
      .mig_req((p.flags & ROCE_MIG_REQ) != 0)
      .congestion((p.flags & ROCE_FECN) != 0, (p.flags & ROCE_BECN) != 0);
  add_extensions(builder, p, *op);
  return builder.payload(payload).build();
}

void take_bth(const Parsed& is, roce_packet& p) {
  const Bth bth = is.bth();
  p.opcode = bth.opcode();
  p.dest_qp = bth.dest_qp();
  p.psn = bth.psn();
  p.pkey = bth.pkey();
  if (bth.solicited()) p.flags |= ROCE_SOLICITED;
  if (bth.ack_req()) p.flags |= ROCE_ACK_REQ;
  if (bth.mig_req()) p.flags |= ROCE_MIG_REQ;
  if (bth.fecn()) p.flags |= ROCE_FECN;
  if (bth.becn()) p.flags |= ROCE_BECN;
  p.icrc = is.icrc_sent();
  p.icrc_expected = is.icrc_expected;
}

void take_extensions(const Parsed& is, roce_packet& p) {
  if (is.has(Ext::kReth)) {
    p.va = is.reth().va();
    p.rkey = is.reth().rkey();
    p.dma_length = is.reth().dma_length();
  }
  if (is.has(Ext::kAtomicEth)) {
    p.va = is.atomic_eth().va();
    p.rkey = is.atomic_eth().rkey();
    p.swap_add = is.atomic_eth().swap_add();
    p.compare = is.atomic_eth().compare();
  }
  if (is.has(Ext::kAeth)) {
    p.syndrome = is.aeth().syndrome();
    p.msn = is.aeth().msn();
  }
  if (is.has(Ext::kAtomicAckEth)) p.original = is.atomic_ack_eth().original();
  if (is.has(Ext::kImmDt)) p.immediate = is.imm_dt().immediate();
  if (is.has(Ext::kIeth)) p.invalidated = is.ieth().rkey();
  if (is.has(Ext::kDeth)) {
    p.qkey = is.deth().qkey();
    p.src_qp = is.deth().src_qp();
  }
  p.payload_at = static_cast<std::uint32_t>(is.payload.data - is.frame.data);
  p.payload_bytes = static_cast<std::uint32_t>(is.payload.size);
  p.pad = static_cast<std::uint32_t>(is.pad.size);
}

/// All fields as far as the frame has them.
roce_packet fields_of(const Parsed& is) {
  roce_packet p{};
  if (is.error == Error::kNotRoce || !is.has_bth) return p;
  p.dst_mac = is.ethernet().dst_mac();
  p.src_mac = is.ethernet().src_mac();
  p.vlan = is.vlan ? is.vlan_tag().vid() : ROCE_NO_VLAN;
  p.network = is.roce_v1 ? ROCE_GRH : is.ipv6 ? ROCE_IPV6 : ROCE_IPV4;
  std::memcpy(p.src_gid, is.src().data(), sizeof p.src_gid);
  std::memcpy(p.dst_gid, is.dst().data(), sizeof p.dst_gid);
  p.traffic_class = is.traffic_class();
  p.hop_limit = is.hop_limit();
  if (is.ipv6) p.flow_label = is.ipv6_header().flow_label();
  if (!is.ipv6) p.identification = is.ipv4_header().identification();
  if (!is.roce_v1) p.src_port = is.udp().src_port();
  take_bth(is, p);
  if (is.op != nullptr && is.payload.data != nullptr) take_extensions(is, p);
  return p;
}

}  // namespace

const char* keep(std::string text) {
  kept = std::move(text);
  return kept.c_str();
}

void fail(const std::string& why) { error = why; }

}  // namespace roci::cocotb

using namespace roci;

extern "C" {

uint32_t roce_abi(void) { return ROCE_ABI; }
const char* roce_version(void) { return ROCI_VERSION; }
const char* roce_error(void) { return cocotb::error.c_str(); }

size_t roce_build(const roce_packet* packet, size_t size, const uint8_t* payload,
                  size_t payload_bytes, uint8_t* frame, size_t room) {
  return cocotb::guarded(std::size_t{0}, [&] {
    if (size != sizeof *packet) throw std::invalid_argument("a packet of another version");
    const packet::Bytes bytes = cocotb::build(*packet, {payload, payload_bytes});
    if (bytes.size() > room) throw std::invalid_argument("no room for the frame");
    std::memcpy(frame, bytes.data(), bytes.size());
    return bytes.size();
  });
}

const char* roce_parse(const uint8_t* frame, size_t bytes, roce_packet* packet, size_t size) {
  const packet::Parsed parsed = packet::parse({frame, bytes});
  const roce_packet fields = cocotb::fields_of(parsed);
  if (size == sizeof fields) *packet = fields;
  if (size != sizeof fields) return "a packet of another version";
  return parsed.ok() ? nullptr : cocotb::keep(std::string(packet::to_string(parsed.error)));
}

int roce_seal(uint8_t* frame, size_t bytes) {
  packet::Bytes copy(frame, frame + bytes);
  if (!packet::seal(&copy)) return 0;
  std::memcpy(frame, copy.data(), bytes);
  return 1;
}

const char* roce_describe(const uint8_t* frame, size_t bytes) {
  return cocotb::keep(packet::describe({frame, bytes}));
}

const char* roce_lint(const uint8_t* frame, size_t bytes) {
  std::string lines;
  for (const std::string& line : packet::lint({frame, bytes})) lines += line + "\n";
  return cocotb::keep(lines);
}

const char* roce_opcode_name(uint32_t opcode) {
  const packet::OpcodeInfo* op =
      opcode > 0xFF ? nullptr : packet::find_opcode(static_cast<std::uint8_t>(opcode));
  return op == nullptr ? nullptr : cocotb::keep(std::string(op->name));
}
}
