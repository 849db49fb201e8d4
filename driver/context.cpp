// SPDX-License-Identifier: Apache-2.0
#include "driver/context.hpp"

#include "driver/event_ring.hpp"

namespace roci::driver {
namespace {

std::uint64_t high_half(const Gid& gid) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value = value << 8 | gid[i];
  return value;
}
std::uint64_t low_half(const Gid& gid) {
  std::uint64_t value = 0;
  for (unsigned i = 8; i < 16; ++i) value = value << 8 | gid[i];
  return value;
}

}  // namespace

Gid gid_of_ipv4(std::uint32_t address) {
  Gid gid{};
  gid[10] = gid[11] = 0xFF;
  for (unsigned i = 0; i < 4; ++i) {
    gid[12 + i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
  }
  return gid;
}

Context::Context(Device& device, const ContextOptions& options)
    : device_(device),
      options_(options),
      events_(device.command_port() != nullptr
                  ? device.open_events()
                  : std::make_unique<EventRing>(device, options.event_log)),
      queue_(device.command_port() != nullptr
                 ? nullptr
                 : std::make_unique<AdminQueue>(device, options.host_resolves)),
      commands_(queue_ != nullptr ? *queue_ : *device.command_port()) {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryDevice"), {}, "query device");
  const auto field = [&](spec::Place place) {
    return static_cast<std::uint32_t>(reply.get(place));
  };
  limits_.max_qp = field(place_of(spec::kQueryDeviceReply, "max_qp"));
  limits_.max_cq = field(place_of(spec::kQueryDeviceReply, "max_cq"));
  limits_.max_mr = field(place_of(spec::kQueryDeviceReply, "max_mr"));
  limits_.max_pd = field(place_of(spec::kQueryDeviceReply, "max_pd"));
  limits_.max_qp_wr = field(place_of(spec::kQueryDeviceReply, "max_qp_wr"));
  limits_.max_cqe = field(place_of(spec::kQueryDeviceReply, "max_cqe"));
  limits_.max_sge = field(place_of(spec::kQueryDeviceReply, "max_sge"));
  limits_.max_inline = field(place_of(spec::kQueryDeviceReply, "max_inline"));
  limits_.max_rd_atomic = field(place_of(spec::kQueryDeviceReply, "max_rd_atomic"));
  limits_.max_gid = field(place_of(spec::kQueryDeviceReply, "max_gid"));
  limits_.max_message = reply.get(place_of(spec::kQueryDeviceReply, "max_message"));
  limits_.fw_version = field(place_of(spec::kQueryDeviceReply, "fw_version"));
  limits_.max_srq = field(place_of(spec::kQueryDeviceReply, "max_srq"));
  limits_.max_srq_wr = field(place_of(spec::kQueryDeviceReply, "max_srq_wr"));
  limits_.max_pkeys = field(place_of(spec::kQueryDeviceReply, "max_pkeys"));
  limits_.max_mw = field(place_of(spec::kQueryDeviceReply, "max_mw"));
}

Body Context::execute(unsigned opcode, const Body& body, const char* text) {
  const auto reply = commands_.exchange(opcode, body, options_.command_timeout_ns);
  if (!reply) {
    throw Error(AdminStatus::kHardwareError, 0,
                std::string(text) + ": the adapter does not answer");
  }
  if (reply->status == static_cast<std::uint32_t>(AdminStatus::kOk)) return reply->body;
  std::string message = std::string(text) + ": status " + std::to_string(reply->status);
  for (const spec::Code& c : spec::kAdminStatuses) {
    if (c.value == reply->status) {
      message = std::string(text) + ": " + std::string(c.name) + " (" + std::string(c.doc) + ")";
    }
  }
  if (reply->detail != 0) message += ", field at byte " + std::to_string(reply->detail);
  throw Error(static_cast<AdminStatus>(reply->status), reply->detail, message);
}

PortStatus Context::query_port() {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryPort"), {}, "query port");
  constexpr std::uint64_t kPortActive = 4;  // ibv_port_state
  return {reply.get(place_of(spec::kQueryPortReply, "state")) == kPortActive,
          static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryPortReply, "max_mtu"))),
          static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryPortReply, "active_mtu"))),
          static_cast<std::uint16_t>(reply.get(place_of(spec::kQueryPortReply, "pkey"))),
          reply.get(place_of(spec::kQueryPortReply, "mac"))};
}

PortCounters Context::port_counters() {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryCounters"), {}, "query port counters");
  PortCounters c{};
  constexpr spec::Place kFirst = spec::place_of(spec::kPortCountersReply, "drop_icrc");
  for (unsigned i = 0; i < c.drops.size(); ++i) {
    c.drops[i] = reply.get({kFirst.offset + i * kFirst.bits, kFirst.bits});
  }
  c.rx_frames = reply.get(place_of(spec::kPortCountersReply, "rx_frames"));
  c.rx_bytes = reply.get(place_of(spec::kPortCountersReply, "rx_bytes"));
  c.tx_frames = reply.get(place_of(spec::kPortCountersReply, "tx_frames"));
  c.tx_bytes = reply.get(place_of(spec::kPortCountersReply, "tx_bytes"));
  c.rx_roce = reply.get(place_of(spec::kPortCountersReply, "rx_roce"));
  c.rx_ethernet = reply.get(place_of(spec::kPortCountersReply, "rx_ethernet"));
  return c;
}

void Context::set_gid(unsigned index, const Gid& gid, std::optional<std::uint16_t> vid,
                      bool roce_v1) {
  execute(code_of(spec::kAdminOps, "SetGid"),
          Body()
              .put(place_of(spec::kSetGid, "index"), index)
              .put(place_of(spec::kSetGid, "vlan"), vid.has_value())
              .put(place_of(spec::kSetGid, "vid"), vid.value_or(0))
              .put(place_of(spec::kSetGid, "roce_v1"), roce_v1)
              .put(place_of(spec::kSetGid, "gid_hi"), high_half(gid))
              .put(place_of(spec::kSetGid, "gid_lo"), low_half(gid)),
          "set GID");
}

void Context::set_pkey(unsigned index, std::uint16_t pkey) {
  execute(code_of(spec::kAdminOps, "SetPkey"),
          Body()
              .put(place_of(spec::kSetPkey, "index"), index)
              .put(place_of(spec::kSetPkey, "pkey"), pkey),
          "set P_Key");
}

std::uint16_t Context::query_pkey(unsigned index) {
  return static_cast<std::uint16_t>(execute(code_of(spec::kAdminOps, "QueryPkey"),
                                            Body().put(place_of(spec::kQueryPkey, "index"), index),
                                            "query P_Key")
                                        .get(place_of(spec::kQueryPkeyReply, "pkey")));
}

Gid Context::query_gid(unsigned index) {
  const Body reply = execute(code_of(spec::kAdminOps, "QueryGid"),
                             Body().put(place_of(spec::kQueryGid, "index"), index), "query GID");
  Gid gid;
  for (unsigned i = 0; i < 8; ++i) {
    gid[i] = static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryGidReply, "gid_hi")) >>
                                       (56 - 8 * i));
    gid[8 + i] = static_cast<std::uint8_t>(reply.get(place_of(spec::kQueryGidReply, "gid_lo")) >>
                                           (56 - 8 * i));
  }
  return gid;
}

std::uint64_t Context::resolve(unsigned sgid_index, const Gid& gid) {
  return execute(code_of(spec::kAdminOps, "ResolveAddress"),
                 Body()
                     .put(place_of(spec::kResolveAddress, "sgid_index"), sgid_index)
                     .put(place_of(spec::kResolveAddress, "dgid_hi"), high_half(gid))
                     .put(place_of(spec::kResolveAddress, "dgid_lo"), low_half(gid)),
                 "resolve address")
      .get(place_of(spec::kResolveAddressReply, "mac"));
}

}  // namespace roci::driver
