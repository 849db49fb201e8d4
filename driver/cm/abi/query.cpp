// SPDX-License-Identifier: Apache-2.0
// What a program asks of an identifier: addresses, device and path.
#include <endian.h>
#include <infiniband/sa.h>
#include <rdma/ib_user_sa.h>

#include <cerrno>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/mad/ip.hpp"

namespace roci::cm {

int Ucm::query_route(ChannelId channel, const rdma_ucm_query& command, Body& body) {
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  rdma_ucm_query_route_resp response{};
  response.src_addr = sockaddr_of(id->source);
  response.dst_addr = sockaddr_of(id->destination);
  if (id->has_device) {
    response.node_guid = htobe64(config_.adapters[id->adapter].guid);
    response.port_num = 1;
    response.num_paths = paths_of(*id, response.ib_route);
  }
  body = to_bytes(response);
  return 0;
}

std::uint32_t Ucm::paths_of(const Id& id, ib_user_path_rec (&paths)[2]) const {
  ib_user_path_rec& path = paths[0];
  path = {};
  std::copy(id.source.address.begin(), id.source.address.end(), path.sgid);
  std::copy(id.destination.address.begin(), id.destination.address.end(), path.dgid);
  path.pkey = htobe16(kDefaultPkey);
  if (id.phase != Phase::kRoute && id.phase != Phase::kConnect) return 0;
  path.reversible = 1;
  path.numb_path = 1;
  path.mtu_selector = path.rate_selector = path.packet_life_time_selector = 2;  // exactly
  path.mtu = config_.mtu;
  path.rate = kRate;
  path.hop_limit = kHopLimit;
  path.traffic_class = id.tos;
  path.packet_life_time = static_cast<std::uint8_t>(std::max<int>(id.ack_timeout, 1) - 1);
  return 1;
}

int Ucm::query(ChannelId channel, const rdma_ucm_query& command, Body& body) {
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  switch (command.option) {
    case RDMA_USER_CM_QUERY_ADDR:
      return query_addresses(*id, false, body);
    case RDMA_USER_CM_QUERY_PATH:
      return query_path(*id, body);
    case RDMA_USER_CM_QUERY_GID:
      return query_addresses(*id, true, body);
    default:
      return ENOSYS;
  }
}

/// The addresses as the program gave them, or as native ones. The index of the device is left out:
/// librdmacm then goes by the GUID.
int Ucm::query_addresses(const Id& id, bool native, Body& body) const {
  rdma_ucm_query_addr_resp response{};
  if (room_ < offsetof(rdma_ucm_query_addr_resp, ibdev_index)) return ENOSPC;
  if (id.has_device) {
    response.node_guid = htobe64(config_.adapters[id.adapter].guid);
    response.port_num = 1;
  }
  response.pkey = htobe16(id.source.pkey);
  const auto put = [&](const Endpoint& from, auto& to, std::uint16_t& size) {
    if (native || from.family == AF_IB) {
      sockaddr_ib address{};
      address.sib_family = AF_IB;
      address.sib_pkey = htobe16(from.pkey);
      std::memcpy(&address.sib_addr, from.address.data(), from.address.size());
      address.sib_sid = htobe64(service_id({PortSpace{id.ports}, from.port}));
      if (from.family == AF_IB) address.sib_sid_mask = ~std::uint64_t{0};
      std::memcpy(&to, &address, size = sizeof address);
    } else if (from.family != AF_UNSPEC) {
      const sockaddr_in6 address = sockaddr_of(from);
      size = static_cast<std::uint16_t>(size_of(address));
      std::memcpy(&to, &address, size);
    }
  };
  put(id.source, response.src_addr, response.src_size);
  put(id.destination, response.dst_addr, response.dst_size);
  body = to_bytes(response);
  body.resize(offsetof(rdma_ucm_query_addr_resp, ibdev_index));
  return 0;
}

int Ucm::query_path(const Id& id, Body& body) const {
  if (room_ < sizeof(rdma_ucm_query_path_resp)) return ENOSPC;
  ib_user_path_rec given[2];
  rdma_ucm_query_path_resp response{};
  response.num_paths = paths_of(id, given);
  body = to_bytes(response);
  if (response.num_paths == 0) return 0;
  const ib_user_path_rec& path = given[0];
  ibv_path_record packed{};
  std::memcpy(packed.dgid.raw, path.dgid, sizeof path.dgid);
  std::memcpy(packed.sgid.raw, path.sgid, sizeof path.sgid);
  packed.flowlabel_hoplimit = htobe32(path.hop_limit);
  packed.tclass = path.traffic_class;
  packed.reversible_numpath = static_cast<std::uint8_t>(path.reversible << 7 | path.numb_path);
  packed.pkey = path.pkey;
  packed.mtu = static_cast<std::uint8_t>(path.mtu_selector << 6 | path.mtu);
  packed.rate = static_cast<std::uint8_t>(path.rate_selector << 6 | path.rate);
  packed.packetlifetime =
      static_cast<std::uint8_t>(path.packet_life_time_selector << 6 | path.packet_life_time);
  ib_path_rec_data data{};
  data.flags = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
  static_assert(sizeof data.path_rec == sizeof packed);
  std::memcpy(data.path_rec, &packed, sizeof packed);
  const Body bytes = to_bytes(data);
  body.insert(body.end(), bytes.begin(), bytes.end());
  return 0;
}

}  // namespace roci::cm
