// SPDX-License-Identifier: Apache-2.0
// Senders and receivers of datagrams for schedules.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "driver/address_handle.hpp"
#include "testbench/verify/faults/schedule_runner.hpp"

namespace roci::testbench::faults {

inline constexpr std::uint32_t kQkey = 0x01234567, kGroupQpn = 0xFFFFFF;
inline constexpr std::size_t kGrh = 40, kSlot = 4096 + 512;
inline constexpr unsigned kReceives = 8, kSlots = 2 * kReceives;
inline constexpr std::uint64_t kOld = 0x0D, kWaitNs = 1'000'000, kLateNs = 20'000;
// One, one of a few beats, the path MTU, none.
inline constexpr std::array<std::uint32_t, 5> kBytes = {1, 300, 4096, 0, 61};

inline ConnectionOptions ud() {
  ConnectionOptions options;
  options.qp.service = driver::Service::kUd;
  options.region_bytes = kSlots * kSlot;
  return options;
}

/// A side with queue pairs of UD in RTS.
struct Side : Endpoint {
  Side(Node& n, std::uint32_t psn, const ConnectionOptions& options = ud()) : Endpoint(n, options) {
    for (const auto& qp : qps) qp->open(kQkey, psn);
    fill(data(), region.size(), kOld);
  }
  driver::ReceiveRequest into(unsigned slot, std::size_t bytes = kSlot) {
    return {slot, {region.sge(slot * kSlot, bytes)}};
  }
};

/// A sender on node 0, and what it sends to queue pairs of node 1.
class Datagrams {
 public:
  Datagrams(ScheduleRunner& runner, std::uint32_t psn)
      : runner_(runner), self(runner.world().node(0), psn), psn_(psn) {}

  /// Names a destination: a queue pair, or a group.
  void to(std::uint32_t qpn, const driver::Gid& gid, std::uint64_t mac) {
    driver::Address address;
    address.dgid = gid;
    address.dst_mac = mac;
    handle_.emplace(self.pd, address);
    qpn_ = qpn;
  }
  void to(Side& peer, unsigned qp = 0) {
    to(peer.qp(qp).number(), peer.node.gid(), peer.node.mac());
  }

  driver::SendRequest work(unsigned message) {
    const std::uint32_t bytes = kBytes[message % kBytes.size()];
    const std::size_t at = message % kSlots * kSlot;
    fill(self.data(at), bytes, message + 1);
    driver::SendRequest r = request(Opcode::kSendImm, self, at, bytes, self, 0);
    r.id = r.imm = message;
    r.ah = handle_->number();
    r.remote_qpn = qpn_;
    r.qkey = kQkey;
    return r;
  }
  /// Sends messages, with one doorbell or each when the link is empty. All complete.
  void send(unsigned first, unsigned count, bool together = true) {
    std::vector<driver::SendRequest> list;
    for (unsigned i = first; i < first + count; ++i) list.push_back(work(i));
    const std::size_t step = together ? list.size() : 1;
    for (std::size_t at = 0; at < list.size(); at += step) {
      CHECK(self.qp().post_send(&list[at], step));
      for (std::size_t i = at; i < at + step; ++i) {
        INFO("UD-01: send ", list[i].id, " completes when it has left");
        const auto done = self.send_cq.wait(kWaitNs);
        REQUIRE(done);
        CHECK(done->id == list[i].id);
        CHECK(done->ok());
      }
      settle();
    }
  }
  void settle() {
    do {
      self.node.sleep(2 * kLateNs);
    } while (!runner_.world().link(0).empty());
  }
  /// A fault of the packet of a message.
  FaultRule& fault(FaultKind kind, unsigned message, std::uint64_t delay_ns = 0) {
    FaultRule rule;
    rule.kind = kind;
    rule.delay_ns = delay_ns;
    rule.qpn = qpn_;
    rule.psn = (psn_ + message) & 0xFFFFFF;
    rules().push_back(rule);
    return rules().back();
  }
  std::vector<FaultRule>& rules() { return runner_.world().link(0).faults().rules; }
  void faults_fired() {
    for (const FaultRule& rule : rules()) CHECK(rule.hits == 1);
    rules().clear();
  }

 private:
  ScheduleRunner& runner_;

 public:
  Side self;

 private:
  std::uint32_t psn_;
  std::uint32_t qpn_ = 0;
  std::optional<driver::AddressHandle> handle_;
};

/// The messages that must have arrived, in this order, each in the next receive.
inline void arrived(Side& peer, const std::vector<unsigned>& messages, std::uint32_t source,
                    unsigned* receive) {
  for (const unsigned message : messages) {
    const std::uint32_t bytes = kBytes[message % kBytes.size()];
    INFO("UD-05: message ", message, " arrives in receive ", *receive);
    const auto got = peer.receive_cq.poll();
    REQUIRE(got);
    CHECK(got->id == *receive);
    CHECK(got->ok());
    CHECK(got->imm == message);
    CHECK(got->byte_len == kGrh + bytes);
    CHECK(got->src_qp == source);
    CHECK(got->with_grh);
    const std::size_t at = *receive * kSlot, end = kGrh + bytes;
    CHECK(first_wrong(peer.data(at + kGrh), bytes, message + 1) == bytes);
    INFO("no byte after it is written");
    CHECK(first_wrong(peer.data(at + end), kSlot - end, kOld, at + end) == kSlot - end);
    ++*receive;
  }
  CHECK_FALSE(peer.receive_cq.poll());
  CHECK(peer.qp().query().state == driver::QpState::kRts);
}

inline driver::PortCounters port_of(Side& side) { return side.node.context().port_counters(); }

}  // namespace roci::testbench::faults
