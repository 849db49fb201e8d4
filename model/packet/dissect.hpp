// SPDX-License-Identifier: Apache-2.0
// Takes a frame apart, field by field, for reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/packet/bytes.hpp"

namespace roci::packet {

struct DissectedField {
  std::string_view name;
  std::string value;
};

/// A header and its fields in the order of the wire.
struct DissectedHeader {
  std::string_view name;
  std::vector<DissectedField> fields;
};

/// Returns the headers of a frame as far as they are there, with the names of model/spec, then
/// payload, pad and ICRC as the part "packet". Any bytes may be passed.
std::vector<DissectedHeader> dissect(ByteView frame);

}  // namespace roci::packet
