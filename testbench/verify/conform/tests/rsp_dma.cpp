// SPDX-License-Identifier: Apache-2.0
// Responder: host memory that fails.
#include "testbench/verify/conform/connection.hpp"

namespace roci::conform {
using namespace packet;

namespace {

/// Takes frames up to the first that is not poisoned; a packet whose payload could not be read may
/// leave with an ICRC that no receiver accepts.
std::optional<Frame> next_good(Connection& c) {
  while (auto frame = c.next()) {
    if (frame->parsed().icrc_ok) return frame;
  }
  return {};
}

}  // namespace

TEST("RSP-56", "a READ of memory that fails ends with NAK operational at its PSN") {
  for (const std::size_t bad : {0u, 600u}) {
    Connection c(dut);
    driver::MemoryRegion region(dut.pd(), 8192, driver::access::kAll);
    const Bytes data = payload_of(8192);
    std::copy(data.begin(), data.end(), region.data());
    dut.adapter().poison(region.address() + bad, 8);
    c.feed(
        c.from_peer(kRcReadRequest, c.rq(0)).ack_req().reth(region.address(), region.key(), 1000));
    // Responses after the failing one may have been sent before the failure is known.
    const std::uint32_t failing = c.rq(static_cast<unsigned>(bad / 256));
    for (;;) {
      const auto frame = next_good(c);
      require(frame.has_value(), "NAK operational", "silence");
      const Parsed p = frame->parsed();
      if (p.bth().opcode() == kRcAck) {
        same("syndrome", p.aeth().syndrome(), kNakOperational);
        same("PSN", p.bth().psn(), failing);
        break;
      }
      require(p.bth().psn() != failing, "no response at the failing PSN", "one");
      const std::size_t at = 256 * ((p.bth().psn() - c.rq(0)) & 0xFFFFFF);
      const std::size_t bytes = std::min<std::size_t>(256, 1000 - at);
      require(at < 1000 && p.payload == packet::ByteView(data.data() + at, bytes),
              "bytes of the region", "others at byte " + std::to_string(at));
    }
    c.is_in(QpState::kErr);
  }
}

TEST("RSP-56", "a WRITE or SEND into memory that fails ends with NAK operational") {
  for (const std::uint8_t opcode : {kRcWriteOnly, kRcSendOnly}) {
    Connection c(dut);
    driver::MemoryRegion region(dut.pd(), 4096, driver::access::kAll);
    dut.adapter().poison(region.address(), 256);
    c.receive({region.sge(0, 256)});
    Builder request = c.send_request(opcode, c.rq(0), payload_of(200));
    if (opcode == kRcWriteOnly) request.reth(region.address(), region.key(), 200);
    c.feed(request);
    c.expect(acknowledge(kNakOperational, c.rq(0)));
    const auto done = c.receive_cq().wait(100_us);
    require_error(done, "an error or flush of the receive");
    c.is_in(QpState::kErr);
  }
}

TEST_THAT_NEEDS(with(layout::Option::kAtomics), "RSP-56",
                "an atomic on memory that fails ends with NAK operational") {
  Connection c(dut);
  driver::MemoryRegion region(dut.pd(), 4096, driver::access::kAll);
  dut.adapter().poison(region.address(), 64);
  c.feed(
      c.from_peer(kRcFetchAdd, c.rq(0)).ack_req().atomic_eth(region.address(), region.key(), 1, 0));
  c.expect(acknowledge(kNakOperational, c.rq(0)));
  c.is_in(QpState::kErr);
}

}  // namespace roci::conform
