// SPDX-License-Identifier: Apache-2.0
// Time as the connection manager is given it: nanoseconds of a clock of the caller.
#pragma once

#include <cstdint>

namespace roci::cm {

using Time = std::uint64_t;
inline constexpr Time kNever = ~Time{0};

/// A time on the wire: 4.096 us x 2^exponent (9.7.6.1.3), of 5 bits.
constexpr Time interval(unsigned exponent) { return Time{4096} << (exponent & 31); }

}  // namespace roci::cm
