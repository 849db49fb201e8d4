// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit.cpp from the tables of model/spec. Change those.
//
// Layouts for code without the C++ library. A field of a layout is {bit offset, bits},
// counted from the first bit on the wire for headers, from bit 0 up for all else.
#pragma once

#include <stdint.h>

namespace roci {
namespace layout {

struct Place {
  unsigned offset;
  unsigned bits;
};

constexpr uint32_t kEtherTypeIpv4 = 2048;
constexpr uint32_t kEtherTypeArp = 2054;
constexpr uint32_t kEtherTypeVlan = 33024;
constexpr uint32_t kEtherTypeIpv6 = 34525;
constexpr uint32_t kEtherTypeRoceV1 = 35093;

constexpr uint32_t kIpUdp = 17;
constexpr uint32_t kGrhBth = 27;
constexpr uint32_t kRoceUdpPort = 4791;

constexpr uint32_t kWrOpSend = 0;
constexpr uint32_t kWrOpSendImm = 1;
constexpr uint32_t kWrOpWrite = 2;
constexpr uint32_t kWrOpWriteImm = 3;
constexpr uint32_t kWrOpRead = 4;
constexpr uint32_t kWrOpCmpSwap = 5;
constexpr uint32_t kWrOpFetchAdd = 6;
constexpr uint32_t kWrOpSendInv = 7;
constexpr uint32_t kWrOpLocalInv = 8;
constexpr uint32_t kWrOpBindMw = 9;
constexpr uint32_t kWrOpRegMr = 10;

constexpr uint32_t kStatusSuccess = 0;
constexpr uint32_t kStatusLocLenErr = 1;
constexpr uint32_t kStatusLocQpOpErr = 2;
constexpr uint32_t kStatusLocProtErr = 4;
constexpr uint32_t kStatusWrFlushErr = 5;
constexpr uint32_t kStatusMwBindErr = 6;
constexpr uint32_t kStatusBadRespErr = 7;
constexpr uint32_t kStatusLocAccessErr = 8;
constexpr uint32_t kStatusRemInvReqErr = 9;
constexpr uint32_t kStatusRemAccessErr = 10;
constexpr uint32_t kStatusRemOpErr = 11;
constexpr uint32_t kStatusRetryExcErr = 12;
constexpr uint32_t kStatusRnrRetryExcErr = 13;
constexpr uint32_t kStatusFatalErr = 19;

constexpr uint32_t kWcOpSend = 0;
constexpr uint32_t kWcOpWrite = 1;
constexpr uint32_t kWcOpRead = 2;
constexpr uint32_t kWcOpCmpSwap = 3;
constexpr uint32_t kWcOpFetchAdd = 4;
constexpr uint32_t kWcOpBindMw = 5;
constexpr uint32_t kWcOpLocalInv = 6;
constexpr uint32_t kWcOpRegMr = 8;
constexpr uint32_t kWcOpRecv = 128;
constexpr uint32_t kWcOpRecvWriteImm = 129;

constexpr uint32_t kQpReset = 0;
constexpr uint32_t kQpInit = 1;
constexpr uint32_t kQpRtr = 2;
constexpr uint32_t kQpRts = 3;
constexpr uint32_t kQpSqd = 4;
constexpr uint32_t kQpErr = 6;

constexpr uint32_t kAethAck = 0;
constexpr uint32_t kAethRnr = 1;
constexpr uint32_t kAethNak = 3;

constexpr uint32_t kSynAckNoCredits = 31;
constexpr uint32_t kSynRnrNak = 32;
constexpr uint32_t kSynNakSequence = 96;
constexpr uint32_t kSynNakInvalid = 97;
constexpr uint32_t kSynNakAccess = 98;
constexpr uint32_t kSynNakOperational = 99;

constexpr uint32_t kAccessLocalWrite = 0;
constexpr uint32_t kAccessRemoteWrite = 1;
constexpr uint32_t kAccessRemoteRead = 2;
constexpr uint32_t kAccessRemoteAtomic = 3;
constexpr uint32_t kAccessMwBind = 4;
constexpr uint32_t kAccessZeroBased = 5;

constexpr uint32_t kKeyKindRegion = 0;
constexpr uint32_t kKeyKindWindowType1 = 1;
constexpr uint32_t kKeyKindWindowType2 = 2;
constexpr uint32_t kKeyKindFastRegion = 3;

constexpr uint32_t kKeyOpInvalidate = 0;
constexpr uint32_t kKeyOpBind = 1;
constexpr uint32_t kKeyOpRegister = 2;

constexpr uint32_t kDropIcrc = 0;
constexpr uint32_t kDropMalformed = 1;
constexpr uint32_t kDropOverflow = 2;
constexpr uint32_t kDropUnknownQp = 3;
constexpr uint32_t kDropAddress = 4;
constexpr uint32_t kDropPkey = 5;
constexpr uint32_t kDropOpcode = 6;
constexpr uint32_t kDropGhost = 7;
constexpr uint32_t kDropDuplicate = 8;
constexpr uint32_t kDropOutOfSequence = 9;

constexpr uint32_t kEventCompletion = 1;
constexpr uint32_t kEventCqError = 2;
constexpr uint32_t kEventQpFatal = 3;
constexpr uint32_t kEventQpRequest = 4;
constexpr uint32_t kEventQpAccess = 5;
constexpr uint32_t kEventCommEst = 6;
constexpr uint32_t kEventSqDrained = 7;
constexpr uint32_t kEventSrqLimit = 8;
constexpr uint32_t kEventQpLastWqe = 9;
constexpr uint32_t kEventSrqError = 10;

constexpr uint32_t kVendorErrNone = 0;
constexpr uint32_t kVendorErrLocalKey = 1;
constexpr uint32_t kVendorErrLocalLength = 2;
constexpr uint32_t kVendorErrLocalFormat = 3;
constexpr uint32_t kVendorErrLocalFetch = 4;
constexpr uint32_t kVendorErrNoDepth = 5;
constexpr uint32_t kVendorErrKeyOperation = 6;
constexpr uint32_t kVendorErrPayload = 7;
constexpr uint32_t kVendorErrResponseKind = 16;
constexpr uint32_t kVendorErrResponseLength = 17;
constexpr uint32_t kVendorErrResponseSyndrome = 18;
constexpr uint32_t kVendorErrPlaceKey = 19;
constexpr uint32_t kVendorErrPlaceFetch = 20;
constexpr uint32_t kVendorErrRetryTimeout = 32;
constexpr uint32_t kVendorErrRetrySequence = 33;
constexpr uint32_t kVendorErrRetryImplied = 34;
constexpr uint32_t kVendorErrRetryRnr = 35;
constexpr uint32_t kVendorErrPeerNak = 48;

constexpr uint32_t kQpEventInitRequester = 0;
constexpr uint32_t kQpEventInitResponder = 1;
constexpr uint32_t kQpEventFlush = 2;

constexpr uint32_t kSchedState = 0;
constexpr uint32_t kSchedCommand = 1;
constexpr uint32_t kSchedSet = 2;
constexpr uint32_t kSchedSegment = 3;
constexpr uint32_t kSchedBell = 4;
constexpr uint32_t kSchedGrant = 5;

constexpr uint32_t kMessageData = 0;
constexpr uint32_t kMessageRead = 1;
constexpr uint32_t kMessageAtomic = 2;
constexpr uint32_t kMessageError = 3;

constexpr uint32_t kAskNone = 0;
constexpr uint32_t kAskRecover = 1;
constexpr uint32_t kAskRnr = 2;
constexpr uint32_t kAskFatal = 3;
constexpr uint32_t kAskSyndrome = 4;
constexpr uint32_t kAskData = 5;
constexpr uint32_t kAskAtomic = 6;

constexpr uint32_t kRequesterIdle = 0;
constexpr uint32_t kRequesterDispatch = 1;
constexpr uint32_t kRequesterPlan = 2;
constexpr uint32_t kRequesterOperate = 3;
constexpr uint32_t kRequesterAnswer = 4;
constexpr uint32_t kRequesterOperated = 5;
constexpr uint32_t kRequesterRetire = 6;
constexpr uint32_t kRequesterAct = 7;
constexpr uint32_t kRequesterPlace = 8;
constexpr uint32_t kRequesterPlaced = 9;
constexpr uint32_t kRequesterRecover = 10;
constexpr uint32_t kRequesterFail = 11;
constexpr uint32_t kRequesterFlush = 12;
constexpr uint32_t kRequesterEnd = 13;

constexpr uint32_t kResponderInNothing = 0;
constexpr uint32_t kResponderInSend = 1;
constexpr uint32_t kResponderInWrite = 2;

constexpr uint32_t kResponderAckNone = 0;
constexpr uint32_t kResponderAckAck = 1;
constexpr uint32_t kResponderAckNak = 2;
constexpr uint32_t kResponderAckFatal = 3;

constexpr uint32_t kVerdictIgnore = 0;
constexpr uint32_t kVerdictAhead = 1;
constexpr uint32_t kVerdictGap = 2;
constexpr uint32_t kVerdictReack = 3;
constexpr uint32_t kVerdictReplay = 4;
constexpr uint32_t kVerdictPeek = 5;
constexpr uint32_t kVerdictRnr = 6;
constexpr uint32_t kVerdictNak = 7;
constexpr uint32_t kVerdictSend = 8;
constexpr uint32_t kVerdictWrite = 9;
constexpr uint32_t kVerdictRead = 10;
constexpr uint32_t kVerdictAtomic = 11;

constexpr uint32_t kResponderKindEvent = 0;
constexpr uint32_t kResponderKindResult = 1;
constexpr uint32_t kResponderKindLive = 2;
constexpr uint32_t kResponderKindRequest = 3;
constexpr uint32_t kResponderKindStep = 4;
constexpr uint32_t kResponderKindFault = 5;

constexpr uint32_t kReceiveOpPeek = 0;
constexpr uint32_t kReceiveOpFree = 1;
constexpr uint32_t kReceiveOpInit = 2;
constexpr uint32_t kReceiveOpFlush = 3;

constexpr uint32_t kTimerOpStart = 0;
constexpr uint32_t kTimerOpRestart = 1;
constexpr uint32_t kTimerOpStop = 2;
constexpr uint32_t kTimerOpRnr = 3;

constexpr uint32_t kTableQpAttr = 0;
constexpr uint32_t kTableAv = 1;
constexpr uint32_t kTableQpState = 2;
constexpr uint32_t kTableKey = 3;
constexpr uint32_t kTableCq = 4;
constexpr uint32_t kTableQpCounters = 5;
constexpr uint32_t kTableQpLive = 6;
constexpr uint32_t kTableSrq = 7;
constexpr uint32_t kTableSrqLive = 8;
constexpr uint32_t kTableCqLive = 9;

constexpr uint32_t kQpCounterTxPackets = 0;
constexpr uint32_t kQpCounterTxBytes = 1;
constexpr uint32_t kQpCounterRxPackets = 2;
constexpr uint32_t kQpCounterRxBytes = 3;
constexpr uint32_t kQpCounterRetries = 4;
constexpr uint32_t kQpCounterTimeouts = 5;
constexpr uint32_t kQpCounterNaksSent = 6;
constexpr uint32_t kQpCounterNaksReceived = 7;

constexpr uint32_t kPortCounterDropFirst = 0;
constexpr uint32_t kPortCounterRxFrames = 10;
constexpr uint32_t kPortCounterRxBytes = 11;
constexpr uint32_t kPortCounterTxFrames = 12;
constexpr uint32_t kPortCounterTxBytes = 13;
constexpr uint32_t kPortCounterRxRoce = 14;
constexpr uint32_t kPortCounterRxEthernet = 15;

constexpr uint32_t kAdminOpQueryDevice = 1;
constexpr uint32_t kAdminOpQueryPort = 2;
constexpr uint32_t kAdminOpSetGid = 3;
constexpr uint32_t kAdminOpQueryGid = 4;
constexpr uint32_t kAdminOpCreateCq = 5;
constexpr uint32_t kAdminOpModifyCq = 6;
constexpr uint32_t kAdminOpDestroyCq = 7;
constexpr uint32_t kAdminOpCreateQp = 8;
constexpr uint32_t kAdminOpModifyQp = 9;
constexpr uint32_t kAdminOpQueryQp = 10;
constexpr uint32_t kAdminOpDestroyQp = 11;
constexpr uint32_t kAdminOpRegMr = 12;
constexpr uint32_t kAdminOpDeregMr = 13;
constexpr uint32_t kAdminOpResolveAddress = 14;
constexpr uint32_t kAdminOpAllocPd = 15;
constexpr uint32_t kAdminOpDeallocPd = 16;
constexpr uint32_t kAdminOpQueryCounters = 17;
constexpr uint32_t kAdminOpAllocMw = 18;
constexpr uint32_t kAdminOpDeallocMw = 19;
constexpr uint32_t kAdminOpAllocFastMr = 20;
constexpr uint32_t kAdminOpCreateSrq = 21;
constexpr uint32_t kAdminOpModifySrq = 22;
constexpr uint32_t kAdminOpQuerySrq = 23;
constexpr uint32_t kAdminOpDestroySrq = 24;
constexpr uint32_t kAdminOpResizeCq = 25;
constexpr uint32_t kAdminOpSetPkey = 26;
constexpr uint32_t kAdminOpQueryPkey = 27;
constexpr uint32_t kAdminOpReregMr = 28;

constexpr uint32_t kAdminStatusOk = 0;
constexpr uint32_t kAdminStatusBadOpcode = 1;
constexpr uint32_t kAdminStatusBadHandle = 2;
constexpr uint32_t kAdminStatusBadParameter = 3;
constexpr uint32_t kAdminStatusBadState = 4;
constexpr uint32_t kAdminStatusNoResource = 5;
constexpr uint32_t kAdminStatusBusy = 6;
constexpr uint32_t kAdminStatusUnreachable = 7;
constexpr uint32_t kAdminStatusHardwareError = 8;

constexpr uint32_t kQpMaskState = 0;
constexpr uint32_t kQpMaskCurState = 1;
constexpr uint32_t kQpMaskEnSqdAsyncNotify = 2;
constexpr uint32_t kQpMaskAccessFlags = 3;
constexpr uint32_t kQpMaskPkeyIndex = 4;
constexpr uint32_t kQpMaskPort = 5;
constexpr uint32_t kQpMaskAv = 7;
constexpr uint32_t kQpMaskPathMtu = 8;
constexpr uint32_t kQpMaskTimeout = 9;
constexpr uint32_t kQpMaskRetryCnt = 10;
constexpr uint32_t kQpMaskRnrRetry = 11;
constexpr uint32_t kQpMaskRqPsn = 12;
constexpr uint32_t kQpMaskMaxQpRdAtomic = 13;
constexpr uint32_t kQpMaskMinRnrTimer = 15;
constexpr uint32_t kQpMaskSqPsn = 16;
constexpr uint32_t kQpMaskMaxDestRdAtomic = 17;
constexpr uint32_t kQpMaskDestQpn = 20;

constexpr uint32_t kRegId = 0x0;
constexpr uint32_t kRegVersion = 0x4;
constexpr uint32_t kRegParameters = 0x8;
constexpr uint32_t kRegParameters2 = 0x18;
constexpr uint32_t kRegControl = 0xC;
constexpr uint32_t kRegTimeLo = 0x10;
constexpr uint32_t kRegTimeHi = 0x14;
constexpr uint32_t kRegAdminBaseLo = 0x20;
constexpr uint32_t kRegAdminBaseHi = 0x24;
constexpr uint32_t kRegAdminReplyLo = 0x28;
constexpr uint32_t kRegAdminReplyHi = 0x2C;
constexpr uint32_t kRegAdminSize = 0x30;
constexpr uint32_t kRegAdminDoorbell = 0x34;
constexpr uint32_t kRegAdminDone = 0x38;
constexpr uint32_t kRegEqBaseLo = 0x40;
constexpr uint32_t kRegEqBaseHi = 0x44;
constexpr uint32_t kRegEqSize = 0x48;
constexpr uint32_t kRegEqConsumer = 0x4C;
constexpr uint32_t kRegEqStatus = 0x50;
constexpr uint32_t kRegAttention = 0x1000;
constexpr uint32_t kRegTableCommand = 0x1010;
constexpr uint32_t kRegFenceCommand = 0x1014;
constexpr uint32_t kRegEngineEvent = 0x1018;
constexpr uint32_t kRegEventPost = 0x101C;
constexpr uint32_t kRegDmaAddressLo = 0x1020;
constexpr uint32_t kRegDmaAddressHi = 0x1024;
constexpr uint32_t kRegDmaCommand = 0x1028;
constexpr uint32_t kRegTxFrameCommand = 0x1030;
constexpr uint32_t kRegRxFrameStatus = 0x1034;
constexpr uint32_t kRegRxFramePop = 0x1038;
constexpr uint32_t kRegMacLo = 0x1040;
constexpr uint32_t kRegMacHi = 0x1044;
constexpr uint32_t kRegCounterSelect = 0x1050;
constexpr uint32_t kRegCounterLo = 0x1054;
constexpr uint32_t kRegCounterHi = 0x1058;
constexpr uint32_t kWinTableData = 0x1100;
constexpr uint32_t kWinTableDataBytes = 0x40;
constexpr uint32_t kWinDmaData = 0x1140;
constexpr uint32_t kWinDmaDataBytes = 0x40;
constexpr uint32_t kWinTxFrameData = 0x2000;
constexpr uint32_t kWinTxFrameDataBytes = 0x600;
constexpr uint32_t kWinRxFrameData = 0x3000;
constexpr uint32_t kWinRxFrameDataBytes = 0x600;
constexpr uint32_t kWinQpDoorbell = 0x100000;
constexpr uint32_t kWinQpDoorbellBytes = 0x80000;
constexpr uint32_t kWinCqDoorbell = 0x180000;
constexpr uint32_t kWinCqDoorbellBytes = 0x80000;
constexpr uint32_t kCommandBytes = 128;
constexpr uint32_t kCommandBodyOffset = 8;
constexpr uint32_t kBlockBytes = 64;
constexpr uint32_t kMaxSge = 13;
constexpr uint32_t kMaxInline = 192;
constexpr uint32_t kMaxStrideLog = 2;
constexpr uint64_t kMaxMessage = 2147483648u;

namespace ethernet {
constexpr Place dst_mac = {0, 48};
constexpr Place src_mac = {48, 48};
constexpr Place ethertype = {96, 16};
constexpr unsigned kBytes = 14;
}  // namespace ethernet

namespace vlan {
constexpr Place pcp = {0, 3};
constexpr Place dei = {3, 1};
constexpr Place vid = {4, 12};
constexpr Place ethertype = {16, 16};
constexpr unsigned kBytes = 4;
}  // namespace vlan

namespace ipv4 {
constexpr Place version = {0, 4};
constexpr Place ihl = {4, 4};
constexpr Place tos = {8, 8};
constexpr Place total_length = {16, 16};
constexpr Place identification = {32, 16};
constexpr Place flags = {48, 3};
constexpr Place fragment_offset = {51, 13};
constexpr Place ttl = {64, 8};
constexpr Place protocol = {72, 8};
constexpr Place checksum = {80, 16};
constexpr Place src_ip = {96, 32};
constexpr Place dst_ip = {128, 32};
constexpr unsigned kBytes = 20;
}  // namespace ipv4

namespace ipv6 {
constexpr Place version = {0, 4};
constexpr Place traffic_class = {4, 8};
constexpr Place flow_label = {12, 20};
constexpr Place payload_length = {32, 16};
constexpr Place next_header = {48, 8};
constexpr Place hop_limit = {56, 8};
constexpr Place src_ip = {64, 128};
constexpr Place dst_ip = {192, 128};
constexpr unsigned kBytes = 40;
}  // namespace ipv6

namespace udp {
constexpr Place src_port = {0, 16};
constexpr Place dst_port = {16, 16};
constexpr Place length = {32, 16};
constexpr Place checksum = {48, 16};
constexpr unsigned kBytes = 8;
}  // namespace udp

namespace bth {
constexpr Place opcode = {0, 8};
constexpr Place solicited = {8, 1};
constexpr Place mig_req = {9, 1};
constexpr Place pad_count = {10, 2};
constexpr Place version = {12, 4};
constexpr Place pkey = {16, 16};
constexpr Place fecn = {32, 1};
constexpr Place becn = {33, 1};
constexpr Place reserved6 = {34, 6};
constexpr Place dest_qp = {40, 24};
constexpr Place ack_req = {64, 1};
constexpr Place reserved7 = {65, 7};
constexpr Place psn = {72, 24};
constexpr unsigned kBytes = 12;
}  // namespace bth

namespace reth {
constexpr Place va = {0, 64};
constexpr Place rkey = {64, 32};
constexpr Place dma_length = {96, 32};
constexpr unsigned kBytes = 16;
}  // namespace reth

namespace atomic_eth {
constexpr Place va = {0, 64};
constexpr Place rkey = {64, 32};
constexpr Place swap_add = {96, 64};
constexpr Place compare = {160, 64};
constexpr unsigned kBytes = 28;
}  // namespace atomic_eth

namespace aeth {
constexpr Place syndrome = {0, 8};
constexpr Place msn = {8, 24};
constexpr unsigned kBytes = 4;
}  // namespace aeth

namespace atomic_ack_eth {
constexpr Place original = {0, 64};
constexpr unsigned kBytes = 8;
}  // namespace atomic_ack_eth

namespace imm_dt {
constexpr Place immediate = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace imm_dt

namespace ieth {
constexpr Place rkey = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace ieth

namespace deth {
constexpr Place qkey = {0, 32};
constexpr Place reserved = {32, 8};
constexpr Place src_qp = {40, 24};
constexpr unsigned kBytes = 8;
}  // namespace deth

namespace arp {
constexpr Place hardware_type = {0, 16};
constexpr Place protocol_type = {16, 16};
constexpr Place hardware_length = {32, 8};
constexpr Place protocol_length = {40, 8};
constexpr Place operation = {48, 16};
constexpr Place sender_mac = {64, 48};
constexpr Place sender_ip = {112, 32};
constexpr Place target_mac = {144, 48};
constexpr Place target_ip = {192, 32};
constexpr unsigned kBytes = 28;
}  // namespace arp

namespace wqe {
constexpr Place opcode = {0, 8};
constexpr Place signaled = {8, 1};
constexpr Place solicited = {9, 1};
constexpr Place fence = {10, 1};
constexpr Place inline_data = {11, 1};
constexpr Place reserved0 = {12, 4};
constexpr Place num_sge = {16, 8};
constexpr Place reserved1 = {24, 8};
constexpr Place imm = {32, 32};
constexpr Place length = {64, 32};
constexpr Place rkey = {96, 32};
constexpr Place remote_addr = {128, 64};
constexpr Place swap_add = {192, 64};
constexpr Place compare = {256, 64};
constexpr Place reserved2 = {320, 64};
constexpr Place sge0_addr = {384, 64};
constexpr Place sge0_length = {448, 32};
constexpr Place sge0_lkey = {480, 32};
constexpr unsigned kBytes = 64;
}  // namespace wqe

namespace sge {
constexpr Place addr = {0, 64};
constexpr Place length = {64, 32};
constexpr Place lkey = {96, 32};
constexpr unsigned kBytes = 16;
}  // namespace sge

namespace cqe {
constexpr Place wqe_index = {0, 16};
constexpr Place status = {16, 8};
constexpr Place opcode = {24, 8};
constexpr Place byte_len = {32, 32};
constexpr Place imm = {64, 32};
constexpr Place reserved0 = {96, 32};
constexpr Place qpn = {128, 24};
constexpr Place vendor_err = {152, 8};
constexpr Place reserved1 = {160, 64};
constexpr Place with_imm = {224, 1};
constexpr Place solicited = {225, 1};
constexpr Place with_inv = {226, 1};
constexpr Place reserved2 = {227, 28};
constexpr Place owner = {255, 1};
constexpr unsigned kBytes = 32;
}  // namespace cqe

namespace eqe {
constexpr Place kind = {0, 8};
constexpr Place reserved0 = {8, 24};
constexpr Place number = {32, 24};
constexpr Place reserved1 = {56, 7};
constexpr Place owner = {63, 1};
constexpr Place reserved2 = {64, 64};
constexpr unsigned kBytes = 16;
}  // namespace eqe

namespace qp_attr {
constexpr Place pd = {0, 16};
constexpr Place pasid = {16, 20};
constexpr Place access = {36, 4};
constexpr Place pmtu = {40, 3};
constexpr Place retry_cnt = {43, 3};
constexpr Place rnr_retry = {46, 3};
constexpr Place timeout = {49, 5};
constexpr Place min_rnr_timer = {54, 5};
constexpr Place max_rd_atomic = {59, 5};
constexpr Place max_dest_rd_atomic = {64, 5};
constexpr Place send_cqn = {69, 16};
constexpr Place recv_cqn = {85, 16};
constexpr Place sq_base = {101, 64};
constexpr Place sq_log = {165, 4};
constexpr Place sq_stride_log = {169, 2};
constexpr Place rq_base = {171, 64};
constexpr Place rq_log = {235, 4};
constexpr Place rq_stride_log = {239, 2};
constexpr Place sq_psn = {241, 24};
constexpr Place rq_psn = {265, 24};
constexpr Place srq = {289, 1};
constexpr Place srqn = {290, 16};
constexpr Place credits = {306, 1};
constexpr unsigned kBytes = 39;
}  // namespace qp_attr

namespace av {
constexpr Place dst_mac = {0, 48};
constexpr Place src_mac = {48, 48};
constexpr Place dst_ip = {96, 128};
constexpr Place src_ip = {224, 128};
constexpr Place ipv6 = {352, 1};
constexpr Place vlan = {353, 1};
constexpr Place vlan_tci = {354, 16};
constexpr Place traffic_class = {370, 8};
constexpr Place hop_limit = {378, 8};
constexpr Place flow_label = {386, 20};
constexpr Place src_port = {406, 16};
constexpr Place pkey = {422, 16};
constexpr Place dest_qpn = {438, 24};
constexpr Place roce_v1 = {462, 1};
constexpr unsigned kBytes = 58;
}  // namespace av

namespace key {
constexpr Place valid = {0, 1};
constexpr Place variant = {1, 8};
constexpr Place pd = {9, 16};
constexpr Place access = {25, 6};
constexpr Place pasid = {31, 20};
constexpr Place iova = {51, 64};
constexpr Place length = {115, 64};
constexpr Place addr = {179, 64};
constexpr Place kind = {243, 2};
constexpr Place remote_only = {245, 1};
constexpr Place qpn = {246, 24};
constexpr Place parent = {270, 24};
constexpr unsigned kBytes = 37;
}  // namespace key

namespace cq {
constexpr Place valid = {0, 1};
constexpr Place pasid = {1, 20};
constexpr Place base = {21, 64};
constexpr Place log = {85, 5};
constexpr Place moderation_count = {90, 16};
constexpr Place moderation_period = {106, 16};
constexpr Place resize = {122, 1};
constexpr unsigned kBytes = 16;
}  // namespace cq

namespace srq {
constexpr Place valid = {0, 1};
constexpr Place pd = {1, 16};
constexpr Place pasid = {17, 20};
constexpr Place base = {37, 64};
constexpr Place log = {101, 4};
constexpr Place stride_log = {105, 2};
constexpr Place limit = {107, 16};
constexpr unsigned kBytes = 16;
}  // namespace srq

namespace qp_live {
constexpr Place sq_psn = {0, 24};
constexpr Place rq_psn = {24, 24};
constexpr Place sq_una_psn = {48, 24};
constexpr Place msn = {72, 24};
constexpr Place sq_completed = {96, 16};
constexpr Place sq_idle = {112, 1};
constexpr unsigned kBytes = 15;
}  // namespace qp_live

namespace srq_live {
constexpr Place producer = {0, 16};
constexpr Place consumer = {16, 16};
constexpr Place limit = {32, 16};
constexpr unsigned kBytes = 6;
}  // namespace srq_live

namespace cq_live {
constexpr Place producer = {0, 16};
constexpr Place overflowed = {16, 1};
constexpr Place consumer = {17, 16};
constexpr Place pass = {33, 1};
constexpr unsigned kBytes = 5;
}  // namespace cq_live

namespace command_header {
constexpr Place opcode = {0, 16};
constexpr Place tag = {16, 16};
constexpr Place reserved = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace command_header

namespace reply_header {
constexpr Place status = {0, 16};
constexpr Place tag = {16, 16};
constexpr Place detail = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace reply_header

namespace query_device_reply {
constexpr Place max_qp = {0, 32};
constexpr Place max_cq = {32, 32};
constexpr Place max_mr = {64, 32};
constexpr Place max_pd = {96, 32};
constexpr Place max_qp_wr = {128, 32};
constexpr Place max_cqe = {160, 32};
constexpr Place max_sge = {192, 32};
constexpr Place max_inline = {224, 32};
constexpr Place max_rd_atomic = {256, 32};
constexpr Place max_gid = {288, 32};
constexpr Place max_message = {320, 64};
constexpr Place fw_version = {384, 32};
constexpr Place max_srq = {416, 32};
constexpr Place max_srq_wr = {448, 32};
constexpr Place max_pkeys = {480, 32};
constexpr Place max_mw = {512, 32};
constexpr unsigned kBytes = 68;
}  // namespace query_device_reply

namespace query_port_reply {
constexpr Place state = {0, 8};
constexpr Place max_mtu = {8, 8};
constexpr Place active_mtu = {16, 8};
constexpr Place reserved = {24, 8};
constexpr Place pkey = {32, 16};
constexpr Place mac = {48, 48};
constexpr unsigned kBytes = 12;
}  // namespace query_port_reply

namespace set_gid {
constexpr Place index = {0, 16};
constexpr Place vlan = {16, 1};
constexpr Place reserved = {17, 3};
constexpr Place vid = {20, 12};
constexpr Place roce_v1 = {32, 1};
constexpr Place reserved1 = {33, 31};
constexpr Place gid_hi = {64, 64};
constexpr Place gid_lo = {128, 64};
constexpr unsigned kBytes = 24;
}  // namespace set_gid

namespace query_gid {
constexpr Place index = {0, 16};
constexpr unsigned kBytes = 2;
}  // namespace query_gid

namespace query_gid_reply {
constexpr Place vlan = {0, 1};
constexpr Place reserved = {1, 3};
constexpr Place vid = {4, 12};
constexpr Place roce_v1 = {16, 1};
constexpr Place reserved1 = {17, 47};
constexpr Place gid_hi = {64, 64};
constexpr Place gid_lo = {128, 64};
constexpr unsigned kBytes = 24;
}  // namespace query_gid_reply

namespace create_cq {
constexpr Place log_entries = {0, 8};
constexpr Place reserved = {8, 24};
constexpr Place pasid = {32, 32};
constexpr Place base = {64, 64};
constexpr unsigned kBytes = 16;
}  // namespace create_cq

namespace create_cq_reply {
constexpr Place cqn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace create_cq_reply

namespace modify_cq {
constexpr Place cqn = {0, 32};
constexpr Place count = {32, 16};
constexpr Place period = {48, 16};
constexpr unsigned kBytes = 8;
}  // namespace modify_cq

namespace destroy_cq {
constexpr Place cqn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace destroy_cq

namespace create_qp {
constexpr Place pd = {0, 32};
constexpr Place pasid = {32, 32};
constexpr Place send_cqn = {64, 32};
constexpr Place recv_cqn = {96, 32};
constexpr Place sq_base = {128, 64};
constexpr Place rq_base = {192, 64};
constexpr Place sq_log = {256, 8};
constexpr Place sq_stride_log = {264, 8};
constexpr Place rq_log = {272, 8};
constexpr Place rq_stride_log = {280, 8};
constexpr Place srq = {288, 8};
constexpr Place credits = {296, 8};
constexpr Place reserved = {304, 16};
constexpr Place srqn = {320, 32};
constexpr unsigned kBytes = 44;
}  // namespace create_qp

namespace create_qp_reply {
constexpr Place qpn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace create_qp_reply

namespace qp_attributes {
constexpr Place qpn = {0, 32};
constexpr Place attr_mask = {32, 32};
constexpr Place state = {64, 8};
constexpr Place cur_state = {72, 8};
constexpr Place path_mtu = {80, 8};
constexpr Place access = {88, 8};
constexpr Place pkey_index = {96, 16};
constexpr Place port = {112, 8};
constexpr Place timeout = {120, 8};
constexpr Place retry_cnt = {128, 8};
constexpr Place rnr_retry = {136, 8};
constexpr Place min_rnr_timer = {144, 8};
constexpr Place max_rd_atomic = {152, 8};
constexpr Place max_dest_rd_atomic = {160, 8};
constexpr Place sgid_index = {168, 8};
constexpr Place hop_limit = {176, 8};
constexpr Place traffic_class = {184, 8};
constexpr Place dest_qpn = {192, 32};
constexpr Place sq_psn = {224, 32};
constexpr Place rq_psn = {256, 32};
constexpr Place flow_label = {288, 32};
constexpr Place dgid_hi = {320, 64};
constexpr Place dgid_lo = {384, 64};
constexpr Place dst_mac = {448, 48};
constexpr Place sl = {496, 8};
constexpr Place flags = {504, 8};
constexpr unsigned kBytes = 64;
}  // namespace qp_attributes

namespace query_qp {
constexpr Place qpn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace query_qp

namespace destroy_qp {
constexpr Place qpn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace destroy_qp

namespace reg_mr {
constexpr Place pd = {0, 32};
constexpr Place access = {32, 32};
constexpr Place pasid = {64, 32};
constexpr Place reserved = {96, 32};
constexpr Place iova = {128, 64};
constexpr Place length = {192, 64};
constexpr Place addr = {256, 64};
constexpr unsigned kBytes = 40;
}  // namespace reg_mr

namespace reg_mr_reply {
constexpr Place key = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace reg_mr_reply

namespace rereg_mr {
constexpr Place key = {0, 32};
constexpr Place what = {32, 32};
constexpr Place pd = {64, 32};
constexpr Place access = {96, 32};
constexpr Place iova = {128, 64};
constexpr Place length = {192, 64};
constexpr Place addr = {256, 64};
constexpr unsigned kBytes = 40;
}  // namespace rereg_mr

namespace dereg_mr {
constexpr Place key = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace dereg_mr

namespace alloc_mw {
constexpr Place pd = {0, 32};
constexpr Place kind = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace alloc_mw

namespace alloc_mw_reply {
constexpr Place key = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace alloc_mw_reply

namespace dealloc_mw {
constexpr Place key = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace dealloc_mw

namespace alloc_fast_mr {
constexpr Place pd = {0, 32};
constexpr Place pasid = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace alloc_fast_mr

namespace alloc_fast_mr_reply {
constexpr Place key = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace alloc_fast_mr_reply

namespace create_srq {
constexpr Place pd = {0, 32};
constexpr Place pasid = {32, 32};
constexpr Place base = {64, 64};
constexpr Place log = {128, 8};
constexpr Place stride_log = {136, 8};
constexpr Place limit = {144, 16};
constexpr unsigned kBytes = 20;
}  // namespace create_srq

namespace create_srq_reply {
constexpr Place srqn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace create_srq_reply

namespace modify_srq {
constexpr Place srqn = {0, 32};
constexpr Place limit = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace modify_srq

namespace query_srq {
constexpr Place srqn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace query_srq

namespace query_srq_reply {
constexpr Place limit = {0, 32};
constexpr Place filled = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace query_srq_reply

namespace destroy_srq {
constexpr Place srqn = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace destroy_srq

namespace resize_cq {
constexpr Place cqn = {0, 32};
constexpr Place log_entries = {32, 8};
constexpr Place reserved = {40, 8};
constexpr Place consumer = {48, 16};
constexpr Place base = {64, 64};
constexpr unsigned kBytes = 16;
}  // namespace resize_cq

namespace set_pkey {
constexpr Place index = {0, 16};
constexpr Place pkey = {16, 16};
constexpr unsigned kBytes = 4;
}  // namespace set_pkey

namespace query_pkey {
constexpr Place index = {0, 16};
constexpr unsigned kBytes = 2;
}  // namespace query_pkey

namespace query_pkey_reply {
constexpr Place pkey = {0, 16};
constexpr unsigned kBytes = 2;
}  // namespace query_pkey_reply

namespace resolve_address {
constexpr Place sgid_index = {0, 32};
constexpr Place reserved = {32, 32};
constexpr Place dgid_hi = {64, 64};
constexpr Place dgid_lo = {128, 64};
constexpr unsigned kBytes = 24;
}  // namespace resolve_address

namespace resolve_address_reply {
constexpr Place mac = {0, 48};
constexpr unsigned kBytes = 6;
}  // namespace resolve_address_reply

namespace alloc_pd_reply {
constexpr Place pd = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace alloc_pd_reply

namespace dealloc_pd {
constexpr Place pd = {0, 32};
constexpr unsigned kBytes = 4;
}  // namespace dealloc_pd

namespace query_counters {
constexpr Place of_qp = {0, 32};
constexpr Place qpn = {32, 32};
constexpr unsigned kBytes = 8;
}  // namespace query_counters

namespace port_counters_reply {
constexpr Place drop_icrc = {0, 48};
constexpr Place drop_malformed = {48, 48};
constexpr Place drop_overflow = {96, 48};
constexpr Place drop_unknown_qp = {144, 48};
constexpr Place drop_address = {192, 48};
constexpr Place drop_pkey = {240, 48};
constexpr Place drop_opcode = {288, 48};
constexpr Place drop_ghost = {336, 48};
constexpr Place drop_duplicate = {384, 48};
constexpr Place drop_out_of_sequence = {432, 48};
constexpr Place rx_frames = {480, 48};
constexpr Place rx_bytes = {528, 48};
constexpr Place tx_frames = {576, 48};
constexpr Place tx_bytes = {624, 48};
constexpr Place rx_roce = {672, 48};
constexpr Place rx_ethernet = {720, 48};
constexpr unsigned kBytes = 96;
}  // namespace port_counters_reply

namespace qp_counters_reply {
constexpr Place tx_packets = {0, 64};
constexpr Place tx_bytes = {64, 64};
constexpr Place rx_packets = {128, 64};
constexpr Place rx_bytes = {192, 64};
constexpr Place retries = {256, 64};
constexpr Place timeouts = {320, 64};
constexpr Place naks_sent = {384, 64};
constexpr Place naks_received = {448, 64};
constexpr unsigned kBytes = 64;
}  // namespace qp_counters_reply

}  // namespace layout
}  // namespace roci
