// SPDX-License-Identifier: Apache-2.0
// Requests to the key table and their results.
#pragma once

#include "model/spec/field.hpp"

namespace roci::spec {

/// Request to the key table, and its response.
inline constexpr Field kKeyReq[] = {
    {"key", 32, "Key"},
    {"va", 64, "First address"},
    {"len", 32, "Bytes, not 0"},
    {"pd", 16, "Protection domain that must own the region"},
    {"access", 4, "Rights that are all required"},
    {"qpn", 24, "Queue pair, when a remote right is requested"},
};
inline constexpr Field kKeyRsp[] = {
    {"ok", 1, "Access is allowed"},
    {"addr", 64, "DMA address of the first byte"},
    {"pasid", 20, "Address space"},
};

/// Operation on the key table, and its response. The row bus has carried the change before the
/// response is valid.
inline constexpr Field kKeyOpReq[] = {
    {"op", 2, "KeyOp"},
    {"key", 32, "Row and variant: for Invalidate the present variant, else the new one"},
    {"qpn", 24, "Queue pair of the work request or SEND"},
    {"pd", 16, "Its protection domain"},
    {"region", 32, "Bind: local key of the region"},
    {"va", 64, "Bind, Register: first address"},
    {"length", 64, "Bind, Register: bytes; 0 unbinds"},
    {"access", 6, "Bind, Register: bits as Access"},
    {"addr", 64, "Register: first address as DMA sees it"},
};
inline constexpr Field kKeyOpRsp[] = {
    {"ok", 1, "Done; 0: nothing changed"},
};

}  // namespace roci::spec
