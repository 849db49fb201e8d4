// SPDX-License-Identifier: Apache-2.0
// Datagrams of Soft-RoCE, and datagrams that break one rule each.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "driver/cm/mad/describe.hpp"
#include "driver/cm/mad/ip.hpp"
#include "driver/cm/test/captures.hpp"
#include "driver/cm/test/random_message.hpp"

using namespace roci;
using namespace roci::cm;

namespace {

using Kind = MadError::Kind;

std::variant<Mad, MadError> decode_of(const packet::Bytes& bytes) {
  return decode(bytes.data(), bytes.size());
}

template <typename M>
M message_of(const packet::Bytes& bytes) {
  return std::get<M>(std::get<Mad>(decode_of(bytes)).message);
}

Kind kind_of(const packet::Bytes& bytes) { return std::get<MadError>(decode_of(bytes)).kind; }

packet::Bytes to_bytes(const MadBytes& bytes) { return {bytes.begin(), bytes.end()}; }

Gid address(std::uint8_t host) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, host};
}

}  // namespace

TEST_CASE("captures: every datagram decodes, and encodes to the same bytes") {
  std::map<std::string, unsigned> seen;
  for (const char* capture : kCaptures) {
    for (const packet::Bytes& bytes : datagrams_of(capture)) {
      INFO(capture);
      const auto decoded = decode_of(bytes);
      REQUIRE(std::holds_alternative<Mad>(decoded));
      const Mad& mad = std::get<Mad>(decoded);
      CHECK(to_bytes(std::get<MadBytes>(encode(mad))) == bytes);
      ++seen[name_of(mad.message)];
    }
  }
  // Counted with tshark.
  const std::map<std::string, unsigned> expected = {{"req", 6},      {"rep", 5},     {"rtu", 5},
                                                    {"rej", 1},      {"dreq", 5},    {"drep", 5},
                                                    {"sidr_req", 1}, {"sidr_rep", 1}};
  CHECK(seen == expected);
}

TEST_CASE("captures: rping, as tshark shows its REQ and REP") {
  const auto datagrams = datagrams_of("cm_rping");
  REQUIRE(datagrams.size() == 5);
  const Req req = message_of<Req>(datagrams[0]);
  CHECK(req.local_id == 0xFE3A743F);
  const auto service = service_of(req.service_id);
  REQUIRE(service);
  CHECK(service->space == PortSpace::kTcp);
  CHECK(service->port == 7174);
  CHECK(req.ca_guid == 0x505400FFFE000002);
  CHECK(req.qpn == 0x11);
  CHECK(req.responder_resources == 1);
  CHECK(req.initiator_depth == 1);
  CHECK(req.remote_timeout == 20);
  CHECK(req.local_timeout == 20);
  CHECK(req.transport == Transport::kRc);
  CHECK(req.psn == 0x01A5D7);
  CHECK(req.retries == 7);
  CHECK(req.rnr_retries == 7);
  CHECK(req.cm_retries == 15);
  CHECK(req.pkey == 0xFFFF);
  CHECK(req.mtu == 5);
  CHECK(req.primary.local_lid == 0xFFFF);
  CHECK(req.primary.local_gid == address(2));
  CHECK(req.primary.remote_gid == address(1));
  CHECK(req.primary.hop_limit == 64);
  CHECK(req.primary.ack_timeout == 19);
  const auto header = decode_ip(req.private_data.data());
  REQUIRE(header);
  CHECK(header->source_port == 0x8BBA);
  CHECK(header->source == address(2));
  CHECK(header->destination == address(1));
  std::array<std::uint8_t, kIpHeaderBytes> again{};
  REQUIRE(encode_ip(*header, again.data()));
  CHECK(std::equal(again.begin(), again.end(), req.private_data.begin()));

  const Rep rep = message_of<Rep>(datagrams[1]);
  CHECK(rep.remote_id == req.local_id);
  CHECK(rep.ca_guid == 0x505400FFFE000001);
  const Rtu rtu = message_of<Rtu>(datagrams[2]);
  CHECK(rtu.local_id == req.local_id);
  CHECK(rtu.remote_id == rep.local_id);
  CHECK(message_of<Dreq>(datagrams[3]).remote_qpn == rep.qpn);
}

TEST_CASE("captures: the flow label of a REQ gives the UDP source port of its connection") {
  for (const char* capture : {"cm_rping", "cm_rdma_server_client"}) {
    const std::uint32_t label = message_of<Req>(datagrams_of(capture)[0]).primary.flow_label;
    unsigned found = 0;
    for (const auto& frame : frames_of(capture)) {
      const packet::Parsed parsed = packet::parse(frame.bytes);
      if (!parsed.ok() || parsed.bth().opcode() != packet::kRcSendOnly) continue;
      CHECK(parsed.udp().src_port() == (0xC000 | ((label & 0x3FFF) ^ label >> 14)));  // A17
      ++found;
    }
    CHECK(found != 0);
  }
}

TEST_CASE("captures: the REJ for a port without listener") {
  const auto datagrams = datagrams_of("cm_reject");
  REQUIRE(datagrams.size() == 2);
  const Rej rej = message_of<Rej>(datagrams[1]);
  CHECK(rej.reason == Reason::kInvalidService);
  CHECK(rej.about == About::kReq);
  CHECK(rej.remote_id == message_of<Req>(datagrams[0]).local_id);
}

TEST_CASE("captures: udaddy's SIDR agrees with the datagrams that follow") {
  const auto frames = frames_of("cm_udaddy");
  const auto datagrams = datagrams_of("cm_udaddy");
  REQUIRE(datagrams.size() == 2);
  const auto request = message_of<SidrReq>(datagrams[0]);
  const auto reply = message_of<SidrRep>(datagrams[1]);
  const auto service = service_of(request.service_id);
  REQUIRE(service);
  CHECK(service->space == PortSpace::kUdp);
  CHECK(service->port == 7174);
  CHECK(request.pkey == 0xFFFF);
  CHECK(decode_ip(request.private_data.data())->destination == address(1));
  CHECK(reply.request_id == request.request_id);
  CHECK(reply.service_id == request.service_id);
  CHECK(reply.status == SidrStatus::kValid);
  unsigned followed = 0;
  for (const auto& frame : frames) {
    const packet::Parsed parsed = packet::parse(frame.bytes);
    if (!parsed.ok() || parsed.bth().opcode() != packet::kUdSendOnlyImm) continue;
    if (packet::ipv4_of(parsed.dst()) != 0x0A000001) continue;
    CHECK(parsed.bth().dest_qp() == reply.qpn);
    CHECK(parsed.deth().qkey() == reply.qkey);
    ++followed;
  }
  CHECK(followed == 3);
}

TEST_CASE("a datagram with a wrong header gives an error") {
  const packet::Bytes good = datagrams_of("cm_rping")[0];
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    packet::Bytes bytes = good;
    bytes[at] = value;
    return bytes;
  };
  CHECK(kind_of({}) == Kind::kLength);
  CHECK(kind_of(packet::Bytes(good.begin(), good.end() - 1)) == Kind::kLength);
  packet::Bytes longer = good;
  longer.push_back(0);
  CHECK(kind_of(longer) == Kind::kLength);
  CHECK(kind_of(changed(0, 0)) == Kind::kBaseVersion);
  CHECK(kind_of(changed(0, 2)) == Kind::kBaseVersion);
  CHECK(kind_of(changed(1, 0x03)) == Kind::kClass);  // subnet administration
  CHECK(kind_of(changed(2, 1)) == Kind::kClassVersion);
  CHECK(kind_of(changed(3, 0x01)) == Kind::kMethod);  // Get
  CHECK(kind_of(changed(3, 0x83)) == Kind::kMethod);
  CHECK(kind_of(changed(17, 0x0F)) == Kind::kAttribute);
  CHECK(kind_of(changed(17, 0x1B)) == Kind::kAttribute);
  CHECK(kind_of(changed(16, 0x01)) == Kind::kAttribute);
}

TEST_CASE("a message with a forbidden value gives an error, both ways") {
  const auto field_of = [](const Message& message) -> std::string {
    const auto encoded = encode({1, 0, message});
    const MadError* error = std::get_if<MadError>(&encoded);
    return error == nullptr ? "" : to_string(*error);
  };
  Req req;
  CHECK(field_of(req) == "forbidden value of qpn");
  req.qpn = 1;
  CHECK(field_of(req) == "forbidden value of qpn");
  req.qpn = 0xFFFFFF;
  CHECK(field_of(req) == "forbidden value of qpn");
  req.qpn = 0x1000000;
  CHECK(field_of(req) == "value too wide for qpn");
  req.qpn = 2;
  CHECK(field_of(req).empty());
  req.primary.flow_label = 0x100000;
  CHECK(field_of(req) == "value too wide for flow_label");
  Rej rej;
  rej.info_length = 72;
  CHECK(field_of(rej).empty());
  rej.info_length = 73;
  CHECK(field_of(rej) == "forbidden value of info_length");
  rej.info_length = 0;
  rej.about = About{3};
  CHECK(field_of(rej) == "forbidden value of about");
  CHECK(field_of(Mra{1, 2, About{3}, 0, {}}) == "forbidden value of about");
  CHECK(field_of(Rep{}) == "forbidden value of qpn");
  CHECK(field_of(SidrRep{}) == "forbidden value of qpn");
  Apr apr;
  apr.info_length = 73;
  CHECK(field_of(apr) == "forbidden value of info_length");

  packet::Bytes bytes = datagrams_of("cm_reject")[1];
  bytes[24 + 8] = 0xC0;
  CHECK(kind_of(bytes) == Kind::kField);
  bytes[24 + 8] = 0;
  bytes[24 + 9] = 73 << 1;
  CHECK(kind_of(bytes) == Kind::kField);
  bytes = datagrams_of("cm_rping")[1];
  std::fill_n(bytes.begin() + 24 + 12, 3, std::uint8_t{0});
  CHECK(kind_of(bytes) == Kind::kField);
}

TEST_CASE("reserved bits are ignored") {
  packet::Bytes bytes = datagrams_of("cm_reject")[1];
  const Rej before = message_of<Rej>(bytes);
  bytes[24 + 8] |= 0x3F;
  bytes[24 + 9] |= 1;
  const Rej after = message_of<Rej>(bytes);
  CHECK(after.reason == before.reason);
  CHECK(after.about == before.about);
  CHECK(after.info_length == before.info_length);
}

TEST_CASE("service IDs: the two port spaces, others are of other protocols") {
  CHECK(service_id({PortSpace::kTcp, 7174}) == 0x0000000001061C06);
  CHECK(service_id({PortSpace::kUdp, 7174}) == 0x0000000001111C06);
  CHECK(service_of(0x0000000001061C06)->port == 7174);
  CHECK(!service_of(0x0000000101061C06));
  CHECK(!service_of(0x0000000001071C06));
  CHECK(!service_of(0x1000000001061C06));
  CHECK(!service_of(0));
}

TEST_CASE("the IP header: versions and addresses that do not belong together") {
  std::array<std::uint8_t, kIpHeaderBytes> bytes{};
  const Gid ipv6 = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  CHECK(!encode_ip({1, ipv6, address(1)}, bytes.data()));
  CHECK(bytes == decltype(bytes){});
  REQUIRE(encode_ip({0x1234, ipv6, ipv6}, bytes.data()));
  CHECK(bytes[1] == 0x60);
  CHECK(decode_ip(bytes.data())->source == ipv6);
  CHECK(decode_ip(bytes.data())->source_port == 0x1234);
  bytes[1] = 0x50;
  CHECK(!decode_ip(bytes.data()));
  bytes[1] = 0x60;
  bytes[0] = 0x10;
  CHECK(!decode_ip(bytes.data()));
  bytes[0] = 0;
  const Gid mapped = address(9);
  std::copy(mapped.begin(), mapped.end(), bytes.begin() + 4);
  CHECK(!decode_ip(bytes.data()));
  bytes[1] = 0x40;
  CHECK(decode_ip(bytes.data())->source == mapped);
}
