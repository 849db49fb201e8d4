// SPDX-License-Identifier: Apache-2.0
// Syndromes of an AETH as tests send and expect them.
#pragma once

#include "model/packet/builder.hpp"
#include "model/spec/layout/codes.hpp"

namespace roci::syndromes {

inline constexpr std::uint8_t kAck = layout::syndrome::kAckNoCredits;
inline constexpr std::uint8_t kRnrNak = layout::syndrome::kRnrNak;
inline constexpr std::uint8_t kNakSequence = layout::syndrome::kNakSequence;
inline constexpr std::uint8_t kNakInvalid = layout::syndrome::kNakInvalid;
inline constexpr std::uint8_t kNakAccess = layout::syndrome::kNakAccess;
inline constexpr std::uint8_t kNakOperational = layout::syndrome::kNakOperational;

}  // namespace roci::syndromes
