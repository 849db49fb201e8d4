// SPDX-License-Identifier: Apache-2.0
// Multicast groups of UD queue pairs.
#include <cstring>

#include "driver/verbs/objects.hpp"

namespace roci::verbs {
namespace {

driver::Gid group_of(const ibv_gid& gid) {
  driver::Gid group;
  std::memcpy(group.data(), gid.raw, group.size());
  return group;
}

/// The LID has no meaning on RoCE. EINVAL for what is no group, or no queue pair of UD.
int attach_mcast(ibv_qp* ibv, const ibv_gid* gid, std::uint16_t) {
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    ours<QueuePair>(ibv).pair->attach(group_of(*gid));
    return 0;
  });
}

/// EINVAL when the queue pair is not attached to the group.
int detach_mcast(ibv_qp* ibv, const ibv_gid* gid, std::uint16_t) {
  return guarded([&] {
    const std::lock_guard<std::mutex> lock(device_of(ibv->context).mutex);
    ours<QueuePair>(ibv).pair->detach(group_of(*gid));
    return 0;
  });
}

}  // namespace

void add_multicast_operations(ContextOps& operations) {
  operations.attach_mcast = reporting<attach_mcast>;
  operations.detach_mcast = reporting<detach_mcast>;
}

}  // namespace roci::verbs
