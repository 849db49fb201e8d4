// SPDX-License-Identifier: Apache-2.0
// The doorbells that a process rang, from the page that it shares with the simulator.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "driver/device/protocol.hpp"
#include "sim/server/ownership.hpp"

namespace roci::sim {

/// Writes to registers of the adapter: offset and value.
using Posts = std::deque<std::pair<std::uint32_t, std::uint32_t>>;

/// Takes the doorbells of objects that the process owns, in the order in which the adapter must get
/// them: a receive before a send that was posted after it, the words of a work request before the
/// doorbell that it came with, an arm last. `posts` is empty before.
void read_doorbells(driver::protocol::Page& page, const Ownership& owned, Posts& posts);

}  // namespace roci::sim
