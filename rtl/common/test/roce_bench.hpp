// SPDX-License-Identifier: Apache-2.0
// What the tests of the receive and transmit blocks share: connections, frames to try, captures.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/records.hpp"
#include "rtl/common/test/dut.hpp"
#include "rtl/common/test/roce_frame.hpp"

namespace roce {

namespace opcode = layout::opcode;

/// The opcodes of RC. Their numbers stand in roce_frame.hpp a second time.
constexpr std::uint8_t kEveryOpcode[] = {
    opcode::kRcSendFirst,    opcode::kRcSendMiddle,    opcode::kRcSendLast,
    opcode::kRcSendLastImm,  opcode::kRcSendOnly,      opcode::kRcSendOnlyImm,
    opcode::kRcWriteFirst,   opcode::kRcWriteMiddle,   opcode::kRcWriteLast,
    opcode::kRcWriteLastImm, opcode::kRcWriteOnly,     opcode::kRcWriteOnlyImm,
    opcode::kRcReadRequest,  opcode::kRcReadRespFirst, opcode::kRcReadRespMiddle,
    opcode::kRcReadRespLast, opcode::kRcReadRespOnly,  opcode::kRcAck,
    opcode::kRcAtomicAck,    opcode::kRcCmpSwap,       opcode::kRcFetchAdd,
    opcode::kRcSendLastInv,  opcode::kRcSendOnlyInv};

/// Whether the adapter sends the frame by its address vector or receives it.
enum class Way { kOut, kIn };

/// Fills the row bus with the address vector (table Av) of the connection of such a frame.
template <typename Row>
void put_av(Row& row, const Fields& f, Way way) {
  port::clear(row);
  auto set = [&](auto field, auto value) { port::put(row, field, value); };
  auto set_ip = [&](auto field, const std::array<std::uint8_t, 16>& ip) {
    for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) port::put_byte(row, field, i, ip[i]);
  };
  set_ip(layout::av::src_ip, way == Way::kOut ? f.src_ip : f.dst_ip);
  set_ip(layout::av::dst_ip, way == Way::kOut ? f.dst_ip : f.src_ip);
  set(layout::av::ipv6, f.ipv6);
  set(layout::av::roce_v1, f.v1);
  set(layout::av::vlan, f.vlan);
  set(layout::av::vlan_tci, f.tci);
  set(layout::av::pkey, f.pkey);
  if (way == Way::kIn) return;
  set(layout::av::dst_mac, f.dst_mac);
  set(layout::av::src_mac, f.src_mac);
  set(layout::av::traffic_class, f.tc);
  set(layout::av::hop_limit, f.hop);
  set(layout::av::flow_label, f.flow);
  set(layout::av::src_port, f.src_port);
  set(layout::av::dest_qpn, f.qpn);
}

/// Fills a descriptor (tx_desc_t) of such a packet for the queue pair of a row; of a datagram to
/// the queue pair f.qpn by an address handle.
template <typename Port>
void put_desc(Port& desc, unsigned row, const Fields& f, unsigned handle = 0) {
  port::clear(desc);
  auto set = [&](auto field, auto value) { port::put(desc, field, value); };
  set(layout::tx_desc::qpn, row);
  set(layout::tx_desc::opcode, f.opcode);
  set(layout::tx_desc::psn, f.psn);
  set(layout::tx_desc::solicited, f.solicited);
  set(layout::tx_desc::ack_req, f.ack_req);
  set(layout::tx_desc::ext_len, f.ext.size());
  set(layout::tx_desc::payload_len, f.payload.size());
  for (unsigned i = 0; i < layout::tx_desc::ext.bits / 8; ++i) {
    // Bytes after ext_len must not matter.
    port::put_byte(desc, layout::tx_desc::ext, i, i < f.ext.size() ? f.ext[i] : 0xE5);
  }
  if (!is_datagram(f.opcode)) return;
  const unsigned ext = layout::tx_desc::ext.offset;
  port::put(desc, ext + layout::ext_deth::dest_qpn.offset, 24, f.qpn);
  port::put(desc, ext + layout::ext_deth::ah.offset, 16, handle);
}

inline Bytes random_bytes(std::mt19937& random, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// The kinds of connection: IPv4, IPv6, RoCE v1, each untagged and tagged.
constexpr unsigned kShapes = 6;
inline Fields shape(unsigned which) {
  Fields f;
  f.vlan = which & 1;
  f.tci = f.vlan ? 0x6064 : 0;
  f.ipv6 = which >= 2;
  f.v1 = which >= 4;
  for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) {
    f.src_ip[i] = static_cast<std::uint8_t>(0x20 + i + 16 * which);
    f.dst_ip[i] = static_cast<std::uint8_t>(0xA0 + i);
  }
  f.qpn = 16 + which;
  return f;
}

/// The same kinds at the sender, with all fields of the address vector set.
inline Fields own_shape(unsigned which) {
  std::mt19937 random(19770525 + which);
  Fields f = shape(which);
  f.dst_mac = random() * 65536ull + which;
  f.src_mac = random() * 65536ull + 7;
  for (unsigned i = f.ipv6 ? 0 : 12; i < 16; ++i) {
    f.src_ip[i] = static_cast<std::uint8_t>(random());
    f.dst_ip[i] = static_cast<std::uint8_t>(random());
  }
  f.tc = static_cast<std::uint8_t>(random());
  f.hop = static_cast<std::uint8_t>(random());
  f.flow = f.ipv6 ? random() & 0xFFFFF : 0;
  f.src_port = static_cast<std::uint16_t>(0xC000 | random());
  f.qpn = random() & 0xFFFFFF;
  return f;
}
/// A packet of such a connection.
inline Fields packet(std::mt19937& random, unsigned which, unsigned opcode, std::size_t size) {
  Fields f = own_shape(which);
  f.opcode = static_cast<std::uint8_t>(opcode);
  f.psn = random() & 0xFFFFFF;
  f.solicited = random() & 1;
  f.ack_req = random() & 1;
  f.ext = random_bytes(random, static_cast<std::size_t>(ext_bytes(opcode)));
  if (has_payload(opcode)) f.payload = random_bytes(random, size);
  return f;
}

/// A correct packet of any shape, opcode and length.
inline Fields random_good(std::mt19937& random) {
  Fields f = shape(random() % kShapes);
  f.opcode = kEveryOpcode[random() % std::size(kEveryOpcode)];
  f.solicited = random() & 1;
  f.ack_req = random() & 1;
  f.mig_req = random() & 1;
  f.psn = random() & 0xFFFFFF;
  f.tc = static_cast<std::uint8_t>(random());
  f.hop = static_cast<std::uint8_t>(random());
  f.flow = random() & 0xFFFFF;
  f.id = static_cast<std::uint16_t>(random());
  f.src_port = static_cast<std::uint16_t>(random());
  f.congestion = static_cast<std::uint8_t>(random());
  f.resv7 = random() & 0x7F;
  f.pad_byte = static_cast<std::uint8_t>(random());
  f.udp_sum = !f.v1 && random() % 3 == 0;
  f.ext = random_bytes(random, static_cast<std::size_t>(ext_bytes(f.opcode)));
  if (has_payload(f.opcode)) {
    static constexpr unsigned kSizes[] = {0,  1,  2,  3,   4,   8,    55,   56,
                                          57, 64, 65, 127, 255, 1024, 4095, 4096};
    f.payload =
        random_bytes(random, random() % 2 ? random() % 200 : kSizes[random() % std::size(kSizes)]);
  }
  return f;
}

/// A frame of the Ethernet path: another EtherType, IPv4 with options, or not IPv6 in spite of its
/// EtherType.
inline Bytes random_ethernet(std::mt19937& random) {
  Bytes frame = random_bytes(random, 14 + random() % 300);
  static constexpr unsigned kTypes[] = {layout::ethertype::kArp, 0x88B5, 0x8914,
                                        layout::ethertype::kIpv4, layout::ethertype::kIpv6};
  const unsigned type = kTypes[random() % 5];
  frame[12] = static_cast<std::uint8_t>(type >> 8);
  frame[13] = static_cast<std::uint8_t>(type);
  if (frame.size() > 14) frame[14] = type == layout::ethertype::kIpv4 ? 0x46 : 0x00;
  return frame;
}

/// Frames of a capture (classic pcap, little-endian, Ethernet).
inline std::vector<Bytes> read_pcap(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const Bytes all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<Bytes> frames;
  for (std::size_t at = 24; at + 16 <= all.size();) {
    const std::size_t size = all[at + 8] | all[at + 9] << 8;
    at += 16;
    if (at + size > all.size()) break;
    frames.emplace_back(all.begin() + static_cast<long>(at),
                        all.begin() + static_cast<long>(at + size));
    at += size;
  }
  return frames;
}

/// The captures of Soft-RoCE that model/packet tests with. Tests run in the root of the tree.
inline std::vector<std::filesystem::path> captures() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("model/packet/testdata/captures")) {
    if (entry.path().extension() == ".pcap") paths.push_back(entry.path());
  }
  return paths;
}

/// Whether an adapter must accept a captured frame: it is whole and correct.
inline bool captured_good(const Bytes& frame, Fields& f) {
  if (!dissect(frame, f) || f.udp_sum || f.version || f.payload.size() > 4096 || f.pkey != 0xFFFF)
    return false;
  const std::size_t end = f.payload_at() + f.payload.size() + (4 - f.payload.size() % 4) % 4;
  Bytes remade(frame.begin(), frame.begin() + static_cast<long>(end));
  append_icrc(remade, f);
  if (!std::equal(remade.begin(), remade.end(), frame.begin())) return false;
  return f.ipv6 || ones_sum(frame.data() + f.ip_at(), 20) == 0xFFFF;
}

}  // namespace roce
