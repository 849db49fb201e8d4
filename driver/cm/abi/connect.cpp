// SPDX-License-Identifier: Apache-2.0
// Commands of a connection, and the attributes of its queue pair.
#include <endian.h>
#include <infiniband/verbs.h>

#include <cerrno>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/mad/ip.hpp"

namespace roci::cm {
namespace {

constexpr std::uint16_t kNoLid = 0xFFFF;
constexpr std::uint8_t kMostRetries = 7;
constexpr std::uint32_t kPsnMask = 0xFFFFFF;

constexpr std::uint32_t kUdpQkey = 0x01234567;  // RDMA_UDP_QKEY of Linux, unless another is given

std::uint32_t qkey_of(std::uint32_t given) { return given != 0 ? given : kUdpQkey; }
std::uint8_t at_most(std::uint8_t value, std::uint8_t most) { return std::min(value, most); }

}  // namespace

MadPath Ucm::path_of(const Id& id) const {
  return {id.adapter, id.gid_index, id.source.address, id.destination.address};
}

int Ucm::connect(ChannelId channel, const rdma_ucm_connect& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  const rdma_ucm_conn_param& param = command.conn_param;
  Req req;
  if (id->phase != Phase::kRoute || param.valid == 0) return EINVAL;
  if (id->datagrams()) return connect_datagrams(command.id, *id, param);
  if (kIpHeaderBytes + param.private_data_len > req.private_data.size()) return EINVAL;
  req.service_id = service_id({PortSpace{id->space}, id->destination.port});
  req.vendor_id = command.ece.vendor_id & kPsnMask;
  req.ca_guid = config_.adapters[id->adapter].guid;
  req.qpn = param.qp_num & kPsnMask;
  req.responder_resources = param.responder_resources;
  req.initiator_depth = param.initiator_depth;
  req.remote_timeout = req.local_timeout = config_.cm_timeout;
  req.flow_control = param.flow_control != 0;
  req.psn = next_psn_ = (next_psn_ * 0x41C64E6D + 0x3039) & kPsnMask;
  req.retries = at_most(param.retry_count, kMostRetries);
  req.pkey = kDefaultPkey;
  req.mtu = config_.mtu;
  req.rnr_retries = at_most(param.rnr_retry_count, kMostRetries);
  req.cm_retries = config_.cm_retries;
  req.srq = param.srq != 0;
  req.primary.local_lid = req.primary.remote_lid = kNoLid;
  req.primary.local_gid = id->source.address;
  req.primary.remote_gid = id->destination.address;
  req.primary.rate = kRate;
  req.primary.traffic_class = id->tos;
  req.primary.hop_limit = kHopLimit;
  req.primary.ack_timeout = id->ack_timeout;
  const IpHeader header{id->source.port, id->source.address, id->destination.address};
  if (!encode_ip(header, req.private_data.data())) return EINVAL;
  std::copy_n(param.private_data, param.private_data_len,
              req.private_data.begin() + kIpHeaderBytes);
  const std::uint32_t made = manager_.connect(path_of(*id), {req, command.ece.attr_mod}, now_);
  if (made == 0) return EINVAL;
  id->req = req;
  id->active = true;
  id->connection = made;
  id->phase = Phase::kConnect;
  by_connection_[made] = command.id;
  return 0;
}

/// Resolves the service to a queue pair (12.11).
int Ucm::connect_datagrams(std::uint32_t number, Id& id, const rdma_ucm_conn_param& param) {
  SidrReq request;
  if (kIpHeaderBytes + param.private_data_len > request.private_data.size()) return EINVAL;
  request.pkey = kDefaultPkey;
  request.service_id = service_id({PortSpace{id.space}, id.destination.port});
  const IpHeader header{id.source.port, id.source.address, id.destination.address};
  if (!encode_ip(header, request.private_data.data())) return EINVAL;
  std::copy_n(param.private_data, param.private_data_len,
              request.private_data.begin() + kIpHeaderBytes);
  const std::uint32_t made = manager_.resolve(path_of(id), request, now_);
  if (made == 0) return EINVAL;
  id.active = true;
  id.connection = made;
  id.phase = Phase::kConnect;
  by_connection_[made] = number;
  return 0;
}

int Ucm::accept_datagrams(Id& id, const rdma_ucm_accept& command) {
  const rdma_ucm_conn_param& param = command.conn_param;
  Respond response;
  SidrRep& reply = response.reply;
  if (id.active || param.valid == 0 || param.private_data_len > reply.private_data.size()) {
    return EINVAL;
  }
  reply.qpn = param.qp_num & kPsnMask;
  reply.qkey = qkey_of(param.qkey);
  std::copy_n(param.private_data, param.private_data_len, reply.private_data.begin());
  const std::uint64_t before = std::exchange(id.uid, command.uid);
  if (!manager_.respond(id.connection, response, now_)) {
    id.uid = before;
    return EINVAL;
  }
  id.qkey = reply.qkey;
  return 0;
}

/// The passive side sends a REP; the active side, which has the REP, sends the RTU.
int Ucm::accept(ChannelId channel, const rdma_ucm_accept& command, Body&) {
  int error = 0;
  Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->connection == 0) return EINVAL;
  if (id->datagrams()) return accept_datagrams(*id, command);
  const rdma_ucm_conn_param& param = command.conn_param;
  if (param.valid == 0) {
    return id->active && manager_.post(id->connection, Ready{}, now_) ? 0 : EINVAL;
  }
  Accept accept;
  Rep& rep = accept.rep;
  if (id->active || param.private_data_len > rep.private_data.size()) return EINVAL;
  rep.ca_guid = config_.adapters[id->adapter].guid;
  rep.qpn = param.qp_num & kPsnMask;
  rep.psn = id->local_psn;
  rep.vendor_high = static_cast<std::uint8_t>(command.ece.vendor_id >> 16);
  rep.vendor_middle = static_cast<std::uint8_t>(command.ece.vendor_id >> 8);
  rep.vendor_low = static_cast<std::uint8_t>(command.ece.vendor_id);
  rep.responder_resources = param.responder_resources;
  rep.initiator_depth = param.initiator_depth;
  rep.flow_control = param.flow_control != 0;
  rep.rnr_retries = at_most(param.rnr_retry_count, kMostRetries);
  rep.srq = param.srq != 0;
  std::copy_n(param.private_data, param.private_data_len, rep.private_data.begin());
  accept.modifier = command.ece.attr_mod;
  const std::uint64_t before = std::exchange(id->uid, command.uid);
  if (!manager_.post(id->connection, accept, now_)) {
    id->uid = before;
    return EINVAL;
  }
  id->rep = rep;
  return 0;
}

int Ucm::reject(ChannelId channel, const rdma_ucm_reject& command, Body&) {
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->datagrams()) {
    Respond response;
    response.reply.status = SidrStatus::kRejected;
    auto& data = response.reply.private_data;
    if (command.private_data_len > data.size()) return EINVAL;
    std::copy_n(command.private_data, command.private_data_len, data.begin());
    return id->connection != 0 && manager_.respond(id->connection, response, now_) ? 0 : EINVAL;
  }
  Reject rejection;
  if (command.private_data_len > rejection.private_data.size()) return EINVAL;
  if (command.reason != 0) rejection.reason = Reason{command.reason};
  std::copy_n(command.private_data, command.private_data_len, rejection.private_data.begin());
  return id->connection != 0 && manager_.post(id->connection, rejection, now_) ? 0 : EINVAL;
}

/// Also when the peer was first, or the connection is over: programs do not look.
int Ucm::disconnect(ChannelId channel, const rdma_ucm_disconnect& command, Body&) {
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->connection == 0) return EINVAL;
  manager_.post(id->connection, Disconnect{}, now_);
  return 0;
}

int Ucm::notify(ChannelId channel, const rdma_ucm_notify& command, Body&) {
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (id->connection == 0) return EINVAL;
  if (command.event != IBV_EVENT_COMM_EST) return 0;
  return manager_.post(id->connection, CameAlive{}, now_) ? 0 : EINVAL;
}

int Ucm::init_qp_attr(ChannelId channel, const rdma_ucm_init_qp_attr& command, Body& body) {
  int error = 0;
  const Id* id = find(channel, command.id, error);
  if (id == nullptr) return error;
  if (!id->has_device) return EINVAL;
  if (id->datagrams()) {
    ib_uverbs_qp_attr attr{};
    attr.qp_state = command.qp_state;
    attr.qp_attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
    attr.port_num = 1;
    attr.qkey = qkey_of(id->qkey);
    body = to_bytes(attr);
    return 0;
  }
  const bool passive = id->connection != 0 && !id->active;
  const bool replied = id->rep.qpn != 0;  // active: the REP has come; passive: it was sent
  ib_uverbs_qp_attr attr{};
  attr.qp_state = command.qp_state;
  attr.qp_attr_mask = IBV_QP_STATE;
  attr.port_num = 1;
  // What one side may have outstanding is what the other can take (12.7).
  std::uint8_t depth = 0, resources = 0;
  if (passive) {
    depth = at_most(replied ? id->rep.initiator_depth : id->req.responder_resources,
                    id->req.responder_resources);
    resources = replied ? id->rep.responder_resources : id->req.initiator_depth;
  } else if (replied) {
    depth = at_most(id->rep.responder_resources, id->req.initiator_depth);
    resources = id->rep.initiator_depth;
  } else {
    resources = id->req.responder_resources;
  }
  switch (command.qp_state) {
    case IBV_QPS_INIT:
      attr.qp_attr_mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
      if (id->connection != 0) {
        attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
        if (resources != 0) {
          attr.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
        }
      }
      break;
    case IBV_QPS_RTR: {
      if (!passive && !replied) return EINVAL;
      attr.qp_attr_mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                           IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
      attr.path_mtu = std::min(id->req.mtu, config_.mtu);
      attr.dest_qp_num = passive ? id->req.qpn : id->rep.qpn;
      // A side names the PSN with which its peer begins (12.7.31).
      attr.rq_psn = passive ? id->local_psn : id->req.psn;
      attr.max_dest_rd_atomic = at_most(resources, config_.most_reads);
      set_address(attr.ah_attr, id->destination.address, id->gid_index,
                  id->req.primary.traffic_class, id->req.primary.flow_label);
      break;
    }
    case IBV_QPS_RTS:
      if (!passive && !replied) return EINVAL;
      attr.qp_attr_mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                           IBV_QP_MAX_QP_RD_ATOMIC;
      attr.sq_psn = passive ? id->req.psn : id->rep.psn;
      attr.timeout = id->req.primary.ack_timeout;
      attr.retry_cnt = id->req.retries;
      attr.rnr_retry = passive ? id->req.rnr_retries : id->rep.rnr_retries;
      attr.max_rd_atomic = at_most(depth, config_.most_reads);
      break;
    default:
      return EINVAL;
  }
  body = to_bytes(attr);
  return 0;
}

}  // namespace roci::cm
