// SPDX-License-Identifier: Apache-2.0
// The statements CM-02 to CM-08 and CM-12 of docs/conformance.md: messages, byte by byte, against
// captured ones.
#include <map>

#include "driver/cm/test/captured_host.hpp"

using namespace roci;
using namespace roci::cm;

TEST_CASE("CM-03 CM-04 CM-08: the REQ of rping, and its active side to the end (CM-06, CM-09)") {
  const Rping linux;
  Host host(1, linux.kClientId);
  const std::uint32_t id = host.connect(linux.kServicePort, linux.kClientQpn);
  const packet::Bytes req = host.sent();
  check_same(req, linux.req, {kTransaction, kReqPsn, kReqPath, kReqPort});

  host.respond(linux.rep, req);
  CHECK(host.program.event(UcmEvent::kConnectResponse).param.conn.qp_num == linux.kServerQpn);
  CHECK(host.program.ready(id) == 0);
  check_same(host.sent(), linux.rtu, {kTransaction});
  CHECK(host.program.disconnect(id) == 0);
  const packet::Bytes dreq = host.sent();
  check_same(dreq, linux.dreq, {kTransaction});
  host.respond(linux.drep, dreq);
  host.program.event(UcmEvent::kDisconnected);
  CHECK(host.all_sent().empty());
}

TEST_CASE("CM-03 CM-05: the REP of rping, and its passive side to the end (CM-06, CM-09)") {
  RpingServer linux;
  Host& host = linux.host;
  check_same(linux.sent, linux.rep, {kRepPsn, kRepDelay});
  host.receive(linux.rtu);
  host.program.event(UcmEvent::kEstablished);
  host.receive(linux.dreq);
  host.program.event(UcmEvent::kDisconnected);
  CHECK(host.program.disconnect(linux.id) == 0);
  check_same(host.sent(), linux.drep, {});
}

TEST_CASE("CM-06: the side that accepted disconnects first, as in ucmatose") {
  const auto all = datagrams_of("cm_ucmatose");
  Host host(0, 0x54A86D91);
  host.listen(7471);
  host.receive(all[0]);
  packet::Bytes rep;
  const std::uint32_t id = host.accepted(0x13, rep);
  check_same(rep, all[2], {kRepPsn, kRepDelay});
  host.receive(all[3]);
  host.program.event(UcmEvent::kEstablished);
  CHECK(host.program.disconnect(id) == 0);
  const packet::Bytes dreq = host.sent();
  check_same(dreq, all[6], {kTransaction});
  host.respond(all[8], dreq);
  host.program.event(UcmEvent::kDisconnected);
}

TEST_CASE("CM-02 CM-03: the header of each message, whatever its kind") {
  // Attribute IDs in the order of Message.
  constexpr std::uint8_t kAttributes[] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15,
                                          0x16, 0x17, 0x18, 0x19, 0x1A};
  const Message messages[] = {Req{},  Mra{},     Rej{},     Rep{}, Rtu{}, Dreq{},
                              Drep{}, SidrReq{}, SidrRep{}, Lap{}, Apr{}};
  for (std::size_t kind = 0; kind < std::size(messages); ++kind) {
    Message message = messages[kind];
    constexpr std::uint32_t kQpn = 0x123456;
    if (auto* req = std::get_if<Req>(&message)) req->qpn = kQpn;
    if (auto* rep = std::get_if<Rep>(&message)) rep->qpn = kQpn;
    if (auto* dreq = std::get_if<Dreq>(&message)) dreq->remote_qpn = kQpn;
    if (auto* lap = std::get_if<Lap>(&message)) lap->remote_qpn = kQpn;
    if (auto* reply = std::get_if<SidrRep>(&message)) reply->qpn = kQpn;
    const auto encoded = encode({0x0102030405060708, 0, message});
    CAPTURE(kind);
    REQUIRE(std::holds_alternative<MadBytes>(encoded));
    const auto& bytes = std::get<MadBytes>(encoded);
    const std::uint8_t expected[kBody] = {
        1, 7, 2, 3, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, kAttributes[kind], 0, 0, 0, 0, 0, 0};
    for (std::size_t at = 0; at < kBody; ++at) CHECK(bytes[at] == expected[at]);
  }
}

TEST_CASE("CM-06: an MRA names the message that it delays, and the time") {
  const Rping linux;
  Host host(0, linux.kServerId);
  host.listen(linux.kServicePort);
  host.receive(linux.req);
  host.receive(linux.req);  // the peer has not waited for the program
  const packet::Bytes mra = host.sent();
  CHECK(mra[17] == 0x11);
  CHECK(word(mra, 0) == linux.kServerId);
  CHECK(word(mra, 4) == linux.kClientId);
  CHECK((mra[kBody + 8] >> 6) == 0);   // the REQ
  CHECK((mra[kBody + 9] >> 3) == 24);  // 4.096 us x 2^24
}

TEST_CASE("CM-06 CM-12: the REJ for a port without listener") {
  const auto all = datagrams_of("cm_reject");
  Host host(0, 1);
  host.receive(all[0]);
  check_same(host.sent(), all[1], {});
  CHECK(host.counts().rejected == 1);

  Host client(1, word(all[0], 0));
  client.connect(9999, word(all[0], 32, 3));
  const packet::Bytes req = client.sent();
  check_same(req, all[0], {kTransaction, kReqPsn, kReqPath, kReqPort});
  client.respond(all[1], req);
  CHECK(client.program.event(UcmEvent::kRejected).status == 8);
}

TEST_CASE("CM-12: datagrams with a header that is not of this class get no response") {
  const Rping linux;
  Host host(0, linux.kServerId);
  host.listen(linux.kServicePort);
  const std::map<std::size_t, std::vector<std::uint8_t>> changes = {
      {0, {0, 2, 0x81}},           // base version
      {1, {0, 1, 3, 4, 0x81}},     // class
      {2, {0, 1, 3}},              // class version
      {3, {0, 1, 2, 0x81, 0x83}},  // method
      {16, {1, 0x80}},             // attribute
      {17, {0, 1, 0x0F, 0x1B, 0x20}}};
  unsigned sent = 0;
  for (const auto& [at, values] : changes) {
    for (const std::uint8_t value : values) {
      packet::Bytes bytes = linux.req;
      bytes[at] = value;
      host.receive(bytes);
      ++sent;
    }
  }
  host.receive(packet::Bytes(linux.req.begin(), linux.req.end() - 1));
  CHECK(host.all_sent().empty());
  CHECK_FALSE(host.program.has_event());
  CHECK(host.counts().malformed == sent + 1);
  host.receive(linux.req);
  host.program.event(UcmEvent::kConnectRequest);
}

TEST_CASE("CM-07: SIDR_REQ and SIDR_REP of udaddy") {
  const auto all = datagrams_of("cm_udaddy");
  const auto read = [](const packet::Bytes& bytes) {
    return std::get<Mad>(decode(bytes.data(), bytes.size())).message;
  };
  ManagerConfig config;
  config.first_id = word(all[0], 0);
  Manager client(config);
  SidrReq request = std::get<SidrReq>(read(all[0]));
  request.request_id = 0;
  CHECK(client.resolve(kToClient, request, 0) == config.first_id);
  auto outgoing = client.take_outgoing();
  REQUIRE(outgoing.size() == 1);
  check_same({outgoing[0].bytes.begin(), outgoing[0].bytes.end()}, all[0], {kTransaction});

  Manager server({});
  server.listen(request.service_id);
  server.receive(kToServer, all[0].data(), all[0].size(), 0);
  const auto news = server.take_deliveries();
  REQUIRE(news.size() == 1);
  SidrRep reply;  // the values as tshark shows them
  reply.qpn = word(all[1], 8, 3);
  reply.qkey = word(all[1], 20);
  CHECK(server.respond(news[0].id, {reply, 0}, 0));
  outgoing = server.take_outgoing();
  REQUIRE(outgoing.size() == 1);
  check_same({outgoing[0].bytes.begin(), outgoing[0].bytes.end()}, all[1], {});
}
