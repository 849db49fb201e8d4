// SPDX-License-Identifier: Apache-2.0
// Rows of the adapter's tables for a queue pair.
#pragma once

#include "firmware/commands/commands.hpp"

namespace roci::fw {

/// Returns the row of the table QpAttr.
Block attribute_row(const QueuePair& qp, const QpAttributes& attributes);

/// Returns the row of the table Av.
Block address_row(const Device& device, uint32_t qpn, const QpAttributes& attributes, Mac dst_mac);

/// Returns the UDP source port, 0xC000 to 0xFFFF: from the flow label if any (WIRE-14), else
/// derived from the queue pair number (WIRE-13).
uint32_t source_port(uint32_t qpn, uint32_t flow_label);

}  // namespace roci::fw
