// SPDX-License-Identifier: Apache-2.0
// Writes what the tables of model/spec say in the other languages of the project:
//   emit sv         rtl/roci_pkg.sv
//   emit firmware   firmware/hal/layout.h
//   emit wire       docs/wire_formats.md
//   emit memory     docs/queues.md
//   emit registers  docs/registers.md
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>

#include "spec/codes.hpp"
#include "spec/commands.hpp"
#include "spec/context.hpp"
#include "spec/headers.hpp"
#include "spec/queues.hpp"
#include "spec/records.hpp"
#include "spec/registers.hpp"

namespace {

using namespace roci::spec;

std::string str(std::string_view text) { return std::string(text); }

/// Every layout with its name, in one place for all outputs.
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

template <typename Visitor>
void each_memory_layout(Visitor visit) {
  visit("wqe", "Work queue entry, block 0", kWqe);
  visit("sge", "Scatter/gather entry", kSge);
  visit("cqe", "Completion queue entry", kCqe);
  visit("eqe", "Event queue entry", kEqe);
}

template <typename Visitor>
void each_table_row(Visitor visit) {
  visit("qp_attr", "Queue pair attributes", kQpAttr);
  visit("av", "Address vector", kAv);
  visit("key", "Memory key", kKey);
  visit("cq", "Completion queue", kCq);
  visit("srq", "Shared receive queue", kSrq);
  visit("qp_live", "Live queue pair state", kQpLive);
  visit("srq_live", "Live shared receive queue state", kSrqLive);
  visit("cq_live", "Live completion queue state", kCqLive);
}

template <typename Visitor>
void each_record(Visitor visit) {
  visit("tx_desc", "", kTxDesc);
  visit("seg", "", kSeg);
  visit("rx_frame", "", kRxFrame);
  visit("rx_meta", "", kRxMeta);
  visit("plan", "", kPlan);
  visit("grant", "", kGrant);
  visit("cut_job", "", kCutJob);
  visit("fetch_ptr", "", kFetchPtr);
  visit("sq_control", "", kSqControl);
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
  visit("requester_step", "", kRequesterStep);
  visit("responder_qp", "", kResponderQp);
  visit("responder_slot", "", kResponderSlot);
  visit("receive_ring", "", kReceiveRing);
  visit("receive_cmd", "", kReceiveCmd);
  visit("receive_rsp", "", kReceiveRsp);
  visit("timer_cmd", "", kTimerCmd);
  visit("timer_event", "", kTimerEvent);
  visit("qp_event", "", kQpEvent);
  visit("count", "", kCount);
}

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

template <typename Visitor>
void each_code_group(Visitor visit) {
  visit("EtherType", 16, kEtherTypes);
  visit("", 16, kProtocol);
  visit("WrOp", 8, kWrOps);
  visit("Status", 8, kStatuses);
  visit("WcOp", 8, kWcOps);
  visit("Qp", 3, kQpStates);
  visit("Aeth", 3, kAethKinds);
  visit("Syn", 8, kSyndromes);
  visit("Access", 4, kAccess);
  visit("KeyKind", 2, kKeyKinds);
  visit("KeyOp", 2, kKeyOps);
  visit("Drop", 4, kDropCauses);
  visit("Event", 8, kEvents);
  visit("VendorErr", 8, kVendorErrs);
  visit("QpEvent", 2, kQpEvents);
  visit("Sched", 3, kSchedEvents);
  visit("Message", 2, kMessageKinds);
  visit("Ask", 3, kResponseAsks);
  visit("Requester", 4, kRequesterStates);
  visit("ResponderIn", 2, kResponderIn);
  visit("ResponderAck", 2, kResponderAcks);
  visit("Verdict", 4, kVerdicts);
  visit("ResponderKind", 3, kResponderKinds);
  visit("ReceiveOp", 2, kReceiveOps);
  visit("TimerOp", 2, kTimerOps);
  visit("Table", 4, kTables);
  visit("QpCounter", 3, kQpCounters);
  visit("PortCounter", 8, kPortCounters);
  visit("AdminOp", 16, kAdminOps);
  visit("AdminStatus", 16, kAdminStatuses);
  visit("QpMask", 8, kQpMask);
}

std::string camel(std::string_view snake) {
  std::string out;
  bool up = true;
  for (char c : snake) {
    if (c == '_') {
      up = true;
    } else {
      out += up ? static_cast<char>(std::toupper(c)) : c;
      up = false;
    }
  }
  return out;
}

void sv_field(const Field& field) {
  std::string range = field.bits == 1 ? "" : "[" + std::to_string(field.bits - 1) + ":0]";
  std::printf("    logic %-7s %-20s // %s\n", range.c_str(), (str(field.name) + ";").c_str(),
              str(field.doc).c_str());
}

template <std::size_t N>
void sv_struct(const char* name, const Field (&fields)[N], Order order) {
  std::printf("  localparam int unsigned %sBits = %u;\n", camel(name).c_str(), total_bits(fields));
  std::printf("  typedef struct packed {\n");
  for (std::size_t i = 0; i < N; ++i) {
    sv_field(order == Order::kWire ? fields[i] : fields[N - 1 - i]);
  }
  std::printf("  } %s_t;\n\n", name);
}

template <std::size_t N>
void sv_opcodes(const Opcode (&codes)[N]) {
  for (const Opcode& code : codes) {
    std::printf("  localparam logic [7:0] Op%s = 8'h%02X;\n", str(code.name).c_str(), code.value);
  }
}

void emit_sv() {
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Written by model/spec/emit.cpp from the tables of model/spec. Change those.\n"
      "//\n"
      "// Headers have the first byte on the wire on top; everything else has its first field in\n"
      "// the lowest bits, which is the lowest address in host memory.\n\n"
      "package roci_pkg;\n\n");
  each_code_group([](const char* prefix, unsigned bits, const auto& codes) {
    for (const Code& code : codes) {
      std::printf("  localparam logic [%u:0] %s = %u'd%u;%s%s\n", bits - 1,
                  (str(prefix) + str(code.name)).c_str(), bits, code.value,
                  code.doc.empty() ? "" : "  // ", str(code.doc).c_str());
    }
    std::printf("\n");
  });
  sv_opcodes(kOpcodes);
  sv_opcodes(kOtherOpcodes);
  std::printf("\n  // Bytes of extension headers of an RC opcode; 31 for a reserved one.\n");
  std::printf("  function automatic logic [4:0] ext_bytes(input logic [4:0] operation);\n");
  std::printf("    case (operation)\n");
  for (const Opcode& code : kOpcodes) {
    std::printf("      5'd%u: ext_bytes = 5'd%u;\n", code.value, code.ext_bytes);
  }
  std::printf("      default: ext_bytes = 5'd31;\n    endcase\n  endfunction\n\n");
  for (const Register& reg : kRegisters) {
    std::printf("  localparam logic [%u:0] Reg%s = %u'h%X;\n", kRegisterAddressBits - 1,
                str(reg.name).c_str(), kRegisterAddressBits, reg.offset);
  }
  for (const Window& window : kWindows) {
    std::printf("  localparam logic [%u:0] Win%s = %u'h%X;\n", kRegisterAddressBits - 1,
                str(window.name).c_str(), kRegisterAddressBits, window.offset);
  }
  std::printf("  localparam int unsigned RegisterAddressBits = %u;\n", kRegisterAddressBits);
  std::printf("  localparam int unsigned BlockBytes = %u;\n", kBlockBytes);
  std::printf("  localparam int unsigned MaxSge = %u;\n", kMaxSge);
  std::printf("  localparam int unsigned MaxInline = %u;\n", kMaxInline);
  std::printf("  localparam int unsigned RowBits = %u;\n\n", kRowBits);
  auto wire = [](const char* name, const char*, const auto& fields) {
    sv_struct(name, fields, Order::kWire);
  };
  auto memory = [](const char* name, const char*, const auto& fields) {
    sv_struct(name, fields, Order::kMemory);
  };
  each_wire_layout(wire);
  each_memory_layout(memory);
  each_table_row(memory);
  each_record(memory);
  std::printf("endpackage\n");
}

void emit_firmware() {
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Written by model/spec/emit.cpp from the tables of model/spec. Change those.\n"
      "//\n"
      "// Layouts for code without the C++ library. A field of a layout is {bit offset, bits},\n"
      "// counted from the first bit on the wire for headers, from bit 0 up for all else.\n"
      "#pragma once\n\n#include <stdint.h>\n\nnamespace roci {\nnamespace layout {\n\n"
      "struct Place {\n  unsigned offset;\n  unsigned bits;\n};\n\n");
  each_code_group([](const char* prefix, unsigned, const auto& codes) {
    for (const Code& code : codes) {
      std::printf("constexpr uint32_t k%s%s = %u;\n", prefix, str(code.name).c_str(), code.value);
    }
    std::printf("\n");
  });
  for (const Register& reg : kRegisters) {
    std::printf("constexpr uint32_t kReg%s = 0x%X;\n", str(reg.name).c_str(), reg.offset);
  }
  for (const Window& window : kWindows) {
    std::printf("constexpr uint32_t kWin%s = 0x%X;\nconstexpr uint32_t kWin%sBytes = 0x%X;\n",
                str(window.name).c_str(), window.offset, str(window.name).c_str(), window.bytes);
  }
  std::printf(
      "constexpr uint32_t kCommandBytes = %u;\nconstexpr uint32_t kCommandBodyOffset = %u;\n"
      "constexpr uint32_t kBlockBytes = %u;\nconstexpr uint32_t kMaxSge = %u;\n"
      "constexpr uint32_t kMaxInline = %u;\nconstexpr uint32_t kMaxStrideLog = %u;\n"
      "constexpr uint64_t kMaxMessage = %lluu;\n\n",
      kCommandBytes, kCommandBodyOffset, kBlockBytes, kMaxSge, kMaxInline, kMaxStrideLog,
      static_cast<unsigned long long>(kMaxMessage));
  auto layout = [](const char* name, const char*, const auto& fields) {
    std::printf("namespace %s {\n", name);
    unsigned offset = 0;
    for (const Field& field : fields) {
      std::printf("constexpr Place %s = {%u, %u};\n", str(field.name).c_str(), offset, field.bits);
      offset += field.bits;
    }
    std::printf("constexpr unsigned kBytes = %u;\n}  // namespace %s\n\n", (offset + 7) / 8, name);
  };
  each_wire_layout(layout);
  each_memory_layout(layout);
  each_table_row(layout);
  each_command(layout);
  std::printf("}  // namespace layout\n}  // namespace roci\n");
}

void page(const char* title, const char* text) {
  std::printf(
      "<!-- Written by model/spec/emit.cpp from the tables of model/spec. -->\n\n# %s\n\n%s\n",
      title, text);
}

template <std::size_t N>
void markdown_table(const char* title, const Field (&fields)[N]) {
  std::printf("\n## %s\n\n| Bits | Field | Meaning |\n|---:|---|---|\n", title);
  unsigned offset = 0;
  for (const Field& field : fields) {
    std::printf("| %u:%u | `%s` | %s |\n", offset, offset + field.bits - 1, str(field.name).c_str(),
                str(field.doc).c_str());
    offset += field.bits;
  }
}

template <std::size_t N>
void markdown_codes(const char* title, const Code (&codes)[N]) {
  std::printf("\n## %s\n\n| Value | Name | Meaning |\n|---:|---|---|\n", title);
  for (const Code& code : codes) {
    std::printf("| %u | `%s` | %s |\n", code.value, str(code.name).c_str(), str(code.doc).c_str());
  }
}

auto to_markdown = [](const char*, const char* title, const auto& fields) {
  markdown_table(title, fields);
};

void emit_wire() {
  page("Wire formats", "Bits are counted from the first on the wire. All fields are big-endian.");
  each_wire_layout(to_markdown);
  std::printf(
      "\n## Opcodes\n\n| Value | Name | Extension bytes | Payload |\n|---:|---|---:|---|\n");
  auto rows = [](const auto& codes) {
    for (const Opcode& code : codes) {
      std::printf("| 0x%02X | `%s` | %u | %s |\n", code.value, str(code.name).c_str(),
                  code.ext_bytes, code.payload ? "yes" : "no");
    }
  };
  rows(kOpcodes);
  rows(kOtherOpcodes);
  markdown_codes("Syndromes", kSyndromes);
}

void emit_memory() {
  page("Queues, tables and commands",
       "Little-endian; bit 0 is the lowest bit of the lowest address. A block is 64 bytes; every\n"
       "ring starts on a 4 KiB boundary.");
  each_memory_layout(to_markdown);
  markdown_codes("Work request operations (`WrOp`)", kWrOps);
  markdown_codes("Completion status (`Status`)", kStatuses);
  markdown_codes("Completion opcode (`WcOp`)", kWcOps);
  markdown_codes("Events (`Event`)", kEvents);
  markdown_codes("Queue pair states (`QpState`)", kQpStates);
  markdown_codes("Access rights (`Access`)", kAccess);
  markdown_codes("Kinds of keys (`KeyKind`)", kKeyKinds);
  each_table_row(to_markdown);
  markdown_codes("Admin commands (`AdminOp`)", kAdminOps);
  markdown_codes("Admin status (`AdminStatus`)", kAdminStatuses);
  each_command(to_markdown);
}

void emit_registers() {
  page("Registers", "32-bit registers behind the AXI4-Lite slave, byte offsets.");
  std::printf("\n| Offset | Name | Access | Reset | Meaning |\n|---:|---|---|---:|---|\n");
  for (const Register& reg : kRegisters) {
    std::printf("| 0x%06X | `%s` | %s | 0x%08X | %s |\n", reg.offset, str(reg.name).c_str(),
                str(reg.access).c_str(), reg.reset, str(reg.doc).c_str());
  }
  std::printf("\n## Windows\n\n| Offset | Bytes | Name | Meaning |\n|---:|---:|---|---|\n");
  for (const Window& window : kWindows) {
    std::printf("| 0x%06X | %u | `%s` | %s |\n", window.offset, window.bytes,
                str(window.name).c_str(), str(window.doc).c_str());
  }
  markdown_codes("Tables of the table port", kTables);
  markdown_codes("Port counters", kPortCounters);
  markdown_codes("Drop causes", kDropCauses);
  markdown_codes("Queue pair counters", kQpCounters);
}

}  // namespace

int main(int argc, char** argv) {
  struct {
    const char* name;
    void (*write)();
  } const outputs[] = {{"sv", emit_sv},
                       {"firmware", emit_firmware},
                       {"wire", emit_wire},
                       {"memory", emit_memory},
                       {"registers", emit_registers}};
  for (const auto& output : outputs) {
    if (argc == 2 && std::strcmp(argv[1], output.name) == 0) {
      output.write();
      return 0;
    }
  }
  std::fprintf(stderr, "usage: emit sv|firmware|wire|memory|registers\n");
  return 2;
}
