// SPDX-License-Identifier: Apache-2.0
// Rows of the table port as structures, and entries of work queues.
#pragma once

#include <array>
#include <cstdint>

#include "model/nic/codes.hpp"
#include "model/packet/bytes.hpp"
#include "model/spec/layout/context.hpp"
#include "model/spec/layout/queues.hpp"
#include "model/transport/psn.hpp"

namespace roci::nic {

inline constexpr std::size_t kRowBytes = layout::kRowBits / 8;
using Row = std::array<std::uint8_t, kRowBytes>;

struct QpAttr {
  std::uint16_t pd = 0;
  std::uint32_t pasid = 0;
  unsigned access = 0;
  std::uint32_t pmtu = 256;  ///< bytes
  unsigned retry_cnt = 0, rnr_retry = 0, timeout = 0, min_rnr_timer = 0;
  unsigned max_rd_atomic = 0, max_dest_rd_atomic = 0;
  std::uint32_t send_cqn = 0, recv_cqn = 0;
  std::uint64_t sq_base = 0, rq_base = 0;
  unsigned sq_log = 0, sq_stride_log = 0, rq_log = 0, rq_stride_log = 0;
  transport::Psn sq_psn, rq_psn;
  bool srq = false;
  std::uint32_t srqn = 0;
  bool credits = false;
};
QpAttr decode_qp_attr(const Row& row);

/// Whether a GID names a multicast group: IPv4 224.0.0.0/4, IPv6 and InfiniBand FF00::/8.
inline bool is_group(const packet::Gid& gid) {
  return packet::is_ipv4(gid) ? packet::ipv4_of(gid) >> 28 == 0xE : gid[0] == 0xFF;
}

struct Av {
  packet::Mac dst_mac = 0, src_mac = 0;
  packet::Gid dst{}, src{};  ///< IPv4-mapped unless `ipv6`
  bool ipv6 = false, vlan = false, roce_v1 = false;
  std::uint16_t vlan_tci = 0;
  std::uint8_t traffic_class = 0, hop_limit = 0;
  std::uint32_t flow_label = 0;
  std::uint16_t src_port = 0, pkey = 0;
  std::uint32_t dest_qpn = 0;
};
Av decode_av(const Row& row);

/// Address handle of UD work requests.
struct Ah {
  bool valid = false;
  std::uint16_t pd = 0;
  Av av;
};
Ah decode_ah(const Row& row);

/// GID of the port.
struct OwnGid {
  bool valid = false, roce_v1 = false, vlan = false;
  std::uint16_t vid = 0;
  packet::Gid gid{};
};
OwnGid decode_gid(const Row& row);

/// A queue pair of a multicast group.
struct Attachment {
  bool valid = false;
  bool more = false;  ///< a search goes on with the next row
  std::uint32_t qpn = 0;
  packet::Gid group{};
};
Attachment decode_attachment(const Row& row);

struct Key {
  bool valid = false;
  std::uint8_t variant = 0;
  std::uint16_t pd = 0;
  unsigned access = 0;
  std::uint32_t pasid = 0;
  std::uint64_t iova = 0, length = 0, addr = 0;
  KeyKind kind = KeyKind::kRegion;
  bool remote_only = false;
  std::uint32_t qpn = 0, parent = 0;
};
Key decode_key(const Row& row);
Row encode(const Key& key);

struct Cq {
  bool valid = false;
  std::uint32_t pasid = 0;
  std::uint64_t base = 0;
  unsigned log = 0;
  unsigned moderation_count = 0, moderation_period_us = 0;
  bool resize = false;
};
Cq decode_cq(const Row& row);

struct Srq {
  bool valid = false;
  std::uint16_t pd = 0;
  std::uint32_t pasid = 0;
  std::uint64_t base = 0;
  unsigned log = 0, stride_log = 0;
  std::uint16_t limit = 0;
};
Srq decode_srq(const Row& row);

struct Sge {
  std::uint64_t addr = 0;
  std::uint32_t length = 0, lkey = 0;
};

/// A work queue entry with its list.
struct Wqe {
  std::uint8_t opcode = 0;
  bool signaled = false, solicited = false, fence = false, inline_data = false;
  unsigned num_sge = 0;
  std::uint32_t imm = 0, length = 0, rkey = 0;
  std::uint64_t remote_addr = 0, swap_add = 0, compare = 0;
  std::uint32_t qkey = 0, dest_qpn = 0;  ///< UD
  std::uint16_t ah = 0;                  ///< UD
  std::uint64_t address = 0;             ///< address of the entry itself
  std::array<Sge, layout::kMaxSge> sge;
};
/// Decodes block 0, with the first entry of the list.
Wqe decode_wqe(const std::uint8_t* block);
/// Decodes list entries 1 and up from the blocks after block 0.
void decode_list(const std::uint8_t* blocks, Wqe* wqe);
/// Number of list entries that fit into an entry of 2^stride_log blocks.
constexpr unsigned list_room(unsigned stride_log) { return 1 + 4 * ((1u << stride_log) - 1); }

}  // namespace roci::nic
