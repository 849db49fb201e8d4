// SPDX-License-Identifier: Apache-2.0
// Syndromes of an AETH as tests send and expect them.
#pragma once

#include "model/packet/builder.hpp"
#include "model/spec/codes.hpp"

namespace roci::syndromes {

inline constexpr std::uint8_t kAck = packet::code_of(spec::kSyndromes, "AckNoCredits");
inline constexpr std::uint8_t kRnrNak = packet::code_of(spec::kSyndromes, "RnrNak");
inline constexpr std::uint8_t kNakSequence = packet::code_of(spec::kSyndromes, "NakSequence");
inline constexpr std::uint8_t kNakInvalid = packet::code_of(spec::kSyndromes, "NakInvalid");
inline constexpr std::uint8_t kNakAccess = packet::code_of(spec::kSyndromes, "NakAccess");
inline constexpr std::uint8_t kNakOperational = packet::code_of(spec::kSyndromes, "NakOperational");

}  // namespace roci::syndromes
