// SPDX-License-Identifier: Apache-2.0
// Compares the responder with captures of Soft-RoCE: every captured request must get the captured
// response.
#include <map>

#include "model/nic/captures.hpp"
#include "model/spec/layout/queues.hpp"

using namespace roci::nic;
using namespace roci::nic::test;
using roci::packet::Ext;
namespace packet = roci::packet;
namespace layout = roci::layout;

namespace {

/// Host memory for the addresses that the requests of a conversation name.
struct RemoteMemory {
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t place(std::uint64_t va) const { return kData + (va - base); }
};

RemoteMemory remote_memory(Bench* bench, const Conversation& c) {
  RemoteMemory memory;
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  std::map<std::uint32_t, bool> keys;
  for (const Parsed& p : c.packets) {
    const bool reth = p.has(Ext::kReth);
    if (!reth && !p.has(Ext::kAtomicEth)) continue;
    const std::uint64_t va = reth ? p.reth().va() : p.atomic_eth().va();
    const std::uint64_t bytes = reth ? p.reth().dma_length() : 8;
    if (bytes == 0) continue;
    first = std::min(first, va);
    last = std::max(last, va + bytes);
    keys[reth ? p.reth().rkey() : p.atomic_eth().rkey()] = true;
  }
  if (keys.empty()) return memory;
  memory = {first, last - first};
  REQUIRE(memory.bytes < Bench::kMemory - kData);
  for (const auto& [key, unused] : keys) bench->region(key, memory.base, memory.bytes, kData, 0xF);
  return memory;
}

/// Sets memory to its content before the first packet, which the responses show.
void remember_responses(Bench* bench, const Conversation& c, const RemoteMemory& memory) {
  std::map<std::uint32_t, std::uint64_t> places;  // addresses of READ and atomic responses by PSN
  const std::uint32_t pmtu = 128u << c.pmtu_code;
  bool seeded = false;
  for (const Parsed& p : c.packets) {
    const std::uint32_t psn = p.bth().psn();
    if (p.bth().opcode() == packet::kRcReadRequest) {
      for (std::uint64_t at = 0, i = 0; at < p.reth().dma_length(); at += pmtu, ++i) {
        places[(psn + i) & 0xFFFFFF] = memory.place(p.reth().va() + at);
      }
    } else if (p.has(Ext::kAtomicEth)) {
      places.emplace(psn, memory.place(p.atomic_eth().va()));
    } else if (p.has(Ext::kAtomicAckEth) && !seeded && places.count(psn) != 0) {
      bench->memory.put(places[psn], p.atomic_ack_eth().original());
      seeded = true;
    } else if (p.op->response && p.payload.size != 0 && places.count(psn) != 0) {
      std::copy(p.payload.begin(), p.payload.end(), &bench->memory.data[places[psn]]);
    }
  }
}

void respond_as_captured(const std::string& name) {
  CAPTURE(name);
  const Conversation c = conversation_of(name);
  Sizes sizes;
  sizes.log_keys = 18;
  Bench bench(sizes);
  std::uint32_t peer = 0x123;
  for (const Parsed& p : c.packets) {
    if (p.op->response) peer = p.bth().dest_qp();
  }
  const RemoteMemory memory = remote_memory(&bench, c);
  remember_responses(&bench, c, memory);
  bench.region(kOwnKey, 0, Bench::kMemory, 0, 1);
  connect(&bench, c, c.responder, false, peer);
  constexpr unsigned kReceives = 256;
  for (unsigned i = 0; i < kReceives; ++i) {
    fill_in(&bench.memory.data[Bench::kRq + 64 * i], {{layout::wqe::num_sge, 1},
                                                      {layout::wqe::sge0_addr, kData},
                                                      {layout::wqe::sge0_length, 0x80000},
                                                      {layout::wqe::sge0_lkey, kOwnKey}});
  }
  bench.nic.write32(bench.doorbell(c.responder) + 4, kReceives);

  std::vector<Parsed> expected;
  for (const Parsed& p : c.packets) {
    if (p.op->response) expected.push_back(p);
  }
  std::size_t next = 0;
  for (const Parsed& p : c.packets) {
    if (p.op->response) continue;
    bench.nic.receive(p.frame);
    for (const Parsed& response : bench.take()) {
      CAPTURE(next);
      CHECK(response.ok());
      CHECK(response.bth().dest_qp() == peer);
      if (next == expected.size()) {
        FAIL_CHECK("one more: " << describe(response));
        return;
      }
      CHECK(describe(response) == describe(expected[next]));
      CHECK(response.payload == expected[next].payload);
      ++next;
    }
  }
  CHECK(next == expected.size());
}

}  // namespace

// RSP-01, RSP-07, RSP-10, RSP-13, RSP-14, RSP-18, RSP-19, RSP-32, RSP-33, RSP-40, WIRE-29 to
// WIRE-32
TEST_CASE("captures: requests get the responses of Soft-RoCE") {
  for (const char* name : kWithoutLoss) {
    respond_as_captured(name);
  }
}

// RSP-06, RSP-07, RSP-43
TEST_CASE("captures: a request retransmitted after a lost response gets the captured response") {
  for (const char* name : {"loss_cas_ack", "loss_fadd_ack_depth1", "loss_send_ack",
                           "loss_send_ack_x3", "loss_write_ack_all"}) {
    respond_as_captured(name);
  }
}
