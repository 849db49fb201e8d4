// SPDX-License-Identifier: Apache-2.0
#include "model/packet/describe.hpp"

#include <cinttypes>
#include <cstdio>

#include "model/packet/parser.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"
#include "model/transport/rules.hpp"

namespace roci::packet {
namespace {

__attribute__((format(printf, 2, 3))) void add(std::string* text, const char* format, ...) {
  std::array<char, 128> buffer{};
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  std::vsnprintf(buffer.data(), buffer.size(), format, arguments);
  __builtin_va_end(arguments);
  *text += buffer.data();
}

void add_syndrome(std::string* text, const Aeth& aeth) {
  const unsigned syndrome = aeth.syndrome();
  const unsigned low = syndrome & 0x1F;
  if (transport::aeth_kind(syndrome) == layout::AethKind::kAck) {
    *text += " ack";
  } else if (transport::aeth_kind(syndrome) == layout::AethKind::kRnr) {
    add(text, " RNR timer %u", low);
  } else if (syndrome == layout::syndrome::kNakSequence) {
    *text += " NAK sequence";
  } else if (syndrome == layout::syndrome::kNakInvalid) {
    *text += " NAK invalid request";
  } else if (syndrome == layout::syndrome::kNakAccess) {
    *text += " NAK access";
  } else if (syndrome == layout::syndrome::kNakOperational) {
    *text += " NAK operational";
  } else {
    add(text, " syndrome 0x%02x", syndrome);
  }
  add(text, " msn %" PRIu32, aeth.msn());
}

void add_extensions(std::string* text, const Parsed& p) {
  if (p.has(Ext::kDeth)) {
    add(text, " qkey 0x%" PRIx32 " from qp 0x%" PRIx32, p.deth().qkey(), p.deth().src_qp());
  }
  if (p.has(Ext::kReth)) {
    add(text, " va 0x%" PRIx64 " rkey 0x%" PRIx32 " dma %" PRIu32, p.reth().va(), p.reth().rkey(),
        p.reth().dma_length());
  }
  if (p.has(Ext::kAtomicEth)) {
    add(text, " va 0x%" PRIx64 " rkey 0x%" PRIx32 " operand 0x%" PRIx64, p.atomic_eth().va(),
        p.atomic_eth().rkey(), p.atomic_eth().swap_add());
  }
  if (p.has(Ext::kAeth)) add_syndrome(text, p.aeth());
  if (p.has(Ext::kAtomicAckEth)) add(text, " original 0x%" PRIx64, p.atomic_ack_eth().original());
  if (p.has(Ext::kImmDt)) add(text, " imm 0x%" PRIx32, p.imm_dt().immediate());
  if (p.has(Ext::kIeth)) add(text, " invalidates 0x%" PRIx32, p.ieth().rkey());
}

}  // namespace

std::string describe(ByteView frame) {
  const Parsed p = parse(frame);
  std::string text;
  if (p.error == Error::kNotRoce || p.udp_at == 0) {  // or RoCE v1 without addresses
    if (frame.size < Ethernet::kBytes) {
      add(&text, "%zu bytes", frame.size);
    } else {
      text = mac_to_string(p.ethernet().src_mac()) + " > " + mac_to_string(p.ethernet().dst_mac());
      add(&text, " type 0x%04x, %zu bytes", p.ethernet().ethertype(), frame.size);
    }
    return text;
  }
  text = to_string(p.src()) + " > " + to_string(p.dst());
  if (p.roce_v1) text += " v1";
  if (p.vlan) add(&text, " vlan %u", p.vlan_tag().vid());
  if (p.has_bth) {
    const Bth bth = p.bth();
    if (p.op == nullptr) {
      add(&text, " opcode 0x%02x", bth.opcode());
    } else {
      text += " " + std::string(p.op->name);
    }
    add(&text, " qp 0x%" PRIx32 " psn 0x%06" PRIx32, bth.dest_qp(), bth.psn());
    if (bth.ack_req()) text += " A";
    if (bth.solicited()) text += " SE";
    if (p.payload.data != nullptr) {
      add_extensions(&text, p);
      if (p.op->payload) add(&text, " len %zu", p.payload.size);
    }
  }
  if (!p.ok()) text += " [" + std::string(to_string(p.error)) + "]";
  return text;
}

}  // namespace roci::packet
