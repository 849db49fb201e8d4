// SPDX-License-Identifier: Apache-2.0
// Commands SetPkey and QueryPkey: the table of partition keys (10.9.1).
#include "firmware/commands/commands.hpp"

namespace roci::fw {

Result set_pkey(Device* device, const Command& command, Reply*) {
  namespace body = layout::set_pkey;
  const uint32_t index = command.get32(body::index);
  const uint32_t pkey = command.get32(body::pkey);
  if (index >= kMaxPkeys) return bad_handle(body::index);
  if (pkey != 0 && !is_pkey(pkey)) return bad_parameter(body::pkey);
  device->objects.pkey[index] = static_cast<uint16_t>(pkey);
  return ok();
}

Result query_pkey(Device* device, const Command& command, Reply* reply) {
  const uint32_t index = command.get32(layout::query_pkey::index);
  if (index >= kMaxPkeys) return bad_handle(layout::query_pkey::index);
  reply->put(layout::query_pkey_reply::pkey, device->objects.pkey[index]);
  return ok();
}

}  // namespace roci::fw
