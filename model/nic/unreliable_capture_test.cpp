// SPDX-License-Identifier: Apache-2.0
// Compares UC and UD with captures of Soft-RoCE: what was delivered, and the datagrams themselves.
#include <algorithm>

#include "model/nic/captures.hpp"
#include "model/spec/layout/queues.hpp"

using namespace roci::nic;
using namespace roci::nic::test;
using roci::packet::Ext;
namespace packet = roci::packet;
namespace layout = roci::layout;

namespace {

constexpr std::uint32_t kReceiveBytes = 0x4000;
constexpr unsigned kReceives = 150, kUcCode = 1, kUdCode = 3;
constexpr std::size_t kGrh = 40;

Sizes sizes() {
  Sizes sizes;
  sizes.log_qps = 12;
  sizes.log_keys = 18;
  return sizes;
}

std::uint64_t buffer(unsigned i) { return kData + std::uint64_t{i} * kReceiveBytes; }

/// A queue pair of the service in place of the captured one, with receives.
void receive_as(Bench* bench, const Conversation& c, Service service, std::uint32_t qkey = 0) {
  bench->region(kOwnKey, 0, Bench::kMemory, 0, 1);
  bench->row(
      layout::Table::kQpService, c.responder,
      {{layout::qp_service::service, layout::number(service)}, {layout::qp_service::qkey, qkey}});
  connect(bench, c, c.responder, false, 0x123);
  for (unsigned i = 0; i < kReceives; ++i) {
    fill_in(&bench->memory.data[Bench::kRq + 64 * i], {{layout::wqe::num_sge, 1},
                                                       {layout::wqe::sge0_addr, buffer(i)},
                                                       {layout::wqe::sge0_length, kReceiveBytes},
                                                       {layout::wqe::sge0_lkey, kOwnKey}});
  }
  bench->nic.write32(bench->doorbell(c.responder) + 4, kReceives);
}

void own_gid(Bench* bench, const Conversation& c) {
  Row row{};
  const packet::Gid gid = c.first.dst();
  layout::put_memory(row.data(), {0, 64}, layout::get_wire(gid.data(), {64, 64}));
  layout::put_memory(row.data(), {64, 64}, layout::get_wire(gid.data(), {0, 64}));
  layout::put(row.data(), layout::gid::valid, true);
  bench->raw_row(layout::Table::kGid, 3, row);
}

std::uint32_t counter(Bench* bench, layout::PortCounter which) {
  bench->nic.write32(layout::reg::kCounterSelect, layout::number(which));
  return bench->nic.read32(layout::reg::kCounterLo);
}

Bytes bytes_at(const Bench& bench, std::uint64_t at, std::size_t count) {
  return Bytes(&bench.memory.data[at], &bench.memory.data[at] + count);
}

void deliver_datagrams(const std::string& name) {
  CAPTURE(name);
  const Conversation c = conversation_of(name, kUdCode);
  Bench bench(sizes());
  const std::uint32_t qkey = c.first.deth().qkey();
  own_gid(&bench, c);
  receive_as(&bench, c, Service::kUd, qkey);
  unsigned delivered = 0, violations = 0;
  for (const Parsed& p : c.packets) {
    bench.nic.receive(p.frame);
    CHECK(bench.take().empty());
    const std::vector<Cqe> done = bench.completions();
    violations += p.deth().qkey() != qkey;
    CHECK(counter(&bench, layout::PortCounter::kQkeyViolations) == violations);
    if (p.deth().qkey() != qkey) {
      CHECK(done.empty());
      continue;
    }
    REQUIRE(done.size() == 1);
    CHECK(done[0].status == Status::kSuccess);
    CHECK(done[0].index == delivered);
    CHECK(done[0].byte_len == kGrh + p.payload.size);
    CHECK(done[0].with_imm == p.has(Ext::kImmDt));
    if (p.has(Ext::kImmDt)) CHECK(done[0].imm == p.imm_dt().immediate());
    CHECK(done[0].src_qp == p.deth().src_qp());
    CHECK(done[0].with_grh);
    const std::uint64_t at = buffer(delivered);
    const std::size_t header = p.ipv6 ? 40 : 20;
    CHECK(bytes_at(bench, at, kGrh - header) == Bytes(kGrh - header));
    CHECK(bytes_at(bench, at + kGrh - header, header) == p.frame.sub(p.ip_at, header).copy());
    CHECK(bytes_at(bench, at + kGrh, p.payload.size) == p.payload.copy());
    ++delivered;
  }
  CHECK(delivered != 0);
  CHECK(bench.state(c.responder) == QpState::kRts);
}

/// The bytes from BTH to payload, without what a sender may choose: MigReq.
Bytes transport_of(const Parsed& p) {
  Bytes copy = p.frame.sub(p.bth_at, p.icrc_at - p.bth_at).copy();
  packet::MutableBth(copy.data()).set_mig_req(false);
  return copy;
}

void send_datagrams(const std::string& name) {
  CAPTURE(name);
  const Conversation c = conversation_of(name, kUdCode);
  Bench bench(sizes());
  const std::uint32_t qpn = c.first.deth().src_qp();
  constexpr std::uint32_t kHandle = 9;
  bench.region(kOwnKey, 0, Bench::kMemory, 0, 0);
  bench.row(layout::Table::kQpService, qpn,
            {{layout::qp_service::service, layout::number(Service::kUd)},
             {layout::qp_service::qkey, 0x55AA55AA}});
  connect(&bench, c, qpn, true, 0);
  Row ah = address_row(c, true, 0);
  layout::put(ah.data(), layout::ah::pd, kPd);
  layout::put(ah.data(), layout::ah::valid, true);
  bench.raw_row(layout::Table::kAh, kHandle, ah);
  for (std::uint16_t i = 0; i < c.packets.size(); ++i) {
    const Parsed& p = c.packets[i];
    const std::uint64_t at = buffer(0);
    std::copy(p.payload.begin(), p.payload.end(), &bench.memory.data[at]);
    std::uint8_t* wqe = &bench.memory.data[Bench::kSq + 64 * i];
    fill_in(wqe, {{layout::wqe::opcode, p.has(Ext::kImmDt) ? 1 : 0},
                  {layout::wqe::signaled, 1},
                  {layout::wqe::solicited, p.bth().solicited()},
                  {layout::wqe::num_sge, 1},
                  {layout::wqe::imm, p.has(Ext::kImmDt) ? p.imm_dt().immediate() : 0},
                  {layout::wqe::length, p.payload.size},
                  {layout::ud_wqe::qkey, p.deth().qkey()},
                  {layout::ud_wqe::dest_qpn, p.bth().dest_qp()},
                  {layout::ud_wqe::ah, kHandle},
                  {layout::wqe::sge0_addr, at},
                  {layout::wqe::sge0_length, p.payload.size},
                  {layout::wqe::sge0_lkey, kOwnKey}});
    bench.nic.write32(bench.doorbell(qpn), i + 1u);
    const std::vector<Parsed> sent = bench.take();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].ok());
    CHECK(transport_of(sent[0]) == transport_of(p));
    CHECK(sent[0].src() == p.src());
    CHECK(sent[0].dst() == p.dst());
    const std::vector<Cqe> done = bench.completions();
    REQUIRE(done.size() == 1);
    CHECK(done[0].status == Status::kSuccess);
    CHECK(done[0].index == i);
  }
}

/// Feeds the packets of a UC conversation and compares each message with where it belongs.
void deliver_messages(const std::string& name) {
  CAPTURE(name);
  const Conversation c = conversation_of(name, kUcCode);
  Bench bench(sizes());
  receive_as(&bench, c, Service::kUc);
  std::uint64_t base = ~std::uint64_t{0};
  for (const Parsed& p : c.packets) {
    if (p.has(Ext::kReth) && p.reth().dma_length() != 0) base = std::min(base, p.reth().va());
  }
  for (const Parsed& p : c.packets) {
    if (p.has(Ext::kReth)) bench.region(p.reth().rkey(), base, 0x20000, buffer(kReceives), 0x3);
  }
  unsigned used = 0;
  Bytes message;
  std::uint64_t at = 0;
  for (const Parsed& p : c.packets) {
    const bool write = (p.bth().opcode() & 0x1F) >= packet::kRcWriteFirst;
    if (p.op->start) {
      message.clear();
      at = write ? buffer(kReceives) + (p.reth().va() - base) : buffer(used);
    }
    message.insert(message.end(), p.payload.begin(), p.payload.end());
    bench.nic.receive(p.frame);
    CHECK(bench.take().empty());
    const std::vector<Cqe> done = bench.completions();
    const bool immediate = p.has(Ext::kImmDt);
    const bool completes = p.op->end && (!write || immediate);
    REQUIRE(done.size() == (completes ? 1 : 0));
    if (p.op->end && !message.empty()) CHECK(bytes_at(bench, at, message.size()) == message);
    if (!completes) continue;
    CHECK(done[0].status == Status::kSuccess);
    CHECK(done[0].index == used++);
    CHECK(done[0].byte_len == message.size());
    CHECK(done[0].with_imm == immediate);
    if (immediate) CHECK(done[0].imm == p.imm_dt().immediate());
  }
  CHECK(counter(&bench, layout::PortCounter::kDiscards) == 0);
}

}  // namespace

// UD-01, UD-03, UD-05 to UD-07
TEST_CASE(
    "captures: datagrams of Soft-RoCE are delivered with their header, a wrong Q_Key is not") {
  for (const char* name : {"ud_send", "ud_send_ipv6", "pp_ud", "perf_ud_send_lat"}) {
    deliver_datagrams(name);
  }
}

TEST_CASE("captures: work requests become the datagrams that Soft-RoCE made of them") {
  for (const char* name : {"ud_send", "ud_send_ipv6", "pp_ud", "perf_ud_send_lat"}) {
    send_datagrams(name);
  }
}

TEST_CASE("captures: messages of UC are delivered") {
  for (const char* name : {"uc_send_mtu256", "uc_send_mtu1024", "uc_send_mtu4096",
                           "uc_send_ipv6_mtu1024", "uc_write_mtu256", "uc_write_mtu1024",
                           "uc_writeimm_mtu1024", "pp_uc", "perf_uc_write_lat"}) {
    deliver_messages(name);
  }
}
