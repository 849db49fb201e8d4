// SPDX-License-Identifier: Apache-2.0
// All tables of model/spec with their names, in the order in which every output lists them.
#pragma once

#include "model/spec/codes.hpp"
#include "model/spec/commands.hpp"
#include "model/spec/context.hpp"
#include "model/spec/headers.hpp"
#include "model/spec/queues.hpp"
#include "model/spec/records.hpp"
#include "model/spec/registers.hpp"

namespace roci::spec {

/// Headers, big-endian.
template <typename Visitor>
void each_wire_layout(Visitor visit) {
  visit("ethernet", "Ethernet header", kEthernet);
  visit("vlan", "VLAN tag", kVlan);
  visit("ipv4", "IPv4 header", kIpv4);
  visit("ipv6", "IPv6 header", kIpv6);
  visit("udp", "UDP header", kUdp);
  visit("bth", "Base transport header (BTH)", kBth);
  visit("reth", "RDMA extended transport header (RETH)", kReth);
  visit("atomic_eth", "Atomic extended transport header (AtomicETH)", kAtomicEth);
  visit("aeth", "ACK extended transport header (AETH)", kAeth);
  visit("atomic_ack_eth", "Atomic ACK extended transport header (AtomicAckETH)", kAtomicAckEth);
  visit("imm_dt", "Immediate data (ImmDt)", kImmDt);
  visit("ieth", "Invalidate extended transport header (IETH)", kIeth);
  visit("deth", "Datagram extended transport header (DETH)", kDeth);
  visit("arp", "ARP packet", kArp);
}

/// Entries of queues in host memory.
template <typename Visitor>
void each_memory_layout(Visitor visit) {
  visit("wqe", "Work queue entry, block 0", kWqe);
  visit("ud_wqe", "Work queue entry, block 0, of a send of a UD queue pair", kUdWqe);
  visit("sge", "Scatter/gather entry", kSge);
  visit("cqe", "Completion queue entry", kCqe);
  visit("ud_cqe", "Completion queue entry of a receive of a UD queue pair", kUdCqe);
  visit("eqe", "Event queue entry", kEqe);
}

/// Rows of the adapter's tables.
template <typename Visitor>
void each_table_row(Visitor visit) {
  visit("qp_attr", "Queue pair attributes", kQpAttr);
  visit("av", "Address vector", kAv);
  visit("qp_service", "Transport service of a queue pair", kQpService);
  visit("ah", "Address handle", kAh);
  visit("gid", "GID of the port", kGid);
  visit("multicast", "Queue pair of a multicast group", kMulticast);
  visit("key", "Memory key", kKey);
  visit("cq", "Completion queue", kCq);
  visit("srq", "Shared receive queue", kSrq);
  visit("qp_state", "Queue pair state", kQpStateRow);
  visit("qp_live", "Live queue pair state", kQpLive);
  visit("srq_live", "Live shared receive queue state", kSrqLive);
  visit("cq_live", "Live completion queue state", kCqLive);
}

/// Records that travel between blocks of the RTL.
template <typename Visitor>
void each_record(Visitor visit) {
  visit("tx_desc", "", kTxDesc);
  visit("row_write", "", kRowWrite);
  visit("block_read_req", "", kBlockReadReq);
  visit("block_read_rsp", "", kBlockReadRsp);
  visit("block_write_req", "", kBlockWriteReq);
  visit("block_write_rsp", "", kBlockWriteRsp);
  visit("sent", "", kSent);
  visit("frame_stat", "", kFrameStat);
  visit("seg", "", kSeg);
  visit("rx_frame", "", kRxFrame);
  visit("rx_meta", "", kRxMeta);
  visit("grh", "", kGrh);
  visit("pay_hdr", "", kPayHdr);
  visit("ext_reth", "", kExtReth);
  visit("ext_aeth", "", kExtAeth);
  visit("ext_imm_dt", "", kExtImmDt);
  visit("ext_deth", "", kExtDeth);
  visit("ext_datagram", "", kExtDatagram);
  visit("plan", "", kPlan);
  visit("grant", "", kGrant);
  visit("segment_job", "", kSegmentJob);
  visit("fetch_ptr", "", kFetchPtr);
  visit("sq_control", "", kSqControl);
  visit("post_word", "", kPostWord);
  visit("doorbell", "", kDoorbell);
  visit("key_req", "", kKeyReq);
  visit("key_rsp", "", kKeyRsp);
  visit("key_op_req", "", kKeyOpReq);
  visit("key_op_rsp", "", kKeyOpRsp);
  visit("cqe_req", "", kCqeReq);
  visit("event_req", "", kEventReq);
  visit("fault", "", kFault);
  visit("atomic_job", "", kAtomicJob);
  visit("atomic_done", "", kAtomicDone);
  visit("sched_qp", "", kSchedQp);
  visit("requester_qp", "", kRequesterQp);
  visit("requester_entry", "", kRequesterEntry);
  visit("requester_run", "", kRequesterRun);
  visit("requester_look", "", kRequesterLook);
  visit("requester_step", "", kRequesterStep);
  visit("responder_qp", "", kResponderQp);
  visit("responder_slot", "", kResponderSlot);
  visit("receive_ring", "", kReceiveRing);
  visit("receive_cmd", "", kReceiveCmd);
  visit("receive_rsp", "", kReceiveRsp);
  visit("timer_cmd", "", kTimerCmd);
  visit("timer_event", "", kTimerEvent);
  visit("cq_doorbell", "", kCqDoorbell);
  visit("cq_ring", "", kCqRing);
  visit("qp_event", "", kQpEvent);
  visit("count", "", kCount);
}

/// Fields of registers that hold more than one number.
template <typename Visitor>
void each_register(Visitor visit) {
  visit("parameters", "Parameters", kParameters);
  visit("parameters2", "Parameters2", kParameters2);
  visit("parameters3", "Parameters3", kParameters3);
  visit("control", "Control", kControl);
  visit("admin_size", "AdminSize", kAdminSize);
  visit("admin_doorbell", "AdminDoorbell", kAdminDoorbell);
  visit("admin_done", "AdminDone", kAdminDone);
  visit("eq_size", "EqSize", kEqSize);
  visit("eq_consumer", "EqConsumer", kEqConsumer);
  visit("eq_status", "EqStatus", kEqStatus);
  visit("attention", "Attention", kAttention);
  visit("table_command", "TableCommand", kTableCommand);
  visit("fence_command", "FenceCommand", kFenceCommand);
  visit("engine_event", "EngineEvent", kEngineEvent);
  visit("event_post", "EventPost", kEventPost);
  visit("dma_command", "DmaCommand", kDmaCommand);
  visit("tx_frame_command", "TxFrameCommand", kTxFrameCommand);
  visit("rx_frame_status", "RxFrameStatus", kRxFrameStatus);
  visit("mac_hi", "MacHi", kMacHi);
  visit("counter_select", "CounterSelect", kCounterSelect);
  visit("cq_arm", "CqArm, a word of CqDoorbell", kCqArm);
}

/// Bodies of admin commands and of their replies.
template <typename Visitor>
void each_command(Visitor visit) {
  visit("command_header", "Command header", kCommandHeader);
  visit("reply_header", "Reply header", kReplyHeader);
  visit("query_device_reply", "QueryDevice reply", kQueryDeviceReply);
  visit("query_port_reply", "QueryPort reply", kQueryPortReply);
  visit("set_gid", "SetGid", kSetGid);
  visit("query_gid", "QueryGid", kQueryGid);
  visit("query_gid_reply", "QueryGid reply", kQueryGidReply);
  visit("create_cq", "CreateCq", kCreateCq);
  visit("create_cq_reply", "CreateCq reply", kCreateCqReply);
  visit("modify_cq", "ModifyCq", kModifyCq);
  visit("destroy_cq", "DestroyCq", kDestroyCq);
  visit("create_qp", "CreateQp", kCreateQp);
  visit("create_qp_reply", "CreateQp reply", kCreateQpReply);
  visit("qp_attributes", "ModifyQp, QueryQp reply", kQpAttributes);
  visit("create_ah", "CreateAh", kCreateAh);
  visit("create_ah_reply", "CreateAh reply", kCreateAhReply);
  visit("destroy_ah", "DestroyAh", kDestroyAh);
  visit("attach_multicast", "AttachMulticast", kAttachMulticast);
  visit("attach_multicast_reply", "AttachMulticast reply", kAttachMulticastReply);
  visit("detach_multicast", "DetachMulticast", kDetachMulticast);
  visit("query_qp", "QueryQp", kQueryQp);
  visit("destroy_qp", "DestroyQp", kDestroyQp);
  visit("reg_mr", "RegMr", kRegMr);
  visit("reg_mr_reply", "RegMr reply", kRegMrReply);
  visit("rereg_mr", "ReregMr", kReregMr);
  visit("dereg_mr", "DeregMr", kDeregMr);
  visit("alloc_mw", "AllocMw", kAllocMw);
  visit("alloc_mw_reply", "AllocMw reply", kAllocMwReply);
  visit("dealloc_mw", "DeallocMw", kDeallocMw);
  visit("alloc_fast_mr", "AllocFastMr", kAllocFastMr);
  visit("alloc_fast_mr_reply", "AllocFastMr reply", kAllocFastMrReply);
  visit("create_srq", "CreateSrq", kCreateSrq);
  visit("create_srq_reply", "CreateSrq reply", kCreateSrqReply);
  visit("modify_srq", "ModifySrq", kModifySrq);
  visit("query_srq", "QuerySrq", kQuerySrq);
  visit("query_srq_reply", "QuerySrq reply", kQuerySrqReply);
  visit("destroy_srq", "DestroySrq", kDestroySrq);
  visit("resize_cq", "ResizeCq", kResizeCq);
  visit("set_pkey", "SetPkey", kSetPkey);
  visit("query_pkey", "QueryPkey", kQueryPkey);
  visit("query_pkey_reply", "QueryPkey reply", kQueryPkeyReply);
  visit("resolve_address", "ResolveAddress", kResolveAddress);
  visit("resolve_address_reply", "ResolveAddress reply", kResolveAddressReply);
  visit("alloc_pd_reply", "AllocPd reply", kAllocPdReply);
  visit("dealloc_pd", "DeallocPd", kDeallocPd);
  visit("query_counters", "QueryCounters", kQueryCounters);
  visit("port_counters_reply", "QueryCounters reply, port", kPortCountersReply);
  visit("qp_counters_reply", "QueryCounters reply, queue pair", kQpCountersReply);
}

/// How C++ spells a group of codes.
enum class Kind {
  kEnum,    ///< enum class
  kNumber,  ///< constants in a namespace
  kHex,     ///< the same, in hexadecimal
  kBit,     ///< masks in a namespace: the codes are numbers of bits
};

struct Group {
  const char* prefix;  ///< in front of the names in SystemVerilog
  unsigned bits;
  const char* name;  ///< type or namespace in C++
  Kind kind;
};

template <typename Visitor>
void each_code_group(Visitor visit) {
  visit({"EtherType", 16, "ethertype", Kind::kHex}, kEtherTypes);
  visit({"", 16, "protocol", Kind::kNumber}, kProtocol);
  visit({"WrOp", 8, "WrOp", Kind::kEnum}, kWrOps);
  visit({"Status", 8, "Status", Kind::kEnum}, kStatuses);
  visit({"WcOp", 8, "WcOp", Kind::kEnum}, kWcOps);
  visit({"Qp", 3, "QpState", Kind::kEnum}, kQpStates);
  visit({"Service", 2, "Service", Kind::kEnum}, kServices);
  visit({"Option", 3, "Option", Kind::kEnum}, kOptions);
  visit({"Aeth", 3, "AethKind", Kind::kEnum}, kAethKinds);
  visit({"Syn", 8, "syndrome", Kind::kHex}, kSyndromes);
  visit({"Access", 4, "access", Kind::kBit}, kAccess);
  visit({"KeyKind", 2, "KeyKind", Kind::kEnum}, kKeyKinds);
  visit({"KeyOp", 2, "KeyOp", Kind::kEnum}, kKeyOps);
  visit({"Drop", 4, "DropCause", Kind::kEnum}, kDropCauses);
  visit({"Event", 8, "EventKind", Kind::kEnum}, kEvents);
  visit({"VendorErr", 8, "VendorErr", Kind::kEnum}, kVendorErrs);
  visit({"QpEvent", 2, "QpEvent", Kind::kEnum}, kQpEvents);
  visit({"Fail", 8, "FailKind", Kind::kEnum}, kFailKinds);
  visit({"Sched", 3, "SchedEvent", Kind::kEnum}, kSchedEvents);
  visit({"Message", 2, "MessageKind", Kind::kEnum}, kMessageKinds);
  visit({"Ask", 3, "ResponseAsk", Kind::kEnum}, kResponseAsks);
  visit({"Requester", 4, "RequesterState", Kind::kEnum}, kRequesterStates);
  visit({"ResponderIn", 2, "ResponderIn", Kind::kEnum}, kResponderIn);
  visit({"ResponderAck", 2, "ResponderAck", Kind::kEnum}, kResponderAcks);
  visit({"Verdict", 4, "Verdict", Kind::kEnum}, kVerdicts);
  visit({"ResponderKind", 3, "ResponderKind", Kind::kEnum}, kResponderKinds);
  visit({"ReceiveOp", 2, "ReceiveOp", Kind::kEnum}, kReceiveOps);
  visit({"AtomicOp", 2, "AtomicOp", Kind::kEnum}, kAtomicOps);
  visit({"TimerOp", 2, "TimerOp", Kind::kEnum}, kTimerOps);
  visit({"CqOp", 3, "CqOp", Kind::kEnum}, kCqOps);
  visit({"CqArmed", 2, "CqArmed", Kind::kEnum}, kCqArmed);
  visit({"Table", 4, "Table", Kind::kEnum}, kTables);
  visit({"QpCounter", 3, "QpCounter", Kind::kEnum}, kQpCounters);
  visit({"PortCounter", 8, "PortCounter", Kind::kEnum}, kPortCounters);
  visit({"AdminOp", 16, "AdminOp", Kind::kEnum}, kAdminOps);
  visit({"AdminStatus", 16, "AdminStatus", Kind::kEnum}, kAdminStatuses);
  visit({"QpMask", 8, "qp_mask", Kind::kBit}, kQpMask);
}

}  // namespace roci::spec
