// SPDX-License-Identifier: Apache-2.0
// Parser, lint, checks and descriptions of packets.
#include "model/packet/parser.hpp"

#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "model/packet/builder.hpp"
#include "model/packet/check.hpp"
#include "model/packet/describe.hpp"
#include "model/packet/icrc.hpp"
#include "model/packet/lint.hpp"
#include "model/packet/test/samples.hpp"

using namespace roci::packet;
using namespace roci::packet::samples;
using roci::transport::Psn;

TEST_CASE("codec: a built frame of every opcode is parsed to its fields") {
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

TEST_CASE("parser: random bytes are never RoCE and never read past their end (WIRE-48)") {
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

TEST_CASE("seal: recomputes checksum and ICRC after an edit") {
  Bytes frame = write_only(8);
  MutableIpv4(&frame[Ethernet::kBytes]).set_identification(0x1234);
  CHECK(parse(frame).error == Error::kIpv4Checksum);
  CHECK(seal(&frame));
  CHECK(parse(frame).ok());
  Bytes noise(20, 0);
  CHECK_FALSE(seal(&noise));
}

TEST_CASE("lint: names the violated rule") {
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

TEST_CASE("check: reports what differs") {
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
