// SPDX-License-Identifier: Apache-2.0
// The device of rdma_cm in the place of one side of a captured conversation between two Linux hosts
// with Soft-RoCE.
#pragma once

#include <doctest/doctest.h>
#include <infiniband/verbs.h>

#include "driver/cm/test/captures.hpp"
#include "driver/cm/test/ucm_program.hpp"

namespace roci::cm {

inline constexpr std::size_t kBody = 24;  // bytes of the header of a datagram
inline constexpr std::uint64_t kServerGuid = 0x505400FFFE000001, kClientGuid = 0x505400FFFE000002;
inline constexpr std::uint8_t kCapturedAckTimeout = 19;
inline const MadPath kToServer{0, 0, address(1), address(2)},
    kToClient{0, 0, address(2), address(1)};

struct Range {
  std::size_t first, bytes;
};
inline constexpr Range kTransaction{8, 8};
// In a REQ: what each host chooses. The flow label and the rate describe its path.
inline constexpr Range kReqPsn{kBody + 44, 3}, kReqPath{kBody + 88, 4}, kReqPort{kBody + 142, 2};
// In a REP. The target ACK delay belongs to the adapter.
inline constexpr Range kRepPsn{kBody + 20, 3}, kRepDelay{kBody + 26, 1};

/// The bytes of a datagram are those of the capture, except for some that are free.
inline void check_same(const packet::Bytes& ours, const packet::Bytes& captured,
                       const std::vector<Range>& free) {
  REQUIRE(ours.size() == captured.size());
  for (std::size_t at = 0; at < ours.size(); ++at) {
    const bool chosen = std::any_of(free.begin(), free.end(), [&](const Range& range) {
      return at >= range.first && at < range.first + range.bytes;
    });
    if (chosen) continue;
    CAPTURE(at);
    CHECK(ours[at] == captured[at]);
  }
}

inline std::uint32_t word(const packet::Bytes& bytes, std::size_t at, unsigned count = 4) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i) value = value << 8 | bytes[kBody + at + i];
  return value;
}

/// One of the two hosts; the test sends what the other one sent.
struct Host {
  unsigned node;
  Fabric fabric;
  Program program;

  /// `first_id`: the communication ID that the captured host chose.
  Host(unsigned index, std::uint32_t first_id)
      : node(index),
        fabric([=](unsigned i, UcmConfig& config) {
          config.adapters[0].guid = i == 0 ? kServerGuid : kClientGuid;
          config.first_id = first_id;
          config.ack_timeout = kCapturedAckTimeout;
        }),
        program(fabric, index) {
    fabric.carries = false;
  }

  Ucm& ucm() { return fabric.nodes[node]; }
  const ManagerCounts& counts() { return ucm().manager().counts(); }
  void receive(const packet::Bytes& bytes) {
    ucm().receive(node == 0 ? kToServer : kToClient, bytes.data(), bytes.size(), fabric.now);
  }
  /// The same in response to a message of ours, whose transaction ID it takes.
  void respond(packet::Bytes bytes, const packet::Bytes& ours) {
    std::copy_n(ours.begin() + kTransaction.first, kTransaction.bytes,
                bytes.begin() + kTransaction.first);
    receive(bytes);
  }
  std::vector<packet::Bytes> all_sent() {
    std::vector<packet::Bytes> all;
    for (const Outgoing& one : ucm().take_outgoing()) {
      CHECK(one.path.remote == address(node == 0 ? 2 : 1));
      all.emplace_back(one.bytes.begin(), one.bytes.end());
    }
    return all;
  }
  packet::Bytes sent() {
    const auto all = all_sent();
    REQUIRE(all.size() == 1);
    return all[0];
  }
  void expire() { ucm().expire(fabric.now = ucm().deadline()); }

  // Programs of Linux: rping, ucmatose.
  static rdma_ucm_conn_param param(std::uint32_t qpn, std::uint8_t retries, std::uint8_t depth) {
    rdma_ucm_conn_param result{};
    result.valid = 1;
    result.qp_num = qpn;
    result.responder_resources = result.initiator_depth = depth;
    result.retry_count = retries;
    result.rnr_retry_count = 7;
    return result;
  }
  std::uint32_t connect(std::uint16_t port, std::uint32_t qpn, std::uint8_t depth = 1) {
    const std::uint32_t id = resolved(program, 20, {address(1), port, AF_INET});
    rdma_ucm_connect command{};
    command.id = id;
    command.conn_param = param(qpn, 7, depth);
    CHECK(program.bare(RDMA_USER_CM_CMD_CONNECT, command) == 0);
    return id;
  }
  void listen(std::uint16_t port) {
    const std::uint32_t listener = program.create(10);
    CHECK(program.bind(listener, {kAny.address, port, AF_INET}) == 0);
    CHECK(program.listen(listener) == 0);
  }
  void accept(std::uint32_t id, std::uint32_t qpn, std::uint8_t depth = 1) {
    rdma_ucm_accept command{};
    command.id = id;
    command.uid = 11;
    command.conn_param = param(qpn, 7, depth);
    CHECK(program.bare(RDMA_USER_CM_CMD_ACCEPT, command) == 0);
  }
  /// Accepts the request that waits, and takes the REP.
  std::uint32_t accepted(std::uint32_t qpn, packet::Bytes& rep) {
    const std::uint32_t id = program.event(UcmEvent::kConnectRequest).id;
    accept(id, qpn);
    rep = sent();
    return id;
  }
};

/// rping -c -C 2 on 10.0.0.2, rping -s on 10.0.0.1, port 7174.
struct Rping {
  std::vector<packet::Bytes> all = datagrams_of("cm_rping");
  const packet::Bytes &req = all.at(0), &rep = all.at(1), &rtu = all.at(2), &dreq = all.at(3),
                      &drep = all.at(4);
  static constexpr std::uint16_t kServicePort = 7174;
  static constexpr std::uint32_t kClientQpn = 0x11, kServerQpn = 0x11;
  static constexpr std::uint32_t kClientId = 0xFE3A743F, kServerId = 0x50A86D91;
};

/// The server of rping, with the request of the client accepted.
struct RpingServer : Rping {
  Host host{0, kServerId};
  packet::Bytes sent;  ///< the REP
  std::uint32_t id = 0;

  RpingServer() {
    host.listen(kServicePort);
    host.receive(req);
    id = host.accepted(kServerQpn, sent);
  }
};

}  // namespace roci::cm
