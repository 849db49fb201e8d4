// SPDX-License-Identifier: Apache-2.0
// Commands AllocMw and DeallocMw. Windows are bound and freed by work requests.
#include "firmware/commands/keys.hpp"

namespace roci::fw {

Result alloc_mw(Device* device, const Command& command, Reply* reply) {
  namespace body = layout::alloc_mw;
  if (device->objects.lacks(layout::Option::kKeyOps)) return unsupported();
  const uint32_t pd = command.get32(body::pd);
  const uint32_t kind = command.get32(body::kind);
  if (!device->objects.has_pd(pd)) return bad_handle(body::pd);
  if (!is_window(kind)) return bad_parameter(body::kind);
  Block row = {};  // not valid: an unbound window
  row.put(layout::key::pd, pd);
  row.put(layout::key::remote_only, 1);
  uint32_t key = 0;
  const Result result = make_key(device, kind, &row, &key);
  if (result.status == layout::AdminStatus::kOk) reply->put(layout::alloc_mw_reply::key, key);
  return result;
}

Result dealloc_mw(Device* device, const Command& command, Reply*) {
  namespace body = layout::dealloc_mw;
  uint32_t index = 0;
  Block row = {};
  const Result result = find_key(device, command.get32(body::key), body::key, &index, &row);
  if (result.status != layout::AdminStatus::kOk) return result;
  if (!is_window(device->objects.key[index].kind)) return bad_handle(body::key);
  return drop_key(device, index, row);
}

}  // namespace roci::fw
