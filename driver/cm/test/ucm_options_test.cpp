// SPDX-License-Identifier: Apache-2.0
// Options of a connection that librdmacm passes on.
#include <doctest/doctest.h>
#include <infiniband/verbs.h>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/test/ucm_program.hpp"

using namespace roci::cm;

TEST_CASE("options of enhanced connection establishment (ECE) pass both ways") {
  Fabric fabric;
  Program server(fabric, 0), client(fabric, 1);
  const std::uint32_t listener = server.create(10);
  CHECK(server.bind(listener, kAny) == 0);
  CHECK(server.listen(listener) == 0);
  rdma_ucm_connect command{};
  command.id = resolved(client, 20);
  command.conn_param = Program::param(0x202, "");
  command.ece = {0x15B3, 0x80000001};
  CHECK(client.send(RDMA_USER_CM_CMD_CONNECT, command) == 0);
  const rdma_ucm_event_resp request = server.event(UcmEvent::kConnectRequest);
  CHECK(request.ece.vendor_id == 0x15B3);
  CHECK(request.ece.attr_mod == 0x80000001);
  rdma_ucm_accept accept{};
  accept.id = request.id;
  accept.uid = 11;
  accept.conn_param = Program::param(0x101, "");
  accept.ece = {0x00C0DE, 0x7654321};
  CHECK(server.send(RDMA_USER_CM_CMD_ACCEPT, accept) == 0);
  const rdma_ucm_event_resp reply = client.event(UcmEvent::kConnectResponse);
  CHECK(reply.ece.vendor_id == 0x00C0DE);
  CHECK(reply.ece.attr_mod == 0x7654321);
}
