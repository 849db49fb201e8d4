// SPDX-License-Identifier: Apache-2.0
// Work requests, completions, attributes: what passes between an application and the driver.
// Names of libibverbs are given where they differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "driver/layout.hpp"
#include "model/spec/commands.hpp"
#include "model/spec/queues.hpp"

namespace roci::driver {

using Gid = std::array<std::uint8_t, 16>;

/// Operation of a send work request (11.4.1.1).
enum class Opcode : std::uint8_t {
  kSend = code_of(spec::kWrOps, "Send"),
  kSendImm = code_of(spec::kWrOps, "SendImm"),
  kWrite = code_of(spec::kWrOps, "Write"),
  kWriteImm = code_of(spec::kWrOps, "WriteImm"),
  kRead = code_of(spec::kWrOps, "Read"),
  kCmpSwap = code_of(spec::kWrOps, "CmpSwap"),
  kFetchAdd = code_of(spec::kWrOps, "FetchAdd"),
  kSendInv = code_of(spec::kWrOps, "SendInv"),
  kLocalInv = code_of(spec::kWrOps, "LocalInv"),
  kBindMw = code_of(spec::kWrOps, "BindMw"),
  kRegMr = code_of(spec::kWrOps, "RegMr"),
};

/// Completion status, numbered as ibv_wc_status.
enum class Status : std::uint8_t {
  kSuccess = code_of(spec::kStatuses, "Success"),
  kLocLenErr = code_of(spec::kStatuses, "LocLenErr"),
  kLocQpOpErr = code_of(spec::kStatuses, "LocQpOpErr"),
  kLocProtErr = code_of(spec::kStatuses, "LocProtErr"),
  kWrFlushErr = code_of(spec::kStatuses, "WrFlushErr"),
  kMwBindErr = code_of(spec::kStatuses, "MwBindErr"),
  kBadRespErr = code_of(spec::kStatuses, "BadRespErr"),
  kLocAccessErr = code_of(spec::kStatuses, "LocAccessErr"),
  kRemInvReqErr = code_of(spec::kStatuses, "RemInvReqErr"),
  kRemAccessErr = code_of(spec::kStatuses, "RemAccessErr"),
  kRemOpErr = code_of(spec::kStatuses, "RemOpErr"),
  kRetryExcErr = code_of(spec::kStatuses, "RetryExcErr"),
  kRnrRetryExcErr = code_of(spec::kStatuses, "RnrRetryExcErr"),
  kFatalErr = code_of(spec::kStatuses, "FatalErr"),
};

/// Name of a status as in model/spec, "?" for a number that is none.
const char* name_of(Status status);

/// Kind of a completion, numbered as ibv_wc_opcode; 128 and above are receives.
enum class WcOpcode : std::uint8_t {
  kSend = code_of(spec::kWcOps, "Send"),
  kWrite = code_of(spec::kWcOps, "Write"),
  kRead = code_of(spec::kWcOps, "Read"),
  kCmpSwap = code_of(spec::kWcOps, "CmpSwap"),
  kFetchAdd = code_of(spec::kWcOps, "FetchAdd"),
  kBindMw = code_of(spec::kWcOps, "BindMw"),
  kLocalInv = code_of(spec::kWcOps, "LocalInv"),
  kRegMr = code_of(spec::kWcOps, "RegMr"),
  kRecv = code_of(spec::kWcOps, "Recv"),
  kRecvWriteImm = code_of(spec::kWcOps, "RecvWriteImm"),
};

enum class QpState : std::uint8_t {
  kReset = code_of(spec::kQpStates, "Reset"),
  kInit = code_of(spec::kQpStates, "Init"),
  kRtr = code_of(spec::kQpStates, "Rtr"),
  kRts = code_of(spec::kQpStates, "Rts"),
  kSqd = code_of(spec::kQpStates, "Sqd"),
  kErr = code_of(spec::kQpStates, "Err"),
};

/// Rights of regions and queue pairs; bits as ibv_access_flags.
namespace access {
inline constexpr std::uint32_t kLocalWrite = 1u << code_of(spec::kAccess, "LocalWrite");
inline constexpr std::uint32_t kRemoteWrite = 1u << code_of(spec::kAccess, "RemoteWrite");
inline constexpr std::uint32_t kRemoteRead = 1u << code_of(spec::kAccess, "RemoteRead");
inline constexpr std::uint32_t kRemoteAtomic = 1u << code_of(spec::kAccess, "RemoteAtomic");
inline constexpr std::uint32_t kMwBind = 1u << code_of(spec::kAccess, "MwBind");
inline constexpr std::uint32_t kZeroBased = 1u << code_of(spec::kAccess, "ZeroBased");
inline constexpr std::uint32_t kAll = kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic;
}  // namespace access

/// Attributes named in a modify; bits as ibv_qp_attr_mask.
namespace mask {
inline constexpr std::uint32_t kState = 1u << code_of(spec::kQpMask, "State");
inline constexpr std::uint32_t kCurState = 1u << code_of(spec::kQpMask, "CurState");
inline constexpr std::uint32_t kEnSqdAsyncNotify = 1u << code_of(spec::kQpMask, "EnSqdAsyncNotify");
inline constexpr std::uint32_t kAccessFlags = 1u << code_of(spec::kQpMask, "AccessFlags");
inline constexpr std::uint32_t kPkeyIndex = 1u << code_of(spec::kQpMask, "PkeyIndex");
inline constexpr std::uint32_t kPort = 1u << code_of(spec::kQpMask, "Port");
inline constexpr std::uint32_t kAv = 1u << code_of(spec::kQpMask, "Av");
inline constexpr std::uint32_t kPathMtu = 1u << code_of(spec::kQpMask, "PathMtu");
inline constexpr std::uint32_t kTimeout = 1u << code_of(spec::kQpMask, "Timeout");
inline constexpr std::uint32_t kRetryCnt = 1u << code_of(spec::kQpMask, "RetryCnt");
inline constexpr std::uint32_t kRnrRetry = 1u << code_of(spec::kQpMask, "RnrRetry");
inline constexpr std::uint32_t kRqPsn = 1u << code_of(spec::kQpMask, "RqPsn");
inline constexpr std::uint32_t kMaxRdAtomic = 1u << code_of(spec::kQpMask, "MaxQpRdAtomic");
inline constexpr std::uint32_t kMinRnrTimer = 1u << code_of(spec::kQpMask, "MinRnrTimer");
inline constexpr std::uint32_t kSqPsn = 1u << code_of(spec::kQpMask, "SqPsn");
inline constexpr std::uint32_t kMaxDestRdAtomic = 1u << code_of(spec::kQpMask, "MaxDestRdAtomic");
inline constexpr std::uint32_t kDestQpn = 1u << code_of(spec::kQpMask, "DestQpn");
inline constexpr std::uint32_t kInit = kState | kPkeyIndex | kPort | kAccessFlags;
inline constexpr std::uint32_t kRtr =
    kState | kAv | kPathMtu | kDestQpn | kRqPsn | kMaxDestRdAtomic | kMinRnrTimer;
inline constexpr std::uint32_t kRts =
    kState | kSqPsn | kTimeout | kRetryCnt | kRnrRetry | kMaxRdAtomic;
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
  std::uint8_t rnr_retry = 7;       ///< 0 to 7; 7 is without end
  std::uint8_t min_rnr_timer = 12;  ///< 0 to 31, code of 9.7.5.2.8
  std::uint8_t max_rd_atomic = 16;  ///< READs and atomics outstanding as requester
  std::uint8_t max_dest_rd_atomic = 16;
  std::uint8_t sgid_index = 0;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 0;
  std::uint8_t sl = 0;           ///< priority code point on a VLAN
  std::uint32_t flow_label = 0;  ///< 20 bits
  std::uint32_t dest_qpn = 0;    ///< 24 bits
  std::uint32_t sq_psn = 0;      ///< 24 bits; a query gives the next one sent
  std::uint32_t rq_psn = 0;      ///< 24 bits; a query gives the one expected
  Gid dgid{};
  std::uint64_t dst_mac = 0;  ///< next hop; 0: the adapter resolves it
  bool sqd_notify = false;    ///< to SQD: raise SqDrained when the last send is done
  bool sq_draining = false;   ///< a query: SQD, and sends are still under way
};

/// What a peer must know to connect.
struct Endpoint {
  std::uint32_t qpn = 0;
  std::uint32_t psn = 0;  ///< first PSN that this side sends
  Gid gid{};
};

struct Sge {
  std::uint64_t address = 0;  ///< as the region's key names it
  std::uint32_t length = 0;   ///< bytes
  std::uint32_t key = 0;
};

/// kBindMw: `remote_address` and `swap_add` are the window's first address and its bytes (0
/// unbinds), `compare` its rights. kRegMr: the same of the region. Neither, nor kLocalInv, has a
/// list.
struct SendRequest {
  std::uint64_t id = 0;  ///< comes back in the completion (wr_id)
  Opcode opcode = Opcode::kSend;
  std::vector<Sge> sges;              ///< gather list; scatter list of READ and atomics
  const void* inline_data = nullptr;  ///< payload copied when posted, instead of `sges`
  std::uint32_t inline_bytes = 0;
  std::uint32_t imm = 0;  ///< as a number; kSendInv: the peer's key to invalidate
  std::uint64_t remote_address = 0;
  std::uint32_t remote_key = 0;  ///< kLocalInv, kBindMw, kRegMr: the key they are about
  std::uint64_t swap_add = 0;
  std::uint64_t compare = 0;
  std::uint32_t region_key = 0;   ///< kBindMw: region that the window opens
  std::uint64_t dma_address = 0;  ///< kRegMr: where the region lies, as DMA sees it
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
  kState,      ///< QP-08: sends need RTS, SQD or ERR, receives anything but RESET
  kQueueFull,  ///< QP-20
  kSges,       ///< QP-21: more entries than the queue pair was made for
  kInline,     ///< QP-21: too many bytes, a list beside it, or an operation that fetches
  kOpcode,     ///< QP-21
  kLength,     ///< RQ-44: more than 2^31 bytes
  kAtomic,     ///< QP-21: an atomic moves exactly 8 bytes
  kShared,     ///< receives of this queue pair come from a shared receive queue
  kGone,       ///< the adapter is not there any more
};

/// Outcome of posting a list: requests before number `posted` are posted, the others are not.
struct PostResult {
  PostError error = PostError::kNone;
  std::size_t posted = 0;
  explicit operator bool() const { return error == PostError::kNone; }
};

/// Completion (11.4.2.1). Beside `id`, `status`, `qpn`, `vendor_err` and `receive`, fields are
/// valid for Success only.
struct Completion {
  std::uint64_t id = 0;
  Status status = Status::kSuccess;
  WcOpcode opcode = WcOpcode::kSend;
  bool receive = false;        ///< of the receive queue
  std::uint32_t byte_len = 0;  ///< bytes received or read; 8 for an atomic
  std::uint32_t imm = 0;
  bool with_imm = false;
  bool with_inv = false;  ///< imm is the key that the peer's SEND invalidated
  bool solicited = false;
  std::uint32_t qpn = 0;
  std::uint8_t vendor_err = 0;
  bool ok() const { return status == Status::kSuccess; }
};

}  // namespace roci::driver
