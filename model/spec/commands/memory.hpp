// SPDX-License-Identifier: Apache-2.0
// Bodies of commands of regions and memory windows.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

inline constexpr Field kRegMr[] = {
    {"pd", 32, "Protection domain"},
    {"access", 32, "Bits as Access"},
    {"pasid", 32, "Address space"},
    {"reserved", 32, "0"},
    {"iova", 64, "First address as work requests name it"},
    {"length", 64, "Bytes, not 0; iova + length and addr + length stay below 2^64"},
    {"addr", 64, "First address as DMA sees it"},
};
inline constexpr Field kRegMrReply[] = {{"key", 32, "Local and remote key"}};
inline constexpr Field kReregMr[] = {
    {"key", 32, "Key of the region; it stays"},
    {"what", 32, "Bits: 0 range, 1 domain, 2 rights, as ibv_rereg_mr_flags"},
    {"pd", 32, "Protection domain"},
    {"access", 32, "Bits as Access"},
    {"iova", 64, "As in RegMr"},
    {"length", 64, "As in RegMr"},
    {"addr", 64, "As in RegMr"},
};
inline constexpr Field kAllocMw[] = {
    {"pd", 32, "Protection domain"},
    {"kind", 32, "KeyKind: WindowType1 or WindowType2"},
};
inline constexpr Field kAllocMwReply[] = {{"key", 32, "Key; its low byte is the first variant"}};
inline constexpr Field kDeallocMw[] = {{"key", 32, "Key as allocated or as last bound"}};
inline constexpr Field kAllocFastMr[] = {
    {"pd", 32, "Protection domain"},
    {"pasid", 32, "Address space of what it will name"},
};
inline constexpr Field kAllocFastMrReply[] = {{"key", 32, "Key"}};
inline constexpr Field kDeregMr[] = {{"key", 32, "Key"}};

}  // namespace roci::spec
