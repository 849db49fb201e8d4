// SPDX-License-Identifier: Apache-2.0
#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

struct Entry {
  layout::AdminOp opcode;
  Result (*run)(Device*, const Command&, Reply*);
  uint32_t command_bytes;  ///< bytes of the command's body
  uint32_t reply_bytes;    ///< bytes of the reply's body
};

constexpr Entry kCommands[] = {
    {layout::AdminOp::kQueryDevice, query_device, 0, layout::query_device_reply::kBytes},
    {layout::AdminOp::kQueryPort, query_port, 0, layout::query_port_reply::kBytes},
    {layout::AdminOp::kSetGid, set_gid, layout::set_gid::kBytes, 0},
    {layout::AdminOp::kQueryGid, query_gid, layout::query_gid::kBytes,
     layout::query_gid_reply::kBytes},
    {layout::AdminOp::kCreateCq, create_cq, layout::create_cq::kBytes,
     layout::create_cq_reply::kBytes},
    {layout::AdminOp::kModifyCq, modify_cq, layout::modify_cq::kBytes, 0},
    {layout::AdminOp::kDestroyCq, destroy_cq, layout::destroy_cq::kBytes, 0},
    {layout::AdminOp::kCreateQp, create_qp, layout::create_qp::kBytes,
     layout::create_qp_reply::kBytes},
    {layout::AdminOp::kModifyQp, modify_qp, layout::qp_attributes::kBytes, 0},
    {layout::AdminOp::kQueryQp, query_qp, layout::query_qp::kBytes, layout::qp_attributes::kBytes},
    {layout::AdminOp::kDestroyQp, destroy_qp, layout::destroy_qp::kBytes, 0},
    {layout::AdminOp::kCreateAh, create_ah, layout::create_ah::kBytes,
     layout::create_ah_reply::kBytes},
    {layout::AdminOp::kDestroyAh, destroy_ah, layout::destroy_ah::kBytes, 0},
    {layout::AdminOp::kAttachMulticast, attach_multicast, layout::attach_multicast::kBytes,
     layout::attach_multicast_reply::kBytes},
    {layout::AdminOp::kDetachMulticast, detach_multicast, layout::detach_multicast::kBytes, 0},
    {layout::AdminOp::kRegMr, reg_mr, layout::reg_mr::kBytes, layout::reg_mr_reply::kBytes},
    {layout::AdminOp::kDeregMr, dereg_mr, layout::dereg_mr::kBytes, 0},
    {layout::AdminOp::kResolveAddress, resolve_address, layout::resolve_address::kBytes,
     layout::resolve_address_reply::kBytes},
    {layout::AdminOp::kAllocPd, alloc_pd, 0, layout::alloc_pd_reply::kBytes},
    {layout::AdminOp::kDeallocPd, dealloc_pd, layout::dealloc_pd::kBytes, 0},
    {layout::AdminOp::kAllocMw, alloc_mw, layout::alloc_mw::kBytes, layout::alloc_mw_reply::kBytes},
    {layout::AdminOp::kDeallocMw, dealloc_mw, layout::dealloc_mw::kBytes, 0},
    {layout::AdminOp::kAllocFastMr, alloc_fast_mr, layout::alloc_fast_mr::kBytes,
     layout::alloc_fast_mr_reply::kBytes},
    {layout::AdminOp::kCreateSrq, create_srq, layout::create_srq::kBytes,
     layout::create_srq_reply::kBytes},
    {layout::AdminOp::kModifySrq, modify_srq, layout::modify_srq::kBytes, 0},
    {layout::AdminOp::kQuerySrq, query_srq, layout::query_srq::kBytes,
     layout::query_srq_reply::kBytes},
    {layout::AdminOp::kDestroySrq, destroy_srq, layout::destroy_srq::kBytes, 0},
    {layout::AdminOp::kResizeCq, resize_cq, layout::resize_cq::kBytes, 0},
    {layout::AdminOp::kSetPkey, set_pkey, layout::set_pkey::kBytes, 0},
    {layout::AdminOp::kQueryPkey, query_pkey, layout::query_pkey::kBytes,
     layout::query_pkey_reply::kBytes},
    {layout::AdminOp::kReregMr, rereg_mr, layout::rereg_mr::kBytes, 0},
    {layout::AdminOp::kQueryCounters, query_counters, layout::query_counters::kBytes,
     layout::port_counters_reply::kBytes},
};
static_assert(layout::qp_counters_reply::kBytes <= layout::port_counters_reply::kBytes);

/// Returns nullptr for an unknown command.
const Entry* find_entry(const Message& message) {
  const auto opcode =
      static_cast<layout::AdminOp>(Command(message).header(layout::command_header::opcode));
  for (const Entry& entry : kCommands) {
    if (entry.opcode == opcode) return &entry;
  }
  return nullptr;
}

}  // namespace

uint32_t command_bytes(const Message& command) {
  const Entry* entry = find_entry(command);
  uint32_t body = entry != nullptr ? entry->command_bytes : 0;
  // Only the address vector, the flags and the Q_Key lie in the second block of ModifyQp.
  constexpr uint32_t kSecondBlock =
      layout::qp_mask::kAv | layout::qp_mask::kEnSqdAsyncNotify | layout::qp_mask::kQkey;
  if (entry != nullptr && entry->opcode == layout::AdminOp::kModifyQp &&
      (Command(command).get32(layout::qp_attributes::attr_mask) & kSecondBlock) == 0) {
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
    return {layout::AdminStatus::kBadOpcode, layout::command_header::opcode.offset / 8};
  }
  const Command command(message);
  Reply body(reply);
  return entry->run(device, command, &body);
}

}  // namespace roci::fw
