// SPDX-License-Identifier: Apache-2.0
// Admin commands: rings of 128-byte commands and 128-byte replies in host memory, same index in
// both. Bytes 0 to 7 are the header, 8 to 127 the body of the command. Little-endian. A command
// that fails changes nothing. Bytes after the fields below are neither read in a command nor
// written in a reply. The block of a reply that holds its header is written last.
#pragma once

#include "model/spec/codes.hpp"
#include "model/spec/commands/adapter.hpp"
#include "model/spec/commands/codes.hpp"
#include "model/spec/commands/memory.hpp"
#include "model/spec/commands/queues.hpp"

namespace roci::spec {

inline constexpr unsigned kCommandBytes = 128;
inline constexpr unsigned kCommandBodyOffset = 8;

inline constexpr Field kCommandHeader[] = {
    {"opcode", 16, "AdminOp"},
    {"tag", 16, "Free; the reply repeats it"},
    {"reserved", 32, "0"},
};

inline constexpr Field kReplyHeader[] = {
    {"status", 16, "AdminStatus"},
    {"tag", 16, "As in the command"},
    {"detail", 32, "Field in question: its byte offset in the command; for diagnosis only"},
};

}  // namespace roci::spec
