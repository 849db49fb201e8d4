// SPDX-License-Identifier: Apache-2.0
// ICRC and builder: vectors, fields, opcodes of every kind.
#include <doctest/doctest.h>
#include <zlib.h>

#include "model/packet/builder.hpp"
#include "model/packet/check.hpp"
#include "model/packet/crc32.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/dissect.hpp"
#include "model/packet/icrc.hpp"
#include "model/packet/lint.hpp"
#include "model/packet/parser.hpp"
#include "model/packet/test/icrc_vectors.hpp"
#include "model/packet/test/samples.hpp"

using namespace roci::packet;
using namespace roci::packet::samples;
using roci::transport::Psn;

TEST_CASE("icrc: vectors of Soft-RoCE and scapy (WIRE-37, WIRE-39)") {
  for (const char* vector : kIcrcVectors) {
    CAPTURE(vector);
    const Bytes datagram = from_hex(vector);
    const Bytes frame = framed(datagram);
    const Parsed p = parse(frame);
    CHECK(p.icrc_ok);
    CHECK(to_string(p.error) == "ok");
  }
}

TEST_CASE("crc32: as zlib computes it, for each length and alignment") {
  std::vector<std::uint8_t> bytes(400);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  constexpr std::size_t kMostOffset = 16;
  for (std::size_t offset = 0; offset <= kMostOffset; ++offset) {
    for (std::size_t size = 0; size + kMostOffset <= bytes.size(); ++size) {
      CAPTURE(offset);
      CAPTURE(size);
      state = state * 1664525 + 1013904223;
      REQUIRE(crc32_extend(state, {&bytes[offset], size}) == crc32_z(state, &bytes[offset], size));
    }
  }
}

TEST_CASE("icrc: what a router may change is not covered, the rest is (WIRE-37, WIRE-38)") {
  for (const Network network : {Network::kIpv4, Network::kIpv6, Network::kGrh}) {
    CAPTURE(static_cast<int>(network));
    Builder builder = rc(kRcSendOnly);
    if (network == Network::kIpv6) builder.ipv6(kGid1, kGid2);
    if (network == Network::kGrh) builder.roce_v1();
    const Bytes good = builder.payload(counting(13)).build();
    const Parsed p = parse(good);
    REQUIRE(p.ok());
    std::size_t masked = 0;
    for (std::size_t bit = p.ip_at * 8; bit < p.icrc_at * 8; ++bit) {
      Bytes changed = good;
      changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ 0x80 >> bit % 8);
      const Parsed q = parse(changed);
      if (q.has_bth && q.icrc_ok && q.icrc_at == p.icrc_at) ++masked;
    }
    // IPv4: TOS, TTL, header checksum; IPv6 and GRH: class, label, hop limit. Both IPs: UDP
    // checksum. All: BTH byte 4.
    CHECK(masked == (network == Network::kIpv4   ? 8 + 8 + 16 + 16 + 8
                     : network == Network::kIpv6 ? 8 + 20 + 8 + 16 + 8
                                                 : 8 + 20 + 8 + 8));
  }
}

TEST_CASE("builder: a WRITE has the fields that were set") {
  const Bytes frame = write_only(61);
  CHECK(frame.size() == 14 + 20 + 8 + 12 + 16 + 64 + 4);
  CHECK(check(frame, ethernet(dst_mac(kNode2), src_mac(kNode1)), untagged(),
              ipv4(src("10.0.0.1"), dst("10.0.0.2"), ttl(64), traffic_class(0)),
              udp(src_port(0xC000), src_port_in_range()),
              bth(opcode(kRcWriteOnly), psn(0x17), dest_qp(0x11), ack_req(true), solicited(false),
                  pkey(0xFFFF), pad_count(3), mig_req(true)),
              reth(va(0x123456789ABCDEF0), rkey(0xCAFE01), dma_length(61)), payload(counting(61)),
              payload_bytes(61)));
  CHECK(lint(frame).empty());
}

TEST_CASE("builder: VLAN and IPv6") {
  const Bytes frame = rc(kRcAck)
                          .vlan(100, 3)
                          .gids(kGid1, kGid2)
                          .traffic_class(0x6A)
                          .flow_label(0x12345)
                          .hop_limit(7)
                          .aeth(0x1F, 5)
                          .build();
  CHECK(frame.size() == 14 + 4 + 40 + 8 + 12 + 4 + 4);
  CHECK(
      check(frame, vlan(100, 3),
            ipv6(src("fd00::1"), dst("fd00::2"), ttl(7), traffic_class(0x6A), flow_label(0x12345)),
            aeth(syndrome(0x1F), msn(5))));
  const Bytes untagged_frame = rc(kRcAck)
                                   .gids(kGid1, kGid2)
                                   .traffic_class(0x6A)
                                   .flow_label(0x12345)
                                   .hop_limit(7)
                                   .aeth(0x1F, 5)
                                   .build();
  CHECK(parse(frame).icrc_sent() == parse(untagged_frame).icrc_sent());  // WIRE-02
}

TEST_CASE("builder: RoCE v1 puts the BTH after a GRH (A16, WIRE-01)") {
  // Byte by byte from 8.3, 9.2 and 9.3.5; the ICRC is zlib's CRC-32 over eight bytes of 0xFF and
  // all from the GRH on, traffic class, flow label, hop limit and BTH byte 4 as ones.
  const Bytes expected = from_hex(
      "525400000002525400000001"
      "8100"
      "6064"
      "8915"
      "66a12345"
      "0014"
      "1b"
      "07"
      "00000000000000000000ffff0a000001"
      "00000000000000000000ffff0a000002"
      "1140ffff"
      "00000011"
      "00000017"
      "1f000005"
      "af09e75e");
  const Bytes frame = rc(kRcAck)
                          .roce_v1()
                          .vlan(100, 3)
                          .traffic_class(0x6A)
                          .flow_label(0x12345)
                          .hop_limit(7)
                          .aeth(0x1F, 5)
                          .build();
  CHECK(frame == expected);
  CHECK(
      check(frame, vlan(100, 3),
            grh(src("10.0.0.1"), dst("10.0.0.2"), ttl(7), traffic_class(0x6A), flow_label(0x12345)),
            bth(opcode(kRcAck), psn(0x17)), aeth(syndrome(0x1F), msn(5))));
  CHECK_FALSE(check(frame, udp(src_port_in_range())));
  CHECK_FALSE(check(frame, ipv6(ttl(7))));
  CHECK(lint(frame).empty());
  CHECK(describe(frame) == "10.0.0.1 > 10.0.0.2 v1 vlan 100 RcAck qp 0x11 psn 0x000017 ack msn 5");

  Bytes bad = frame;
  bad[18 + 6] = 17;  // no BTH follows
  CHECK(parse(bad).error == Error::kGrh);
  CHECK(describe(bad).find("type 0x8100") != std::string::npos);
  CHECK_FALSE(lint(bad).empty());
  bad = frame;
  bad[18 + 5] += 4;
  CHECK(parse(bad).error == Error::kTruncated);
  bad = frame;
  bad.resize(30);
  CHECK(parse(bad).error == Error::kTruncated);
}

TEST_CASE("builder: a CNP has the fields of annex A17") {
  const Bytes expected = from_hex(
      "4500003c00074000401126a10a0000090a000001c12312b7002800008100ffff4000004f0000000000000000"
      "00000000000000000000000078af68a7");
  const Bytes frame = Builder()
                          .ipv4(0x0A000009, 0x0A000001)
                          .identification(7)
                          .src_port(0xC123)
                          .bth(kCnp, 0x4F, Psn(0))
                          .mig_req(false)
                          .congestion(false, true)
                          .build();
  CHECK(Bytes(frame.begin() + Ethernet::kBytes, frame.end()) == expected);
}

TEST_CASE("dissect: the fields of a frame, and any part of it without reading past the end") {
  const Bytes frame = Builder()
                          .ethernet(0x525400000001, 0x525400000002)
                          .ipv4(kIp1, kIp2)
                          .bth(kRcWriteOnlyImm, 0x11, Psn(0xABCDEF))
                          .reth(0x1234567890, 0x77, 5)
                          .imm_dt(9)
                          .payload(Bytes(5))
                          .build();
  std::string text;
  for (const DissectedHeader& header : dissect(frame)) {
    for (const DissectedField& field : header.fields) {
      text += std::string(header.name) + "." + std::string(field.name) + "=" + field.value + ";";
    }
  }
  for (const char* part :
       {"ethernet.dst_mac=52:54:00:00:00:01;", "ipv4.protocol=17 (0x11);",
        "udp.dst_port=4791 (0x12b7);", "bth.opcode=11 (0xb);", "bth.pad_count=3;",
        "bth.dest_qp=17 (0x11);", "bth.psn=11259375 (0xabcdef);",
        "reth.va=78187493520 (0x1234567890);", "reth.dma_length=5;", "imm_dt.immediate=9;",
        "packet.payload_bytes=5;"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("error") == std::string::npos);
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Bytes some(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    for (const DissectedHeader& header : dissect(some)) {
      if (header.name == "packet") CHECK(header.fields.back().name == "error");
    }
  }
}
