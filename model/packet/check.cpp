// SPDX-License-Identifier: Apache-2.0
#include "model/packet/check.hpp"

#include <arpa/inet.h>

#include <cinttypes>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "model/packet/describe.hpp"

namespace roci::packet {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%" PRIx64, value);
  return text.data();
}

Gid gid_of(std::string_view address) {
  const std::string text(address);
  std::array<std::uint8_t, 4> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return gid_from_ipv4(static_cast<std::uint32_t>(bytes[0]) << 24 | bytes[1] << 16 |
                         bytes[2] << 8 | bytes[3]);
  }
  Gid gid{};
  if (inet_pton(AF_INET6, text.c_str(), gid.data()) != 1) {
    throw std::invalid_argument("not an address: " + text);
  }
  return gid;
}

/// A part that compares one number.
template <typename AnyPart, typename Get>
AnyPart number(const char* what, std::uint64_t want, Get get) {
  return {[=](const Parsed& p, Verdict* verdict) { verdict->expect(what, get(p), want); }};
}

template <typename AnyPart>
Check header(const char* name, bool (*present)(const Parsed&),
             std::initializer_list<AnyPart> parts) {
  return [name, present, parts = std::vector<AnyPart>(parts)](const Parsed& p, Verdict* verdict) {
    if (!present(p)) {
      verdict->add(std::string("no ") + name);
      return;
    }
    for (const AnyPart& part : parts) part.check(p, verdict);
  };
}

IpPart address(const char* what, const Gid& want, Gid (Parsed::*get)() const) {
  return {[=](const Parsed& p, Verdict* verdict) {
    const Gid got = (p.*get)();
    if (got != want) {
      verdict->add(std::string(what) + " is " + to_string(got) + ", not " + to_string(want));
    }
  }};
}

}  // namespace

void Verdict::expect(std::string_view what, std::uint64_t got, std::uint64_t want) {
  if (got != want) add(std::string(what) + " is " + hex(got) + ", not " + hex(want));
}

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  if (verdict.faults_.empty()) out << "ok";
  const char* separator = "";
  for (const std::string& fault : verdict.faults_) {
    out << separator << fault;
    separator = "; ";
  }
  return out;
}

Verdict check(ByteView frame, const std::vector<Check>& checks) {
  Verdict verdict;
  const Parsed p = parse(frame);
  if (!p.ok()) {
    verdict.add(describe(frame));
    return verdict;
  }
  for (const Check& one : checks) one(p, &verdict);
  return verdict;
}

Check ethernet(std::initializer_list<EthernetPart> parts) {
  return header(
      "Ethernet header", [](const Parsed&) { return true; }, parts);
}

Check vlan(std::uint16_t vid, std::uint8_t pcp) {
  return [=](const Parsed& p, Verdict* verdict) {
    if (!p.vlan) {
      verdict->add("no VLAN tag");
      return;
    }
    verdict->expect("VID", p.vlan_tag().vid(), vid);
    verdict->expect("PCP", p.vlan_tag().pcp(), pcp);
  };
}

Check untagged() {
  return [](const Parsed& p, Verdict* verdict) {
    if (p.vlan) verdict->add("VLAN tag");
  };
}

Check ipv4(std::initializer_list<IpPart> parts) {
  return header(
      "IPv4 header", [](const Parsed& p) { return !p.ipv6; }, parts);
}

Check ipv6(std::initializer_list<IpPart> parts) {
  return header(
      "IPv6 header", [](const Parsed& p) { return p.ipv6 && !p.roce_v1; }, parts);
}

Check grh(std::initializer_list<IpPart> parts) {
  return header(
      "GRH", [](const Parsed& p) { return p.roce_v1; }, parts);
}

Check udp(std::initializer_list<UdpPart> parts) {
  return header(
      "UDP header", [](const Parsed& p) { return !p.roce_v1; }, parts);
}

Check bth(std::initializer_list<BthPart> parts) {
  return header(
      "BTH", [](const Parsed&) { return true; }, parts);
}

Check reth(std::initializer_list<RethPart> parts) {
  return header(
      "RETH", [](const Parsed& p) { return p.has(Ext::kReth); }, parts);
}

Check atomic_eth(std::initializer_list<AtomicPart> parts) {
  return header(
      "AtomicETH", [](const Parsed& p) { return p.has(Ext::kAtomicEth); }, parts);
}

Check aeth(std::initializer_list<AethPart> parts) {
  return header(
      "AETH", [](const Parsed& p) { return p.has(Ext::kAeth); }, parts);
}

Check atomic_ack(std::uint64_t original) {
  return [=](const Parsed& p, Verdict* verdict) {
    if (!p.has(Ext::kAtomicAckEth)) return verdict->add("no AtomicAckETH");
    verdict->expect("original", p.atomic_ack_eth().original(), original);
  };
}

Check immediate(std::uint32_t value) {
  return [=](const Parsed& p, Verdict* verdict) {
    if (!p.has(Ext::kImmDt)) return verdict->add("no ImmDt");
    verdict->expect("immediate", p.imm_dt().immediate(), value);
  };
}

Check invalidates(std::uint32_t rkey) {
  return [=](const Parsed& p, Verdict* verdict) {
    if (!p.has(Ext::kIeth)) return verdict->add("no IETH");
    verdict->expect("IETH key", p.ieth().rkey(), rkey);
  };
}

Check deth(std::uint32_t qkey, std::uint32_t src_qp) {
  return [=](const Parsed& p, Verdict* verdict) {
    if (!p.has(Ext::kDeth)) return verdict->add("no DETH");
    verdict->expect("Q_Key", p.deth().qkey(), qkey);
    verdict->expect("source QP", p.deth().src_qp(), src_qp);
  };
}

Check payload(Bytes bytes) {
  return [bytes = std::move(bytes)](const Parsed& p, Verdict* verdict) {
    verdict->expect("payload length", p.payload.size, bytes.size());
    for (std::size_t i = 0; i < bytes.size() && i < p.payload.size; ++i) {
      if (p.payload[i] != bytes[i]) {
        verdict->expect("payload byte " + std::to_string(i), p.payload[i], bytes[i]);
        return;
      }
    }
  };
}

Check payload_bytes(std::size_t count) {
  return [=](const Parsed& p, Verdict* verdict) {
    verdict->expect("payload length", p.payload.size, count);
  };
}

EthernetPart dst_mac(Mac value) {
  return number<EthernetPart>("destination MAC", value,
                              [](const Parsed& p) { return p.ethernet().dst_mac(); });
}
EthernetPart src_mac(Mac value) {
  return number<EthernetPart>("source MAC", value,
                              [](const Parsed& p) { return p.ethernet().src_mac(); });
}

IpPart src(std::string_view text) { return src(gid_of(text)); }
IpPart dst(std::string_view text) { return dst(gid_of(text)); }
IpPart src(const Gid& want) { return address("source", want, &Parsed::src); }
IpPart dst(const Gid& want) { return address("destination", want, &Parsed::dst); }
IpPart traffic_class(std::uint8_t value) {
  return number<IpPart>("traffic class", value, [](const Parsed& p) { return p.traffic_class(); });
}
IpPart ttl(std::uint8_t value) {
  return number<IpPart>("hop limit", value, [](const Parsed& p) { return p.hop_limit(); });
}
IpPart flow_label(std::uint32_t value) {
  return number<IpPart>("flow label", value,
                        [](const Parsed& p) { return p.ipv6 ? p.ipv6_header().flow_label() : 0; });
}

UdpPart src_port(std::uint16_t value) {
  return number<UdpPart>("source port", value, [](const Parsed& p) { return p.udp().src_port(); });
}
UdpPart src_port_in_range() {
  return {[](const Parsed& p, Verdict* verdict) {
    if (p.udp().src_port() < 0xC000) verdict->add("source port below 0xC000");
  }};
}

BthPart opcode(std::uint8_t value) {
  return {[=](const Parsed& p, Verdict* verdict) {
    if (p.bth().opcode() != value) {
      verdict->add("opcode is " + std::string(opcode_name(p.bth().opcode())) + ", not " +
                   std::string(opcode_name(value)));
    }
  }};
}
BthPart psn(std::uint32_t value) {
  return number<BthPart>("PSN", value, [](const Parsed& p) { return p.bth().psn(); });
}
BthPart psn(transport::Psn value) { return psn(value.value()); }
BthPart dest_qp(std::uint32_t value) {
  return number<BthPart>("DestQP", value, [](const Parsed& p) { return p.bth().dest_qp(); });
}
BthPart ack_req(bool value) {
  return number<BthPart>("AckReq", value, [](const Parsed& p) { return p.bth().ack_req(); });
}
BthPart solicited(bool value) {
  return number<BthPart>("SE", value, [](const Parsed& p) { return p.bth().solicited(); });
}
BthPart pkey(std::uint16_t value) {
  return number<BthPart>("P_Key", value, [](const Parsed& p) { return p.bth().pkey(); });
}
BthPart pad_count(std::uint8_t value) {
  return number<BthPart>("pad count", value, [](const Parsed& p) { return p.bth().pad_count(); });
}
BthPart mig_req(bool value) {
  return number<BthPart>("MigReq", value, [](const Parsed& p) { return p.bth().mig_req(); });
}

RethPart va(std::uint64_t value) {
  return number<RethPart>("RETH address", value, [](const Parsed& p) { return p.reth().va(); });
}
RethPart rkey(std::uint32_t value) {
  return number<RethPart>("RETH key", value, [](const Parsed& p) { return p.reth().rkey(); });
}
RethPart dma_length(std::uint32_t value) {
  return number<RethPart>("DMA length", value,
                          [](const Parsed& p) { return p.reth().dma_length(); });
}

AtomicPart atomic_va(std::uint64_t value) {
  return number<AtomicPart>("atomic address", value,
                            [](const Parsed& p) { return p.atomic_eth().va(); });
}
AtomicPart atomic_rkey(std::uint32_t value) {
  return number<AtomicPart>("atomic key", value,
                            [](const Parsed& p) { return p.atomic_eth().rkey(); });
}
AtomicPart swap_add(std::uint64_t value) {
  return number<AtomicPart>("swap or add", value,
                            [](const Parsed& p) { return p.atomic_eth().swap_add(); });
}
AtomicPart compare(std::uint64_t value) {
  return number<AtomicPart>("compare", value,
                            [](const Parsed& p) { return p.atomic_eth().compare(); });
}

AethPart syndrome(std::uint8_t value) {
  return number<AethPart>("syndrome", value, [](const Parsed& p) { return p.aeth().syndrome(); });
}
AethPart msn(std::uint32_t value) {
  return number<AethPart>("MSN", value, [](const Parsed& p) { return p.aeth().msn(); });
}

}  // namespace roci::packet
