// SPDX-License-Identifier: Apache-2.0
// The statements CM-09 to CM-11 and CM-13 of docs/conformance.md: what follows from the messages.
#include "driver/cm/test/captured_host.hpp"

using namespace roci;
using namespace roci::cm;

namespace {

/// PSN of the first packet with this opcode in the conversation of rping.
std::uint32_t first_psn(std::uint8_t opcode) {
  for (const packet::CapturedFrame& frame : frames_of("cm_rping")) {
    const packet::Parsed parsed = packet::parse(frame.bytes);
    if (parsed.ok() && parsed.bth().opcode() == opcode) return parsed.bth().psn();
  }
  return 0;
}

}  // namespace

TEST_CASE("CM-09: data on the queue pair stands for an RTU that was lost") {
  RpingServer linux;
  Host& host = linux.host;
  const rdma_ucm_notify arrived{linux.id, IBV_EVENT_COMM_EST};
  CHECK(host.program.send(RDMA_USER_CM_CMD_NOTIFY, arrived) == 0);
  host.program.event(UcmEvent::kEstablished);
  host.receive(linux.rtu);
  CHECK_FALSE(host.program.has_event());
  host.receive(linux.dreq);
  host.program.event(UcmEvent::kDisconnected);
}

TEST_CASE("CM-10: a REQ without response is retransmitted, 15 times, and withdrawn") {
  const Rping linux;
  Host host(1, linux.kClientId);
  host.connect(linux.kServicePort, linux.kClientQpn);
  const packet::Bytes req = host.sent();
  constexpr Time kResponse = Time{4096} << 20;  // remote CM response timeout of the REQ
  for (unsigned i = 0; i < 15; ++i) {
    const Time before = host.fabric.now;
    host.expire();
    CHECK(host.sent() == req);
    CHECK(host.fabric.now - before >= kResponse);
    CHECK(host.fabric.now - before < 2 * kResponse);
  }
  CHECK_FALSE(host.program.has_event());
  host.expire();
  const packet::Bytes rej = host.sent();
  CHECK(rej[17] == 0x12);
  CHECK(word(rej, 10, 2) == 4);  // timeout
  host.program.event(UcmEvent::kUnreachable);
  CHECK(host.ucm().manager().size() == 0);
}

TEST_CASE("CM-10: the first REQ and the first RTU are lost; the connection is made once") {
  const Rping linux;
  Host client(1, linux.kClientId);
  const std::uint32_t id = client.connect(linux.kServicePort, linux.kClientQpn);
  client.sent();  // lost
  client.expire();
  const packet::Bytes req = client.sent();
  client.respond(linux.rep, req);
  client.program.event(UcmEvent::kConnectResponse);
  CHECK(client.program.ready(id) == 0);
  const packet::Bytes rtu = client.sent();  // lost
  client.respond(linux.rep, req);
  CHECK(client.sent() == rtu);
  CHECK_FALSE(client.program.has_event());

  RpingServer passive;
  Host& server = passive.host;
  server.receive(linux.req);
  CHECK(server.sent() == passive.sent);
  server.expire();
  CHECK(server.sent() == passive.sent);
  server.receive(linux.rtu);
  server.program.event(UcmEvent::kEstablished);
  CHECK_FALSE(server.program.has_event());
  CHECK(server.ucm().manager().size() == 1);
}

TEST_CASE("CM-11: the attributes of a queue pair follow from REQ and REP") {
  const Rping linux;
  Host server(0, linux.kServerId);
  server.listen(linux.kServicePort);
  packet::Bytes req = linux.req;
  req[kBody + 35] = 1;  // the client serves one READ at a time, and asks for four of its own
  req[kBody + 39] = 4;
  server.receive(req);
  const std::uint32_t id = server.program.event(UcmEvent::kConnectRequest).id;
  server.accept(id, linux.kServerQpn, 4);
  const packet::Bytes reply = server.sent();
  const ib_uverbs_qp_attr rtr = server.program.attributes(id, IBV_QPS_RTR);
  CHECK(rtr.dest_qp_num == word(linux.req, 32, 3));
  CHECK(rtr.rq_psn == word(reply, 20, 3));
  CHECK(rtr.path_mtu == (linux.req[kBody + 50] >> 4));
  CHECK(rtr.max_dest_rd_atomic == 4);
  const ib_uverbs_qp_attr rts = server.program.attributes(id, IBV_QPS_RTS);
  CHECK(rts.sq_psn == word(linux.req, 44, 3));
  CHECK(rts.max_rd_atomic == 1);
  CHECK(rts.retry_cnt == (linux.req[kBody + 47] & 7));
  CHECK(rts.rnr_retry == (linux.req[kBody + 50] & 7));
  CHECK(rts.timeout == (linux.req[kBody + 95] >> 3));

  Host client(1, linux.kClientId);
  const std::uint32_t active = client.connect(linux.kServicePort, linux.kClientQpn, 2);
  packet::Bytes rep = linux.rep;
  rep[kBody + 24] = 4;  // more than the client asked for
  const packet::Bytes request = client.sent();
  client.respond(rep, request);
  client.program.event(UcmEvent::kConnectResponse);
  const ib_uverbs_qp_attr theirs = client.program.attributes(active, IBV_QPS_RTR);
  CHECK(theirs.dest_qp_num == word(linux.rep, 12, 3));
  CHECK(theirs.rq_psn == word(request, 44, 3));
  // The client of Linux began to send with this PSN, its server with that of the REQ.
  CHECK(client.program.attributes(active, IBV_QPS_RTS).sq_psn == first_psn(packet::kRcSendOnly));
  CHECK(rts.sq_psn == first_psn(packet::kRcReadRequest));
  CHECK(client.program.attributes(active, IBV_QPS_RTS).max_rd_atomic == 2);
  CHECK(client.program.attributes(active, IBV_QPS_RTS).rnr_retry == (linux.rep[kBody + 27] >> 5));
}

TEST_CASE("CM-13: TIMEWAIT holds the queue pair of the peer") {
  RpingServer linux;
  Host& host = linux.host;
  host.receive(linux.rtu);
  host.receive(linux.dreq);
  CHECK(host.program.disconnect(linux.id) == 0);
  host.all_sent();
  packet::Bytes again = linux.req;  // another connection of the same queue pair
  again[8] ^= 1;
  again[kBody] ^= 1;
  host.receive(again);
  const packet::Bytes rej = host.sent();
  CHECK(rej[17] == 0x12);
  CHECK(word(rej, 10, 2) == 10);  // stale connection
  CHECK(host.ucm().deadline() - host.fabric.now >= Time{4096} << kCapturedAckTimeout);
  host.expire();
  while (host.program.has_event()) {
  }
  host.receive(again);
  host.program.event(UcmEvent::kConnectRequest);
}
