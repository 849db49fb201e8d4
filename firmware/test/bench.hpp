// SPDX-License-Identifier: Apache-2.0
// Test bench: a host that gives admin commands to the firmware on a mock adapter.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "firmware/test/mock_nic.hpp"

namespace roci::fw::test {

/// A reply, or no reply yet.
struct CommandReply {
  bool there = false;
  layout::AdminStatus status = {};
  std::uint32_t tag = 0;
  std::uint32_t detail = 0;
  Message message = {};
  std::uint64_t get(Place place) const { return get_bits(message.word, Command::in_body(place)); }
};

/// A body under construction: `Body().put(layout::create_cq::base, 0x1000)`.
struct Body {
  Message message = {};
  template <typename Value>
  Body& put(Place place, Value value) {
    put_bits(message.word, Command::in_body(place), static_cast<std::uint64_t>(value));
    return *this;
  }
};

/// What EngineEvent reads for an event, and what EventPost takes for one.
constexpr std::uint32_t engine_event(layout::EventKind kind, std::uint32_t number) {
  namespace event = layout::reg::engine_event;
  return bits(event::kind, kind) | bits(event::number, number) | mask(event::valid);
}
constexpr std::uint32_t event_post(layout::EventKind kind, std::uint32_t number) {
  return bits(layout::reg::event_post::kind, kind) | bits(layout::reg::event_post::number, number);
}

constexpr Gid kOwnIpv4 = gid_of_ipv4(0x0A000001);
constexpr Gid kPeerIpv4 = gid_of_ipv4(0x0A000002);
constexpr Gid kOwnIpv6 = {0xFD00000000000000, 1};
constexpr Gid kPeerIpv6 = {0xFD00000000000000, 2};

/// Adapter, firmware and host.
class Bench {
 public:
  explicit Bench(const Config& made = config(), std::uint32_t parameters2 = kLogSrqs,
                 std::uint32_t parameters3 = 0)
      : firmware(std::make_unique<Firmware>(nic.hal(), made)) {
    nic.parameters2 = parameters2;
    nic.parameters3 = parameters3;
    firmware->start();
  }

  MockNic nic;
  std::unique_ptr<Firmware> firmware;

  static Config config() {
    Config made;
    made.mac = kOwnMac;
    return made;
  }

  /// Gives a command; `take` gets its reply.
  void give(layout::AdminOp opcode, const Body& body) {
    Message message = body.message;
    put_bits(message.word, layout::command_header::opcode, number(opcode));
    put_bits(message.word, layout::command_header::tag, ++tag_);
    const std::uint64_t at = nic.admin_base + slot() * layout::kCommandBytes;
    for (unsigned i = 0; i < 32; ++i) {
      nic.memory[at + i / 16 * 64][i % 16] = message.word[i];
      nic.memory[nic.admin_reply + slot() * layout::kCommandBytes + i / 16 * 64][i % 16] = 0;
    }
    ++nic.admin_doorbell;
  }

  /// Polls until the reply is complete, at most `polls` times.
  CommandReply take(unsigned polls = 10) {
    CommandReply reply;
    while (nic.admin_done != nic.admin_doorbell && polls-- > 0) firmware->poll();
    if (nic.admin_done != nic.admin_doorbell) return reply;
    const std::uint64_t at =
        nic.admin_reply + ((nic.admin_done - 1) & (mask_of(nic.admin_log) - 1)) * 128;
    for (unsigned i = 0; i < 32; ++i) reply.message.word[i] = nic.memory[at + i / 16 * 64][i % 16];
    reply.there = true;
    reply.status = layout::AdminStatus(get_bits(reply.message.word, layout::reply_header::status));
    reply.tag = std::uint32_t(get_bits(reply.message.word, layout::reply_header::tag));
    reply.detail = std::uint32_t(get_bits(reply.message.word, layout::reply_header::detail));
    CHECK(reply.tag == tag_);
    CHECK(nic.pasid_seen == nic.admin_pasid);
    return reply;
  }

  CommandReply run(layout::AdminOp opcode, const Body& body = Body()) {
    give(opcode, body);
    const CommandReply reply = take();
    REQUIRE(reply.there);
    return reply;
  }

  std::uint32_t run_ok(layout::AdminOp opcode, const Body& body, Place result) {
    const CommandReply reply = run(opcode, body);
    REQUIRE(reply.status == layout::AdminStatus::kOk);
    return std::uint32_t(reply.get(result));
  }

  /// Runs a command that must be rejected with this status and field, and must change nothing.
  void reject(layout::AdminOp opcode, const Body& body, layout::AdminStatus status, Place field) {
    const auto rows = nic.rows;
    const auto states = nic.states;
    const std::size_t actions = nic.actions.size();
    const std::size_t sent = nic.sent.size();
    const std::vector<Message> before = objects();
    const CommandReply reply = run(opcode, body);
    CHECK(reply.status == status);
    CHECK(reply.detail == 8 + field.offset / 8);
    for (unsigned i = 2; i < 32; ++i) CHECK(reply.message.word[i] == 0);
    CHECK(nic.states == states);
    CHECK(nic.sent.size() == sent);
    for (std::size_t i = actions; i < nic.actions.size(); ++i) CHECK(nic.actions[i].kind == -1);
    const std::vector<Message> after = objects();
    for (std::size_t i = 0; i < after.size(); ++i) {
      for (unsigned j = 2; j < 32; ++j) CHECK(before[i].word[j] == after[i].word[j]);
    }
    REQUIRE(nic.rows.size() >= rows.size());
    for (const auto& [key, block] : rows) {
      for (unsigned i = 0; i < 16; ++i) CHECK(nic.rows[key].word[i] == block.word[i]);
    }
  }

  /// Returns the replies of QueryQp and QueryGid for every object.
  std::vector<Message> objects() {
    std::vector<Message> all;
    for (unsigned i = 0; i < 16; ++i) {
      all.push_back(run(layout::AdminOp::kQueryQp, Body().put(layout::query_qp::qpn, i)).message);
      all.push_back(
          run(layout::AdminOp::kQueryGid, Body().put(layout::query_gid::index, i)).message);
    }
    return all;
  }

  CommandReply set_gid(std::uint32_t index, const Gid& gid, std::uint32_t vid = 0) {
    return run(layout::AdminOp::kSetGid, gid_body(index, gid, vid));
  }
  static Body gid_body(std::uint32_t index, const Gid& gid, std::uint32_t vid = 0) {
    return Body()
        .put(layout::set_gid::index, index)
        .put(layout::set_gid::vlan, vid != 0)
        .put(layout::set_gid::vid, vid)
        .put(layout::set_gid::gid_hi, gid.hi)
        .put(layout::set_gid::gid_lo, gid.lo);
  }
  std::uint32_t pd() {
    return run_ok(layout::AdminOp::kAllocPd, Body(), layout::alloc_pd_reply::pd);
  }
  static Body cq_body() {
    return Body()
        .put(layout::create_cq::log_entries, 4)
        .put(layout::create_cq::pasid, 0xABCDE)
        .put(layout::create_cq::base, 0x123456789000);
  }
  std::uint32_t cq() {
    return run_ok(layout::AdminOp::kCreateCq, cq_body(), layout::create_cq_reply::cqn);
  }
  static Body qp_body(std::uint32_t pd, std::uint32_t send_cqn, std::uint32_t recv_cqn) {
    return Body()
        .put(layout::create_qp::pd, pd)
        .put(layout::create_qp::pasid, 0xABCDE)
        .put(layout::create_qp::send_cqn, send_cqn)
        .put(layout::create_qp::recv_cqn, recv_cqn)
        .put(layout::create_qp::sq_base, 0x7FFF00001000)
        .put(layout::create_qp::rq_base, 0x7FFF00042000)
        .put(layout::create_qp::sq_log, 6)
        .put(layout::create_qp::sq_stride_log, 1)
        .put(layout::create_qp::rq_log, 7)
        .put(layout::create_qp::rq_stride_log, 2);
  }
  std::uint32_t qp(std::uint32_t pd, std::uint32_t cqn) {
    return run_ok(layout::AdminOp::kCreateQp, qp_body(pd, cqn, cqn), layout::create_qp_reply::qpn);
  }
  static Body srq_body(std::uint32_t pd) {
    return Body()
        .put(layout::create_srq::pd, pd)
        .put(layout::create_srq::pasid, 0xABCDE)
        .put(layout::create_srq::base, 0x7FFF00100000)
        .put(layout::create_srq::log, 6)
        .put(layout::create_srq::stride_log, 1)
        .put(layout::create_srq::limit, 3);
  }
  std::uint32_t srq(std::uint32_t pd) {
    return run_ok(layout::AdminOp::kCreateSrq, srq_body(pd), layout::create_srq_reply::srqn);
  }
  std::uint32_t window(std::uint32_t pd, std::uint32_t kind) {
    return run_ok(layout::AdminOp::kAllocMw,
                  Body().put(layout::alloc_mw::pd, pd).put(layout::alloc_mw::kind, kind),
                  layout::alloc_mw_reply::key);
  }
  static Body mr_body(std::uint32_t pd) {
    return Body()
        .put(layout::reg_mr::pd, pd)
        .put(layout::reg_mr::access, 0xF)
        .put(layout::reg_mr::pasid, 0x12345)
        .put(layout::reg_mr::iova, 0x1234567890)
        .put(layout::reg_mr::length, 0x10001)
        .put(layout::reg_mr::addr, 0x7F0012345678);
  }

 private:
  std::uint32_t slot() const { return nic.admin_doorbell & (mask_of(nic.admin_log) - 1); }
  std::uint16_t tag_ = 0x8000;
};

}  // namespace roci::fw::test
