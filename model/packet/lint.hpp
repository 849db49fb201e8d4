// SPDX-License-Identifier: Apache-2.0
// What is wrong with a frame that this adapter sent: stricter than reception, since a sender has no
// excuse (invariant "the wire stays legal").
#pragma once

#include <string>
#include <vector>

#include "model/packet/bytes.hpp"

namespace roci::packet {

/// One sentence for each rule that the frame breaks; empty for a frame that is legal or no RoCE v2.
std::vector<std::string> lint(ByteView frame);

}  // namespace roci::packet
