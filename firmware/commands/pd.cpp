// SPDX-License-Identifier: Apache-2.0
// Commands AllocPd and DeallocPd.
#include "firmware/commands/commands.hpp"

namespace roci::fw {

Result alloc_pd(Device* device, const Command&, Reply* reply) {
  Objects& objects = device->objects;
  if (objects.free_pds.empty()) return no_resource();
  const uint32_t number = objects.free_pds.take();
  objects.pd[number] = {true, 0};
  reply->put(layout::alloc_pd_reply::pd, number);
  return ok();
}

Result dealloc_pd(Device* device, const Command& command, Reply*) {
  namespace body = layout::dealloc_pd;
  Objects& objects = device->objects;
  const uint32_t number = command.get32(body::pd);
  if (!objects.has_pd(number)) return bad_handle(body::pd);
  if (objects.pd[number].users != 0) return busy(body::pd);
  objects.pd[number].used = false;
  objects.free_pds.give(number);
  return ok();
}

}  // namespace roci::fw
