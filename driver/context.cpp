// SPDX-License-Identifier: Apache-2.0
#include "driver/context.hpp"

#include "driver/event_ring.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"

namespace roci::driver {

Gid gid_of_halves(std::uint64_t high, std::uint64_t low) {
  Gid gid{};
  for (unsigned i = 0; i < 8; ++i) {
    gid[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    gid[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return gid;
}

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
  const Body reply = execute(layout::AdminOp::kQueryDevice, {}, "query device");
  limits_.max_qp = reply.get(layout::query_device_reply::max_qp);
  limits_.max_cq = reply.get(layout::query_device_reply::max_cq);
  limits_.max_mr = reply.get(layout::query_device_reply::max_mr);
  limits_.max_pd = reply.get(layout::query_device_reply::max_pd);
  limits_.max_qp_wr = reply.get(layout::query_device_reply::max_qp_wr);
  limits_.max_cqe = reply.get(layout::query_device_reply::max_cqe);
  limits_.max_sge = reply.get(layout::query_device_reply::max_sge);
  limits_.max_inline = reply.get(layout::query_device_reply::max_inline);
  limits_.max_rd_atomic = reply.get(layout::query_device_reply::max_rd_atomic);
  limits_.max_gid = reply.get(layout::query_device_reply::max_gid);
  limits_.max_message = reply.get(layout::query_device_reply::max_message);
  limits_.fw_version = reply.get(layout::query_device_reply::fw_version);
  limits_.max_srq = reply.get(layout::query_device_reply::max_srq);
  limits_.max_srq_wr = reply.get(layout::query_device_reply::max_srq_wr);
  limits_.max_pkeys = reply.get(layout::query_device_reply::max_pkeys);
  limits_.max_mw = reply.get(layout::query_device_reply::max_mw);
  limits_.services = reply.get(layout::query_device_reply::services);
  limits_.max_ah = reply.get(layout::query_device_reply::max_ah);
  limits_.absent = reply.get(layout::query_device_reply::absent);
  limits_.max_attachments = reply.get(layout::query_device_reply::max_attachments);
}

Body Context::execute(layout::AdminOp opcode, const Body& body, const char* text) {
  const auto reply = commands_.exchange(opcode, body, options_.command_timeout_ns);
  if (!reply) {
    throw Error(AdminStatus::kHardwareError, 0, std::string(text) + ": the adapter does not reply");
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
  const Body reply = execute(layout::AdminOp::kQueryPort, {}, "query port");
  constexpr std::uint64_t kPortActive = 4;  // ibv_port_state
  return {reply.get(layout::query_port_reply::state) == kPortActive,
          reply.get(layout::query_port_reply::max_mtu),
          reply.get(layout::query_port_reply::active_mtu),
          reply.get(layout::query_port_reply::pkey), reply.get(layout::query_port_reply::mac)};
}

PortCounters Context::port_counters() {
  const Body reply = execute(layout::AdminOp::kQueryCounters, {}, "query port counters");
  PortCounters c{};
  constexpr auto kFirst = layout::port_counters_reply::drop_icrc;
  for (unsigned i = 0; i < c.drops.size(); ++i) {
    c.drops[i] = reply.get({kFirst.offset + i * kFirst.bits, kFirst.bits});
  }
  c.rx_frames = reply.get(layout::port_counters_reply::rx_frames);
  c.rx_bytes = reply.get(layout::port_counters_reply::rx_bytes);
  c.tx_frames = reply.get(layout::port_counters_reply::tx_frames);
  c.tx_bytes = reply.get(layout::port_counters_reply::tx_bytes);
  c.rx_roce = reply.get(layout::port_counters_reply::rx_roce);
  c.rx_ethernet = reply.get(layout::port_counters_reply::rx_ethernet);
  c.qkey_violations = reply.get(layout::port_counters_reply::qkey_violations);
  c.discards = reply.get(layout::port_counters_reply::discards);
  return c;
}

void Context::set_gid(unsigned index, const Gid& gid, std::optional<std::uint16_t> vid,
                      bool roce_v1) {
  execute(layout::AdminOp::kSetGid,
          Body()
              .put(layout::set_gid::index, index)
              .put(layout::set_gid::vlan, vid.has_value())
              .put(layout::set_gid::vid, vid.value_or(0))
              .put(layout::set_gid::roce_v1, roce_v1)
              .put(layout::set_gid::gid_hi, high_half(gid))
              .put(layout::set_gid::gid_lo, low_half(gid)),
          "set GID");
}

void Context::set_pkey(unsigned index, std::uint16_t pkey) {
  execute(layout::AdminOp::kSetPkey,
          Body().put(layout::set_pkey::index, index).put(layout::set_pkey::pkey, pkey),
          "set P_Key");
}

std::uint16_t Context::query_pkey(unsigned index) {
  return static_cast<std::uint16_t>(execute(layout::AdminOp::kQueryPkey,
                                            Body().put(layout::query_pkey::index, index),
                                            "query P_Key")
                                        .get(layout::query_pkey_reply::pkey));
}

Gid Context::query_gid(unsigned index) {
  const Body reply =
      execute(layout::AdminOp::kQueryGid, Body().put(layout::query_gid::index, index), "query GID");
  Gid gid;
  for (unsigned i = 0; i < 8; ++i) {
    gid[i] = static_cast<std::uint8_t>(reply.get(layout::query_gid_reply::gid_hi) >> (56 - 8 * i));
    gid[8 + i] =
        static_cast<std::uint8_t>(reply.get(layout::query_gid_reply::gid_lo) >> (56 - 8 * i));
  }
  return gid;
}

std::uint64_t Context::resolve(unsigned sgid_index, const Gid& gid) {
  return execute(layout::AdminOp::kResolveAddress,
                 Body()
                     .put(layout::resolve_address::sgid_index, sgid_index)
                     .put(layout::resolve_address::dgid_hi, high_half(gid))
                     .put(layout::resolve_address::dgid_lo, low_half(gid)),
                 "resolve address")
      .get(layout::resolve_address_reply::mac);
}

}  // namespace roci::driver
