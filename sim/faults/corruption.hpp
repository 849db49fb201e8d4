// SPDX-License-Identifier: Apache-2.0
// Changes of a frame by a fault.
#pragma once

#include <string>

#include "model/packet/parser.hpp"
#include "sim/faults/rule.hpp"

namespace roci::sim::faults {

/// Whether the frame has what the fault changes.
bool can_corrupt(const Rule& rule, const packet::Parsed& parsed);
/// The changed frame, and in `text` what is changed.
packet::Bytes corrupted(const Rule& rule, const packet::Parsed& parsed, std::string& text);

/// Whether the frame is a packet of RoCE v2, whose IP header has an ECN field.
bool can_mark(const packet::Parsed& parsed);
/// The frame with the ECN codepoint CE. The ICRC does not cover it.
packet::Bytes marked(const packet::Parsed& parsed);

}  // namespace roci::sim::faults
