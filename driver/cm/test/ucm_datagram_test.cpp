// SPDX-License-Identifier: Apache-2.0
// Datagram services (RDMA_PS_UDP): what programs see, and SIDR_REQ and SIDR_REP beside those of
// Linux.
#include <doctest/doctest.h>
#include <infiniband/verbs.h>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/mad/ip.hpp"
#include "driver/cm/test/captures.hpp"
#include "driver/cm/test/ucm_program.hpp"

using namespace roci::cm;

namespace {

constexpr std::uint32_t kUdpQkey = 0x01234567;  // RDMA_UDP_QKEY of rdma_cma.h

/// The SIDR_REQ and SIDR_REP that `udaddy` of two Linux kernels exchanged.
struct Captured {
  std::vector<std::vector<std::uint8_t>> mads;
  Mad request, reply;
};

Captured udaddy() {
  Captured found;
  for (const auto& bytes : datagrams_of("cm_udaddy")) {
    const auto mad = decode(bytes.data(), bytes.size());
    REQUIRE(std::holds_alternative<Mad>(mad));
    const Mad& one = std::get<Mad>(mad);
    if (std::holds_alternative<SidrReq>(one.message)) {
      found.request = one;
    } else if (std::holds_alternative<SidrRep>(one.message)) {
      found.reply = one;
    } else {
      continue;
    }
    found.mads.push_back(bytes);
  }
  REQUIRE(found.mads.size() == 2);
  return found;
}

std::uint32_t listening(Program& server, std::uint16_t port = kPort, std::uint32_t backlog = 4) {
  const std::uint32_t listener = server.create(10, RDMA_PS_UDP);
  Endpoint any = kAny;
  any.port = port;
  CHECK(server.bind(listener, any) == 0);
  CHECK(server.listen(listener, backlog) == 0);
  return listener;
}

}  // namespace

TEST_CASE("a datagram service as udaddy uses it") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  listening(server);
  const std::uint32_t active = resolved(client, 20, kServer, RDMA_PS_UDP);
  const ib_uverbs_qp_attr init = client.attributes(active, IBV_QPS_INIT);
  CHECK(init.qp_attr_mask == (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
  CHECK(init.qkey == kUdpQkey);
  CHECK(client.connect(active, 0) == 0);
  const rdma_ucm_event_resp request = server.event(UcmEvent::kConnectRequest);
  CHECK(request.uid == 10);
  CHECK(request.param.ud.private_data_len == 180);
  CHECK(std::memcmp(request.param.ud.private_data, "hello", 6) == 0);
  CHECK(server.attributes(request.id, IBV_QPS_INIT).qkey == kUdpQkey);
  CHECK(server.accept(request.id, 11, 0x101) == 0);
  const rdma_ucm_event_resp response = client.event(UcmEvent::kEstablished);
  CHECK(response.uid == 20);
  CHECK(response.status == 0);
  CHECK(response.param.ud.qp_num == 0x101);
  CHECK(response.param.ud.qkey == kUdpQkey);
  CHECK(response.param.ud.private_data_len == 136);
  CHECK(std::memcmp(response.param.ud.private_data, "welcome", 8) == 0);
  CHECK(response.param.ud.ah_attr.is_global == 1);
  CHECK(response.param.ud.ah_attr.grh.dgid[15] == 1);
  CHECK_FALSE(server.has_event());
  client.destroy(active);
  server.destroy(request.id);
}

TEST_CASE("a service that rejects, or that nobody offers, is unreachable") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = listening(server);
  const std::uint32_t first = resolved(client, 20, kServer, RDMA_PS_UDP);
  CHECK(client.connect(first, 0) == 0);
  rdma_ucm_reject rejection{};
  rejection.id = server.event(UcmEvent::kConnectRequest).id;
  CHECK(server.send(RDMA_USER_CM_CMD_REJECT, rejection) == 0);
  CHECK(client.event(UcmEvent::kUnreachable).status ==
        static_cast<std::uint32_t>(SidrStatus::kRejected));
  server.destroy(listener);
  const std::uint32_t second = resolved(client, 21, kServer, RDMA_PS_UDP);
  CHECK(client.connect(second, 0) == 0);
  CHECK(client.event(UcmEvent::kUnreachable).status ==
        static_cast<std::uint32_t>(SidrStatus::kNotSupported));
}

TEST_CASE("a service of TCP's port space has the ports of its own") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  listening(server);
  const std::uint32_t connection = resolved(client, 20);
  CHECK(client.connect(connection, 0x202) == 0);
  client.event(UcmEvent::kRejected);
  const std::uint32_t other = server.create(12);
  CHECK(server.bind(other, kAny) == 0);
  CHECK(server.listen(other) == 0);
}

TEST_CASE("a lost SIDR_REQ is retransmitted; without a reply the service is unreachable") {
  Fabric fabric;
  Program client(fabric, 1);
  const std::uint32_t active = resolved(client, 20, kServer, RDMA_PS_UDP);
  rdma_ucm_connect command{};
  command.id = active;
  command.conn_param = Program::param(0, "");
  CHECK(client.bare(RDMA_USER_CM_CMD_CONNECT, command) == 0);
  unsigned sent = 0;
  for (unsigned i = 0; i < 40; ++i) {
    sent += client.ucm().take_outgoing().size();
    if (client.ucm().deadline() == kNever) break;
    fabric.now = client.ucm().deadline();
    client.ucm().expire(fabric.now);
  }
  CHECK(sent == 16);  // 15 retries, as Linux
  CHECK(client.event(UcmEvent::kUnreachable).status == static_cast<std::uint32_t>(-ETIMEDOUT));
}

TEST_CASE("a SIDR_REQ of Linux gets the SIDR_REP of Linux") {
  const Captured captured = udaddy();
  Fabric fabric;
  Program server(fabric, 0);
  const auto& request = std::get<SidrReq>(captured.request.message);
  const auto& reply = std::get<SidrRep>(captured.reply.message);
  const auto service = service_of(request.service_id);
  REQUIRE(service.has_value());
  CHECK(service->space == PortSpace::kUdp);
  listening(server, service->port);
  const MadPath path{0, 0, address(1), address(2)};
  server.ucm().receive(path, captured.mads[0].data(), captured.mads[0].size(), fabric.now);
  const rdma_ucm_event_resp event = server.event(UcmEvent::kConnectRequest);
  CHECK(std::equal(std::begin(request.private_data) + kIpHeaderBytes,
                   std::end(request.private_data), event.param.ud.private_data));
  rdma_ucm_accept accept{};
  accept.id = event.id;
  accept.conn_param = Program::param(reply.qpn, "");
  CHECK(server.bare(RDMA_USER_CM_CMD_ACCEPT, accept) == 0);
  const std::vector<Outgoing> out = server.ucm().take_outgoing();
  REQUIRE(out.size() == 1);
  CHECK(out[0].path.remote == address(2));
  CHECK(std::vector<std::uint8_t>(out[0].bytes.begin(), out[0].bytes.end()) == captured.mads[1]);
}
