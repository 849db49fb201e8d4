// SPDX-License-Identifier: Apache-2.0
// Checks a frame that this adapter sent. The rules are stricter than those of reception (invariant
// "the wire stays legal").
#pragma once

#include <string>
#include <vector>

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// Returns a sentence for each violated rule; nothing for a frame that is legal or not RoCE v2.
std::vector<std::string> lint(ByteView frame);

}  // namespace roci::packet
