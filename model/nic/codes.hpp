// SPDX-License-Identifier: Apache-2.0
// Numbers of model/spec as enumerations, so that the compiler tells them apart.
#pragma once

#include <cstdint>

#include "model/spec/commands.hpp"
#include "model/spec/context.hpp"

namespace roci::nic {

// clang-format off: these read as tables.

enum class Status : std::uint8_t {
  kSuccess = spec::code_of(spec::kStatuses, "Success"),
  kLocLenErr = spec::code_of(spec::kStatuses, "LocLenErr"),
  kLocQpOpErr = spec::code_of(spec::kStatuses, "LocQpOpErr"),
  kLocProtErr = spec::code_of(spec::kStatuses, "LocProtErr"),
  kWrFlushErr = spec::code_of(spec::kStatuses, "WrFlushErr"),
  kMwBindErr = spec::code_of(spec::kStatuses, "MwBindErr"),
  kBadRespErr = spec::code_of(spec::kStatuses, "BadRespErr"),
  kLocAccessErr = spec::code_of(spec::kStatuses, "LocAccessErr"),
  kRemInvReqErr = spec::code_of(spec::kStatuses, "RemInvReqErr"),
  kRemAccessErr = spec::code_of(spec::kStatuses, "RemAccessErr"),
  kRemOpErr = spec::code_of(spec::kStatuses, "RemOpErr"),
  kRetryExcErr = spec::code_of(spec::kStatuses, "RetryExcErr"),
  kRnrRetryExcErr = spec::code_of(spec::kStatuses, "RnrRetryExcErr"),
  kFatalErr = spec::code_of(spec::kStatuses, "FatalErr"),
};

enum class VendorErr : std::uint8_t {
  kNone = spec::code_of(spec::kVendorErrs, "None"),
  kLocalKey = spec::code_of(spec::kVendorErrs, "LocalKey"),
  kLocalLength = spec::code_of(spec::kVendorErrs, "LocalLength"),
  kLocalFormat = spec::code_of(spec::kVendorErrs, "LocalFormat"),
  kLocalFetch = spec::code_of(spec::kVendorErrs, "LocalFetch"),
  kNoDepth = spec::code_of(spec::kVendorErrs, "NoDepth"),
  kPayload = spec::code_of(spec::kVendorErrs, "Payload"),
  kResponseKind = spec::code_of(spec::kVendorErrs, "ResponseKind"),
  kResponseLength = spec::code_of(spec::kVendorErrs, "ResponseLength"),
  kResponseSyndrome = spec::code_of(spec::kVendorErrs, "ResponseSyndrome"),
  kPlaceKey = spec::code_of(spec::kVendorErrs, "PlaceKey"),
  kRetryTimeout = spec::code_of(spec::kVendorErrs, "RetryTimeout"),
  kRetrySequence = spec::code_of(spec::kVendorErrs, "RetrySequence"),
  kRetryImplied = spec::code_of(spec::kVendorErrs, "RetryImplied"),
  kRetryRnr = spec::code_of(spec::kVendorErrs, "RetryRnr"),
  kPeerNak = spec::code_of(spec::kVendorErrs, "PeerNak"),
};

enum class WrOp : std::uint8_t {
  kSend = spec::code_of(spec::kWrOps, "Send"),
  kSendImm = spec::code_of(spec::kWrOps, "SendImm"),
  kWrite = spec::code_of(spec::kWrOps, "Write"),
  kWriteImm = spec::code_of(spec::kWrOps, "WriteImm"),
  kRead = spec::code_of(spec::kWrOps, "Read"),
  kCmpSwap = spec::code_of(spec::kWrOps, "CmpSwap"),
  kFetchAdd = spec::code_of(spec::kWrOps, "FetchAdd"),
  kSendInv = spec::code_of(spec::kWrOps, "SendInv"),
  kLocalInv = spec::code_of(spec::kWrOps, "LocalInv"),
  kBindMw = spec::code_of(spec::kWrOps, "BindMw"),
  kRegMr = spec::code_of(spec::kWrOps, "RegMr"),
};

enum class WcOp : std::uint8_t {
  kSend = spec::code_of(spec::kWcOps, "Send"),
  kWrite = spec::code_of(spec::kWcOps, "Write"),
  kRead = spec::code_of(spec::kWcOps, "Read"),
  kCmpSwap = spec::code_of(spec::kWcOps, "CmpSwap"),
  kFetchAdd = spec::code_of(spec::kWcOps, "FetchAdd"),
  kBindMw = spec::code_of(spec::kWcOps, "BindMw"),
  kLocalInv = spec::code_of(spec::kWcOps, "LocalInv"),
  kRegMr = spec::code_of(spec::kWcOps, "RegMr"),
  kRecv = spec::code_of(spec::kWcOps, "Recv"),
  kRecvWriteImm = spec::code_of(spec::kWcOps, "RecvWriteImm"),
};

enum class QpState : std::uint8_t {
  kReset = spec::code_of(spec::kQpStates, "Reset"),
  kInit = spec::code_of(spec::kQpStates, "Init"),
  kRtr = spec::code_of(spec::kQpStates, "Rtr"),
  kRts = spec::code_of(spec::kQpStates, "Rts"),
  kSqd = spec::code_of(spec::kQpStates, "Sqd"),
  kErr = spec::code_of(spec::kQpStates, "Err"),
};

enum class EventKind : std::uint8_t {
  kCompletion = spec::code_of(spec::kEvents, "Completion"),
  kCqError = spec::code_of(spec::kEvents, "CqError"),
  kQpFatal = spec::code_of(spec::kEvents, "QpFatal"),
  kQpRequest = spec::code_of(spec::kEvents, "QpRequest"),
  kQpAccess = spec::code_of(spec::kEvents, "QpAccess"),
  kCommEst = spec::code_of(spec::kEvents, "CommEst"),
  kSrqLimit = spec::code_of(spec::kEvents, "SrqLimit"),
  kQpLastWqe = spec::code_of(spec::kEvents, "QpLastWqe"),
  kSrqError = spec::code_of(spec::kEvents, "SrqError"),
};

enum class DropCause : std::uint8_t {
  kIcrc = spec::code_of(spec::kDropCauses, "Icrc"),
  kMalformed = spec::code_of(spec::kDropCauses, "Malformed"),
  kUnknownQp = spec::code_of(spec::kDropCauses, "UnknownQp"),
  kAddress = spec::code_of(spec::kDropCauses, "Address"),
  kPkey = spec::code_of(spec::kDropCauses, "Pkey"),
  kOpcode = spec::code_of(spec::kDropCauses, "Opcode"),
  kGhost = spec::code_of(spec::kDropCauses, "Ghost"),
  kDuplicate = spec::code_of(spec::kDropCauses, "Duplicate"),
  kOutOfSequence = spec::code_of(spec::kDropCauses, "OutOfSequence"),
};

enum class QpCounter : std::uint8_t {
  kTxPackets = spec::code_of(spec::kQpCounters, "TxPackets"),
  kTxBytes = spec::code_of(spec::kQpCounters, "TxBytes"),
  kRxPackets = spec::code_of(spec::kQpCounters, "RxPackets"),
  kRxBytes = spec::code_of(spec::kQpCounters, "RxBytes"),
  kRetries = spec::code_of(spec::kQpCounters, "Retries"),
  kTimeouts = spec::code_of(spec::kQpCounters, "Timeouts"),
  kNaksSent = spec::code_of(spec::kQpCounters, "NaksSent"),
  kNaksReceived = spec::code_of(spec::kQpCounters, "NaksReceived"),
};

enum class KeyKind : std::uint8_t {
  kRegion = spec::code_of(spec::kKeyKinds, "Region"),
  kWindowType1 = spec::code_of(spec::kKeyKinds, "WindowType1"),
  kWindowType2 = spec::code_of(spec::kKeyKinds, "WindowType2"),
  kFastRegion = spec::code_of(spec::kKeyKinds, "FastRegion"),
};

/// Bits of access rights.
namespace access {
constexpr unsigned bit(std::string_view name) { return 1u << spec::code_of(spec::kAccess, name); }
inline constexpr unsigned kLocalWrite = bit("LocalWrite");
inline constexpr unsigned kRemoteWrite = bit("RemoteWrite");
inline constexpr unsigned kRemoteRead = bit("RemoteRead");
inline constexpr unsigned kRemoteAtomic = bit("RemoteAtomic");
inline constexpr unsigned kMwBind = bit("MwBind");
inline constexpr unsigned kZeroBased = bit("ZeroBased");
}  // namespace access

/// Syndromes of AETHs.
namespace syndrome {
inline constexpr std::uint8_t kAck = spec::code_of(spec::kSyndromes, "AckNoCredits");
inline constexpr std::uint8_t kRnr = spec::code_of(spec::kSyndromes, "RnrNak");
inline constexpr std::uint8_t kSequence = spec::code_of(spec::kSyndromes, "NakSequence");
inline constexpr std::uint8_t kInvalid = spec::code_of(spec::kSyndromes, "NakInvalid");
inline constexpr std::uint8_t kAccess = spec::code_of(spec::kSyndromes, "NakAccess");
inline constexpr std::uint8_t kOperational = spec::code_of(spec::kSyndromes, "NakOperational");
}  // namespace syndrome

// clang-format on

}  // namespace roci::nic
