// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

struct Entry {
  uint32_t opcode;
  Result (*run)(Device*, const Command&, Reply*);
  uint32_t command_bytes;  ///< of the body
  uint32_t reply_bytes;    ///< likewise
};

constexpr Entry kCommands[] = {
    {layout::kAdminOpQueryDevice, query_device, 0, layout::query_device_reply::kBytes},
    {layout::kAdminOpQueryPort, query_port, 0, layout::query_port_reply::kBytes},
    {layout::kAdminOpSetGid, set_gid, layout::set_gid::kBytes, 0},
    {layout::kAdminOpQueryGid, query_gid, layout::query_gid::kBytes,
     layout::query_gid_reply::kBytes},
    {layout::kAdminOpCreateCq, create_cq, layout::create_cq::kBytes,
     layout::create_cq_reply::kBytes},
    {layout::kAdminOpModifyCq, modify_cq, layout::modify_cq::kBytes, 0},
    {layout::kAdminOpDestroyCq, destroy_cq, layout::destroy_cq::kBytes, 0},
    {layout::kAdminOpCreateQp, create_qp, layout::create_qp::kBytes,
     layout::create_qp_reply::kBytes},
    {layout::kAdminOpModifyQp, modify_qp, layout::qp_attributes::kBytes, 0},
    {layout::kAdminOpQueryQp, query_qp, layout::query_qp::kBytes, layout::qp_attributes::kBytes},
    {layout::kAdminOpDestroyQp, destroy_qp, layout::destroy_qp::kBytes, 0},
    {layout::kAdminOpRegMr, reg_mr, layout::reg_mr::kBytes, layout::reg_mr_reply::kBytes},
    {layout::kAdminOpDeregMr, dereg_mr, layout::dereg_mr::kBytes, 0},
    {layout::kAdminOpResolveAddress, resolve_address, layout::resolve_address::kBytes,
     layout::resolve_address_reply::kBytes},
    {layout::kAdminOpAllocPd, alloc_pd, 0, layout::alloc_pd_reply::kBytes},
    {layout::kAdminOpDeallocPd, dealloc_pd, layout::dealloc_pd::kBytes, 0},
    {layout::kAdminOpAllocMw, alloc_mw, layout::alloc_mw::kBytes, layout::alloc_mw_reply::kBytes},
    {layout::kAdminOpDeallocMw, dealloc_mw, layout::dealloc_mw::kBytes, 0},
    {layout::kAdminOpAllocFastMr, alloc_fast_mr, layout::alloc_fast_mr::kBytes,
     layout::alloc_fast_mr_reply::kBytes},
    {layout::kAdminOpCreateSrq, create_srq, layout::create_srq::kBytes,
     layout::create_srq_reply::kBytes},
    {layout::kAdminOpModifySrq, modify_srq, layout::modify_srq::kBytes, 0},
    {layout::kAdminOpQuerySrq, query_srq, layout::query_srq::kBytes,
     layout::query_srq_reply::kBytes},
    {layout::kAdminOpDestroySrq, destroy_srq, layout::destroy_srq::kBytes, 0},
    {layout::kAdminOpResizeCq, resize_cq, layout::resize_cq::kBytes, 0},
    {layout::kAdminOpSetPkey, set_pkey, layout::set_pkey::kBytes, 0},
    {layout::kAdminOpQueryPkey, query_pkey, layout::query_pkey::kBytes,
     layout::query_pkey_reply::kBytes},
    {layout::kAdminOpReregMr, rereg_mr, layout::rereg_mr::kBytes, 0},
    {layout::kAdminOpQueryCounters, query_counters, layout::query_counters::kBytes,
     layout::port_counters_reply::kBytes},
};
static_assert(layout::qp_counters_reply::kBytes <= layout::port_counters_reply::kBytes);

/// nullptr: no such command.
const Entry* find_entry(const Message& message) {
  const uint32_t opcode = Command(message).header(layout::command_header::opcode);
  for (const Entry& entry : kCommands) {
    if (entry.opcode == opcode) return &entry;
  }
  return nullptr;
}

}  // namespace

uint32_t command_bytes(const Message& command) {
  const Entry* entry = find_entry(command);
  uint32_t body = entry != nullptr ? entry->command_bytes : 0;
  // Only an address and the flags reach into the second block of ModifyQp.
  constexpr uint32_t kBehind =
      mask_of(layout::kQpMaskAv) | mask_of(layout::kQpMaskEnSqdAsyncNotify);
  if (entry != nullptr && entry->opcode == layout::kAdminOpModifyQp &&
      (Command(command).get32(layout::qp_attributes::attr_mask) & kBehind) == 0) {
    body = layout::qp_attributes::dgid_hi.offset / 8;
  }
  return layout::kCommandBodyOffset + body;
}

uint32_t reply_bytes(const Message& command) {
  const Entry* entry = find_entry(command);
  return layout::kCommandBodyOffset + (entry != nullptr ? entry->reply_bytes : 0);
}

Result execute(Device* device, const Message& message, Message* reply) {
  const Entry* entry = find_entry(message);
  if (entry == nullptr) {
    return {layout::kAdminStatusBadOpcode, layout::command_header::opcode.offset / 8};
  }
  const Command command(message);
  Reply body(reply);
  return entry->run(device, command, &body);
}

}  // namespace roci::fw
