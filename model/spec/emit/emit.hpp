// SPDX-License-Identifier: Apache-2.0
// The outputs of the emitter; each writes one file to the standard output.
#pragma once

#include <string>
#include <string_view>

namespace roci::spec {

inline std::string str(std::string_view text) { return std::string(text); }

void emit_sv();

void emit_layout_codes();
void emit_layout_headers();
void emit_layout_queues();
void emit_layout_context();
void emit_layout_commands();
void emit_layout_records();
void emit_layout_registers();

void emit_wire_formats();
void emit_queues();
void emit_registers();

void emit_python();

}  // namespace roci::spec
