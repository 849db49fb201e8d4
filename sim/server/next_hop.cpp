// SPDX-License-Identifier: Apache-2.0
#include "sim/server/next_hop.hpp"

#include <algorithm>

#include "model/spec/layout/codes.hpp"
#include "model/spec/layout/commands.hpp"
#include "testbench/ports/neighbours.hpp"

namespace roci::sim {
namespace {

constexpr std::uint64_t kAskNs = 50'000'000;
constexpr unsigned kAsks = 60;

driver::Gid gid_in(const driver::Body& body) {
  driver::Gid gid{};
  const std::uint64_t halves[] = {body.get(layout::qp_attributes::dgid_hi),
                                  body.get(layout::qp_attributes::dgid_lo)};
  for (unsigned i = 0; i < gid.size(); ++i) {
    gid[i] = static_cast<std::uint8_t>(halves[i / 8] >> (56 - 8 * (i % 8)));
  }
  return gid;
}

}  // namespace

bool fill_next_hop(driver::Context& context, const FabricNode& node, const std::string& interface,
                   layout::AdminOp opcode, driver::Body& body) {
  constexpr auto kMac = layout::qp_attributes::dst_mac;
  if (opcode != layout::AdminOp::kModifyQp || body.get(kMac) != 0 ||
      (body.get(layout::qp_attributes::attr_mask) & driver::mask::kAv) == 0) {
    return true;
  }
  const driver::Gid wanted = gid_in(body);
  // The host does not resolve its own address.
  if (std::any_of(node.gids().begin(), node.gids().end(),
                  [&](const NodeGid& own) { return own.gid == wanted; })) {
    body.put(kMac, node.mac());
    return true;
  }
  for (unsigned i = 0; i < kAsks; ++i) {
    if (const auto mac = testbench::ports::neighbour_mac(interface, wanted)) {
      body.put(kMac, *mac);
      return true;
    }
    testbench::ports::resolve_neighbour(interface, wanted);
    context.device().wait([] { return false; }, kAskNs);
  }
  return false;
}

}  // namespace roci::sim
