// SPDX-License-Identifier: Apache-2.0
// ARP and IPv6 neighbour discovery: replies, requests, learning.
#include <doctest/doctest.h>

#include <memory>
#include <random>

#include "firmware/test/neighbour_bench.hpp"

using namespace roci::fw;
using namespace roci::fw::test;
using namespace roci::layout;

TEST_CASE("ARP: the reply equals that of Linux, with the VLAN tag of the address") {
  // Seen from the other side: node 2 replies to node 1.
  Bench peer;
  Config config;
  config.mac = kPeerMac;
  peer.firmware = std::make_unique<Firmware>(peer.nic.hal(), config);
  peer.firmware->start();
  peer.set_gid(3, kPeerIpv4);
  peer.set_gid(4, gid_of_ipv4(0x0A006402), 100);
  peer.nic.received.push_back(kArpRequest);
  CHECK(peer.firmware->poll());
  REQUIRE(peer.nic.sent.size() == 1);
  CHECK(peer.nic.sent[0] == kArpReply);
  peer.nic.received.push_back(kArpRequestVlan);
  CHECK(peer.firmware->poll());
  REQUIRE(peer.nic.sent.size() == 2);
  CHECK(peer.nic.sent[1] == kArpReplyVlan);
}

TEST_CASE("ARP: the request equals that of Linux, the reply is learned, no second request") {
  NetBench bench;
  bench.resolve(0, kPeerIpv4);
  CHECK_FALSE(bench.take(5).there);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kArpRequest);
  bench.receive(kArpReply);
  CommandReply reply = bench.take();
  REQUIRE(reply.there);
  CHECK(reply.status == AdminStatus::kOk);
  CHECK(reply.get(resolve_address_reply::mac) == kPeerMac);
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
  CHECK(bench.nic.sent[0] == kArpRequestVlan);
  Frame untagged = kArpReplyVlan;
  untagged.erase(untagged.begin() + 12, untagged.begin() + 16);
  bench.receive(untagged);  // a reply from another segment does not count
  CHECK_FALSE(bench.take(5).there);
  bench.receive(kArpReplyVlan);
  CHECK(bench.take().get(resolve_address_reply::mac) == kPeerMac);
}

TEST_CASE("ARP: a request for our address is learned at once, also from a padded frame") {
  NetBench bench;
  Frame request = kArpReply;
  request[21] = 1;  // the operation of a request
  request.resize(60);
  bench.receive(request);
  CHECK(bench.nic.sent.size() == 1);
  bench.resolve(0, kPeerIpv4);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kPeerMac);
}

TEST_CASE("neighbour discovery: requests, learns") {
  NetBench bench;
  bench.resolve(1, kPeerIpv6);
  CHECK_FALSE(bench.take(5).there);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kNdSolicitation);
  Frame bad = kNdAdvertisement;
  bad[60] ^= 1;  // wrong checksum
  bench.receive(bad);
  bad = kNdAdvertisement;
  bad[21] = 254;  // the frame passed a router
  bench.receive(bad);
  CHECK_FALSE(bench.take(5).there);
  bench.receive(kNdAdvertisement);
  CHECK(bench.take().get(resolve_address_reply::mac) == kPeerMac);
}

TEST_CASE("neighbour discovery: replies, also to a probe for duplicates") {
  NetBench bench;
  bench.receive(kNdSolicitationForUs);
  REQUIRE(bench.nic.sent.size() == 1);
  CHECK(bench.nic.sent[0] == kNdAdvertisementOurs);
  bench.resolve(1, kPeerIpv6);
  CHECK(bench.take(1).get(resolve_address_reply::mac) == kPeerMac);
  bench.receive(kProbe);
  REQUIRE(bench.nic.sent.size() == 2);
  CHECK(bench.nic.sent[1] == kProbeReply);
}

TEST_CASE("requests for others, and other frames, get no reply") {
  NetBench bench;
  Frame other = kArpRequest;
  bench.receive(other);  // requests 10.0.0.2
  other[12] = 0x08;
  other[13] = 0x00;
  bench.receive(other);
  for (std::size_t size = 1; size < kNdSolicitationForUs.size(); ++size) {
    bench.receive(Frame(kNdSolicitationForUs.begin(),
                        kNdSolicitationForUs.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  CHECK(bench.nic.sent.empty());
}

TEST_CASE("random frames: no crash, and no state remains") {
  constexpr unsigned kSeed = 826;
  MESSAGE("seed " << kSeed);
  std::mt19937 random(kSeed);
  NetBench bench;
  for (int i = 0; i < 20000; ++i) {
    Frame frame = i % 2 == 0 ? kNdSolicitationForUs : kNdAdvertisement;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
      frame[random() % frame.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    }
    frame.resize(random() % 1514 + 1);
    bench.receive(frame);
  }
  CHECK(bench.firmware->deadline() == ~std::uint64_t{0});
}
