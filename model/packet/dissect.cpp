// SPDX-License-Identifier: Apache-2.0
#include "model/packet/dissect.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "model/packet/parser.hpp"
#include "model/spec/headers.hpp"

namespace roci::packet {
namespace {

constexpr unsigned kMacBits = 48, kGidBits = 128;

std::string number(std::uint64_t value) {
  std::array<char, 48> text{};
  if (value < 10) return std::to_string(value);
  std::snprintf(text.data(), text.size(), "%" PRIu64 " (0x%" PRIx64 ")", value, value);
  return text.data();
}

/// Returns the value of a field of at most 64 bits that begins `bit` bits after the first byte.
std::uint64_t value_of(const std::uint8_t* bytes, unsigned bit, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned i = bit; i < bit + bits; ++i)
    value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
  return value;
}

std::string text_of(const spec::Field& field, const std::uint8_t* bytes, unsigned bit) {
  if (field.bits == kGidBits) {
    Gid gid{};
    std::copy_n(bytes + bit / 8, gid.size(), gid.begin());
    return to_string(gid);
  }
  const std::uint64_t value = value_of(bytes, bit, field.bits);
  if (field.bits == kMacBits) return mac_to_string(value);
  if (field.name == "src_ip" || field.name == "dst_ip") {
    return to_string(gid_from_ipv4(static_cast<std::uint32_t>(value)));
  }
  return number(value);
}

class Dissection {
 public:
  explicit Dissection(ByteView frame) : frame_(frame) {}

  template <std::size_t N>
  void add(std::string_view name, const spec::Field (&fields)[N], std::size_t at) {
    if (at + spec::total_bits(fields) / 8 > frame_.size) return;
    DissectedHeader header{name, {}};
    unsigned bit = 0;
    for (const spec::Field& field : fields) {
      header.fields.push_back({field.name, text_of(field, frame_.data + at, bit)});
      bit += field.bits;
    }
    headers.push_back(std::move(header));
  }

  std::vector<DissectedHeader> headers;

 private:
  ByteView frame_;
};

void add_extensions(Dissection& all, const Parsed& p) {
  const auto add = [&](Ext ext, std::string_view name, const auto& fields) {
    if (p.has(ext)) all.add(name, fields, p.bth_at + Bth::kBytes + p.op->offset_of(ext));
  };
  add(Ext::kDeth, "deth", spec::kDeth);
  add(Ext::kReth, "reth", spec::kReth);
  add(Ext::kAtomicEth, "atomic_eth", spec::kAtomicEth);
  add(Ext::kAeth, "aeth", spec::kAeth);
  add(Ext::kAtomicAckEth, "atomic_ack_eth", spec::kAtomicAckEth);
  add(Ext::kImmDt, "imm_dt", spec::kImmDt);
  add(Ext::kIeth, "ieth", spec::kIeth);
}

}  // namespace

std::vector<DissectedHeader> dissect(ByteView frame) {
  const Parsed p = parse(frame);
  Dissection all(frame);
  all.add("ethernet", spec::kEthernet, 0);
  if (p.vlan) all.add("vlan", spec::kVlan, Ethernet::kBytes);
  if (p.has_bth) {
    if (p.ipv6) {
      all.add(p.roce_v1 ? "grh" : "ipv6", spec::kIpv6, p.ip_at);
    } else {
      all.add("ipv4", spec::kIpv4, p.ip_at);
    }
    if (!p.roce_v1) all.add("udp", spec::kUdp, p.udp_at);
    all.add("bth", spec::kBth, p.bth_at);
    if (p.payload.data != nullptr) add_extensions(all, p);
  }
  DissectedHeader rest{"packet", {}};
  if (p.payload.data != nullptr) {
    rest.fields.push_back({"payload_bytes", number(p.payload.size)});
    rest.fields.push_back({"pad_bytes", number(p.pad.size)});
  }
  if (p.has_bth) {
    const std::string sent = number(p.icrc_sent());
    rest.fields.push_back(
        {"icrc", p.icrc_ok ? sent : sent + ", right is " + number(p.icrc_expected)});
  }
  if (!p.ok()) rest.fields.push_back({"error", std::string(to_string(p.error))});
  if (!rest.fields.empty()) all.headers.push_back(std::move(rest));
  return std::move(all.headers);
}

}  // namespace roci::packet
