// SPDX-License-Identifier: Apache-2.0
// Rows of the adapter's tables for a queue pair.
#pragma once

#include "firmware/commands/commands.hpp"

namespace roci::fw {

/// Returns the row of the table QpAttr.
Block attribute_row(const QueuePair& qp, const QpAttributes& attributes);

/// Returns the row of the table QpService.
Block service_row(const QueuePair& qp, const QpAttributes& attributes);

/// Writes it, where the adapter has more than RC.
bool write_service(Device* device, uint32_t qpn, const QueuePair& qp,
                   const QpAttributes& attributes);

/// Returns the row of the table Av. `spread`: number of the queue pair or address handle.
Block address_row(const Device& device, uint32_t spread, const QpAttributes& attributes,
                  Mac dst_mac);
/// Returns that of a UD queue pair, which has the partition key only.
Block partition_row(const Device& device, const QpAttributes& attributes);

/// Returns the UDP source port, 0xC000 to 0xFFFF: from the flow label if any (WIRE-14), else
/// derived from the number of the queue pair or address handle (WIRE-13).
uint32_t source_port(uint32_t spread, uint32_t flow_label);

}  // namespace roci::fw
