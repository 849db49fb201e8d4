// SPDX-License-Identifier: Apache-2.0
// Compares the requester with captures of Soft-RoCE: the work requests that the capture implies and
// the captured responses must produce the captured packets.
#include "model/nic/captures.hpp"
#include "model/spec/layout/queues.hpp"

using namespace roci::nic;
using namespace roci::nic::test;
using roci::packet::Ext;
namespace packet = roci::packet;
namespace layout = roci::layout;

namespace {

constexpr std::uint32_t kSendKey = 0x1100;

/// The work request that a message of the capture came from; its payload goes to host memory.
struct Posted {
  std::uint8_t opcode = 0;
  std::uint64_t remote = 0, swap_add = 0, compare = 0, bytes = 0;
  std::uint32_t rkey = 0, imm = 0;
  bool solicited = false;
};

WrOp operation_of(std::uint8_t opcode) {
  switch (opcode) {
    case packet::kRcSendLast:
    case packet::kRcSendOnly:
      return WrOp::kSend;
    case packet::kRcSendLastImm:
    case packet::kRcSendOnlyImm:
      return WrOp::kSendImm;
    case packet::kRcSendLastInv:
    case packet::kRcSendOnlyInv:
      return WrOp::kSendInv;
    case packet::kRcWriteLast:
    case packet::kRcWriteOnly:
      return WrOp::kWrite;
    case packet::kRcWriteLastImm:
    case packet::kRcWriteOnlyImm:
      return WrOp::kWriteImm;
    case packet::kRcReadRequest:
      return WrOp::kRead;
    case packet::kRcCmpSwap:
      return WrOp::kCmpSwap;
    default:
      return WrOp::kFetchAdd;
  }
}

/// Describes a request without the fields that a sender may choose: identification, AckReq, MigReq
/// and the checksums.
std::string request_of(const Parsed& p) {
  Bytes copy = p.frame.sub(0, p.icrc_at).copy();
  if (!p.ipv6) {
    packet::MutableIpv4 ip(&copy[p.ip_at]);
    ip.set_identification(0);
    ip.set_checksum(0);
  }
  packet::MutableBth bth(&copy[p.bth_at]);
  bth.set_ack_req(false);
  bth.set_mig_req(false);
  std::string text = describe(p) + ":";
  for (const std::uint8_t byte : copy) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void send_as_captured(const std::string& name, Service service = Service::kRc) {
  CAPTURE(name);
  const Conversation c = conversation_of(name, service == Service::kUc ? 1 : 0);
  constexpr std::uint32_t kQp = 0x77;
  Bench bench;
  bench.region(kSendKey, 0, Bench::kMemory, 0, 0x1F);
  bench.row(layout::Table::kQpService, kQp,
            {{layout::qp_service::service, layout::number(service)}});
  connect(&bench, c, kQp, true, c.responder);

  std::vector<Posted> posted;
  std::uint64_t at = kData;
  Posted message;
  for (const Parsed& p : c.packets) {
    if (p.op->response) continue;
    std::copy(p.payload.begin(), p.payload.end(), &bench.memory.data[at + message.bytes]);
    message.bytes += p.payload.size;
    if (p.has(Ext::kReth)) {
      message.remote = p.reth().va();
      message.rkey = p.reth().rkey();
    }
    if (!p.op->end) continue;
    message.solicited = p.bth().solicited();
    if (p.has(Ext::kImmDt)) message.imm = p.imm_dt().immediate();
    if (p.has(Ext::kIeth)) message.imm = p.ieth().rkey();
    if (p.bth().opcode() == packet::kRcReadRequest) message.bytes = p.reth().dma_length();
    if (p.has(Ext::kAtomicEth)) {
      message.bytes = 8;
      message.remote = p.atomic_eth().va();
      message.rkey = p.atomic_eth().rkey();
      message.swap_add = p.atomic_eth().swap_add();
      message.compare = p.atomic_eth().compare();
    }
    fill_in(
        &bench.memory.data[Bench::kSq + 64 * posted.size()],
        {{layout::wqe::opcode, static_cast<std::uint64_t>(operation_of(p.bth().opcode() & 0x1F))},
         {layout::wqe::signaled, 1},
         {layout::wqe::solicited, message.solicited},
         {layout::wqe::num_sge, 1},
         {layout::wqe::imm, message.imm},
         {layout::wqe::length, message.bytes},
         {layout::wqe::rkey, message.rkey},
         {layout::wqe::remote_addr, message.remote},
         {layout::wqe::swap_add, message.swap_add},
         {layout::wqe::compare, message.compare},
         {layout::wqe::sge0_addr, at},
         {layout::wqe::sge0_length, message.bytes},
         {layout::wqe::sge0_lkey, kSendKey}});
    posted.push_back(message);
    at += (message.bytes + 63) / 64 * 64;
    REQUIRE(at < Bench::kMemory);
    message = Posted{};
  }

  bench.nic.write32(bench.doorbell(kQp), static_cast<std::uint32_t>(posted.size()));
  std::vector<Bytes> got;
  const auto collect = [&] {
    static_cast<void>(bench.take());
    for (Bytes& frame : bench.seen) got.push_back(std::move(frame));
  };
  collect();
  std::size_t requests = 0;
  for (const Parsed& p : c.packets) {
    if (!p.op->response) {
      CAPTURE(requests);
      REQUIRE(requests < got.size());
      const Parsed mine = packet::parse(got[requests]);
      CHECK(mine.ok());
      CHECK(request_of(mine) == request_of(p));
      ++requests;
    } else {
      Bytes response = p.frame.copy();
      packet::MutableBth(&response[p.bth_at])
          .set_dest_qp(kQp);  // the number of the bench's queue pair
      REQUIRE(packet::seal(&response));
      bench.nic.receive(response);
      collect();
    }
  }
  CHECK(requests == got.size());
  const std::vector<Cqe> done = bench.completions();
  CHECK(done.size() == posted.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    CHECK(done[i].status == Status::kSuccess);
    CHECK(done[i].index == i);
  }
}

}  // namespace

// RQ-01 to RQ-06, RQ-12, RQ-15, RQ-41, RQ-45, WIRE-09, WIRE-19, WIRE-29 to WIRE-32, WIRE-41
TEST_CASE("captures: work requests become the packets that Soft-RoCE made of them") {
  for (const char* name : kWithoutLoss) {
    send_as_captured(name);
  }
}

// UC-01; the sends complete although nobody responds.
TEST_CASE("captures: work requests of UC become the packets that Soft-RoCE made of them") {
  for (const char* name :
       {"uc_send_mtu256", "uc_send_mtu1024", "uc_send_mtu4096", "uc_send_ipv6_mtu1024",
        "uc_write_mtu256", "uc_write_mtu1024", "uc_writeimm_mtu1024", "pp_uc"}) {
    send_as_captured(name, Service::kUc);
  }
}
