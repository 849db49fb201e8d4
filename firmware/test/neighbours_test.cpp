// SPDX-License-Identifier: Apache-2.0
// ARP and IPv6 neighbour discovery: answers, questions, patience.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "firmware/test/bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

namespace {

Frame from_hex(std::string_view text) {
  Frame bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Question and answer of Linux, from rc_send_mtu256.pcap and (tagged) rc_vlan100.pcap.
const Frame kArpAsk = from_hex(
    "ffffffffffff52540000000108060001080006040001525400000001"
    "0a0000010000000000000a000002");
const Frame kArpAnswer = from_hex(
    "52540000000152540000000208060001080006040002525400000002"
    "0a0000025254000000010a000001");
const Frame kArpAskVlan = from_hex(
    "ffffffffffff525400000001810000640806000108000604000152540000"
    "00010a0064010000000000000a006402");
const Frame kArpAnswerVlan = from_hex(
    "525400000001525400000002810000640806000108000604000252540000"
    "00020a0064025254000000010a006401");
// Made field by field after RFC 4861, checksums found right by Wireshark.
const Frame kNdAsk = from_hex(
    "3333ff00000252540000000186dd6000000000203afffd000000000000000000000000000001ff02"
    "00000000000000000001ff00000287002d4300000000fd0000000000000000000000000000020101"
    "525400000001");
const Frame kNdAnswer = from_hex(
    "52540000000152540000000286dd6000000000203afffd000000000000000000000000000002fd00"
    "00000000000000000000000000018800cc4560000000fd0000000000000000000000000000020201"
    "525400000002");
const Frame kNdAskUs = from_hex(
    "3333ff00000152540000000286dd6000000000203afffd000000000000000000000000000002ff02"
    "00000000000000000001ff00000187002d4300000000fd0000000000000000000000000000010101"
    "525400000002");
const Frame kNdAnswerOurs = from_hex(
    "52540000000252540000000186dd6000000000203afffd000000000000000000000000000001fd00"
    "00000000000000000000000000028800cc4760000000fd0000000000000000000000000000010201"
    "525400000001");
const Frame kProbe = from_hex(
    "3333ff00000152540000000286dd6000000000183aff00000000000000000000000000000000ff02"
    "00000000000000000001ff00000187007da500000000fd000000000000000000000000000001");
const Frame kProbeAnswer = from_hex(
    "33330000000152540000000186dd6000000000203afffd000000000000000000000000000001ff02"
    "000000000000000000000000000188000a4720000000fd0000000000000000000000000000010201"
    "525400000001");

/// A bench that owns 10.0.0.1, fd00::1, and 10.0.100.1 in VLAN 100.
class NetBench : public Bench {
 public:
  NetBench() {
    set_gid(0, kOwnIpv4);
    set_gid(1, kOwnIpv6);
    set_gid(2, gid_of_ipv4(0x0A006401), 100);
  }
  void resolve(std::uint32_t index, const Gid& gid) {
    give(AdminOp::kResolveAddress, Body()
                                       .put(resolve_address::sgid_index, index)
                                       .put(resolve_address::dgid_hi, gid.hi)
                                       .put(resolve_address::dgid_lo, gid.lo));
  }
  void receive(const Frame& frame) {
    nic.received.push_back(frame);
    CHECK(firmware->poll());
    CHECK(nic.received.empty());
  }
};

}  // namespace

TEST_CASE("ARP: answers as Linux does, tagged as the address is") {
  // Seen from the other side: node 2 answers node 1.
  Bench peer;
  Config config;
  config.mac = kPeerMac;
  peer.firmware = std::make_unique<Firmware>(peer.nic.hal(), config);
  peer.firmware->start();
  peer.set_gid(3, kPeerIpv4);
  peer.set_gid(4, gid_of_ipv4(0x0A006402), 100);
  peer.nic.received.push_back(kArpAsk);
  CHECK(peer.firmware->poll());
  REQUIRE(peer.nic.sent.size() == 1);
  CHECK(peer.nic.sent[0] == kArpAnswer);
  peer.nic.received.push_back(kArpAskVlan);
  CHECK(peer.firmware->poll());
  REQUIRE(peer.nic.sent.size() == 2);
  CHECK(peer.nic.sent[1] == kArpAnswerVlan);
}

TEST_CASE("ARP: asks as Linux does, learns the answer, does not ask again") {
  NetBench bench;
  bench.resolve(0, kPeerIpv4);
  CHECK_FALSE(bench.take(5).there);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kArpAsk);
  bench.receive(kArpAnswer);
  Answer answer = bench.take();
  REQUIRE(answer.there);
  CHECK(answer.status == AdminStatus::kOk);
  CHECK(answer.get(resolve_address_reply::mac) == kPeerMac);
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  bench.resolve(0, kPeerIpv4);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kPeerMac);
  CHECK(bench.nic.sent.size() == 1);
}

TEST_CASE("ARP: in a VLAN") {
  NetBench bench;
  bench.resolve(2, gid_of_ipv4(0x0A006402));
  CHECK_FALSE(bench.take(5).there);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kArpAskVlan);
  Frame untagged = kArpAnswerVlan;
  untagged.erase(untagged.begin() + 12, untagged.begin() + 16);
  bench.receive(untagged);  // another segment: not the answer
  CHECK_FALSE(bench.take(5).there);
  bench.receive(kArpAnswerVlan);
  CHECK(bench.take().get(resolve_address_reply::mac) == kPeerMac);
}

TEST_CASE("ARP: who asks for us is known at once; a padded frame is as good") {
  NetBench bench;
  Frame ask = kArpAnswer;
  ask[21] = 1;  // request
  ask.resize(60);
  bench.receive(ask);
  CHECK(bench.nic.sent.size() == 1);
  bench.resolve(0, kPeerIpv4);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kPeerMac);
}

TEST_CASE("neighbour discovery: asks, learns") {
  NetBench bench;
  bench.resolve(1, kPeerIpv6);
  CHECK_FALSE(bench.take(5).there);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kNdAsk);
  Frame bad = kNdAnswer;
  bad[60] ^= 1;  // checksum
  bench.receive(bad);
  bad = kNdAnswer;
  bad[21] = 254;  // came through a router
  bench.receive(bad);
  CHECK_FALSE(bench.take(5).there);
  bench.receive(kNdAnswer);
  CHECK(bench.take().get(resolve_address_reply::mac) == kPeerMac);
}

TEST_CASE("neighbour discovery: answers, also a probe for duplicates") {
  NetBench bench;
  bench.receive(kNdAskUs);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kNdAnswerOurs);
  bench.resolve(1, kPeerIpv6);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kPeerMac);
  bench.receive(kProbe);
  REQUIRE(bench.nic.sent.size() == 2);
  CHECK(bench.nic.sent[1] == kProbeAnswer);
}

TEST_CASE("requests for others, and other frames, are not answered") {
  NetBench bench;
  Frame other = kArpAsk;
  bench.receive(other);  // asks for 10.0.0.2
  other[12] = 0x08;
  other[13] = 0x00;
  bench.receive(other);
  for (std::size_t size = 1; size < kNdAskUs.size(); ++size) {
    bench.receive(Frame(kNdAskUs.begin(), kNdAskUs.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  CHECK(bench.nic.sent.empty());
}

TEST_CASE("random frames: nothing breaks, nothing is left open") {
  constexpr unsigned kSeed = 826;
  MESSAGE("seed " << kSeed);
  std::mt19937 random(kSeed);
  NetBench bench;
  for (int i = 0; i < 20000; ++i) {
    Frame frame = i % 2 == 0 ? kNdAskUs : kNdAnswer;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
      frame[random() % frame.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    }
    frame.resize(random() % 1514 + 1);
    bench.receive(frame);
  }
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
}

TEST_CASE("resolve: asks with growing patience, then Unreachable; then anew") {
  NetBench bench;
  for (int life = 0; life < 2; ++life) {
    bench.nic.sent.clear();
    const std::uint64_t start = bench.nic.now;
    bench.resolve(0, kPeerIpv4);
    std::vector<std::uint64_t> times;
    Answer answer;
    while (!(answer = bench.take(1)).there) {
      if (bench.nic.sent.size() > times.size()) times.push_back(bench.nic.now - start);
      REQUIRE(bench.firmware->deadline() != ~std::uint64_t{0});
      bench.nic.now = std::max(bench.nic.now, bench.firmware->deadline());  // sleep
    }
    CHECK(answer.status == AdminStatus::kUnreachable);
    REQUIRE(bench.nic.sent.size() == 5);
    CHECK(bench.nic.sent[4] == kArpAsk);
    CHECK(bench.nic.now - start > 31000000);  // 1 + 2 + 4 + 8 + 16 ms
    CHECK(bench.nic.now - start < 32000000);
    CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
  }
}

TEST_CASE("resolve: while one waits, requests of others are answered") {
  NetBench bench;
  bench.resolve(0, kPeerIpv4);
  CHECK_FALSE(bench.take(5).there);
  bench.receive(kNdAskUs);
  CHECK(bench.nic.sent.size() == 2);
  CHECK(bench.nic.sent[1] == kNdAnswerOurs);
  CHECK_FALSE(bench.take(5).there);
}

TEST_CASE("resolve: Unreachable at once when answers go to an operating system") {
  NetBench bench;
  bench.nic.control = 1;
  bench.resolve(0, kPeerIpv4);
  const Answer answer = bench.take(1);
  REQUIRE(answer.there);
  CHECK(answer.status == AdminStatus::kUnreachable);
}

TEST_CASE("resolve: our own address is our own MAC") {
  NetBench bench;
  bench.resolve(0, kOwnIpv4);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kOwnMac);
  CHECK(bench.nic.sent.empty());
}

TEST_CASE("resolve: bad arguments are refused") {
  NetBench bench;
  auto body = [](std::uint64_t index, const Gid& gid) {
    return Body()
        .put(resolve_address::sgid_index, index)
        .put(resolve_address::dgid_hi, gid.hi)
        .put(resolve_address::dgid_lo, gid.lo);
  };
  for (const std::uint64_t index : {3ull, 16ull, 0xFFFFFFFFull}) {
    bench.refuse(AdminOp::kResolveAddress, body(index, kPeerIpv4), AdminStatus::kBadHandle,
                 resolve_address::sgid_index);
  }
  const Gid bad[] = {{0, 0}, gid_of_ipv4(0xE0000001), {0xFF02ull << 48, 1}, kPeerIpv6};
  for (const Gid& gid : bad) {
    bench.refuse(AdminOp::kResolveAddress, body(0, gid), AdminStatus::kBadParameter,
                 resolve_address::dgid_hi);
  }
  bench.refuse(AdminOp::kResolveAddress, body(1, kPeerIpv4), AdminStatus::kBadParameter,
               resolve_address::dgid_hi);
}

TEST_CASE("neighbours: more than 32 are served by replacing the one not used for longest") {
  NetBench bench;
  auto answer_from = [](std::uint32_t ip, Mac mac) {
    Frame frame = kArpAnswer;
    for (unsigned i = 0; i < 6; ++i) frame[22 + i] = static_cast<std::uint8_t>(mac >> (40 - 8 * i));
    for (unsigned i = 0; i < 4; ++i) frame[28 + i] = static_cast<std::uint8_t>(ip >> (24 - 8 * i));
    return frame;
  };
  for (std::uint32_t i = 0; i < 40; ++i) {
    bench.resolve(0, gid_of_ipv4(0x0A000100 + i));
    CHECK_FALSE(bench.take(3).there);
    bench.receive(answer_from(0x0A000100 + i, 0x020000000000 + i));
    CHECK(bench.take(3).get(resolve_address_reply::mac) == 0x020000000000 + i);
  }
  bench.nic.sent.clear();
  bench.resolve(0, gid_of_ipv4(0x0A000100 + 39));
  CHECK(bench.take(1).there);
  CHECK(bench.nic.sent.empty());
  bench.resolve(0, gid_of_ipv4(0x0A000100));
  CHECK_FALSE(bench.take(3).there);
  CHECK(bench.nic.sent.size() == 1);
}

TEST_CASE("ModifyQp to RTR waits for the address and then goes on (dst_mac 0)") {
  NetBench bench;
  const std::uint32_t qpn = bench.qp(bench.pd(), bench.cq());
  namespace body = roci::layout::qp_attributes;
  auto give = [&](QpState state, std::uint32_t mask) {
    bench.give(AdminOp::kModifyQp, Body()
                                       .put(body::qpn, qpn)
                                       .put(body::state, state)
                                       .put(body::attr_mask, mask | 1)
                                       .put(body::port, 1)
                                       .put(body::path_mtu, 3)
                                       .put(body::dgid_hi, kPeerIpv4.hi)
                                       .put(body::dgid_lo, kPeerIpv4.lo));
  };
  give(QpState::kInit, qp_mask::kPkeyIndex | qp_mask::kPort | qp_mask::kAccessFlags);
  CHECK(bench.take().status == AdminStatus::kOk);
  const std::uint32_t rtr = qp_mask::kAv | qp_mask::kPathMtu | qp_mask::kDestQpn | qp_mask::kRqPsn |
                            qp_mask::kMaxDestRdAtomic | qp_mask::kMinRnrTimer;
  const std::size_t actions = bench.nic.actions.size();
  give(QpState::kRtr, rtr);
  CHECK_FALSE(bench.take(5).there);
  CHECK(bench.nic.actions.size() == actions);  // nothing changed so far
  bench.receive(kArpAnswer);
  CHECK(bench.take().status == AdminStatus::kOk);
  CHECK(bench.nic.states[qpn] == QpState::kRtr);
  CHECK(bench.nic.row(Table::kAv, qpn).get(av::dst_mac) == kPeerMac);
}
