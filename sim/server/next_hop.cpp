// SPDX-License-Identifier: Apache-2.0
#include "sim/server/next_hop.hpp"

#include <algorithm>
#include <optional>

#include "driver/cm/abi/address.hpp"
#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "testbench/ports/neighbours.hpp"

namespace roci::sim {
namespace {

constexpr std::uint64_t kAskNs = 50'000'000;
constexpr unsigned kAsks = 60;

/// Fields of a command that names a destination.
struct Destination {
  layout::Place dgid_hi, dgid_lo, mac;
};

/// None: the command names no destination.
std::optional<Destination> destination_in(layout::AdminOp opcode, const driver::Body& body) {
  namespace modify = layout::qp_attributes;
  namespace create = layout::create_ah;
  if (opcode == layout::AdminOp::kCreateAh) {
    return Destination{create::dgid_hi, create::dgid_lo, create::dst_mac};
  }
  if (opcode == layout::AdminOp::kModifyQp &&
      (body.get(modify::attr_mask) & driver::mask::kAv) != 0) {
    return Destination{modify::dgid_hi, modify::dgid_lo, modify::dst_mac};
  }
  return {};
}

/// 0: the host does not know the address yet, and asks for it.
std::uint64_t ask_host(driver::Context& context, const std::string& interface,
                       const driver::Gid& gid) {
  if (const auto mac = testbench::ports::neighbour_mac(interface, gid)) return *mac;
  testbench::ports::resolve_neighbour(interface, gid);
  context.device().wait([] { return false; }, kAskNs);
  return 0;
}

}  // namespace

bool fill_next_hop(driver::Context& context, const FabricAdapter& node,
                   const std::string& interface, layout::AdminOp opcode, driver::Body& body) {
  const auto to = destination_in(opcode, body);
  if (!to || body.get(to->mac) != 0) return true;
  const driver::Gid wanted = driver::gid_of_halves(body.get(to->dgid_hi), body.get(to->dgid_lo));
  if (cm::is_group(wanted)) return true;  // its MAC address follows from the group
  // The host does not resolve its own address.
  if (std::any_of(node.gids().begin(), node.gids().end(),
                  [&](const NodeGid& own) { return own.gid == wanted; })) {
    body.put(to->mac, node.mac());
    return true;
  }
  for (unsigned i = 0; i < kAsks; ++i) {
    if (const std::uint64_t mac = ask_host(context, interface, wanted)) {
      body.put(to->mac, mac);
      return true;
    }
  }
  return false;
}

std::uint64_t ask_next_hop(driver::Context& context, const FabricAdapter& node,
                           const std::string& interface, unsigned gid_index,
                           const driver::Gid& gid) {
  if (node.host_resolves()) return ask_host(context, interface, gid);
  try {
    return context.resolve(gid_index, gid);
  } catch (const driver::Error&) {
    return 0;
  }
}

}  // namespace roci::sim
