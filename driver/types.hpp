// SPDX-License-Identifier: Apache-2.0
// Work requests, completions and attributes: the values between an application and the driver.
// Names of libibverbs are given where they differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "driver/layout.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/field.hpp"

namespace roci::driver {

using Gid = std::array<std::uint8_t, 16>;

/// Operation of a send work request (11.4.1.1).
using Opcode = layout::WrOp;

/// Completion status, numbered as ibv_wc_status.
using layout::Status;

/// Name of a status as in model/spec, "?" for other numbers.
const char* name_of(Status status);

/// Kind of a completion, numbered as ibv_wc_opcode; 128 and above are receives.
using WcOpcode = layout::WcOp;

using layout::QpState;

/// What an engine may be without.
using layout::Option;

/// Transport service of a queue pair.
using layout::Service;

/// Rights of regions and queue pairs; bits as ibv_access_flags.
namespace access {
using namespace layout::access;
inline constexpr std::uint32_t kAll = kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic;
}  // namespace access

/// Attributes named in a modify; bits as ibv_qp_attr_mask.
namespace mask {
using namespace layout::qp_mask;
inline constexpr std::uint32_t kInit = kState | kPkeyIndex | kPort | kAccessFlags;
inline constexpr std::uint32_t kRtr =
    kState | kAv | kPathMtu | kDestQpn | kRqPsn | kMaxDestRdAtomic | kMinRnrTimer;
inline constexpr std::uint32_t kRts =
    kState | kSqPsn | kTimeout | kRetryCnt | kRnrRetry | kMaxQpRdAtomic;
// UC and UD require less.
inline constexpr std::uint32_t kUcRtr = kState | kAv | kPathMtu | kDestQpn | kRqPsn;
inline constexpr std::uint32_t kUdInit = kState | kPkeyIndex | kPort | kQkey;
inline constexpr std::uint32_t kUdRtr = kState;
inline constexpr std::uint32_t kUnreliableRts = kState | kSqPsn;
}  // namespace mask

/// Attributes of a queue pair (11.2.5.2), as ibv_qp_attr. Ranges are checked by the adapter.
struct QpAttributes {
  QpState state = QpState::kReset;
  QpState cur_state = QpState::kReset;
  std::uint8_t path_mtu = 3;  ///< 1 = 256, 2 = 512, 3 = 1024, 4 = 2048, 5 = 4096 bytes
  std::uint32_t access = 0;   ///< remote operations allowed, bits of `access`
  std::uint16_t pkey_index = 0;
  std::uint8_t port = 1;
  std::uint8_t timeout = 14;        ///< 0 to 31: 4.096 us * 2^timeout; 0 is no timer
  std::uint8_t retry_cnt = 7;       ///< 0 to 7
  std::uint8_t rnr_retry = 7;       ///< 0 to 7; 7 retries without limit
  std::uint8_t min_rnr_timer = 12;  ///< 0 to 31, code of 9.7.5.2.8
  std::uint8_t max_rd_atomic = 16;  ///< READs and atomics outstanding as requester
  std::uint8_t max_dest_rd_atomic = 16;
  std::uint8_t sgid_index = 0;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;
  std::uint8_t sl = 0;           ///< priority code point on a VLAN
  std::uint32_t flow_label = 0;  ///< 20 bits
  std::uint32_t dest_qpn = 0;    ///< 24 bits
  std::uint32_t sq_psn = 0;      ///< 24 bits; QueryQp: the next PSN to send
  std::uint32_t rq_psn = 0;      ///< 24 bits; QueryQp: the PSN expected next
  std::uint32_t qkey = 0;        ///< UD
  Gid dgid{};
  std::uint64_t dst_mac = 0;  ///< next hop; 0: the adapter resolves it
  bool sqd_notify = false;    ///< to SQD: raise SqDrained when the last send has completed
  bool sq_draining = false;   ///< QueryQp: in SQD with sends outstanding
};

/// The values that a peer needs to connect.
struct Endpoint {
  std::uint32_t qpn = 0;
  std::uint32_t psn = 0;  ///< first PSN that this side sends
  Gid gid{};
};

/// Where datagrams go, as ibv_ah_attr.
struct Address {
  Gid dgid{};
  std::uint8_t sgid_index = 0;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;
  std::uint8_t sl = 0;           ///< priority code point on a VLAN
  std::uint32_t flow_label = 0;  ///< 20 bits
  std::uint64_t dst_mac = 0;     ///< next hop; 0: the adapter resolves it
};

struct Sge {
  std::uint64_t address = 0;  ///< virtual address in the region
  std::uint32_t length = 0;   ///< bytes
  std::uint32_t key = 0;
};

/// kBindMw: `remote_address` and `swap_add` are the window's first address and its bytes (0
/// unbinds), `compare` its rights. kRegMr: the same of the region. Neither, nor kLocalInv, has a
/// list.
struct SendRequest {
  std::uint64_t id = 0;  ///< returned in the completion (wr_id)
  Opcode opcode = Opcode::kSend;
  std::vector<Sge> sges;              ///< gather list; scatter list of READ and atomics
  const void* inline_data = nullptr;  ///< payload copied when posted, instead of `sges`
  std::uint32_t inline_bytes = 0;
  std::uint32_t imm = 0;  ///< as a number; kSendInv: the peer's key to invalidate
  std::uint64_t remote_address = 0;
  std::uint32_t remote_key = 0;  ///< kLocalInv, kBindMw, kRegMr: the key to invalidate or to use
  std::uint64_t swap_add = 0;
  std::uint64_t compare = 0;
  std::uint32_t region_key = 0;   ///< kBindMw: key of the region that the window is bound to
  std::uint64_t dma_address = 0;  ///< kRegMr: DMA address of the region
  // UD: the destination.
  std::uint32_t ah = 0;          ///< number of an AddressHandle
  std::uint32_t remote_qpn = 0;  ///< 24 bits
  std::uint32_t qkey = 0;        ///< with bit 31 set, the queue pair's own is sent (10.2.5)
  bool signaled = true;
  bool solicited = false;
  bool fence = false;
};

struct ReceiveRequest {
  std::uint64_t id = 0;
  std::vector<Sge> sges;
};

/// Why a work request was not posted.
enum class PostError {
  kNone,
  kState,        ///< QP-08: sends need RTS, SQD or ERR, receives anything but RESET
  kQueueFull,    ///< QP-20
  kSges,         ///< QP-21: more entries than the queue pair was made for
  kInline,       ///< QP-21: too many bytes, a list as well, or a READ or atomic
  kOpcode,       ///< QP-21
  kLength,       ///< RQ-44: more than 2^31 bytes
  kAtomic,       ///< QP-21: an atomic moves exactly 8 bytes
  kShared,       ///< receives of this queue pair come from a shared receive queue
  kGone,         ///< the adapter is gone
  kUnsupported,  ///< the engine does not have the operation
};

/// Outcome of posting a list: requests before number `posted` are posted, the others are not.
struct PostResult {
  PostError error = PostError::kNone;
  std::size_t posted = 0;
  explicit operator bool() const { return error == PostError::kNone; }
};

/// Completion (11.4.2.1). Fields other than `id`, `status`, `qpn`, `vendor_err` and `receive` are
/// valid for Success only.
struct Completion {
  std::uint64_t id = 0;
  Status status = Status::kSuccess;
  WcOpcode opcode = WcOpcode::kSend;
  bool receive = false;        ///< completion of the receive queue
  std::uint32_t byte_len = 0;  ///< bytes received or read; 8 for an atomic
  std::uint32_t imm = 0;
  bool with_imm = false;
  bool with_inv = false;  ///< imm is the key that the peer's SEND invalidated
  bool solicited = false;
  std::uint32_t qpn = 0;
  std::uint8_t vendor_err = 0;
  std::uint32_t src_qp = 0;  ///< with_grh: queue pair of the sender
  bool with_grh = false;     ///< UD: the buffer begins with 40 bytes of GRH, part of byte_len
  bool ok() const { return status == Status::kSuccess; }
};

}  // namespace roci::driver
