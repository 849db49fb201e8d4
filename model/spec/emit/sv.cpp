// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdio>

#include "model/spec/emit/emit.hpp"
#include "model/spec/emit/tables.hpp"

namespace roci::spec {
namespace {

std::string camel(std::string_view snake) {
  std::string out;
  bool up = true;
  for (char c : snake) {
    if (c == '_') {
      up = true;
    } else {
      out += up ? static_cast<char>(std::toupper(c)) : c;
      up = false;
    }
  }
  return out;
}

void sv_field(const Field& field) {
  std::string range = field.bits == 1 ? "" : "[" + std::to_string(field.bits - 1) + ":0]";
  std::printf("    logic %-7s %-20s // %s\n", range.c_str(), (str(field.name) + ";").c_str(),
              str(field.doc).c_str());
}

template <std::size_t N>
void sv_struct(const char* name, const Field (&fields)[N], Order order) {
  std::printf("  localparam int unsigned %sBits = %u;\n", camel(name).c_str(), total_bits(fields));
  std::printf("  typedef struct packed {\n");
  for (std::size_t i = 0; i < N; ++i) {
    sv_field(order == Order::kWire ? fields[i] : fields[N - 1 - i]);
  }
  std::printf("  } %s_t;\n\n", name);
}

/// A word of a register. What its fields leave of the 32 bits is `unused`.
template <std::size_t N>
void sv_register(const char* name, const Field (&fields)[N]) {
  constexpr unsigned kBits = 32;
  const unsigned left = kBits - total_bits(fields);
  std::printf("  typedef struct packed {\n");
  if (left != 0) sv_field({"unused", left, "0"});
  for (std::size_t i = N; i-- > 0;) sv_field(fields[i]);
  std::printf("  } %s_reg_t;\n\n", name);
}

template <std::size_t N>
void sv_opcodes(const Opcode (&codes)[N]) {
  for (const Opcode& code : codes) {
    std::printf("  localparam logic [7:0] Op%s = 8'h%02X;\n", str(code.name).c_str(), code.value);
  }
}

}  // namespace

void emit_sv() {
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Written by model/spec/emit from the tables of model/spec. Change those.\n"
      "//\n"
      "// Headers have the first byte on the wire on top; everything else has its first field in\n"
      "// the lowest bits, which is the lowest address in host memory.\n\n"
      "package roci_pkg;\n\n");
  each_code_group([](const Group& group, const auto& codes) {
    for (const Code& code : codes) {
      std::printf("  localparam logic [%u:0] %s = %u'd%u;%s%s\n", group.bits - 1,
                  (str(group.prefix) + str(code.name)).c_str(), group.bits, code.value,
                  code.doc.empty() ? "" : "  // ", str(code.doc).c_str());
    }
    std::printf("\n");
  });
  sv_opcodes(kOpcodes);
  sv_opcodes(kOtherOpcodes);
  std::printf("\n  // Bytes of extension headers of an RC opcode; 31 for a reserved one.\n");
  std::printf("  function automatic logic [4:0] ext_bytes(input logic [4:0] operation);\n");
  std::printf("    case (operation)\n");
  for (const Opcode& code : kOpcodes) {
    std::printf("      5'd%u: ext_bytes = 5'd%u;\n", code.value, code.ext_bytes);
  }
  std::printf("      default: ext_bytes = 5'd31;\n    endcase\n  endfunction\n\n");
  for (const Register& reg : kRegisters) {
    std::printf("  localparam logic [%u:0] Reg%s = %u'h%X;\n", kRegisterAddressBits - 1,
                str(reg.name).c_str(), kRegisterAddressBits, reg.offset);
  }
  for (const Window& window : kWindows) {
    std::printf("  localparam logic [%u:0] Win%s = %u'h%X;\n", kRegisterAddressBits - 1,
                str(window.name).c_str(), kRegisterAddressBits, window.offset);
  }
  std::printf("  localparam int unsigned RegisterAddressBits = %u;\n", kRegisterAddressBits);
  std::printf("  localparam int unsigned BlockBytes = %u;\n", kBlockBytes);
  std::printf("  localparam int unsigned MaxSge = %u;\n", kMaxSge);
  std::printf("  localparam int unsigned MaxInline = %u;\n", kMaxInline);
  std::printf("  localparam int unsigned RowBits = %u;\n\n", kRowBits);
  auto wire = [](const char* name, const char*, const auto& fields) {
    sv_struct(name, fields, Order::kWire);
  };
  auto memory = [](const char* name, const char*, const auto& fields) {
    sv_struct(name, fields, Order::kMemory);
  };
  each_wire_layout(wire);
  each_memory_layout(memory);
  each_table_row(memory);
  each_record(memory);
  each_register(
      [](const char* name, const char*, const auto& fields) { sv_register(name, fields); });
  std::printf("endpackage\n");
}

}  // namespace roci::spec
