// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "model/packet/builder.hpp"
#include "model/packet/check.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/icrc.hpp"
#include "model/packet/lint.hpp"
#include "model/packet/parser.hpp"

using namespace roci::packet;
using roci::transport::Psn;

namespace {

constexpr Mac kNode1 = 0x525400000001;
constexpr Mac kNode2 = 0x525400000002;
constexpr std::uint32_t kIp1 = 0x0A000001;
constexpr std::uint32_t kIp2 = 0x0A000002;
const Gid kGid1 = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
const Gid kGid2 = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

/// An Ethernet header in front of an IP datagram.
Bytes framed(const Bytes& datagram) {
  Bytes frame(Ethernet::kBytes);
  MutableEthernet eth(frame.data());
  eth.set_ethertype(datagram[0] >> 4 == 4 ? 0x0800 : 0x86DD);
  frame.insert(frame.end(), datagram.begin(), datagram.end());
  return frame;
}

Bytes counting(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return bytes;
}

Builder rc(std::uint8_t op, std::uint32_t first_psn = 0x17) {
  Builder builder;
  builder.ethernet(kNode2, kNode1).ipv4(kIp1, kIp2).bth(op, 0x11, Psn(first_psn));
  return builder;
}

Bytes write_only(std::size_t bytes) {
  return rc(kRcWriteOnly)
      .ack_req()
      .reth(0x123456789ABCDEF0, 0xCAFE01, static_cast<std::uint32_t>(bytes))
      .payload(counting(bytes))
      .build();
}

}  // namespace

TEST_CASE("icrc: vectors of Soft-RoCE and scapy (WIRE-37, WIRE-39)") {
  const char* vectors[] = {
      "45000030da69400040114c510a0000020a000001c21112b7001c00001100ffff00000017001000001f000001"
      "6d8f4ead",
      "450000307ee440004011a7d60a0000010a000002c21112b7001c00000430ffff000000178010000161000000"
      "f815cf27",
      "45000038de9640004011481c0a0000020a000001c8a112b7002400001200ffff0000002f001000001f000001"
      "8877665544332211a8ff2144",
      "45000040819640004011a5140a0000010a000002c55912b7002c00002a20ffff000000250010000200007f99"
      "7ce3600200002bd300000002c6d30000a8293142",
      "4500003c00074000401126a10a0000090a000001c12312b7002800008100ffff4000004f0000000000000000"
      "000000000000000000000000"
      "78af68a7",
      "45000030e3034000401143b70a0000020a000001d10412b7001c00001100ffff000000420010000062000000"
      "cb6be0f8"};
  for (const char* vector : vectors) {
    CAPTURE(vector);
    const Bytes datagram = from_hex(vector);
    const Bytes frame = framed(datagram);
    const Parsed p = parse(frame);
    CHECK(p.icrc_ok);
    CHECK(to_string(p.error) == "ok");
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

TEST_CASE("builder: a WRITE is what its fields say") {
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

TEST_CASE("builder: RoCE v1 puts the BTH behind a GRH (A16, WIRE-01)") {
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

TEST_CASE("codec: what is built is parsed, for every opcode") {
  constexpr unsigned kSeed = 4791;
  MESSAGE("seed " << kSeed);
  std::mt19937_64 random(kSeed);
  auto number = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 20000; ++round) {
    const auto op = static_cast<std::uint8_t>(number(256));
    const OpcodeInfo* info = find_opcode(op);
    if (info == nullptr) continue;
    const Bytes data = info->payload ? counting(number(4097)) : Bytes();
    const Psn first(static_cast<std::uint32_t>(random()));
    const auto qp = static_cast<std::uint32_t>(number(1 << 24));
    const auto key = static_cast<std::uint32_t>(random());
    const std::uint64_t address = random();
    const std::uint64_t operand = random();
    const bool six = number(2) != 0;
    const bool v1 = number(4) == 0;
    const bool tagged = number(2) != 0;
    Builder builder;
    builder.ethernet(random() >> 16, random() >> 16).bth(op, qp, first).pkey(0x7FFF);
    if (six) {
      builder.ipv6(kGid1, kGid2);
    } else {
      builder.ipv4(kIp1, kIp2).identification(static_cast<std::uint16_t>(random()));
    }
    if (tagged) builder.vlan(4094, 5);
    if (v1) builder.roce_v1();
    if (info->has(Ext::kReth)) builder.reth(address, key, 77);
    if (info->has(Ext::kAtomicEth)) builder.atomic_eth(address, key, operand, ~operand);
    if (info->has(Ext::kAeth)) builder.aeth(0x62, 0xABCDEF);
    if (info->has(Ext::kAtomicAckEth)) builder.atomic_ack_eth(operand);
    if (info->has(Ext::kImmDt)) builder.imm_dt(key);
    if (info->has(Ext::kIeth)) builder.ieth(key);
    if (info->has(Ext::kDeth)) builder.deth(key, qp);
    const Bytes frame = builder.payload(data).build();
    std::vector<Check> checks = {bth(opcode(op), psn(first), dest_qp(qp), pkey(0x7FFF)),
                                 payload(data)};
    const IpPart from = six ? src(kGid1) : src("10.0.0.1");
    const IpPart to = six ? dst(kGid2) : dst("10.0.0.2");
    checks.push_back(v1 ? grh(from, to) : six ? ipv6(from, to) : ipv4(from, to));
    if (tagged) checks.push_back(vlan(4094, 5));
    if (info->has(Ext::kReth)) checks.push_back(reth(va(address), rkey(key), dma_length(77)));
    if (info->has(Ext::kAtomicEth)) {
      checks.push_back(
          atomic_eth(atomic_va(address), atomic_rkey(key), swap_add(operand), compare(~operand)));
    }
    if (info->has(Ext::kAeth)) checks.push_back(aeth(syndrome(0x62), msn(0xABCDEF)));
    if (info->has(Ext::kAtomicAckEth)) checks.push_back(atomic_ack(operand));
    if (info->has(Ext::kImmDt)) checks.push_back(immediate(key));
    if (info->has(Ext::kIeth)) checks.push_back(invalidates(key));
    if (info->has(Ext::kDeth)) checks.push_back(deth(key, qp));
    CHECK(check(frame, checks));
  }
}

TEST_CASE("parser: noise is never RoCE and never read past its end (WIRE-48)") {
  constexpr unsigned kSeed = 48;
  MESSAGE("seed " << kSeed);
  std::mt19937 random(kSeed);
  const Bytes good = write_only(32);
  for (int round = 0; round < 100000; ++round) {
    Bytes frame = good;
    frame.resize(random() % (good.size() + 1));
    frame.shrink_to_fit();
    for (unsigned flips = random() % 8; flips > 0 && !frame.empty(); --flips) {
      frame[random() % frame.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    }
    const Parsed p = parse(frame);
    if (p.ok()) {
      CHECK(frame.size() == good.size());
      CHECK(check(frame, reth(dma_length(32)), payload(counting(32))));
    }
    lint(frame);
    describe(frame);
  }
}

TEST_CASE("seal: mends checksum and ICRC after an edit") {
  Bytes frame = write_only(8);
  MutableIpv4(&frame[Ethernet::kBytes]).set_identification(0x1234);
  CHECK(parse(frame).error == Error::kIpv4Checksum);
  CHECK(seal(&frame));
  CHECK(parse(frame).ok());
  Bytes noise(20, 0);
  CHECK_FALSE(seal(&noise));
}

TEST_CASE("lint: names the rule that is broken") {
  auto fault = [](const Bytes& frame) {
    const std::vector<std::string> faults = lint(frame);
    return faults.size() == 1 ? faults.front() : std::to_string(faults.size()) + " faults";
  };
  CHECK(lint(write_only(61)).empty());
  Bytes frame = write_only(61);
  frame.back() ^= 1;
  CHECK(fault(frame) == "wrong ICRC (WIRE-36)");
  CHECK(fault(rc(kRcAck).aeth(0x40, 0).build()) == "reserved AETH syndrome (RSP-14)");
  CHECK(fault(rc(kRcAck).aeth(0x1F, 0).ack_req().build()) == "AckReq on a response (WIRE-44)");
  CHECK(fault(rc(kRcSendFirst).payload(counting(200)).build()) ==
        "FIRST or MIDDLE does not carry exactly a path MTU (WIRE-41)");
  CHECK(fault(rc(kRcSendLast).build()) == "LAST without payload (WIRE-41)");
  CHECK(fault(rc(kRcWriteOnly).solicited().reth(0, 0, 0).build()) ==
        "SE where it may not be (WIRE-43)");
  CHECK(fault(rc(kRcSendOnly).src_port(1000).build()) == "UDP source port below 0xC000 (WIRE-13)");
  frame = write_only(61);
  frame[frame.size() - 5] = 1;
  seal(&frame);
  CHECK(fault(frame) == "pad bytes not zero (WIRE-32)");
  CHECK(lint(Bytes(60, 0)).empty());  // not RoCE
}

TEST_CASE("check: says what differs") {
  std::ostringstream text;
  text << check(write_only(4), ipv4(ttl(63)), bth(opcode(kRcAck), psn(0x18)), aeth(msn(1)),
                payload({1, 8, 15, 21}));
  CHECK(text.str() ==
        "hop limit is 0x40, not 0x3f; opcode is RcWriteOnly, not RcAck; PSN is 0x17, not 0x18; "
        "no AETH; payload byte 3 is 0x16, not 0x15");
  CHECK_FALSE(check(Bytes(60, 0), ipv4(ttl(64))));
  CHECK_THROWS_AS(src("10.0.0"), std::invalid_argument);
}

TEST_CASE("describe: a packet in one line") {
  CHECK(describe(write_only(64)) ==
        "10.0.0.1 > 10.0.0.2 RcWriteOnly qp 0x11 psn 0x000017 A va 0x123456789abcdef0 rkey "
        "0xcafe01 dma 64 len 64");
  CHECK(describe(rc(kRcAck).gids(kGid1, kGid2).vlan(100).aeth(0x60, 5).build()) ==
        "fd00::1 > fd00::2 vlan 100 RcAck qp 0x11 psn 0x000017 NAK sequence msn 5");
  Bytes frame = write_only(4);
  frame.back() ^= 1;
  CHECK(describe(frame).find("[wrong ICRC]") != std::string::npos);
  CHECK(describe(Bytes(60, 0)) == "00:00:00:00:00:00 > 00:00:00:00:00:00 type 0x0000, 60 bytes");
  CHECK(describe(Bytes(3, 0)) == "3 bytes");
}
