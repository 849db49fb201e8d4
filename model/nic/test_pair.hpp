// SPDX-License-Identifier: Apache-2.0
// Test bench with a connected queue pair.
#pragma once

#include "model/nic/test_bench.hpp"

namespace roci::nic::test {

inline constexpr std::uint32_t kKey = 0x133;
inline constexpr std::uint32_t kQp = 5;
inline constexpr std::uint64_t kData = 0x100000;
inline constexpr packet::Mac kOwnMac = 0x525400000001, kPeerMac = 0x525400000002;
inline constexpr std::uint32_t kOwnIp = 0x0A000001, kPeerIp = 0x0A000002;

/// A bench with a connected queue pair whose peer is the test.
struct Pair : Bench {
  explicit Pair(bool srq = false, bool credits = false) {
    region(kKey, 0, kMemory, 0);
    row(layout::Table::kQpAttr, kQp,
        {{layout::qp_attr::pd, kPd},
         {layout::qp_attr::pasid, kPasid},
         {layout::qp_attr::access, 0xE},
         {layout::qp_attr::pmtu, 1},
         {layout::qp_attr::retry_cnt, 3},
         {layout::qp_attr::rnr_retry, 3},
         {layout::qp_attr::timeout, 4},
         {layout::qp_attr::min_rnr_timer, 12},
         {layout::qp_attr::max_rd_atomic, 4},
         {layout::qp_attr::max_dest_rd_atomic, 4},
         {layout::qp_attr::sq_base, kSq},
         {layout::qp_attr::sq_log, kLog},
         {layout::qp_attr::rq_base, kRq},
         {layout::qp_attr::rq_log, kLog},
         {layout::qp_attr::sq_psn, 100},
         {layout::qp_attr::rq_psn, 200},
         {layout::qp_attr::srq, srq},
         {layout::qp_attr::credits, credits}});
    row(layout::Table::kAv, kQp,
        {{layout::av::dst_mac, kPeerMac},
         {layout::av::src_mac, kOwnMac},
         {layout::av::dst_ip, kPeerIp},
         {layout::av::src_ip, kOwnIp},
         {layout::av::hop_limit, 64},
         {layout::av::src_port, 0xC123},
         {layout::av::pkey, 0xFFFF},
         {layout::av::dest_qpn, kPeer}});
    for (const QpState next : {QpState::kInit, QpState::kRtr, QpState::kRts}) state(kQp, next);
  }
  packet::Builder frame(std::uint8_t opcode, std::uint32_t psn) {
    return packet::Builder()
        .ethernet(kOwnMac, kPeerMac)
        .ipv4(kPeerIp, kOwnIp)
        .bth(opcode, kQp, Psn(psn))
        .ack_req();
  }
  void feed(const packet::Builder& builder) { nic.receive(builder.build()); }
  void ack(std::uint32_t psn, std::uint8_t syndrome = 0x1F, std::uint32_t msn = 0) {
    feed(frame(packet::kRcAck, psn).ack_req(false).aeth(syndrome, msn));
  }
  /// Posts a work request of `bytes` to the send queue.
  void post(WrOp op, std::uint32_t bytes, bool signaled = true) {
    fill_in(&memory.data[kSq + 64 * (posted % (1u << kLog))],
            {{layout::wqe::opcode, static_cast<std::uint64_t>(op)},
             {layout::wqe::signaled, signaled},
             {layout::wqe::num_sge, 1},
             {layout::wqe::length, bytes},
             {layout::wqe::sge0_addr, kData},
             {layout::wqe::sge0_length, bytes},
             {layout::wqe::sge0_lkey, kKey}});
    nic.write32(doorbell(kQp), ++posted);
  }
  void receive_posted(std::uint16_t count) {
    for (; received != count; ++received) {
      fill_in(&memory.data[kRq + 64 * (received % (1u << kLog))], {{layout::wqe::num_sge, 1},
                                                                   {layout::wqe::sge0_addr, kData},
                                                                   {layout::wqe::sge0_length, 256},
                                                                   {layout::wqe::sge0_lkey, kKey}});
    }
    nic.write32(doorbell(kQp) + 4, count);
  }
  void arm(std::uint16_t consumer, bool solicited) {
    namespace cq_arm = layout::reg::cq_arm;
    nic.write32(layout::cq_arm_doorbell_offset(0),
                layout::bits(cq_arm::index, consumer) | layout::bits(cq_arm::solicited, solicited));
  }
  void small_cq(unsigned log) {
    row(layout::Table::kCq, 0,
        {{layout::cq::valid, 1},
         {layout::cq::pasid, kPasid},
         {layout::cq::base, kCqRing},
         {layout::cq::log, log}});
  }
  std::uint16_t posted = 0, received = 0;
};

}  // namespace roci::nic::test
