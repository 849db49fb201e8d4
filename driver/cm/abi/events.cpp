// SPDX-License-Identifier: Apache-2.0
// From news of the connection manager to events of programs.
#include <cerrno>

#include "driver/cm/abi/ucm.hpp"
#include "driver/cm/mad/ip.hpp"

namespace roci::cm {
namespace {

constexpr std::uint32_t kPsnMask = 0xFFFFFF;

/// `param`: of a connection or of a datagram service.
template <typename Param, typename Bytes>
void set_private_data(Param& param, const Bytes& data, std::size_t from = 0) {
  param.private_data_len = static_cast<std::uint8_t>(data.size() - from);
  std::copy(data.begin() + static_cast<std::ptrdiff_t>(from), data.end(), param.private_data);
}

}  // namespace

void Ucm::receive(const MadPath& path, const std::uint8_t* bytes, std::size_t size, Time now) {
  now_ = now;
  manager_.receive(path, bytes, size, now);
  deliver();
}

void Ucm::push(const Event& event) {
  const ChannelId channel = ids_.at(event.owner).channel;
  channels_.at(channel).events.push_back(event);
  on_event_(channel);
}

/// An event without parameters. An identifier that the program has not accepted gets none.
void Ucm::queue(std::uint32_t number, UcmEvent kind, int status) {
  const Id& id = ids_.at(number);
  if (id.uid == 0) return;
  Event event;
  event.owner = number;
  event.body.uid = id.uid;
  event.body.id = number;
  event.body.event = static_cast<std::uint32_t>(kind);
  event.body.status = static_cast<std::uint32_t>(status);
  push(event);
}

/// Passes on what the manager has reported. A step may report more.
void Ucm::deliver() {
  for (auto deliveries = manager_.take_deliveries(); !deliveries.empty();
       deliveries = manager_.take_deliveries()) {
    for (const Delivery& delivery : deliveries) {
      if (delivery.news == News::kRequest) {
        delivery.sidr ? on_datagram_request(delivery) : on_request(delivery);
        continue;
      }
      const auto known = by_connection_.find(delivery.id);
      if (known == by_connection_.end()) continue;
      on_news(known->second, ids_.at(known->second), delivery);
    }
  }
}

/// The listener of the address, or of the wildcard, with this port.
Ucm::Id* Ucm::listener_of(const Req& req, std::uint32_t& number) {
  const auto service = service_of(req.service_id);
  if (!service) return nullptr;
  Id* found = nullptr;
  for (auto& [id_number, id] : ids_) {
    if (id.phase != Phase::kListen || id.source.port != service->port ||
        id.ports != static_cast<std::uint16_t>(service->space)) {
      continue;
    }
    const bool exact = id.source.address == req.primary.remote_gid;
    const bool wildcard =
        id.source.any() && (id.source.family != AF_INET || is_ipv4(req.primary.remote_gid));
    if (!exact && !(wildcard && found == nullptr)) continue;
    found = &id;
    number = id_number;
    if (exact) break;
  }
  return found;
}

void Ucm::on_request(const Delivery& delivery) {
  const Req& req = std::get<Req>(delivery.mad->message);
  std::uint32_t number = 0;
  Id* listener = listener_of(req, number);
  const auto header = decode_ip(req.private_data.data());
  if (listener == nullptr || listener->backlog == 0 || listener->source.family == AF_IB ||
      !header) {
    return manager_.release(delivery.id, now_);
  }
  --listener->backlog;
  Event event;
  event.owner = number;
  event.request = delivery.id;
  event.req = req;
  event.body.uid = listener->uid;
  event.body.event = static_cast<std::uint32_t>(UcmEvent::kConnectRequest);
  rdma_ucm_conn_param& param = event.body.param.conn;
  set_private_data(param, req.private_data, kIpHeaderBytes);
  // What the peer can take is what this side may have outstanding.
  param.responder_resources = req.initiator_depth;
  param.initiator_depth = req.responder_resources;
  param.flow_control = req.flow_control;
  param.retry_count = req.retries;
  param.rnr_retry_count = req.rnr_retries;
  param.srq = req.srq;
  param.qp_num = req.qpn;
  event.body.ece = {req.vendor_id, delivery.mad->modifier};
  push(event);
}

/// A SIDR_REQ, kept as the REQ that has the same addresses.
void Ucm::on_datagram_request(const Delivery& delivery) {
  const auto& sidr = std::get<SidrReq>(delivery.mad->message);
  const MadPath* path = manager_.path_of(delivery.id);
  Event event;
  event.request = delivery.id;
  event.req.service_id = sidr.service_id;
  if (path != nullptr) {
    event.req.primary.remote_gid = path->local;
    event.req.primary.local_gid = path->remote;
  }
  std::copy_n(sidr.private_data.begin(), kIpHeaderBytes, event.req.private_data.begin());
  Id* listener = listener_of(event.req, event.owner);
  if (path == nullptr || listener == nullptr || listener->backlog == 0 ||
      listener->source.family == AF_IB || !decode_ip(sidr.private_data.data())) {
    return manager_.release(delivery.id, now_);
  }
  --listener->backlog;
  event.body.uid = listener->uid;
  event.body.event = static_cast<std::uint32_t>(UcmEvent::kConnectRequest);
  set_private_data(event.body.param.ud, sidr.private_data, kIpHeaderBytes);
  push(event);
}

void Ucm::on_datagram_reply(std::uint32_t number, Id& id, const SidrRep& reply) {
  const bool valid = reply.status == SidrStatus::kValid;
  Event event;
  event.owner = number;
  event.body.uid = id.uid;
  event.body.id = number;
  event.body.event =
      static_cast<std::uint32_t>(valid ? UcmEvent::kEstablished : UcmEvent::kUnreachable);
  event.body.status = static_cast<std::uint32_t>(reply.status);
  rdma_ucm_ud_param& param = event.body.param.ud;
  set_private_data(param, reply.private_data);
  if (valid) {
    id.qkey = param.qkey = reply.qkey;
    param.qp_num = reply.qpn;
    set_address(param.ah_attr, id.destination.address, id.gid_index, id.tos);
  }
  push(event);
}

void Ucm::on_news(std::uint32_t number, Id& id, const Delivery& delivery) {
  switch (delivery.news) {
    case News::kRequest:
      return;
    case News::kReply: {
      if (delivery.sidr) {
        return on_datagram_reply(number, id, std::get<SidrRep>(delivery.mad->message));
      }
      const Rep& rep = id.rep = std::get<Rep>(delivery.mad->message);
      Event event;
      event.owner = number;
      event.body.uid = id.uid;
      event.body.id = number;
      event.body.event = static_cast<std::uint32_t>(UcmEvent::kConnectResponse);
      rdma_ucm_conn_param& param = event.body.param.conn;
      set_private_data(param, rep.private_data);
      param.responder_resources = rep.initiator_depth;
      param.initiator_depth = rep.responder_resources;
      param.flow_control = rep.flow_control;
      param.rnr_retry_count = rep.rnr_retries;
      param.srq = rep.srq;
      param.qp_num = rep.qpn;
      event.body.ece = {static_cast<std::uint32_t>(rep.vendor_high << 16 | rep.vendor_middle << 8 |
                                                   rep.vendor_low),
                        delivery.mad->modifier};
      return push(event);
    }
    case News::kEstablished:
      return queue(number, UcmEvent::kEstablished, 0);
    case News::kRejected: {
      if (id.uid == 0) return;
      const Rej& rej = std::get<Rej>(delivery.mad->message);
      Event event;
      event.owner = number;
      event.body.uid = id.uid;
      event.body.id = number;
      event.body.event = static_cast<std::uint32_t>(UcmEvent::kRejected);
      event.body.status = static_cast<std::uint32_t>(rej.reason);
      set_private_data(event.body.param.conn, rej.private_data);
      return push(event);
    }
    case News::kUnreachable:
      return queue(number, UcmEvent::kUnreachable, -ETIMEDOUT);
    case News::kDisconnecting:
    case News::kDisconnected:
      if (std::exchange(id.left, true)) return;
      return queue(number, UcmEvent::kDisconnected, 0);
    case News::kTimeWaitOver:
      return queue(number, UcmEvent::kTimeWaitExit, 0);
  }
}

int Ucm::get_event(ChannelId channel, const rdma_ucm_get_event&, Body& body) {
  auto& events = channels_.at(channel).events;
  if (events.empty()) return EAGAIN;
  Event event = events.front();
  Id& owner = ids_.at(event.owner);
  if (event.request != 0) {  // gets its identifier now
    const MadPath* path = manager_.path_of(event.request);
    const auto header = decode_ip(event.req.private_data.data());
    Id id;
    id.channel = channel;
    id.space = owner.space;
    id.ports = owner.ports;
    id.phase = Phase::kConnect;
    id.has_device = true;
    id.adapter = path == nullptr ? 0 : path->adapter;
    id.gid_index = path == nullptr ? std::uint8_t{0} : path->gid_index;
    const sa_family_t family = is_ipv4(event.req.primary.remote_gid) ? AF_INET : AF_INET6;
    id.source = {event.req.primary.remote_gid, owner.source.port, family};
    id.destination = {event.req.primary.local_gid, header->source_port, family};
    id.tos = owner.tos;
    id.ack_timeout = event.req.primary.ack_timeout;
    id.connection = event.request;
    id.local_psn = next_psn_ = (next_psn_ * 0x41C64E6D + 0x3039) & kPsnMask;
    id.req = event.req;
    event.body.id = new_id();
    by_connection_[event.request] = event.body.id;
    ids_.insert({event.body.id, id});
    ++owner.backlog;
  }
  ++owner.events;
  if (event.membership != 0) ++memberships_.at(event.membership).events;
  body = to_bytes(event.body);
  events.pop_front();
  return 0;
}

}  // namespace roci::cm
