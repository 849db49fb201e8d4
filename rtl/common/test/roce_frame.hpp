// SPDX-License-Identifier: Apache-2.0
// RoCE frames byte by byte, as the tests of rx and tx expect them: written from the header
// layouts alone, with zlib's CRC-32, so that they share nothing with the RTL or with model/packet.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <vector>

namespace roce {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kIcrcBytes = 4;

/// Appends `count` bytes of a number, high byte first.
inline void put(Bytes& bytes, std::uint64_t value, unsigned count) {
  for (unsigned i = count; i-- > 0;) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}
inline std::uint64_t get(const Bytes& bytes, std::size_t at, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value = value << 8 | bytes.at(at + i);
  return value;
}

/// Sum of 16-bit words with end-around carry.
inline std::uint16_t ones_sum(const std::uint8_t* bytes, std::size_t size, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i < size; ++i) sum += i % 2 ? bytes[i] : bytes[i] << 8;
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

/// UD has two opcodes (9.2.1): their extension headers are DETH, and ImmDt.
inline bool is_datagram(unsigned opcode) { return opcode == 0x64 || opcode == 0x65; }
/// Extension bytes of the opcodes of RC, UC and UD (9.2.1); -1: reserved.
inline int ext_bytes(unsigned opcode) {
  static constexpr int kBytes[] = {0, 0, 0,  4,  0,  4,  16, 0, 0,  4,  16, 20, 16, 4,  0,  4,
                                   4, 4, 12, 28, 28, -1, 4,  4, -1, -1, -1, -1, -1, -1, -1, -1};
  const bool uc = opcode >= 0x20 && opcode <= 0x2B;  // the SENDs and WRITEs of RC
  if (is_datagram(opcode)) return opcode == 0x64 ? 8 : 12;
  return opcode < 32 ? kBytes[opcode] : uc ? kBytes[opcode - 0x20] : -1;
}
inline bool has_payload(unsigned opcode) {
  return opcode != 0x0C && opcode != 0x11 && opcode != 0x12 && opcode != 0x13 && opcode != 0x14;
}
inline bool is_response(unsigned opcode) { return opcode >= 0x0D && opcode <= 0x12; }

/// The fields of a frame; `build` writes it. The signed members are added to the right value.
struct Fields {
  std::uint64_t dst_mac = 0x525400000002, src_mac = 0x525400000001;
  bool vlan = false;
  std::uint16_t tci = 0;
  bool ipv6 = false;
  bool v1 = false;                                  ///< RoCE v1, ipv6 too: a GRH and no UDP
  std::array<std::uint8_t, 16> src_ip{}, dst_ip{};  // IPv4 in the last four
  std::uint8_t tc = 0, hop = 64;
  std::uint32_t flow = 0;
  std::uint16_t id = 0, src_port = 0xC123, dst_port = 4791;
  std::uint8_t opcode = 4;
  bool solicited = false, mig_req = true, ack_req = false;
  std::uint8_t version = 0;
  std::uint16_t pkey = 0xFFFF;
  std::uint32_t qpn = 0, psn = 0;
  Bytes ext, payload;
  // What is unusual or wrong.
  bool udp_sum = false;    ///< fill in the UDP checksum
  std::uint8_t resv7 = 0;  ///< the bits after AckReq; `congestion` are FECN, BECN and six bits
  std::uint8_t congestion = 0;
  std::uint8_t pad_byte = 0;
  int pad = -1;        ///< pad count, -1: right
  int pad_bytes = -1;  ///< bytes of pad in the frame, -1: as pad count
  int udp_length = 0, ip_length = 0, ip_sum = 0, udp_sum_error = 0;
  std::uint8_t ihl = 5, flags = 2, protocol = 17;
  std::uint16_t fragment = 0;

  std::size_t ip_at() const { return vlan ? 18 : 14; }
  std::size_t udp_at() const { return ip_at() + (ipv6 ? 40 : 20); }
  std::size_t bth_at() const { return udp_at() + (v1 ? 0 : 8); }
  std::size_t payload_at() const { return bth_at() + 12 + ext.size(); }
};

/// Appends the ICRC of the frame (7.8.1, A16, A17).
inline void append_icrc(Bytes& frame, const Fields& f) {
  Bytes covered(8, 0xFF);
  covered.insert(covered.end(), frame.begin() + static_cast<long>(f.ip_at()), frame.end());
  std::uint8_t* ip = covered.data() + 8;
  if (f.ipv6) {
    ip[0] |= 0x0F;
    ip[1] = ip[2] = ip[3] = ip[7] = 0xFF;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xFF;
  }
  const std::size_t udp = 8 + f.udp_at() - f.ip_at(), bth = 8 + f.bth_at() - f.ip_at();
  if (!f.v1) covered[udp + 6] = covered[udp + 7] = 0xFF;
  if (covered.size() > bth + 4) covered[bth + 4] = 0xFF;
  const auto crc =
      static_cast<std::uint32_t>(crc32(0, covered.data(), static_cast<uInt>(covered.size())));
  for (unsigned i = 0; i < 4; ++i) frame.push_back(static_cast<std::uint8_t>(crc >> 8 * i));
}

inline Bytes build(const Fields& f) {
  const unsigned pad = f.pad >= 0 ? static_cast<unsigned>(f.pad) : (4 - f.payload.size() % 4) % 4;
  const unsigned pad_bytes = f.pad_bytes >= 0 ? static_cast<unsigned>(f.pad_bytes) : pad;
  const std::size_t udp_length = (f.v1 ? 0 : 8) + 12 + f.ext.size() + f.payload.size() + pad_bytes +
                                 4 + static_cast<std::size_t>(f.udp_length);
  const std::size_t ip_length = udp_length + static_cast<std::size_t>(f.ip_length);
  Bytes b;
  put(b, f.dst_mac, 6);
  put(b, f.src_mac, 6);
  if (f.vlan) {
    put(b, 0x8100, 2);
    put(b, f.tci, 2);
  }
  put(b, f.v1 ? 0x8915 : f.ipv6 ? 0x86DD : 0x0800, 2);
  if (f.ipv6) {
    put(b, 6ull << 28 | std::uint64_t{f.tc} << 20 | f.flow, 4);
    put(b, ip_length, 2);
    put(b, f.v1 && f.protocol == 17 ? 0x1B : f.protocol, 1);
    put(b, f.hop, 1);
    b.insert(b.end(), f.src_ip.begin(), f.src_ip.end());
    b.insert(b.end(), f.dst_ip.begin(), f.dst_ip.end());
  } else {
    put(b, 0x40u | f.ihl, 1);
    put(b, f.tc, 1);
    put(b, ip_length + 20, 2);
    put(b, f.id, 2);
    put(b, static_cast<unsigned>(f.flags) << 13 | f.fragment, 2);
    put(b, f.hop, 1);
    put(b, f.protocol, 1);
    put(b, 0, 2);
    b.insert(b.end(), f.src_ip.begin() + 12, f.src_ip.end());
    b.insert(b.end(), f.dst_ip.begin() + 12, f.dst_ip.end());
    const unsigned sum =
        (~ones_sum(b.data() + f.ip_at(), 20) + static_cast<unsigned>(f.ip_sum)) & 0xFFFF;
    b[f.ip_at() + 10] = static_cast<std::uint8_t>(sum >> 8);
    b[f.ip_at() + 11] = static_cast<std::uint8_t>(sum);
  }
  if (!f.v1) {
    put(b, f.src_port, 2);
    put(b, f.dst_port, 2);
    put(b, udp_length, 2);
    put(b, 0, 2);
  }
  put(b, f.opcode, 1);
  put(b,
      static_cast<unsigned>(f.solicited) << 7 | static_cast<unsigned>(f.mig_req) << 6 |
          (pad & 3) << 4 | f.version,
      1);
  put(b, f.pkey, 2);
  put(b, f.congestion, 1);
  put(b, f.qpn, 3);
  put(b, static_cast<unsigned>(f.ack_req) << 7 | f.resv7, 1);
  put(b, f.psn, 3);
  b.insert(b.end(), f.ext.begin(), f.ext.end());
  b.insert(b.end(), f.payload.begin(), f.payload.end());
  b.insert(b.end(), pad_bytes, f.pad_byte);
  append_icrc(b, f);
  if (f.udp_sum && !f.v1) {
    const std::size_t from = f.udp_at() - (f.ipv6 ? 32 : 8);  // addresses of the pseudo header
    unsigned sum =
        ones_sum(b.data() + from, b.size() - from, static_cast<std::uint32_t>(17 + udp_length));
    sum = ~sum & 0xFFFF;
    if (sum == 0) sum = 0xFFFF;
    sum = (sum + static_cast<unsigned>(f.udp_sum_error)) & 0xFFFF;
    b[f.udp_at() + 6] = static_cast<std::uint8_t>(sum >> 8);
    b[f.udp_at() + 7] = static_cast<std::uint8_t>(sum);
  }
  return b;
}

/// The 40 bytes that stand before the payload of a datagram in its buffer (A17): the IPv6 header or
/// GRH, or an IPv4 header in the last 20. They end where UDP header or BTH begin.
inline Bytes grh_of(const Bytes& frame, const Fields& f) {
  Bytes grh(40, 0);
  const std::size_t size = f.udp_at() - f.ip_at();
  for (std::size_t i = 0; i < size; ++i) grh[40 - size + i] = frame[f.ip_at() + i];
  return grh;
}

/// Fields of a captured frame; false when it is not a RoCE frame with a known opcode, or when its
/// lengths are wrong.
inline bool dissect(const Bytes& b, Fields& f) {
  f = Fields{};
  if (b.size() < 58) return false;
  f.dst_mac = get(b, 0, 6);
  f.src_mac = get(b, 6, 6);
  f.vlan = get(b, 12, 2) == 0x8100;
  if (f.vlan) f.tci = static_cast<std::uint16_t>(get(b, 14, 2));
  const std::uint64_t type = get(b, f.ip_at() - 2, 2);
  if (type != 0x0800 && type != 0x86DD && type != 0x8915) return false;
  f.v1 = type == 0x8915;
  f.ipv6 = f.v1 || type == 0x86DD;
  if (b.size() < f.bth_at() + 16) return false;
  const std::size_t ip = f.ip_at(), udp = f.udp_at();
  std::size_t ip_payload;
  if (f.ipv6) {
    f.tc = static_cast<std::uint8_t>(get(b, ip, 2) >> 4);
    f.flow = get(b, ip, 4) & 0xFFFFF;
    ip_payload = get(b, ip + 4, 2);
    f.protocol = b[ip + 6];
    f.hop = b[ip + 7];
    for (unsigned i = 0; i < 16; ++i) f.src_ip[i] = b[ip + 8 + i], f.dst_ip[i] = b[ip + 24 + i];
  } else {
    f.ihl = b[ip] & 15;
    f.tc = b[ip + 1];
    ip_payload = get(b, ip + 2, 2) - 20;
    f.id = static_cast<std::uint16_t>(get(b, ip + 4, 2));
    f.flags = b[ip + 6] >> 5;
    f.fragment = get(b, ip + 6, 2) & 0x1FFF;
    f.hop = b[ip + 8];
    f.protocol = b[ip + 9];
    for (unsigned i = 0; i < 4; ++i)
      f.src_ip[12 + i] = b[ip + 12 + i], f.dst_ip[12 + i] = b[ip + 16 + i];
    if (f.ihl != 5 || f.fragment != 0 || f.flags & 1) return false;
  }
  if (f.protocol != (f.v1 ? 0x1B : 17)) return false;
  std::size_t length = ip_payload;
  if (!f.v1) {
    if (get(b, udp + 2, 2) != 4791) return false;
    f.src_port = static_cast<std::uint16_t>(get(b, udp, 2));
    length = get(b, udp + 4, 2);
    f.udp_sum = get(b, udp + 6, 2) != 0;
  }
  f.protocol = 17;
  const std::size_t bth = f.bth_at();
  f.opcode = b[bth];
  f.solicited = b[bth + 1] >> 7;
  f.mig_req = b[bth + 1] >> 6 & 1;
  const unsigned pad = b[bth + 1] >> 4 & 3;
  f.version = b[bth + 1] & 15;
  f.pkey = static_cast<std::uint16_t>(get(b, bth + 2, 2));
  f.congestion = b[bth + 4];
  f.qpn = static_cast<std::uint32_t>(get(b, bth + 5, 3));
  f.ack_req = b[bth + 8] >> 7;
  f.resv7 = b[bth + 8] & 0x7F;
  f.psn = static_cast<std::uint32_t>(get(b, bth + 9, 3));
  const int ext = ext_bytes(f.opcode);
  if (ext < 0 || length != ip_payload || udp + length > b.size()) return false;
  if (length < (f.v1 ? 16u : 24u) + static_cast<unsigned>(ext) + pad || length % 4 != 0)
    return false;
  const std::size_t ext_at = bth + 12, pay_at = ext_at + static_cast<unsigned>(ext);
  const std::size_t pay_end = udp + length - 4 - pad;
  f.ext.assign(b.begin() + static_cast<long>(ext_at), b.begin() + static_cast<long>(pay_at));
  f.payload.assign(b.begin() + static_cast<long>(pay_at), b.begin() + static_cast<long>(pay_end));
  f.pad_byte = pad ? b[pay_end] : 0;
  return has_payload(f.opcode) || f.payload.empty();
}

}  // namespace roce
