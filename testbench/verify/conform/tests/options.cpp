// SPDX-License-Identifier: Apache-2.0
// Engines without an option: what needs it is rejected and has no effect.
#include <optional>

#include "model/spec/layout/commands.hpp"
#include "testbench/verify/conform/tests/expect_nak.hpp"

namespace roci::conform {
using namespace packet;
using layout::Option;

namespace {

void unsupported(Fixture& dut, layout::AdminOp opcode, const driver::Body& body) {
  try {
    dut.context().execute(opcode, body, "a command");
  } catch (const driver::Error& error) {
    require(error.status() == driver::AdminStatus::kUnsupported, "Unsupported", error.what());
    return;
  }
  throw Failure("a command that is not supported", "success");
}

void rejects_post(Fixture& dut, driver::Opcode opcode) {
  Connection c(dut);
  driver::SendRequest request;
  request.opcode = opcode;
  request.sges = {dut.memory().sge(0, 8)};
  const driver::PostResult result = c.qp().post_send(&request, 1);
  require(result.error == driver::PostError::kUnsupported, "a work request that is not supported",
          "another outcome");
  c.no_completion(1_us);
}

}  // namespace

TEST_THAT_NEEDS(without(Option::kAtomics), "RSP-57", "without atomics they are invalid requests") {
  for (const std::uint8_t opcode : {kRcFetchAdd, kRcCmpSwap}) {
    Connection c(dut);
    const Untouched memory(dut);
    const Builder request = c.from_peer(opcode, c.rq(0))
                                .ack_req()
                                .atomic_eth(dut.target_address(0), dut.memory().key(), 1, 0);
    expect_nak(c, {request}, kNakInvalid, c.rq(0), "an atomic");
    memory.check("an atomic");
  }
  rejects_post(dut, driver::Opcode::kFetchAdd);
  rejects_post(dut, driver::Opcode::kCmpSwap);
}

TEST_THAT_NEEDS(without(Option::kKeyOps), "RSP-57",
                "without key operations they are not supported") {
  for (const std::uint8_t opcode : {kRcSendOnlyInv, kRcSendLastInv}) {
    Connection c(dut);
    const Untouched memory(dut);
    c.receive(1024);
    std::vector<Builder> packets;
    if (opcode == kRcSendLastInv) {
      packets.push_back(c.send_request(kRcSendFirst, c.rq(0), payload_of(256)));
    }
    const std::uint32_t psn = c.rq(static_cast<unsigned>(packets.size()));
    packets.push_back(c.send_request(opcode, psn, payload_of(10)));
    packets.back().ieth(0x1234);
    expect_nak(c, packets, kNakInvalid, psn, "a SEND with invalidate");
  }
  unsupported(dut, layout::AdminOp::kAllocMw, driver::Body());
  unsupported(dut, layout::AdminOp::kAllocFastMr, driver::Body());
  rejects_post(dut, driver::Opcode::kLocalInv);
}

TEST_THAT_NEEDS(without(Option::kSrq), "RSP-57", "without SRQs none is made") {
  unsupported(dut, layout::AdminOp::kCreateSrq, driver::Body());
}

TEST_THAT_NEEDS(without(Option::kQpCounters), "RSP-57",
                "without counters of queue pairs none is read") {
  Connection c(dut);
  unsupported(dut, layout::AdminOp::kQueryCounters,
              driver::Body().put(layout::query_counters::of_qp, 1));
}

TEST_THAT_NEEDS(without(Option::kNetworks), "RSP-57",
                "without other networks GIDs are untagged IPv4") {
  for (const bool tagged : {false, true}) {
    const driver::Gid gid = tagged ? driver::gid_of_ipv4(0x0A000063) : driver::Gid{0xFE, 0x80};
    try {
      dut.context().set_gid(3, gid, tagged ? std::optional<std::uint16_t>(5) : std::nullopt);
    } catch (const driver::Error& error) {
      require(error.status() == driver::AdminStatus::kUnsupported, "Unsupported", error.what());
      continue;
    }
    throw Failure("a GID that is not supported", "success");
  }
}

}  // namespace roci::conform
