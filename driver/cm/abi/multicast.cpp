// SPDX-License-Identifier: Apache-2.0
// Multicast groups: a program joins with its identifier, librdmacm then attaches the queue pair.
// RoCE has no subnet administrator to ask, so a join is complete at once.
#include <cerrno>

#include "driver/cm/abi/ucm.hpp"

namespace roci::cm {
namespace {

constexpr std::uint32_t kUdpQkey = 0x01234567;  // RDMA_UDP_QKEY of Linux
constexpr std::size_t kMostMemberships = 65536;

}  // namespace

int Ucm::join(ChannelId channel, const rdma_ucm_join_mcast& command, Body& body) {
  if (command.join_flags != RDMA_MC_JOIN_FLAG_FULLMEMBER &&
      command.join_flags != RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER) {
    return EINVAL;
  }
  sockaddr_in6 address{};
  std::memcpy(&address, &command.addr, sizeof address);
  const auto group = endpoint_of(address);
  const std::size_t bytes =
      address.sin6_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (!group || command.addr_size != bytes) return EINVAL;
  return join_group(channel, command.id, command.uid, *group, body);
}

int Ucm::join_ip(ChannelId channel, const rdma_ucm_join_ip_mcast& command, Body& body) {
  const auto group = endpoint_of(command.addr);
  if (!group) return EINVAL;
  return join_group(channel, command.id, command.uid, *group, body);
}

/// The Q_Key is that of all groups of rdma_cm; the address handle leads to the group.
int Ucm::join_group(ChannelId channel, std::uint32_t number, std::uint64_t uid,
                    const Endpoint& group, Body& body) {
  int error = 0;
  const Id* id = find(channel, number, error);
  if (id == nullptr) return error;
  if (!id->datagrams() || !id->has_device || group.any()) return EINVAL;
  if (id->phase != Phase::kBound && id->phase != Phase::kAddress) return EINVAL;
  if (is_ipv4(id->source.address) != is_ipv4(group.address)) return EINVAL;
  if (memberships_.size() >= kMostMemberships) return ENOMEM;
  do {
    ++next_membership_;
  } while (next_membership_ == 0 || memberships_.count(next_membership_) != 0);
  memberships_[next_membership_] = {number, uid, 0};
  Event event;
  event.owner = number;
  event.membership = next_membership_;
  event.body.uid = uid;
  event.body.id = next_membership_;
  event.body.event = static_cast<std::uint32_t>(UcmEvent::kMulticastJoin);
  rdma_ucm_ud_param& param = event.body.param.ud;
  param.qp_num = kMulticastQpn;
  param.qkey = kUdpQkey;
  set_address(param.ah_attr, group.address, id->gid_index, id->tos);
  body = to_bytes(rdma_ucm_create_id_resp{next_membership_});
  push(event);
  return 0;
}

/// Events of the membership that the program has not fetched are dropped.
int Ucm::leave(ChannelId channel, const rdma_ucm_destroy_id& command, Body& body) {
  const auto found = memberships_.find(command.id);
  if (found == memberships_.end()) return ENOENT;
  const Membership membership = found->second;
  if (ids_.at(membership.owner).channel != channel) return EINVAL;
  memberships_.erase(found);
  auto& events = channels_.at(channel).events;
  events.erase(std::remove_if(events.begin(), events.end(),
                              [&](const Event& event) { return event.membership == command.id; }),
               events.end());
  body = to_bytes(rdma_ucm_destroy_id_resp{membership.events});
  return 0;
}

}  // namespace roci::cm
