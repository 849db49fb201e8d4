#include "firmware/commands/commands.hpp"

namespace roci::fw {
namespace {

struct Entry {
  uint32_t opcode;
  Result (*run)(Device*, const Command&, Reply*);
};

constexpr Entry kCommands[] = {
    {layout::kAdminOpQueryDevice, query_device}, {layout::kAdminOpQueryPort, query_port},
    {layout::kAdminOpSetGid, set_gid},           {layout::kAdminOpQueryGid, query_gid},
    {layout::kAdminOpCreateCq, create_cq},       {layout::kAdminOpModifyCq, modify_cq},
    {layout::kAdminOpDestroyCq, destroy_cq},     {layout::kAdminOpCreateQp, create_qp},
    {layout::kAdminOpModifyQp, modify_qp},       {layout::kAdminOpQueryQp, query_qp},
    {layout::kAdminOpDestroyQp, destroy_qp},     {layout::kAdminOpRegMr, reg_mr},
    {layout::kAdminOpDeregMr, dereg_mr},         {layout::kAdminOpResolveAddress, resolve_address},
    {layout::kAdminOpAllocPd, alloc_pd},         {layout::kAdminOpDeallocPd, dealloc_pd},
};

}  // namespace

Result execute(Device* device, const Message& message, Message* reply) {
  const Command command(message);
  const uint32_t opcode = command.header(layout::command_header::opcode);
  for (const Entry& entry : kCommands) {
    if (entry.opcode != opcode) continue;
    Reply body(reply);
    return entry.run(device, command, &body);
  }
  return {layout::kAdminStatusBadOpcode, layout::command_header::opcode.offset / 8};
}

}  // namespace roci::fw
